"""The Morse-Smale complex as a graph: all that persistence and simplification read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import to_host
from .critical import Counts
from .gradient import DiscreteGradient
from .separatrices import trace_extremum_arcs

MULTIPLICITY_LIMIT = 2**62


@dataclass(frozen=True)
class ComplexGraph:
    """Critical cells and the arcs between them, as NumPy arrays; it knows no geometry.

    ``dimension`` of the grid; ``counts`` of the k critical cells by index. ``rank`` (k,) int32:
    place of each critical row in the filtration, (value, owner, index, cell id). ``value`` (k,) in
    the caller's dtype. ``descending_ends`` (c1, 2) int32: the minima that each 1-saddle leads to.
    ``ascending_ends`` (c_{d-1}, 2) int32: maxima, -1 OUTSIDE; (0, 2) below two dimensions.
    Connectors, in volumes only: 2-saddle p has the 1-saddles
    ``connector_lower[connector_offsets[p]:connector_offsets[p + 1]]`` int32, ascending, joined by
    ``connector_multiplicity`` uint64 V-paths.
    """

    dimension: int
    counts: Counts
    rank: np.ndarray
    value: np.ndarray
    descending_ends: np.ndarray
    ascending_ends: np.ndarray
    connector_offsets: np.ndarray
    connector_lower: np.ndarray
    connector_multiplicity: np.ndarray


def graph_of(gradient: DiscreteGradient, connectors: Any = None) -> ComplexGraph:
    """The graph of a gradient's complex, without connectors if None are given."""
    critical, d = gradient.critical, gradient.grid.dimension
    vertex, index = to_host(critical.vertex), to_host(critical.index)
    cell, value = to_host(critical.cell_id), to_host(critical.value)
    rank = np.empty(value.size, np.int32)
    rank[np.lexsort((cell, index, vertex, value))] = np.arange(value.size, dtype=np.int32)

    def ends(kind: str) -> np.ndarray:
        return to_host(trace_extremum_arcs(gradient, kind).extremum).reshape(-1, 2)

    none = np.empty((0, 2), np.int32)
    return ComplexGraph(
        d,
        gradient.counts,
        rank,
        value,
        ends("descending") if d > 0 else none,
        ends("ascending") if d > 1 else none,
        np.zeros(1, np.int64) if connectors is None else to_host(connectors.offsets),
        none.reshape(-1) if connectors is None else to_host(connectors.lower),
        np.empty(0, np.uint64) if connectors is None else to_host(connectors.multiplicity),
    )
