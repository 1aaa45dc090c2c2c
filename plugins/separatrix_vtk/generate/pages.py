"""The table of docs/files.md, and the pages docs/shell.md and docs/options.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import separatrix_vtk
from separatrix.options import Option, Options, options_of
from separatrix_vtk.base.filter import Filter
from separatrix_vtk.base.properties import in_panel, vtk_name
from separatrix_vtk.cli.command import Command
from separatrix_vtk.cli.commands import COMMANDS
from separatrix_vtk.cli.help import (
    EXIT_CODE_ROWS,
    OF_SEPARATRIX,
    Row,
    arguments_of,
    options_of_command,
    ports_of,
    row_of,
    synopsis,
    text_of,
)
from separatrix_vtk.io.formats import FORMATS

# === the table of docs/files.md


def files_page(text: str) -> str:
    """Return docs/files.md with a new table between its two comments."""
    begin, mark, rest = text.partition("<!-- formats -->\n")
    rows = (
        f"| {', '.join(f'`{suffix}`' for suffix in one.suffixes)} | {one.gives} | {one.library} |"
        for one in FORMATS
    )
    table = ["| Suffix | Contains | Read by |", "| --- | --- | --- |", *rows]
    return "".join([begin, mark, "\n".join(table), "\n", *rest.partition("<!-- end -->")[1:]])


# === docs/shell.md

INTRODUCTION = """<!-- Written by `make generated` from the commands -->
# Command line

`separatrix COMMAND INPUT [OUTPUT] [OPTIONS]`. Without OUTPUT, only a summary is printed.
`separatrix help COMMAND` prints the section of that command.

- Each command runs the filter that ParaView runs and writes its output ports. A file of a single
  dataset contains one port (`--port`), and only that port is computed; a `.vtm` or `.npz` file
  contains all of them.
- The names of arrays in a `.npz` file begin with their port, as in `graph.points` or
  `bars.Death`; cell arrays have the prefix `cell_`. Arrays of images have shape (nz, ny, nx).
- An output is written under a temporary name and renamed when it is complete.
- `-` as INPUT is standard input, whose format is detected from its content (`rips` requires
  `--format`), and as OUTPUT standard output: a `.csv` file of the port if it can be one, otherwise
  a VTK file. The summary is then printed on stderr:
  `separatrix simplify a.vti - | separatrix critical-points - points.csv`.
- On a terminal, a bar shows the progress. Ctrl-C stops the computation at its next step; a second
  Ctrl-C stops it immediately.
- `--quiet` prints errors only. Messages and warnings go to stderr.
- `--json` prints one object on stdout and nothing else. If a command fails, it is
  `{"error": "the message", "exit_code": 2}`, and the message is also printed on stderr. Numbers
  that are not finite are null.
- `separatrix --install-completion` makes the Tab key complete commands, options, choices, and the
  arrays of INPUT, in bash, zsh, and fish; `--show-completion` prints the script.
