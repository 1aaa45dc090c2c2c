"""Persistence pairs of the critical cells, from the graph of the complex alone.

1-saddles merge minima. Saddles of codimension 1 merge maxima; OUTSIDE is the oldest. In volumes,
the remaining 2-saddles are the columns and the remaining 1-saddles the rows of a matrix of odd
connectors. Guillou, Vidal, Tierny, "Discrete Morse sandwich", 2023; Bauer, Kerber, Reininghaus 2014
for the columns.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields

import numpy as np

from ..device import Array, Session, array_module, is_on_gpu, to_host
from ..homology import Merges, PersistenceDiagram, merge_in_rounds, merge_pairs, reduce_columns
from ..kernels import NONE
from ..primitives import exclusive_scan
from .connectors.table import Connectors
from .field import as_float, exact_difference
from .graph import ComplexGraph
from .model import MorseGradient

ESSENTIAL, NO_BIRTH = -1, -2  # instead of the row of a death


@dataclass(frozen=True)
class CriticalPairs:
    """Pairs of the critical rows of a graph, and merges of its extrema, on the device."""

    session: Session
    graph: ComplexGraph
    death: Array  # (k,) int64, row that ends the class of each row, ESSENTIAL, or NO_BIRTH
    minima: Merges | None  # None if no requested dimension depends on them
    maxima: Merges | None

    def diagram(self, cell_ids: Array | None = None) -> PersistenceDiagram:
        """Return all pairs; `cell_ids` (k,) int64 of the critical rows. On the device."""
        graph, session, xp = self.graph, self.session, self.session.device.xp
        births = graph.rows_in_order.astype(np.int64)
        births = births[self.death[births] != NO_BIRTH]
        deaths = self.death[births]
        is_essential = deaths == ESSENTIAL
        ends = xp.where(is_essential, births, deaths)
        first, last = map(graph.values_of, (births, ends))
        index = xp.repeat(xp.arange(4, dtype=np.int8), list(graph.counts))
        cells = session.device.unset(graph.rank.size, np.int64) if cell_ids is None else cell_ids
        return PersistenceDiagram(
            dimension=index[births],
            birth=as_float(session, first),
            death=xp.where(is_essential, np.inf, as_float(session, last)),
            persistence=xp.where(is_essential, np.inf, exact_difference(session, first, last)),
            birth_cell=cells[births],
            death_cell=xp.where(is_essential, NONE, cells[ends]),
            birth_row=births,
            death_row=deaths,
        )


def extremum_ends(graph: ComplexGraph, kind: str) -> tuple[int, int, Array]:
    """Return the index of a kind of extrema, that of the saddles that merge them, and their ends.

    Ends are (c, 2) int32, -1 outside. On a line, minima merge maxima; a point has no merges.
    """
    if graph.dimension == 0:
        return 0, 0, graph.descending_ends.reshape(-1, 2)[:0]
    if kind == "minimum":
        return 0, 1, graph.descending_ends
    if graph.dimension > 1:
        return graph.dimension, graph.dimension - 1, graph.ascending_ends
    # The basin of a minimum on a line is an interval, which has at most two maxima at its ends.
    xp, into = array_module(graph.descending_ends), graph.descending_ends.ravel()
    order = xp.argsort(into, kind="stable")
    first = xp.searchsorted(into[order], xp.arange(graph.counts[0] + 1, dtype=into.dtype))
    ends = xp.full((graph.counts[0], 2), NONE, np.int32)
    for side in range(2):
        there = first[:-1] + side < first[1:]
        ends[there, side] = order[first[:-1][there] + side] // 2
    return 1, 0, ends


def merge_extrema(session: Session, graph: ComplexGraph, kind: str) -> Merges:
    """Return what each saddle of the kind's index merges."""
    xp = session.device.xp
    extremum_index, saddle_index, ends = extremum_ends(graph, kind)
    age = graph.rank[graph.rows(extremum_index)]
    saddles = graph.in_order(saddle_index) - graph.rows(saddle_index).start
    if kind == "maximum":
        age, saddles = -age, saddles[::-1]
    if graph.dimension == 0:
        saddles = saddles[:0]
    parts = (xp.ascontiguousarray(part, np.int32) for part in (age, ends, saddles))
    if session.device.launch_form(host=False, gpu=True):
        return merge_in_rounds(session, *parts)
    return merge_pairs(session.host, *parts)


