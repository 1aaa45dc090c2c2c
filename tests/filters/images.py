"""Images for the tests of filters, and functions that read outputs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow
from vtkmodules.vtkCommonDataModel import vtkImageData

import separatrix_vtk

TURNED = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)  # a quarter turn round z


def noise(*shape: int, seed: int = 7, dtype: Any = np.float32) -> np.ndarray:
    """Values (nz, ny, nx) from 0 to 50, with ties where the type is an integer's."""
    return np.random.default_rng(seed).uniform(0, 50, shape).astype(dtype)


def image_with(
    values: np.ndarray,
    *,
    name: str = "field",
    first: tuple[int, int, int] = (0, 0, 0),
    spacing: tuple[float, float, float] = (1.0, 1.0, 1.0),
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0),
    direction: tuple[float, ...] | None = None,
    cells: bool = False,
    active: bool = True,
) -> vtkImageData:
    """An image whose point (or cell) array `name` is `values` (nz, ny, nx)."""
    image = vtkImageData()
    counts = np.array(values.shape[::-1]) + (1 if cells else 0)
    image.SetExtent(*[int(n) for f, c in zip(first, counts, strict=True) for n in (f, f + c - 1)])
    image.SetSpacing(spacing)
    image.SetOrigin(origin)
    if direction is not None:
        image.SetDirectionMatrix(direction)
    array = numpy_to_vtk(np.ascontiguousarray(values).reshape(-1))
    array.SetName(name)
    attributes = image.GetCellData() if cells else image.GetPointData()
    attributes.AddArray(array)
    if active:
        attributes.SetActiveScalars(name)
    return image


def updated(filter: Any, dataset: Any) -> Any:
    """The filter after it has run on the dataset without an error."""
    filter.SetInputDataObject(dataset)
    filter.Update()
    assert filter.last_error == ""
    return filter


def failed(filter: Any, dataset: Any) -> str:
    """Text of VTK's message window while the filter runs on the dataset."""
    filter.SetInputDataObject(dataset)
    with message_window() as window:
        filter.Update()
    return window.GetOutput()


def run_morse_smale(values: np.ndarray, **settings: Any) -> Any:
    """The filter after it has run on the values (nz, ny, nx), on the CPU."""
    return updated(separatrix_vtk.MorseSmaleComplex(device="cpu", **settings), image_with(values))


def array_names(attributes: Any) -> list[str]:
    return [attributes.GetArrayName(i) for i in range(attributes.GetNumberOfArrays())]


def array_types(attributes: Any) -> dict[str, str]:
    """Name of each array -> "type" or "type x components"."""
    types = {}
    for i in range(attributes.GetNumberOfArrays()):
        array = attributes.GetArray(i)
        components = array.GetNumberOfComponents()
        suffix = "" if components == 1 else f" x {components}"
        types[array.GetName()] = array.GetDataTypeAsString() + suffix
    return types


def point_array(dataset: Any, name: str) -> np.ndarray:
    return vtk_to_numpy(dataset.GetPointData().GetArray(name))


def cell_array(dataset: Any, name: str) -> np.ndarray:
    return vtk_to_numpy(dataset.GetCellData().GetArray(name))


def points_of(dataset: Any) -> np.ndarray:
    return vtk_to_numpy(dataset.GetPoints().GetData())


def connectivity_of(cells: Any) -> np.ndarray:
    return vtk_to_numpy(cells.GetConnectivityArray())


def offsets_of(cells: Any) -> np.ndarray:
    return vtk_to_numpy(cells.GetOffsetsArray())


def segments_of(lines: Any) -> tuple[np.ndarray, np.ndarray]:
    """The two points of each segment of polylines (m, 2), and their cells (m,)."""
    items, offsets = connectivity_of(lines), offsets_of(lines)
    starts = np.delete(np.arange(len(items)), offsets[1:] - 1)
    cells = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets) - 1)
    return np.column_stack([items[starts], items[starts + 1]]), cells


def is_empty(dataset: Any) -> bool:
    """No geometry, no columns; or, for an image, a grid without any array."""
    if dataset.IsA("vtkTable"):
        return dataset.GetNumberOfColumns() == 0
    n_arrays = (
        dataset.GetPointData().GetNumberOfArrays() + dataset.GetCellData().GetNumberOfArrays()
    )
    return n_arrays == 0 and (dataset.IsA("vtkImageData") or dataset.GetNumberOfPoints() == 0)


@contextmanager
def message_window() -> Iterator[vtkStringOutputWindow]:
    """VTK's message window for the time being: what ParaView shows and plain VTK prints."""
    before, window = vtkOutputWindow.GetInstance(), vtkStringOutputWindow()
    vtkOutputWindow.SetInstance(window)
    try:
        yield window
    finally:
        vtkOutputWindow.SetInstance(before)


def count_runs(filter: Any) -> list[int]:
    """A list whose one number counts how often the filter runs from now on."""
    runs = [0]

    def begin(*_: Any) -> None:
        runs[0] += 1

    filter.AddObserver("StartEvent", begin)
    return runs
