"""The discrete gradient of a field for display: each cell is critical or paired with another.

port 0  Critical Points   as port 0 of CriticalPoints
port 1  Gradient          one vertex per pair, at the center of its lower cell; for the Glyph filter
    point   GradientVector (double, 3)  from there to the center of the upper cell
            CellDimension (i8)     dimension of the lower cell
            CellId, PairedCellId (id)  the lower and the upper cell of the pair
port 2  Gradient Arrows   the same pairs as lines of two points
    point   PairOrigin (i8)        0 at the lower cell, 1 at the upper
            CellDimension (i8), CellId (id)
    cell    PairType, CellDimension (i8)  dimension of the lower cell

On a mesh, points and top cells have the ids of the input; edges and the triangles of tetrahedra
have the ids of the engine (see MeshRelations).
"""

from __future__ import annotations

from typing import Any

import separatrix as sx
from separatrix.options import DiscreteGradientOptions
from separatrix_vtk.filters.scalar_field.grid_filter import GridFilter
from separatrix_vtk.filters.scalar_field.outputs import (
    POINT_ARRAYS,
    on_host,
    write_critical_points,
    write_pairs,
)


class DiscreteGradient(DiscreteGradientOptions, GridFilter):
    """Discrete gradient of image data or of a mesh as points with vectors and as lines.

    >>> gradient = DiscreteGradient(stride=8)
    >>> gradient.SetInputConnection(source.GetOutputPort())
    >>> gradient.Update()
    >>> gradient.GetOutput(1).GetPointData().GetVectors()
    """

    OUTPUTS = (
        ("Critical Points", "vtkPolyData"),
        ("Gradient", "vtkPolyData"),
        ("Gradient Arrows", "vtkPolyData"),
    )
    MADE_ARRAYS = POINT_ARRAYS

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        _, field = self.read_field(inputs[0])
        gradient = field.compute(sx.discrete_gradient, **self.engine_options(0.0, 0.8))
        critical = on_host(gradient.critical)
        write_critical_points(outputs[0], critical, field)
        self.add_dimension(outputs[0], field)
        self.step(0.9, "arrows")
        write_pairs(outputs[1], outputs[2], on_host(gradient.arrows(self.stride)))
        self.keep_report(gradient, field)
