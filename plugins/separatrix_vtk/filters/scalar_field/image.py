"""An image and one of its arrays as the scalar field of the engine.

Point data are values at the points of the image. Cell data are values at the points of the *dual*
image, whose points are the centers of the cells: one less along every axis. Labels are then cell
data. Nothing is averaged, so no value appears that is not in the input.

The engine has no extents: its origin is the first point of the extent, so positions are correct for
an extent that does not begin at 0 and for a rotated image.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes, vtkImageData

import separatrix as sx
from separatrix_vtk.base.arrays import from_vtk, range_between
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.input_array import CELLS, POINTS, InputArray


@dataclass(frozen=True)
class ArrayField:
    """values (nz, ny, nx), (ny, nx) or (nx,); spacing, origin (3,), direction (3, 3)."""

    values: np.ndarray
    spacing: tuple[float, ...]
    origin: tuple[float, ...]
    direction: np.ndarray

    @property
    def grid(self) -> sx.Grid:
        """The engine's grid of this field."""
        n_x, n_y, n_z = (*reversed(self.values.shape), 1, 1)[:3]
        x, y, z = self.spacing
        a, b, c = self.origin
        direction = tuple(np.ravel(self.direction).tolist())
        return sx.Grid((n_x, n_y, n_z), (x, y, z), (a, b, c), direction)

    @property
    def dimension(self) -> int:
        """How many axes are longer than one point."""
        return int(self.grid.dimension)

    @property
    def size(self) -> dict[str, Any]:
        """How large the image is, for the report."""
        return {"dimensions": tuple(int(n) for n in self.grid.dimensions)}

    def engine_arguments(self) -> dict[str, Any]:
        """Where the field lies in space, as the engine's keywords."""
        return {"spacing": self.spacing, "origin": self.origin, "direction": self.direction}

    def discrete_gradient(self, **options: Any) -> Any:
        """The engine's gradient."""
        return sx.discrete_gradient(self.values, **self.engine_arguments(), **options)

    def morse_smale(self, **options: Any) -> Any:
        """The raw complex."""
        return sx.morse_smale(self.values, **self.engine_arguments(), **options)

    def persistence_diagram(self, **options: Any) -> Any:
        """All pairs."""
        return sx.persistence_diagram(self.values, **self.engine_arguments(), **options)

    def positions_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Center of each cell: (n, 3) float64."""
        return np.asarray(self.grid.positions(cell_id))


RESAMPLE = "Resample To Image (in VTK vtkResampleToImage)"
TETRAHEDRALIZE = "Tetrahedralize (in VTK vtkDataSetTriangleFilter)"


@dataclass(frozen=True)
class ImageField(ArrayField):
    """values (nz, ny, nx) over the memory of `source`; spacing, origin (3,), direction (3, 3)."""

    source: InputArray

    @property
    def of_cells(self) -> bool:
        """Whether the field is cell data, on the points of the dual image."""
        return self.source.association == CELLS

    @property
    def identity(self) -> Hashable:
        """What tells this field from every other: VTK gives no time of modification twice."""
        place = (self.spacing, self.origin, self.direction.tobytes())
        return (self.source.array.GetMTime(), self.values.shape, *place)

    @property
    def value_range(self) -> float:
        """Highest value less lowest. VTK keeps both with the array, as double."""
        if self.values.dtype.kind in "iu" and self.values.dtype.itemsize == 8:
            return range_between(self.values.reshape(-1), *self.extreme_points.tolist())
        low, high = self.source.array.GetRange()
        return min(float(high - low), sys.float_info.max)

    @property
    def extreme_points(self) -> np.ndarray:
        """The lowest and the highest point, by value and then by number: (2,)."""
        flat = self.values.reshape(-1)
        return np.array([int(flat.argmin()), len(flat) - 1 - int(flat[::-1].argmax())])

    def attributes_of(self, image: vtkImageData) -> Any:
        """The point or cell data of an image in which a label of this field has its place."""
        return image.GetCellData() if self.of_cells else image.GetPointData()

    # === the engine

    def use(self, result: Any) -> None:
        """Take over what a complex that was kept knows of the field: here nothing."""

    # === cells by their ids, which tell their dimension too

    def highest_points(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Highest point of each cell, by value and then by index: (n,) int64."""
        grid = self.grid
        z, y, x = np.unravel_index(cell_id, grid.doubled_shape)
        n_x, n_y, _ = grid.dimensions
        values = self.values.reshape(-1)
        highest: np.ndarray | None = None
        for corner in range(8):  # in the order of their indices
            # An even coordinate is a point's own; an odd one lies between two.
            at_z, at_y, at_x = (
                (c + (corner >> axis & 1) * (c & 1)) // 2 for axis, c in ((2, z), (1, y), (0, x))
            )
            point = (at_z * n_y + at_y) * n_x + at_x
            if highest is None:
                highest = point
            else:
                highest = np.where(values[point] >= values[highest], point, highest)
        assert highest is not None
        return highest

    def values_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Value of the highest point of each cell: (n,) of the field's type."""
        return np.asarray(self.values.reshape(-1)[self.highest_points(cell_id, dimension)])

    def cells_of_points(self, points: np.ndarray) -> np.ndarray:
        """Cell ids of points (k,) int64."""
        n_x, n_y, _ = self.grid.dimensions
        z, y, x = points // (n_x * n_y), points // n_x % n_y, points % n_x
        _, rows, columns = self.grid.doubled_shape
        return np.asarray((2 * z * rows + 2 * y) * columns + 2 * x)