def pair_critical_cells(
    session: Session, graph: ComplexGraph, dimensions: Collection[int] | None = None
) -> CriticalPairs:
    """Return all pairs, or those of some dimensions."""
    d, xp = graph.dimension, session.device.xp
    wanted = set(range(4)) if dimensions is None else set(dimensions)
    pairs: list[tuple[Array, Array]] = []  # rows of births and deaths
    minima = maxima = None
    if wanted & {0, 1}:
        minima = merge_extrema(session, graph, "minimum")
        first, extrema = graph.counts[0], minima.victim
        saddles = xp.flatnonzero(extrema >= 0)
        pairs.append((extrema[saddles], first + saddles))
    if d > 1 and wanted & {1, d - 1, d}:
        maxima = merge_extrema(session, graph, "maximum")
        saddles = xp.flatnonzero(maxima.victim >= 0)
        first = graph.rows(d).start
        pairs.append((graph.rows(d - 1).start + saddles, first + maxima.victim[saddles]))
    if d == 3 and graph.has_connectors and wanted & {1, 2}:
        minima = minima or merge_extrema(session, graph, "minimum")
        assert maxima is not None
        upper, lower = pair_saddles(session, graph, minima, maxima)
        pairs.append((graph.counts[0] + lower, graph.counts[0] + graph.counts[1] + upper))
    return CriticalPairs(session, graph, _deaths(graph, pairs, wanted), minima, maxima)


def pair_saddles(
    session: Session, graph: ComplexGraph, minima: Merges, maxima: Merges
) -> tuple[Array, Array]:
    """Return the pairs of dimension 1: k-th 2-saddles, ascending, and their k-th 1-saddles."""
    xp = session.device.xp
    c0, c1, _, _ = graph.counts
    lower = graph.in_order(1) - c0
    lower = lower[minima.victim[lower] == NONE]
    place = session.device.unset(c1, np.int32)
    place[lower] = xp.arange(lower.size, dtype=np.int32)
    upper = graph.in_order(2) - (c0 + c1)
    upper = upper[maxima.victim[upper] == NONE]
    columns = odd_connectors(graph.connectors, minima.victim == NONE, maxima.victim == NONE)
    order = np.ascontiguousarray(to_host(upper), np.int32)
    pivot = session.upload(
        reduce_columns(session.host, *columns, order=order, place=to_host(place))
    )
    paired = xp.flatnonzero(pivot >= 0)
    return paired, pivot[paired]


def odd_connectors(
    connectors: Connectors, is_row: Array, is_column: Array
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return offsets, 1-saddles, and numbers of V-paths of the columns to reduce, on the host.

    `is_row` (c1,) bool and `is_column` (c2,) bool are the saddles that are not paired with extrema.
    A GPU removes the other connectors and the even ones first, because copying them takes longer.
    """
    offsets, lower, number = connectors.offsets, connectors.items, connectors.multiplicity
    if not is_on_gpu(lower):
        return offsets, lower, number.view(np.int64)  # the reduction skips the others
    is_kept = (number & np.uint64(1)).astype(bool) & is_row[lower]
    is_kept &= is_column[connectors.upper()]
    return to_host(exclusive_scan(is_kept)[offsets]), to_host(lower[is_kept]), None


def _deaths(graph: ComplexGraph, pairs: list[tuple[Array, Array]], wanted: set[int]) -> Array:
    death = array_module(graph.rank).full(graph.rank.size, ESSENTIAL, np.int64)
    for _, deaths in pairs:
        death[deaths] = NO_BIRTH
    for births, deaths in pairs:
        death[births] = deaths
    for index in range(4):
        # Without connectors, 2-saddles are left over because their partners are unknown.
        is_partial = index == 2 and graph.dimension == 3 and not graph.has_connectors
        rows = death[graph.rows(index)]
        if index not in wanted:
            rows[:] = NO_BIRTH
        elif is_partial:
            rows[rows == ESSENTIAL] = NO_BIRTH
    return death


def diagram_of_graph(
    gradient: MorseGradient,
    graph: ComplexGraph,
    dimensions: set[int] | None = None,
    zero_persistence: bool = True,
) -> PersistenceDiagram:
    """Return the diagram of a gradient's graph where the caller wants it."""
    session = gradient.session
    diagram = pair_critical_cells(session, graph, dimensions).diagram(gradient.cell_ids)
    diagram = diagram if zero_persistence else diagram.nonzero()
    return PersistenceDiagram(
        **{f.name: session.result(getattr(diagram, f.name)) for f in fields(diagram)}
    )
