"""The complete contents of a VTK dataset, and their consistency."""

from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkDataArray
from vtkmodules.vtkCommonDataModel import (
    vtkCellArray,
    vtkCompositeDataSet,
    vtkDataSet,
    vtkImageData,
    vtkPointSet,
    vtkPolyData,
    vtkUnstructuredGrid,
)

from reliability.datasets import tables_of


def content(dataset: Any) -> Any:
    """The contents of a dataset as nested lists that can be compared."""
    if dataset is None:
        return None
    if isinstance(dataset, vtkCompositeDataSet):
        return [dataset.GetClassName(), *(content(leaf) for leaf in leaves(dataset))]
    found: list[Any] = [dataset.GetClassName()]
    for attributes, _ in tables_of(dataset):
        found.append([_array(attributes.GetAbstractArray(i)) for i in _range(attributes)])
    if isinstance(dataset, vtkImageData):
        found += [dataset.GetExtent(), repr(dataset.GetSpacing()), repr(dataset.GetOrigin())]
    if isinstance(dataset, vtkPointSet) and dataset.GetPoints() is not None:
        found.append(_array(dataset.GetPoints().GetData()))
    return found + [[_array(c.GetOffsetsArray()), _array(c.GetConnectivityArray())]
                    for c in cells_of(dataset) if c is not None]  # fmt: skip


def leaves(dataset: Any) -> list[Any]:
    """The leaves of a composite dataset."""
    iterator = dataset.NewIterator()
    iterator.SkipEmptyNodesOff()
    found = []
    while not iterator.IsDoneWithTraversal():
        found.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return found


def cells_of(dataset: Any) -> list[vtkCellArray]:
    """Its cell arrays."""
    if isinstance(dataset, vtkPolyData):
        return [dataset.GetVerts(), dataset.GetLines(), dataset.GetPolys(), dataset.GetStrips()]
    return [dataset.GetCells()] if isinstance(dataset, vtkUnstructuredGrid) else []


def faults(dataset: Any) -> list[str]:
    """Inconsistencies of an output of a filter: arrays of another length, and invalid ids."""
    if dataset is None:
        return ["there is no data set"]
    if isinstance(dataset, vtkCompositeDataSet):
        return [fault for leaf in leaves(dataset) if leaf is not None for fault in faults(leaf)]
    found = []
    for attributes, n in tables_of(dataset)[1:]:
        for i in _range(attributes):
            array = attributes.GetAbstractArray(i)
            if array.GetNumberOfTuples() != n:
                found.append(f"{array.GetName()} has {array.GetNumberOfTuples()} of {n} entries")
    if not isinstance(dataset, vtkDataSet):
        return found
    for cells in cells_of(dataset):
        if cells is None or not cells.GetNumberOfCells():
            continue
        ids = vtk_to_numpy(cells.GetConnectivityArray())
        if ids.size and (ids.min() < 0 or ids.max() >= dataset.GetNumberOfPoints()):
            found.append(f"a cell has point {ids.max()} of {dataset.GetNumberOfPoints()}")
    return found


def is_empty(dataset: Any) -> bool:
    """Whether a dataset has no points, rows, or arrays; an image may have its structure."""
    if dataset is None:
        return True
    if isinstance(dataset, vtkCompositeDataSet):
        return all(is_empty(leaf) for leaf in leaves(dataset))
    has_arrays = any(attributes.GetNumberOfArrays() for attributes, _ in tables_of(dataset))
    is_structure = isinstance(dataset, vtkImageData) or not isinstance(dataset, vtkDataSet)
    return not has_arrays and (is_structure or dataset.GetNumberOfPoints() <= 0)


def _range(attributes: Any) -> range:
    return range(attributes.GetNumberOfArrays())


def _array(array: Any) -> Any:
    if array is None:
        return None
    head = [array.GetName(), array.GetClassName(), array.GetNumberOfComponents()]
    if isinstance(array, vtkDataArray) and array.GetNumberOfValues():
        try:
            return [*head, np.asarray(vtk_to_numpy(array)).tobytes()]
        except (AttributeError, AssertionError, BufferError, TypeError, ValueError):
            n = array.GetNumberOfTuples()
            return [*head, [array.GetTuple(i) for i in range(n)]]
    n = array.GetNumberOfValues()
    return [*head, [str(array.GetVariantValue(i).ToString()) for i in range(n)]]
