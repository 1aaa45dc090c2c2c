"""The arrays of datasets, by name, for .npz files.

Point arrays, rows of tables and field arrays keep their names; cell arrays have the prefix "cell_".
Of several datasets each name begins with that of its port, as in "graph.points". Arrays of an image
have shape (nz, ny, nx) or (nz, ny, nx, components).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from separatrix_vtk.base.arrays import from_vtk, names_of
from separatrix_vtk.base.datasets import direction_of
from separatrix_vtk.base.join import cell_types

Named = tuple[str, np.ndarray]


def arrays_of(datasets: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """All arrays of numbers in datasets; a dataset of the name "" adds no prefix."""
    return {
        (f"{port}.{name}" if port else name): values
        for port, dataset in datasets.items()
        for name, values in _arrays(dataset)
    }


def _arrays(dataset: Any) -> Iterator[Named]:
    if dataset.IsA("vtkTable"):
        yield from _attributes(dataset.GetRowData())
        yield from _attributes(dataset.GetFieldData())
        return
    points = cells = ()
    if dataset.IsA("vtkImageData"):
        points = dataset.GetDimensions()[::-1]
        cells = tuple(max(n - 1, 1) for n in points)
        yield "spacing", np.array(dataset.GetSpacing())
        yield "origin", np.array(dataset.GetOrigin())
        yield "direction", direction_of(dataset)
    else:
        yield from _geometry(dataset)
    yield from _attributes(dataset.GetPointData(), points)
    yield from _attributes(dataset.GetCellData(), cells, "cell_")
    yield from _attributes(dataset.GetFieldData())


def _geometry(dataset: Any) -> Iterator[Named]:
    if dataset.GetNumberOfPoints() == 0:
        yield "points", np.empty((0, 3))
    else:
        yield "points", from_vtk(dataset.GetPoints().GetData())
    if dataset.IsA("vtkPolyData"):
        parts = {
            kind: getattr(dataset, f"Get{kind.title()}")() for kind in ("verts", "lines", "polys")
        }
    else:
        parts = {"cells": dataset.GetCells()}
        if dataset.GetNumberOfCells():
            yield "cell_types", from_vtk(cell_types(dataset))
    for kind, cells in parts.items():
        if cells is not None and cells.GetNumberOfCells():
            yield f"{kind}_offsets", from_vtk(cells.GetOffsetsArray())
            yield f"{kind}_connectivity", from_vtk(cells.GetConnectivityArray())


def _attributes(data: Any, shape: tuple[int, ...] = (), prefix: str = "") -> Iterator[Named]:
    for name in names_of(data):
        array = data.GetArray(name)
        if array is not None:  # text
            values = from_vtk(array)
            yield f"{prefix}{name}", values.reshape(*shape, *values.shape[1:]) if shape else values
