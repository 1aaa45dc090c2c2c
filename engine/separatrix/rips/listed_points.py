"""Neighborhood graphs and rows of neighbors of points, which a GPU finds without a matrix.

Rows of neighbors are found in a grid, for one range of lengths after the other, from which
:mod:`separatrix.rips.listed_columns` finds loops. See rips/listed_links.h.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..device import Array, Session, to_host
from ..errors import DeviceMemoryError
from ..primitives import at, compact, is_within
from ..spatial.neighbors import neighbors
from ..spatial.points import bounded_points
from ..spatial.uniform_grid import size_by_density
from .loops import Links

FIRST, GROWTH = 2.2, 1.3  # first length, for cells of two points, and ratio of the next to the last
MOST_TRIALS = 64  # of centers of all points
MOST_COORDINATES = 3
MOST_BYTES = 1 << 34  # of rows while they are sorted; with more neighbors, the CPU is faster
MOST_OPEN = 1 << 15  # points that are not surrounded
RANGES = 1024  # of points that a GPU tests at once
ABOVE = 1 + 1e-12  # more than the rounding of squared distances


class TooManyPoints(Exception):
    """A search on the CPU takes less time."""


class DevicePoints:
    """All edges of points (n, d) float64 up to a length, on a device."""

    is_euclidean = True

    def __init__(self, session: Session, points: Array, limit: float) -> None:
        """The limit becomes the enclosing radius if this is less."""
        self.session, self.n, self.d = session, int(points.shape[0]), int(points.shape[1])
        self.points = self.coordinates = points
        self.enclosing_radius = self._enclosing_radius()
        self.limit = min(limit, self.enclosing_radius)
        size = size_by_density(session, bounded_points(session, points, "points"), 2.0)
        self.first = min(FIRST * size, self.limit)
        self.first_rows = self.rows(self.first)
        self.links = self._links()

    @property
    def distances(self) -> tuple[Array, int, int]:
        """RipsDistances of the kernels."""
        return self.points, self.n, self.d

    def _enclosing_radius(self) -> float:
        """Return the least distance within which one point has all others.

        The point that is nearest to the farthest of some points is the center if it has no farther
        ones. Otherwise, its farthest point is added to them.
        """
        device, n = self.session.device, self.n
        bounds, center, known = device.zeros(n, np.float64), 0, 0.0
        for _ in range(MOST_TRIALS):
            squares = device.zeros(n, np.float64)
            device.launch("rips_raise_squares", n, self.points, self.d, center, squares)
            farthest = int(squares.argmax())
            if float(squares[farthest]) <= known:
                return math.sqrt(known)
            device.launch("rips_raise_squares", n, self.points, self.d, farthest, bounds)
            center = int(bounds.argmin())
            known = float(bounds[center])
        raise TooManyPoints

    def rows(self, reach: float) -> tuple[Array, Array, Array]:
        """Return rows of all neighbors up to a length, or slightly more, unless they are too many.

        Offsets (n + 1,), items (m,) int32, ascending, and the row (m,) int32 of each item. Raises
        DeviceMemoryError if they do not fit.
        """
        session, device = self.session, self.session.device
        most = device.launch_form(host=None, gpu=MOST_BYTES)
        if most is not None and session.memory.limit is not None:
            most = min(most, session.memory.limit)
        found = neighbors(
            self.points,
            radius=reach * ABOVE,
            include_self=False,
            device=device.name,
            threads=session.host.threads,
            memory_limit=most,
        )
        rows = device.empty(len(found.items), np.int64)
        session.launch("name_rows", self.n, found.offsets, rows)
        return found.offsets, found.items.astype(np.int32), rows.astype(np.int32)

    def _links(self) -> Links:
        """Return the relative neighborhood graph, with the lengths of its edges."""
        session, device, n, rows = self.session, self.session.device, self.n, self.first_rows
        about = (*self.distances, *rows[:2])
        flags = device.empty(len(rows[1]), np.uint8)
        session.launch("rips_flag_links", len(flags), *about, rows[2], self.first, flags)
        places = compact(flags)
        ends = device.xp.stack([at(rows[2], places), at(rows[1], places)], axis=1)
        if self.first < self.limit:
            ends = device.xp.concatenate([ends, self._far_links(about)])
        lengths = device.empty(len(ends), np.float64)
        columns = (device.xp.ascontiguousarray(ends[:, end]) for end in (0, 1))
        device.launch("rips_measure_pairs", len(ends), self.points, self.d, *columns, lengths)
        order = device.xp.argsort(lengths)
        ends, lengths = to_host(at(ends, order)), to_host(at(lengths, order))
        _order_equal(ends, lengths)
        known = {"enclosing_radius": self.enclosing_radius, "lengths": lengths}
        return Links.of(session, n, ends, len(ends), **known)

    def _far_links(self, about: tuple[Any, ...]) -> Array:
        """Return the links (k, 2) that are longer than the edges in the first rows."""
        session, device, n = self.session, self.session.device, self.n
        flags = device.empty(n, np.uint8)
        extent = float((self.points.max(axis=0) - self.points.min(axis=0)).sum())
        session.launch("rips_flag_not_surrounded", n, *about, self.first, extent, flags)
        some = compact(flags).astype(np.int32)
        m = len(some)
        if m > MOST_OPEN:
            raise TooManyPoints
        flags = device.empty(m * m, np.uint8)
        given = (*about, some, m, self.first, self.limit)
        session.launch("rips_flag_far_links", m * m, *given, flags)
        pairs = compact(flags)
        ends = device.xp.stack([at(some, pairs // m), at(some, pairs % m)], axis=1)
        is_split = device.zeros(len(ends), np.uint8)
        ranges = device.launch_form(host=1, gpu=RANGES)
        tested = (*self.distances, ends, ranges, is_split)
        session.launch("rips_split_far_links", ranges * len(ends), *tested)
        return ends[compact(is_within(is_split, 0, 0))]

    def lists(self) -> Iterator[tuple[float, float, tuple[Array, Array, Array]]]:
        """Yield ranges of lengths, the least one excluded, with the rows of all edges up to it."""
        begin, reach = -1.0, self.first
        while begin < self.limit:
            self.session.raise_if_canceled()
            yield begin, reach, self.first_rows if begin < 0 else self.rows(reach)
            begin, reach = reach, min(GROWTH * reach, self.limit)


def points_on_device(session: Session, points: Array, limit: float) -> DevicePoints | None:
    """Return the points, or None if a search on the CPU is faster or takes less memory."""
    if points.shape[1] > MOST_COORDINATES:
        return None
    try:
        return DevicePoints(session, points, limit)
    except (TooManyPoints, DeviceMemoryError):
        return None


def _order_equal(ends: np.ndarray, lengths: np.ndarray) -> None:
    """Order edges (m, 2) of equal lengths (m,), which are ascending, by descending vertices."""
    is_same = np.zeros(len(ends) + 1, bool)
    is_same[1:-1] = lengths[1:] == lengths[:-1]
    equal = np.flatnonzero(is_same[1:] | is_same[:-1])
    order = np.lexsort((-ends[equal, 1], -ends[equal, 0], lengths[equal]))
    ends[equal] = ends[equal[order]]
