"""The command `discrete-gradient`."""

from __future__ import annotations

from pathlib import Path

from separatrix.options import DiscreteGradientOptions
from separatrix_vtk.cli.command import Given, command
from separatrix_vtk.cli.fields import INPUT, READS, ImageFileOptions, run_on_field
from separatrix_vtk.cli.json_keys import CRITICAL, FIELD
from separatrix_vtk.cli.ports import Port

PORTS = {
    "arrows": Port(2, (".vtp",), "a line from each cell to the cell that it is paired with"),
    "gradient": Port(1, (".vtp",), "points at the paired cells, with vectors"),
    "critical-points": Port(0, (".vtp",), "the cells that are not paired"),
}


@command(
    "discrete-gradient",
    DiscreteGradientOptions,
    ImageFileOptions,
    input=INPUT,
    output=".vtm (all ports), .vtp, or .npz (NumPy arrays of all ports).",
    ports=PORTS,
    reads=READS,
    json={**FIELD, **CRITICAL},
    see="docs/morse_smale.md",
)
def discrete_gradient(input: Path, output: Path | None, port: str | None, given: Given) -> None:
    """Discrete gradient of an image or mesh: pairs of cells and critical cells.

    Examples:

        separatrix discrete-gradient sample_data/terrain.vti arrows.vtp --port arrows --stride 4

        separatrix discrete-gradient sample_data/two_centers.vti gradient.vtm
    """
    run_on_field("DiscreteGradient", DiscreteGradientOptions, PORTS, (input, output, port), given)
