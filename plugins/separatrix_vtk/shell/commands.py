"""The `separatrix` command: which commands there are, and how a line of arguments is run."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Annotated

import typer

from separatrix_vtk.base.signals import signals_handled
from separatrix_vtk.cite.command import cite
from separatrix_vtk.setup.command import paraview_setup
from separatrix_vtk.shell.capabilities.alpha import alpha, with_lists
from separatrix_vtk.shell.capabilities.critical_points import critical_points
from separatrix_vtk.shell.capabilities.density import density
from separatrix_vtk.shell.capabilities.devices import devices
from separatrix_vtk.shell.capabilities.discrete_gradient import discrete_gradient
from separatrix_vtk.shell.capabilities.help import help_of_commands
from separatrix_vtk.shell.capabilities.morse_smale import morse_smale
from separatrix_vtk.shell.capabilities.neighbors import neighbors
from separatrix_vtk.shell.capabilities.persistence_diagram import persistence_diagram
from separatrix_vtk.shell.capabilities.relations import relations
from separatrix_vtk.shell.capabilities.rips import rips
from separatrix_vtk.shell.ends import (
    FAULT,
    READER_GONE,
    USER_ERROR,
    Ended,
    plain_errors,
    voice,
    warnings_told,
)
from separatrix_vtk.shell.options import check_percent
from separatrix_vtk.shell.usage import UsageError, check_command, sentence_of, with_help_first

app = typer.Typer(
    name="separatrix",
    help="Topology of scalar fields on images and meshes: Morse-Smale complexes, persistence, "
    "critical points; relations of meshes; densities of points, to have such fields; alpha "
    "complexes of molecules; barcodes of points and distances.",
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("morse-smale")(morse_smale)
app.command("persistence-diagram")(persistence_diagram)
app.command("critical-points")(critical_points)
app.command("discrete-gradient")(discrete_gradient)
app.command("relations")(relations)
app.command("density")(density)
app.command("neighbors")(neighbors)
app.command("rips")(rips)
app.command("alpha")(alpha)
app.command("devices")(devices)
app.command("paraview-setup")(paraview_setup)
app.command("cite")(cite)
app.command("help")(help_of_commands)


@app.callback(invoke_without_command=True)
def _top(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    plugin_path: Annotated[
        bool, typer.Option("--plugin-path", help="Print which file to load in ParaView.")
    ] = False,
) -> None:
    with plain_errors():
        if version:
            import separatrix as sx

            print(f"separatrix {sx.__version__}")
        if plugin_path:
            from separatrix_vtk import plugin_path as path_of_plugin

            print(path_of_plugin())
    if version or plugin_path:
        raise typer.Exit()


def run_command(arguments: list[str]) -> int:
    """Run `separatrix ARGUMENTS`; the exit status (see ends.EXIT_CODES)."""
    voice.begin(arguments)
    status = FAULT
    with suppress(AttributeError, ValueError):  # names of files may be no text
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer cannot be written: let Python's own last flush forget it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if status <= FAULT:  # else it was told already why the command failed
            with _ending() as end:
                raise error
            status = end[0]
    return status


def _run(arguments: list[str]) -> int:
    with _ending() as end, signals_handled(), warnings_told():
        if "_SEPARATRIX_COMPLETE" in os.environ:
            app(arguments, prog_name="separatrix")
        arguments = with_help_first(arguments)
        if not arguments[0].startswith("-"):
            check_command(arguments[0], [str(info.name) for info in app.registered_commands])
        check_percent(arguments)
        if arguments[0] == "help" and len(arguments) <= 2 and "-" not in arguments[-1][:1]:
            help_of_commands(command=(*arguments, None)[1], json=False, quiet=False)
            return 0  # without typer's reading of arguments, which loads a lot
        try:
            returned = app(with_lists(arguments), prog_name="separatrix", standalone_mode=False)
        except UsageError as error:
            raise Ended(sentence_of(error, arguments[0]), USER_ERROR) from None
        end[0] = returned if isinstance(returned, int) else 0
    return end[0]


@contextmanager
def _ending() -> Iterator[list[int]]:
    """Say how what is done here ended; the list has its status afterwards."""
    status = [0]
    try:
        with plain_errors():
            yield status
    except Ended as ended:
        status[0] = ended.status
        if ended.status != READER_GONE:
            voice.error(ended.sentence, ended.status)
    except Exception as error:
        with suppress(OSError):
            traceback.print_exc()
        told = " ".join(f"{type(error).__name__}: {error}".split())
        status[0] = FAULT
        voice.error(f"a fault of Separatrix itself, please report the lines above ({told})", FAULT)
