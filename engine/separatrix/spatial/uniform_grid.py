"""Uniform grids of cubic cells, and points sorted by cell.

1. Keys: a point's cell by floor((v - low) / size) on each axis, in float64; the last axis runs
   fastest. An axis has at most 2^21 cells: they go where most points are, or are made larger, which
   costs time alone.
2. A stable sort by key: by counting on the CPU, by (key, index) at once on a GPU.
3. The cell table: where each cell begins, or the occupied keys where points are few.

O(n) for a table, O(n log n) otherwise. Equal on every device; kernels/spatial/cells.h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Session
from ..device.base import Array
from ..lazy import cached_property
from .points import Points

CELLS_ALONG = 2**21
CELLS_A_POINT = 8  # more of them and the table gives way to the occupied keys
SMALLEST_CELL = 1e-150  # squares of smaller lengths vanish
RESOLVED = 2.0**-50  # of the largest coordinate: cells that can still be told apart
COVER = 1 + 1e-6  # what a float32 distance and its bounds may be wrong by
SPARE = 8  # kernels/spatial/neighbors.h: points read after the last one


@dataclass(frozen=True)
class UniformGrid:
    """Cells of edge ``size`` counted from ``low`` (3,); ``shape`` (3,), axes missing in front."""

    low: tuple[float, float, float]
    size: float
    shape: tuple[int, int, int]

    @property
    def n_cells(self) -> int:
        """All cells, occupied or not."""
        return math.prod(self.shape)

    @property
    def as_struct(self) -> tuple[float, ...]:
        """The CellGrid of the kernels."""
        return (*self.low, self.size, *map(float, self.shape))

    @property
    def is_one_cell(self) -> bool:
        """Whether all points lie in one cell."""
        return self.n_cells == 1


def uniform_grid(
    low: np.ndarray, high: np.ndarray, size: float, around: Points | None = None
) -> UniformGrid:
    """The grid over a box (d,), its cells at least `size` long; one cell if d > 3.

    A box that is too long for such cells is cut down to what lies around the middle of the points
    `around`, if there are any, before cells are made larger.
    """
    d = low.size
    if d > 3:
        return UniformGrid((0.0, 0.0, 0.0), math.inf, (1, 1, 1))
    if around is not None and around.n and size * (CELLS_ALONG - 2) < float((high - low).max()):
        size = max(size, SMALLEST_CELL, RESOLVED * float(np.abs([low, high]).max()))
        span = size * (CELLS_ALONG // 2 - 2)
        low, high = np.maximum(low, around.middle - span), np.minimum(high, around.middle + span)
    extents = high - low
    longest = float(extents.max())
    size = max(size, SMALLEST_CELL, longest / (CELLS_ALONG - 2))
    if size > longest:
        size = max(2 * longest, SMALLEST_CELL)
    shape = [int(extent / size) + 1 for extent in extents.tolist()]
    zeros = 3 - d
    x, y, z = [0.0] * zeros + low.tolist()
    return UniformGrid((x, y, z), size, (*([1] * zeros), *shape))  # type: ignore[arg-type]


@dataclass(frozen=True)
class SortedPoints:
    """Points sorted by cell.

    ``order`` (n,) int32: the index of the point at each sorted position; within a cell indices
    ascend. ``keys`` (c,) int64: the occupied cells, empty if ``starts`` is a dense table;
    ``starts`` int32, a cell's first position, and n last. ``planes`` (max(d, 3), n + SPARE)
    float64: the sorted coordinates, zeros in front of missing axes.
    """

    grid: UniformGrid
    order: Array
    keys: Array
    starts: Array
    planes: Array

    @property
    def n(self) -> int:
        """How many points."""
        return int(self.order.size)

    @property
    def cells(self) -> tuple[Any, ...]:
        """Arguments of kernels: the grid and the table."""
        return self.grid.as_struct, self.keys, self.keys.size, self.starts

    @property
    def sorted(self) -> tuple[Any, ...]:
        """Arguments of kernels: the planes and their stride."""
        return self.planes, self.planes.shape[1]

    @cached_property
    def occupancy(self) -> Array:
        """Points of each cell in the table, int64, empty cells of a dense one included."""
        return (self.starts[1:] - self.starts[:-1]).astype(np.int64)

    def blocks(self, session: Session) -> Array:
        """The occupied cells as runs of sorted positions: (B, 2) int64."""
        xp = session.device.xp
        begin, end = self.starts[:-1], self.starts[1:]
        if not self.keys.size:
            at = xp.flatnonzero(begin < end)
            begin, end = begin[at], end[at]
        return xp.stack([begin, end], axis=1).astype(np.int64)


def sort_points(session: Session, points: Points, grid: UniformGrid) -> SortedPoints:
    """Points sorted by the cells of a grid that holds them all."""
    device, n, d = session.device, points.n, points.d
    if grid.is_one_cell or not n:
        order, starts = device.xp.arange(n, dtype=np.int32), device.xp.asarray([0, n], np.int32)
        keys = device.empty(0, np.int64)
    else:
        keys = device.empty(n, np.int64)
        device.launch("key_points", n, grid.as_struct, points.values, d, keys)
        n_dense = grid.n_cells if grid.n_cells <= CELLS_A_POINT * n + 1024 else 0
        order, keys, starts = sorted_by(session, keys, grid.n_cells, n_dense)
    planes = device.zeros((max(d, 3), n + SPARE), np.float64)
    device.launch("gather_points", n, points.values, d, order, n + SPARE, planes)
    return SortedPoints(grid, order, keys, starts, planes)


def sorted_by(
    session: Session, keys: Array, n_keys: int, n_dense: int
) -> tuple[Array, Array, Array]:
    """(order, occupied keys, starts) of keys (n,) in [0, n_keys); a dense table if n_dense."""
    xp, n = session.device.xp, keys.size
    if n_dense:
        starts = session.device.empty(n_dense + 1, np.int32)
        into_cells = session.device.launch_form(host=_counted_into_cells, gpu=_sorted_into_cells)
        return into_cells(session, keys, n_keys, starts), keys[:0], starts
    order, keys = order_by_key(session, keys, n_keys)
    heads = xp.flatnonzero(keys[1:] != keys[:-1]) + 1
    starts = xp.concatenate([xp.zeros(1, np.int64), heads, xp.full(1, n, np.int64)])
    return order, keys[starts[:-1]], starts.astype(np.int32)


def _counted_into_cells(session: Session, keys: Array, n_keys: int, starts: Array) -> Array:
    order = session.device.empty(keys.size, np.int32)
    session.host.run("sort_points_into_cells", keys, keys.size, starts.size - 1, starts, order)
    return order


def _sorted_into_cells(session: Session, keys: Array, n_keys: int, starts: Array) -> Array:
    order, keys = order_by_key(session, keys, n_keys)
    session.device.launch("begin_cells", starts.size, keys, keys.size, starts)
    return order


def order_by_key(session: Session, keys: Array, n_keys: int) -> tuple[Array, Array]:
    """(order (n,) int32, keys in that order): ascending by (key, index). Keys are overwritten."""
    form = session.device.launch_form(host=_order_on_host, gpu=_order_on_gpu)
    return form(session, keys, max(n_keys - 1, 1).bit_length())


def _order_on_host(session: Session, keys: Array, bits: int) -> tuple[Array, Array]:
    order = session.device.empty(keys.size, np.int32)
    session.host.run("sort_points_by_key", keys, keys.size, bits, order)
    return order, keys


def _order_on_gpu(session: Session, keys: Array, bits: int) -> tuple[Array, Array]:
    xp, n = session.device.xp, keys.size
    index_bits = max(n - 1, 1).bit_length()
    if bits + index_bits > 63:
        order = xp.argsort(keys, kind="stable")
        return order.astype(np.int32), keys[order]
    both = xp.sort(keys << index_bits | xp.arange(n, dtype=np.int64))  # all differ: one order
    return (both & ((1 << index_bits) - 1)).astype(np.int32), both >> index_bits


def joint_bounds(*sets: Points) -> tuple[np.ndarray, np.ndarray]:
    """The box (d,) around all points of the sets that have any; zeros if none has."""
    some = [points for points in sets if points.n] or None
    if some is None:
        return np.zeros(sets[0].d), np.zeros(sets[0].d)
    return (
        np.min([points.low for points in some], axis=0),
        np.max([points.high for points in some], axis=0),
    )


def covered(radius: float) -> float:
    """A radius a little larger, so that rounding leaves no pair at the radius out."""
    return max(radius * COVER, SMALLEST_CELL)
