"""A scheduler of a mesh: relations that many threads ask for, made by workers, kept for a while."""

from __future__ import annotations

import operator
import weakref
from _thread import start_new_thread
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident, local
from time import monotonic, sleep
from typing import Any

import numpy as np

from ..device import to_host
from ..device.base import Array
from ..errors import Cancelled, DeviceMemoryError, InputError
from .choice import checked_count, n_threads_of, worker_for
from .counters import Counters, table
from .dispatch import Dispatcher
from .gather import rows_at
from .layout import Layout
from .relation import DirectRows, Relation, checked_ids, checked_name
from .rows import LETTERS, Rows
from .workers import Key, ResidentWorker, Worker

DEFAULT_LIMIT = 256 << 20
LONGEST_AHEAD = 15
"""Segments made with one that is asked for: n_b t_b / t_s - 1 of the published one block of 512
threads, 32 a segment (Liu et al. 2025, section 4.4)."""
FEW_SEGMENTS = 2
"""Ids in more segments than this have their rows made alone, in one launch: a segment costs as much
as a hundred rows to be kept and handed over."""
GPU_WORKERS = 2


class RelationScheduler:
    """Workers, queues and a cache for the relations of one mesh. Made by ``mesh.scheduler()``.

    A context manager: at its end, or when nothing refers to it, its workers end.

    Parameters
    ----------
    workers : int, optional
        Threads that make rows: by default those of the mesh on the CPU, 2 streams on a GPU.
    memory_limit : int, optional
        Bytes of rows that are kept; 256 MiB by default.
    prefetch : int, optional
        Segments made ahead with one that is asked for, at most; by default 15, or fewer where the
        limit has no room for them.
    walks : bool
        Whether segments around those that a walk comes to are made ahead, too.
    holders : int
        Segments that are held at once, at most: see :meth:`hold`.
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
        self.n_workers = checked_count(workers, "workers", n_threads, least=1)
        self.n_holders = checked_count(holders, "holders", 0)
        self._prefetch = None if prefetch is None else checked_count(prefetch, "prefetch", 0)
        self.memory_limit = checked_count(memory_limit, "memory_limit", DEFAULT_LIMIT, least=1)
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
        gone = InputError("the scheduler is gone; make another one")
        self._finalizer = weakref.finalize(self, _abandon, self._dispatcher, gone)

    def __repr__(self) -> str:
        return f"<scheduler of {self.n_workers} workers, {self.memory_limit:,} bytes of cache>"

    def __enter__(self) -> RelationScheduler:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    # === what is asked for
    def relation(self, name: str, *, ids: str = "user") -> Relation:
        """A relation whose ``segment(k)`` and ``[ids]`` this scheduler makes and keeps.

        As :meth:`TetMesh.relation`. Raises DeviceMemoryError with the figure if its largest
        segments do not fit ``memory_limit``.
        """
        incidence = self._layout.incidence
        key = Key(checked_name(name, incidence.simplices.dimension), checked_ids(ids))
        self.open(key)
        direct = DirectRows(incidence, *key)
        return Relation(direct, MachineRows(self, key))

    @contextmanager
    def hold(self, name: str, k: int, *, ids: str = "user") -> Iterator[Rows]:
        """Context in which the rows of segment `k` stay in the cache and count in its limit.

        At most ``holders`` at once, for which the limit has room by construction.
        """
        relation = self.relation(name, ids=ids)
        key = Key(relation.name, ids == "mesh")
        k = self.checked_segment(k)
        with self._lock:
            if self._n_held >= self.n_holders:
                raise InputError(
                    f"{self._n_held} segments are held and the scheduler was made for "
                    f"holders={self.n_holders}; let go of one, or make it for more"
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
        """Have a queue for the relation. Raises DeviceMemoryError if its segments do not fit."""
        if key in self._dispatcher.queues:
            return
        n_bytes = self._layout.n_bytes(key.name)
        largest = int(n_bytes.max(initial=0))
        holders = max(1, self.n_holders)
        needed = holders * (1 + (self._prefetch or 0)) * largest
        if needed > self.memory_limit:
            raise DeviceMemoryError(
                f"relation {key.name} needs a memory_limit of {needed:,} bytes, not "
                f"{self.memory_limit:,}: {holders} holder{'s' * (holders != 1)} of "
                f"{1 + (self._prefetch or 0)} segments of up to {largest:,} bytes each; raise it, "
                "lower holders or prefetch, or make the mesh with a smaller segment_size"
            )
        longest = self._prefetch
        if longest is None:
            room = self.memory_limit // (2 * self.n_workers * holders * max(1, largest))
            longest = min(LONGEST_AHEAD, room)
        self._layout.row_starts(LETTERS.index(key.name[0]))
        self._dispatcher.open_relation(key, n_bytes.tolist(), longest)

    def checked_segment(self, k: Any) -> int:
        """The number of a segment. Raises InputError."""
        n = len(self._layout.segments)
        try:
            number = operator.index(k)
        except TypeError:
            number = -1
        if not 0 <= number < n:
            raise InputError(f"segments are 0 to {n - 1}, got {k!r}")
        return number

    def rows_of_segments(self, key: Key, begin: int, end: int) -> Rows:
        """Rows of segments begin .. end - 1: of one from the cache, of none or several made."""
        if end - begin == 1:
            return self._dispatcher.ask(key, [begin])[0]
        if end == begin:
            return DirectRows(self._layout.incidence, *key).rows_of_segments(begin, end)
        self.count_direct(key, end - begin)
        return self._worker().make(key, range(begin, end)).rows

    def rows_of(self, key: Key, ids: Array) -> Rows:
        """Rows of ids (n,) int32: read from their segments, or made alone if that is less work."""
        layout, dimension = self._layout, LETTERS.index(key.name[0])
        s, session = layout.incidence.simplices, layout.incidence.session
        mesh_ids = ids
        with session.device.current():
            if not key.in_mesh_ids and dimension in (0, s.dimension):
                mesh_ids = (s.vertex_of if dimension == 0 else s.tet_of)[ids]
            asked = to_host(mesh_ids)
        # A dropped cell is in no segment; rows that stay on a GPU are not put together.
        if not ids.size or not session.result.on_host or asked.min() < 0:
            return self._rows_alone(key, mesh_ids, ids)
        row_starts = layout.row_starts(dimension)
        segment_of = row_starts.searchsorted(asked, side="right") - 1
        segments = np.unique(segment_of) if asked.size > 1 else segment_of
        chosen = segments.tolist()
        if session.pieces is None and (
            len(chosen) > FEW_SEGMENTS or not self._dispatcher.is_worth_segments(key, chosen)
        ):
            return self._rows_alone(key, mesh_ids, ids)
        rows = self._dispatcher.ask(key, chosen)
        return rows_at(rows, segments, segment_of, asked - row_starts[segment_of], to_host(ids))

    def _rows_alone(self, key: Key, mesh_ids: Array, ids: Array) -> Rows:
        self.count_direct(key, ids.size)
        if not hasattr(self._own, "resident"):
            self._own.resident = ResidentWorker(self._layout, 1)
        worker: ResidentWorker = self._own.resident
        return worker.make_rows(key, mesh_ids, ids)

    def count_direct(self, key: Key, n: int) -> None:
        """Count rows or segments that a consumer made itself."""
        with self._lock:
            self._dispatcher.queues[key].counters.direct += n

    def _worker(self) -> Worker:
        """The calling thread's own."""
        if not hasattr(self._own, "worker"):
            device = self._layout.incidence.session.device
            threads = device.launch_form(host=self.n_workers, gpu=1)
            self._own.worker = worker_for(self._layout, threads)
        worker: Worker = self._own.worker
        return worker

    # === what it did, and its end
    @property
    def counters(self) -> dict[str, Counters]:
        """What was done and waited for, by relation."""
        found: dict[str, Counters] = {}
        for key, queue in list(self._dispatcher.queues.items()):
            found[key.name] = found.get(key.name, Counters()) + queue.counters
        return found

    def table(self) -> str:
        """The counters as text, to be printed."""
        return table(self.counters)

    @property
    def n_cached_bytes(self) -> int:
        """Bytes of rows that are kept now."""
        return self._dispatcher.cache.n_bytes

    @property
    def is_stopped(self) -> bool:
        """Whether it was closed or canceled, or a worker failed."""
        return self._dispatcher.is_stopped

    def wait_idle(self, seconds: float) -> bool:
        """Wait until all that is made ahead is there, or so many seconds; whether it is."""
        end = monotonic() + seconds
        while not self._dispatcher.is_idle:
            if monotonic() > end:
                return False
            sleep(0.001)
        return True

    def cancel(self) -> None:
        """Have all who wait, and all who ask later, get :class:`separatrix.Cancelled`."""
        self._dispatcher.stop(Cancelled("the scheduler was canceled"))

    def close(self) -> None:
        """End the workers; who still waits gets InputError."""
        self._dispatcher.stop(InputError("the scheduler is closed; make another one"))
        self._dispatcher.join()


def _abandon(dispatcher: Dispatcher, error: InputError) -> None:
    """Stop it. The collector may have begun in a worker that holds the lock which this wants."""
    if any(worker.ident == get_ident() for worker in dispatcher.workers):
        start_new_thread(dispatcher.stop, (error,))
    else:
        dispatcher.stop(error)


class MachineRows:
    """The rows of a relation as a scheduler makes them: a :class:`RowProducer`."""

    def __init__(self, scheduler: RelationScheduler, key: Key):
        self._scheduler, self._key = scheduler, key

    def rows_of_segments(self, begin: int, end: int) -> Rows:
        """Rows of all simplices that segments begin .. end - 1 own, in mesh order."""
        return self._scheduler.rows_of_segments(self._key, begin, end)

    def rows_of(self, ids: Array) -> Rows:
        """Rows of `ids` (n,) int32, in their order."""
        return self._scheduler.rows_of(self._key, ids)
