"""Meshes of VTK for the tests of filters, small and seeded."""

from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
from vtkmodules.util.vtkConstants import VTK_TETRA
from vtkmodules.vtkCommonCore import vtkIdList, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData, vtkUnstructuredGrid


def named(values: np.ndarray, name: str) -> Any:
    """A VTK array with memory of its own."""
    array = numpy_to_vtk(np.ascontiguousarray(values), deep=1)
    array.SetName(name)
    return array


def grid_of(points: np.ndarray, tets: Any, values: np.ndarray | None = None) -> vtkUnstructuredGrid:
    """Tetrahedra (n, 4) with the point scalars "f"."""
    made = vtkUnstructuredGrid()
    made.SetPoints(_points(points))
    made.SetCells(VTK_TETRA, _cells(np.asarray(tets, np.int64).reshape(-1, 4)))
    return _with(made, values)


def surface_of(points: np.ndarray, triangles: Any, values: np.ndarray | None = None) -> vtkPolyData:
    """Triangles (n, 3) with the point scalars "f"."""
    made = vtkPolyData()
    made.SetPoints(_points(points))
    made.SetPolys(_cells(np.asarray(triangles, np.int64).reshape(-1, 3)))
    return _with(made, values)


def add_cell(grid: vtkUnstructuredGrid, kind: int, corners: list[int]) -> None:
    """One more cell of any kind."""
    ids = vtkIdList()
    for corner in corners:
        ids.InsertNextId(corner)
    grid.InsertNextCell(kind, ids)


def boxes(n: int = 4, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """points, tetrahedra and values of n^3 boxes cut in six (Kuhn), with random values."""
    i, j, k = np.meshgrid(*[np.arange(n + 1)] * 3, indexing="ij")
    points = np.stack([i, j, k], axis=-1).reshape(-1, 3).astype(np.float64)
    number = (i * (n + 1) + j) * (n + 1) + k
    low, steps = number[:-1, :-1, :-1].reshape(-1), ((n + 1) ** 2, n + 1, 1)
    tets = []
    for a, b, c in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        first = low + steps[a]
        second = first + steps[b]
        tets.append(np.stack([low, first, second, second + steps[c]], axis=1))
    values = np.random.default_rng(seed).random(len(points))
    return points, np.concatenate(tets), values


def values_in(attributes: Any, name: str) -> np.ndarray:
    """An array of point, cell, field or row data."""
    from vtkmodules.util.numpy_support import vtk_to_numpy

    return vtk_to_numpy(attributes.GetArray(name))


def _points(points: np.ndarray) -> vtkPoints:
    made = vtkPoints()
    made.SetData(numpy_to_vtk(np.ascontiguousarray(points), deep=1))
    return made


def _cells(corners: np.ndarray) -> vtkCellArray:
    made = vtkCellArray()
    offsets = np.arange(len(corners) + 1, dtype=np.int64) * corners.shape[1]
    made.SetData(
        numpy_to_vtkIdTypeArray(offsets, deep=1),
        numpy_to_vtkIdTypeArray(corners.reshape(-1), deep=1),
    )
    return made


def _with(dataset: Any, values: np.ndarray | None) -> Any:
    if values is not None:
        dataset.GetPointData().SetScalars(named(values, "f"))
    return dataset
