"""The commands and options of `separatrix`, and their help."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

import separatrix as sx
from separatrix_vtk.shell.algorithms import (
    CRITICAL_POINTS,
    DISCRETE_GRADIENT,
    MORSE_SMALE,
    PERSISTENCE_DIAGRAM,
)
from separatrix_vtk.shell.alpha_command import alpha, with_lists
from separatrix_vtk.shell.ends import USER_ERROR, plain_errors, reason_of
from separatrix_vtk.shell.mesh_commands import relations
from separatrix_vtk.shell.options import (
    Array,
    ByteOrder,
    Device,
    Dims,
    DType,
    Duplicates,
    Input,
    Json,
    MemoryLimit,
    Method,
    OnDuplicates,
    Order,
    Ordering,
    Origin,
    Quiet,
    RegionsOf,
    Spacing,
    Tetrahedralize,
    Threads,
    Ties,
    check_percent,
    dimensions_of,
    mesh_settings,
    output_argument,
    port_option,
    threshold_of,
)
from separatrix_vtk.shell.point_commands import density, neighbors
from separatrix_vtk.shell.read import FileProblem
from separatrix_vtk.shell.rips_command import rips
from separatrix_vtk.shell.run import Execution
from separatrix_vtk.shell.summary import print_devices, print_json
from separatrix_vtk.shell.volume_command import command

EXAMPLES = """
Examples:

    separatrix morse-smale engine.vti engine.vtm

    separatrix morse-smale fuel.raw fuel.vtm --dims 64,64,64 --dtype uint8 --device cpu

    separatrix morse-smale engine.vti engine.vtm --persistence 5%

    separatrix persistence-diagram engine.vti diagram.vtu

    separatrix critical-points field.npy points.vtp --quiet

    separatrix relations mesh.vtu relations.npz --relation VV,FT

    separatrix density molecule.pdb density.vti --sigma 1.2 --spacing 0.5

    separatrix rips points.csv bars.csv --dim 2

    separatrix alpha molecule.pdb --alpha 0 1.4 --probe 1.4 --measures

    separatrix devices
"""

app = typer.Typer(
    name="separatrix",
    help="Topology of scalar fields on images and meshes: Morse-Smale complexes, persistence, "
    "critical points; relations of meshes; densities of points, to have such fields; alpha "
    "complexes of molecules; barcodes of points and distances."
    "\n\n" + EXAMPLES,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.command("morse-smale")
def morse_smale(
    input: Input,
    output: Annotated[
        Path | None, output_argument(".vtm (all), .vtp, .vti or .vtu (segmentation), .csv")
    ] = None,
    port: Annotated[str | None, port_option(MORSE_SMALE)] = None,
    persistence: Annotated[
        str,
        typer.Option(metavar="T", help="Cancel pairs of less persistence: T, or T% of the range."),
    ] = "0",
    relative: Annotated[
        bool, typer.Option("--relative", help="--persistence is a fraction of the range, 0 to 1.")
    ] = False,
    critical_points: Annotated[bool, typer.Option(help="Critical points.")] = True,
    pairs: Annotated[bool, typer.Option(help="Persistence of each critical point.")] = True,
    separatrices: Annotated[bool, typer.Option(help="Lines between saddles and extrema.")] = True,
    connectors: Annotated[
        bool | None, typer.Option(help="Lines between saddles (3D); as --separatrices by default.")
    ] = None,
    smooth: Annotated[
        int, typer.Option(min=0, max=1000, metavar="N", help="Rounds of smoothing lines.")
    ] = 0,
    surfaces: Annotated[
        bool | None, typer.Option(help="Surfaces from saddles (3D), off by default.")
    ] = None,
    segmentation: Annotated[bool, typer.Option(help="A label a voxel.")] = True,
    top_cell_labels: Annotated[
        bool, typer.Option("--top-cell-labels", help="Exact labels as cell data too.")
    ] = False,
    simplified_field: Annotated[
        bool, typer.Option("--simplified-field", help="The field without the cancelled extrema.")
    ] = False,
    graph: Annotated[bool, typer.Option(help="Straight lines for arcs.")] = True,
    regions: Annotated[
        RegionsOf | None, typer.Option(help="A table of the regions of this segmentation.")
    ] = None,
    order: Ties = Ordering.by_index,
    array: Array = None,
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    dims: Dims = None,
    dtype: DType = None,
    byte_order: Order = ByteOrder.little,
    spacing: Spacing = None,
    origin: Origin = None,
    tetrahedralize: Tetrahedralize = False,
    on_duplicates: OnDuplicates = Duplicates.error,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Morse-Smale complex of a volume or mesh: critical points, separatrices, segmentation, graph.

    Examples:

        separatrix morse-smale engine.vti engine.vtm --array density --persistence 5%

        separatrix morse-smale fuel.raw lines.vtp -p separatrices-1 --dims 64,64,64 --dtype uint8

        separatrix morse-smale field.npy labels.vti --no-separatrices --device cuda
    """
    with plain_errors():
        settings = {
            **threshold_of(persistence, relative),
            "order": order.value,
            "compute_critical_points": critical_points,
            "compute_persistence_pairs": pairs,
            "compute_descending_separatrices_1": separatrices,
            "compute_ascending_separatrices_1": separatrices,
            "compute_saddle_connectors": separatrices if connectors is None else connectors,
            "smoothing_iterations": smooth,
            "compute_descending_separatrices_2": surfaces,
            "compute_ascending_separatrices_2": surfaces,
            "compute_descending_segmentation": segmentation,
            "compute_ascending_segmentation": segmentation,
            "compute_final_segmentation": segmentation,
            "compute_top_cell_labels": top_cell_labels,
            "compute_simplified_field": simplified_field,
            "compute_graph": graph,
            "region_table": regions.value if regions else None,
            **mesh_settings(tetrahedralize, on_duplicates),
        }
    files = {"input": input, "output": output, "port": port, "array": array}
    layout = (dims, dtype, byte_order)
    execution = Execution(device, threads, memory_limit)
    command(MORSE_SMALE, files, layout, spacing, origin, settings, execution, json, quiet)


