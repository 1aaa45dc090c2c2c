"""The command `persistence-diagram`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from separatrix_vtk.io.problems import FileProblem
from separatrix_vtk.shell.capabilities.json_keys import FIELD, PAIRS
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import (
    Execution,
    FieldSource,
    MeshCells,
    Telling,
    Ties,
    dimensions_of,
    output_argument,
    port_option,
)

PORTS = {
    "diagram": "a line a pair from the diagonal to (birth, death), and the diagonal",
    "curves": "a table of the number of pairs by threshold",
}


@capability(ports=PORTS, json={**FIELD, **PAIRS}, see="docs/morse_smale.md")
def persistence_diagram(
    source: FieldSource,
    output: Annotated[Path | None, output_argument(".vtu, .vtp, .csv, .vtm (both)")] = None,
    port: Annotated[str | None, port_option(PORTS)] = None,
    curves: Annotated[
        bool, typer.Option("--curves", help="Write the persistence curves, as --port curves does.")
    ] = False,
    dimension: Annotated[
        list[str] | None,
        typer.Option(
            "--dimension",
            metavar="D,...",
            help="Pairs of these dimensions alone: 0, 1, 2 or as 0,2.",
        ),
    ] = None,
    zero_persistence: Annotated[
        bool, typer.Option("--zero-persistence", help="Pairs of equal values too.")
    ] = False,
    inside_domain: Annotated[
        bool, typer.Option("--inside-domain", help="Lines between the critical points themselves.")
    ] = False,
    order: Ties = "index",
    *,
    cells: MeshCells,
    execution: Execution,
    telling: Telling,
) -> None:
    """Persistence diagram of a volume or mesh: which features stand out, and by how much.

    Examples:

        separatrix persistence-diagram sample_data/noisy_field.vti diagram.vtu --dimension 0,2

        separatrix persistence-diagram field.npy curves.csv --curves
    """
    from separatrix_vtk.shell.algorithms import PERSISTENCE_DIAGRAM
    from separatrix_vtk.shell.field_command import run_on_field

    if curves and port not in (None, "curves"):
        raise FileProblem(f"--curves and --port {port} ask for two things; leave one out")
    dimensions = dimensions_of(dimension)
    settings = {
        **{f"compute_dimension_{d}": d in dimensions for d in range(3)},
        "show_zero_persistence": zero_persistence,
        "show_inside_domain": inside_domain,
        "order": order,
    }
    port = "curves" if curves else port
    run_on_field(PERSISTENCE_DIAGRAM, source, output, port, settings, cells, execution, telling)
