"""NumPy arrays as VTK arrays and back, sharing memory wherever VTK can; datasets made of arrays.

What goes out is not copied (the VTK array keeps the NumPy array alive) unless it is read-only and
not given away: then somebody reads it later, a kept complex for one, and VTK lets everybody write.
What comes in is copied only where VTK keeps no plain buffer: implicit arrays, structures of arrays,
bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.util.vtkConstants import VTK_BIT, VTK_ID_TYPE, VTK_SIGNED_CHAR, VTK_UNSIGNED_CHAR
from vtkmodules.vtkCommonCore import vtkDataArray, vtkObjectBase, vtkPoints
from vtkmodules.vtkCommonDataModel import (
    vtkCellArray,
    vtkDataObject,
    vtkDataSetAttributes,
    vtkPolyData,
)

NONE = -1  # the index of nothing, in every array of the engine

_given_away = ContextVar("whether nobody reads results later", default=False)


@contextmanager
def giving_away(is_given: bool) -> Iterator[None]:
    """Within it read-only arrays are VTK's alone from now on, if `is_given`."""
    token = _given_away.set(is_given)
    try:
        yield
    finally:
        _given_away.reset(token)


def is_to_stay(values: np.ndarray) -> bool:
    """Whether somebody may read `values` later, who has made them read-only."""
    return not (values.flags.writeable or _given_away.get())


def from_vtk(array: vtkDataArray) -> np.ndarray:
    """The values (n,) or (n, components) of a VTK array, in its own memory where that can be."""
    try:
        return np.asarray(vtk_to_numpy(array))
    except (AttributeError, AssertionError, BufferError, NameError, TypeError, ValueError):
        # The NameError is VTK 9.7's own, of implicit arrays such as vtkConstantTypeFloat64Array.
        is_bits = array.GetDataType() == VTK_BIT
        plain = vtkDataArray.CreateDataArray(VTK_UNSIGNED_CHAR if is_bits else array.GetDataType())
        plain.DeepCopy(array)
        return np.asarray(vtk_to_numpy(plain))


def to_vtk(values: np.ndarray, name: str | None, data_type: int | None = None) -> vtkDataArray:
    """A VTK array over the memory of `values` (n,) or (n, components). `data_type` is VTK's number.

    Bits are copied, what is to stay as it is, and what is in the memory of another VTK array: VTK
    9.2 lets go of a NumPy array while it walks through a table of such arrays, and crashes where
    that has one in it.

    int8 becomes vtkSignedCharArray in every VTK (9.2 would choose vtkCharArray).
    """
    values = np.ascontiguousarray(values)
    if data_type == VTK_BIT:
        bits = vtkDataArray.CreateDataArray(VTK_BIT)
        bits.DeepCopy(numpy_to_vtk(values, deep=0, array_type=VTK_UNSIGNED_CHAR))
        bits.SetName(name)
        return bits
    if data_type is None and values.dtype == np.int8:
        data_type = VTK_SIGNED_CHAR
    array = numpy_to_vtk(values, deep=is_of_another(values), array_type=data_type)
    array.SetName(name)
    return array


def is_of_another(values: np.ndarray) -> bool:
    """Whether the memory of `values` is not to be written to, or that of a VTK object."""
    if is_to_stay(values):
        return True
    owner: Any = values
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return isinstance(owner, memoryview) and isinstance(owner.obj, vtkObjectBase)


def ids_to_vtk(values: np.ndarray, name: str) -> vtkDataArray:
    """A vtkIdTypeArray over the memory of `values` (n,) int64."""
    ids = np.ascontiguousarray(values, dtype=np.int64)
    array = numpy_to_vtkIdTypeArray(ids, deep=is_of_another(ids))
    array.SetName(name)
    return array


def add(attributes: vtkDataSetAttributes, *arrays: vtkDataArray, active: str = "") -> None:
    """Add arrays to point or cell data; `active` names the one that colors by default."""
    for array in arrays:
        attributes.AddArray(array)
    if active:
        attributes.SetActiveScalars(active)


def fill_polydata(
    output: vtkPolyData,
    points: np.ndarray,
    *,
    vertices: bool = False,
    lines: np.ndarray | None = None,
    polygons: tuple[np.ndarray, np.ndarray] | None = None,
) -> None:
    """Points (p, 3) with a vertex cell each, 2-point lines (m, 2), or polygons (offsets, items)."""
    output.SetPoints(vtk_points(points))
    if vertices:
        output.SetVerts(cells_of(np.arange(len(points) + 1), np.arange(len(points))))
    if lines is not None:
        output.SetLines(line_cells(lines))
    if polygons is not None:
        output.SetPolys(cells_of(*polygons))


def vtk_points(points: np.ndarray) -> vtkPoints:
    """Points over the memory of coordinates, three a point."""
    made = vtkPoints()
    made.SetData(to_vtk(points.reshape(-1, 3), "Points"))
    return made


def line_cells(lines: np.ndarray) -> vtkCellArray:
    """Lines of two points (m, 2) as cells."""
    return cells_of_one_size(lines.reshape(-1, 2))


def cells_of_one_size(corners: np.ndarray) -> vtkCellArray:
    """Cells of so many points each, from their points (n, size)."""
    n, size = corners.shape
    return cells_of(np.arange(n + 1) * size, corners.reshape(-1).astype(np.int64, copy=False))


def add_numbers(dataset: vtkDataObject, numbers: Mapping[str, float]) -> None:
    """Add single numbers to the field data of a dataset: int64 or double."""
    for name, number in numbers.items():
        dataset.GetFieldData().AddArray(to_vtk(np.array([number]), name))


def cells_of(offsets: np.ndarray, items: np.ndarray) -> vtkCellArray:
    """Cells whose points are `items`, cut at `offsets`."""
    cells = vtkCellArray()
    cells.SetData(for_cells(offsets), for_cells(items))
    return cells


def for_cells(ids: np.ndarray) -> vtkDataArray:
    """Ids for vtkCellArray, which takes over an array's buffer and forgets the array itself.

    Older VTKs, 9.2 for one, keep the NumPy memory alive by the array alone: there it is copied.
    """
    number = VTK_ID_TYPE if ids.dtype == np.int64 else None
    if is_to_stay(ids):
        return numpy_to_vtk(ids, deep=1, array_type=number)
    array = numpy_to_vtk(ids, deep=0, array_type=number)
    kept_by_buffer = hasattr(array, "GetBuffer") and hasattr(array.GetBuffer(), "_numpy_reference")
    return array if kept_by_buffer else numpy_to_vtk(ids, deep=1, array_type=number)


def names_of(attributes: Any) -> list[str]:
    """The names of all arrays of point or cell data, unnamed ones left out."""
    names = (
        attributes.GetAbstractArray(i).GetName() for i in range(attributes.GetNumberOfArrays())
    )
    return [name for name in names if name]
