"""The Morse-Smale complex as a graph: all that persistence and simplification read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .critical import Counts

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
