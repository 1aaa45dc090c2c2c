"""The arcs of a complex as its users get them, and the boundary operator that they make."""

from __future__ import annotations

import numpy as np

from ..device import Work
from ..device.arrays import array_module
from ..device.base import Array
from ..errors import InputError
from .critical import Counts, rows_of_index
from .graph import Arcs, ComplexGraph


def arcs_of(work: Work, graph: ComplexGraph) -> Arcs:
    """The arcs of a graph, where the caller wants them."""
    first = [rows_of_index(graph.counts, index).start for index in range(4)]
    d = graph.dimension
    n_lower = np.diff(graph.connector_offsets)
    parts = [
        (
            np.repeat(np.arange(n_lower.size, dtype=np.int64), n_lower) + first[2],
            graph.connector_lower.astype(np.int64) + first[1],
            graph.connector_multiplicity,
        )
    ]
    if d >= 1:
        saddle, end, number = _ends_joined(graph.descending_ends)
        parts.insert(0, (saddle + first[1], end + first[0], number))
    if d >= 2:
        saddle, end, number = _ends_joined(graph.ascending_ends)
        order = np.argsort(end, kind="stable")
        parts.append(((end + first[d])[order], (saddle + first[d - 1])[order], number[order]))
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    if not work.results_on_host:
        columns = [work.upload(column) for column in columns]
    return Arcs(*map(work.result, columns))


def _ends_joined(ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Saddle, extremum and number of V-paths of each arc, in this order; OUTSIDE ends none."""
    low, high = np.sort(ends, axis=1).T
    is_double = (low == high) & (low >= 0)
    kept = np.stack([low >= 0, (high >= 0) & ~is_double], axis=1)
    saddle = np.repeat(np.arange(len(ends), dtype=np.int64), kept.sum(axis=1))
    end = np.stack([low, high], axis=1)[kept].astype(np.int64)
    number = np.repeat(1 + is_double.astype(np.uint64), kept.sum(axis=1))
    return saddle, end, number


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
