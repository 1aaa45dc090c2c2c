"""The command on meshes: `relations`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from separatrix_vtk.shell.ends import plain_errors, tell_warnings_of
from separatrix_vtk.shell.options import (
    Device,
    Duplicates,
    Json,
    MemoryLimit,
    OnDuplicates,
    Quiet,
    Tetrahedralize,
    Threads,
    mesh_settings,
)
from separatrix_vtk.shell.read import FileProblem, read_mesh
from separatrix_vtk.shell.run import progress_bar, stopping_at_ctrl_c
from separatrix_vtk.shell.summary import print_json, print_rows, size_of
from separatrix_vtk.shell.write import check_writable, write_arrays, write_blocks, write_dataset

MEBIBYTE = 1 << 20
PORTS = {
    "mesh": (0, (".vtu", ".vtp")),
    "edges": (1, (".vtp",)),
    "triangles": (2, (".vtp",)),
    "boundary": (3, (".vtp",)),
    "statistics": (5, (".csv",)),
}
SWITCH_OF = {"edges": "compute_edges", "triangles": "compute_triangles"}
TOLD = ("Edges", "Triangles", "Euler characteristic", "Components", "Unused points", "Segments")


def relations(
    input: Annotated[Path, typer.Argument(help="Mesh: .vtu, .vtp, .vtk, .stl, .ply or .obj.")],
    output: Annotated[
        Path | None,
        typer.Argument(
            help=".npz (relations as offsets and items), .csv (one relation, a pair a line), .vtu "
            "or .vtp (--port), .vtm (all). Default: only print the summary."
        ),
    ] = None,
    relation: Annotated[
        list[str] | None,
        typer.Option("--relation", "-r", metavar="XY,...", help="Relations, as VV,FT."),
    ] = None,
    port: Annotated[
        str | None,
        typer.Option("--port", "-p", help=f"What a file of one dataset holds: {', '.join(PORTS)}."),
    ] = None,
    segment_size: Annotated[int, typer.Option(min=1, help="Vertices of a segment at most.")] = 100,
    tetrahedralize: Tetrahedralize = False,
    on_duplicates: OnDuplicates = Duplicates.error,
    device: Device = "auto",
    threads: Threads = 0,
    memory_limit: MemoryLimit = 0,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Relations of a mesh of tetrahedra or triangles: which simplices touch which.

    Examples:

        separatrix relations mesh.vtu

        separatrix relations mesh.vtu relations.npz --relation VV,FT

        separatrix relations mesh.vtu edges.vtp --port edges
    """
    with plain_errors():
        names = ",".join(",".join(relation or []).replace(",", " ").replace(";", " ").split())
        chosen = _port_of(output, port, names)
        if output is not None:
            check_writable(output, input)
        mesh = read_mesh(input)
        from separatrix_vtk import MeshRelations

        everything = output is not None and output.suffix.lower() == ".vtm"
        filter = MeshRelations(
            relations=names,
            segment_size=segment_size,
            compute_counts=chosen == "mesh" or everything,
            compute_boundary=chosen == "boundary" or everything,
            device=device,
            number_of_threads=threads,
            device_memory_limit=memory_limit,
            **mesh_settings(tetrahedralize, on_duplicates),
            **{switch: chosen == name or everything for name, switch in SWITCH_OF.items()},
        )
        tell_warnings_of(filter)
        with (
            progress_bar(sys.stderr.isatty() and not quiet) as bar,
            stopping_at_ctrl_c(bar) as progress,
        ):
            outputs = filter.run(mesh, progress)
        if output is not None:
            _write(output, chosen, filter, outputs)
        report = dict(filter.report)
        files = {"input": str(input), "output": None if output is None else str(output)}
        if json:
            print_json({**files, **report})
        elif not quiet:
            _tell(files, report, outputs[4])


