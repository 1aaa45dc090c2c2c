"""The persistence diagram of a field: its features and their persistence.

Ports, arrays and codes are TTK's. (id) is vtkIdType, (i8) signed char, (i64) a 64-bit integer, (d)
double.

port 0  Persistence Diagram  one line per pair of critical points: in the plane, from (birth,
        birth) to (birth, death), followed by the diagonal; or in the domain, between both points
    point   ttkVertexScalarField (id)  point id of the critical cell's highest vertex (cell data:
                                   cell id)
            CriticalType (i8)      0 minimum, 1 and 2 saddles, 3 maximum, in 2D too
            Coordinates (d, 3)     position of the critical point in the domain
            CellId (id)            index of the critical cell, as in MorseSmaleComplex
    cell    PairIdentifier (id)    0, 1, ...; -1 the diagonal
            PairType (i8)          dimension: 0 minimum and saddle, 1 two saddles (2D: saddle and
                                   maximum), 2 saddle and maximum; -1 the diagonal
            Persistence, Birth, Death (d)
            IsFinite (i8)          0 for an essential class, which is drawn up to the maximum
port 1  Persistence Curves  a table with one row per persistence that occurs
            Persistence (d)        a threshold
            Number Of Pairs (...) (i64)  number of pairs with at least that persistence: of all, and
                                   of each computed dimension
"""

from __future__ import annotations

import time
from typing import Any

from separatrix.options import PersistenceDiagramOptions
from separatrix_vtk.base.computing import device_of
from separatrix_vtk.filters.scalar_field.diagram_outputs import write_curves, write_diagram
from separatrix_vtk.filters.scalar_field.grid_filter import GridFilter, report_of_pairs
from separatrix_vtk.filters.scalar_field.outputs import on_host


class PersistenceDiagram(PersistenceDiagramOptions, GridFilter):
    """Persistence diagram of the sublevel sets of a scalar field on image data or on a mesh.

    >>> diagram = PersistenceDiagram(compute_dimension_1=False)
    >>> diagram.SetInputConnection(source.GetOutputPort())
    >>> diagram.Update()
    >>> diagram.GetOutput().GetCellData().GetArray("Persistence")
    """

    OUTPUTS = (
        ("Persistence Diagram", "vtkUnstructuredGrid"),
        ("Persistence Curves", "vtkTable"),
    )

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        self.check_together()
        _, field = self.read_field(inputs[0])
        options = self.engine_options(0.0, 0.95)
        begun = time.perf_counter()
        every = on_host(
            field.persistence_diagram(
                dimensions=self.dimensions,
                zero_persistence=True,
                order=self.order,
                **options,
            )
        )
        seconds = time.perf_counter() - begun
        pairs = every if self.show_zero_persistence else every.nonzero()
        write_diagram(outputs[0], pairs, field, self.show_inside_domain)
        write_curves(outputs[1], pairs, field.dimension, field.value_range)
        self.tell_dimension(outputs[0], field)
        self._report = {
            "device": device_of(options),
            **field.size,
            **report_of_pairs(every, dimensions=self.dimensions),
            "seconds": {"persistence diagram": seconds},
        }
