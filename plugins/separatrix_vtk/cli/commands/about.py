"""The commands about Separatrix itself: `devices`, `cite` and `help`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.options import Options, option
from separatrix_vtk.cli.citations import as_bibtex, as_json, as_text, papers
from separatrix_vtk.cli.command import COMMANDS, Argument, Command, Given, check_command
from separatrix_vtk.cli.completion import starting_with
from separatrix_vtk.cli.exit_codes import USER_ERROR, Ended
from separatrix_vtk.cli.reporter import reporter

COMMAND = Argument(
    "A command, such as rips; by default all commands.",
    name="COMMAND",
    is_required=False,
    complete=lambda incomplete: starting_with(COMMANDS)(incomplete),
)


@Command(
    "devices",
    json={
        "devices": "a list of objects: name, usable, reason (why not), description, memory (bytes)",
    },
    see="README.md",
)
def devices(given: Given) -> None:
    """Usable devices, and the reasons why other devices are not usable.

    Examples:
        separatrix devices
        separatrix devices --json
    """
    import separatrix as sx

    reports = sx.devices(probe=True)
    summary = {"devices": [vars(report) for report in reports]}
    reporter.result(summary, lambda: print_devices(reports))


def print_devices(reports: list[Any]) -> None:
    """Print one line per device; if it cannot be used, with the reason."""
    for report in reports:
        memory = f", {report.memory / 2**30:.1f} GiB" if report.memory else ""
        state = f"usable{memory}" if report.usable else f"not usable: {report.reason}"
        about = f" ({report.description})" if report.description else ""
        print(f"{report.name}{about}: {state}")


class CitationOptions(Options):
    """Printed papers."""

    bibtex: bool = option(default=False, group="Printing", summary="Print entries of a .bib file.")


@Command(
    "cite",
    (CitationOptions,),
    input=COMMAND,
    json={
        "command": "the command, or null for all of them",
        "papers": "a list of objects: key, authors, title, year, doi, and what is used of each",
    },
    see="CITATION.cff",
)
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
        check_command(name)
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


@Command(
    "help",
    input=COMMAND,
    json={
        "command": "the command, or null for the list of all",
        "page": "the page as text",
    },
    see="docs/shell.md",
)
def help(input: Path | None, given: Given) -> None:
    """Help on a command, or a list of all commands; the same as COMMAND --help.

    Examples:
        separatrix help
        separatrix help rips
    """
    from separatrix_vtk.cli.help import page_of, page_of_all

    name = None if input is None else str(input)
    if name is not None:
        check_command(name)
    text = page_of_all() if name is None else page_of(name)
    reporter.result({"command": name, "page": text}, lambda: print(text, end=""))
