"""The critical points of a field, without separatrices.

port 0  Critical Points   one vertex per critical cell, at the center of the cell
    point   <the field>, CellDimension, CellId, IsOnBoundary, ttkVertexScalarField, CriticalType
        as on port 0 of MorseSmaleComplex. With `method` "link": one vertex per critical point of
        the mesh
    point   <the field> (f)        its value
            CriticalType (i8)      0 minimum, 1 and 2 saddles, 3 maximum, 4 degenerate; 5 regular
                                   by its pieces, but with a critical simplex of its own
            IsOnBoundary (i8)      1 if it is on the boundary of the mesh
            ttkVertexScalarField (id)  id of the point
            NumberOfLowerPieces, NumberOfUpperPieces (i32)  connected parts of the link that are
                                   lower and higher than the point
            CriticalSimplices (i32, 4)  numbers of critical simplices of dimension 0, 1, 2, and 3
                                   of the point; their alternating sum over all points is the Euler
                                   characteristic
"""

from __future__ import annotations

from typing import Any

import numpy as np

import separatrix as sx
from separatrix.options import CriticalPointsOptions
from separatrix.pieces.exchange import Exchange
from separatrix_vtk.base.arrays import add, fill_polydata, ids_to_vtk, to_vtk
from separatrix_vtk.base.computing import device_of
from separatrix_vtk.base.redistribution import Held
from separatrix_vtk.base.slabs import Part
from separatrix_vtk.filters.mesh.field import MeshField
from separatrix_vtk.filters.scalar_field.grid_filter import GridFilter
from separatrix_vtk.filters.scalar_field.outputs import (
    POINT_ARRAYS,
    of_field,
    on_host,
    write_critical_points,
)


class CriticalPoints(CriticalPointsOptions, GridFilter):
    """Critical points of image data or of a mesh: minima, saddles and maxima with their values.

    >>> points = CriticalPoints()
    >>> points.SetInputConnection(source.GetOutputPort())
    >>> points.Update()
    >>> points.GetOutput().GetPointData().GetArray("CriticalType")
    """

    OUTPUTS = (("Critical Points", "vtkPolyData"),)
    MADE_ARRAYS = (*POINT_ARRAYS, "NumberOfLowerPieces", "NumberOfUpperPieces", "CriticalSimplices")

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        _, field = self.read_field(inputs[0])
        if isinstance(field, MeshField) and self.method == "link":
            options = self.engine_options()
            found = on_host(field.critical_points(**options))
            self._report = {
                "device": device_of(options),
                **field.size,
                "critical_points": tuple(int(n) for n in found.counts),
                "critical_cells": tuple(int(n) for n in found.totals),
                "euler_characteristic": int(found.euler_characteristic),
                "seconds": {name: float(s) for name, s in field.mesh().session.timings.items()},
            }
            write_link_points(outputs[0], found, field)
        else:
            gradient = field.compute(sx.discrete_gradient, **self.engine_options())
            write_critical_points(outputs[0], on_host(gradient.critical), field)
            self.keep_report(gradient, field)
        self.add_dimension(outputs[0], field)

    def settings_to_divide(self) -> list[str]:
        """The settings that must change to run in pieces."""
        return self.field_settings_to_divide()

    def execute_part(
        self, part: Part, exchange: Exchange, outputs: list[Any]
    ) -> dict[int, list[Held]]:
        piece, field = self.piece_of(part, exchange, 1.0)
        write_critical_points(outputs[0], on_host(piece.critical), field)
        self.keep_report(piece, field, counts=piece.counts)
        return {}


def write_link_points(output: Any, found: Any, field: MeshField) -> None:
    """One vertex per critical point; all arrays are in host memory."""
    fill_polydata(output, field.cells.points[found.point], vertices=True)
    pieces = np.ascontiguousarray(found.pieces.T)
    add(
        output.GetPointData(),
        of_field(field, field.source.name, found.value),
        to_vtk(found.type.astype(np.int8), "CriticalType"),
        to_vtk(found.on_boundary.astype(np.int8), "IsOnBoundary"),
        ids_to_vtk(found.point, "ttkVertexScalarField"),
        to_vtk(pieces[0], "NumberOfLowerPieces"),
        to_vtk(pieces[1], "NumberOfUpperPieces"),
        to_vtk(found.vector, "CriticalSimplices"),
        active="CriticalType",
    )
