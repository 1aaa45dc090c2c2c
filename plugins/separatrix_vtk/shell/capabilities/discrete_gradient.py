"""The command `discrete-gradient`."""

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
    output_argument,
    port_option,
    whole,
)

MOST_STRIDE = 1 << 20
PORTS = {
    "arrows": "a line from each cell to the one that it is paired with",
    "gradient": "points at the paired cells with vectors",
    "critical-points": "the cells that are in no pair",
}


@capability(ports=PORTS, json={**FIELD, **CRITICAL}, see="docs/morse_smale.md")
def discrete_gradient(
    source: FieldSource,
    output: Annotated[Path | None, output_argument(".vtm (all), .vtp")] = None,
    port: Annotated[str | None, port_option(PORTS)] = None,
    stride: Annotated[
        int,
        whole(
            "--stride",
            low=1,
            high=MOST_STRIDE,
            help="Every n-th voxel along each axis (pair of a mesh).",
        ),
    ] = 1,
    *,
    cells: MeshCells,
    execution: Execution,
    telling: Telling,
) -> None:
    """Discrete gradient of a volume or mesh: which cell is paired with which.

    Examples:

        separatrix discrete-gradient sample_data/terrain.vti arrows.vtp --port arrows --stride 4

        separatrix discrete-gradient sample_data/two_centers.vti gradient.vtm
    """
    from separatrix_vtk.shell.algorithms import DISCRETE_GRADIENT
    from separatrix_vtk.shell.field_command import run_on_field

    settings = {"stride": stride}
    run_on_field(DISCRETE_GRADIENT, source, output, port, settings, cells, execution, telling)
