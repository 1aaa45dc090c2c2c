"""The command `relations`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from separatrix.options import MeshRelationsOptions
from separatrix_vtk.cli.command import Argument, Command, Given
from separatrix_vtk.cli.fields import SIZE
from separatrix_vtk.cli.ports import Port, settings_for
from separatrix_vtk.cli.reporter import reporter
from separatrix_vtk.cli.runner import Run, make_filter
from separatrix_vtk.cli.summary import key_of, print_rows, rows_of_run, size_of
from separatrix_vtk.io.errors import FileError
from separatrix_vtk.io.formats import OF_MESHES

COUNTS = {"compute_counts": True}
PORTS = {
    "mesh": Port(
        0,
        (".vtu", ".vtp"),
        "the input with numbers of neighbors and segments",
        fills=COUNTS,
        adds=("compute_neighbors",),
    ),
    "relations": Port(4, (".npz", ".csv"), "relations as offsets and items, or one as pairs"),
    "edges": Port(1, (".vtp",), "the edges with their numbers", fills={"compute_edges": True}),
    "triangles": Port(
        2,
        (".vtp",),
        "the triangles of tetrahedra with their numbers",
        fills={"compute_triangles": True},
    ),
    "boundary": Port(3, (".vtp",), "the boundary as a surface", fills={"compute_boundary": True}),
    "statistics": Port(5, (".csv",), "a table of counts and times"),
}
SHOWN = ("Edges", "Triangles", "Euler characteristic", "Components", "Unused points", "Segments")
JSON = {
    **{key: SIZE[key] for key in ("points", "tetrahedra", "triangles")},
    "relations": "names of the computed relations",
    "statistics": "numbers of simplices, components, segments and more",
}


@Command(
    "relations",
    (MeshRelationsOptions,),
    input=Argument(f"Mesh: {', '.join(OF_MESHES)}."),
    output=".npz (relations as offsets and items), .csv (one relation, one pair per line), .vtu or "
    ".vtp (--port), or .vtm (all ports).",
    ports=PORTS,
    json=JSON,
    see="docs/mesh_relations.md",
)
def relations(input: Path, output: Path | None, port: str | None, given: Given) -> None:
    """Relations between the simplices of a mesh of tetrahedra or triangles.

    Examples:
        separatrix relations sample_data/ring.vtu
        separatrix relations sample_data/ring.vtu relations.npz --relation VV,FT
        separatrix relations sample_data/ring.vtu edges.vtp --port edges
    """
    from separatrix_vtk.io.vtk_files import read_mesh

    run = Run(PORTS, input, output, port, given)
    output = run.output
    is_csv = output is not None and output.suffix.lower() == ".csv"
    if run.port == "relations":
        names = given.get("relations", ())
        if not names:
            raise FileError(
                f"{output} contains relations. Name some with --relation, such as VV,FT."
            )
        if is_csv and len(names) > 1:
            raise FileError(f"{output}: a .csv file contains one relation. Use a .npz file.")
    mesh = read_mesh(input)
    if run.port == "mesh":
        check_kind(run, mesh)
    settings = settings_for(PORTS, output, run.port, given)
    if output is not None and run.port is None:
        fills = {name: True for one in PORTS.values() for name in one.fills}
        settings = {**fills, **settings}
    filter = make_filter("MeshRelations", settings)
    with run.timed() as progress:
        outputs = filter.run(mesh, progress)
        written = [*outputs]
        if run.port == "relations" and is_csv:
            written[4] = pairs_of(outputs[4])
        run.write(filter, written, mesh)
    show(run, filter.report, outputs[4])


def check_kind(run: Run, mesh: Any) -> None:
    """Raise FileError if the file is for meshes of another kind."""
    suffix = ".vtp" if mesh.IsA("vtkPolyData") else ".vtu"
    if run.output is None or run.output.suffix.lower() == suffix:
        return
    others = [n for n, one in PORTS.items() if run.output.suffix.lower() in one.suffixes]
    others = [name for name in others if name != "mesh"]
    choose = f", or choose --port {' or '.join(others)}" if others else ""
    raise FileError(f"{run.output}: this mesh requires a {suffix} file. Name one{choose}.")


def pairs_of(relations: Any) -> Any:
    """A relation as a table of two columns, a simplex and one of its simplices."""
    import numpy as np
    from vtkmodules.vtkCommonDataModel import vtkTable

    from separatrix_vtk.base.arrays import to_vtk
    from separatrix_vtk.cli.arrays import arrays_of

    arrays = arrays_of({"": relations})
    (name,) = (key.removesuffix("_Items") for key in arrays if key.endswith("_Items"))
    offsets, items = arrays[f"{name}_Offsets"], arrays[f"{name}_Items"]
    table = vtkTable()
    table.AddColumn(to_vtk(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), name[0]))
    table.AddColumn(to_vtk(items, name[1] if name[1] != name[0] else f"{name[1]}2"))
    return table


def show(run: Run, report: Any, relations: Any) -> None:
    """Print counts of simplices and of each relation, the time, and the output file."""
    summary = run.summary(report)
    numbers = summary["statistics"]
    summary["statistics"] = {key_of(name): value for name, value in numbers.items()}
    rows = [
        ("input", f"{summary['input']}, {size_of(summary)}"),
        ("device", summary["device"]),
        *((name, f"{numbers[name]:,}") for name in SHOWN if name in numbers),
    ]
    for row in range(relations.GetNumberOfRows()):
        n_rows, n_items = (relations.GetValue(row, column).ToInt() for column in (1, 2))
        name = relations.GetValue(row, 0).ToString()
        rows.append((name, f"{n_items:,} in {n_rows:,} rows"))
    reporter.result(summary, lambda: print_rows([*rows, *rows_of_run(summary)]))
