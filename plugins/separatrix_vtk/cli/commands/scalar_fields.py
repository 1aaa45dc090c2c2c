"""The commands `persistence-diagram`, `critical-points`, `discrete-gradient`, and `simplify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.errors import InputError
from separatrix.options import (
    CriticalPointsOptions,
    DiscreteGradientOptions,
    Options,
    PersistenceDiagramOptions,
    TopologicalSimplificationOptions,
    option,
)
from separatrix_vtk.cli.command import Command, Given
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
from separatrix_vtk.io.errors import FileError

# === persistence diagrams

SWITCHES = tuple(f"compute_dimension_{d}" for d in range(3))
OF_DIAGRAM = {
    "diagram": Port(
        0, (".vtu", ".vtp", ".csv"), "one line per pair from the diagonal to (birth, death)"
    ),
    "curves": Port(1, (".csv",), "a table of the number of pairs by threshold"),
}


class DiagramOptions(Options):
    """Parts of a persistence diagram."""

    dimensions: tuple[int, ...] = option(
        default=(), group="Output", summary="Dimensions of the pairs, as 0 or 0,2; by default all."
    )
    curves: bool = option(
        default=False, group="Output", summary="Write the persistence curves, as --port curves."
    )


def read_dimensions(text: str) -> dict[str, Any]:
    """The dimensions in a text such as 0,2."""
    words = [word.strip() for word in text.split(",")]
    if not set(words) <= set("012"):
        raise InputError("dimensions", "one or several of 0, 1, and 2, such as 0,2", text)
    return {"dimensions": tuple(map(int, words))}


@Command(
    "persistence-diagram",
    (PersistenceDiagramOptions, DiagramOptions, ImageFileOptions),
    input=INPUT,
    output=".vtu, .vtp, .csv, .vtm (both ports), or .npz (NumPy arrays of both ports).",
    ports=OF_DIAGRAM,
    reads={**READS, "dimensions": read_dimensions},
    without=SWITCHES,
    json={**SIZE, **PAIRS},
    see="docs/morse_smale.md",
)
def persistence_diagram(input: Path, output: Path | None, port: str | None, given: Given) -> None:
    """Persistence diagram of an image or mesh: births and deaths of its features.

    Examples:
        separatrix persistence-diagram sample_data/noisy_field.vti diagram.vtu --dimensions 0,2
        separatrix persistence-diagram field.npy curves.csv --curves
    """
    chosen = given.of(DiagramOptions)
    if chosen.curves and port not in (None, "curves"):
        raise FileError(f"--curves and --port {port} cannot be combined. Omit one of them.")
    if chosen.dimensions:
        given |= {switch: d in chosen.dimensions for d, switch in enumerate(SWITCHES)}
    port = "curves" if chosen.curves else port
    run_on_field("PersistenceDiagram", OF_DIAGRAM, input, output, port, given)


# === critical points and discrete gradients

OF_POINTS = {"critical-points": Port(0, (".vtp", ".csv"), "minima, saddles and maxima")}
KINDS = "of a mesh: minima, 1-saddles, 2-saddles, maxima and degenerate points"


@Command(
    "critical-points",
    (CriticalPointsOptions, ImageFileOptions),
    input=INPUT,
    output=".vtp, .csv, .vtm, or .npz (NumPy arrays).",
    reads=READS,
    json={**SIZE, **CRITICAL, "critical_points": KINDS},
    see="docs/morse_smale.md",
)
def critical_points(input: Path, output: Path | None, given: Given) -> None:
    """Critical points of an image or mesh: minima, saddles and maxima with their values.

    Examples:
        separatrix critical-points sample_data/terrain.vti points.vtp
        separatrix critical-points sample_data/ring.vtu points.csv --method link --quiet
    """
    run_on_field("CriticalPoints", OF_POINTS, input, output, None, given)


OF_GRADIENT = {
    "arrows": Port(2, (".vtp",), "a line from each cell to the cell that it is paired with"),
    "gradient": Port(1, (".vtp",), "points at the paired cells, with vectors"),
    "critical-points": Port(0, (".vtp",), "the cells that are not paired"),
}


@Command(
    "discrete-gradient",
    (DiscreteGradientOptions, ImageFileOptions),
    input=INPUT,
    output=".vtm (all ports), .vtp, or .npz (NumPy arrays of all ports).",
    ports=OF_GRADIENT,
    reads=READS,
    json={**SIZE, **CRITICAL},
    see="docs/morse_smale.md",
)
def discrete_gradient(input: Path, output: Path | None, port: str | None, given: Given) -> None:
    """Discrete gradient of an image or mesh: pairs of cells and critical cells.

    Examples:
        separatrix discrete-gradient sample_data/terrain.vti arrows.vtp --port arrows --stride 4
        separatrix discrete-gradient sample_data/two_centers.vti gradient.vtm
    """
    run_on_field("DiscreteGradient", OF_GRADIENT, input, output, port, given)


# === simplified fields

OF_FIELD = {"field": Port(0, (".vti", ".vtu", ".vtp"), "the input with the simplified field")}


class KeptPointsOptions(Options):
    """Minima and maxima to preserve."""

    keep: str = option(
        default="",
        group="Input",
        summary="File of critical points or of a persistence diagram whose minima and maxima are "
        "kept; all others are removed.",
    )


@Command(
    "simplify",
    (TopologicalSimplificationOptions, KeptPointsOptions, ImageFileOptions),
    input=INPUT,
    output=".vti (image), .vtu or .vtp (mesh), .vtm, or .npz (NumPy arrays).",
    reads={**READS, "persistence": read_persistence},
    json={
        **SIZE,
        "persistence": "the threshold, in the unit of the values",
        "minima": "number of minima that are left",
        "maxima": "number of maxima that are left",
        "largest_change": "largest difference of a value from the input",
    },
    see="docs/morse_smale.md",
)
def simplify(input: Path, output: Path | None, given: Given) -> None:
    """Scalar field without some of its minima and maxima, and the order of its points.

    The output has the field and its ranks, which other commands use with --order array. A percent
    sign makes --persistence relative, as in 5%.

    Examples:
        separatrix simplify sample_data/noisy_field.vti smooth.vti --persistence 5%
        separatrix critical-points smooth.vti points.vtp --order array
        separatrix simplify sample_data/noisy_field.vti same.vti --keep points.vtp
    """
    kept = given.of(KeptPointsOptions).keep
    further = {1: read_kept_points(Path(kept))} if kept else {}
    run_on_field("TopologicalSimplification", OF_FIELD, input, output, None, given, others=further)


def read_kept_points(path: Path) -> Any:
    """The critical points in a file. Raises FileError if it contains something else."""
    from separatrix_vtk.filters.scalar_field.topological_simplification import OF_CRITICAL_POINTS
    from separatrix_vtk.io.point_files import read_points

    points, _ = read_points(path)
    arrays = None if points.IsA("vtkTable") else points.GetPointData()
    if arrays is None or not all(map(arrays.HasArray, OF_CRITICAL_POINTS)):
        raise FileError(
            "{keep} must be a .vtp or .vtu file of critical points, or of a persistence diagram, "
            "that Separatrix wrote.",
            path,
        )
    return points