def require_image(dataset: Any) -> vtkImageData:
    """The dataset, if it is an image with points; or the sentence about what to apply first."""
    if isinstance(dataset, vtkImageData):
        if dataset.GetNumberOfPoints() == 0:
            raise FilterError("the input image is empty: it has no points")
        return dataset
    if dataset is None:
        raise FilterError("there is no input dataset")
    raise FilterError(
        f"the input is a {dataset.GetClassName()}, this filter works on image data and on meshes "
        f"of tetrahedra or triangles: apply {RESAMPLE} or {TETRAHEDRALIZE} first"
    )


def image_field(image: vtkImageData, source: InputArray) -> ImageField:
    """The field that the chosen array makes on the image, checked for hidden points."""
    _refuse_hidden(image)
    extent = np.array(image.GetExtent()).reshape(3, 2)
    first, counts = extent[:, 0].astype(float), extent[:, 1] - extent[:, 0] + 1
    spacing, direction = _axes(image, counts)
    if source.association == CELLS:
        # A cell of an axis that has one point lies on that point, half a step nowhere.
        first, counts = first + np.where(counts > 1, 0.5, 0.0), np.maximum(counts - 1, 1)
    with np.errstate(all="ignore"):  # the engine refuses what is not finite
        origin = np.array(image.GetOrigin()) + direction @ (spacing * first)
    values = from_vtk(source.array)
    if values.size != counts.prod():
        raise FilterError(
            f"the array '{source.name}' has {values.size} values where the image has "
            f"{counts.prod()} {'points' if source.association == POINTS else 'cells'}"
        )
    return ImageField(
        values.reshape(tuple(counts[::-1])), tuple(spacing), tuple(origin), direction, source
    )


def _axes(image: vtkImageData, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positive spacing (3,) and direction (3, 3): VTK lets a spacing be negative, which turns the
    axis round, and lets that of an axis of one point be anything.
    """
    matrix = image.GetDirectionMatrix()
    direction = np.array([[matrix.GetElement(i, j) for j in range(3)] for i in range(3)])
    spacing = np.array(image.GetSpacing())
    spacing[(counts == 1) & (spacing == 0)] = 1.0
    return np.abs(spacing), direction * np.where(spacing < 0, -1.0, 1.0)


def _refuse_hidden(image: vtkImageData) -> None:
    """Blanked points have values that mean nothing, and a hole is not a box."""
    for ghosts, bit, what in (
        (image.GetPointGhostArray(), vtkDataSetAttributes.HIDDENPOINT, "points"),
        (image.GetCellGhostArray(), vtkDataSetAttributes.HIDDENCELL, "cells"),
    ):
        hidden = 0 if ghosts is None else int(np.count_nonzero(from_vtk(ghosts) & bit))
        if hidden:
            raise FilterError(
                f"the image hides {hidden} of its {what} (blanking, array "
                f"'{ghosts.GetName()}'): cut out a part without them with Extract Subset, or give "
                "them a value and drop that array (Pass Arrays) first"
            )
