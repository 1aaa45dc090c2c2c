"""Neighbors within a closed radius: lists, counts, and the sparse distances of a Rips filtration.

1. Points and queries are sorted by the cells of one grid, as long as the radius or as sparse points
   allow.
2. Each query counts the points at d2 <= r*r, the counts are added up, and each fills its row.
3. Rows are by the caller's order, items by the caller's indices, ascending.

Distances and the test are float64, from left to right: the same lists on every device. Points of
more than three dimensions are compared with all others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..csr import CSR
from ..device import Session
from ..device.base import Array
from ..device.session import Progress
from ..errors import InputError
from ..options import known_keywords
from ..primitives import exclusive_scan
from .cell_size import size_by_density
from .points import as_points, bounded_points, checked_dimension, checked_radius, require_sorted
from .uniform_grid import (
    CELLS_A_POINT,
    SortedPoints,
    covered,
    joint_bounds,
    sort_points,
    uniform_grid,
)

STAGES = {"points": 0.05, "grid": 0.25, "count": 0.3, "fill": 0.4}


@dataclass(frozen=True, eq=False, repr=False)
class Neighbors(CSR):
    """Neighbors of each row.

    ``offsets`` (n + 1,) int64; ``items`` (m,) int64, ascending in each row; ``distances`` (m,)
    float64 in the unit of the points, or None.
    """

    distances: Array | None = None


@known_keywords
def neighbors(
    x: Any,
    y: Any = None,
    *,
    radius: float,
    include_self: bool = True,
    pairs: bool = False,
    distances: bool = False,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Neighbors:
    """All points of `y` within `radius` of each point of `x`, the radius itself included.

    Parameters
    ----------
    x : array (n, d)
        Points that get a row each. Float32 or float64; any d, fast up to three.
    y : array (m, d), optional
        Points to be found; by default those of x.
    radius : float
        At least 0, in the points' unit; infinity finds all.
    include_self : bool
        Without y: whether a point is its own neighbor, as in SciPy. Duplicates always are.
    pairs : bool
        Without y: each pair once, in the row of its lower index.
    distances : bool
        Whether distances are given too.
    device, threads, memory_limit, progress
        As in :func:`separatrix.morse_smale`; the limit is seen to before the lists are made.

    Returns
    -------
    Neighbors
        NumPy or CuPy arrays, as the input.

    Raises
    ------
    InputError
        NaN or infinity, shapes that don't fit, a negative radius.
    DeviceMemoryError
        More pairs than fit; the message has their number.
    """
    measures = checked_flag(distances, "distances")
    search = _Search(x, y, radius, include_self, pairs, device, threads, memory_limit)
    with search.session.call(progress, STAGES):
        offsets, items = search.lists()
        measured = None
        if measures:
            measured = search.measured(search.rows(offsets, items.size), items)
        result = search.session.result
        return Neighbors(
            result(offsets), result(items), None if measured is None else result(measured)
        )


@known_keywords
def count_neighbors(
    x: Any,
    y: Any = None,
    *,
    radius: float,
    include_self: bool = True,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Array:
    """How many points of `y` each point of `x` has within the closed `radius`: (n,) int64.

    Parameters and errors are those of :func:`neighbors`.
    """
    search = _Search(x, y, radius, include_self, False, device, threads, memory_limit)
    with search.session.call(progress, STAGES):
        return search.session.result(search.counts())


@known_keywords
def sparse_distances(
    x: Any,
    radius: float,
    *,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> tuple[Array, Array, Array]:
    """The pairs i < j at distance at most `radius`: i and j (m,) int64 and d (m,) float64.

    Ordered by (i, j). Parameters and errors are those of :func:`neighbors`.
    """
    search = _Search(x, None, radius, False, True, device, threads, memory_limit)
    with search.session.call(progress, STAGES):
        offsets, items = search.lists()
        rows = search.rows(offsets, items.size)
        result = search.session.result
        return result(rows), result(items), result(search.measured(rows, items))


class _Search:
    """One call: the points, the grid, the counts, the lists."""

    def __init__(
        self,
        x: Any,
        y: Any,
        radius: float,
        include_self: bool,
        pairs: bool,
        device: str | None,
        threads: int | None,
        memory_limit: int | None,
    ):
        self.radius = checked_radius(radius)
        self.given = as_points(x, "x")
        self.others = None if y is None else as_points(y, "y")
        pairs = checked_flag(pairs, "pairs")
        include_self = checked_flag(include_self, "include_self")
        if y is not None and (pairs or not include_self):
            raise InputError(
                "pairs=True and include_self=False are for the neighbors of points among "
                "themselves; leave y out, or leave them out"
            )
        self.each_pair_once = pairs
        self.without_self = not include_self
        self.session = Session(self.given, device, threads, memory_limit)

    def counts(self) -> Array:
        """Neighbors of each row, (n,) int64."""
        session = self.session
        others = [] if self.others is None else [len(self.others)]
        require_sorted(session, self.given.shape[1], len(self.given), *others)
        with session.stage("points"):
            self.x = bounded_points(session, self.given, "x")
            self.y = self.x if self.others is None else bounded_points(session, self.others, "y")
            checked_dimension(self.x, self.y)
        count = session.device.zeros(self.x.n, np.int64)
        if not self.x.n or not self.y.n:
            return count
        with session.stage("grid"):
            self._sort()
        with session.stage("count"):
            if self.each_pair_once:
                session.launch("count_pairs", self.x.n, *self._pair_arguments(), count)
            else:
                session.launch("count_within", self.x.n, *self._arguments(), count)
        return count

    def _sort(self) -> None:
        bounds = joint_bounds(self.x, self.y)
        size = covered(self.radius)
        grid = uniform_grid(*bounds, size, self.y)
        if grid.n_cells > CELLS_A_POINT * self.y.n:
            size = max(size, size_by_density(self.session, self.y, 2.0))
            grid = uniform_grid(*bounds, size, self.y)
        self.points = sort_points(self.session, self.y, grid)
        self.queries: SortedPoints = self.points
        if self.y is not self.x:
            self.queries = sort_points(self.session, self.x, grid)
        self.wide = covered(self.radius) / grid.size if math.isfinite(grid.size) else 0.0

    def _arguments(self) -> tuple[Any, ...]:
        queries = (*self.queries.sorted, self.queries.order)
        return (*self._points(), *queries, *self._radii(), self.without_self)

    def _pair_arguments(self) -> tuple[Any, ...]:
        return (*self._points(), *self._radii())

    def _points(self) -> tuple[Any, ...]:
        points = self.points
        return (*points.cells, *points.sorted, points.planes.shape[0], points.order)

    def _radii(self) -> tuple[float, float]:
        return self.radius * self.radius, self.wide

    def lists(self) -> tuple[Array, Array]:
        """(offsets (n + 1,), items ascending in each row)."""
        offsets = exclusive_scan(self.counts())
        n_pairs = int(offsets[-1])
        self._require(n_pairs)
        items = self.session.device.empty(n_pairs, np.int64)
        if not n_pairs:
            return offsets, items
        with self.session.stage("fill"):
            if self.each_pair_once:
                self.session.launch("fill_pairs", self.x.n, *self._pair_arguments(), offsets, items)
                return self._rows_of(items)
            self.session.launch("fill_within", self.x.n, *self._arguments(), offsets, items)
            sort = self.session.device.launch_form(host=self._sort_rows, gpu=self._sort_all)
            return offsets, sort(offsets, items)

    def _sort_rows(self, offsets: Array, items: Array) -> Array:
        self.session.launch("sort_rows", self.x.n, offsets, items)
        return items

    def _sort_all(self, offsets: Array, items: Array) -> Array:
        """Rows stand in the upper half: all are sorted at once."""
        items = self.session.device.xp.sort(items)
        items &= 0xFFFFFFFF
        return items

    def _rows_of(self, pairs: Array) -> tuple[Array, Array]:
        """The same from pairs row << 32 | item in any order."""
        offsets = self.session.device.empty(self.x.n + 1, np.int64)
        group = self.session.device.launch_form(host=self._group_pairs, gpu=self._sort_pairs)
        return offsets, group(pairs, offsets)

    def _group_pairs(self, pairs: Array, offsets: Array) -> Array:
        session, n, m = self.session, self.x.n, pairs.size
        items = session.device.empty(m, np.int64)
        if not session.host.run("group_pairs", pairs, m, n, offsets, items):
            session.launch("sort_rows", n, offsets, items)
        return items

    def _sort_pairs(self, pairs: Array, offsets: Array) -> Array:
        pairs = self.session.device.xp.sort(pairs)
        self.session.launch("begin_rows", self.x.n + 1, pairs, pairs.size, offsets)
        pairs &= 0xFFFFFFFF
        return pairs

    def _require(self, n_pairs: int) -> None:
        self.session.memory.require(
            n_pairs * self.session.device.launch_form(host=24, gpu=32),
            f"a list of {n_pairs:,} pairs",
            "take a smaller radius, or count_neighbors, or fewer points at once",
            look_from=0,
            limits_host=True,
        )

    def rows(self, offsets: Array, n_pairs: int) -> Array:
        """The row of each item, (m,) int64."""
        rows = self.session.device.empty(n_pairs, np.int64)
        self.session.launch("name_rows", self.x.n, offsets, rows)
        return rows

    def measured(self, rows: Array, items: Array) -> Array:
        """Distance of each pair, (m,) float64."""
        distances = self.session.device.empty(items.size, np.float64)
        x, y = self.x.values, self.y.values
        self.session.launch("measure_pairs", items.size, x, y, self.x.d, rows, items, distances)
        return distances
