"""The command `morse-smale`."""

from __future__ import annotations

from pathlib import Path

from separatrix.options import MorseSmaleOptions
from separatrix_vtk.cli.command import Command, Flag, Given
from separatrix_vtk.cli.fields import (
    CRITICAL,
    INPUT,
    PAIRS,
    READS,
    SIZE,
    ImageFileOptions,
    read_persistence,
    run_on_field,
)
from separatrix_vtk.cli.ports import Port

LINES = ("compute_descending_separatrices_1", "compute_ascending_separatrices_1")
CONNECTORS = "compute_saddle_connectors"
SURFACES = ("compute_descending_separatrices_2", "compute_ascending_separatrices_2")
LABELS = (
    "compute_descending_segmentation",
    "compute_ascending_segmentation",
    "compute_morse_smale_segmentation",
)
PAIRED = "compute_persistence_pairs"
ADDED = ("compute_top_cell_labels", "compute_simplified_field")
PORTS = {
    "separatrices-1": Port(
        1,
        (".vtp",),
        "lines from saddles to extrema and between saddles",
        fills=dict.fromkeys((*LINES, CONNECTORS), True),
        asked_by=("smoothing_iterations",),
        is_drawn=True,
    ),
    "critical-points": Port(
        0,
        (".vtp", ".csv"),
        "critical cells with value, index and persistence",
        fills={"compute_critical_points": True},
        adds=(PAIRED,),
        is_drawn=True,
    ),
    "separatrices-2": Port(
        2,
        (".vtp",),
        "surfaces from saddles (3D)",
        fills=dict.fromkeys(SURFACES, True),
        asked_by=SURFACES,
    ),
    "segmentation": Port(
        3,
        (".vti", ".vtu"),
        "the input with labels of descending, ascending and both manifolds",
        fills=dict.fromkeys(LABELS, True),
        adds=ADDED,
        asked_by=ADDED,
        is_drawn=True,
    ),
    "graph": Port(
        4,
        (".vtp",),
        "straight lines for arcs, with the number of V-paths",
        fills={"compute_graph": True},
        adds=(PAIRED,),
    ),
    "regions": Port(
        5,
        (".csv",),
        "a table with size, range and extrema of each region",
        fills={"region_table": "morse_smale"},
        asked_by=("region_table",),
    ),
}
FLAGS = {
    "separatrices": Flag(LINES, "Compute the lines between saddles and extrema."),
    "surfaces": Flag(SURFACES, "Compute the surfaces from saddles (3D)."),
    "segmentation": Flag(LABELS, "Compute the three labels of each point."),
}
JSON = {
    **SIZE,
    **CRITICAL,
    **PAIRS,
    "persistence": "the threshold, in the unit of the values",
    "canceled_pairs": "number of canceled pairs",
    "skipped_pairs": "number of pairs below the threshold that are kept, by reason",
    "omitted_saddles": "number of saddles of these pairs that are not in the outputs",
    "saddles_without_lines": "number of saddles without lines in the 1-separatrices",
}


@Command(
    "morse-smale",
    (MorseSmaleOptions, ImageFileOptions),
    input=INPUT,
    output=".vtm (all ports), .vtp, .vti or .vtu (segmentation), .csv, or .npz (NumPy arrays of "
    "all ports).",
    ports=PORTS,
    flags=FLAGS,
    reads={**READS, "persistence": read_persistence},
    json=JSON,
    see="docs/morse_smale.md",
)
def morse_smale(input: Path, output: Path | None, port: str | None, given: Given) -> None:
    """Morse-Smale complex of an image or mesh: critical points, separatrices, segmentation, graph.

    A file of a single dataset contains one port, and no other port is computed; a .vtm or .npz file
    contains all ports. Surfaces, regions, exact labels, and the simplified field are computed on
    request. --no-separatrices also disables --connectors unless it is given. A percent sign makes
    --persistence relative, as in 5%.

    Examples:
        separatrix morse-smale sample_data/atomic_orbital.vti orbital.vtm --array psi
        separatrix morse-smale sample_data/noisy_field.vti graph.vtp -p graph --persistence 5%
        separatrix morse-smale fuel.raw lines.vtp --dims 64,64,64 --dtype uint8 --device cpu
        separatrix morse-smale field.npy labels.vti --no-separatrices --json
    """
    if LINES[0] in given:
        given.setdefault(CONNECTORS, given[LINES[0]])
    run_on_field("MorseSmaleComplex", PORTS, input, output, port, given, (PAIRED,))
