"""The persistence diagram of a field: which features there are, and how much each stands out.

Ports, arrays and codes are TTK's. (id) is vtkIdType, (i8) signed char, (i64) a 64-bit integer, (d)
double.

port 0  Persistence Diagram  a line a pair of critical points, and last the diagonal
        in the plane: from (birth, birth) to (birth, death); or in the domain, between both critical
        points, without the diagonal
    point   ttkVertexScalarField (id)  point id of the critical cell's highest vertex (cell data:
                                   cell id)
            CriticalType (i8)      0 minimum, 1 and 2 saddles, 3 maximum, in 2D too
            Coordinates (d, 3)     where the critical point lies in the domain
            CellId (id)            index of the critical cell, as in MorseSmaleComplex
    cell    PairIdentifier (id)    0, 1, ...; -1 the diagonal
            PairType (i8)          dimension: 0 minimum and saddle, 1 two saddles (2D: saddle and
                                   maximum), 2 saddle and maximum; -1 the diagonal
            Persistence, Birth, Death (d)
            IsFinite (i8)          0 for a class that nothing ends; it is drawn up to the maximum
port 1  Persistence Curves  a table, one row a persistence that occurs
            Persistence (d)        a threshold
            Number Of Pairs (...) (i64)  how many pairs have that persistence or more: of all, and
                                   of each dimension that was computed
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any, ClassVar

from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.report import device_of, report_of_pairs
from separatrix_vtk.base.settings import ChoiceSetting, Setting
from separatrix_vtk.filters.scalar_field.diagram_outputs import write_curves, write_diagram
from separatrix_vtk.filters.scalar_field.grid_filter import GridFilter
from separatrix_vtk.filters.scalar_field.outputs import on_host


class PersistenceDiagram(GridFilter):
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

    OTHER_NAMES: ClassVar = {"dimensions": tuple(f"compute_dimension_{d}" for d in range(3))}

    compute_dimension_0 = Setting(
        True, "pairs of a minimum and a saddle: components", name="ComputeDimension0"
    )
    compute_dimension_1 = Setting(
        True,
        "pairs of two saddles: tunnels (2D: of a saddle and a maximum)",
        name="ComputeDimension1",
    )
    compute_dimension_2 = Setting(
        True, "pairs of a saddle and a maximum: voids (3D)", name="ComputeDimension2"
    )
    show_zero_persistence = Setting(
        False, "show pairs of equal values too: artifacts of plateaus", name="ShowZeroPersistence"
    )
    show_inside_domain = Setting(
        False,
        "draw pairs between their critical points instead of the plane",
        name="ShowInsideDomain",
    )
    order = ChoiceSetting(
        "index",
        "plateau",
        documentation="how equal values are ordered: by index, or by distance in their plateau",
        name="Order",
    )

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The engine's name of the three switches: the dimensions that are computed."""
        on = (self.compute_dimension_0, self.compute_dimension_1, self.compute_dimension_2)
        return tuple(dimension for dimension in range(3) if on[dimension])

    @dimensions.setter
    def dimensions(self, wanted: int | Iterable[int]) -> None:
        chosen = list(wanted) if isinstance(wanted, Iterable) else [wanted]
        if not chosen or any(d not in (0, 1, 2) for d in chosen):
            raise FilterError(f"dimensions takes some of 0, 1 and 2, as [0, 2]; {wanted!r} came")
        for dimension in range(3):
            setattr(self, f"compute_dimension_{dimension}", dimension in chosen)

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        _, field = self.read_field(inputs[0])
        options = self.engine_options(0.0, 0.95)
        begun = time.perf_counter()
        every = on_host(
            field.persistence_diagram(
                dimensions=self._checked_dimensions(),
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

    def _checked_dimensions(self) -> tuple[int, ...]:
        if not self.dimensions:
            raise FilterError("no dimension is switched on: choose at least one")
        return self.dimensions
