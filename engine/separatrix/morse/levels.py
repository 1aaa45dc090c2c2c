"""Levels of a complex without geometry: cells, labels, and gradient changes. O(critical cells)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..device import Session
from ..device.base import Array
from ..kernels import NONE
from ..lazy import cached_property
from .critical import Counts, rows_of_index
from .hierarchy import Hierarchy, SkippedPairs


class Levels:
    """What all levels of a complex share: its graph, its hierarchy and what is read off them."""

    def __init__(self, session: Session, hierarchy: Hierarchy):
        self.session, self.hierarchy, self.graph = session, hierarchy, hierarchy.graph

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

    @cached_property
    def turned(self) -> Array:
        """The log of squares that cancellations of saddles turn: uint64 on the device."""
        return self.session.upload(self.hierarchy.turned)

    def replay(self, kernel: str, event: int, model: tuple[Any, ...], changed: Array) -> None:
        """Turn what the log says up to an event; `kernel` reads the model and changes an array."""
        n, past = self.turned.size, self.hierarchy.saddle_events_at(event)
        self.session.launch(kernel, n, *model, self.turned, n, past, changed)

    def label_table(self, kind: str, event: int) -> Array:
        """Label at an event of each raw "minimum" or "maximum": (c,) int32 on the device."""
        return self.session.upload(self.hierarchy.labels_at(kind, event))

    def skipped_at(self, event: int, level: float) -> SkippedPairs:
        """Pairs that are skipped below a level, by their rows at the event."""
        skipped = self.hierarchy.skipped_at(event, level)
        row_of = np.append(np.cumsum(self.hierarchy.alive_at(event)) - 1, NONE)
        upper, lower = (
            row_of[np.where(k < 0, NONE, k + rows_of_index(self.graph.counts, index).start)]
            for k, index in ((skipped.upper, 2), (skipped.lower, 1))
        )
        return replace(skipped, upper=upper, lower=lower)

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
