"""Workers compute the rows of segments, each in its own thread and queue.

Workers of one mesh share its immutable arrays and may run in parallel: each launches on its own
stream of a GPU, or on its own part of the CPU's threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from copy import copy
from typing import Any, Protocol

import numpy as np

from ..complexes.simplicial.incidence import Incidence
from ..device.base import Array
from .compute import Span, computed_rows
from .layout import Layout
from .rows import Key, Rows


class Worker(Protocol):
    """Computes rows, for one thread at a time."""

    def make(self, key: Key, segments: Sequence[int]) -> Rows:
        """Return rows of all simplices that the segments own, placed like the input."""

    def make_rows(self, key: Key, mesh_ids: Array, ids: Array) -> Rows:
        """Return rows of simplices by mesh id, of which NONE has no row; `ids` name them."""


def runs_of(segments: Sequence[int]) -> list[tuple[int, int]]:
    """Return segments in their order as intervals [begin, end)."""
    runs: list[tuple[int, int]] = []
    for k in segments:
        if runs and runs[-1][1] == k:
            runs[-1] = (runs[-1][0], k + 1)
        else:
            runs.append((k, k + 1))
    return runs or [(0, 0)]


class ResidentWorker:
    """Computes rows of a mesh on the device that holds it."""

    def __init__(self, layout: Layout, threads: int):
        self.layout = layout
        session = layout.incidence.session
        self.session = session.fork(session.device.with_threads(threads))
        self._queue: AbstractContextManager[Any] | None = None
        self._incidence: dict[str, Incidence] = {}

    def make(self, key: Key, segments: Sequence[int]) -> Rows:
        layout, device, xp = self.layout, self.session.device, self.session.device.xp
        row_starts = layout.row_starts(key.dimension)
        runs = runs_of(segments)
        spans = [(int(row_starts[a]), int(row_starts[b])) for a, b in runs]
        with device.current(), self._in_queue():
            parts = [xp.arange(a, b, dtype=np.int32) for a, b in spans]
            ids = parts[0] if len(parts) == 1 else xp.concatenate(parts)
            span = Span(0, ids.size, ids if ids.size else None)
            if len(parts) == 1:
                starts = layout.segments.host_starts
                owners = (int(starts[runs[0][0]]), int(starts[runs[0][1]]))
                span = Span(spans[0][0], ids.size, owners=owners)
            rows = self._rows(key, span, key.named(layout.incidence.simplices, ids))
            made = rows.mapped(self.session.result)
            device.synchronize()
            return made

    def make_rows(self, key: Key, mesh_ids: Array, ids: Array) -> Rows:
        """Rows of simplices by mesh id, of which NONE has no row; `ids` name them."""
        device = self.session.device
        with device.current(), self._in_queue():
            made = self._rows(key, Span(0, mesh_ids.size, mesh_ids), ids)
            made = made.mapped(self.session.result)
            device.synchronize()
            return made

    def _rows(self, key: Key, span: Span, ids: Array) -> Rows:
        incidence = self._incidence.get(key.name)
        if incidence is None:
            self.layout.n_bytes(key.name)  # makes the lists that the relation reads
            incidence = copy(self.layout.incidence)
            incidence.session = self.session
            self._incidence[key.name] = incidence
        return computed_rows(incidence, key, span, ids)

    def _in_queue(self) -> AbstractContextManager[Any]:
        if self._queue is None:
            self._queue = self.session.device.queue()
        return self._queue
