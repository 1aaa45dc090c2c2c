"""The command `cite`."""

from __future__ import annotations

from pathlib import Path

from separatrix.options import Options, option
from separatrix_vtk.cli.citations import as_bibtex, as_json, as_text, papers
from separatrix_vtk.cli.command import COMMANDS, Argument, Given, command
from separatrix_vtk.cli.completion import starting_with
from separatrix_vtk.cli.exit_codes import USER_ERROR, Ended
from separatrix_vtk.cli.json_keys import WARNINGS
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.cli.usage import check_command

JSON = {
    "command": "the command, or null for all of them",
    "papers": "a list of objects: key, authors, title, year, doi, and what is used of each paper",
    **WARNINGS,
}
COMMAND = Argument(
    "A command, such as rips; by default all commands.",
    name="COMMAND",
    is_required=False,
    complete=lambda incomplete: starting_with(COMMANDS)(incomplete),
)


class CitationOptions(Options):
    """How papers are printed."""

    bibtex: bool = option(default=False, group="Printing", summary="Print entries of a .bib file.")


@command("cite", CitationOptions, input=COMMAND, json=JSON, see="CITATION.cff")
def cite(input: Path | None, given: Given) -> None:
    """Papers that a command is based on, and the methods it uses from each.

    Examples:

        separatrix cite morse-smale

        separatrix cite rips --bibtex
    """
    name = None if input is None else str(input)
    is_bibtex = given.of(CitationOptions).bibtex
    if is_bibtex and reporter.json:
        raise Ended("--bibtex and --json cannot be combined. Omit one of them.", USER_ERROR)
    if name is not None:
        check_command(name, list(COMMANDS))
    chosen = {
        paper.key: (paper, ", ".join(paper.uses) if name is None else paper.uses[name])
        for paper in papers()
        if name is None or name in paper.uses
    }
    used = "commands" if name is None else "used_for"
    summary = {
        "command": name,
        "papers": [{**as_json(paper), used: text} for paper, text in chosen.values()],
    }
    if is_bibtex:
        lines = [as_bibtex(paper) for paper, _ in chosen.values()]
    else:
        lines = [f"{as_text(paper)}\n    {text}" for paper, text in chosen.values()]
    page = "\n\n".join(lines) or f"{name} does not use the method of a paper"
    reporter.result(summary, lambda: print(page))
