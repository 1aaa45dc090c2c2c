"""The Morse-Smale complex as a graph of critical cells and arcs, without geometry.

Cells enter the filtration by (value, owner, index, cell id): those of one owner faces first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arguments import checked_whole
from ..device import (
    Array,
    Device,
    Session,
    array_module,
    current_for,
    in_memory_of,
    is_on_gpu,
)
from ..primitives import (
    at,
    exclusive_scan,
    is_within,
    put,
    shifted,
    sort_by_key,
    stable_order,
)
from ..results import CSR, Table
from .connectors.minor import MULTIPLICITY_LIMIT, check_width
from .connectors.table import Connectors
from .critical import Counts, rows_of_index
from .model import MorseGradient
from .streaming import streaming_room


@dataclass(frozen=True, eq=False, repr=False)
class Arcs(Table):
    """m arcs of a Morse-Smale complex, sorted by (upper, lower).

    If both descending V-paths of a 1-saddle end at the same minimum, they form one arc of
    multiplicity 2; likewise for ascending V-paths. V-paths that leave the box are not arcs.

    Attributes
    ----------
    upper, lower : (m,) int64
        Rows of the critical cells, of index k + 1 and k.
    multiplicity : (m,) uint64
        Number of V-paths. From 2^62 on, only its lowest bit is exact.
    """

    upper: Array
    lower: Array
    multiplicity: Array

    def _summary(self) -> str:
        return f"{len(self):,} pairs of critical cells"

    @property
    def is_saturated(self) -> Array:
        """Mask (m,) of the arcs for which only the parity of the multiplicity is exact."""
        return self.multiplicity >= np.uint64(MULTIPLICITY_LIMIT)


GRAPH_BYTES = 150  # per critical cell, of the graph and its pairs
HOST_GRAPH_BYTES = 100  # the same on the CPU
CONNECTOR_BYTES = 40  # per connector
ARC_BYTES = 48  # per arc, of columns that are joined
FEW_CELLS = 1 << 14  # launches for fewer take longer on a GPU than the work on the host


@dataclass(frozen=True)
class ComplexGraph:
    """The graph on the device, or on the host if it is small; cells of an index count from 0."""

    dimension: int
    counts: Counts
    rank: Array  # (k,) int32, place of each critical cell in the filtration
    rows_in_order: Array  # (k,) int32, sorted by (index, rank)
    value: Array  # (k,) in the caller's dtype; in host memory if CuPy does not support it
    descending_ends: Array  # (c1, 2) int32, minima that each 1-saddle leads to
    # (s, 2) int32, maxima of saddles of the highest index, -1 outside; (0, 2) below two dimensions
    ascending_ends: Array
    connectors: Connectors

    def rows(self, index: int) -> slice:
        return rows_of_index(self.counts, index)

    def local_session(self, session: Session) -> Session:
        """Return the session on the device of the graph, for use within its call only."""
        if is_on_gpu(self.rank) == session.device.is_cuda:
            return session
        if session.device.is_cuda:
            return session.on(session.host)
        assert session.pieces is not None
        return session.on(session.pieces.device)

    def without_order(self) -> ComplexGraph:
        """Return the graph without its order on the CPU, where that takes a third of its memory."""
        nothing = array_module(self.rank).empty(0, np.int32)
        return replace(self, rank=nothing, rows_in_order=nothing)

    @property
    def has_connectors(self) -> bool:
        return self.connectors.offsets.size == self.counts[2] + 1

    def in_order(self, index: int) -> Array:
        """Return the rows of one index in the order of the filtration: (c,) int32."""
        return self.rows_in_order[self.rows(index)]

    def values_of(self, rows: Array) -> Array:
        """Return the values of rows (m,), where the values are."""
        return at(self.value, in_memory_of(rows, self.value))


def graph_of(
    gradient: MorseGradient,
    connectors: Connectors,
    *,
    with_maxima: bool = True,
    only_for_pairs: bool = False,
) -> ComplexGraph:
    """Return the graph of a gradient; without maxima, ascending ends are -1. O(k log k).

    It is on the host if it and its pairs would exceed the limit of the device. That of a gradient
    in pieces is on the host, unless it is `only_for_pairs`.
    """
    session, k = gradient.session, gradient.critical_ids.size
    check_width(k, "critical cells")
    n_saddles = gradient.counts[max(gradient.dimension - 1, 0)]
    if with_maxima:
        ascending = gradient.extremum_ends("ascending")
    else:
        ascending = session.device.unset((n_saddles, 2), np.int32)
    descending, there = gradient.extremum_ends("descending"), session
    m = connectors.items.size
    needed = GRAPH_BYTES * k + CONNECTOR_BYTES * m
    if session.limits_host:
        what = f"pairing {k:,} critical cells with {m:,} connectors"
        session.memory.require(HOST_GRAPH_BYTES * k + CONNECTOR_BYTES * m, what, limits_host=True)
    if session.device.is_cuda and (k <= FEW_CELLS or session.memory.exceeds_limit(needed)):
        there = session.on(session.host)
    elif (
        only_for_pairs
        and session.pieces is not None
        and k > FEW_CELLS
        and needed <= streaming_room(session)
    ):
        there = session.on(session.pieces.device)
    with there.device.current():
        return _graph_on(there, gradient, descending, ascending, connectors)


def _graph_on(
    session: Session,
    gradient: MorseGradient,
    descending: Array,
    ascending: Array,
    connectors: Connectors,
) -> ComplexGraph:
    """Return the graph on the device of a session."""
    device, k = session.device, gradient.critical_ids.size
    levels, value = session.upload(gradient.owner_levels), gradient.owner_values
    if not device.is_cuda or value.dtype == levels.dtype:  # others stay on the host
        value = session.upload(value)
    table = (connectors.offsets, connectors.items, connectors.multiplicity)
    rows = _filtration(session, session.upload(gradient.owner_vertices), levels)
    rank = device.empty(k, np.int32)
    put(rank, rows, device.numbers(k, np.int32))
    of_index = (rows_of_index(gradient.counts, index) for index in range(4))
    by_index = [at(rows, is_within(rows, of.start, of.stop - 1)) for of in of_index]
    return ComplexGraph(
        dimension=gradient.dimension,
        counts=gradient.counts,
        rank=rank,
        rows_in_order=device.joined(by_index),
        value=value,
        descending_ends=session.upload(descending),
        ascending_ends=session.upload(ascending),
        connectors=Connectors(*map(session.upload, table)),
    )


def _filtration(session: Session, owners: Array, levels: Array) -> Array:
    """Return the rows (k,) int32 by (level, owner, row). On the CPU it takes 20 bytes per row."""
    order = shifted(stable_order(session, owners), dtype=np.int32)
    order_of_levels = stable_order(session, at(levels, order))
    return at(order, order_of_levels)


def assemble_arcs(gradient: MorseGradient, connectors: Connectors) -> Arcs:
    """Return all arcs of a gradient's complex, assembled on the device of the connectors.

    If it has no room, they are assembled on that of the session.
    """
    session, d = gradient.session, gradient.dimension
    first = [gradient.rows(index).start for index in range(4)]
    rising, falling = (gradient.extremum_ends(kind) for kind in ("ascending", "descending"))
    m = connectors.items.size + rising.size + falling.size
    there = session
    if session.streams_to_gpu and is_on_gpu(connectors.items):
        assert session.pieces is not None
        if ARC_BYTES * m <= streaming_room(session):
            there = session.on(session.pieces.device)
    there.memory.require(ARC_BYTES * m, f"a table of {m:,} arcs")
    with there.device.current():
        rising, falling, *table = (
            there.upload(column)
            for column in (
                *(rising, falling),
                *(connectors.offsets, connectors.items, connectors.multiplicity),
            )
        )
        connectors = Connectors(*table)
        # From the maxima down: rows of saddles ascend already, and the sort keeps them.
        saddle, maximum, number = arcs_to_extrema(there.device, rising, first[d - 1], first[d])
        parts = (
            arcs_to_extrema(there.device, falling, first[1], first[0]),
            (
                shifted(connectors.upper(), first[2]),
                shifted(connectors.items, first[1]),
                connectors.multiplicity,
            ),
            sort_by_key(there, maximum, saddle, number),
        )
        columns = map(there.device.joined, zip(*parts, strict=True))
        return Arcs(*map(session.result, columns))


def arcs_to_extrema(
    device: Device, ends: Array, first_saddle: int, first_extremum: int
) -> tuple[Array, Array, Array]:
    """Saddle, extremum and number of V-paths of each arc, in this order."""
    count = device.empty(len(ends), np.int32)
    device.launch("count_extremum_arcs", len(ends), ends, count)
    offsets = exclusive_scan(count)
    m = int(offsets[-1])
    saddle, extremum = device.empty(m, np.int64), device.empty(m, np.int64)
    number = device.empty(m, np.uint64)
    first = (first_saddle, first_extremum)
    device.launch("list_extremum_arcs", len(ends), ends, offsets, *first, saddle, extremum, number)
    return saddle, extremum, number


def boundary_of(arcs: Arcs, counts: Counts, index: int) -> CSR:
    """Return the boundary mod 2 of the critical cells of an index, as rows, int64."""
    index = checked_whole(index, "index", 1, 3)
    xp = array_module(arcs.upper)
    rows = rows_of_index(counts, index)
    with current_for(arcs.upper):
        is_odd = (arcs.multiplicity & np.uint64(1)).astype(bool)
        chosen = is_odd & (arcs.upper >= rows.start) & (arcs.upper < rows.stop)
        cells = xp.arange(rows.start, rows.stop + 1, dtype=np.int64)
        offsets = xp.searchsorted(arcs.upper[chosen], cells).astype(np.int64)
        return CSR(offsets, arcs.lower[chosen])
