"""The arcs of a complex as its users get them, and the boundary operator that they make."""

from __future__ import annotations

import numpy as np

from ..device import Work
from ..device.arrays import array_module
from ..device.base import Array
from ..errors import InputError
from ..primitives import sort_by_key
from .connectors import Connectors
from .critical import Counts, rows_of_index
from .gradient import DiscreteGradient
from .graph import Arcs, ComplexGraph, extremum_ends


def arcs_of(work: Work, graph: ComplexGraph) -> Arcs:
    """The arcs of a graph, where the caller wants them."""
    ends = (graph.descending_ends, graph.ascending_ends)
    offsets = graph.connector_offsets
    connectors = Connectors(offsets, graph.connector_lower, graph.connector_multiplicity)
    columns = _joined(graph.dimension, graph.counts, *ends, connectors)
    if not work.results_on_host:
        columns = tuple(work.upload(column) for column in columns)
    return Arcs(*map(work.result, columns))


def assemble_arcs(gradient: DiscreteGradient, connectors: Connectors) -> Arcs:
    """All arcs of a gradient's complex, where the caller wants them; made on the device."""
    descending, ascending = (extremum_ends(gradient, k) for k in ("descending", "ascending"))
    columns = _joined(gradient.grid.dimension, gradient.counts, descending, ascending, connectors)
    return Arcs(*map(gradient.work.result, columns))


def _joined(
    dimension: int,
    counts: Counts,
    descending_ends: Array,
    ascending_ends: Array,
    connectors: Connectors,
) -> tuple[Array, Array, Array]:
    """Upper and lower rows and numbers of V-paths of all arcs, sorted by (upper, lower)."""
    xp = array_module(descending_ends)
    first = [np.int64(rows_of_index(counts, index).start) for index in range(4)]
    parts = []
    if dimension >= 1:
        saddle, extremum, number = _arcs_to_extrema(descending_ends)
        parts.append((saddle + first[1], extremum + first[0], number))
    if dimension == 3:
        lower = connectors.lower.astype(np.int64) + first[1]
        parts.append((connectors.upper() + first[2], lower, connectors.multiplicity))
    if dimension >= 2:
        # From the maxima down: rows of saddles ascend already, and the sort keeps them.
        saddle, extremum, number = _arcs_to_extrema(ascending_ends)
        extremum, saddle, number = sort_by_key(extremum, saddle, number)
        parts.append((extremum + first[dimension], saddle + first[dimension - 1], number))
    if not parts:
        empty = xp.empty(0, np.int64)
        return empty, empty, xp.empty(0, np.uint64)
    upper, lower, number = (xp.concatenate(column) for column in zip(*parts, strict=True))
    return upper, lower, number


def _arcs_to_extrema(ends: Array) -> tuple[Array, Array, Array]:
    """Saddle, extremum and number of V-paths of each arc, in this order; OUTSIDE ends none."""
    xp = array_module(ends)
    saddles = xp.arange(len(ends), dtype=np.int64)
    one, other = xp.minimum(*ends.T), xp.maximum(*ends.T)
    is_double = (one == other) & (one >= 0)
    kept = xp.stack([one >= 0, (other >= 0) & ~is_double], axis=1).ravel()
    saddle = xp.stack([saddles, saddles], axis=1).ravel()[kept]
    extremum = xp.stack([one, other], axis=1).astype(np.int64).ravel()[kept]
    number = xp.stack([1 + is_double.astype(np.uint64)] * 2, axis=1).ravel()[kept]
    return saddle, extremum, number


def boundary_of(arcs: Arcs, counts: Counts, index: int) -> tuple[Array, Array]:
    """Boundary mod 2 of the cells of an index: offsets (c + 1,) and rows, int64."""
    if index not in (1, 2, 3):
        raise InputError(f"index must be 1, 2 or 3, not {index!r}")
    xp = array_module(arcs.upper)
    rows = rows_of_index(counts, index)
    is_odd = (arcs.multiplicity & np.uint64(1)).astype(bool)
    chosen = is_odd & (arcs.upper >= rows.start) & (arcs.upper < rows.stop)
    cells = xp.arange(rows.start, rows.stop + 1, dtype=np.int64)
    offsets = xp.searchsorted(arcs.upper[chosen], cells).astype(np.int64)
    return offsets, arcs.lower[chosen]
