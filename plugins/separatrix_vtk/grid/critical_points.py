"""The critical points of an image alone.

port 0  Critical Points   vertices, one a critical cell, at the cell's centre; point arrays
            <the field>, CellDimension, CellId, IsOnBoundary, ttkVertexScalarField, CriticalType
        as on port 0 of MorseSmaleComplex (see there), ManifoldSize left out.
"""

from __future__ import annotations

from typing import Any

import separatrix as sx
from separatrix_vtk.grid.grid_filter import GridFilter
from separatrix_vtk.grid.outputs import on_host, write_critical_points


class CriticalPoints(GridFilter):
    """Critical points of 1D, 2D or 3D image data: minima, saddles and maxima with their values.

    >>> points = CriticalPoints()
    >>> points.SetInputConnection(source.GetOutputPort())
    >>> points.Update()
    >>> points.GetOutput().GetPointData().GetArray("CellDimension")
    """

    OUTPUTS = (("Critical Points", "vtkPolyData"),)

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        _, field = self.read_field(inputs[0])
        gradient = sx.discrete_gradient(
            field.values, **field.engine_arguments(), **self.engine_options()
        )
        critical = on_host(gradient.critical)
        write_critical_points(outputs[0], critical, field, gradient.grid.dimension)
        self.keep_report(gradient)
