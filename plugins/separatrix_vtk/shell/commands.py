"""The commands and options of `separatrix`, their help, and how their ends are told.

A user's error is one sentence on stderr and status 2; Ctrl-C is status 130; a traceback is a bug.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

import separatrix as sx
from separatrix_vtk.shell import what_to_install
from separatrix_vtk.shell.algorithms import CRITICAL_POINTS, DISCRETE_GRADIENT, MORSE_SMALE
from separatrix_vtk.shell.options import (
    Array,
    ByteOrder,
    Device,
    Dims,
    DType,
    Input,
    Json,
    MemoryLimit,
    Order,
    Origin,
    Quiet,
    Spacing,
    Threads,
    layout_of,
    output_argument,
    port_option,
    vector_of,
)
from separatrix_vtk.shell.read import read_volume
from separatrix_vtk.shell.run import (
    Algorithm,
    Execution,
    port_for,
    progress_bar,
    run,
    stopping_at_ctrl_c,
)
from separatrix_vtk.shell.summary import print_devices, print_json, print_summary
from separatrix_vtk.shell.write import check_writable

USER_ERROR, INTERRUPTED = 2, 130
EXAMPLES = """
Examples:

    separatrix morse-smale engine.vti engine.vtm

    separatrix morse-smale fuel.raw fuel.vtm --dims 64,64,64 --dtype uint8 --device cpu

    separatrix critical-points field.npy points.vtp --quiet

    separatrix devices
"""

app = typer.Typer(
    name="separatrix",
    help="Topology of scalar fields on images: Morse-Smale complexes, critical points, gradients."
    "\n\n" + EXAMPLES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command("morse-smale")
def morse_smale(
    input: Input,
    output: Annotated[Path | None, output_argument(".vtm (all), .vtp, .vti (segmentation)")] = None,
    port: Annotated[str | None, port_option(MORSE_SMALE)] = None,
    critical_points: Annotated[bool, typer.Option(help="Critical points.")] = True,
    separatrices: Annotated[bool, typer.Option(help="Lines between saddles and extrema.")] = True,
    surfaces: Annotated[bool, typer.Option(help="Surfaces from saddles (3D).")] = False,
    segmentation: Annotated[bool, typer.Option(help="A label a voxel.")] = True,
    top_cell_labels: Annotated[bool, typer.Option(help="Exact labels as cell data too.")] = False,
    array: Array = None,
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    dims: Dims = None,
    dtype: DType = None,
    byte_order: Order = ByteOrder.little,
    spacing: Spacing = None,
    origin: Origin = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Morse-Smale complex of a volume: critical points, separatrices, segmentation.

    Examples:

        separatrix morse-smale engine.vti engine.vtm --array density

        separatrix morse-smale fuel.raw lines.vtp -p separatrices-1 --dims 64,64,64 --dtype uint8

        separatrix morse-smale field.npy labels.vti --no-separatrices --device cuda
    """
    settings = {
        "compute_critical_points": critical_points,
        "compute_descending_separatrices_1": separatrices,
        "compute_ascending_separatrices_1": separatrices,
        "compute_descending_separatrices_2": surfaces,
        "compute_ascending_separatrices_2": surfaces,
        "compute_descending_segmentation": segmentation,
        "compute_ascending_segmentation": segmentation,
        "compute_final_segmentation": segmentation,
        "compute_top_cell_labels": top_cell_labels,
    }
    files = {"input": input, "output": output, "port": port, "array": array}
    layout = (dims, dtype, byte_order)
    execution = Execution(device, threads, memory_limit)
    _command(MORSE_SMALE, files, layout, spacing, origin, settings, execution, json, quiet)


