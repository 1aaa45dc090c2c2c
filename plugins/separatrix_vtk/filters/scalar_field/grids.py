"""Rectilinear and structured grids as images: the same points if their steps are even."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkImageData, vtkRectilinearGrid, vtkStructuredGrid

from separatrix.axes import EVEN, begin_and_step
from separatrix.errors import Words
from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.base.errors import FilterError

GRIDS = (vtkRectilinearGrid, vtkStructuredGrid)


class Frame(NamedTuple):
    """Origin and spacing (3,), and direction (3, 3) with an axis in each column."""

    origin: np.ndarray
    spacing: np.ndarray
    direction: np.ndarray


def as_image(dataset: Any, resample: bool) -> Any:
    """The image with the points and arrays of a grid; other datasets as they are.

    resample: whether a grid with uneven steps is sampled on an image of as many points; otherwise
    it is a FilterError
    """
    if not isinstance(dataset, GRIDS):
        return dataset
    if not dataset.GetNumberOfPoints():
        raise FilterError("The input grid has no points.")
    is_rectilinear = isinstance(dataset, vtkRectilinearGrid)
    frame = _frame_of_axes(dataset) if is_rectilinear else _frame_of_points(dataset)
    if frame is None:
        if resample:
            return _sampled(dataset)
        raise FilterError(
            "input",
            "an image, a mesh, or a grid with even steps along straight axes",
            Words(f"a {dataset.GetClassName()} with other steps"),
            "Set {resample=True} or {tetrahedralize=True}.",
        )
    image = vtkImageData()
    image.SetExtent(dataset.GetExtent())
    image.SetOrigin(frame.origin - frame.direction @ (frame.spacing * dataset.GetExtent()[::2]))
    image.SetSpacing(frame.spacing)
    image.SetDirectionMatrix(*frame.direction.reshape(-1))
    for data in ("PointData", "CellData", "FieldData"):
        getattr(image, f"Get{data}")().ShallowCopy(getattr(dataset, f"Get{data}")())
    return image


def _dimensions(grid: Any) -> list[int]:
    """Numbers of points along x, y, and z; GetDimensions differs between classes and versions."""
    extent = grid.GetExtent()
    return [extent[2 * axis + 1] - extent[2 * axis] + 1 for axis in range(3)]


def _frame_of_axes(grid: vtkRectilinearGrid) -> Frame | None:
    coordinates = [from_vtk(getattr(grid, f"Get{a}Coordinates")()) for a in "XYZ"]
    if [len(along) for along in coordinates] != _dimensions(grid):
        raise FilterError("The coordinates of the input grid do not fit its extent. Recreate them.")
    places = [*map(begin_and_step, coordinates)]
    if None in places:
        return None
    origin, steps = np.array(places, float).T
    return Frame(origin, np.abs(steps), np.diag(np.sign(steps)))


def _frame_of_points(grid: vtkStructuredGrid) -> Frame | None:
    counts = _dimensions(grid)
    points = from_vtk(grid.GetPoints().GetData()).reshape(*counts[::-1], 3).astype(np.float64)
    origin, long = points[0, 0, 0], [a for a in range(3) if counts[a] > 1]
    last = [tuple((counts[a] - 1) * (b == a) for b in (2, 1, 0)) for a in long]
    steps = np.array([(points[place] - origin) for place in last]).reshape(-1, 3)
    steps /= np.array([counts[a] - 1 for a in long]).reshape(-1, 1)
    lengths = np.linalg.norm(steps, axis=1)
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        return None
    lattice = np.broadcast_to(origin, points.shape)
    for a, step in zip(long, steps, strict=True):
        index = np.arange(counts[a]).reshape([-1 if b == a else 1 for b in (2, 1, 0)] + [1])
        lattice = lattice + index * step
    units = steps / lengths[:, None]
    is_square = (abs(units @ units.T - np.eye(len(long))) <= EVEN).all()
    if not is_square or not (abs(points - lattice) <= EVEN * lengths.min(initial=np.inf)).all():
        return None
    direction, spacing = np.zeros((3, 3)), np.ones(3)
    direction[:, long], spacing[long] = units.T, lengths
    others = [a for a in range(3) if a not in long]
    direction[:, others] = np.linalg.svd(units)[2][len(long) :].T if long else np.eye(3)
    return Frame(origin, spacing, direction)


def _sampled(grid: Any) -> vtkImageData:
    """The grid on an image of its bounds with as many points; points outside are hidden."""
    from vtkmodules.vtkFiltersCore import vtkResampleToImage

    sample = vtkResampleToImage()
    sample.SetInputDataObject(grid)
    sample.SetSamplingDimensions(*_dimensions(grid))
    sample.Update()
    image = vtkImageData()
    image.ShallowCopy(sample.GetOutput())
    image.GetPointData().RemoveArray("vtkValidPointMask")
    return image
