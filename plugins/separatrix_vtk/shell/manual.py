"""Pages of the manual, for a terminal and as docs/shell.md, made from the commands themselves.

    python -m separatrix_vtk.shell.manual > docs/shell.md

A command's docstring gives its first line, its description and its examples; options tell
themselves; ports, keys of JSON and pages to read stand in its module.
"""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import typer

from separatrix_vtk.shell.ends import EXIT_CODES
from separatrix_vtk.shell.grouping import Manual

WIDEST, LEFT = 96, 28
OWN, REQUIRED = "Options", "required"
OF_TYPER = {  # its own words differ from version to version
    "--install-completion": "Have the Tab key complete commands, options and arrays from now on.",
    "--show-completion": "Print the script that does it, for the shell in use.",
    "--help": "Show this page; behind a command that of the command.",
}


@dataclass(frozen=True)
class Option:
    """An option or argument: its names, what it takes, its help, its default."""

    names: str
    takes: str
    help: str
    default: str

    @property
    def told(self) -> str:
        """The help with the default."""
        return self.help + (f" [{self.default}]" if self.default else "")


@dataclass(frozen=True)
class Page:
    """What there is to say of a command."""

    name: str
    summary: str
    about: list[str]
    examples: list[str]
    arguments: list[Option]
    options: dict[str, list[Option]]
    manual: Manual

    @property
    def synopsis(self) -> str:
        """How it is called."""
        words = [a.names if a.takes == REQUIRED else f"[{a.names}]" for a in self.arguments]
        return " ".join(["separatrix", self.name, *words, "[OPTIONS]"])


# === the commands


@cache
def _group() -> Any:
    from separatrix_vtk.shell.commands import app

    return typer.main.get_command(app)


def names_of_commands() -> list[str]:
    """All commands, in their order."""
    return list(_group().commands)


@cache
def read_page(name: str) -> Page:
    """The page of a command, from its docstring, its parameters and its module."""
    from separatrix_vtk.shell.commands import app

    command = _group().commands[name]
    function = next(info.callback for info in app.registered_commands if info.name == name)
    text, _, examples = inspect.cleandoc(function.__doc__ or "").partition("Examples:")
    summary, *about = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    options: dict[str, list[Option]] = {}
    arguments = []
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            arguments.append(_argument(parameter))
        elif "--help" not in parameter.opts:
            options.setdefault(parameter.rich_help_panel or OWN, []).append(_option(parameter))
    own = options.pop(OWN, [])
    return Page(
        name=name,
        summary=summary,
        about=[paragraph for paragraph in about if paragraph],
        examples=[line.strip() for line in examples.splitlines() if line.strip()],
        arguments=arguments,
        options={**({OWN: own} if own else {}), **options},
        manual=getattr(function, "manual", Manual()),
    )


def _argument(parameter: Any) -> Option:
    name = parameter.metavar or parameter.name.upper()
    return Option(name, REQUIRED if parameter.required else "", parameter.help or "", "")


def _option(parameter: Any) -> Option:
    letter_first = sorted(parameter.opts, key=lambda name: name.startswith("--"))
    names = " / ".join([", ".join(letter_first), *parameter.secondary_opts])
    takes = "" if parameter.is_flag else (parameter.metavar or "TEXT")
    return Option(names, takes, parameter.help or "", _default(parameter))


def _default(parameter: Any) -> str:
    """What happens without the option, where its help does not say."""
    value = parameter.default
    says = re.search(r"[Dd]efault|; 0: |; 0 ", parameter.help or "")
    if callable(value) or value in (None, "") or says:
        return ""
    if isinstance(value, bool):
        return "default: on" if value else ""
    return f"default: {value:g}" if isinstance(value, float) else f"default: {value}"


# === for a terminal


def page_of(name: str) -> str:
    """The page of a command as text."""
    page, width = read_page(name), min(WIDEST, shutil.get_terminal_size((80, 24)).columns)
    parts = [_paragraph(f"Usage: {page.synopsis}", width), _paragraph(page.summary, width, 2)]
    parts += [_paragraph(paragraph, width, 2) for paragraph in page.about]
    parts += _section("Examples", [f"  {line}" for line in page.examples])
    parts += _section("Arguments", _rows(((a.names, a.told) for a in page.arguments), width))
    for title, options in page.options.items():
        shown = ((f"{o.names} {o.takes}".strip(), o.told) for o in options)
        parts += _section(title, _rows(shown, width))
    parts += _section("Ports (--port)", _rows(page.manual.ports.items(), width))
    parts += _section("JSON (--json)", _rows(page.manual.json.items(), width))
    parts += _section("Exit status", _rows(_codes(), width))
    if page.manual.see:
        parts += _section("See also", [f"  {page.manual.see}"])
    return "\n".join(parts)


def page_of_all() -> str:
    """All commands in a line each."""
    width = min(WIDEST, shutil.get_terminal_size((80, 24)).columns)
    pages = [read_page(name) for name in names_of_commands()]
    parts = [_paragraph("Usage: separatrix COMMAND INPUT [OUTPUT] [OPTIONS]", width)]
    parts += [_paragraph(_group().help, width, 2)]
    parts += _section("Commands", _rows(((p.name, p.summary) for p in pages), width))
    parts += _section("Examples", [f"  {p.examples[0]}" for p in pages if p.examples])
    shown = ((" ".join(o.names.split()), o.told) for o in options_of_all())
    parts += _section("Options", _rows(shown, width))
    parts += _section("Exit status", _rows(_codes(), width))
    parts += _section("See also", ["  separatrix COMMAND --help, docs/shell.md"])
    return "\n".join(parts)


