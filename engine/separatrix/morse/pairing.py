"""Persistence pairs of the critical cells, from the graph of the complex alone.

1-saddles merge minima, saddles of codimension 1 merge maxima and OUTSIDE, the eldest; in volumes,
the 2-saddles left are columns of odd connectors, the 1-saddles left rows. Guillou, Vidal, Tierny,
"Discrete Morse sandwich", 2023; Bauer, Kerber, Reininghaus 2014 for the columns.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields

import numpy as np

from ..device import to_host
from ..device.arrays import array_module, is_on_gpu
from ..device.host import HostDevice
from ..homology import Merges, PersistenceDiagram, merge_pairs, reduce_columns
from ..kernels import NONE
from ..primitives import exclusive_scan
from .connectors.table import Connectors
from .field import as_float, exact_difference
from .graph import ComplexGraph
from .model import MorseGradient

ESSENTIAL, NO_BIRTH = -1, -2  # instead of a death's row


@dataclass(frozen=True)
class CriticalPairs:
    """Pairs of a graph's critical rows. ``death`` (k,) int64: the row that ends the class which the
    row begins, ESSENTIAL, or NO_BIRTH where it begins none.

    ``minima`` and ``maxima``: what each saddle merges (k-th saddles and extrema); None where that
    was not asked for.
    """

    graph: ComplexGraph
    death: np.ndarray
    minima: Merges | None
    maxima: Merges | None

    def diagram(self, cell_ids: np.ndarray | None = None) -> PersistenceDiagram:
        """All pairs as a diagram, on the host; `cell_ids` (k,) int64 of the critical rows."""
        graph = self.graph
        births = np.concatenate([graph.in_order(index) for index in range(4)])
        births = births[self.death[births] != NO_BIRTH]
        deaths = self.death[births]
        is_essential = deaths == ESSENTIAL
        ends = np.where(is_essential, births, deaths)
        first, last = graph.value[births], graph.value[ends]
        cells = np.full(graph.rank.size, NONE, np.int64) if cell_ids is None else cell_ids
        return PersistenceDiagram(
            dimension=np.repeat(np.arange(4, dtype=np.int8), graph.counts)[births],
            birth=as_float(first),
            death=np.where(is_essential, np.inf, as_float(last)),
            persistence=np.where(is_essential, np.inf, exact_difference(first, last)),
            birth_cell=cells[births],
            death_cell=np.where(is_essential, NONE, cells[ends]),
            birth_row=births.astype(np.int64),
            death_row=deaths.astype(np.int64),
        )


def extremum_ends(graph: ComplexGraph, kind: str) -> tuple[int, int, np.ndarray]:
    """Indices of the extrema of a kind and of the saddles that merge them; their ends (c, 2) int32,
    -1 OUTSIDE. On a line, the maxima are merged by minima; on a point nothing merges.
    """
    if graph.dimension == 0:
        return 0, 0, np.empty((0, 2), np.int32)
    if kind == "minimum":
        return 0, 1, graph.descending_ends
    if graph.dimension > 1:
        return graph.dimension, graph.dimension - 1, graph.ascending_ends
    # A basin of a line is an interval: what falls into it are its ends, at most two.
    into = graph.descending_ends.ravel()
    order = np.argsort(into, kind="stable")
    first = np.searchsorted(into[order], np.arange(graph.counts[0] + 1))
    ends = np.full((graph.counts[0], 2), NONE, np.int32)
    for side in range(2):
        there = first[:-1] + side < first[1:]
        ends[there, side] = order[first[:-1][there] + side] // 2
    return 1, 0, ends


def merge_extrema(host: HostDevice, graph: ComplexGraph, kind: str) -> Merges:
    """What each saddle of the kind's index merges."""
    extremum_index, saddle_index, ends = extremum_ends(graph, kind)
    age = graph.rank[graph.rows(extremum_index)]
    saddles = graph.in_order(saddle_index) - graph.rows(saddle_index).start
    if kind == "maximum":
        age, saddles = -age, saddles[::-1]
    if graph.dimension == 0:
        saddles = saddles[:0]
    return merge_pairs(
        host, np.ascontiguousarray(age), ends, np.ascontiguousarray(saddles, np.int32)
    )


