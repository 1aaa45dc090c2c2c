"""The `separatrix` command: the Typer application, and how a line of arguments is run."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated

import typer

from separatrix_vtk.base.signals import signals_handled
from separatrix_vtk.cli.command import COMMANDS
from separatrix_vtk.cli.exit_codes import (
    BUG,
    READER_GONE,
    USER_ERROR,
    Ended,
    errors_as_endings,
)
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.cli.usage import (
    UsageError,
    check_command,
    check_percent,
    message_of,
    with_help_first,
)

MODULES = (
    "morse_smale", "persistence_diagram", "critical_points", "discrete_gradient", "relations",
    "density", "neighbors", "rips", "alpha", "devices", "paraview_setup", "cite", "help",
)  # fmt: skip
app = typer.Typer(
    name="separatrix",
    help="Topology of scalar fields on images and meshes (Morse-Smale complexes, persistence, "
    "critical points), relations of meshes, densities of points, alpha complexes of molecules, and "
    "barcodes of points and distances.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in MODULES:
    importlib.import_module(f"separatrix_vtk.cli.commands.{module}")
for name, one in COMMANDS.items():
    app.command(name)(one.typer_function)


@app.callback(invoke_without_command=True)
def _top(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    plugin_path: Annotated[
        bool, typer.Option("--plugin-path", help="Print the plugin file to load in ParaView.")
    ] = False,
) -> None:
    with errors_as_endings():
        if version:
            import separatrix as sx

            print(f"separatrix {sx.__version__}")
        if plugin_path:
            from separatrix_vtk import plugin_path as path_of_plugin

            print(path_of_plugin())
    if version or plugin_path:
        raise typer.Exit()


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
        if code <= BUG:  # else the reason of the failure is already printed
            with _ending() as end:
                raise error
            code = end[0]
    return code


def _run(arguments: list[str]) -> int:
    with _ending() as end, signals_handled():
        if "_SEPARATRIX_COMPLETE" in os.environ:
            app(arguments, prog_name="separatrix")
        arguments = with_help_first(arguments)
        if not arguments[0].startswith("-"):
            check_command(arguments[0], list(COMMANDS))
        check_percent(arguments)
        try:
            returned = app(with_lists(arguments), prog_name="separatrix", standalone_mode=False)
        except UsageError as error:
            raise Ended(message_of(error, arguments[0]), USER_ERROR) from None
        end[0] = returned if isinstance(returned, int) else 0
    return end[0]


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


def is_number(text: str) -> bool:
    """Whether a text denotes a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


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
        told = " ".join(f"{type(error).__name__}: {error}".split())
        code[0] = BUG
        reporter.error(f"This is a bug in Separatrix; please report the lines above ({told}).", BUG)
