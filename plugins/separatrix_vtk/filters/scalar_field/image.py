"""An image and one of its arrays as the scalar field of the engine.

Point data are values at the points of the image. Cell data are values at the points of the *dual*
image, whose points are the centers of the cells: one less along every axis. Labels are then cell
data. Nothing is averaged, so no value appears that is not in the input.

The engine has no extents: its origin is the first point of the extent, so positions are correct for
an extent that does not begin at 0 and for a rotated image.

VTK has no periodic images: no cell of the input lies between the last points and the first.

Hidden points and cells (blanking, vtkGhostType) are not part of the domain. A cell at a hidden
point is hidden, too, and so is its center in the dual image.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes, vtkImageData

import separatrix as sx
from separatrix.axes import ComparedAxes, repeated_axes
from separatrix.errors import Words
from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.base.datasets import direction_of
from separatrix_vtk.base.errors import NO_INPUT, FilterError
from separatrix_vtk.base.input_array import CELLS, POINTS, InputArray
from separatrix_vtk.filters.scalar_field.field import Field

RESAMPLE = "Resample To Image (in VTK vtkResampleToImage)"
TETRAHEDRALIZE = "Tetrahedralize (in VTK vtkDataSetTriangleFilter)"


class Masks(NamedTuple):
    """The domain as masks for the engine: True where a point or top cell belongs to it.

    `identity` is another one when marks of the input change.
    """

    mask: np.ndarray | None = None
    cell_mask: np.ndarray | None = None
    nan: str = "error"
    identity: tuple[Any, ...] = ()


NO_MASKS = Masks()


class ImageField(Field):
    """values (nz, ny, nx) over the memory of `source`; spacing, origin (3,), direction (3, 3)."""

    def __init__(
        self,
        source: InputArray,
        values: np.ndarray,
        spacing: np.ndarray,
        origin: np.ndarray,
        direction: np.ndarray,
        periodic: str = "none",
        masks: Masks = NO_MASKS,
    ) -> None:
        super().__init__(source, values)
        self.masks = masks
        self.spacing, self.origin, self.direction = tuple(spacing), tuple(origin), direction
        n_x, n_y, n_z = values.shape[::-1]
        self.periodic = ("x" in periodic, "y" in periodic, "z" in periodic)
        place = (self.spacing, self.origin, tuple(direction.flat), self.periodic)
        self.grid = sx.Grid((n_x, n_y, n_z), *place)
        self.dimension = int(self.grid.dimension)
        self.size = {"dimensions": tuple(int(n) for n in self.grid.dimensions)}
        self.identity = (source.array.GetMTime(), values.shape, *place, masks.identity)

    @property
    def value_range(self) -> float:
        is_wide = self.values.dtype.kind in "iu" and self.values.dtype.itemsize == 8
        if is_wide or self._points is not None:
            return super().value_range
        low, high = self.source.array.GetRange()  # which VTK caches, as double
        return finite_range(low, high)

    @property
    def extreme_points(self) -> np.ndarray:
        flat = self.compared
        points = self._points
        flat = flat if points is None else flat[points]
        ends = np.array([int(flat.argmin()), len(flat) - 1 - int(flat[::-1].argmax())])
        return ends if points is None else points[ends]

    @cached_property
    def _points(self) -> np.ndarray | None:
        """The points (k,) that belong to the domain; None for all."""
        masks, is_float = self.masks, self.values.dtype.kind == "f"
        stays = np.ones(self.values.shape, bool) if masks.mask is None else masks.mask.copy()
        if masks.nan == "mask" and is_float:
            stays &= ~np.isnan(self.values)
        if masks.cell_mask is not None:
            stays &= at_any_cell(masks.cell_mask, self.grid)
        return None if stays.all() else np.flatnonzero(stays)

    @property
    def warnings(self) -> list[str]:
        """One sentence per periodic axis whose last points have the values of the first."""
        return [repeats_first(name) for name in repeated_axes(self.values, self.periodic)]

    def of_cells_of_input(self, labels: np.ndarray) -> np.ndarray:
        return labels[tuple(slice(max(n - 1, 1)) for n in self.values.shape)].reshape(-1)

    def engine_arguments(self, options: dict[str, Any]) -> dict[str, Any]:
        place = {"spacing": self.spacing, "origin": self.origin, "direction": self.direction}
        place["periodic"] = ComparedAxes(self.periodic)
        masks = {"mask": self.masks.mask, "cell_mask": self.masks.cell_mask, "nan": self.masks.nan}
        return {**place, **masks, **options}

    # === cells, whose ids determine their dimensions

    def highest_points(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        z, y, x = np.unravel_index(cell_id, self.grid.doubled_shape)
        n_x, n_y, n_z = self.grid.dimensions
        values = self.compared
        highest: np.ndarray | None = None
        for corner in range(8):
            # An even coordinate is that of a point; an odd one is between two.
            at_z, at_y, at_x = (
                (c + (corner >> axis & 1) * (c & 1)) // 2 % n
                for axis, c, n in ((2, z, n_z), (1, y, n_y), (0, x, n_x))
            )
            point = (at_z * n_y + at_y) * n_x + at_x
            if highest is None:
                highest = point
            else:
                is_tie = values[point] == values[highest]
                is_higher = (values[point] > values[highest]) | (is_tie & (point > highest))
                highest = np.where(is_higher, point, highest)
        assert highest is not None
        return highest

    def positions_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        return np.asarray(self.grid.positions(cell_id))

    def nearest_copies(self, positions: np.ndarray, others: np.ndarray) -> np.ndarray:
        if not any(self.periodic):
            return positions
        axes = self.direction * self.spacing  # a step along each, in columns
        periods = np.array(self.grid.dimensions)
        turns = np.round((positions - others) @ np.linalg.inv(axes).T / periods)
        return np.asarray(positions - (turns * self.periodic * periods) @ axes.T)

    def cells_of_points(self, points: np.ndarray) -> np.ndarray:
        n_x, n_y, _ = self.grid.dimensions
        z, y, x = points // (n_x * n_y), points // n_x % n_y, points % n_x
        _, rows, columns = self.grid.doubled_shape
        return np.asarray((2 * z * rows + 2 * y) * columns + 2 * x)


def repeats_first(axis: str) -> str:
    """The warning about an axis whose last points have the values of the first."""
    return (
        f"The first and the last points along {axis} have equal values: if the last repeat the "
        "first, one period later, remove them with Extract Subset (in VTK vtkExtractVOI)."
    )


def check_periods(periodic: str, counts: np.ndarray) -> None:
    """Raise FilterError unless periodic axes are long enough. counts: of points along x, y, z."""
    for axis, n in zip("xyz", counts.tolist(), strict=True):
        if axis in periodic and n < 3:
            raise FilterError(
                "periodic", "axes of at least 3 points", periodic, f"The axis {axis} has {n}."
            )


def finite_range(low: float, high: float) -> float:
    """Difference of two values as double; the largest number if it overflows."""
    return min(float(high) - float(low), sys.float_info.max)


def require_image(dataset: Any) -> vtkImageData:
    """The dataset if it is an image with points; otherwise a FilterError with the remedy."""
    if isinstance(dataset, vtkImageData):
        if dataset.GetNumberOfPoints() == 0:
            raise FilterError("The input image has no points.")
        return dataset
    if dataset is None:
        raise FilterError(NO_INPUT)
    expected = "an image or a mesh of tetrahedra or triangles"
    remedy = f"Apply {RESAMPLE} or {TETRAHEDRALIZE}."
    raise FilterError("input", expected, Words(dataset.GetClassName()), remedy)


def image_field(
    image: vtkImageData, source: InputArray, periodic: str = "none", nan: str = "error"
) -> ImageField:
    """The field that the chosen array makes on the image, without hidden points and cells."""
    of_cells = source.association == CELLS
    counts, spacing, origin, direction = frame_of(image, image.GetExtent(), of_cells)
    values = from_vtk(source.array)
    if values.size != counts.prod():
        kind = "points" if source.association == POINTS else "cells"
        raise FilterError(
            f"The array '{source.name}' has {values.size} values; the image has {counts.prod()} "
            f"{kind}."
        )
    check_periods(periodic, counts)
    values = values.reshape(tuple(counts[::-1]))
    masks = _masks_of(image, of_cells, periodic, nan)
    return ImageField(source, values, spacing, origin, direction, periodic, masks)


def frame_of(
    image: vtkImageData, extent: Sequence[int], of_cells: bool = False
) -> tuple[np.ndarray, ...]:
    """Counts, spacing and origin (3,), and direction (3, 3) of the points or cells of an extent."""
    ends = np.array(extent).reshape(3, 2)
    first, counts = ends[:, 0].astype(float), ends[:, 1] - ends[:, 0] + 1
    spacing, direction = _axes(image, counts)
    if of_cells:
        # Along an axis of one point, the center of a cell is that point.
        first, counts = first + np.where(counts > 1, 0.5, 0.0), np.maximum(counts - 1, 1)
    with np.errstate(all="ignore"):  # the engine rejects values that are not finite
        origin = np.array(image.GetOrigin()) + direction @ (spacing * first)
    return counts, spacing, origin, direction


def _axes(image: vtkImageData, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positive spacing (3,) and direction (3, 3).

    In VTK, a negative spacing reverses the axis, and that of an axis of one point is arbitrary.
    """
    spacing = np.array(image.GetSpacing())
    spacing[(counts == 1) & (spacing == 0)] = 1.0
    return np.abs(spacing), direction_of(image) * np.where(spacing < 0, -1.0, 1.0)


