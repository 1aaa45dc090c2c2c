"""Arrays of NumPy and VTK over one memory, in ParaView's own VTK: none is released too early."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.paraview

SCRIPT = """
from vtkmodules.vtkCommonCore import vtkDoubleArray
from vtkmodules.vtkCommonDataModel import vtkFieldData
from separatrix_vtk.base.arrays import from_vtk, ids_to_vtk, to_vtk

def field_of(others):
    field = vtkFieldData()
    for k in range(20):
        values = vtkDoubleArray()
        values.SetNumberOfTuples(5)
        values.SetName("values")
        values.note = k  # so that VTK's wrapper of it outlives Python's last reference
        other = vtkFieldData()
        other.AddArray(values)
        others.append(other)
        field.AddArray(to_vtk(from_vtk(values), f"{k}"))
        field.AddArray(ids_to_vtk(from_vtk(values).view("int64"), f"{k} as ids"))
    return field

for round in range(100):
    others = []
    first = field_of(others)
    second = field_of(others)
    del first
    third = field_of(others)
    del second, third
print(f"REPORT {round + 1}")
"""


def test_an_array_over_another_arrays_memory_does_not_crash_vtk(pvpython) -> None:
    assert pvpython(SCRIPT).report == 100


RANGES = """
import numpy as np
from vtkmodules.vtkCommonCore import vtkAbstractArray
from separatrix_vtk.base.arrays import ids_to_vtk, to_vtk
labels = np.array([3, -1, 8], np.int32)
found = []
for array in (to_vtk(labels, "labels"), ids_to_vtk(labels, "ids")):
    is_known = array.GetInformation().Has(vtkAbstractArray.PER_FINITE_COMPONENT())
    found.append([is_known, *array.GetRange(), *array.GetFiniteRange()])
report(found=found)
"""


def test_paraview_need_not_search_the_ranges_of_labels(pvpython) -> None:
    assert pvpython(RANGES).report["found"] == [[1, -1.0, 8.0, -1.0, 8.0]] * 2
