"""The command `relations`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from separatrix_vtk.shell.capabilities.json_keys import RUN, SIZE, WARNINGS
from separatrix_vtk.shell.grouping import capability
from separatrix_vtk.shell.options import Execution, MeshCells, Telling, port_option, whole

MOST_VERTICES = 1 << 30
SWITCH_OF = {"edges": "compute_edges", "triangles": "compute_triangles"}
PORTS = {
    "mesh": "the input with numbers of neighbors and segments",
    "edges": "the edges with their numbers",
    "triangles": "the triangles of tetrahedra with their numbers",
    "boundary": "the boundary as a surface",
    "statistics": "a table of numbers and times",
}
JSON = {
    **RUN,
    **{key: SIZE[key] for key in ("points", "tetrahedra", "triangles")},
    "relations": "names of the relations that were made",
    "statistics": "numbers of simplices, components, segments and more",
    **WARNINGS,
}


@capability(ports=PORTS, json=JSON, see="docs/mesh_relations.md")
def relations(
    input: Annotated[
        Path,
        typer.Argument(metavar="INPUT", help="Mesh: .vtu, .vtp, .vtk, .stl, .ply or .obj."),
    ],
    output: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUTPUT",
            help=".npz (relations as offsets and items), .csv (one relation, a pair a line), .vtu "
            "or .vtp (--port), .vtm (all). Default: only the summary.",
        ),
    ] = None,
    relation: Annotated[
        list[str] | None,
        typer.Option(
            "--relation",
            "-r",
            metavar="XY,...",
            help="Relations between V, E, F and T, as VV,FT: whose simplices, which simplices.",
        ),
    ] = None,
    port: Annotated[str | None, port_option(PORTS)] = None,
    segment_size: Annotated[
        int, whole("--segment-size", low=1, high=MOST_VERTICES, help="Most vertices of a segment.")
    ] = 100,
    *,
    cells: MeshCells,
    execution: Execution,
    telling: Telling,
) -> None:
    """Relations of a mesh of tetrahedra or triangles: which simplices touch which.

    Examples:

        separatrix relations sample_data/ring.vtu

        separatrix relations sample_data/ring.vtu relations.npz --relation VV,FT

        separatrix relations sample_data/ring.vtu edges.vtp --port edges
    """
    import time

    from separatrix_vtk import MeshRelations
    from separatrix_vtk.io.volumes import read_mesh
    from separatrix_vtk.io.writers import check_writable
    from separatrix_vtk.shell.ends import tell_warnings_of
    from separatrix_vtk.shell.relation_files import port_of, tell, write

    names = ",".join(",".join(relation or []).replace(",", " ").replace(";", " ").split())
    chosen = port_of(output, port, names)
    if output is not None:
        check_writable(output, input)
    mesh = read_mesh(input)
    everything = output is not None and output.suffix.lower() == ".vtm"
    switches: dict[str, Any] = {
        switch: chosen == name or everything for name, switch in SWITCH_OF.items()
    }
    filter = MeshRelations(
        relations=tuple(names.split(",")),
        segment_size=segment_size,
        compute_counts=chosen == "mesh" or everything,
        compute_boundary=chosen == "boundary" or everything,
        **execution.of_filter,
        **cells.of_filter,
        **switches,
    )
    tell_warnings_of(filter)
    begun = time.perf_counter()
    with telling.progress() as progress:
        outputs = filter.run(mesh, progress)
    if output is not None:
        write(output, chosen, filter, outputs)
    tell(input, output, chosen, filter, outputs[4], time.perf_counter() - begun, telling)
