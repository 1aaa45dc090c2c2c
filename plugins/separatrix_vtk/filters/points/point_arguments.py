"""Points as arguments of functions: datasets, or arrays, which become datasets over their memory.

Arrays are those of the engine: NumPy, CuPy, DLPack, and the array interfaces. Numbers of the points
(radii, weights) may be arrays, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkPointSet, vtkPolyData, vtkTable

import separatrix as sx
from separatrix.errors import Words
from separatrix_vtk.base.arrays import to_vtk, vtk_points
from separatrix_vtk.base.datasets import vtk_dataset, wrapper_for
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.join import size_of
from separatrix_vtk.filters.points.point_set import attributes_of

INTERFACES = ("__array__", "__array_interface__", "__cuda_array_interface__", "__dlpack__")


def points_given(given: Any, what: str = "points", *, in_space: bool = True) -> Any:
    """The dataset of points, or one over the memory of an array.

    An array (n, 3), or (n, 2) in the plane z = 0, becomes polygonal data without cells. Unless
    `in_space`, an array (n, k) becomes a table of the columns x0, x1, ...
    """
    shape = "(n, 3)" if in_space else "(n, k)"
    if not is_array(given):
        kinds = "vtkPolyData, vtkTable, vtkMolecule, ..."
        return vtk_dataset(given, what, f"points of VTK ({kinds}) or an array of shape {shape}")
    array = real_array(given, what)
    if array.ndim != 2 or not array.shape[1]:
        raise FilterError(what, f"an array of shape {shape}", Words(f"shape {array.shape}"))
    if in_space:
        return _in_space(array, what)
    table = vtkTable()
    for k, column in enumerate(array.T):
        table.AddColumn(to_vtk(column, f"x{k}"))
    return table


def with_numbers(dataset: Any, given: Any, name: str, what: str) -> Any:
    """A shallow copy of the dataset with another point array."""
    if not isinstance(dataset, (vtkPointSet, vtkTable)) and not dataset.IsA("vtkMolecule"):
        raise FilterError(
            f"{what} can be an array only for a point set, molecule, or table; got "
            f"{dataset.GetClassName()}. Add an array to each block, and pass its name."
        )
    array = real_array(given, what)
    n = size_of(dataset)
    if array.shape != (n,):
        expected = f"of shape ({n},), one number per point"
        raise FilterError(what, expected, Words(f"shape {array.shape}"))
    copy = dataset.NewInstance()
    copy.ShallowCopy(dataset)
    attributes_of(copy).AddArray(to_vtk(array, name))
    return wrapper_for(dataset)(copy)  # a new instance of a PyVista dataset is a plain one


def is_array(given: Any) -> bool:
    """Whether an argument is an array or a sequence, not a dataset or a single number."""
    if isinstance(given, vtkDataObject) or hasattr(given, "VTKObject"):
        return False
    if isinstance(given, (list, tuple)):
        return True
    return getattr(given, "shape", None) != () and any(hasattr(given, one) for one in INTERFACES)


def real_array(given: Any, what: str) -> np.ndarray:
    """The numbers as a NumPy array for VTK: real, in native byte order."""
    array = sx.to_host(given)
    if array.dtype.kind not in "buif" or array.dtype.itemsize > 8:
        raise FilterError(what, "real numbers", Words(f"an array of {array.dtype}"))
    if array.dtype.kind == "b" or array.dtype == np.float16:
        array = array.astype(np.float32)
    return np.ascontiguousarray(array, array.dtype.newbyteorder("="))


def _in_space(array: np.ndarray, what: str) -> vtkPolyData:
    if array.shape[1] not in (2, 3):
        raise FilterError(
            *(what, "an array of shape (n, 3) or (n, 2)", Words(f"shape {array.shape}")),
            "Choose the columns that are x, y, and z.",
        )
    if array.dtype.kind != "f":
        array = array.astype(np.float64)
    if array.shape[1] == 2:
        array = np.column_stack([array, np.zeros(len(array), array.dtype)])
    made = vtkPolyData()
    made.SetPoints(vtk_points(array))
    return made