def options_of_all() -> list[Option]:
    """The options of `separatrix` itself."""
    own = [_option(p) for p in _group().params if not OF_TYPER.keys() & set(p.opts)]
    return [*own, *(Option(name, "", text, "") for name, text in OF_TYPER.items())]


def _codes() -> Iterator[tuple[str, str]]:
    return ((str(code), meaning) for code, meaning in EXIT_CODES.items())


def _paragraph(text: str, width: int, indent: int = 0) -> str:
    room = " " * indent
    return textwrap.fill(text, width, initial_indent=room, subsequent_indent=room) + "\n"


def _section(title: str, lines: list[str]) -> list[str]:
    return [f"{title}:", *lines, ""] if lines else []


def _rows(rows: Iterable[tuple[str, str]], width: int) -> list[str]:
    """Names and meanings side by side, or under each other where a name is long."""
    rows = list(rows)
    left = min(LEFT, max((len(name) for name, _ in rows), default=0) + 4)
    lines: list[str] = []
    for name, meaning in rows:
        text = textwrap.wrap(meaning, max(width - left, 30), break_on_hyphens=False) or [""]
        head = f"  {name}"
        if len(head) + 2 > left:
            lines.append(head)
            head = ""
        lines.append(f"{head:<{left}}{text[0]}".rstrip())
        lines += [" " * left + line for line in text[1:]]
    return lines


# === for the docs

INTRODUCTION = """<!-- Made by `python -m separatrix_vtk.shell.manual > docs/shell.md` -->
# The shell

`separatrix COMMAND INPUT [OUTPUT] [OPTIONS]`: a command a capability. Without OUTPUT the summary is
printed and nothing is written. `separatrix help COMMAND` shows what stands here.

- An output is written under another name and renamed when it is whole.
- On a terminal a bar shows the progress. Ctrl-C stops the work; a second one does not wait for it.
- `--quiet` leaves errors alone; messages and warnings go to stderr.
- `--json` prints one object on stdout and nothing else. Of a command that failed it is
  `{"error": "the sentence", "exit_code": 2}`, and the sentence is on stderr as well. Numbers that
  are not finite are null.
- `separatrix --install-completion` lets the Tab key complete commands, options, choices and the
  arrays of INPUT, in bash, zsh and fish; `--show-completion` prints the script.
"""


def markdown() -> str:
    """docs/shell.md."""
    pages = [read_page(name) for name in names_of_commands()]
    lines = [INTRODUCTION.rstrip(), *_table("Command", ((_link(p.name), p.summary) for p in pages))]
    shared = _shared(pages)
    lines += ["", "## Exit status", *_table("Status", _codes())]
    lines += ["", "## Options of `separatrix` itself", *_option_table(options_of_all())]
    for title, options in shared.items():
        lines += ["", f"## {title}", "In every command that has them.", *_option_table(options)]
    for page in pages:
        lines += ["", *_markdown_of(page, shared)]
    return "\n".join(lines) + "\n"


def _markdown_of(page: Page, shared: dict[str, list[Option]]) -> Iterator[str]:
    yield f"## {page.name}"
    yield page.summary
    for paragraph in page.about:
        yield f"\n{paragraph}"
    yield "\n<!-- not run: tests/shell/test_options.py does, on files that it makes -->"
    yield "```"
    yield f"{page.synopsis}\n"
    yield from page.examples
    yield "```"
    yield from _table("Argument", ((f"`{a.names}`", a.told) for a in page.arguments))
    own = [o for options in page.options.values() for o in options]
    yield from _option_table([o for o in own if not any(o in group for group in shared.values())])
    titles = [f"[{title}](#{_anchor(title)})" for title in shared if title in page.options]
    if titles:
        yield f"\nMore options: {', '.join(titles)}."
    yield from _table("Port", ((f"`{name}`", told) for name, told in page.manual.ports.items()))
    yield from _table("JSON", ((f"`{name}`", told) for name, told in page.manual.json.items()))
    if page.manual.see:
        yield f"\nSee also {page.manual.see}."


def _shared(pages: list[Page]) -> dict[str, list[Option]]:
    """Options of groups, by the title of the group."""
    shared: dict[str, list[Option]] = {}
    for page in pages:
        for title, options in page.options.items():
            if title != OWN:
                known = shared.setdefault(title, [])
                known += [option for option in options if option not in known]
    return shared


def _option_table(options: list[Option]) -> list[str]:
    rows = [(f"`{o.names}`" + (f" `{o.takes}`" if o.takes else ""), o.told) for o in options]
    return _table("Option", rows)


def _table(head: str, rows: Iterable[tuple[str, str]]) -> list[str]:
    cells = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    made = [f"| {name} | {told} |" for name, told in cells]
    return ["", f"| {head} | |", "| --- | --- |", *made] if made else []


def _link(name: str) -> str:
    return f"[{name}](#{name})"


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


if __name__ == "__main__":
    print(markdown(), end="")
