"""What the commands on points, `density` and `neighbors`, have in common: files and summaries."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.io.problems import FileProblem, unwritable
from separatrix_vtk.io.writers import check_writable, write_arrays, write_dataset
from separatrix_vtk.shell.options import Telling
from separatrix_vtk.shell.summary import print_rows, rows_of_run, summary_of


def check_output(input: Path, output: Path | None, suffixes: tuple[str, ...]) -> None:
    """Complain about an output that cannot be written, before the work."""
    if output is None:
        return
    if output.suffix.lower() not in suffixes:
        raise unwritable(output, suffixes)
    check_writable(output, input)


def as_kind(output: Path, points: Any) -> Any:
    """The points as the kind of dataset that the file is for."""
    if output.suffix.lower() == ".vtu":
        if not points.IsA("vtkUnstructuredGrid"):
            raise FileProblem(f"{output}: .vtu is for the points of a .vtu file; name a .vtp")
        return points
    if points.IsA("vtkPolyData"):
        return points
    from vtkmodules.vtkCommonDataModel import vtkPolyData

    from separatrix_vtk.base.arrays import fill_polydata, from_vtk

    made = vtkPolyData()
    fill_polydata(made, from_vtk(points.GetPoints().GetData()), vertices=True)
    made.GetPointData().ShallowCopy(points.GetPointData())
    return made


def write(output: Path, dataset: Any, arrays_of: Callable[[Any], dict[str, np.ndarray]]) -> None:
    """A file of the dataset, or of its arrays."""
    if output.suffix.lower() == ".npz":
        write_arrays(output, arrays_of(dataset))
    else:
        write_dataset(output, dataset)


def arrays_of_image(image: Any) -> dict[str, np.ndarray]:
    """The density (nz, ny, nx), its gradient if there is one, and where it lies."""
    from separatrix_vtk.base.arrays import from_vtk

    shape, data = image.GetDimensions()[::-1], image.GetPointData()
    arrays = {"density": from_vtk(data.GetArray("Density")).reshape(shape)}
    if data.HasArray("DensityGradient"):
        slopes = from_vtk(data.GetArray("DensityGradient"))
        arrays["gradient"] = slopes.reshape(*shape, 3)
    return {
        **arrays,
        "spacing": np.array(image.GetSpacing()),
        "origin": np.array(image.GetOrigin()),
    }


def arrays_of_points(points: Any) -> dict[str, np.ndarray]:
    """Positions (n, 3) and the arrays of numbers."""
    from separatrix_vtk.base.arrays import from_vtk, names_of

    data = points.GetPointData()
    numbers = {name: data.GetArray(name) for name in names_of(data)}
    arrays = {"points": from_vtk(points.GetPoints().GetData())}
    for name, array in numbers.items():
        if array is not None:
            arrays["points_" if name == "points" else name] = from_vtk(array)
    return arrays


def tell(
    input: Path,
    output: Path | None,
    report: dict[str, Any],
    seconds: float,
    rows: list[tuple[str, Any]],
    telling: Telling,
) -> None:
    """The summary: its rows for people, the report for programs."""
    summary = summary_of(input, output, None, report, seconds)
    telling.tell(summary, lambda: print_rows([*rows, *rows_of_run(summary)]))
