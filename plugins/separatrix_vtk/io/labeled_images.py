"""Images and grids of arrays whose axes have names and coordinates, with x, y, and z in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkRectilinearGrid

from separatrix.axes import begin_and_step, coordinates_of, spatial_axes
from separatrix_vtk.base.arrays import to_vtk
from separatrix_vtk.io.errors import FileError

Coordinates = Sequence[np.ndarray | None]  # of each axis; None for 0, 1, 2, ...


def image_of(
    values: np.ndarray,
    name: str = "Scalars",
    spacing: tuple[float, ...] = (1.0, 1.0, 1.0),
    origin: tuple[float, ...] = (0.0, 0.0, 0.0),
    direction: np.ndarray | None = None,
) -> vtkImageData:
    """An image whose point scalars share the memory of `values` (nz, ny, nx)."""
    image = vtkImageData()
    image.SetDimensions(values.shape[::-1])
    image.SetSpacing(spacing)
    image.SetOrigin(origin)
    if direction is not None:
        image.SetDirectionMatrix(*np.asarray(direction, dtype=float).reshape(-1))
    image.GetPointData().SetScalars(to_vtk(values.reshape(-1), name))
    return image


def placed(arrays: Mapping[str, np.ndarray], names: Sequence[Any], places: Coordinates) -> Any:
    """The image of arrays of one shape, by name, or the rectilinear grid if steps are not even.

    names, places: of the axes, in the order of the arrays. Descending axes are reversed.
    """
    shape, axes = next(iter(arrays.values())).shape, spatial_axes(names)
    if not 1 <= len(shape) <= 3:
        raise FileError(f"contains an array of shape {shape}; expected one to three axes.")
    order = sorted(range(len(shape)), key=lambda k: -axes[k])  # z, y, x
    taken = {name: values.transpose(order) for name, values in arrays.items()}
    numbers: list[np.ndarray] = [np.zeros(1)] * 3  # by x, y, z
    for k, axis in enumerate(axes):
        place = places[k]
        numbers[axis] = np.arange(shape[k]) * 1.0 if place is None else np.asarray(place, float)
        if len(numbers[axis]) > 1 and numbers[axis][0] > numbers[axis][-1]:
            numbers[axis] = numbers[axis][::-1]
            taken = {name: np.flip(v, order.index(k)) for name, v in taken.items()}
    steps = [begin_and_step(n) for n in numbers]
    if None in steps:
        grid: Any = vtkRectilinearGrid()
        for letter, n in zip("XYZ", numbers, strict=True):
            getattr(grid, f"Set{letter}Coordinates")(to_vtk(np.ascontiguousarray(n), letter))
    else:
        grid = vtkImageData()
        grid.SetOrigin([step[0] for step in steps if step])
        grid.SetSpacing([step[1] for step in steps if step])
    grid.SetDimensions([len(n) for n in numbers])
    for name, values in taken.items():
        grid.GetPointData().AddArray(to_vtk(as_vtk_values(values).reshape(-1), name))
    if len(taken) == 1:
        grid.GetPointData().SetActiveScalars(next(iter(taken)))
    return grid


def as_vtk_values(values: np.ndarray) -> np.ndarray:
    """Real values in C order, native byte order, and a type that VTK has. Raises FileError."""
    if values.dtype.kind not in "iufb":
        raise FileError(f"contains {values.dtype}; expected real numbers.")
    if values.dtype.kind == "b":
        values = values.view(np.uint8)
    if values.dtype.itemsize == 2 and values.dtype.kind == "f":
        values = values.astype(np.float32)  # exact
    if values.dtype.itemsize > 8:
        raise FileError(f"VTK has no arrays of {values.dtype}. Convert the values to float64.")
    return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))


def labeled_image(values: Any) -> Any:
    """The image of an array of xarray, with its name and coordinates."""
    name = str(values.name or "Scalars")
    return placed({name: np.asarray(values)}, values.dims, coordinates_of(values))
