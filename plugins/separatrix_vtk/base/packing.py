"""Datasets as NumPy arrays and plain values, and back, to send them between processes.

VTK would write the dataset as a file in memory, which is a hundred times slower for an image of 128
cubed, and before VTK 9.3 omits the directions of its axes. Pickled, these arrays are not copied.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkDataArray, vtkPoints, vtkStringArray
from vtkmodules.vtkCommonDataModel import (
    vtkDataObject,
    vtkImageData,
    vtkPolyData,
    vtkTable,
    vtkUnstructuredGrid,
)

from separatrix_vtk.base.arrays import NOT_ACTIVE, arrays_in, cells_of, from_vtk, to_vtk
from separatrix_vtk.base.datasets import direction_of, new_dataset
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.join import as_grid, cell_types, has_polyhedra

Packed = dict[str, Any]
CELLS = ("Verts", "Lines", "Polys", "Strips")
ATTRIBUTES = ("POINT", "CELL", "ROW", "FIELD")


def packed(dataset: Any) -> Packed:
    """The content of a dataset, in its memory where possible."""
    dataset = _as_plain(dataset)
    content: Packed = {"class": dataset.GetClassName(), "cells": {}}
    if isinstance(dataset, vtkImageData):
        content["grid"] = (dataset.GetExtent(), dataset.GetSpacing(), dataset.GetOrigin())
        content["direction"] = direction_of(dataset).ravel().tolist()
    elif not isinstance(dataset, vtkTable) and dataset.GetPoints() is not None:
        content["points"] = _values(dataset.GetPoints().GetData())
    if isinstance(dataset, vtkPolyData):
        content["cells"] = {kind: _cells(getattr(dataset, f"Get{kind}")()) for kind in CELLS}
    elif isinstance(dataset, vtkUnstructuredGrid) and dataset.GetNumberOfCells():
        content["types"] = _values(cell_types(dataset))
        content["cells"] = {"Cells": _cells(dataset.GetCells())}
    attributes = {place: _attributes(dataset, place) for place in ATTRIBUTES}
    content["arrays"] = {place: _arrays(a) for place, a in attributes.items() if a is not None}
    return content


def unpacked(content: Packed) -> Any:
    """The dataset of a content."""
    dataset = new_dataset(content["class"])
    if "grid" in content:
        extent, spacing, origin = content["grid"]
        dataset.SetExtent(extent)
        dataset.SetSpacing(spacing)
        dataset.SetOrigin(origin)
        dataset.SetDirectionMatrix(*content["direction"])
    if "points" in content:
        points = vtkPoints()
        points.SetData(to_vtk(*content["points"]))
        dataset.SetPoints(points)
    before = [to_vtk(*content["types"])] if "types" in content else []
    for kind, cells in content["cells"].items():
        if cells is not None:
            getattr(dataset, f"Set{kind}")(*before, cells_of(*cells))
    for place, entries in content["arrays"].items():
        for name, names, active, values in entries:
            array = _texts(*values) if isinstance(values[1], list) else to_vtk(*values)
            array.SetName(name)
            for part, component in names.items():
                array.SetComponentName(part, component)
            attributes = _attributes(dataset, place)
            number = attributes.AddArray(array)
            if active != NOT_ACTIVE:
                attributes.SetActiveAttribute(number, active)
    return dataset


def _attributes(dataset: Any, place: str) -> Any:
    return dataset.GetAttributesAsFieldData(getattr(vtkDataObject, place))


def _cells(cells: Any) -> tuple[np.ndarray, ...] | None:
    """Offsets and items; None without cells."""
    if cells is None or not cells.GetNumberOfCells():
        return None
    both = (cells.GetOffsetsArray(), cells.GetConnectivityArray())
    return tuple(from_vtk(ids).astype(np.int64) for ids in both)


def _arrays(attributes: Any) -> list[tuple[Any, ...]]:
    """Name, names of components, attribute type, and values of each array of numbers or texts."""
    found = []
    for i, array in enumerate(arrays_in(attributes)):
        if not isinstance(array, (vtkDataArray, vtkStringArray)):
            continue  # variants and the like, which no filter uses
        n = array.GetNumberOfComponents()
        parts = range(n if array.HasAComponentName() else 0)
        names = {k: array.GetComponentName(k) for k in parts if array.GetComponentName(k)}
        is_field = not hasattr(attributes, "IsArrayAnAttribute")
        active = NOT_ACTIVE if is_field else attributes.IsArrayAnAttribute(i)
        if isinstance(array, vtkDataArray):
            values = _values(array)
        else:  # VTK returns texts that are not UTF-8 as bytes
            values = n, [array.GetValue(k) for k in range(array.GetNumberOfValues())]
        found.append((array.GetName(), names, active, values))
    return found


def _values(array: vtkDataArray) -> tuple[Any, ...]:
    """The arguments of to_vtk that make the array, without its name."""
    return from_vtk(array), None, array.GetDataType()


def _texts(n_components: int, texts: list[str | bytes]) -> vtkStringArray:
    array = vtkStringArray()
    array.SetNumberOfComponents(n_components)
    for text in texts:
        array.InsertNextValue(text)
    return array


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
