"""Datasets by their classes, and where a pipeline keeps them."""

from __future__ import annotations

from typing import Any

from vtkmodules import vtkCommonDataModel
from vtkmodules.vtkCommonDataModel import (
    vtkDataObject,
    vtkImageData,
    vtkPolyData,
    vtkUnstructuredGrid,
)


def kind_of(dataset: Any) -> type:
    """The class that keeps what a dataset is: image, polygons, else an unstructured grid."""
    for kind in (vtkImageData, vtkPolyData):
        if isinstance(dataset, kind):
            return kind
    return vtkUnstructuredGrid


def data_object(info: Any) -> Any:
    """The dataset at a port or connection, None where there is none."""
    return None if info is None else info.Get(vtkDataObject.DATA_OBJECT())


def new_dataset(kind: str) -> Any:
    """A new dataset of a class by VTK's name.

    VTK before 9.3 never lets go of what Python has from vtkDataObjectTypes.NewDataObject.
    """
    return getattr(vtkCommonDataModel, kind)()
