"""A scalar field without some of its minima and maxima, with the order of its points.

port 0  Simplified Field  the input, with two arrays in place of the scalar field
    <the field> (f)            its values without the extrema that were removed
    <the field>_Order (id)     rank of each point (of cell data: cell), 0 for the lowest, as in TTK
    field   PersistenceThreshold (d), NumberOfMinima, NumberOfMaxima (i64), LargestChange (d)

Filters on fields find the order by its name if their Order is Array; in it, the field has exactly
the minima and maxima that were kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import separatrix as sx
from separatrix.errors import Words
from separatrix.options import TopologicalSimplificationOptions
from separatrix_vtk.base.arrays import add, add_numbers, difference, from_vtk
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.filters.scalar_field.field import Field
from separatrix_vtk.filters.scalar_field.grid_filter import LevelFilter
from separatrix_vtk.filters.scalar_field.outputs import MAXIMUM, simplified_arrays

MINIMUM = 0  # CriticalType
OF_CRITICAL_POINTS = ("CriticalType", "ttkVertexScalarField")


class TopologicalSimplification(TopologicalSimplificationOptions, LevelFilter):
    """Removal of minima and maxima from a scalar field, by persistence or by choice.

    Input 0: an image or a mesh. Input 1, optional: critical points to keep, as port 0 of
    CriticalPoints, MorseSmaleComplex, or PersistenceDiagram contains them, or some of them.

    >>> simplification = TopologicalSimplification(persistence=0.5)
    >>> simplification.SetInputConnection(source.GetOutputPort())
    >>> complex = MorseSmaleComplex(order="array")
    >>> complex.SetInputConnection(simplification.GetOutputPort())
    """

    INPUT_TYPE = ("vtkDataSet", "vtkPointSet")
    OUTPUTS = (("Simplified Field", "vtkDataSet"),)

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        dataset, field = self.read_field(inputs[0])
        threshold, relative = self.level(field)
        chosen = chosen_extrema(inputs[1] if len(inputs) > 1 else None)
        level = {"persistence": threshold, "relative": relative}
        simple = self.compute_in_one_stage(
            "simplification", field, sx.simplify_field, **level, **chosen
        )
        output = outputs[0]
        output.ShallowCopy(dataset)
        name = field.source.name
        add(field.attributes_of(output), *simplified_arrays(field, name, simple), active=name)
        found = {
            "persistence": threshold * (field.value_range if relative else 1.0),
            "minima": len(simple.minima),
            "maxima": len(simple.maxima),
            "largest_change": largest_change(field, simple.values),
        }
        names = ("PersistenceThreshold", "NumberOfMinima", "NumberOfMaxima", "LargestChange")
        add_numbers(output, dict(zip(names, found.values(), strict=True)))
        self.add_dimension(output, field)
        self._report = {**self._report, **found}


def chosen_extrema(points: Any) -> dict[str, np.ndarray]:
    """The vertices of the minima and maxima among critical points; empty without points."""
    if points is None:
        return {}
    columns = []
    for name in OF_CRITICAL_POINTS:
        array = points.GetPointData().GetArray(name)
        if array is None:
            raise FilterError(
                "The second input must be critical points, with the point arrays CriticalType and "
                f"ttkVertexScalarField; {name} is missing. Connect the first output of "
                "CriticalPoints, PersistenceDiagram, or MorseSmaleComplex."
            )
        columns.append(from_vtk(array))
    kind, vertices = columns
    if vertices.dtype.kind not in "iu":
        got = Words(f"dtype {vertices.dtype}")
        raise FilterError("ttkVertexScalarField", "an array of integers", got)
    return {"minima": vertices[kind == MINIMUM], "maxima": vertices[kind == MAXIMUM]}


def largest_change(field: Field, values: np.ndarray) -> float:
    """The largest absolute difference from the field."""
    before, after = field.values.reshape(-1), values.reshape(-1)
    changed = np.flatnonzero((before != after) & ~np.isnan(before))  # NaN is masked, and stays
    low, high = np.minimum(before, after)[changed], np.maximum(before, after)[changed]
    return float(difference(high, low).max(initial=0))
