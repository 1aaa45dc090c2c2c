"""Run a line of arguments. Typer is imported only if it is needed, because that is slow."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from separatrix_vtk.base.signals import signals_handled
from separatrix_vtk.cli.command import check_command
from separatrix_vtk.cli.commands import COMMANDS
from separatrix_vtk.cli.exit_codes import (
    BUG,
    READER_GONE,
    USER_ERROR,
    Ended,
    errors_as_endings,
)
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.io.numbers import is_number

ABOUT_ITSELF = {"--version", "--plugin-path"}


def run_command(arguments: list[str]) -> int:
    """Run `separatrix ARGUMENTS`; the exit code (see exit_codes.EXIT_CODES)."""
    reporter.begin(arguments)
    code = BUG
    with suppress(AttributeError, ValueError):  # names of files may not be valid text
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except OSError as error:
        # The rest of the buffer cannot be written: Python's own last flush must not try again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if code <= BUG:  # otherwise the reason is already printed
            with _ending() as end:
                raise error
            code = end[0]
    return code


def _run(arguments: list[str]) -> int:
    with _ending() as end, signals_handled():
        if "_SEPARATRIX_COMPLETE" in os.environ:
            from separatrix_vtk.cli.parser import app

            app(arguments, prog_name="separatrix")
        arguments = with_help_first(arguments)
        if ABOUT_ITSELF.issuperset(arguments):
            print_about_itself(arguments)
        elif arguments[0] == "help" and not any(word.startswith("-") for word in arguments[1:]):
            COMMANDS["help"].run({"input": next(map(Path, arguments[1:]), None)})
        else:
            end[0] = _parse_and_run(arguments)
    return end[0]


def print_about_itself(options: list[str]) -> None:
    """Print the version or the path of the plugin file."""
    import separatrix_vtk

    try:
        for option in dict.fromkeys(options):
            is_version = option == "--version"
            version = f"separatrix {separatrix_vtk.__version__}"
            print(version if is_version else separatrix_vtk.plugin_path())
    except FileNotFoundError as error:
        raise Ended(str(error), USER_ERROR) from None


def _parse_and_run(arguments: list[str]) -> int:
    from separatrix_vtk.cli.parser import UsageError, app

    is_command = not arguments[0].startswith("-")
    if is_command:
        check_command(arguments[0])
    if "%" in arguments[1:]:
        number = arguments[arguments.index("%", 1) - 1]
        raise Ended(f"Write {number}% without a space; got {number} %.", USER_ERROR)
    try:
        returned = app(with_lists(arguments), prog_name="separatrix", standalone_mode=False)
    except UsageError as error:  # an unknown option, or a missing or superfluous argument
        message: str = error.format_message()  # type: ignore[attr-defined]
        text = " ".join(message.split()).replace(" Did you mean", ". Did you mean")
        shown = f"separatrix {arguments[0]}" if is_command else "separatrix"
        end = "" if text.endswith("?") else "."
        raise Ended(f"{text.rstrip('.')}{end} See {shown} --help.", USER_ERROR) from None
    return returned if isinstance(returned, int) else 0


def with_help_first(arguments: Sequence[str]) -> list[str]:
    """`COMMAND --help` as `help COMMAND`, and no arguments as `help`."""
    if not arguments:
        return ["help"]
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if not {"--help", "-h"} & set(options):
        return list(arguments)
    command = next((argument for argument in arguments if not argument.startswith("-")), None)
    return ["help"] if command is None else ["help", command]


def with_lists(arguments: list[str]) -> list[str]:
    """The arguments with the numbers after --alpha in one: `--alpha 0 1.4` is `--alpha=0,1.4`."""
    joined: list[str] = []
    is_open = False
    for argument in arguments:
        if is_open and is_number(argument):
            is_first = not joined[-1].startswith("--alpha=")
            joined[-1] = f"--alpha={argument}" if is_first else f"{joined[-1]},{argument}"
            continue
        is_open = arguments[0] == "alpha" and argument == "--alpha"
        joined.append(argument)
    return joined


@contextmanager
def _ending() -> Iterator[list[int]]:
    """Print how the work ended; the list contains its exit code afterwards."""
    code = [0]
    try:
        with errors_as_endings():
            yield code
    except Ended as ended:
        code[0] = ended.code
        if ended.code != READER_GONE:
            reporter.error(ended.message, ended.code)
    except Exception as error:
        with suppress(OSError):
            traceback.print_exc()
        text = " ".join(f"{type(error).__name__}: {error}".split())
        code[0] = BUG
        reporter.error(f"This is a bug in Separatrix; please report the lines above ({text}).", BUG)
