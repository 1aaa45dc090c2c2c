"""The command `help`."""

from __future__ import annotations

from pathlib import Path

from separatrix_vtk.cli.command import COMMANDS, Given, command
from separatrix_vtk.cli.commands.cite import COMMAND
from separatrix_vtk.cli.json_keys import WARNINGS
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.cli.usage import check_command

JSON = {
    "command": "the command, or null for the list of all",
    "page": "the page as text",
    **WARNINGS,
}


@command("help", input=COMMAND, json=JSON, see="docs/shell.md")
def help(input: Path | None, given: Given) -> None:
    """Help on a command, or a list of all commands; the same as COMMAND --help.

    Examples:

        separatrix help

        separatrix help rips
    """
    from separatrix_vtk.cli.help import page_of, page_of_all

    name = None if input is None else str(input)
    if name is not None:
        check_command(name, list(COMMANDS))
    text = page_of_all() if name is None else page_of(name)
    reporter.result({"command": name, "page": text}, lambda: print(text, end=""))
