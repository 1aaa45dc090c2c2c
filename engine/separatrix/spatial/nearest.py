"""Exact k nearest points of each point, by distance and then by index.

Each query searches the cells around its own, with about k/3 points each. Its result is final if the
k-th distance is less than that to the nearest cell that was not searched; the other queries
continue in larger cells. Squared distances are summed in float64 from left to right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import checked_flag, checked_whole
from ..device import Array, Progress, Session
from ..options import known_keywords
from ..primitives import at, compact, without_repeats
from .periodic import checked_box, images, moved_into, squared_in_box
from .points import (
    MOST_POINTS,
    Points,
    as_points,
    bounded_pair,
    bounded_points,
    require_one_set,
    require_sorted,
)
from .uniform_grid import COVER, SortedPoints, size_by_density, sort_points, uniform_grid

STAGES = {"points": 0.05, "grid": 0.25, "search": 0.7}
FEW = 20  # if 1 / FEW of the queries are left, a wider search is faster than sorting again
COARSER = (4, 16)  # factors of the next cell size if many or few queries are left
IN_REGISTERS = (8, 16, 32)  # kernels nearest_8 ..., for k up to that


@known_keywords
def nearest(
    x: Any,
    y: Any = None,
    *,
    k: int,
    include_self: bool = True,
    boxsize: Any = None,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> tuple[Array, Array]:
    """Find the k points of `y` nearest to each point of `x`.

    Parameters
    ----------
    k : int
        Number of neighbors, at least 1. Ties go to the lower index.
    x, y, include_self, boxsize, device, threads, memory_limit, progress
        See :func:`separatrix.neighbors`. In a periodic box, each point counts once.

    Returns
    -------
    distances : (n, k) float64 array
        Ascending in each row, in the unit of the points; infinite if there are fewer points.
    indices : (n, k) int64 array
        -1 if there are fewer points.

    Raises
    ------
    InputError
        If a coordinate is NaN or infinite, shapes do not match, or k is less than 1.
    DeviceMemoryError
        If the result does not fit in memory.

    Examples
    --------
    >>> import separatrix as sx
    >>> distances, indices = sx.nearest([[0.0], [2.5]], [[0.0], [1.0], [3.0]], k=2)
    >>> distances.tolist(), indices.tolist()
    ([[0.0, 1.0], [0.5, 1.5]], [[0, 1], [2, 1]])
    """
    k = checked_whole(k, "k", 1, MOST_POINTS)
    include_self = checked_flag(include_self, "include_self")
    require_one_set(y, include_self)
    given, others = as_points(x, "x"), None if y is None else as_points(y, "y")
    box = checked_box(boxsize, given.shape[1])
    session = Session(given, device, threads, memory_limit)
    table = f"a table of {k:,} neighbors of {len(given):,} points"
    with session.call(progress, STAGES):
        require_sorted(session, given, others)
        advice = "lower {k} or use fewer points at once"
        session.memory.require(len(given) * k * 16, table, advice, look_from=0)
        with session.stage("points"):
            queries, points = bounded_pair(session, given, others)
        if box is None:
            distances, indices = nearest_points(session, queries, points, k, include_self)
        else:
            distances, indices = _nearest_in_box(session, queries, points, k, include_self, box)
        return session.result(distances), session.result(indices)


def nearest_points(
    session: Session, queries: Points, points: Points, k: int, include_self: bool
) -> tuple[Array, Array]:
    """Search validated points, within a call that has the stages "grid" and "search"."""
    device = session.device
    distances = device.empty((queries.n, k), np.float64)
    indices = device.empty((queries.n, k), np.int64)
    if not queries.n or not points.n:
        distances.fill(np.inf)
        indices.fill(-1)
        return distances, indices
    with session.stage("grid"):
        size = np.inf if points.n <= k else size_by_density(session, points, max(k / 3, 1.0))
        table = _sorted_by_size(session, points, size)
        # Cells of the same size, so that neighboring queries read the same memory.
        same = points is queries
        asked = table if same else _sorted_by_size(session, queries, table.grid.size)
    slots = next((slots for slots in IN_REGISTERS if k <= slots), None)

    def search(pending: Array, reach: int) -> Array:
        """Search for the pending queries; return those without a final result, (p,) int64."""
        undone = device.empty(pending.size, np.uint8)
        session.launch(
            f"nearest_{slots or 'many'}", pending.size,
            *table.cells, *table.sorted, table.planes.shape[0], table.order,
            *asked.sorted, asked.order, pending, k, not include_self, reach, undone,
            distances.reshape(-1), indices.reshape(-1),
        )  # fmt: skip
        return at(pending, compact(undone))

    with session.stage("search"):
        pending = device.numbers(queries.n, np.int64)
        while True:
            pending = search(pending, 1)
            are_few = pending.size * FEW < queries.n
            if pending.size and are_few:
                pending = search(pending, 2)
            if not pending.size:
                return distances, indices
            table = _sorted_by_size(session, points, COARSER[are_few] * table.grid.size)


def _nearest_in_box(
    session: Session, queries: Points, points: Points, k: int, include_self: bool, box: np.ndarray
) -> tuple[Array, Array]:
    """Search from all images of a query that may be nearer to points than the query itself."""
    xp, same = session.device.xp, points is queries
    queries = moved_into(session, queries, box)
    points = queries if same else moved_into(session, points, box)
    distances, indices = nearest_points(session, queries, points, k, include_self)
    if not queries.n or not points.n:
        return distances, indices
    owner, at, is_moved = images(
        session, queries.values, box, points.low, points.high, distances[:, -1] * COVER
    )
    owner, at = owner[is_moved], at[is_moved]
    rows, items = [xp.repeat(xp.arange(queries.n), k)], [indices.reshape(-1)]
    if owner.size:
        with session.call(session.progress_from(0.99), STAGES):
            wanted = k + (not include_self)  # the query itself may be among them
            asked = bounded_points(session, at, "points")
            others = nearest_points(session, asked, points, wanted, True)[1]
        rows.append(xp.repeat(owner, wanted))
        items.append(others.reshape(-1))
    row, item = xp.concatenate(rows), xp.concatenate(items)
    keep = item >= 0
    if not include_self:
        keep &= item != row
    pair = without_repeats(row[keep] * points.n + item[keep])
    row, item = pair // points.n, pair % points.n
    d2 = squared_in_box(session, queries.values, points.values, row, item, box)
    order = xp.argsort(d2, kind="stable")
    order = order[xp.argsort(row[order], kind="stable")]  # by row, distance, and item
    row, item, d2 = row[order], item[order], d2[order]
    place = xp.arange(row.size) - xp.searchsorted(row, row)
    best = place < k
    distances.fill(np.inf)
    indices.fill(-1)
    distances[row[best], place[best]] = xp.sqrt(d2[best])
    indices[row[best], place[best]] = item[best]
    return distances, indices


def _sorted_by_size(session: Session, points: Points, size: float) -> SortedPoints:
    return sort_points(session, points, uniform_grid(points.low, points.high, size, points))
