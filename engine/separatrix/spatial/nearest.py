"""The k nearest points of each point, exactly, by distance and then by index.

1. Points are sorted into cells of about k/3 where most of them are.
2. Each query looks at the cells around its own, and knows whether what it found is final: its k-th
   distance is strictly below that to the nearest cell not looked at.
3. Those that do not know look twice as far if they are few, and then on a grid of larger cells, and
   so on; in the last all points lie in one cell.

Squared distances are float64, from left to right: the same answer on every device, for any grid.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..device import Session
from ..device.base import Array
from ..device.session import Progress
from ..errors import InputError
from ..options import known_keywords
from ..primitives import compact
from .cell_size import size_by_density
from .points import (
    MOST_POINTS,
    Points,
    as_points,
    bounded_points,
    checked_dimension,
    require_sorted,
)
from .uniform_grid import SortedPoints, sort_points, uniform_grid

STAGES = {"points": 0.05, "grid": 0.25, "search": 0.7}
FEW = 20  # one of so many queries left: cheaper to look further than to sort points again
COARSER = (4, 16)  # cells of the next grid: while many queries are left, and when few are
IN_REGISTERS = (8, 16, 32)  # kernels nearest_8 ..., for k up to that


@known_keywords
def nearest(
    x: Any,
    y: Any = None,
    *,
    k: int,
    include_self: bool = True,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> tuple[Array, Array]:
    """The k points of `y` nearest to each point of `x`.

    Parameters
    ----------
    x : array (n, d)
        Points that get a row each. Float32 or float64; any d, fast up to three.
    y : array (m, d), optional
        Points to be found; by default those of x.
    k : int
        How many, at least 1; where there are fewer points, rows are filled up. Ties go to the lower
        index.
    include_self : bool
        Without y: whether a point is its own neighbor, as in SciPy. Duplicates always are.
    device, threads, memory_limit, progress
        As in :func:`separatrix.morse_smale`.

    Returns
    -------
    distances : (n, k) float64, ascending, in the points' unit; infinite where there is no point.
    indices : (n, k) int64; -1 where there is no point.

    Raises
    ------
    InputError
        NaN or infinity, shapes that don't fit, k below 1.
    DeviceMemoryError
        More than fits.
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise InputError(f"k must be a whole number from 1 on, got {k!r}")
    if k > MOST_POINTS:
        raise InputError(f"k must be at most {MOST_POINTS:,}, the most points there can be")
    include_self = checked_flag(include_self, "include_self")
    if y is not None and not include_self:
        raise InputError(
            "include_self=False is for the neighbors of points among themselves; leave y out, "
            "or ask for one more and drop what you don't want"
        )
    given, others = as_points(x, "x"), None if y is None else as_points(y, "y")
    session = Session(given, device, threads, memory_limit)
    counts = [len(given)] if others is None else [len(given), len(others)]
    table = f"a table of {k:,} neighbors of {len(given):,} points"
    with session.call(progress, STAGES):
        require_sorted(session, given.shape[1], *counts)
        session.memory.require(len(given) * int(k) * 16, table, "take fewer at once", look_from=0)
        with session.stage("points"):
            queries = bounded_points(session, given, "x")
            points = queries if others is None else bounded_points(session, others, "y")
            checked_dimension(queries, points)
        distances, indices = nearest_points(session, queries, points, int(k), include_self)
        return session.result(distances), session.result(indices)


def nearest_points(
    session: Session, queries: Points, points: Points, k: int, include_self: bool
) -> tuple[Array, Array]:
    """The same for checked points, within a call that has the stages "grid" and "search"."""
    device = session.device
    distances = device.empty((queries.n, k), np.float64)
    indices = device.empty((queries.n, k), np.int64)
    if not queries.n or not points.n:
        distances.fill(np.inf)
        indices.fill(-1)
        return distances, indices
    with session.stage("grid"):
        table = _first_grid(session, points, k)
        asked = table if points is queries else _sorted_alike(session, queries, table)
    with session.stage("search"):
        pending = device.xp.arange(queries.n, dtype=np.int64)
        out = (distances.reshape(-1), indices.reshape(-1))
        while True:
            pending = _search(session, table, asked, pending, k, include_self, 1, *out)
            are_few = pending.size * FEW < queries.n
            if pending.size and are_few:
                pending = _search(session, table, asked, pending, k, include_self, 2, *out)
            if not pending.size:
                return distances, indices
            table = _coarser(session, points, COARSER[are_few] * table.grid.size)


def _first_grid(session: Session, points: Points, k: int) -> SortedPoints:
    size = np.inf if points.n <= k else size_by_density(session, points, max(k / 3, 1.0))
    return sort_points(session, points, uniform_grid(points.low, points.high, size, points))


def _sorted_alike(session: Session, queries: Points, table: SortedPoints) -> SortedPoints:
    """Queries sorted by cells as long as the points', so that neighbors read the same memory."""
    size = table.grid.size
    return sort_points(session, queries, uniform_grid(queries.low, queries.high, size, queries))


def _coarser(session: Session, points: Points, size: float) -> SortedPoints:
    return sort_points(session, points, uniform_grid(points.low, points.high, size, points))


def _search(
    session: Session,
    table: SortedPoints,
    asked: SortedPoints,
    pending: Array,
    k: int,
    include_self: bool,
    reach: int,
    distances: Array,
    indices: Array,
) -> Array:
    """Search for the pending queries; those that are not done yet, (p,) int64."""
    slots = next((slots for slots in IN_REGISTERS if k <= slots), None)
    undone = session.device.empty(pending.size, np.uint8)
    session.launch(
        f"nearest_{slots or 'many'}",
        pending.size,
        *table.cells,
        *table.sorted,
        table.planes.shape[0],
        table.order,
        *asked.sorted,
        asked.order,
        pending,
        k,
        not include_self,
        reach,
        undone,
        distances,
        indices,
    )
    return pending[compact(undone)]