@app.command("persistence-diagram")
def persistence_diagram(
    input: Input,
    output: Annotated[Path | None, output_argument(".vtu, .vtp, .csv, .vtm (both)")] = None,
    port: Annotated[str | None, port_option(PERSISTENCE_DIAGRAM)] = None,
    curves: Annotated[
        bool, typer.Option("--curves", help="Write the persistence curves, as --port curves does.")
    ] = False,
    dimension: Annotated[
        list[str] | None,
        typer.Option(metavar="D,...", help="Pairs of these dimensions alone: 0, 1, 2 or as 0,2."),
    ] = None,
    zero_persistence: Annotated[
        bool, typer.Option("--zero-persistence", help="Pairs of equal values too.")
    ] = False,
    inside_domain: Annotated[
        bool, typer.Option("--inside-domain", help="Lines between the critical points themselves.")
    ] = False,
    order: Ties = Ordering.by_index,
    array: Array = None,
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    dims: Dims = None,
    dtype: DType = None,
    byte_order: Order = ByteOrder.little,
    spacing: Spacing = None,
    origin: Origin = None,
    tetrahedralize: Tetrahedralize = False,
    on_duplicates: OnDuplicates = Duplicates.error,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Persistence diagram of a volume or mesh: which features stand out, and by how much.

    Examples:

        separatrix persistence-diagram engine.vti pairs.vtu --dimension 0,2

        separatrix persistence-diagram field.npy curves.csv --curves
    """
    with plain_errors():
        if curves and port not in (None, "curves"):
            raise FileProblem(f"--curves and --port {port} ask for two things; leave one out")
        dimensions = dimensions_of(dimension)
    settings = {
        **{f"compute_dimension_{d}": d in dimensions for d in range(3)},
        "show_zero_persistence": zero_persistence,
        "show_inside_domain": inside_domain,
        "order": order.value,
        **mesh_settings(tetrahedralize, on_duplicates),
    }
    files = {"input": input, "output": output, "array": array}
    files["port"] = "curves" if curves else port
    layout = (dims, dtype, byte_order)
    execution = Execution(device, threads, memory_limit)
    command(PERSISTENCE_DIAGRAM, files, layout, spacing, origin, settings, execution, json, quiet)


@app.command("critical-points")
def critical_points(
    input: Input,
    output: Annotated[Path | None, output_argument(".vtp, .csv")] = None,
    method: Annotated[
        Method, typer.Option(help="Of a mesh: points by their links, or critical simplices.")
    ] = Method.link,
    array: Array = None,
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    dims: Dims = None,
    dtype: DType = None,
    byte_order: Order = ByteOrder.little,
    spacing: Spacing = None,
    origin: Origin = None,
    tetrahedralize: Tetrahedralize = False,
    on_duplicates: OnDuplicates = Duplicates.error,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Critical points of a volume or mesh: minima, saddles and maxima with their values.

    Example:

        separatrix critical-points terrain.vti points.vtp
    """
    files = {"input": input, "output": output, "port": None, "array": array}
    layout = (dims, dtype, byte_order)
    execution = Execution(device, threads, memory_limit)
    settings = {"method": method.value, **mesh_settings(tetrahedralize, on_duplicates)}
    command(CRITICAL_POINTS, files, layout, spacing, origin, settings, execution, json, quiet)


@app.command("discrete-gradient")
def discrete_gradient(
    input: Input,
    output: Annotated[Path | None, output_argument(".vtm (all), .vtp")] = None,
    port: Annotated[str | None, port_option(DISCRETE_GRADIENT)] = None,
    stride: Annotated[
        int, typer.Option(min=1, help="Every n-th voxel along each axis (pair of a mesh).")
    ] = 1,
    array: Array = None,
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    dims: Dims = None,
    dtype: DType = None,
    byte_order: Order = ByteOrder.little,
    spacing: Spacing = None,
    origin: Origin = None,
    tetrahedralize: Tetrahedralize = False,
    on_duplicates: OnDuplicates = Duplicates.error,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Discrete gradient of a volume or mesh: which cell is paired with which.

    Example:

        separatrix discrete-gradient terrain.vti arrows.vtp --port arrows --stride 4
    """
    files = {"input": input, "output": output, "port": port, "array": array}
    layout = (dims, dtype, byte_order)
    execution = Execution(device, threads, memory_limit)
    settings = {"stride": stride, **mesh_settings(tetrahedralize, on_duplicates)}
    command(DISCRETE_GRADIENT, files, layout, spacing, origin, settings, execution, json, quiet)


app.command("relations")(relations)
app.command("density")(density)
app.command("neighbors")(neighbors)
app.command("rips")(rips)
app.command("alpha")(alpha)


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
    status = 0
    try:
        try:
            with plain_errors():
                check_percent(arguments)
            app(with_lists(arguments), prog_name="separatrix")
        except typer.Exit as end:
            status = end.exit_code
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python's own flush
        if isinstance(error, BrokenPipeError):
            return status or 1  # whoever read our output has gone
        print(f"separatrix: standard output: {reason_of(error)}", file=sys.stderr)
        return status or USER_ERROR
    return status


# Where no colours are wanted, typer's own usage errors have none either.
if not sys.stderr.isatty():
    os.environ.setdefault("NO_COLOR", "1")
