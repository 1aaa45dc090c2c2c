"""What the points of a molecule hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy


def column(atoms: Any, name: str) -> list[Any]:
    array = atoms.GetPointData().GetAbstractArray(name)
    return [array.GetValue(i) for i in range(array.GetNumberOfValues())]


def places(atoms: Any) -> np.ndarray:
    return np.array(vtk_to_numpy(atoms.GetPoints().GetData()))
