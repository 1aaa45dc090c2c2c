"""The arcs of a complex as its users get them, and the boundary operator that they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device import Work
from ..device.arrays import array_module
from ..device.base import Array
from ..errors import InputError
from ..primitives import exclusive_scan
from .critical import Counts, rows_of_index
from .graph import ComplexGraph

MULTIPLICITY_LIMIT = 2**62


@dataclass(frozen=True)
class Arcs:
    """Arcs of a Morse-Smale complex, sorted by (upper, lower); m of them.

    ``upper`` and ``lower`` (m,) int64, rows of the critical cells, of indices k + 1 and k;
    ``multiplicity`` (m,) uint64, number of V-paths: from 2^62 on only its lowest bit is exact.
    """

    upper: Array
    lower: Array
    multiplicity: Array

    @property
    def is_saturated(self) -> Array:
        """Multiplicities that are exact in their lowest bit only: (m,) bool."""
        return self.multiplicity >= np.uint64(MULTIPLICITY_LIMIT)

    def __len__(self) -> int:
        return int(self.upper.size)


def arcs_of(work: Work, graph: ComplexGraph) -> Arcs:
    """The arcs of a graph, where the caller wants them. O(arcs log arcs)."""
    upper, lower, multiplicity = (np.concatenate(column) for column in zip(*_parts(graph), strict=True))
    order = np.lexsort((lower, upper))
    columns = [upper[order], lower[order], multiplicity[order]]
    if not work.results_on_host:
        columns = [work.upload(column) for column in columns]
    return Arcs(*map(work.result, columns))


def _parts(graph: ComplexGraph) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    first = [rows_of_index(graph.counts, index).start for index in range(4)]
    d = graph.dimension
    parts = []
    if d >= 1:
        saddles, ends, n = _joined(graph.descending_ends)
        parts.append((saddles + first[1], ends + first[0], n))
    if d >= 2:
        saddles, ends, n = _joined(graph.ascending_ends)
        parts.append((ends + first[d], saddles + first[d - 1], n))
    n_lower = np.diff(graph.connector_offsets)
    upper = np.repeat(np.arange(n_lower.size, dtype=np.int64), n_lower) + first[2]
    lower = graph.connector_lower.astype(np.int64) + first[1]
    return [*parts, (upper, lower, graph.connector_multiplicity)]


def _joined(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Saddle, end and multiplicity of each pair that occurs; OUTSIDE ends no arc."""
    low, high = ends.min(axis=1), ends.max(axis=1)
    is_double = low == high
    saddles = np.arange(len(ends), dtype=np.int64)
    once = ~is_double
    saddle = np.concatenate([saddles, saddles[once]])
    end = np.concatenate([high, low[once]]).astype(np.int64)
    n = np.concatenate([1 + is_double, np.ones(int(once.sum()), int)]).astype(np.uint64)
    inside = end >= 0
    return saddle[inside], end[inside], n[inside]


def boundary_of(arcs: Arcs, counts: Counts, index: int) -> tuple[Array, Array]:
    """Boundary mod 2 of the cells of an index: offsets (c + 1,) and rows, int64. Raises InputError."""
    if index not in (1, 2, 3):
        raise InputError(f"index must be 1, 2 or 3, not {index!r}")
    xp = array_module(arcs.upper)
    rows = rows_of_index(counts, index)
    is_odd = (arcs.multiplicity & np.uint64(1)).astype(bool)
    chosen = is_odd & (arcs.upper >= rows.start) & (arcs.upper < rows.stop)
    n = xp.bincount(arcs.upper[chosen] - rows.start, minlength=rows.stop - rows.start)
    return exclusive_scan(n), arcs.lower[chosen]
