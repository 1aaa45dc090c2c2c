"""Datasets as tables of named columns, for .csv files."""

from __future__ import annotations

import csv
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from separatrix_vtk.base.signals import stop_if_wanted

ROWS = 20_000  # written between two looks at whether a signal has come
COLUMN_OF = {  # arrays of a pair's ends, where TTK's name says little behind Birth or Death
    "ttkVertexScalarField": "VertexId",
    "CoordinatesX": "PositionX",
    "CoordinatesY": "PositionY",
    "CoordinatesZ": "PositionZ",
}


def columns_of(dataset: Any) -> dict[str, np.ndarray]:
    """Columns (n,) of a table, of the points of polydata, or of the pairs of a diagram."""
    from separatrix_vtk.base.arrays import from_vtk

    if dataset.IsA("vtkTable"):
        return _columns(dataset.GetRowData())
    if dataset.GetNumberOfPoints() == 0:
        return {}
    if dataset.IsA("vtkPolyData"):
        places = _components("Position", from_vtk(dataset.GetPoints().GetData()))
        return {**places, **_columns(dataset.GetPointData())}
    columns = _columns(dataset.GetCellData())
    ends = _columns(dataset.GetPointData())
    for side, name in enumerate(("Birth", "Death")):
        columns.update(
            {f"{name}{COLUMN_OF.get(key, key)}": values[side::2] for key, values in ends.items()}
        )
    is_pair = columns["PairIdentifier"] >= 0  # not the diagonal
    return {name: values[is_pair] for name, values in columns.items()}


def write_columns(path: Path, columns: dict[str, np.ndarray]) -> None:
    """A .csv file with a line of names. Numbers are written so that they are read back exactly."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        while some := list(islice(rows, ROWS)):
            stop_if_wanted()
            writer.writerows(some)


def as_polydata(dataset: Any) -> Any:
    """Lines of an unstructured grid as polydata, with the same arrays; polydata as they are."""
    if dataset.IsA("vtkPolyData"):
        return dataset
    from vtkmodules.vtkCommonDataModel import vtkPolyData

    data = vtkPolyData()
    data.SetPoints(dataset.GetPoints())
    data.SetLines(dataset.GetCells())
    data.GetPointData().ShallowCopy(dataset.GetPointData())
    data.GetCellData().ShallowCopy(dataset.GetCellData())
    return data


def _columns(attributes: Any) -> dict[str, np.ndarray]:
    from separatrix_vtk.base.arrays import from_vtk

    columns: dict[str, np.ndarray] = {}
    for i in range(attributes.GetNumberOfArrays()):
        name, array = attributes.GetArrayName(i), attributes.GetArray(i)
        if array is None:  # a text a row
            texts = attributes.GetAbstractArray(i)
            array = [texts.GetValue(row) for row in range(texts.GetNumberOfValues())]
            columns[name] = np.array(array, dtype=object)
        else:
            columns.update(_components(name, from_vtk(array)))
    return columns


def _components(name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    if values.ndim == 1:
        return {name: values}
    n = values.shape[1]
    ends = "XYZ"[:n] if n <= 3 else [f"_{i}" for i in range(n)]
    return {f"{name}{end}": values[:, i] for i, end in enumerate(ends)}