"""


def shell_page() -> str:
    """Return the text of docs/shell.md."""
    shared = shared_declarations()
    lines = [INTRODUCTION.rstrip()]
    lines += _table(
        "Command", ((f"[{n}](#{n})", text_of(c)[0]) for n, c in COMMANDS.items()), code=False
    )
    lines += ["", "## Exit codes", *_table("Code", EXIT_CODE_ROWS, code=False)]
    lines += ["", "## Options of `separatrix` itself", *_table("Option", OF_SEPARATRIX)]
    for declaration, options in shared.items():
        lines += ["", f"## {_title(declaration)}", "These options are shared by several commands."]
        lines += _table("Option", map(row_of, options))
    for command in COMMANDS.values():
        lines += ["", *_markdown_of(command, shared)]
    return "\n".join(lines) + "\n"


def shared_declarations() -> dict[type[Options], list[Option]]:
    """The declarations whose options several commands have, with these options."""
    users: dict[type[Options], list[Command]] = {}
    for command in COMMANDS.values():
        for owner in dict.fromkeys(map(command.owner_of, command.options)):
            users.setdefault(owner, []).append(command)
    return {
        owner: [o for name, o in of[0].options.items() if of[0].owner_of(name) is owner]
        for owner, of in users.items()
        if len(of) > 1
    }


def _title(declaration: type[Options]) -> str:
    return (declaration.__doc__ or "").strip().splitlines()[0].rstrip(".")


def _markdown_of(command: Command, shared: dict[type[Options], Any]) -> Iterator[str]:
    summary, about, examples = text_of(command)
    yield f"## {command.name}"
    yield summary
    for paragraph in about:
        yield f"\n{paragraph}"
    yield "\n<!-- not run: tests/shell/test_options.py does, on files that it makes -->"
    yield "```"
    yield f"{synopsis(command)}\n"
    yield from examples
    yield "```"
    yield from _table("Argument", arguments_of(command))
    common = {row_of(one, command) for options in shared.values() for one in options}
    rows = (row for rows in options_of_command(command).values() for row in rows)
    yield from _table("Option", [row for row in rows if row not in common])
    titles = [_title(one) for one in shared if one in map(command.owner_of, command.options)]
    if titles:
        anchors = (title.lower().replace(",", "").replace(" ", "-") for title in titles)
        links = (f"[{title}](#{anchor})" for title, anchor in zip(titles, anchors, strict=True))
        yield f"\nMore options: {', '.join(links)}."
    yield from _table("Port", ports_of(command))
    yield from _table("JSON", command.json.items())
    if command.see:
        yield f"\nSee also {command.see}."


def _table(head: str, rows: Iterable[Row], *, code: bool = True) -> list[str]:
    made = []
    for name, text in rows:
        shown = f"`{name}`" if code else name
        made.append("| " + " | ".join(c.replace("|", "\\|") for c in (shown, text)) + " |")
    return ["", f"| {head} | |", "| --- | --- |", *made] if made else []


# === docs/options.md

HEAD = """\
# Options of the filters

Written by `make generated` from the declarations in `separatrix.options`. A *keyword* is the name
of an option in Python, for filters and functions; the column *VTK* lists the method that sets it.
To show advanced properties in ParaView, click the gear icon next to the search field. A property
that depends on another one is shown if that one has the required value.
"""
COLUMNS = """\
| group | property | keyword | default | VTK | |
| --- | --- | --- | --- | --- | --- |
"""


def options_page() -> str:
    """Return the text of docs/options.md."""
    modules = separatrix_vtk.MODULE_OF.items()
    names = sorted(name for name, module in modules if module.startswith("filters."))
    filters: list[type[Filter]] = [getattr(separatrix_vtk, name) for name in names]
    sections = (
        f"\n## {owner.__name__}\n\n{COLUMNS}{rows(owner)}"
        for owner in filters
        if owner is not Filter
    )
    return HEAD + "".join(sections)


def rows(owner: type[Filter]) -> str:
    """Return one row per option of a filter, by group."""
    options = list(options_of(owner).values())
    groups = list(dict.fromkeys(one.group for one in options))
    lines, group = [], ""
    for one in sorted(options, key=lambda one: groups.index(one.group)):
        is_array = one is next((one for one in options if one.array_of), None)
        cells = (
            owner.GROUP_TITLES.get(one.group, one.group) if one.group != group else "",
            f"{one.title} (advanced)" if one.advanced else one.title,
            f"`{one.name}`",
            default(one),
            "`SetInputArrayToProcess`" if is_array else f"`Set{vtk_name(one.name)}`",
            one.help(in_panel(owner), in_panel=True).partition("\n")[0],
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
        group = one.group
    return "".join(lines)


def default(option: Option) -> str:
    """Return the default of an option as a panel shows it."""
    value = option.default
    if option.labels:
        return option.labels[option.to_number(value)]
    if option.kind is bool:
        return "on" if value else "off"
    if option.none_title or value in (None, (), ""):
        return option.none_title or (
            "" if option.none_number is None else f"{option.none_number:g} (automatic)"
        )
    if isinstance(value, tuple):
        return " ".join(f"{one:g}" for one in value)
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"
