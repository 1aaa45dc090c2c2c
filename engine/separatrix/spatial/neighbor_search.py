"""A search for the neighbors of points within a closed radius: counts, lists, and distances.

Points are sorted by the cells of one grid. Each query counts the points with d2 <= r*r, and a
prefix sum of the counts places its row. Points of more than three dimensions share one cell. In a
periodic box, images of the queries across its faces search as well.
"""

from __future__ import annotations

import math
from copy import copy
from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..device import Array, Session
from ..primitives import compact, exclusive_scan, shifted
from .periodic import check_half_box, checked_box, images, moved_into, squared_in_box
from .points import as_points, bounded_pair, checked_radius, require_one_set, require_sorted
from .uniform_grid import (
    CELLS_PER_POINT,
    covered,
    joint_bounds,
    size_by_density,
    sort_points,
    uniform_grid,
)

STAGES = {"points": 0.05, "grid": 0.25, "count": 0.3, "fill": 0.4}


class Search:
    """One call: the points, the grid, the counts, and the lists."""

    def __init__(
        self,
        x: Any,
        y: Any,
        radius: float,
        pairs: bool,
        include_self: bool,
        boxsize: Any,
        *settings: Any,
    ):
        self.radius = checked_radius(radius)
        self.given = as_points(x, "x")
        self.others = None if y is None else as_points(y, "y")
        self.each_pair_once = checked_flag(pairs, "pairs")
        include_self = checked_flag(include_self, "include_self")
        require_one_set(y, include_self, self.each_pair_once)
        self.without_self = not include_self
        self.box = checked_box(boxsize, self.given.shape[1])
        if self.box is not None:
            check_half_box(self.radius, self.box)
        self.session = Session(self.given, *settings)

    def counts(self) -> Array:
        """Return the number of neighbors of each row, (n,) int64."""
        count = self._counts()
        if self.box is not None:
            rows, _ = self._across_faces()
            count += self.session.device.xp.bincount(rows, minlength=self.x.n)
        return count

    def _counts(self) -> Array:
        """Count the neighbors that are not across a face of the box."""
        session = self.session
        require_sorted(session, self.given, self.others)
        with session.stage("points"):
            self.x, self.y = bounded_pair(session, self.given, self.others)
            if self.box is not None:
                same = self.y is self.x
                self.x = moved_into(session, self.x, self.box)
                self.y = self.x if same else moved_into(session, self.y, self.box)
        count = session.device.zeros(self.x.n, np.int64)
        if not self.x.n or not self.y.n:
            return count
        with session.stage("grid"):
            bounds, size = joint_bounds(self.x, self.y), covered(self.radius)
            grid = uniform_grid(*bounds, size, self.y)
            if grid.n_cells > CELLS_PER_POINT * self.y.n:
                size = max(size, size_by_density(session, self.y, 2.0))
                grid = uniform_grid(*bounds, size, self.y)
            self.queries = self.points = sort_points(session, self.y, grid)
            if self.y is not self.x:
                self.queries = sort_points(session, self.x, grid)
            self.wide = covered(self.radius) / grid.size if math.isfinite(grid.size) else 0.0
        with session.stage("count"):
            kernel = "count_pairs" if self.each_pair_once else "count_within"
            session.launch(kernel, self.x.n, *self._arguments(), count)
        return count

    def _arguments(self) -> tuple[Any, ...]:
        """Return the arguments of the kernels over pairs, or over all neighbors."""
        points, radii = self.points, (self.radius * self.radius, self.wide)
        found = (*points.cells, *points.sorted, points.planes.shape[0], points.order)
        if self.each_pair_once:
            return (*found, *radii)
        return (*found, *self.queries.sorted, self.queries.order, *radii, self.without_self)

    def lists(self) -> tuple[Array, Array]:
        """Return the offsets (n + 1,) and the items, ascending in each row."""
        offsets, items = self._lists()
        if self.box is None:
            return offsets, items
        xp, (rows, others) = self.session.device.xp, self._across_faces()
        rows = xp.concatenate([self.rows(offsets, items.size), rows])
        pairs = xp.sort(rows << 32 | xp.concatenate([items, others]))
        return exclusive_scan(xp.bincount(pairs >> 32, minlength=self.x.n)), pairs & 0xFFFFFFFF

    def _across_faces(self) -> tuple[Array, Array]:
        """Return the rows and items of neighbors across faces of the box."""
        session, box = self.session, self.box
        assert box is not None
        if not self.x.n or not self.y.n:
            return (session.device.empty(0, np.int64),) * 2
        # Images are rounded, so they are searched slightly further, and measured without rounding.
        reach = self.radius + 1e-12 * float(box[np.isfinite(box)].max())
        owner, at, is_moved = images(
            session, self.x.values, box, self.y.low, self.y.high, covered(reach)
        )
        owner, at = owner[is_moved], at[is_moved]
        if not owner.size:
            return (owner, owner)
        inner = copy(self)
        inner.given, inner.others, inner.radius, inner.box = at, self.y.values, covered(reach), None
        inner.each_pair_once = inner.without_self = False
        with session.call(session.progress_from(0.99), STAGES):
            offsets, items = inner._lists()
            rows = owner[inner.rows(offsets, items.size)]
        d2 = squared_in_box(session, self.x.values, self.y.values, rows, items, box)
        is_near = d2 <= self.radius * self.radius
        if self.each_pair_once:
            is_near &= rows < items
        near = compact(is_near)
        return rows[near], items[near]

    def _lists(self) -> tuple[Array, Array]:
        """List the neighbors that are not across a face of the box."""
        session, device, n = self.session, self.session.device, len(self.given)
        offsets = exclusive_scan(self._counts())
        m = int(offsets[-1])
        session.memory.require(
            m * device.launch_form(host=24, gpu=32),
            f"a list of {m:,} pairs",
            "use a smaller {radius}, count_neighbors, or fewer points at once",
            look_from=0,
            limits_host=True,
        )
        items = device.empty(m, np.int64)
        if not m:
            return offsets, items
        with session.stage("fill"):
            kernel = "fill_pairs" if self.each_pair_once else "fill_within"
            session.launch(kernel, n, *self._arguments(), offsets, items)
            in_order = device.launch_form(host=self._sorted_by_row, gpu=self._sorted_at_once)
            return in_order(offsets, items)

    def _sorted_by_row(self, offsets: Array, items: Array) -> tuple[Array, Array]:
        """Sort each row; `pairs` are unordered keys row << 32 | item and determine new offsets."""
        session, n, m, is_sorted = self.session, self.x.n, items.size, 0
        if self.each_pair_once:
            pairs, items = items, session.device.empty(m, np.int64)
            offsets = session.device.empty(n + 1, np.int64)
            is_sorted = session.host.run("group_pairs", pairs, m, n, offsets, items)
        if not is_sorted:
            session.launch("sort_rows", n, offsets, items)
        return offsets, items

    def _sorted_at_once(self, offsets: Array, items: Array) -> tuple[Array, Array]:
        """Sort all items with their rows in the upper halves; `pairs` determine new offsets."""
        items.sort()
        if self.each_pair_once:
            offsets = self.session.device.empty(self.x.n + 1, np.int64)
            self.session.launch("begin_rows", self.x.n + 1, items, items.size, offsets)
        found = self.session.device.empty(items.size, np.int32)
        self.session.launch("part_indices", items.size, 32, items, found)
        return offsets, shifted(found)

    def rows(self, offsets: Array, n_pairs: int) -> Array:
        """Return the row of each item, (m,) int64."""
        rows = self.session.device.empty(n_pairs, np.int64)
        self.session.launch("name_rows", self.x.n, offsets, rows)
        return rows

    def measured(self, rows: Array, items: Array) -> Array:
        """Return the distance of each pair, (m,) float64."""
        if self.box is not None:
            x, y, xp = self.x.values, self.y.values, self.session.device.xp
            return xp.sqrt(squared_in_box(self.session, x, y, rows, items, self.box))
        distances = self.session.device.empty(items.size, np.float64)
        x, y = self.x.values, self.y.values
        self.session.launch("measure_pairs", items.size, x, y, self.x.d, rows, items, distances)
        return distances
