"""Point sets for the tests of filters, and the arrays of molecules."""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints, vtkStringArray
from vtkmodules.vtkCommonDataModel import vtkMolecule, vtkPolyData, vtkTable

from filters.meshes import named


def cloud(n: int = 40, seed: int = 3) -> np.ndarray:
    """Points (n, 3) float64 in a box of 4 x 3 x 2."""
    return np.random.default_rng(seed).random((n, 3)) * [4.0, 3.0, 2.0] + 7.0


def polydata_of(positions: np.ndarray, **columns: np.ndarray) -> vtkPolyData:
    """Points without cells, with an array for each keyword."""
    points = vtkPoints()
    points.SetData(numpy_to_vtk(np.ascontiguousarray(positions), deep=1))
    data = vtkPolyData()
    data.SetPoints(points)
    for name, values in columns.items():
        data.GetPointData().AddArray(named(values, name))
    return data


def table_of(**columns: np.ndarray) -> vtkTable:
    """A table of columns."""
    table = vtkTable()
    for name, values in columns.items():
        table.AddColumn(named(values, name))
    return table


def with_labels(table: vtkTable) -> vtkTable:
    """The table with a column 'label' of texts."""
    labels = vtkStringArray()
    labels.SetName("label")
    labels.SetNumberOfValues(table.GetNumberOfRows())
    table.AddColumn(labels)
    return table


def molecule_of(positions: np.ndarray, numbers: np.ndarray) -> vtkMolecule:
    """Atoms without bonds."""
    molecule = vtkMolecule()
    for number, place in zip(numbers, positions, strict=True):
        molecule.AppendAtom(int(number), *place)
    return molecule


def column(atoms: Any, name: str) -> list[Any]:
    """The values of a point array, of numbers or text."""
    array = atoms.GetPointData().GetAbstractArray(name)
    return [array.GetValue(i) for i in range(array.GetNumberOfValues())]


def places(atoms: Any) -> np.ndarray:
    """A copy of the positions (n, 3)."""
    return np.array(vtk_to_numpy(atoms.GetPoints().GetData()))