def _port_of(output: Path | None, port: str | None, names: str) -> str | None:
    """The port that a file of one dataset takes; None of all, and of relations themselves."""
    if output is None:
        if port is not None:
            raise FileProblem(f"--port {port}: name an output file to write it to")
        return None
    suffix = output.suffix.lower()
    known = {kind for _, kinds in PORTS.values() for kind in kinds} | {".npz", ".vtm", ".csv"}
    if suffix not in known:
        raise FileProblem(
            f"{output}: cannot write '{suffix or output.name}', only {', '.join(sorted(known))}"
        )
    if port is not None and (port not in PORTS or suffix not in PORTS[port][1]):
        fitting = [name for name, (_, kinds) in PORTS.items() if suffix in kinds]
        raise FileProblem(
            f"--port {port}: for a {suffix} file it is one of {', '.join(fitting) or 'none'}"
        )
    if port is None and suffix in (".npz", ".csv"):
        if not names:
            raise FileProblem(f"{output}: holds relations, name some with --relation, as VV,FT")
        if suffix == ".csv" and "," in names:
            raise FileProblem(f"{output}: a .csv file holds one relation; write a .npz")
        return None
    if suffix == ".vtm":
        return None
    return port or "mesh"


def _write(output: Path, chosen: str | None, filter: Any, outputs: list[Any]) -> None:
    suffix = output.suffix.lower()
    if suffix == ".vtm":
        names = [name for name, _ in filter.OUTPUTS]
        write_blocks(output, list(zip(names, outputs, strict=True)))
    elif chosen is not None:
        _check_kind(output, outputs[PORTS[chosen][0]])
        write_dataset(output, outputs[PORTS[chosen][0]])
    else:
        arrays = _arrays_of(outputs[4])
        if suffix == ".npz":
            write_arrays(output, arrays)
        else:
            write_dataset(output, _pairs(arrays))


def _check_kind(output: Path, dataset: Any) -> None:
    suffix = ".vtp" if dataset.IsA("vtkPolyData") else ".vtu"
    if dataset.IsA("vtkDataSet") and output.suffix.lower() != suffix:
        ports = [name for name, (_, kinds) in PORTS.items() if output.suffix.lower() in kinds]
        others = ", ".join(name for name in ports if name != "mesh")
        raise FileProblem(
            f"{output}: this mesh goes into a {suffix} file; name one"
            + (f", or choose --port, one of {others}" if others else "")
        )


def _arrays_of(table: Any) -> dict[str, np.ndarray]:
    from separatrix_vtk.base.arrays import from_vtk, names_of

    data = table.GetFieldData()
    return {name: from_vtk(data.GetArray(name)) for name in names_of(data)}


def _pairs(arrays: dict[str, np.ndarray]) -> Any:
    """A relation as a table of two columns, a simplex and one of its simplices."""
    from vtkmodules.vtkCommonDataModel import vtkTable

    from separatrix_vtk.base.arrays import to_vtk

    (name,) = (key.removesuffix("_Items") for key in arrays if key.endswith("_Items"))
    offsets, items = arrays[f"{name}_Offsets"], arrays[f"{name}_Items"]
    table = vtkTable()
    table.AddColumn(to_vtk(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)), name[0]))
    table.AddColumn(to_vtk(items, name[1] if name[1] != name[0] else f"{name[1]}2"))
    return table


def _tell(files: dict[str, Any], report: dict[str, Any], table: Any) -> None:
    numbers = report["statistics"]
    rows = [
        ("input", f"{files['input']}, {size_of(report)[1]}"),
        ("device", report["device"]),
        *((name, f"{numbers[name]:,}") for name in TOLD if name in numbers),
    ]
    for row in range(table.GetNumberOfRows()):
        n_rows, n_items = (table.GetValue(row, column).ToInt() for column in (1, 2))
        name = table.GetValue(row, 0).ToString()
        rows.append((name, f"{n_items:,} in {n_rows:,} rows"))
    rows.append(("computed in", f"{sum(report['seconds'].values()):.2f} s"))
    if files["output"]:
        rows.append(("written", files["output"]))
    print_rows(rows)
    sys.stdout.flush()  # what goes wrong with it is told here
