"""Workers compute the rows of segments, each in its own thread and queue.

Workers of one mesh share its immutable arrays and may run in parallel: each launches on its own
stream of a GPU, or on its own part of the CPU's threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np

from ..complexes.simplicial.incidence import Incidence
from ..device import array_module, to_host
from ..device.arrays import read_only
from ..device.base import Array
from ..lazy import cached_property
from .compute import Span, computed_rows
from .layout import Layout
from .rows import Key, Rows


@dataclass(eq=False)
class Slab:
    """Rows of segments, one after the other: those of the j-th are starts[j] .. starts[j+1].

    ``preparation`` and ``kernel`` are in seconds.
    """

    rows: Rows
    starts: np.ndarray
    preparation: float
    kernel: float

    def cut(self, j: int) -> Rows:
        """The rows of the j-th segment in separate, read-only arrays."""
        rows, first, last = self.rows, int(self.starts[j]), int(self.starts[j + 1])
        if len(self.starts) == 2:
            return rows.mapped(read_only)
        ids = rows.ids[first:last].copy()
        if rows.offsets is None:
            width = rows.width or 0
            items, offsets = rows.items[first * width : last * width].copy(), None
            width_here = rows.width if last > first else None
            return Rows(read_only(ids), read_only(items), None, width_here)
        begin, end = self._item_starts[j : j + 2]
        items, offsets = rows.items[begin:end].copy(), rows.offsets[first : last + 1] - begin
        return Rows(read_only(ids), read_only(items), read_only(offsets))

    @cached_property
    def _item_starts(self) -> list[int]:
        """First item of each segment."""
        offsets: Array = self.rows.offsets
        at: list[int] = to_host(offsets[array_module(offsets).asarray(self.starts)]).tolist()
        return at


class Worker(Protocol):
    """Computes rows, for one thread at a time."""

    def make(self, key: Key, segments: Sequence[int]) -> Slab:
        """Return rows of all simplices that the segments own, placed like the input."""


NewWorker = Callable[[], Worker]


def runs_of(segments: Sequence[int]) -> list[tuple[int, int]]:
    """Return segments in their order as intervals [begin, end)."""
    runs: list[tuple[int, int]] = []
    for k in segments:
        if runs and runs[-1][1] == k:
            runs[-1] = (runs[-1][0], k + 1)
        else:
            runs.append((k, k + 1))
    return runs


def starts_of(layout: Layout, dimension: int, segments: Sequence[int]) -> np.ndarray:
    """Return (k + 1,) int64: the first row of each segment among the rows of these segments."""
    row_starts = layout.row_starts(dimension)
    chosen = np.asarray(segments, np.int64)
    starts = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(row_starts[chosen + 1] - row_starts[chosen], out=starts[1:])
    return starts


class ResidentWorker:
    """Computes rows of a mesh on the device that holds it."""

    def __init__(self, layout: Layout, threads: int):
        self.layout = layout
        session = layout.incidence.session
        self.session = session.fork(session.device.with_threads(threads))
        self._queue: AbstractContextManager[Any] | None = None
        self._incidence: dict[str, Incidence] = {}

    def make(self, key: Key, segments: Sequence[int]) -> Slab:
        began = perf_counter()
        layout, device, xp = self.layout, self.session.device, self.session.device.xp
        row_starts = layout.row_starts(key.dimension)
        spans = [(int(row_starts[a]), int(row_starts[b])) for a, b in runs_of(segments)]
        with device.current(), self._in_queue():
            parts = [xp.arange(a, b, dtype=np.int32) for a, b in spans]
            ids = parts[0] if len(parts) == 1 else xp.concatenate(parts)
            prepared = perf_counter()
            span = Span(0, ids.size, ids if ids.size else None)
            if len(parts) == 1:
                starts = layout.segments.host_starts
                owners = (int(starts[segments[0]]), int(starts[segments[-1] + 1]))
                span = Span(spans[0][0], ids.size, owners=owners)
            rows = self._rows(key, span, key.named(layout.incidence.simplices, ids))
            made = rows.mapped(self.session.result)
            device.synchronize()
        starts = starts_of(layout, key.dimension, segments)
        return Slab(made, starts, prepared - began, perf_counter() - prepared)

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
