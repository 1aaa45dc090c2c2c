"""The grid of an image and the cubical complex on it: Robins, Wood, Sheppard 2011, section 3.

Cells are the points of the doubled grid, 2n - 1 along an axis and 2n along a periodic one, x
fastest; the dimension of a cell is the number of its odd coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from ...arguments import as_real
from ...device import Array, Device, LargeExtents, array_module, as_array, checked_rows, select
from ...errors import InputError, Words
from ...kernels import source
from ...plotting.scenes import image_of

MAX_VERTICES = 2**31 - 1
MAX_TRACED_VERTICES = 2**35 // 3  # whose squares have numbers in a log: cubical/grid_paths.h
KEPT_BYTES = 16
"""Of a large image on a GPU, per voxel: gradient 4, labels or a slab's work 6, arcs and pairs 6."""
SHORTEST_PERIOD = 3  # in shorter periods, two edges have the same ends
LARGEST_ENTRY = 1e100  # of a direction matrix
LARGEST_LENGTH = 1e150  # keeps products of spacing, direction, and numbers of voxels finite
NOT_PERIODIC = (False, False, False)
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


class ImageOptions(NamedTuple):
    """Unchecked arguments of analyses: the description of an image, and where to compute."""

    spacing: Sequence[float] = (1.0, 1.0, 1.0)
    origin: Sequence[float] = (0.0, 0.0, 0.0)
    direction: Any = None
    periodic: Any = NOT_PERIODIC
    mask: Any = None
    cell_mask: Any = None
    nan: str = "error"
    device: str | None = None
    threads: int | None = None
    memory_limit: int | None = None
    scratch: Any = None
    devices: Any = None


