"""The command `separatrix cite`."""

from __future__ import annotations

from typing import Annotated

import typer

from separatrix_vtk.cite.formats import as_bibtex, as_json, as_text
from separatrix_vtk.cite.methods import WrongChoice, every_paper, papers_of
from separatrix_vtk.shell.capabilities.help import commands_that_begin
from separatrix_vtk.shell.capabilities.json_keys import WARNINGS
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import Telling

JSON = {
    "command": "the command, or null for all of them",
    "papers": "a list of objects: key, authors, title, year, doi, and what is taken from each",
    **WARNINGS,
}


@capability(json=JSON, see="CITATION.cff")
def cite(
    command: Annotated[
        str | None,
        typer.Argument(
            metavar="COMMAND",
            help="A command, such as rips. Default: every paper.",
            autocompletion=commands_that_begin,
        ),
    ] = None,
    bibtex: Annotated[bool, typer.Option("--bibtex", help="Entries for a .bib file.")] = False,
    *,
    telling: Telling,
) -> None:
    """The papers whose methods a command uses, with what is taken from each.

    Examples:

        separatrix cite morse-smale

        separatrix cite rips --bibtex
    """
    from separatrix_vtk.shell.manual import names_of_commands
    from separatrix_vtk.shell.usage import check_command

    if bibtex and telling.json:
        raise WrongChoice("--bibtex and --json print two things; leave one out")
    if command is not None:
        check_command(command, names_of_commands())
    papers = every_paper() if command is None else papers_of(command)
    used = "commands" if command is None else "used_for"
    found = [{**as_json(paper), used: what} for paper, what in papers]
    if bibtex:
        text = "\n\n".join(as_bibtex(paper) for paper, _ in papers)
    elif papers:
        text = "\n\n".join(f"{as_text(paper)}\n    {what}" for paper, what in papers)
    else:
        text = f"{command} uses the method of no paper"
    telling.tell({"command": command, "papers": found}, lambda: print(text))
