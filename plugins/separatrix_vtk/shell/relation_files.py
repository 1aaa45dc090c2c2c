"""Relations of a mesh in files, and what is told of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.io.problems import FileProblem, unwritable
from separatrix_vtk.io.writers import write_arrays, write_blocks, write_dataset
from separatrix_vtk.shell.options import Telling
from separatrix_vtk.shell.summary import key_of, print_rows, rows_of_run, size_of, summary_of

PORTS = {
    "mesh": (0, (".vtu", ".vtp")),
    "edges": (1, (".vtp",)),
    "triangles": (2, (".vtp",)),
    "boundary": (3, (".vtp",)),
    "statistics": (5, (".csv",)),
}
TOLD = ("Edges", "Triangles", "Euler characteristic", "Components", "Unused points", "Segments")


def port_of(output: Path | None, port: str | None, names: str) -> str | None:
    """The port that a file of one dataset takes; None of all, and of relations themselves."""
    if output is None:
        if port is not None:
            raise FileProblem(f"--port {port}: name an output file to write it to")
        return None
    suffix = output.suffix.lower()
    known = {kind for _, kinds in PORTS.values() for kind in kinds} | {".npz", ".vtm", ".csv"}
    if suffix not in known:
        raise unwritable(output, sorted(known))
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


def write(output: Path, chosen: str | None, filter: Any, outputs: list[Any]) -> None:
    """Write all outputs, one of them, or relations as arrays or as pairs."""
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


def tell(
    input: Path,
    output: Path | None,
    port: str | None,
    filter: Any,
    table: Any,
    seconds: float,
    telling: Telling,
) -> None:
    """The summary; table: what of each relation there is."""
    summary = summary_of(input, output, port, filter.report, seconds)
    numbers = summary["statistics"]
    summary["statistics"] = {key_of(name): value for name, value in numbers.items()}
    telling.tell(summary, lambda: _print_table(summary, numbers, table))


def _print_table(summary: dict[str, Any], numbers: dict[str, Any], table: Any) -> None:
    """Numbers of simplices, what of each relation there is, time and files."""
    rows = [
        ("input", f"{summary['input']}, {size_of(summary)[1]}"),
        ("device", summary["device"]),
        *((name, f"{numbers[name]:,}") for name in TOLD if name in numbers),
    ]
    for row in range(table.GetNumberOfRows()):
        n_rows, n_items = (table.GetValue(row, column).ToInt() for column in (1, 2))
        name = table.GetValue(row, 0).ToString()
        rows.append((name, f"{n_items:,} in {n_rows:,} rows"))
    print_rows([*rows, *rows_of_run(summary)])
