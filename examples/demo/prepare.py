"""Preparation of datasets for drawing: the boundary is omitted, and lines are joined and smoothed.

Separatrices run from cell center to cell center; they are drawn smoothed, with their ends in place.
All that is made here owns its memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData

from separatrix.plotting.palette import critical_categories

SMOOTHING_ROUNDS = 30


def counted(points: vtkPolyData, dimension: int = 3) -> str:
    """Numbers of critical points of each kind, as text."""
    index = array_of(points.GetPointData(), "CellDimension")
    plural = {"minimum": "minima", "maximum": "maxima"}
    parts = []
    for category in critical_categories(dimension):
        n = int(np.sum(index == category.value))
        word = category.name if n == 1 else plural.get(category.name, category.name + "s")
        parts.append(f"{n} {word}")
    return ", ".join(parts)


def array_of(attributes: Any, name: str) -> np.ndarray:
    """An array of point or cell data as NumPy."""
    return np.asarray(vtk_to_numpy(attributes.GetArray(name)))


def points_of(data: vtkPolyData) -> np.ndarray:
    """Point coordinates (n, 3) float64, a copy."""
    if data.GetNumberOfPoints() == 0:
        return np.empty((0, 3))
    return np.array(vtk_to_numpy(data.GetPoints().GetData()), dtype=np.float64)


def inner_points(points: vtkPolyData) -> vtkPolyData:
    """Critical points that do not lie in the boundary of the image."""
    inside = array_of(points.GetPointData(), "IsOnBoundary") == 0
    chosen = polydata(points_of(points)[inside], np.arange(inside.sum() + 1), "verts")
    chosen.GetPointData().AddArray(
        named(array_of(points.GetPointData(), "CellDimension")[inside], "CellDimension")
    )
    return chosen


def smooth_polylines(
    separatrices: vtkPolyData, *, inner_only: bool, ending: bool = False
) -> vtkPolyData:
    """Smoothed polylines of all separatrices. inner_only: none with an end on the boundary.

    ending: none that leaves the data instead of leading to a critical point.

    The points of a line follow one another. Its ends stay where they are: critical points, or
    places where the lines of a connector meet.
    """
    if separatrices.GetNumberOfCells() == 0:
        return vtkPolyData()
    cells = separatrices.GetCellData()
    points = points_of(separatrices)
    places = separatrices.GetLines()
    items, offsets = (
        vtk_to_numpy(ids) for ids in (places.GetConnectivityArray(), places.GetOffsetsArray())
    )
    first_point, lengths = items[offsets[:-1]], np.diff(offsets)
    fixed = np.zeros(len(points), dtype=bool)
    fixed[first_point] = fixed[items[offsets[1:] - 1]] = True
    for _ in range(SMOOTHING_ROUNDS):
        moved = points.copy()
        moved[1:-1] = 0.5 * points[1:-1] + 0.25 * (points[:-2] + points[2:])
        points = np.where(fixed[:, None], points, moved)

    chosen = np.ones(len(lengths), dtype=bool)
    if inner_only:
        chosen &= array_of(cells, "NumberOfCriticalPointsOnBoundary") == 0
    if inner_only or ending:
        chosen &= array_of(cells, "DestinationId") >= 0
    lengths = lengths[chosen]
    offsets = np.append(0, np.cumsum(lengths))
    shift = np.repeat(first_point[chosen] - offsets[:-1], lengths)
    points = points[np.arange(offsets[-1]) + shift]
    lines = polydata(points, offsets, "lines")
    lines.GetCellData().AddArray(named(array_of(cells, "SeparatrixType")[chosen], "SeparatrixType"))
    return lines


def polydata(points: np.ndarray, offsets: np.ndarray, kind: str) -> vtkPolyData:
    """Points (n, 3) in order, cut at `offsets` into cells; kind "verts" or "lines"."""
    coordinates = vtkPoints()
    coordinates.SetData(numpy_to_vtk(np.ascontiguousarray(points), deep=1))
    cells = vtkCellArray()
    cells.SetData(
        numpy_to_vtkIdTypeArray(offsets.astype(np.int64), deep=1),
        numpy_to_vtkIdTypeArray(np.arange(len(points), dtype=np.int64), deep=1),
    )
    data = vtkPolyData()
    data.SetPoints(coordinates)
    if kind == "verts":
        data.SetVerts(cells)
    else:
        data.SetLines(cells)
    return data


def named(values: np.ndarray, name: str) -> Any:
    """A VTK array that owns its memory."""
    array = numpy_to_vtk(np.ascontiguousarray(values), deep=1)
    array.SetName(name)
    return array
