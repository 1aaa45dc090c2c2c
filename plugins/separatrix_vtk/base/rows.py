"""Some rows of VTK's arrays, of numbers or of text, and of all arrays of point or cell data."""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkDataArray, vtkIdList

from separatrix_vtk.base.arrays import from_vtk, to_vtk

NOT_ACTIVE = -1  # of what IsArrayAnAttribute answers


def add_rows(taken: Any, given: Any, rows: np.ndarray) -> None:
    """Add some rows of all arrays of other attributes; what is active there is so here."""
    for i in range(given.GetNumberOfArrays()):
        array = given.GetAbstractArray(i)
        place = taken.AddArray(rows_of(array, rows))
        if not isinstance(array, vtkDataArray):
            continue  # text can take the place of active scalars by their name
        if (active := given.IsArrayAnAttribute(i)) != NOT_ACTIVE:
            taken.SetActiveAttribute(place, active)


def rows_of(array: Any, rows: np.ndarray) -> Any:
    """Some rows of an array of numbers or of text."""
    if isinstance(array, vtkDataArray):
        taken = to_vtk(from_vtk(array)[rows], array.GetName(), array.GetDataType())
        taken.CopyComponentNames(array)
        return taken
    ids, made = vtkIdList(), array.NewInstance()
    made.SetName(array.GetName())
    made.SetNumberOfComponents(array.GetNumberOfComponents())
    made.CopyComponentNames(array)
    made.SetNumberOfTuples(len(rows))
    if array.GetNumberOfComponents() > 1:  # of texts, whose GetTuples takes one of them in VTK 9.2
        for i, row in enumerate(rows.tolist()):
            made.SetTuple(i, row, array)
        return made
    for row in rows.tolist():
        ids.InsertNextId(row)
    array.GetTuples(ids, made)
    return made