@dataclass(frozen=True)
class Grid:
    """Grid of an image.

    Attributes
    ----------
    dimensions : tuple of int
        Numbers of voxels (nx, ny, nz).
    spacing, origin : tuple of float
        In x, y, z order, in the user's unit of length.
    direction : tuple of float
        Direction matrix (3x3), row by row, with the same meaning as in VTK.
    periodic : tuple of bool
        Whether each axis is periodic, in x, y, z order.
    """

    dimensions: tuple[int, int, int]
    spacing: tuple[float, float, float] = (1.0, 1.0, 1.0)
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    direction: tuple[float, ...] = IDENTITY
    periodic: tuple[bool, bool, bool] = NOT_PERIODIC

    def __post_init__(self) -> None:
        sizes = self.dimensions if isinstance(self.dimensions, (tuple, list)) else ()
        if len(sizes) != 3 or not all(isinstance(n, Integral) and n > 0 for n in sizes):
            raise InputError(
                "dimensions", "three positive integers in x, y, z order", self.dimensions
            )

    @property
    def extents(self) -> tuple[int, ...]:
        """Arguments of kernels: nx, ny, nz, then 1 for each periodic axis and 0 for each other."""
        extents = (*self.dimensions, *map(int, self.periodic))
        return LargeExtents(extents) if self.is_large else extents

    @property
    def euler_characteristic(self) -> int:
        """Euler characteristic of the grid: 1, or 0 if an axis is periodic."""
        return int(not any(self.periodic))

    @property
    def inner(self) -> Grid:
        """Grid of the vertices that have no neighbors across a period."""
        nx, ny, nz = (
            n - 2 * wraps for n, wraps in zip(self.dimensions, self.periodic, strict=True)
        )
        return replace(self, dimensions=(nx, ny, nz), periodic=NOT_PERIODIC)

    @property
    def n_wrapped_stars(self) -> int:
        """Number of vertices at the ends of periodic axes."""
        return self.n_vertices - self.inner.n_vertices

    @property
    def dimension(self) -> int:
        """Dimension of the complex, 0 to 3: the number of axes longer than 1."""
        return sum(n > 1 for n in self.dimensions)

    @property
    def _size_text(self) -> str:
        return "x".join(map(str, self.dimensions)) + " voxels"

    @property
    def _kind_text(self) -> str:
        return f"an image of dimensions {self.dimensions}"

    def _drawn(self) -> Any:
        """The grid as a pyvista.ImageData."""
        return image_of(self.dimensions, self.spacing, self.origin, self.direction)

    @property
    def _has_own_class(self) -> bool:
        """Whether all axes are periodic, so that a class of the image's dimension exists."""
        return sum(self.periodic) == self.dimension

    @property
    def n_vertices(self) -> int:
        nx, ny, nz = self.dimensions
        return nx * ny * nz

    @property
    def steps(self) -> tuple[int, int]:
        """Differences between the ids of neighbors in two rows, and in two layers."""
        nx, ny, _ = self.dimensions
        return nx, nx * ny

    @property
    def is_large(self) -> bool:
        """Whether kernels that number vertices in 32 bits need pieces of the grid."""
        return self.n_vertices > MAX_VERTICES

    @property
    def vertex_type(self) -> type[np.signedinteger[Any]]:
        """Type of vertices and anchors in kernels."""
        return np.int64 if self.is_large else np.int32

    def check_in_one_piece(self, what: str) -> None:
        """Raise InputError for a large grid, because kernels for `what` use all of it at once."""
        if self.is_large:
            raise self._too_many(what, MAX_VERTICES)

    def check_traceable(self, what: str) -> None:
        """Raise InputError if V-paths cannot be traced for `what` through all of the grid."""
        if self.n_vertices > MAX_TRACED_VERTICES:
            raise self._too_many(what, MAX_TRACED_VERTICES)

    def _too_many(self, what: str, limit: int) -> InputError:
        return InputError(
            message=f"{what} of an image of {self.n_vertices:,} voxels cannot be computed: "
            f"the limit is {limit:,}.",
            remedy="Crop the image or use every other voxel.",
        )

    def most_layers(self, layer: int) -> int:
        """Return how many layers of some vertices a piece may have."""
        return MAX_VERTICES // layer

    @property
    def doubled_shape(self) -> tuple[int, int, int]:
        """Shape of the doubled grid, z first: (2nz-1, 2ny-1, 2nx-1), 2n along a periodic axis."""
        nx, ny, nz = (
            2 * n - 1 + wraps for n, wraps in zip(self.dimensions, self.periodic, strict=True)
        )
        return (nz, ny, nx)

    @property
    def top_shape(self) -> tuple[int, int, int]:
        """Shape of the array of top cells, z first: n - 1 along an axis, n along a periodic one,
        at least 1.
        """
        nz, ny, nx = (n // 2 or 1 for n in self.doubled_shape)
        return (nz, ny, nx)

    @property
    def top_type(self) -> int:
        """Type of the top-dimensional cells: bit a is set when axis a is longer than 1."""
        return sum((n > 1) << axis for axis, n in enumerate(self.dimensions))

    @property
    def frame(self) -> tuple[float, ...]:
        """Arguments of kernels: origin, then the vectors of half a voxel along x, y, and z."""
        matrix = np.asarray(self.direction).reshape(3, 3) * np.asarray(self.spacing) / 2
        return (*self.origin, *map(float, matrix.T.ravel()))

    def positions(self, cell_ids: Array) -> Array:
        """Return the centers (k, 3) float64 of cells (k,) int64, within the image."""
        return _place_where_they_are(self, cell_ids)[0]

    def cell_dimensions(self, cell_ids: Array) -> Array:
        """Return the dimensions (k,) int8 of cells (k,) int64."""
        return _place_where_they_are(self, cell_ids)[1]


def place(
    device: Device, grid: Grid, cell_ids: Array, types: Array | None = None
) -> tuple[Array, Array, Array]:
    """Return positions (k, 3) float64, dimensions (k,) int8, and boundary flags (k,) of cells."""
    xp = device.xp
    cell_ids = xp.ascontiguousarray(cell_ids, dtype=xp.int64)
    k = cell_ids.size
    positions, dimensions = device.empty((k, 3), xp.float64), device.empty(k, xp.int8)
    boundary = device.empty(k, xp.uint8)
    types = device.empty(0, xp.uint8) if types is None else types
    model = (grid.extents, grid.frame, types, types.size)
    device.launch("place_cells", k, *model, cell_ids, positions, dimensions, boundary)
    return positions, dimensions, boundary.view(bool)


def place_lines(device: Device, grid: Grid, cell_ids: Array, offsets: Array) -> tuple[Array, Array]:
    """Return positions (k, 3) float64 and dimensions (k,) int8 of consecutive cells of polylines.

    A line begins within the image and continues beyond it across a period, without jumps.
    """
    positions, dimensions, _ = place(device, grid, cell_ids)
    if any(grid.periodic):
        m = offsets.size - 1
        device.launch("unwrap_lines", m, grid.extents, grid.frame, offsets, cell_ids, positions)
    return positions, dimensions


def n_tiles(grid: Grid, tile: str) -> tuple[int, int, int]:
    """Return the number of tiles along x, y, z; `tile` is the prefix of their constants."""
    nx, ny, nz = grid.dimensions
    return (
        -(-nx // source.constant(f"{tile}_X")),
        -(-ny // source.constant(f"{tile}_Y")),
        -(-nz // source.constant(f"{tile}_Z")),
    )


def _place_where_they_are(grid: Grid, cell_ids: Array) -> tuple[Array, Array, Array]:
    nz, ny, nx = grid.doubled_shape
    cell_ids = checked_rows(as_array(cell_ids, "cell_ids"), "cell_ids", nz * ny * nx)
    on_host = array_module(cell_ids) is np
    device = select("cpu" if on_host else f"cuda:{cell_ids.device.id}")
    with device.current():
        return place(device, grid, cell_ids)


def checked_grid(shape: tuple[int, ...], options: ImageOptions, *, may_be_large: bool) -> Grid:
    """Return the grid of an array of this shape (z first). Raises InputError.

    Only images that are processed in pieces may be large; see :attr:`Grid.is_large`.
    """
    if not 1 <= len(shape) <= 3:
        expected = "an array of shape (nz, ny, nx), (ny, nx) or (nx,)"
        raise InputError("values", expected, Words(f"shape {shape}"))
    if 0 in shape:
        raise InputError("values", "an array of at least one voxel", Words(f"shape {shape}"))
    nx, ny, nz = (*shape[::-1], 1, 1)[:3]
    if nx * ny * nz > MAX_VERTICES and not may_be_large:
        expected = f"an array of at most {MAX_VERTICES:,} (2^31 - 1) voxels"
        remedy = "Crop the image or use every other voxel."
        raise InputError("values", expected, Words(f"{nx * ny * nz:,} voxels"), remedy)
    spacing = options.spacing
    spacing3 = _checked_numbers(spacing, "spacing", 1.0, len(shape))
    if min(spacing3) <= 0:
        raise InputError("spacing", "positive along every axis", spacing)
    if min(spacing3) < 1 / LARGEST_LENGTH:
        raise InputError("spacing", f"at least {1 / LARGEST_LENGTH:g}", spacing)
    return Grid(
        (nx, ny, nz),
        spacing3,
        _checked_numbers(options.origin, "origin", 0.0, len(shape)),
        _checked_direction(options.direction),
        _checked_periods(options.periodic, (nx, ny, nz)),
    )


def _checked_numbers(
    given: Sequence[float], name: str, default: float, n_axes: int
) -> tuple[float, float, float]:
    """Return one number per axis, from one for all axes or one for each axis of the values."""
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):
        array = np.empty(0)
    few = array.reshape(-1).tolist() if array.size <= 3 and array.dtype.kind in "iufO" else []
    numbers = [as_real(number) for number in (few if array.ndim else few * 3)]
    if not numbers or not all(abs(number) <= LARGEST_LENGTH for number in numbers):
        expected = (
            f"up to three finite numbers in x, y, z order, at most {LARGEST_LENGTH:g} in size"
        )
        raise InputError(name, expected, given)
    if len(numbers) < n_axes:
        expected = f"one number, or {n_axes} numbers in x, y, z order"
        raise InputError(name, expected, given)
    x, y, z = (*numbers, default, default)[:3]
    return (x, y, z)


def _checked_periods(given: Any, dimensions: tuple[int, int, int]) -> tuple[bool, bool, bool]:
    try:
        flags = np.asarray(given)
        # One number for all axes, except those of length 1.
        flags = (
            flags & (np.array(dimensions) > 1)
            if flags.dtype == bool and not flags.ndim
            else flags.ravel()
        )
    except (TypeError, ValueError):
        flags = np.empty(0)
    if flags.dtype.kind not in "biu":
        flags = np.empty(0)
    if not 1 <= flags.size <= 3 or not np.isin(flags, (False, True)).all():
        raise InputError("periodic", "up to three booleans in x, y, z order", given)
    px, py, pz = (*map(bool, flags), False, False)[:3]
    for axis, n, wraps in zip("xyz", dimensions, (px, py, pz), strict=True):
        if wraps and n < SHORTEST_PERIOD:
            expected = f"False for axes of fewer than {SHORTEST_PERIOD} voxels, such as {axis}"
            remedy = f"The axis {axis} has {n}; repeat the image along it."
            raise InputError("periodic", expected, given, remedy)
    return (px, py, pz)


def _checked_direction(given: Any) -> tuple[float, ...]:
    if given is None:
        return IDENTITY
    try:
        matrix = np.asarray(given, float).reshape(3, 3)
    except (TypeError, ValueError, OverflowError):
        raise InputError("direction", "a 3x3 matrix of numbers", given) from None
    if not (abs(matrix) < LARGEST_ENTRY).all() or not np.linalg.cond(matrix) <= 1e12:
        raise InputError("direction", "finite and invertible", matrix.tolist())
    return tuple(map(float, matrix.ravel()))
