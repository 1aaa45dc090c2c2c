"""Filter for the complete Delaunay or regular triangulation of points.

Types: (id) vtkIdType, (i8) signed char, (i64) 64-bit integer.

port 0  Tetrahedra        tetrahedra over all points; in a plane triangles, on a line lines
    point   arrays of the input
            IsHidden (i8)          1 if the point is not a vertex of the triangulation
    cell    Neighbors (id, 4)      cell opposite to each corner, -1 on the hull, if enabled; of
                                   triangles and lines 3 and 2 components
    field   Dimension, NumberOfPoints, NumberOfTetrahedra (or triangles, or lines),
            NumberOfHullFacets, NumberOfHiddenPoints (i64)
port 1  Hull              facets of the convex hull: triangles, with normals away from the points;
                          of points in a plane lines, on a line vertices
    point   arrays of the input, and PointId (id): the point of the input
port 2  Hidden            vertices at the points whose power cells are empty, and at duplicates
    point   as port 1

Tetrahedra are ordered such that VTK's volume of each is not negative.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import VTK_LINE, VTK_TETRA, VTK_TRIANGLE

import separatrix as sx
from separatrix.options import DelaunayOptions
from separatrix_vtk.base.arrays import (
    add,
    add_numbers,
    add_rows,
    cells_of_one_size,
    ids_to_vtk,
    to_vtk,
    vtk_points,
)
from separatrix_vtk.base.computing import ComputingFilter, counted
from separatrix_vtk.filters.points.point_set import attributes_of, finite_bounds, point_set_of

CELL_TYPES = (VTK_LINE, VTK_TRIANGLE, VTK_TETRA)  # of dimension 1, 2, and 3


class Delaunay(DelaunayOptions, ComputingFilter):
    """Compute the Delaunay triangulation of points, or the regular one of weighted points.

    The input is a point set, molecule, or table. Weights are chosen by SetInputArrayToProcess; by
    default they are 0. The module docstring describes the output ports.

    >>> triangulation = Delaunay(neighbors=True)
    >>> triangulation.SetInputConnection(points.GetOutputPort())
    >>> triangulation.Update()
    >>> triangulation.GetOutput(0).GetCellData().GetArray("Neighbors")
    """

    INPUT_TYPE = "vtkDataObject"
    OUTPUTS = (
        ("Tetrahedra", "vtkUnstructuredGrid"),
        ("Hull", "vtkPolyData"),
        ("Hidden", "vtkPolyData"),
    )
    IS_OF_POINTS = True

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        points, attributes = point_set_of(inputs[0]), attributes_of(inputs[0])
        finite_bounds(points.positions)
        found = sx.delaunay(
            points.positions,
            None if self.weights is None else points.numbers(self.weights),
            resolution=self.resolution,
            max_tetrahedra=self.max_tetrahedra,
            **self.engine_options(0.0, 0.9),
        )
        grid, hull, hidden = outputs
        cells, neighbors = sx.to_host(found.tetrahedra), sx.to_host(found.neighbors)
        hidden_rows = sx.to_host(found.hidden)
        if found.dimension == 3:
            order = _corner_order(points.positions, cells)
            cells, neighbors = (np.take_along_axis(a, order, axis=1) for a in (cells, neighbors))
        grid.SetPoints(vtk_points(points.positions))
        grid.GetPointData().ShallowCopy(attributes)
        is_hidden = np.zeros(points.n_points, np.int8)
        is_hidden[hidden_rows] = 1
        add(grid.GetPointData(), to_vtk(is_hidden, "IsHidden"))
        if found.dimension > 0:
            grid.SetCells(CELL_TYPES[found.dimension - 1], cells_of_one_size(cells))
            if self.neighbors:
                add(grid.GetCellData(), ids_to_vtk(neighbors, "Neighbors"))
        facets = sx.to_host(found.hull)
        for output, corners in ((hull, facets), (hidden, hidden_rows[:, None])):
            used, places = np.unique(corners, return_inverse=True)
            output.SetPoints(vtk_points(points.positions[used]))
            add_rows(output.GetPointData(), attributes, used)
            add(output.GetPointData(), ids_to_vtk(used, "PointId"))
            made = cells_of_one_size(places.reshape(corners.shape))
            (output.SetVerts, output.SetLines, output.SetPolys)[corners.shape[1] - 1](made)
        numbers = {
            "Dimension": found.dimension,
            "NumberOfPoints": points.n_points,
            "NumberOfTetrahedra": len(cells),
            "NumberOfHullFacets": len(facets),
            "NumberOfHiddenPoints": len(hidden_rows),
        }
        add_numbers(grid, numbers)
        self._report = {"device": found.device, **numbers, "seconds": dict(found.timings)}

    def result_lines(self, report: Mapping[str, Any]) -> list[str]:
        cells = ("vertices", "lines", "triangles", "tetrahedra")[report["Dimension"]]
        names = ("Points", "Tetrahedra", "HullFacets", "HiddenPoints")
        things = ("points", cells, "hull facets", "hidden points")
        return [counted(report[f"NumberOf{a}"], b) for a, b in zip(names, things, strict=True)]


def _corner_order(positions: np.ndarray, tets: np.ndarray) -> np.ndarray:
    """Return the order (m, 4) of the corners of each tetrahedron that makes its volume positive."""
    a, b, c, d = positions.astype(np.float64, copy=False)[tets.T]
    is_inverted = np.einsum("ij,ij->i", np.cross(b - a, c - a), d - a) < 0
    return np.where(is_inverted[:, None], [0, 1, 3, 2], [0, 1, 2, 3])
