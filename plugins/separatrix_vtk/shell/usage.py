"""Arguments that do not fit, in one sentence of ours whatever version of typer reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import typer

from separatrix_vtk.shell.option_texts import WrongOption, main_name, meant

UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # of click, or of typer's own copy
OTHER_NAMES = {
    "segmentation": "morse-smale", "separatrices": "morse-smale", "ms": "morse-smale",
    "diagram": "persistence-diagram", "persistence": "persistence-diagram",
    "gradient": "discrete-gradient", "ripser": "rips", "barcode": "rips", "barcodes": "rips",
    "neighbors": "neighbors", "mesh": "relations", "molecule": "alpha", "gpu": "devices",
}  # fmt: skip


def with_help_first(arguments: Sequence[str]) -> list[str]:
    """`COMMAND --help` as `help COMMAND`, and nothing at all as `help`."""
    if not arguments:
        return ["help"]
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if not {"--help", "-h"} & set(options):
        return list(arguments)
    command = next((argument for argument in arguments if not argument.startswith("-")), None)
    return ["help"] if command is None else ["help", command]


def check_command(command: str, names: Sequence[str]) -> None:
    """Complain about a command that there is not, with the one that may be meant."""
    if command in names:
        return
    told = f"there is no command {command!r}"
    other = OTHER_NAMES.get(command.lower())
    hint = f"; did you mean {other}?" if other else meant(command.lower(), names)
    raise WrongOption(told + (hint or f"; there are {', '.join(names)}"))


def sentence_of(error: Any, command: str) -> str:
    """What a usage error of a command says: no such option, a value missing or too many."""
    text = " ".join(str(getattr(error, "message", error)).split()).rstrip(".")
    parameter, context = getattr(error, "param", None), getattr(error, "ctx", None)
    of_command = "separatrix" if command.startswith("-") else f"separatrix {command}"
    see = f"(see {of_command} --help)"
    option = getattr(error, "option_name", None) or ""
    if "no such option" in text.lower():
        known = {} if context is None else _options_of(context.command)
        known = known if option.startswith("--") else {}
        close = get_close_matches(option, known, n=1, cutoff=0.5)
        hint = f"did you mean {known[close[0]]}?" if close else f"{of_command} --help lists all"
        return f"there is no option {option}; {hint}"
    if option and "argument" in text and "require" in text:
        return f"{option} needs a value {see}"
    if found := re.search(r"'?(-[-\w]+)'? (?:option )?does not take a value", text):
        return f"{found[1]} takes no value {see}"
    if "does not take a value" in text:
        return f"{option} takes no value {see}"
    if parameter is not None and type(error).__name__ == "MissingParameter":
        return f"{parameter.metavar or parameter.name.upper()} is missing {see}"
    if found := re.search(r"unexpected extra argument\S* \((.*)\)", text):
        return f"{(found[1].split() or [''])[0]!r} is one argument too many {see}"
    if parameter is not None:
        name = main_name(parameter.opts) if parameter.opts else parameter.name
        return f"{name}: {text} {see}"
    return f"{text} {see}"


def _options_of(command: Any) -> dict[str, str]:
    """Every name of every option of a command, and the one to say for it."""
    known = {"--help": "--help"}
    for parameter in command.params:
        known |= dict.fromkeys(parameter.opts, main_name(parameter.opts))
        known |= {name: name for name in parameter.secondary_opts}
    return known
