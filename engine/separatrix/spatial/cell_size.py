"""Cell size for the density where most points are.

Crowding is the mean number of points that share a cell: sum(n_c^2) / n. Cells shrink until that of
a sample is small, because with clusters and outliers the bounding box does not determine it.
"""

from __future__ import annotations

import math

import numpy as np

from ..device import Session
from .points import Points
from .uniform_grid import RESOLVED, sorted_by, uniform_grid

TRIALS = 12
TOO_CROWDED = 4.0  # times the desired number of points per cell


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
    held = (starts[1:] - starts[:-1]).astype(np.float64)
    return float((held * held).sum()) / m
