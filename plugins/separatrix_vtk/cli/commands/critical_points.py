"""The command `critical-points`."""

from __future__ import annotations

from pathlib import Path

from separatrix.options import CriticalPointsOptions
from separatrix_vtk.cli.command import Given, command
from separatrix_vtk.cli.fields import INPUT, READS, ImageFileOptions, run_on_field
from separatrix_vtk.cli.json_keys import CRITICAL, FIELD
from separatrix_vtk.cli.ports import Port

PORTS = {"critical-points": Port(0, (".vtp", ".csv"), "minima, saddles and maxima")}
JSON = {
    **FIELD,
    **CRITICAL,
    "critical_points": "of a mesh: minima, 1-saddles, 2-saddles, maxima and degenerate points",
}


@command(
    "critical-points",
    CriticalPointsOptions,
    ImageFileOptions,
    input=INPUT,
    output=".vtp, .csv, .vtm, or .npz (NumPy arrays).",
    reads=READS,
    json=JSON,
    see="docs/morse_smale.md",
)
def critical_points(input: Path, output: Path | None, given: Given) -> None:
    """Critical points of an image or mesh: minima, saddles and maxima with their values.

    Examples:

        separatrix critical-points sample_data/terrain.vti points.vtp

        separatrix critical-points sample_data/ring.vtu points.csv --method gradient --quiet
    """
    run_on_field("CriticalPoints", CriticalPointsOptions, PORTS, (input, output, None), given)
