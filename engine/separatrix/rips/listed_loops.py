"""Loops by lists of open edges, which a GPU makes for all edges up to a length at once.

Only edges whose lune has several components, or none, begin or end loops, and which these are does
not depend on the loops that are alive. So a device lists them, and the sides of triangles that
determine their values; the host adds up the values. See rips/lune_rows.h and rips/listed_lunes.h.
The kernels run on the CPU, too, where the tasks of :mod:`separatrix.rips.loops` are faster.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from ..device import Array, Session, to_host
from ..kernels.source import constant
from ..primitives import at, compact, exclusive_scan, is_within, total
from .distances import MOST_COORDINATES, Distances
from .filtration import Lengths
from .loops import Links, LoopRun

NEAR = 16  # points, on average, that are compared with all edges of a point
SAMPLES = 1 << 14  # pairs of points whose distances determine the lists
FIRST, GROWTH = 24, 2.5  # edges per point of the first list, and ratio of the next to the last
RANGES = 16  # of points of a lune that a GPU tests at once
MANY_IN_LUNES = 1 << 24  # points of all lunes
ROOM = 1 << 16  # sides in the first table
TIED = constant("RIPS_TIED")


@lru_cache(1)
def _sampled_pairs(n: int) -> np.ndarray:
    """Return pairs (2, k) of different points below n, the same in each call."""
    pairs = np.random.default_rng(0).integers(0, n, (2, SAMPLES))
    return pairs[:, pairs[0] != pairs[1]]


class DeviceGraph:
    """All edges up to a length, of a matrix (n, n) float64 on a device."""

    def __init__(self, session: Session, found: Distances, limit: float) -> None:
        assert found.matrix is not None
        self.session, self.matrix, self.limit, self.n = session, found.matrix, limit, found.n
        self.is_euclidean, self.coordinates = found.is_euclidean, found.coordinates
        self.sample = np.sort(self.lengths(*_sampled_pairs(self.n)))
        self.flags = session.device.empty(self.n**2, np.uint8)

    @property
    def distances(self) -> tuple[Any, ...]:
        """RipsDistances of the kernels."""
        return self.matrix, self.n, 0

    @property
    def lengths(self) -> Lengths:
        """Function of vertices (m,) and (m,) that returns their distances, on the host."""
        flat, n, upload = self.matrix.reshape(-1), self.n, self.session.upload
        return lambda u, v: to_host(at(flat, upload(u.astype(np.int64) * n + v)))

    def length_of(self, n_edges: float) -> float:
        """Return a length, at most the limit, up to which there are about this many edges."""
        place = int(n_edges / (self.n * (self.n - 1) / 2) * len(self.sample))
        return min(self.limit, self.sample[place]) if place < len(self.sample) else self.limit

    def rows(self, reach: float) -> tuple[Array, Array, Array]:
        """Return rows of all edges up to a length.

        Offsets (n + 1,), items (m,) int32, ascending, and the row (m,) int32 of each item.
        """
        session, device, n = self.session, self.session.device, self.n
        session.launch("rips_flag_within", n * n, self.matrix, n, reach, self.flags)
        entries = compact(self.flags)
        m, offsets = len(entries), device.empty(n + 1, np.int64)
        rows, items = device.empty(m, np.int32), device.empty(m, np.int32)
        session.launch("rips_begin_rows", n + 1, entries, m, n, offsets)
        session.launch("rips_name_columns", m, entries, n, rows, items)
        return offsets, items, rows

    def links(self) -> Links:
        """Return the relative neighborhood graph. O(n^2) items."""
        session, device, n, flags = self.session, self.session.device, self.n, self.flags
        near = self.rows(self.length_of(NEAR * n / 2))
        about = (self.matrix, n, self.limit, *near[:2], flags)
        session.launch("rips_flag_possible_links", n * n, *about)
        entries = compact(flags)
        is_split = device.zeros(len(entries), np.uint8)
        ranges = device.launch_form(host=1, gpu=RANGES)
        tested = (self.matrix, n, entries, ranges, is_split)
        session.launch("rips_exclude_links", ranges * len(entries), *tested)
        chosen = at(entries, compact(is_within(is_split, 0, 0)))  # ascending; equal links descend
        lengths = to_host(at(self.matrix.reshape(-1), chosen))[::-1]
        order = np.argsort(lengths, kind="stable")
        chosen = to_host(chosen)[::-1][order]
        rows = chosen // n
        ends = np.stack([rows, chosen - rows * n], axis=1).astype(np.int32)
        n_edges = (total(device, self.matrix <= self.limit) - n) // 2
        return Links.of(session, n, ends, n_edges, lengths=lengths[order])

    def lists(self) -> Iterator[tuple[float, float, tuple[Array, Array, Array]]]:
        """Yield ranges of lengths, the least one excluded, with the rows of all edges up to it."""
        reach, n_edges = -1.0, float(FIRST * self.n)
        while reach < self.limit:
            begin, reach = reach, self.length_of(n_edges)
            n_edges *= GROWTH
            if reach > begin:
                yield begin, reach, self.rows(reach)


def loops_of(
    graph: DeviceGraph, links: Links, *, prime: int, work_limit: float, warned: float
) -> tuple[np.ndarray, dict[str, int]] | None:
    """Return the pairs (k, 5) int32 of dimension 1, and counts, like the function of `loops`.

    Memory: O(n^2) on the device, 44 bytes for each edge up to the last death.
    """
    session, host = graph.session, graph.session.host
    run = LoopRun(session, graph.n, links, prime, work_limit, warned)
    links_and_field = (run.links, run.begin_loops, len(run.links), prime, run.is_sparse)
    search = host.run("rips_begin_listed_loops", graph.n, *links_and_field, *run.limits, run.counts)
    state, sides = int(links.n_loops == 0), Sides(session)
    try:
        for begin, reach, rows in graph.lists() if state == 0 else ():
            listed = open_edges(graph, (begin, reach), rows)[:4]
            reached = sides.of(graph, rows, listed)
            on_host = [to_host(part) for part in (*listed, *reached)]
            state = host.run(
                "rips_take_listed_lunes",
                *(search, *on_host[:4], len(on_host[0]), *on_host[4:], len(on_host[4])),
                **run.watching,
            )
            if state != 0:
                break
        kept = 0 if state < 0 else host.run("rips_end_listed_loops", search)
    finally:
        session.fork(session.device).host.run("rips_drop_listed_loops", search)
    return run.result(kept)


class Graph(Protocol):
    """All edges up to a length, on a device."""

    session: Session
    is_euclidean: bool
    coordinates: Array | None

    @property
    def distances(self) -> tuple[Any, ...]:
        """RipsDistances of the kernels."""


def open_edges(
    graph: Graph,
    lengths_in: tuple[float, float],
    rows: tuple[Array, Array, Array],
    *,
    without_links: bool = False,
) -> tuple[Array, ...]:
    """Return the open edges of a range of lengths, and the components of their lunes.

    Ends (m, 2), lengths (m,), found points as offsets (m + 1,) into points (k,), and whether edges
    are tied (m,). Edges of the first length are excluded, and, if requested, links that are not
    tied.
    """
    begin, reach = lengths_in
    session, device = graph.session, graph.session.device
    offsets, items, row_of = rows
    kinds = device.empty(len(items), np.uint8)
    about = (*graph.distances, offsets, items)
    if graph.coordinates is not None and graph.coordinates.shape[1] <= MOST_COORDINATES:
        points = (graph.coordinates, graph.coordinates.shape[1])
        within = (offsets, items, row_of, begin, reach)
        session.launch("rips_flag_open_of_points", len(items), *points, *within, kinds)
    else:
        given = (*about, row_of, begin, graph.is_euclidean)
        session.launch("rips_flag_open", len(items), *given, kinds)
    if graph.is_euclidean:
        _tie_others(session, about, row_of, kinds)
    places = compact(kinds)
    m = len(places)
    ends, lengths = device.empty((m, 2), np.int32), device.empty(m, np.float64)
    session.launch("rips_open_edges", m, *graph.distances, row_of, items, places, ends, lengths)
    sizes = device.empty(m, np.int32)
    session.launch("rips_count_lunes", m, *about, ends, lengths, sizes)
    begins = exclusive_scan(sizes)
    total_size = int(begins[-1])
    if total_size > MANY_IN_LUNES:  # a query of free memory takes longer than a few lunes
        session.memory.require(12 * total_size, f"the lunes of {m:,} edges", "use fewer points")
    left, waiting, found = (device.empty(total_size, np.int32) for _ in range(3))
    session.launch(
        "rips_divide_lunes", m, *about, ends, lengths, begins, left, waiting, found, sizes
    )
    flags = device.empty(m, np.uint8)
    session.launch("rips_confirm_open", m, places, kinds, sizes, without_links, flags)
    chosen = compact(flags)
    offsets = exclusive_scan(at(sizes, chosen))
    packed = device.empty(int(offsets[-1]), np.int32)
    session.launch("rips_pack_lunes", len(chosen), chosen, begins, found, offsets, packed)
    is_tied = is_within(at(kinds, at(places, chosen)), TIED, TIED)
    return at(ends, chosen), at(lengths, chosen), offsets, packed, is_tied


def _tie_others(session: Session, about: tuple[Any, ...], row_of: Array, kinds: Array) -> None:
    """Mark all edges that have a triangle with a tied edge of the same length as tied, too."""
    n_tied = 0
    while n_tied < len(places := compact(is_within(kinds, TIED, TIED))):
        n_tied = len(places)
        session.launch("rips_tie_others", n_tied, *about, row_of, places, kinds)


class Sides:
    """The sides of triangles that were reached so far, with the middles of their lunes."""

    first_kernel = "rips_reach_sides"

    def __init__(self, session: Session, known: Array | None = None, room: int = ROOM) -> None:
        """The first sides are `known` (n,), without middles."""
        self.session = session
        self.reached = session.device.empty(0, np.uint64) if known is None else known
        self.n = len(self.reached)
        self._make_room(room)

    def of(
        self, graph: Graph, rows: tuple[Array, Array, Array], listed: tuple[Array, ...]
    ) -> tuple[Array, Array]:
        """Return the new sides (k,) uint64, as high << 32 | low, and their middles (k,) int32."""
        while True:
            found = self._reached(graph, rows, listed)
            if found is not None:
                return found
            self._make_room(4 * len(self.reached))

    def _reached(
        self, graph: Graph, rows: tuple[Array, Array, Array], listed: tuple[Array, ...]
    ) -> tuple[Array, Array] | None:
        session, table = self.session, (*self.table, len(self.reached))
        ends, _, begins, found = listed
        about = (ends, begins, found)
        session.launch(self.first_kernel, len(ends), *about, *table, self.reached, self.counters)
        done = before = self.n
        while True:
            n_failed, n_reached = map(int, to_host(self.counters))
            if n_failed:
                return None
            if n_reached == done:
                break
            session.launch(
                *("rips_reach_further", n_reached - done, *graph.distances, *rows[:2], done),
                *(*table, self.reached, self.middles, self.counters),
            )
            done = n_reached
        new, self.n = slice(before, done), done
        return self.reached[new], self.middles[new]

    @property
    def table(self) -> tuple[Array, int]:
        """The hash table of sides: its slots, and the mask of hashes."""
        return self.slots, len(self.slots) - 1

    def _make_room(self, room: int) -> None:
        device, before = self.session.device, self.reached[: self.n]
        self.slots, self.reached = device.unset(2 * room, np.uint64), device.empty(room, np.uint64)
        self.middles = device.unset(room, np.int32)
        self.counters = self.session.upload(np.array([0, self.n]))
        self.reached[: self.n] = before
        about = (before, *self.table, self.counters)
        self.session.launch("rips_keep_reached", self.n, *about)
