"""Uniform grids of cubic cells, and points sorted by cell; see kernels/spatial/cells.h.

The cell of a point is floor((v - low) / size) along each axis, in float64; the last axis runs
fastest. The table has the first position of each cell or, if points are few, of the occupied ones.
O(n) for a table of all cells, otherwise O(n log n). The result does not depend on the device.

The size of cells can be chosen for the density where most points are, since clusters and outliers
make the bounding box misleading. Crowding is the mean number of points that share a cell:
sum(n_c^2) / n. Cells shrink until that of a sample is small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Array, Session
from ..primitives import lengths_of, sum_of_squares
from .points import Points

CELLS_ALONG = 2**21
CELLS_PER_POINT = 8  # with more, the table contains only the occupied cells
SMALLEST_CELL = 1e-150  # squares of smaller lengths underflow
RESOLVED = 2.0**-50  # smallest cell as a fraction of the largest coordinate
COVER = 1 + 1e-6  # relative error of a float32 distance and its bounds
TRIALS = 12  # of cell sizes
TOO_CROWDED = 4.0  # times the desired number of points per cell
SPARE = 8  # points that kernels/spatial/neighbors.h reads beyond the last one


@dataclass(frozen=True)
class UniformGrid:
    """Cells of edge ``size`` from ``low`` (3,); ``shape`` (3,) begins with missing axes."""

    low: tuple[float, float, float]
    size: float
    shape: tuple[int, int, int]

    @property
    def n_cells(self) -> int:
        return math.prod(self.shape)

    @property
    def as_struct(self) -> tuple[float, ...]:
        """CellGrid of the kernels."""
        return (*self.low, self.size, *map(float, self.shape))

    @property
    def is_one_cell(self) -> bool:
        return self.n_cells == 1


def uniform_grid(
    low: np.ndarray, high: np.ndarray, size: float, around: Points | None = None
) -> UniformGrid:
    """Return the grid over a box (d,) with cells of at least `size`; one cell if d > 3."""
    d = low.size
    if d > 3:
        return UniformGrid((0.0, 0.0, 0.0), math.inf, (1, 1, 1))
    # A box too long for such cells is reduced to the surroundings of the median, if possible.
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
    """Points sorted by cell, and by index within a cell."""

    grid: UniformGrid
    order: Array  # (n,) int32, the index of the point at each sorted position
    keys: Array  # (c,) int64, the occupied cells; empty if `starts` contains all cells
    starts: Array  # int32, the first position of each cell, and n
    planes: Array  # (max(d, 3), n + SPARE) float64 coordinates, after zeros for missing axes

    @property
    def n(self) -> int:
        return int(self.order.size)

    @property
    def cells(self) -> tuple[Any, ...]:
        """Kernel arguments: the grid and the table."""
        return self.grid.as_struct, self.keys, self.keys.size, self.starts

    @property
    def sorted(self) -> tuple[Any, ...]:
        """Kernel arguments: the planes and their stride."""
        return self.planes, self.planes.shape[1]

    def blocks(self, session: Session) -> Array:
        """Return the occupied cells as runs of sorted positions (B, 2) int64."""
        xp = session.device.xp
        begin, end = self.starts[:-1], self.starts[1:]
        if not self.keys.size:
            at = xp.flatnonzero(begin < end)
            begin, end = begin[at], end[at]
        return xp.stack([begin, end], axis=1).astype(np.int64)


def sort_points(session: Session, points: Points, grid: UniformGrid) -> SortedPoints:
    """Sort points by the cells of a grid that contains them."""
    device, n, d = session.device, points.n, points.d
    if grid.is_one_cell or not n:
        order, starts = device.xp.arange(n, dtype=np.int32), device.xp.asarray([0, n], np.int32)
        keys = device.empty(0, np.int64)
    else:
        keys = device.empty(n, np.int64)
        device.launch("key_points", n, grid.as_struct, points.values, d, keys)
        n_dense = grid.n_cells if grid.n_cells <= CELLS_PER_POINT * n + 1024 else 0
        order, keys, starts = sorted_by(session, keys, grid.n_cells, n_dense)
    planes = device.zeros((max(d, 3), n + SPARE), np.float64)
    device.launch("gather_points", n, points.values, d, order, n + SPARE, planes)
    return SortedPoints(grid, order, keys, starts, planes)


def sorted_by(
    session: Session, keys: Array, n_keys: int, n_dense: int
) -> tuple[Array, Array, Array]:
    """Return order, occupied keys, and starts of keys (n,) below n_keys; all keys if n_dense."""
    xp, n = session.device.xp, keys.size
    if n_dense:
        starts = session.device.empty(n_dense + 1, np.int32)
        if session.device.launch_form(host=True, gpu=False):
            order = session.device.empty(n, np.int32)
            session.host.run("sort_points_into_cells", keys, n, n_dense, starts, order)
        else:
            order, keys = order_by_key(session, keys, n_keys)
            session.device.launch("begin_cells", starts.size, keys, n, 1, starts)
        return order, keys[:0], starts
    order, keys = order_by_key(session, keys, n_keys)
    heads = xp.flatnonzero(keys[1:] != keys[:-1]) + 1
    starts = xp.concatenate([xp.zeros(1, np.int64), heads, xp.full(1, n, np.int64)])
    return order, keys[starts[:-1]], starts.astype(np.int32)


def order_by_key(session: Session, keys: Array, n_keys: int) -> tuple[Array, Array]:
    """Return the order (n,) int32 by (key, index) and the sorted keys; `keys` are overwritten."""
    xp, n, bits = session.device.xp, keys.size, max(n_keys - 1, 1).bit_length()
    if session.device.launch_form(host=True, gpu=False):
        order = session.device.empty(n, np.int32)
        session.host.run("sort_points_by_key", keys, n, bits, order)
        return order, keys
    index_bits = max(n - 1, 1).bit_length()
    if bits + index_bits > 63:
        wide, found = xp.argsort(keys, kind="stable"), session.device.empty(n, np.int64)
        order = session.device.empty(n, np.int32)
        session.device.launch("follow_order", n, wide, keys, order, found)
        return order, found
    session.device.launch("join_indices", n, index_bits, keys)
    keys.sort()
    order = session.device.empty(n, np.int32)
    session.device.launch("part_indices", n, index_bits, keys, order)
    return order, keys


def joint_bounds(*sets: Points) -> tuple[np.ndarray, np.ndarray]:
    """Return the bounding box (d,) of all points of the sets; zeros if there are none."""
    some = [points for points in sets if points.n] or None
    if some is None:
        return np.zeros(sets[0].d), np.zeros(sets[0].d)
    return (
        np.min([points.low for points in some], axis=0),
        np.max([points.high for points in some], axis=0),
    )


def covered(radius: float) -> float:
    """Return a slightly larger radius, so that rounding loses no pair at the radius."""
    return max(radius * COVER, SMALLEST_CELL)


# === sizes of cells
def size_by_volume(low: np.ndarray, high: np.ndarray, n: int, points_per_cell: float) -> float:
    """Return the edge of cells with that many of n points each, if these fill their box evenly."""
    extents = sorted((high - low).tolist(), reverse=True)
    size = 0.0
    for m in range(1, len(extents) + 1):
        if extents[m - 1] <= size:
            break  # axes shorter than the edge are ignored
        logs = sum(math.log(extent) for extent in extents[:m])
        size = math.exp((logs + math.log(points_per_cell / n)) / m)
    return size


def size_by_density(session: Session, points: Points, points_per_cell: float) -> float:
    """Return the edge of cells with about that many points, where most points are. O(sample)."""
    n = points.n
    if n == 0 or points.d > 3:
        return 0.0
    low, high = points.low, points.high
    share = points.sample.shape[0] / n
    smallest = RESOLVED * float(np.abs([low, high]).max())
    size = size_by_volume(low, high, n, points_per_cell)
    tried = []
    for _ in range(TRIALS):
        # Fewer points share a cell in a sample, apart from the point itself.
        crowding = 1 + (_crowding(session, points, size) - 1) / share
        tried.append((size, crowding))
        if crowding <= TOO_CROWDED * points_per_cell + 1 or size <= smallest:
            break
        size *= min(0.5, max(1 / 64, (points_per_cell / crowding) ** 0.5))
    least = min(crowding for _, crowding in tried)
    enough = max(TOO_CROWDED * points_per_cell + 1, 1.5 * least)  # duplicates cannot be separated
    return max(size for size, crowding in tried if crowding <= enough)


def _crowding(session: Session, points: Points, size: float) -> float:
    sample = points.sample
    m, d = sample.shape
    grid = uniform_grid(points.low, points.high, size, points)
    if grid.is_one_cell:
        return float(m)
    keys = session.device.empty(m, np.int64)
    session.device.launch("key_points", m, grid.as_struct, sample, d, keys)
    n_dense = grid.n_cells if grid.n_cells <= 4 * m else 0
    _, _, starts = sorted_by(session, keys, grid.n_cells, n_dense)
    return float(sum_of_squares(session.device, lengths_of(starts))) / m