def _masks_of(image: vtkImageData, of_cells: bool, periodic: str, nan: str) -> Masks:
    """Masks of the points or cells that are not hidden, for a field of points or `of_cells`."""
    dimensions = image.GetDimensions()[::-1]
    cells = tuple(max(n - 1, 1) for n in dimensions)
    point_ghosts, cell_ghosts = image.GetPointGhostArray(), image.GetCellGhostArray()
    points = _unmarked(point_ghosts, vtkDataSetAttributes.HIDDENPOINT, dimensions)
    shown = _unmarked(cell_ghosts, vtkDataSetAttributes.HIDDENCELL, cells)
    if of_cells and points is not None:
        for axis, n in enumerate(dimensions):
            if n > 1:
                points = points.take(range(n - 1), axis) & points.take(range(1, n), axis)
        shown = points if shown is None else shown & points
    if of_cells:
        points, shown = shown, None
    if shown is not None:  # the cells across a period are not hidden
        across = [(0, int(axis in periodic)) for axis in "zyx"]
        shown = np.pad(shown, across, constant_values=True)
    marks = [ghosts and ghosts.GetMTime() for ghosts in (point_ghosts, cell_ghosts)]
    return Masks(points, shown, nan, (nan, *marks))


def _unmarked(ghosts: Any, bit: int, shape: tuple[int, ...]) -> np.ndarray | None:
    """Mask of the marks without a bit; None if all lack it."""
    if ghosts is None:
        return None
    stays = (from_vtk(ghosts) & bit) == 0
    return None if stays.all() else stays.reshape(shape)


def at_any_cell(cells: np.ndarray, grid: sx.Grid) -> np.ndarray:
    """Points of a grid that are at one of these top cells, all (nz, ny, nx) bool."""
    for axis, (n, wraps) in enumerate(zip(grid.dimensions[::-1], grid.periodic[::-1], strict=True)):
        if wraps:
            cells = cells | np.roll(cells, 1, axis)
        elif n > 1:
            before, after = np.zeros((2, 3, 2), int)
            before[axis], after[axis] = (1, 0), (0, 1)
            cells = np.pad(cells, before) | np.pad(cells, after)
    return cells
