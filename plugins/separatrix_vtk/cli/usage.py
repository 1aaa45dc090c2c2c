"""Messages about arguments that do not fit, which do not depend on the version of Typer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

from separatrix_vtk.cli.exit_codes import USER_ERROR, Ended

OTHER_NAMES = {
    "segmentation": "morse-smale", "separatrices": "morse-smale", "ms": "morse-smale",
    "diagram": "persistence-diagram", "persistence": "persistence-diagram",
    "gradient": "discrete-gradient", "ripser": "rips", "barcode": "rips", "barcodes": "rips",
    "neighbours": "neighbors", "mesh": "relations", "molecule": "alpha", "gpu": "devices",
}  # fmt: skip


def with_help_first(arguments: Sequence[str]) -> list[str]:
    """`COMMAND --help` as `help COMMAND`, and no arguments as `help`."""
    if not arguments:
        return ["help"]
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if not {"--help", "-h"} & set(options):
        return list(arguments)
    command = next((argument for argument in arguments if not argument.startswith("-")), None)
    return ["help"] if command is None else ["help", command]


def check_command(command: str, names: Sequence[str]) -> None:
    """Raise Ended if a command does not exist, and suggest the one that may be meant."""
    if command in names:
        return
    close = OTHER_NAMES.get(command.lower()) or _closest(command.lower(), names)
    remedy = f"Did you mean {close}?" if close else f"Commands: {', '.join(names)}."
    raise Ended(f"There is no command {command!r}. {remedy}", USER_ERROR)


def check_percent(arguments: Sequence[str]) -> None:
    """Raise Ended if an argument is a single percent sign."""
    if "%" in arguments[1:]:
        number = arguments[arguments.index("%", 1) - 1]
        raise Ended(f"Write {number}% without a space; got {number} %.", USER_ERROR)


def message_of(error: Any, command: str) -> str:
    """The message of a usage error: an unknown option, or a missing or superfluous argument."""
    text = " ".join(str(getattr(error, "message", error)).split()).rstrip(".")
    parameter, context = getattr(error, "param", None), getattr(error, "ctx", None)
    shown = "separatrix" if command.startswith("-") else f"separatrix {command}"
    see = f"See {shown} --help."
    option = getattr(error, "option_name", None) or ""
    if "no such option" in text.lower():
        known = [] if context is None else _options_of(context.command)
        close = _closest(option, known) if option.startswith("--") else ""
        remedy = f"Did you mean {close}?" if close else f"{shown} --help lists all options."
        return f"There is no option {option}. {remedy}"
    if option and "argument" in text and "require" in text:
        return f"{option} requires a value. {see}"
    if found := re.search(r"'?(-[-\w]+)'? (?:option )?does not take a value", text):
        return f"{found[1]} does not take a value. {see}"
    if "does not take a value" in text:
        return f"{option} does not take a value. {see}"
    if parameter is not None and type(error).__name__ == "MissingParameter":
        return f"{parameter.metavar or parameter.name.upper()} is missing. {see}"
    if found := re.search(r"unexpected extra argument\S* \((.*)\)", text):
        return f"Unexpected argument {(found[1].split() or [''])[0]!r}. {see}"
    return f"{text}. {see}"


def _closest(word: str, words: Iterable[str]) -> str:
    return next(iter(get_close_matches(word, list(words), n=1, cutoff=0.55)), "")


def _options_of(command: Any) -> list[str]:
    """The long names of all options of a command."""
    names = [name for p in command.params for name in (*p.opts, *p.secondary_opts)]
    return ["--help", *(name for name in names if name.startswith("--"))]
