"""Datasets as plain arrays and a header, and back, to send them between processes.

VTK would write the dataset as a file in memory, which is a hundred times slower for an image of 128
cubed, and before VTK 9.3 omits the directions of its axes. Here the arrays are sent as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.util.vtkConstants import VTK_BIT, VTK_ID_TYPE
from vtkmodules.vtkCommonCore import vtkDataArray, vtkPoints, vtkStringArray
from vtkmodules.vtkCommonDataModel import (
    vtkDataObject,
    vtkImageData,
    vtkPolyData,
    vtkTable,
    vtkUnstructuredGrid,
)

from separatrix_vtk.base.arrays import NOT_ACTIVE, cells_of, from_vtk, plain_copy, to_vtk
from separatrix_vtk.base.datasets import direction_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.join import as_grid, cell_types, has_polyhedra

Header = dict[str, Any]  # texts and numbers only
CELLS = ("Verts", "Lines", "Polys", "Strips")
CLASSES = {
    kind.__name__: kind for kind in (vtkImageData, vtkPolyData, vtkTable, vtkUnstructuredGrid)
}
ATTRIBUTES = {
    "points": vtkDataObject.POINT,
    "cells": vtkDataObject.CELL,
    "rows": vtkDataObject.ROW,
    "field": vtkDataObject.FIELD,
}


def packed(dataset: Any) -> tuple[Header, list[vtkDataArray]]:
    """The header of a dataset, and its numeric arrays in the order of the header."""
    dataset = _as_plain(dataset)
    packing = _Packing()
    header: Header = {"class": dataset.GetClassName()}
    if isinstance(dataset, vtkImageData):
        header["extent"] = list(dataset.GetExtent())
        header["spacing"] = list(dataset.GetSpacing())
        header["origin"] = list(dataset.GetOrigin())
        header["direction"] = direction_of(dataset).ravel().tolist()
    elif not isinstance(dataset, vtkTable):
        points = dataset.GetPoints()
        header["places"] = packing.take(None if points is None else points.GetData())
    if isinstance(dataset, vtkPolyData):
        for kind in CELLS:
            header[kind] = packing.take_cells(getattr(dataset, f"Get{kind}")())
    elif isinstance(dataset, vtkUnstructuredGrid) and dataset.GetNumberOfCells():
        header["kinds"] = packing.take(cell_types(dataset))
        header["Cells"] = packing.take_cells(dataset.GetCells())
    for name, number in ATTRIBUTES.items():
        attributes = dataset.GetAttributesAsFieldData(number)
        header[name] = [] if attributes is None else packing.take_all(attributes)
    return {**header, "arrays": packing.layouts}, packing.arrays


def unpacked(header: Header, arrays: list[vtkDataArray]) -> Any:
    """The dataset of a header and its arrays."""
    dataset = CLASSES[header["class"]]()
    if "extent" in header:
        dataset.SetExtent(header["extent"])
        dataset.SetSpacing(header["spacing"])
        dataset.SetOrigin(header["origin"])
        dataset.SetDirectionMatrix(*header["direction"])
    if header.get("places") is not None:
        points = vtkPoints()
        points.SetData(arrays[header["places"]])
        dataset.SetPoints(points)
    for kind in CELLS:
        if header.get(kind):
            getattr(dataset, f"Set{kind}")(_cells(header[kind], arrays))
    if "Cells" in header:
        dataset.SetCells(arrays[header["kinds"]], _cells(header["Cells"], arrays))
    for name, number in ATTRIBUTES.items():
        for entry in header[name]:
            _put(dataset.GetAttributesAsFieldData(number), entry, arrays)
    return dataset


def empty_array(layout: list[int]) -> vtkDataArray:
    """An array to receive data, of a type, number of components, and number of tuples."""
    kind, n_components, n_tuples = layout
    array = vtkDataArray.CreateDataArray(kind)
    array.SetNumberOfComponents(n_components)
    array.SetNumberOfTuples(n_tuples)
    return array


class _Packing:
    """Arrays to send; `layouts` contains the type, components, and tuples of each."""

    def __init__(self) -> None:
        self.arrays: list[vtkDataArray] = []
        self.layouts: list[list[int]] = []

    def take(self, array: Any) -> int | None:
        """The index of an array, None if it is None or empty."""
        if array is None or not array.GetNumberOfTuples():
            return None
        is_plain = array.GetDataType() != VTK_BIT and array.HasStandardMemoryLayout()
        plain = array if is_plain else plain_copy(array)
        self.arrays.append(plain)
        self.layouts.append(
            [plain.GetDataType(), plain.GetNumberOfComponents(), plain.GetNumberOfTuples()]
        )
        return len(self.arrays) - 1

    def take_cells(self, cells: Any) -> list[int | None]:
        """The indices of offsets and items, [] for no cells."""
        if cells is None or not cells.GetNumberOfCells():
            return []
        both = (cells.GetOffsetsArray(), cells.GetConnectivityArray())
        ids = (to_vtk(from_vtk(array).astype(np.int64), "", VTK_ID_TYPE) for array in both)
        return [self.take(array) for array in ids]

    def take_all(self, attributes: Any) -> list[Header]:
        """The headers of the arrays of point, cell, row, or field data."""
        found = []
        for i in range(attributes.GetNumberOfArrays()):
            array = attributes.GetAbstractArray(i)
            parts = range(array.GetNumberOfComponents() if array.HasAComponentName() else 0)
            entry: Header = {
                "name": array.GetName(),
                "parts": [array.GetComponentName(part) for part in parts],
            }
            if hasattr(attributes, "IsArrayAnAttribute"):
                entry["active"] = attributes.IsArrayAnAttribute(i)
            if isinstance(array, vtkDataArray):
                entry["number"] = self.take(array)
                n = array.GetNumberOfComponents()
                entry["of"] = [array.GetDataType(), n, array.GetNumberOfTuples()]
            elif isinstance(array, vtkStringArray):
                texts = [array.GetValue(k) for k in range(array.GetNumberOfValues())]
                # VTK returns texts that are not UTF-8 as bytes.
                entry["texts"] = [t if isinstance(t, str) else list(t) for t in texts]
                entry["components"] = array.GetNumberOfComponents()
            else:
                continue  # variants and the like, which no filter uses
            found.append(entry)
        return found


def _put(attributes: Any, entry: Header, arrays: list[vtkDataArray]) -> None:
    array: Any
    if "texts" in entry:
        array = vtkStringArray()
        array.SetNumberOfComponents(entry["components"])
        for text in entry["texts"]:
            array.InsertNextValue(text if isinstance(text, str) else bytes(text))
    else:
        number = entry["number"]
        array = empty_array(entry["of"]) if number is None else arrays[number]
        if entry["of"][0] == VTK_BIT:
            array = to_vtk(from_vtk(array), None, VTK_BIT)
    array.SetName(entry["name"])
    for part, name in enumerate(entry["parts"]):
        if name is not None:
            array.SetComponentName(part, name)
    place = attributes.AddArray(array)
    if entry.get("active", NOT_ACTIVE) != NOT_ACTIVE:
        attributes.SetActiveAttribute(place, entry["active"])


def _cells(numbers: list[int | None], arrays: list[vtkDataArray]) -> Any:
    """The cells; without items if no cell has a point."""
    offsets, items = (
        np.empty(0, np.int64) if number is None else from_vtk(arrays[number]) for number in numbers
    )
    return cells_of(offsets, items)


def _as_plain(dataset: Any) -> Any:
    """A dataset of one of CLASSES; structured grids become unstructured."""
    for kind in (vtkImageData, vtkPolyData, vtkUnstructuredGrid, vtkTable):
        if isinstance(dataset, kind):
            if dataset.GetClassName() == kind.__name__:
                if isinstance(dataset, vtkUnstructuredGrid) and has_polyhedra(dataset):
                    break
                return dataset
            made = kind()
            made.ShallowCopy(dataset)
            return made
    if dataset.IsA("vtkDataSet") and not isinstance(dataset, vtkUnstructuredGrid):
        return as_grid(dataset)
    is_grid = isinstance(dataset, vtkUnstructuredGrid)
    what = "Polyhedra" if is_grid else f"A {dataset.GetClassName()}"
    raise FilterError(
        f"{what} of one process cannot be gathered on another. Apply Tetrahedralize to cells, or "
        "Table To Points to atoms."
    )
