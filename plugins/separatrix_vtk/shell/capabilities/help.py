"""The command `help`: a page of the manual."""

from __future__ import annotations

from typing import Annotated

import typer

from separatrix_vtk.shell.capabilities.json_keys import WARNINGS
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import Telling

JSON = {
    "command": "the command, or null for the list of all",
    "page": "the page as text",
    **WARNINGS,
}


def commands_that_begin(incomplete: str) -> list[str]:
    """Names of commands, for the Tab key."""
    from separatrix_vtk.shell.manual import names_of_commands

    return [name for name in names_of_commands() if name.startswith(incomplete)]


@capability(json=JSON, see="docs/shell.md")
def help_of_commands(
    command: Annotated[
        str | None,
        typer.Argument(
            metavar="COMMAND",
            help="The command. Default: list all.",
            autocompletion=commands_that_begin,
        ),
    ] = None,
    *,
    telling: Telling,
) -> None:
    """The manual: of a command, or of all in short; as COMMAND --help.

    Examples:

        separatrix help

        separatrix help rips
    """
    from separatrix_vtk.shell.manual import names_of_commands, page_of, page_of_all
    from separatrix_vtk.shell.usage import check_command

    if command is not None:
        check_command(command, names_of_commands())
    text = page_of_all() if command is None else page_of(command)
    telling.tell({"command": command, "page": text}, lambda: print(text, end=""))