@app.command("critical-points")
def critical_points(
    input: Input,
    output: Annotated[Path | None, output_argument(".vtp")] = None,
    array: Array = None,
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    dims: Dims = None,
    dtype: DType = None,
    byte_order: Order = ByteOrder.little,
    spacing: Spacing = None,
    origin: Origin = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Critical points of a volume: minima, saddles and maxima with their values.

    Example:

        separatrix critical-points terrain.vti points.vtp
    """
    files = {"input": input, "output": output, "port": None, "array": array}
    layout = (dims, dtype, byte_order)
    execution = Execution(device, threads, memory_limit)
    _command(CRITICAL_POINTS, files, layout, spacing, origin, {}, execution, json, quiet)


@app.command("discrete-gradient")
def discrete_gradient(
    input: Input,
    output: Annotated[Path | None, output_argument(".vtm (all), .vtp")] = None,
    port: Annotated[str | None, port_option(DISCRETE_GRADIENT)] = None,
    stride: Annotated[int, typer.Option(min=1, help="Only every n-th voxel along each axis.")] = 1,
    array: Array = None,
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    dims: Dims = None,
    dtype: DType = None,
    byte_order: Order = ByteOrder.little,
    spacing: Spacing = None,
    origin: Origin = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Discrete gradient of a volume: which cell is paired with which.

    Example:

        separatrix discrete-gradient terrain.vti arrows.vtp --port arrows --stride 4
    """
    files = {"input": input, "output": output, "port": port, "array": array}
    layout = (dims, dtype, byte_order)
    execution = Execution(device, threads, memory_limit)
    settings = {"stride": stride}
    _command(DISCRETE_GRADIENT, files, layout, spacing, origin, settings, execution, json, quiet)


@app.command("devices")
def devices(json: Json = False) -> None:
    """What can be used for computing, and why not what cannot."""
    reports = sx.devices(probe=True)
    if json:
        print_json({"devices": [vars(report) for report in reports]})
    else:
        print_devices(reports)


@app.callback(invoke_without_command=True)
def _top(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    plugin_path: Annotated[
        bool, typer.Option("--plugin-path", help="Print which file to load in ParaView.")
    ] = False,
) -> None:
    from separatrix_vtk import plugin_path as path_of_plugin

    if version:
        print(f"separatrix {sx.__version__}")
    if plugin_path:
        with plain_errors():
            print(path_of_plugin())
    if version or plugin_path:
        raise typer.Exit()


def run_command(arguments: list[str]) -> int:
    """Run `separatrix ARGUMENTS`; the exit status."""
    try:
        app(arguments, prog_name="separatrix")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    return 0


OTHER_ERRORS = (sx.DeviceUnavailable, sx.DeviceMemoryError, sx.KernelError, FileNotFoundError)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what a user can mend into a sentence and a status."""
    try:
        yield
    except (sx.Cancelled, KeyboardInterrupt):
        _end("stopped", INTERRUPTED)
    except ModuleNotFoundError as error:
        _end(what_to_install(error), USER_ERROR)
    except (ValueError, *OTHER_ERRORS) as error:
        # Every ValueError of ours is a sentence for the user: InputError, FilterError, FileProblem.
        if type(error) is ValueError:
            raise
        _end(str(error), USER_ERROR)
    except MemoryError as error:
        _end(f"out of memory: {error}", USER_ERROR)


def _end(sentence: str, status: int) -> None:
    print(f"separatrix: {sentence}", file=sys.stderr)
    raise typer.Exit(status)


def _command(
    algorithm: Algorithm,
    files: dict[str, Any],
    layout: tuple[str | None, str | None, ByteOrder],
    spacing: str | None,
    origin: str | None,
    settings: dict[str, Any],
    execution: Execution,
    json: bool,
    quiet: bool,
) -> None:
    with plain_errors():
        output = files["output"]
        port = port_for(algorithm, output, files["port"])
        if output is not None:
            check_writable(output, files["input"])
        volume = read_volume(
            files["input"],
            array=files["array"],
            layout=layout_of(*layout),
            spacing=vector_of("--spacing", spacing),
            origin=vector_of("--origin", origin),
        )
        with (
            progress_bar(sys.stderr.isatty() and not quiet) as bar,
            stopping_at_ctrl_c(bar) as progress,
        ):
            report = run(algorithm, volume, output, port, settings, execution, progress)
        summary = {
            "input": str(files["input"]),
            "output": None if output is None else str(output),
            **report,
        }
        if json:
            print_json(summary)
        elif not quiet:
            print_summary(summary)


# Where no colours are wanted, typer's own usage errors have none either.
if not sys.stderr.isatty():
    os.environ.setdefault("NO_COLOR", "1")
