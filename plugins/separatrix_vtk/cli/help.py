"""Help pages, derived from the commands.

The docstring of a command contains its summary, its description and its examples; its options come
from declarations.
"""

from __future__ import annotations

import inspect
import shutil
import textwrap
from collections.abc import Iterable

from separatrix.errors import as_in_python, spelled
from separatrix.options import Option
from separatrix_vtk.cli.command import (
    ABOUT,
    COMMANDS,
    LETTERS,
    Command,
    flag_of,
    is_flag,
    metavar_of,
)
from separatrix_vtk.cli.exit_codes import EXIT_CODES

WIDEST, LEFT = 96, 28
Row = tuple[str, str]
EXIT_CODE_ROWS = [(str(code), meaning) for code, meaning in EXIT_CODES.items()]
OF_SEPARATRIX: tuple[Row, ...] = (
    ("--version", "Print the version."),
    ("--plugin-path", "Print the plugin file to load in ParaView."),
    ("--install-completion", "Complete commands, options, and arrays with the Tab key."),
    ("--show-completion", "Print the completion script of the current shell."),
    ("--help", "Show this page; after a command, its help page."),
)


# === what a page contains


def text_of(command: Command) -> tuple[str, list[str], list[str]]:
    """The summary, the further paragraphs, and the examples of a command."""
    text, _, examples = inspect.cleandoc(command.function.__doc__ or "").partition("Examples:")
    summary, *about = (" ".join(part.split()) for part in text.strip().split("\n\n"))
    return summary, [*filter(None, about)], [*filter(None, map(str.strip, examples.splitlines()))]


def synopsis(command: Command) -> str:
    """The synopsis of a command."""
    words = ["separatrix", command.name]
    if command.input:
        name = command.input.name
        words.append(name if command.input.is_required else f"[{name}]")
    return " ".join([*words, *(["[OUTPUT]"] if command.output else []), "[OPTIONS]"])


def arguments_of(command: Command) -> list[Row]:
    """The arguments of a command."""
    rows = [(command.input.name, command.input.about)] if command.input else []
    return [*rows, ("OUTPUT", command.output)] if command.output else rows


def options_of_command(command: Command) -> dict[str, list[Row]]:
    """The options of a command by group."""
    groups: dict[str, list[Row]] = {}
    if command.ports:
        about = "Output port to write if the file contains a single dataset; see Ports."
        groups["Output"] = [("-p, --port NAME", about)]
    for option in command.options.values():
        groups.setdefault(option.group, []).append(row_of(option, command))
    for name, flag in command.flags.items():
        declared = command.declared(flag.options[0])
        default = "on" if declared.default else "off"
        row = (flag_of(name).replace("/", " / "), f"{flag.summary} [default: {default}]")
        groups.setdefault(declared.group, []).append(row)
    return groups


def row_of(option: Option, command: Command | None = None) -> Row:
    """The names of an option with what it takes, and its summary with the default."""
    names = flag_of(option)
    if is_flag(option):
        names = names.replace("/", " / ") if option.default else names.partition("/")[0]
    else:
        names = f"{names} {metavar_of(option)}"
    names = ", ".join(filter(None, (LETTERS.get(option.name, ""), names)))
    text = option.summary.replace("{unit}", option.scaled_unit or option.unit)
    text = spelled(text, command.spell if command else as_in_python)
    if option.choices and metavar_of(option) == "NAME":
        text += f" One of {', '.join(option.words)}."
    return names, text + _default(option)


def _default(option: Option) -> str:
    value = option.default
    if value in (None, "", ()) or (is_flag(option) and not value):
        return ""
    if is_flag(option):
        return " [default: on]"
    if option.choices:
        value = dict(zip(option.choices, option.words, strict=True)).get(value, value)
    return f" [default: {value:g}]" if isinstance(value, float) else f" [default: {value}]"


def ports_of(command: Command) -> list[Row]:
    """The ports of a command with the files that contain one of them."""
    return [
        (name, f"{port.about} ({', '.join(port.suffixes)})") for name, port in command.ports.items()
    ]


# === for a terminal


def page_of(name: str) -> str:
    """The help page of a command as text."""
    command, width = COMMANDS[name], _width()
    summary, about, examples = text_of(command)
    parts = [_paragraph(f"Usage: {synopsis(command)}", width), _paragraph(summary, width, 2)]
    parts += [_paragraph(paragraph, width, 2) for paragraph in about]
    parts += _section("Examples", [f"  {line}" for line in examples])
    parts += _section("Arguments", _rows(arguments_of(command), width))
    for title, rows in options_of_command(command).items():
        parts += _section(title, _rows(rows, width))
    parts += _section("Ports", _rows(ports_of(command), width))
    parts += _section("JSON", _rows(command.json.items(), width))
    parts += _section("Exit codes", _rows(EXIT_CODE_ROWS, width))
    parts += _section("See also", [f"  {command.see}"] if command.see else [])
    return "\n".join(parts)


def page_of_all() -> str:
    """All commands, one line each."""
    width = _width()
    texts = {name: text_of(command) for name, command in COMMANDS.items()}
    parts = [_paragraph("Usage: separatrix COMMAND INPUT [OUTPUT] [OPTIONS]", width)]
    parts += [_paragraph(ABOUT, width, 2)]
    parts += _section("Commands", _rows(((n, text[0]) for n, text in texts.items()), width))
    parts += _section("Examples", [f"  {text[2][0]}" for text in texts.values() if text[2]])
    parts += _section("Options", _rows(OF_SEPARATRIX, width))
    parts += _section("Exit codes", _rows(EXIT_CODE_ROWS, width))
    parts += _section("See also", ["  separatrix COMMAND --help, docs/shell.md"])
    return "\n".join(parts)


def _width() -> int:
    return min(WIDEST, shutil.get_terminal_size((80, 24)).columns)


def _paragraph(text: str, width: int, indent: int = 0) -> str:
    margin = " " * indent
    return textwrap.fill(text, width, initial_indent=margin, subsequent_indent=margin) + "\n"


def _section(title: str, lines: list[str]) -> list[str]:
    return [f"{title}:", *lines, ""] if lines else []


def _rows(rows: Iterable[Row], width: int) -> list[str]:
    """Names and meanings side by side, or below each other where a name is long."""
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
