"""The arcs of a complex as its users get them, and the boundary operator that they make."""

from __future__ import annotations

import numpy as np

from ..arguments import checked_whole
from ..device import Session
from ..device.arrays import array_module, current_for
from ..device.base import Array, Device
from ..primitives import exclusive_scan, sort_by_key
from .connectors.table import Connectors
from .critical import Counts, rows_of_index
from .graph import Arcs, ComplexGraph
from .model import MorseGradient


def arcs_of(session: Session, graph: ComplexGraph) -> Arcs:
    """The arcs of a graph, where the caller wants them."""
    connectors = Connectors(
        graph.connector_offsets, graph.connector_lower, graph.connector_multiplicity
    )
    ends = (graph.descending_ends, graph.ascending_ends)
    columns = _joined(session.host, graph.dimension, graph.counts, ends, connectors)
    if not session.result.on_host:
        columns = [session.upload(column) for column in columns]
    return Arcs(*map(session.result, columns))


def assemble_arcs(gradient: MorseGradient, connectors: Connectors) -> Arcs:
    """All arcs of a gradient's complex, where the caller wants them; made on the device."""
    session, dimension = gradient.session, gradient.dimension
    ends = (gradient.extremum_ends("descending"), gradient.extremum_ends("ascending"))
    columns = _joined(session.device, dimension, gradient.counts, ends, connectors)
    return Arcs(*map(session.result, columns))


def _joined(
    device: Device,
    dimension: int,
    counts: Counts,
    ends: tuple[Array, Array],
    connectors: Connectors,
) -> list[Array]:
    """Upper and lower rows and numbers of V-paths of all arcs, sorted by (upper, lower).

    `ends` are the minima of the 1-saddles, and the maxima of the saddles of the highest index.
    """
    first = [rows_of_index(counts, index).start for index in range(4)]
    parts: list[tuple[Array, ...]] = []
    if dimension >= 1:
        parts.append(_arcs_to_extrema(device, ends[0], first[1], first[0]))
    if dimension == 3:
        lower = connectors.lower.astype(np.int64) + first[1]
        parts.append((connectors.upper() + first[2], lower, connectors.multiplicity))
    if dimension >= 2:
        # From the maxima down: rows of saddles ascend already, and the sort keeps them.
        saddle, maximum, number = _arcs_to_extrema(
            device, ends[1], first[dimension - 1], first[dimension]
        )
        parts.append(sort_by_key(maximum, saddle, number))
    if not parts:
        parts.append((device.empty(0, np.int64), device.empty(0, np.int64), device.empty(0, "u8")))
    return [device.xp.concatenate(column) for column in zip(*parts, strict=True)]


def _arcs_to_extrema(
    device: Device, ends: Array, first_saddle: int, first_extremum: int
) -> tuple[Array, Array, Array]:
    """Saddle, extremum and number of V-paths of each arc, in this order; OUTSIDE ends none."""
    count = device.empty(len(ends), np.int32)
    device.launch("count_extremum_arcs", len(ends), ends, count)
    offsets = exclusive_scan(count)
    m = int(offsets[-1])
    saddle, extremum = device.empty(m, np.int64), device.empty(m, np.int64)
    number = device.empty(m, np.uint64)
    first = (first_saddle, first_extremum)
    device.launch("list_extremum_arcs", len(ends), ends, offsets, *first, saddle, extremum, number)
    return saddle, extremum, number


def boundary_of(arcs: Arcs, counts: Counts, index: int) -> tuple[Array, Array]:
    """Boundary mod 2 of the cells of an index: offsets (c + 1,) and rows, int64."""
    index = checked_whole(index, "index", 1, 3)
    xp = array_module(arcs.upper)
    rows = rows_of_index(counts, index)
    with current_for(arcs.upper):
        is_odd = (arcs.multiplicity & np.uint64(1)).astype(bool)
        chosen = is_odd & (arcs.upper >= rows.start) & (arcs.upper < rows.stop)
        cells = xp.arange(rows.start, rows.stop + 1, dtype=np.int64)
        offsets = xp.searchsorted(arcs.upper[chosen], cells).astype(np.int64)
        return offsets, arcs.lower[chosen]
