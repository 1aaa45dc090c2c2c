"""NumPy arrays as VTK arrays and back, sharing memory wherever VTK can; datasets made of arrays.

Output arrays are not copied: the VTK array keeps the NumPy array alive. Read-only arrays are copied
unless they are given away, because a cached complex may read them later, and VTK lets everybody
write. Input arrays are copied only if VTK has no plain buffer: implicit arrays, structures of
arrays, and bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.util.vtkConstants import VTK_BIT, VTK_ID_TYPE, VTK_SIGNED_CHAR, VTK_UNSIGNED_CHAR
from vtkmodules.vtkCommonCore import (
    vtkAbstractArray,
    vtkDataArray,
    vtkIdList,
    vtkObjectBase,
    vtkPoints,
    vtkStringArray,
)
from vtkmodules.vtkCommonDataModel import (
    vtkCellArray,
    vtkDataObject,
    vtkDataSetAttributes,
    vtkPolyData,
)

NONE = -1  # no index, in every array of the engine

_is_passed_on = ContextVar("whether VTK owns results", default=False)
LARGEST_32 = (1 << 31) - 1
NOT_ACTIVE = -1  # result of IsArrayAnAttribute


@contextmanager
def passing_ownership(is_given: bool) -> Iterator[None]:
    """Here VTK owns the read-only arrays that it gets, if `is_given` here or around it."""
    token = _is_passed_on.set(is_given or _is_passed_on.get())
    try:
        yield
    finally:
        _is_passed_on.reset(token)


def has_other_owner(values: np.ndarray) -> bool:
    """Whether an owner that has made `values` read-only may read them later."""
    return not (values.flags.writeable or _is_passed_on.get())


def from_vtk(array: vtkDataArray) -> np.ndarray:
    """The values (n,) or (n, components) of a VTK array, in its memory if possible.

    Bits become unsigned characters.
    """
    try:
        return np.asarray(vtk_to_numpy(array))
    except (AttributeError, AssertionError, BufferError, NameError, TypeError, ValueError):
        # VTK 9.7 raises the NameError for implicit arrays such as vtkConstantTypeFloat64Array.
        kind = array.GetDataType()
        plain = vtkDataArray.CreateDataArray(VTK_UNSIGNED_CHAR if kind == VTK_BIT else kind)
        plain.DeepCopy(array)
        return np.asarray(vtk_to_numpy(plain))


def to_vtk(values: np.ndarray, name: str | None, data_type: int | None = None) -> vtkDataArray:
    """A VTK array over the memory of `values` (n,) or (n, components). `data_type` is VTK's number.

    Bits, values that an owner may read later, and memory of another VTK array are copied. VTK 9.2
    releases a NumPy array while it iterates over a table of such arrays, and crashes if the release
    changes the table. int8 becomes vtkSignedCharArray (VTK 9.2 would choose vtkCharArray).
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
    return named(array, name, values)


def named(array: vtkDataArray, name: str | None, values: np.ndarray) -> vtkDataArray:
    """The array with a name, and with the range of `values` if these are single integers.

    ParaView requests the range of each array of each output, also of hidden ones. VTK 9.2 takes 20
    times as long as NumPy to find it, 0.5 s for the labels of 12 million points.
    """
    array.SetName(name)  # which clears ranges
    if values.ndim == 1 and values.size and values.dtype.kind in "iu":
        ends = numpy_to_vtk(np.array([values.min(), values.max()]), deep=1)
        ends.GetRange(), ends.GetFiniteRange()
        for key in (vtkAbstractArray.PER_COMPONENT(), vtkAbstractArray.PER_FINITE_COMPONENT()):
            array.GetInformation().CopyEntry(ends.GetInformation(), key)
    return array


def is_of_another(values: np.ndarray) -> bool:
    """Whether the memory of `values` must not be written to, or belongs to a VTK object."""
    if has_other_owner(values):
        return True
    owner: Any = values
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return isinstance(owner, memoryview) and isinstance(owner.obj, vtkObjectBase)


def ids_to_vtk(values: np.ndarray, name: str) -> vtkDataArray:
    """A vtkIdTypeArray over the memory of `values` (n,) int64."""
    ids = np.ascontiguousarray(values, dtype=np.int64)
    return named(numpy_to_vtkIdTypeArray(ids, deep=is_of_another(ids)), name, ids)


def texts_to_vtk(texts: Iterable[str], name: str) -> vtkStringArray:
    """A vtkStringArray of texts (n,)."""
    array = vtkStringArray()
    array.SetName(name)
    for text in texts:
        array.InsertNextValue(text)
    return array


