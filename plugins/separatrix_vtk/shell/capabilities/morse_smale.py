"""The command `morse-smale`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from separatrix_vtk.shell.capabilities.json_keys import CRITICAL, FIELD, PAIRS
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import (
    Execution,
    FieldSource,
    MeshCells,
    Telling,
    Ties,
    choice,
    output_argument,
    port_option,
    threshold_of,
    whole,
)

PORTS = {
    "separatrices-1": "lines from saddles to extrema and between saddles",
    "critical-points": "critical cells with value, index and persistence",
    "separatrices-2": "surfaces from saddles (3D)",
    "segmentation": "the input with labels of descending, ascending and both manifolds",
    "graph": "straight lines for arcs, with the number of V-paths",
    "regions": "a table of size, range and extrema of every region",
}
REGIONS = ("descending", "ascending", "morse_smale")
JSON = {
    **FIELD,
    **CRITICAL,
    **PAIRS,
    "persistence": "the threshold, in the unit of the values",
    "cancelled_pairs": "pairs canceled by simplification",
    "skipped_pairs": "pairs below the threshold that stay, by reason",
}


@capability(ports=PORTS, json=JSON, see="docs/morse_smale.md")
def morse_smale(
    source: FieldSource,
    output: Annotated[
        Path | None, output_argument(".vtm (all), .vtp, .vti or .vtu (segmentation), .csv")
    ] = None,
    port: Annotated[str | None, port_option(PORTS)] = None,
    persistence: Annotated[
        str,
        typer.Option(
            "--persistence",
            metavar="T[%]",
            help="Cancel pairs of less persistence: T, or T% of the range.",
        ),
    ] = "0",
    relative: Annotated[
        bool, typer.Option("--relative", help="--persistence is a fraction of the range, 0 to 1.")
    ] = False,
    critical_points: Annotated[
        bool, typer.Option("--critical-points/--no-critical-points", help="Critical points.")
    ] = True,
    pairs: Annotated[
        bool, typer.Option("--pairs/--no-pairs", help="Persistence of each critical point.")
    ] = True,
    separatrices: Annotated[
        bool,
        typer.Option("--separatrices/--no-separatrices", help="Lines between saddles and extrema."),
    ] = True,
    connectors: Annotated[
        bool | None,
        typer.Option(
            "--connectors/--no-connectors",
            help="Lines between saddles (3D). Default: as --separatrices.",
        ),
    ] = None,
    smooth: Annotated[
        int, whole("--smooth", low=0, high=1000, help="Rounds of smoothing lines.")
    ] = 0,
    surfaces: Annotated[
        bool | None,
        typer.Option("--surfaces/--no-surfaces", help="Surfaces from saddles (3D). Default: off."),
    ] = None,
    segmentation: Annotated[
        bool, typer.Option("--segmentation/--no-segmentation", help="A label a voxel.")
    ] = True,
    top_cell_labels: Annotated[
        bool, typer.Option("--top-cell-labels", help="Exact labels as cell data too.")
    ] = False,
    simplified_field: Annotated[
        bool, typer.Option("--simplified-field", help="The field without the canceled extrema.")
    ] = False,
    graph: Annotated[
        bool, typer.Option("--graph/--no-graph", help="Straight lines for arcs.")
    ] = True,
    regions: Annotated[
        str | None,
        choice("--regions", words=REGIONS, help="A table of the regions of this segmentation."),
    ] = None,
    order: Ties = "index",
    *,
    cells: MeshCells,
    execution: Execution,
    telling: Telling,
) -> None:
    """Morse-Smale complex of a volume or mesh: critical points, separatrices, segmentation, graph.

    A file of one dataset holds one port, and nothing else is computed; a .vtm or .npz holds all.
    Surfaces, regions, exact labels and the simplified field are made when asked for.

    Examples:

        separatrix morse-smale sample_data/atomic_orbital.vti orbital.vtm --array psi

        separatrix morse-smale sample_data/noisy_field.vti graph.vtp -p graph --persistence 5%

        separatrix morse-smale fuel.raw lines.vtp --dims 64,64,64 --dtype uint8 --device cpu

        separatrix morse-smale field.npy labels.vti --no-separatrices --json
    """
    from separatrix_vtk.shell.algorithms import MORSE_SMALE
    from separatrix_vtk.shell.field_command import run_on_field

    settings = {
        **threshold_of(persistence, relative),
        "order": order,
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
        "compute_morse_smale_segmentation": segmentation,
        "compute_top_cell_labels": top_cell_labels,
        "compute_simplified_field": simplified_field,
        "compute_graph": graph,
        "region_table": regions,
    }
    run_on_field(MORSE_SMALE, source, output, port, settings, cells, execution, telling)