def pair_critical_cells(
    graph: ComplexGraph, dimensions: Collection[int] | None = None, host: HostDevice | None = None
) -> CriticalPairs:
    """All pairs, or of some dimensions. Saddles of a volume pair by the graph's connectors."""
    host = host or HostDevice()
    d = graph.dimension
    wanted = set(range(4)) if dimensions is None else set(dimensions)
    pairs: list[tuple[np.ndarray, np.ndarray]] = []  # rows of births and deaths
    minima = maxima = None
    if wanted & {0, 1}:
        minima = merge_extrema(host, graph, "minimum")
        first, extrema = graph.counts[0], minima.victim
        saddles = np.flatnonzero(extrema >= 0)
        pairs.append((extrema[saddles], first + saddles))
    if d > 1 and wanted & {1, d - 1, d}:
        maxima = merge_extrema(host, graph, "maximum")
        saddles = np.flatnonzero(maxima.victim >= 0)
        first = graph.rows(d).start
        pairs.append((graph.rows(d - 1).start + saddles, first + maxima.victim[saddles]))
    if d == 3 and graph.has_connectors and wanted & {1, 2}:
        minima = minima or merge_extrema(host, graph, "minimum")
        assert maxima is not None
        upper, lower = pair_saddles(host, graph, minima, maxima)
        pairs.append((graph.counts[0] + lower, graph.counts[0] + graph.counts[1] + upper))
    return CriticalPairs(graph, _deaths(graph, pairs, wanted), minima, maxima)


def pair_saddles(
    host: HostDevice, graph: ComplexGraph, minima: Merges, maxima: Merges
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of dimension 1 of a volume: k-th 2-saddles, ascending, and their k-th 1-saddles."""
    c0, c1, _, _ = graph.counts
    lower = graph.in_order(1) - c0
    lower = lower[minima.victim[lower] == NONE]
    place = np.full(c1, NONE, np.int32)
    place[lower] = np.arange(lower.size, dtype=np.int32)
    upper = graph.in_order(2) - (c0 + c1)
    upper = np.ascontiguousarray(upper[maxima.victim[upper] == NONE], np.int32)
    columns = odd_connectors(graph.connectors, minima.victim == NONE, maxima.victim == NONE)
    pivot = reduce_columns(host, *columns, order=upper, place=place)
    paired = np.flatnonzero(pivot >= 0)
    return paired, pivot[paired]


def odd_connectors(
    connectors: Connectors, is_row: np.ndarray, is_column: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Offsets, 1-saddles, and odd numbers of the reduction, on the host; fewer to copy from a GPU.

    `is_row` (c1,) bool and `is_column` (c2,) bool: saddles not paired with extrema.
    """
    # Multiplicities are below 2^63, and their lowest bit is exact.
    offsets, lower, number = connectors.offsets, connectors.items, connectors.multiplicity
    if is_on_gpu(lower):
        xp = array_module(lower)
        is_kept = (number & np.uint64(1)).astype(bool) & xp.asarray(is_row)[lower]
        is_kept &= xp.asarray(is_column)[connectors.upper()]
        offsets = exclusive_scan(is_kept)[offsets]
        lower, number = lower[is_kept], number[is_kept]
    return to_host(offsets), to_host(lower), to_host(number).view(np.int64)


def _deaths(
    graph: ComplexGraph, pairs: list[tuple[np.ndarray, np.ndarray]], wanted: set[int]
) -> np.ndarray:
    death = np.full(graph.rank.size, ESSENTIAL, np.int64)
    for _, deaths in pairs:
        death[deaths] = NO_BIRTH
    for births, deaths in pairs:
        death[births] = deaths
    for index in range(4):
        # Not asked for, or left over only because their partners were not.
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
    """The diagram of a gradient's graph where the caller wants it, by default of all pairs."""
    session = gradient.session
    pairs = pair_critical_cells(graph, dimensions, session.host)
    diagram = pairs.diagram(to_host(gradient.cell_ids))
    diagram = diagram if zero_persistence else diagram.nonzero()
    place = session.result if session.result.on_host else session.upload
    return PersistenceDiagram(**{f.name: place(getattr(diagram, f.name)) for f in fields(diagram)})