def add(attributes: vtkDataSetAttributes, *arrays: vtkDataArray, active: str = "") -> None:
    """Add arrays to point or cell data; `active` is the name of the active scalars."""
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
    """Points (p, 3) as vertices, lines of two points (m, 2), or polygons (offsets, items)."""
    output.SetPoints(vtk_points(points))
    if vertices:
        output.SetVerts(cells_of(np.arange(len(points) + 1), np.arange(len(points))))
    if lines is not None:
        output.SetLines(line_cells(lines))
    if polygons is not None:
        output.SetPolys(cells_of(*polygons))


def vtk_points(points: np.ndarray) -> vtkPoints:
    """Points over the memory of coordinates (n, 3)."""
    made = vtkPoints()
    made.SetData(to_vtk(points.reshape(-1, 3), "Points"))
    return made


def line_cells(lines: np.ndarray) -> vtkCellArray:
    """Lines of two points (m, 2) as cells."""
    return cells_of_one_size(lines.reshape(-1, 2))


def cells_of_one_size(corners: np.ndarray) -> vtkCellArray:
    """Cells of equal size, from their points (n, size)."""
    n, size = corners.shape
    return cells_of(np.arange(n + 1) * size, corners.reshape(-1).astype(np.int64, copy=False))


def add_numbers(dataset: vtkDataObject, numbers: Mapping[str, float]) -> None:
    """Add single numbers to the field data of a dataset: int64 or double."""
    for name, number in numbers.items():
        dataset.GetFieldData().AddArray(to_vtk(np.array([number]), name))


def cells_of(offsets: np.ndarray, items: np.ndarray) -> vtkCellArray:
    """Cells from `offsets` (n + 1,) into `items`, their points; int32 if all of them fit."""
    cells = vtkCellArray()
    is_small = max(len(items), items.max(initial=0)) <= LARGEST_32
    dtype = np.int32 if is_small else np.int64
    cells.SetData(*(for_cells(ids.astype(dtype, copy=False)) for ids in (offsets, items)))
    return cells


def for_cells(ids: np.ndarray) -> vtkDataArray:
    """Ids for vtkCellArray, which keeps the buffer of an array but not the array.

    They are copied if only the array keeps the memory of NumPy alive, as in VTK 9.2.
    """
    number = VTK_ID_TYPE if ids.dtype == np.int64 else None
    if has_other_owner(ids):
        return numpy_to_vtk(ids, deep=1, array_type=number)
    array = numpy_to_vtk(ids, deep=0, array_type=number)
    kept_by_buffer = hasattr(array, "GetBuffer") and hasattr(array.GetBuffer(), "_numpy_reference")
    return array if kept_by_buffer else numpy_to_vtk(ids, deep=1, array_type=number)


def arrays_in(attributes: Any) -> list[Any]:
    """All arrays of point, cell, row, or field data, of numbers or of text."""
    return [attributes.GetAbstractArray(i) for i in range(attributes.GetNumberOfArrays())]


def names_of(attributes: Any) -> list[str]:
    """The names of all named arrays of point or cell data."""
    return [name for array in arrays_in(attributes) if (name := array.GetName())]


def add_rows(taken: Any, given: Any, rows: np.ndarray) -> None:
    """Add some rows of all arrays of other attributes, and make the same arrays active."""
    for i, array in enumerate(arrays_in(given)):
        place = taken.AddArray(rows_of(array, rows))
        if not isinstance(array, vtkDataArray):
            continue  # a text array could replace active scalars by their name
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
    if array.GetNumberOfComponents() > 1:  # GetTuples of texts copies one of them in VTK 9.2
        for i, row in enumerate(rows.tolist()):
            made.SetTuple(i, row, array)
        return made
    for row in rows.tolist():
        ids.InsertNextId(row)
    array.GetTuples(ids, made)
    return made


def difference(highest: np.ndarray, lowest: np.ndarray) -> np.ndarray:
    """Highest - lowest (n,), which are nowhere negative: in their type, or for signed integers in
    one without overflow. Overflow of floating-point numbers gives the largest number.
    """
    kind, size = highest.dtype.kind, highest.dtype.itemsize
    if kind == "i" and size == 8:  # may exceed 2^63, but is exact modulo 2^64
        return (highest.view(np.uint64) - lowest.view(np.uint64)).astype(np.float64)
    if kind == "i":
        return np.subtract(highest, lowest, dtype=np.int64)
    if kind == "f":
        with np.errstate(over="ignore"):
            return np.minimum(highest - lowest, np.finfo(highest.dtype).max)
    return highest - lowest


def range_between(values: np.ndarray, lowest: int, highest: int) -> float:
    """Difference of two of the values (n,), by the indices of the lowest and the highest."""
    return float(difference(values[[highest]], values[[lowest]])[0])
