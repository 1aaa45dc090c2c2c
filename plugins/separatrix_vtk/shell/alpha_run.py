"""Alpha complexes for the command `alpha`: run by the filter, written, and told in columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.io.writers import write_arrays, write_blocks, write_dataset
from separatrix_vtk.shell.ends import tell_warnings_of
from separatrix_vtk.shell.options import Execution, Telling
from separatrix_vtk.shell.run import Algorithm, Port
from separatrix_vtk.shell.summary import key_of, print_rows, rows_of_run, summary_of

POCKETS, DIAGRAM = "pockets", "diagram"
COUNTED = {
    "vertices": "NumberOfVertices",
    "edges": "NumberOfEdges",
    "triangles": "NumberOfTriangles",
    "tetrahedra": "NumberOfTetrahedra",
    "Euler characteristic": "EulerCharacteristic",
    "pieces": "Betti0",
    "tunnels": "Betti1",
    "voids": "Betti2",
    "hidden atoms": "NumberOfHiddenAtoms",
    "pockets and voids": "NumberOfPockets",
}
MEASURED = {
    "volume": "TotalVolume",
    "area": "TotalArea",
    "volume of voids": "VoidVolume",
    "area of voids": "VoidArea",
    "volume of pockets": "PocketVolume",
}


def arrays_of(outputs: list[Any], settings: dict[str, Any]) -> dict[str, np.ndarray]:
    """What an .npz holds: tables of simplices, the boundary, and what was measured by atom."""
    from separatrix_vtk.base.arrays import from_vtk

    complex, boundary, _, _, atoms, _ = outputs
    points, cells = complex.GetPointData(), complex.GetCellData()
    arrays = {
        "centers": from_vtk(complex.GetPoints().GetData()),
        "radii": from_vtk(points.GetArray("BallRadius")),
        "atom_id": from_vtk(points.GetArray("AtomId")),
    }
    items = from_vtk(complex.GetCells().GetConnectivityArray())
    dimension = from_vtk(cells.GetArray("CellDimension"))
    begin = first = 0
    for d, name in enumerate(("vertices", "edges", "triangles", "tets")):
        count = int((dimension == d).sum())
        end = begin + count * (d + 1)
        arrays[name] = items[begin:end].reshape(count, d + 1)
        for array, column in (("AlphaValue", "alpha_value"), ("Kind", "kind")):
            values = from_vtk(cells.GetArray(array))
            arrays[f"{name}_{column}"] = values[first : first + count]
        begin, first = end, first + count
    if boundary.GetNumberOfCells():
        used = from_vtk(boundary.GetPointData().GetArray("AtomId"))
        row_of = np.full(int(arrays["atom_id"].max()) + 1, -1)
        row_of[arrays["atom_id"]] = np.arange(len(arrays["atom_id"]))
        corners = from_vtk(boundary.GetPolys().GetConnectivityArray())
        arrays["boundary"] = row_of[used][corners].reshape(-1, 3)
        arrays["boundary_void"] = from_vtk(boundary.GetCellData().GetArray("VoidId"))
    for name in ("Volume", "Area", "VoidId", "PocketId"):
        if atoms.GetPointData().HasArray(name):
            arrays[f"atom_{name.lower()}"] = from_vtk(atoms.GetPointData().GetArray(name))
    return arrays


def _needs_vtk(*_: Any, **__: Any) -> tuple[Any, dict[str, Any]]:
    raise NotImplementedError("alpha runs by the filter alone")


ALPHA = Algorithm(
    filter="AlphaComplex",
    ports={
        "complex": Port(0, (".vtu",)),
        "atoms": Port(4, (".vtp", ".csv")),
        "boundary": Port(1, (".vtp",)),
        "voids": Port(2, (".vtp",)),
        POCKETS: Port(3, (".vtp",)),
        DIAGRAM: Port(5, (".vtu", ".csv")),
    },
    switches={},
    needs={},
    arrays=arrays_of,
    engine=_needs_vtk,
    wishes={
        "--pockets": ("compute_pockets", POCKETS),
        "--diagram": ("compute_diagram", DIAGRAM),
    },
)


def made(
    settings: dict[str, Any],
    radius: float | None,
    radii: str | None,
    execution: Execution,
) -> Any:
    """The filter with its radii."""
    from separatrix_vtk import AlphaComplex

    filter = AlphaComplex(**execution.of_filter, **settings)
    tell_warnings_of(filter)
    if radius is not None:
        filter.radius_source, filter.constant_radius = "constant", radius
    if radii is not None:
        filter.radius_source = "array"
        filter.SetInputArrayToProcess(0, 0, 0, 0, radii)
    return filter


def run(
    filter: Any,
    points: Any,
    alphas: list[float],
    output: Path | None,
    port: str | None,
    telling: Telling,
) -> dict[float, dict[str, Any]]:
    """The reports by alpha. The largest comes first: the others are thresholds of it.

    That one is written, when all are computed: what is stopped has written nothing.
    """
    reports: dict[float, dict[str, Any]] = {}
    outputs: list[Any] = []
    with telling.progress() as progress:
        for value in sorted(alphas, reverse=True):
            filter.alpha = value
            filter.run(points, progress)
            if output is not None and not reports:
                outputs = [_copy(filter.GetOutput(i)) for i in range(len(filter.OUTPUTS))]
            reports[value] = dict(filter.report)
        if output is not None:
            _write([name for name, _ in filter.OUTPUTS], outputs, output, port)
    return reports


def _copy(dataset: Any) -> Any:
    """A dataset with the same arrays, which the filter's next run does not empty."""
    copy = dataset.NewInstance()
    copy.ShallowCopy(dataset)
    return copy


def _write(names: list[str], outputs: list[Any], output: Path, port: str | None) -> None:
    if output.suffix.lower() == ".npz":
        write_arrays(output, arrays_of(outputs, {}))
    elif port is None:
        write_blocks(output, list(zip(names, outputs, strict=True)))
    else:
        write_dataset(output, outputs[ALPHA.ports[port].number])


def tell(
    input: Path,
    output: Path | None,
    port: str | None,
    reports: list[dict[str, Any]],
    seconds_in_all: float,
    has_measures: bool,
    left_out: list[tuple[str, Any]],
    telling: Telling,
) -> None:
    """The summary, a column an alpha."""
    seconds: dict[str, float] = {}
    for report in reports:
        for stage, taken in report["seconds"].items():
            seconds[stage] = seconds.get(stage, 0.0) + taken
    columns = [
        {key_of(name): value for name, value in report.items() if name not in ("device", "seconds")}
        for report in reports
    ]
    report = {"device": reports[0]["device"], "complexes": columns, "seconds": seconds}
    summary = summary_of(input, output, port, report, seconds_in_all)
    names = {**COUNTED, **(MEASURED if has_measures else {})}
    table = {"alpha": [f"{report['Alpha']:g}" for report in reports]}
    for name, key in names.items():
        if key in reports[0]:
            digits = ".3f" if name in MEASURED else ""
            table[name] = [f"{report[key]:{digits}}" for report in reports]
    width = max(len(cell) for cells in table.values() for cell in cells)
    rows: list[tuple[str, Any]] = [
        ("atoms", f"{reports[0]['NumberOfAtoms']} of {input}"),
        *left_out,
        ("device", reports[0]["device"]),
        ("probe", f"{reports[0]['ProbeRadius']:g}"),
        *((name, "  ".join(cell.rjust(width) for cell in cells)) for name, cells in table.items()),
        *rows_of_run(summary),
    ]
    telling.tell(summary, lambda: print_rows(rows))
