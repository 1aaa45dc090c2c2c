"""A scheduler of a mesh: workers compute and cache the relations that many threads request."""

from __future__ import annotations

import weakref
from _thread import start_new_thread
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident, local
from time import monotonic, sleep
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device import to_host
from ..device.base import Array
from ..errors import Cancelled, DeviceMemoryError, InputError
from .counters import Counters, table
from .dispatch import Dispatcher
from .layout import Layout
from .packets import checked_or, n_threads_of, worker_for
from .relation import DirectRows, Relation, checked_ids, checked_name
from .rows import Key, Rows, rows_at
from .workers import ResidentWorker, Worker

DEFAULT_LIMIT = 256 << 20
LONGEST_AHEAD = 15
"""Segments computed with a requested one: n_b t_b / t_s - 1 with the published block of 512
threads, 32 per segment (Liu et al. 2025, section 4.4)."""
FEW_SEGMENTS = 2
"""The rows of ids in more segments than this are computed separately, in one launch: keeping and
returning a segment costs as much as a hundred rows."""
GPU_WORKERS = 2


class RelationScheduler:
    """Workers, queues and a cache for the relations of one mesh. Made by ``mesh.scheduler()``.

    A context manager: at its end, or when the scheduler is deleted, its workers end.

    Parameters
    ----------
    workers : int, optional
        Threads that compute rows: by default those of the mesh on the CPU, 2 streams on a GPU.
    memory_limit : int, optional
        Bytes of cached rows; 256 MiB by default.
    prefetch : int, optional
        Maximum number of segments computed ahead with a requested one; by default 15, or fewer if
        the limit has no room for them.
    walks : bool
        Whether segments around those that a walk reaches are computed ahead, too.
    holders : int
        Maximum number of segments held at once: see :meth:`hold`.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        workers: int | None = None,
        memory_limit: int | None = None,
        prefetch: int | None = None,
        walks: bool = True,
        holders: int = 0,
    ):
        session = layout.incidence.session
        n_threads = session.device.launch_form(host=n_threads_of(session), gpu=GPU_WORKERS)
        self.n_workers = checked_or(n_threads, workers, "workers", 1)
        self.n_holders = checked_whole(holders, "holders", 0)
        self._prefetch = checked_or(None, prefetch, "prefetch", 0)
        self.memory_limit = checked_or(DEFAULT_LIMIT, memory_limit, "memory_limit", 1)
        self._layout = layout
        threads = max(1, n_threads // self.n_workers)
        in_pieces = session.pieces is not None
        self._dispatcher = Dispatcher(
            layout,
            lambda: worker_for(layout, threads),
            self.n_workers,
            self.memory_limit,
            walks and not in_pieces,
            consumers_lead=session.device.launch_form(host=not in_pieces, gpu=False),
        )
        self._own = local()
        self._lock = Lock()
        self._n_held = 0
        gone = InputError(message="The scheduler is deleted.", remedy="Make another one.")
        self._finalizer = weakref.finalize(self, _abandon, self._dispatcher, gone)

    def __repr__(self) -> str:
        return f"<scheduler of {self.n_workers} workers, {self.memory_limit:,} bytes of cache>"

    def __enter__(self) -> RelationScheduler:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    # === requests
    def relation(self, name: str, *, ids: str = "user") -> Relation:
        """Return a relation whose ``segment(k)`` and ``[ids]`` this scheduler computes and caches.

        As :meth:`TetMesh.relation`. Raises DeviceMemoryError if its largest segments do not fit
        ``memory_limit``.
        """
        incidence = self._layout.incidence
        key = Key(checked_name(name, incidence.simplices.dimension), checked_ids(ids))
        self.open(key)
        return Relation(DirectRows(incidence, key), ScheduledRows(self, key))

    @contextmanager
    def hold(self, name: str, k: int, *, ids: str = "user") -> Iterator[Rows]:
        """Keep the rows of segment `k` in the cache, and in its limit, within the context.

        At most ``holders`` at once, for which the limit has room by construction.
        """
        relation = self.relation(name, ids=ids)
        key = Key(relation.name, ids == "mesh")
        k = checked_whole(k, "k", 0, len(self._layout.segments) - 1)
        with self._lock:
            if self._n_held >= self.n_holders:
                raise InputError(
                    message=f"The scheduler holds {self._n_held} segments, the maximum set by "
                    f"{{holders={self.n_holders}}}.",
                    remedy="Release a segment, or increase {holders}.",
                )
            self._n_held += 1
        try:
            (rows,) = self._dispatcher.ask(key, [k], hold=True)
            try:
                yield rows
            finally:
                self._dispatcher.release(key, k)
        finally:
            with self._lock:
                self._n_held -= 1

    def open(self, key: Key) -> None:
        """Make a queue for the relation. Raises DeviceMemoryError if its segments do not fit."""
        if key in self._dispatcher.queues:
            return
        n_bytes = self._layout.n_bytes(key.name)
        largest = int(n_bytes.max(initial=0))
        holders = max(1, self.n_holders)
        needed = holders * (1 + (self._prefetch or 0)) * largest
        if needed > self.memory_limit:
            raise DeviceMemoryError(
                f"Relation {key.name} needs {needed:,} bytes; {{memory_limit}} allows "
                f"{self.memory_limit:,}: {holders} holder{'s' * (holders != 1)} of "
                f"{1 + (self._prefetch or 0)} segments of up to {largest:,} bytes each. Raise it, "
                "lower {holders} or {prefetch}, or make the mesh with a smaller {segment_size}."
            )
        longest = self._prefetch
        if longest is None:
            room = self.memory_limit // (2 * self.n_workers * holders * max(1, largest))
            longest = min(LONGEST_AHEAD, room)
        self._layout.row_starts(key.dimension)
        self._dispatcher.open_relation(key, n_bytes.tolist(), longest)

    # === rows that consumers compute themselves
    def rows_alone(self, key: Key, mesh_ids: Array, ids: Array) -> Rows:
        """Rows of simplices by mesh id, computed by the calling thread; `ids` name them."""
        self.count_direct(key, ids.size)
        if not hasattr(self._own, "resident"):
            self._own.resident = ResidentWorker(self._layout, 1)
        worker: ResidentWorker = self._own.resident
        return worker.make_rows(key, mesh_ids, ids)

    def own_worker(self) -> Worker:
        """The worker of the calling thread."""
        if not hasattr(self._own, "worker"):
            device = self._layout.incidence.session.device
            threads = device.launch_form(host=self.n_workers, gpu=1)
            self._own.worker = worker_for(self._layout, threads)
        worker: Worker = self._own.worker
        return worker

    def count_direct(self, key: Key, n: int) -> None:
        """Count rows or segments that a consumer computed itself."""
        with self._lock:
            self._dispatcher.queues[key].counters.direct += n

    # === statistics and shutdown
    @property
    def counters(self) -> dict[str, Counters]:
        """Counts of work and waiting times, by relation."""
        found: dict[str, Counters] = {}
        for key, queue in list(self._dispatcher.queues.items()):
            found[key.name] = found.get(key.name, Counters()) + queue.counters
        return found

    def table(self) -> str:
        """Return the counters as text."""
        return table(self.counters)

    @property
    def n_cached_bytes(self) -> int:
        """Bytes of rows in the cache."""
        return self._dispatcher.cache.n_bytes

    @property
    def is_stopped(self) -> bool:
        """Whether the scheduler was closed or canceled, or a worker failed."""
        return self._dispatcher.is_stopped

    def wait_idle(self, seconds: float) -> bool:
        """Wait until all work ahead is done, at most this long; return whether it is done."""
        end = monotonic() + seconds
        while not self._dispatcher.is_idle:
            if monotonic() > end:
                return False
            sleep(0.001)
        return True

    def cancel(self) -> None:
        """Raise :class:`separatrix.Cancelled` in all threads that wait, and in later requests."""
        self._dispatcher.stop(Cancelled("the scheduler was canceled"))

    def close(self) -> None:
        """End the workers; threads that still wait get InputError."""
        self._dispatcher.stop(
            InputError(message="The scheduler is closed.", remedy="Make another one.")
        )
        self._dispatcher.join()


def _abandon(dispatcher: Dispatcher, error: InputError) -> None:
    """Stop it. The garbage collector may run in a worker that holds the required lock."""
    if any(worker.ident == get_ident() for worker in dispatcher.workers):
        start_new_thread(dispatcher.stop, (error,))
    else:
        dispatcher.stop(error)


class ScheduledRows:
    """The rows of a relation as a scheduler computes them: a :class:`RowProducer`."""

    def __init__(self, scheduler: RelationScheduler, key: Key):
        self._scheduler, self._key = scheduler, key
        simplices = scheduler._layout.incidence.simplices
        self._numbers = None if key.in_mesh_ids else simplices.mesh_ids(key.dimension)
        self._row_starts = scheduler._layout.row_starts(key.dimension)

    def rows_of_segments(self, begin: int, end: int) -> Rows:
        """One segment comes from the cache; several are computed now."""
        scheduler, key = self._scheduler, self._key
        if end - begin == 1:
            return scheduler._dispatcher.ask(key, [begin])[0]
        if end == begin:
            return DirectRows(scheduler._layout.incidence, key).rows_of_segments(begin, end)
        scheduler.count_direct(key, end - begin)
        return scheduler.own_worker().make(key, range(begin, end)).rows

    def rows_of(self, ids: Array) -> Rows:
        """Rows are read from their segments, or computed separately if that is less work."""
        scheduler, key = self._scheduler, self._key
        session, row_starts = scheduler._layout.incidence.session, self._row_starts
        with session.device.current():
            mesh_ids = ids if self._numbers is None else self._numbers[ids]
            asked = to_host(mesh_ids)
        # A dropped cell is in no segment; rows that stay on a GPU are not put together.
        if not ids.size or not session.result.on_host or asked.min() < 0:
            return scheduler.rows_alone(key, mesh_ids, ids)
        segment_of = row_starts.searchsorted(asked, side="right") - 1
        segments = np.unique(segment_of) if asked.size > 1 else segment_of
        chosen = segments.tolist()
        if session.pieces is None and (
            len(chosen) > FEW_SEGMENTS or not scheduler._dispatcher.is_worth_segments(key, chosen)
        ):
            return scheduler.rows_alone(key, mesh_ids, ids)
        rows = scheduler._dispatcher.ask(key, chosen)
        return rows_at(rows, segments, segment_of, asked - row_starts[segment_of], to_host(ids))
