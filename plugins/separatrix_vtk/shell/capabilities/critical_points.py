"""The command `critical-points`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from separatrix_vtk.shell.capabilities.json_keys import CRITICAL, FIELD
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import (
    Execution,
    FieldSource,
    MeshCells,
    Telling,
    choice,
    output_argument,
)

METHODS = ("link", "gradient")
JSON = {
    **FIELD,
    **CRITICAL,
    "critical_points": "of a mesh: minima, 1-saddles, 2-saddles, maxima and degenerate points",
}


@capability(json=JSON, see="docs/morse_smale.md")
def critical_points(
    source: FieldSource,
    output: Annotated[Path | None, output_argument(".vtp, .csv, .vtm")] = None,
    method: Annotated[
        str,
        choice(
            "--method",
            words=METHODS,
            help="Of a mesh: points by their links, or critical simplices of the gradient.",
        ),
    ] = "link",
    *,
    cells: MeshCells,
    execution: Execution,
    telling: Telling,
) -> None:
    """Critical points of a volume or mesh: minima, saddles and maxima with their values.

    Examples:

        separatrix critical-points sample_data/terrain.vti points.vtp

        separatrix critical-points sample_data/ring.vtu points.csv --method gradient --quiet
    """
    from separatrix_vtk.shell.algorithms import CRITICAL_POINTS
    from separatrix_vtk.shell.field_command import run_on_field

    settings = {"method": method}
    run_on_field(CRITICAL_POINTS, source, output, None, settings, cells, execution, telling)
