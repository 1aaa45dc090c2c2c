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

from ..device import Array, Session, array_module, in_memory_of, is_on_gpu, to_host
from ..homology import Merges, PersistenceDiagram, merge_in_rounds, merge_pairs, reduce_columns
from ..kernels import NONE
from ..primitives import at, backward, compact, exclusive_scan, is_within, put, shifted
from .connectors.table import Connectors
from .field import as_float, exact_difference
from .graph import ComplexGraph
from .model import MorseGradient

ESSENTIAL, NO_BIRTH = -1, -2  # instead of the row of a death


@dataclass(frozen=True)
class CriticalPairs:
    """Pairs of the critical rows of a graph, and merges of its extrema, beside the graph."""

    session: Session
    graph: ComplexGraph
    death: Array  # (k,) int32, row that ends the class of each row, ESSENTIAL, or NO_BIRTH
    minima: Merges | None  # None if no requested dimension depends on them
    maxima: Merges | None

    def diagram(self, cell_ids: Array | None = None) -> PersistenceDiagram:
        """Return all pairs; `cell_ids` (k,) int64 of the critical rows. All beside the graph."""
        graph, session = self.graph, self.session
        births = shifted(graph.rows_in_order)
        births = at(births, is_within(at(self.death, births), ESSENTIAL))
        deaths = shifted(at(self.death, births))
        essential, ends = compact(is_within(deaths, ESSENTIAL, ESSENTIAL)), deaths.copy()
        put(ends, essential, at(births, essential))
        first, last = map(graph.values_of, (births, ends))
        index = session.upload(np.repeat(np.arange(4, dtype=np.int8), graph.counts))
        cells = session.device.unset(graph.rank.size, np.int64) if cell_ids is None else cell_ids
        death, persistence = as_float(session, last), exact_difference(session, first, last)
        death_cell = at(cells, ends)
        for column, value in ((death, np.inf), (persistence, np.inf), (death_cell, NONE)):
            put(column, essential, value)
        return PersistenceDiagram(
            dimension=at(index, births),
            birth=as_float(session, first),
            death=death,
            persistence=persistence,
            birth_cell=at(cells, births),
            death_cell=death_cell,
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
    extremum_index, saddle_index, ends = extremum_ends(graph, kind)
    age, first = graph.rank[graph.rows(extremum_index)], graph.rows(saddle_index).start
    saddles = shifted(graph.in_order(saddle_index), -first, dtype=np.int32)
    if kind == "maximum":
        age, saddles = shifted(age, factor=-1, dtype=np.int32), backward(saddles)
    if graph.dimension == 0:
        saddles = saddles[:0]
    if session.device.launch_form(host=False, gpu=True):
        return merge_in_rounds(session, age, ends, saddles)
    return merge_pairs(session.host, age, ends, saddles)


def pair_critical_cells(
    session: Session, graph: ComplexGraph, dimensions: Collection[int] | None = None
) -> CriticalPairs:
    """Return all pairs, or those of some dimensions."""
    session, d = graph.local_session(session), graph.dimension
    wanted = set(range(4)) if dimensions is None else set(dimensions)
    pairs: list[tuple[Array, Array]] = []  # rows of births and deaths
    minima = maxima = None
    if wanted & {0, 1}:
        minima = merge_extrema(session, graph, "minimum")
        first, extrema = graph.counts[0], minima.victim
        saddles = compact(is_within(extrema, 0))
        pairs.append((at(extrema, saddles), shifted(saddles, first)))
    if d > 1 and wanted & {1, d - 1, d}:
        maxima = merge_extrema(session, graph, "maximum")
        saddles = compact(is_within(maxima.victim, 0))
        ends = shifted(at(maxima.victim, saddles), graph.rows(d).start)
        pairs.append((shifted(saddles, graph.rows(d - 1).start), ends))
    if d == 3 and graph.has_connectors and wanted & {1, 2}:
        minima = minima or merge_extrema(session, graph, "minimum")
        assert maxima is not None
        upper, lower = pair_saddles(session, graph, minima, maxima)
        first, second = graph.rows(1).start, graph.rows(2).start
        pairs.append((shifted(lower, first), shifted(upper, second)))
    return CriticalPairs(session, graph, _deaths(session, graph, pairs, wanted), minima, maxima)


def pair_saddles(
    session: Session, graph: ComplexGraph, minima: Merges, maxima: Merges
) -> tuple[Array, Array]:
    """Return the pairs of dimension 1: k-th 2-saddles, ascending, and their k-th 1-saddles."""
    left = []
    for index, victim in ((1, minima.victim), (2, maxima.victim)):
        saddles = shifted(graph.in_order(index), -graph.rows(index).start, dtype=np.int32)
        left.append(at(saddles, is_within(at(victim, saddles), NONE, NONE)))
    lower, upper = left
    place = session.device.unset(graph.counts[1], np.int32)
    put(place, lower, session.device.numbers(lower.size, np.int32))
    columns = odd_connectors(session, graph.connectors, minima.victim, maxima.victim)
    pivot = session.upload(
        reduce_columns(session.host, *columns, order=to_host(upper), place=to_host(place))
    )
    paired = compact(is_within(pivot, 0))
    return paired, at(pivot, paired)


def odd_connectors(
    session: Session, connectors: Connectors, minimum_of: Array, maximum_of: Array
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return offsets, 1-saddles, and numbers of V-paths of the columns to reduce, on the host.

    `minimum_of` (c1,) and `maximum_of` (c2,) int32 are -1 for saddles not paired with extrema.
    A GPU removes the other connectors and the even ones first, because copying them takes longer.
    """
    offsets, lower, number = connectors.offsets, connectors.items, connectors.multiplicity
    if not is_on_gpu(lower):
        return offsets, lower, number.view(np.int64)  # the reduction skips the others
    model = (offsets, lower, number, minimum_of, maximum_of)
    count = session.device.empty(offsets.size - 1, np.int32)
    session.launch("count_odd_connectors", count.size, *model, count)
    kept_offsets = exclusive_scan(count)
    kept = session.device.empty(int(kept_offsets[-1]), np.int32)
    session.launch("list_odd_connectors", count.size, *model, kept_offsets, kept)
    return to_host(kept_offsets), to_host(kept), None


def _deaths(
    session: Session, graph: ComplexGraph, pairs: list[tuple[Array, Array]], wanted: set[int]
) -> Array:
    death = session.device.numbers(graph.rank.size, np.int32, ESSENTIAL, step=0)
    for _, deaths in pairs:
        put(death, deaths, NO_BIRTH)
    for births, deaths in pairs:
        put(death, births, deaths)
    for index in range(4):
        # Without connectors, 2-saddles are left over because their partners are unknown.
        is_partial = index == 2 and graph.dimension == 3 and not graph.has_connectors
        rows = death[graph.rows(index)]
        if index not in wanted:
            rows[:] = NO_BIRTH
        elif is_partial:
            put(rows, is_within(rows, ESSENTIAL, ESSENTIAL), NO_BIRTH)
    return death


def diagram_of_graph(
    gradient: MorseGradient,
    graph: ComplexGraph,
    dimensions: set[int] | None = None,
    zero_persistence: bool = True,
) -> PersistenceDiagram:
    """Return the diagram of a gradient's graph where the caller wants it.

    If it is on the host and exceeds the limit of the device, it stays there.
    """
    session, cell_ids = gradient.session, in_memory_of(gradient.cell_ids, graph.rank)
    diagram = pair_critical_cells(session, graph, dimensions).diagram(cell_ids)
    diagram = diagram if zero_persistence else diagram.nonzero()
    columns = {f.name: getattr(diagram, f.name) for f in fields(diagram)}
    n_bytes = sum(column.nbytes for column in columns.values())
    stays = session.result.on_host or session.memory.exceeds_limit(n_bytes)
    place = session.result if stays else session.upload
    return PersistenceDiagram(**{name: place(column) for name, column in columns.items()})
