"""The levels of one complex as far as they know no geometry: cells, labels and graph.

A hierarchy numbers the cancellations as events 1, 2, ... in the order of persistence. For event e:

1. Critical cells are those that no event up to e cancels: compare and compact.
2. Labels are those of the raw complex, put through a table of the extrema.
3. The arcs by which canceled extrema flow out make a forest, rooted at those that are left.

O(critical cells and arcs). Subclasses say how the gradient changes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..device import Session
from ..device.base import Array
from ..lazy import cached_property
from ..primitives import exclusive_scan
from .critical import Counts, rows_of_index
from .graph import ComplexGraph
from .hierarchy import Hierarchy, SkippedPairs


class Levels(ABC):
    """What all levels of a complex share: its graph, its hierarchy and what is read off them."""

    def __init__(self, session: Session, graph: ComplexGraph, hierarchy: Hierarchy):
        self.session = session
        self.graph = graph
        self.hierarchy = hierarchy

    @cached_property
    def dead(self) -> Array:
        """Event that cancels each critical cell: (k,) uint32 on the device."""
        return self.session.upload(self.hierarchy.dead)

    def counts_at(self, event: int) -> Counts:
        """Critical cells of each index that are left at an event."""
        dead, counts = self.hierarchy.dead, self.graph.counts
        c0, c1, c2, c3 = (
            int(np.count_nonzero(dead[rows_of_index(counts, index)] > event)) for index in range(4)
        )
        return c0, c1, c2, c3

    @property
    @abstractmethod
    def has_log(self) -> bool:
        """Whether the log of reversed paths between saddles is there."""

    @abstractmethod
    def write_log(self, done: Callable[[float], None] | None = None) -> None:
        """Write that log; `done` hears of the part written."""

    def label_table(self, kind: str, event: int) -> Array:
        """Label at an event of each raw "minimum" or "maximum": (c,) int32 on the device."""
        return self.session.upload(self.hierarchy.labels_at(kind, event))

    def skipped_at(self, event: int, level: float) -> SkippedPairs:
        """Pairs that are skipped below a level, by their rows at the event."""
        skipped = self.hierarchy.skipped_at(event, level)
        row_of = np.cumsum(self.hierarchy.alive_at(event)) - 1
        first = [rows_of_index(self.graph.counts, index).start for index in (2, 1)]
        return replace(
            skipped, upper=row_of[skipped.upper + first[0]], lower=row_of[skipped.lower + first[1]]
        )

    def graph_at(self, event: int) -> ComplexGraph:
        """The graph after `event` cancellations. Its multiplicities bound the true ones from above
        and have their parity: docs/morse_smale.md, "Simplification". O(critical cells and arcs).
        """
        raw, alive = self.graph, self.hierarchy.alive_at(event)
        counts = self.counts_at(event)
        of_index = [alive[rows_of_index(raw.counts, index)] for index in range(4)]
        row_at = np.empty(raw.rank.size, np.int32)
        row_at[raw.rank] = np.arange(raw.rank.size, dtype=np.int32)
        rank = np.empty(raw.rank.size, np.int32)
        left = row_at[alive[row_at]]
        rank[left] = np.arange(left.size, dtype=np.int32)
        upper, lower, multiplicity = self.hierarchy.arcs_at(event)
        lower_number = np.cumsum(of_index[1], dtype=np.int32) - np.int32(1)
        n_lower = np.bincount(upper, minlength=of_index[2].size)[of_index[2]]
        if raw.connector_offsets.size == 1:
            n_lower = n_lower[:0]
        return ComplexGraph(
            dimension=raw.dimension,
            counts=counts,
            rank=rank[alive],
            value=raw.value[alive],
            descending_ends=self._ends_at("minimum", event, raw.descending_ends, of_index[1]),
            ascending_ends=self._ends_at(
                "maximum", event, raw.ascending_ends, of_index[max(raw.dimension - 1, 0)]
            ),
            connector_offsets=exclusive_scan(n_lower),
            connector_lower=lower_number[lower],
            connector_multiplicity=multiplicity,
        )

    def _ends_at(self, kind: str, event: int, ends: np.ndarray, alive: np.ndarray) -> np.ndarray:
        if not ends.size:
            return ends
        labels = np.append(self.hierarchy.labels_at(kind, event), np.int32(-1))  # [-1] is OUTSIDE
        return labels[ends[alive]]

    def arcs_to_reverse(self, kind: str, event: int) -> Array:
        """Raw arcs 2 * saddle + side that canceled extrema flow out by: int32 on the device."""
        hierarchy, session = self.hierarchy, self.session
        minima = kind == "minimum"
        ends = self.graph.descending_ends if minima else self.graph.ascending_ends
        forest = hierarchy.forest(kind)
        sides = np.empty(forest.saddle.size, np.int32)
        n = session.host.run(
            "root_at_survivors",
            np.ascontiguousarray(ends),
            forest.saddle,
            forest.event,
            sides.size,
            event,
            sides,
        )
        return session.upload(sides[:n])
