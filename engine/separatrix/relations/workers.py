"""Workers compute the rows of segments, each on its own stream of a GPU or threads of the CPU.

Workers of one mesh share its immutable arrays and may run at the same time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy

from ..complexes.simplicial.incidence import Incidence
from ..device.base import Array
from .compute import Span, computed_rows, segment_rows
from .rows import Key, Rows


class Worker:
    """Computes rows of a mesh on the device that holds it, for one thread at a time.

    The lists that a relation reads exist already.
    """

    def __init__(self, incidence: Incidence, threads: int):
        self.incidence = incidence
        self.session = incidence.session.fork(incidence.session.device.with_threads(threads))
        with self.session.device.current():
            self._queue = self.session.device.queue()

    def make(self, key: Key, runs: Sequence[tuple[int, int]]) -> Rows:
        """Return rows of all simplices that segments own, which are intervals [begin, end)."""
        return self._placed(lambda incidence: segment_rows(incidence, key, runs))

    def make_rows(self, key: Key, mesh_ids: Array, ids: Array) -> Rows:
        """Return rows of simplices by mesh id, of which NONE has no row; `ids` name them."""
        span = Span(0, mesh_ids.size, mesh_ids)
        return self._placed(lambda incidence: computed_rows(incidence, key, span, ids))

    def _placed(self, compute: Callable[[Incidence], Rows]) -> Rows:
        """Rows placed like the input."""
        incidence, device = copy(self.incidence), self.session.device
        incidence.session = self.session
        with device.current(), self._queue:
            rows = compute(incidence).mapped(self.session.result)
            device.synchronize()
            return rows


def runs_of(segments: Sequence[int]) -> list[tuple[int, int]]:
    """Return segments in their order as intervals [begin, end)."""
    runs: list[tuple[int, int]] = []
    for k in segments:
        begin = runs.pop()[0] if runs and runs[-1][1] == k else k
        runs.append((begin, k + 1))
    return runs
