"""Loops over Z/2 of open edges that kernels have listed, by columns.

The sides that open edges lead to are listed with their places, and threads reduce the triangles of
open edges as columns. See rips/placed_sides.h and rips/loop_columns.h.
"""

from __future__ import annotations

import math

import numpy as np

from ..device import Array, Session, to_host
from ..errors import DeviceMemoryError
from .listed_loops import DeviceGraph, Graph, Sides, open_edges
from .listed_points import DevicePoints
from .loops import ENDED, Links, LoopRun

LATE, FEW = 7, 0.01  # times the median link, and fraction of the loops that are left


class PlacedSides(Sides):
    """Sides whose places in the list are known; the first ones are the links that begin loops."""

    first_kernel = "rips_reach_open_edges"

    def __init__(self, session: Session, links: Array, room: int) -> None:
        super().__init__(session, links, room)
        self.n_placed = 0

    def places(
        self,
        graph: Graph,
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
    graph: DevicePoints | DeviceGraph, links: Links, *, work_limit: float, warned: float
) -> tuple[np.ndarray, dict[str, int]] | None:
    """Return the pairs (k, 5) int32 of dimension 1 over Z/2, and counts, or None.

    Memory: 40 bytes for each ordered pair of neighbors up to the last death. The result is None if
    these do not fit, or if points have a few loops left around large holes, which the CPU finds
    faster.
    """
    session, host, n = graph.session, graph.session.host, graph.n
    lengths = links.lengths
    assert lengths is not None
    run = LoopRun(session, n, links, 2, work_limit, warned)
    if links.n_loops == 0:
        return np.empty((0, 5), np.int32), run.counted
    about = (run.links, run.begin_loops, lengths, len(lengths), host.threads)
    late = LATE * float(np.median(lengths)) if isinstance(graph, DevicePoints) else math.inf
    search = host.run("rips_begin_columns", *about, run.limits[0], run.counts)
    try:
        keys = np.empty(links.n_loops, np.uint64)
        host.run("rips_list_loop_links", search, keys)
        room = 1 << (4 * n - 1).bit_length()
        sides, state = PlacedSides(session, session.upload(keys), room), 0
        for begin, reach, rows in graph.lists():
            *listed, is_tied = open_edges(graph, (begin, reach), rows, without_links=True)
            placed = sides.places(graph, rows, tuple(listed))
            ends, of_edges, begins, found = map(to_host, listed)
            given = (ends, of_edges, to_host(is_tied).view(np.uint8), begins, found, len(ends))
            own, of_triangles, children = map(to_host, placed)
            state = host.run(
                *("rips_take_columns", search, reach, *given, own, of_triangles),
                *(children, len(children)),
                **run.watching,
            )
            n_left = links.n_loops - int(run.counts[ENDED])
            if state == 0 and reach >= late and n_left <= FEW * links.n_loops:
                return None
            if state != 0:
                break
        kept = 0 if state < 0 else host.run("rips_end_columns", search)
    except DeviceMemoryError:
        return None
    finally:
        session.fork(session.device).host.run("rips_drop_columns", search)
    return run.result(kept)
