"""Loops of points by lists of open edges, which a GPU makes without a matrix of distances.

Rows of neighbors are found in a grid, for one range of lengths after the other. The sides that open
edges lead to are listed with their places, and the host reduces the triangles of open edges as
columns. See rips/placed_sides.h and rips/loop_columns.h.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..device import Array, Session, to_host
from ..errors import DeviceMemoryError
from ..spatial.neighbors import neighbors
from .listed_loops import Sides, open_edges
from .loops import Links, LoopRun

FIRST, GROWTH = 4.0, 1.3  # first length, in medians of links, and ratio of the next to the last
ABOVE = 1 + 1e-12  # more than the rounding of squared distances


class DevicePoints:
    """All edges of points (n, d) float64 up to a length, on a device."""

    is_euclidean = True

    def __init__(self, session: Session, points: Array, limit: float) -> None:
        self.session, self.limit, self.n = session, limit, len(points)
        self.coordinates: Array | None = points

    @property
    def distances(self) -> tuple[Array, int, int]:
        """RipsDistances of the kernels."""
        assert self.coordinates is not None
        return self.coordinates, self.n, self.coordinates.shape[1]

    def rows(self, reach: float) -> tuple[Array, Array, Array]:
        """Return rows of all neighbors up to a length, or slightly more.

        Offsets (n + 1,), items (m,) int32, ascending, and the row (m,) int32 of each item. Raises
        DeviceMemoryError if they do not fit.
        """
        session, device = self.session, self.session.device
        found = neighbors(
            self.coordinates,
            radius=reach * ABOVE,
            include_self=False,
            device=device.name,
            threads=session.host.threads,
            memory_limit=session.memory.limit,
        )
        rows = device.empty(len(found.items), np.int64)
        session.launch("name_rows", self.n, found.offsets, rows)
        return found.offsets, found.items.astype(np.int32), rows.astype(np.int32)

    def lists(self, first: float) -> Iterator[tuple[float, float, tuple[Array, Array, Array]]]:
        """Yield ranges: the least length, exclusive, the largest, and rows of all edges up to it."""
        begin, reach = -1.0, min(first, self.limit)
        while begin < self.limit:
            self.session.raise_if_canceled()
            yield begin, reach, self.rows(reach)
            begin, reach = reach, min(GROWTH * reach, self.limit)


class PlacedSides(Sides):
    """Sides whose places in the list are known; the first ones are the links that begin loops."""

    first_kernel = "rips_reach_open_edges"

    def __init__(self, session: Session, links: Array, room: int) -> None:
        super().__init__(session, links, room)
        self.n_placed = 0

    def places(
        self,
        graph: DevicePoints,
        rows: tuple[Array, Array, Array],
        listed: tuple[Array, ...],
    ) -> tuple[Array, Array, Array]:
        """Return the places of open edges (m,), of the sides of their triangles, and of new sides.

        Sides are two per point found, and those of a new side are the other two of the triangle
        with its middle, or -1. All are int32.
        """
        session, device = self.session, self.session.device
        ends, _, begins, found = listed
        keys, middles = self.of(graph, rows, listed)
        about = (self.reached[self.n_placed : self.n], self.n_placed, *self.table, self.slot_places)
        session.launch("rips_place_sides", self.n - self.n_placed, *about)
        self.n_placed = self.n
        children = device.empty((len(keys), 2), np.int32)
        where = (*self.table, self.slot_places)
        session.launch("rips_list_children", len(keys), keys, middles, *where, children)
        own, sides = device.empty(len(ends), np.int32), device.empty((len(found), 2), np.int32)
        session.launch(
            *("rips_place_open_edges", len(ends), ends, begins, found, *where, own, sides)
        )
        return own, sides, children

    def _make_room(self, room: int) -> None:
        super()._make_room(room)
        self.slot_places = self.session.device.empty(len(self.slots), np.int32)
        self.n_placed = 0


def loops_of(
    graph: DevicePoints, links: Links, lengths: np.ndarray, *, work_limit: float, warned: float
) -> tuple[np.ndarray, dict[str, int]] | None:
    """Return the pairs (k, 5) int32 of dimension 1 over Z/2, and counts, or None.

    `lengths` (m,) are those of the links. Memory: 40 bytes for each ordered pair of neighbors up to
    the last death; the result is None if these do not fit.
    """
    session, host, n = graph.session, graph.session.host, graph.n
    run = LoopRun(session, n, links, 2, work_limit, warned)
    if links.n_loops == 0:
        return np.empty((0, 5), np.int32), run.counted
    threads = host.threads
    search = host.run(
        "rips_begin_columns", n, run.links, lengths, len(lengths), threads, run.counts
    )
    try:
        keys = np.empty(links.n_loops, np.uint64)
        host.run("rips_list_loop_links", search, keys)
        positive = lengths[lengths > 0]
        first = FIRST * float(np.median(positive)) if len(positive) else graph.limit
        room = 1 << (2 * n - 1).bit_length()
        sides, is_done = PlacedSides(session, session.upload(keys), room), 0
        for begin, reach, rows in graph.lists(first):
            *listed, is_tied = open_edges(graph, (begin, reach), rows, without_links=True)
            placed = sides.places(graph, rows, tuple(listed))
            ends, of_edges, begins, found = map(to_host, listed)
            given = (ends, of_edges, to_host(is_tied).view(np.uint8), begins, found, len(ends))
            own, of_triangles, children = map(to_host, placed)
            is_done = host.run(
                *("rips_take_columns", search, reach, *given, own, of_triangles),
                *(children, len(children)),
                **run.watching,
            )
            if is_done:
                break
        kept = host.run("rips_end_columns", search)
    except DeviceMemoryError:
        return None
    finally:
        session.fork(session.device).host.run("rips_drop_columns", search)
    return run.result(kept)
