"""Scheduler that computes and caches rows of segments for many threads.

A consumer queues a segment that is neither cached nor in progress. If a worker is free, the
consumer uses it for the segments of the relation that has waited longest (for a share of them if
more workers are free) and for those to prefetch: it computes them in one launch, caches them, and
notifies all waiting threads. Otherwise it waits for its segment or a worker. After a request that
is served from the cache, a thread of the pool prefetches segments. Liu, Randall, Ge, Iuricich,
"GALE", IEEE TVCG 2025, section 4.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from copy import copy
from threading import Condition
from time import perf_counter
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..complexes.simplicial.incidence import Incidence
from ..device import Array, to_host
from ..device.side_threads import submit
from ..errors import Canceled, DeviceMemoryError, InputError
from ..primitives import exclusive_scan
from .cache import Cache, Entry, Segment
from .compute import segment_bytes
from .prefetch import Counters, Requests
from .relation import Relation, checked_key
from .rows import Key, Rows, rows_at
from .workers import Worker, n_threads_of, runs_of, worker_for

FEW_SEGMENTS = 2
"""Rows in more segments than this are computed without segments, in one launch, because storing and
returning a segment takes as long as a hundred rows."""
GPU_WORKERS = 2
MOST_AHEAD = 64  # queued segments to prefetch


class RelationScheduler(AbstractContextManager["RelationScheduler"]):
    """Workers and a cache for the relations of one mesh, returned by ``mesh.scheduler()``.

    At the end of its context, or when the scheduler is deleted, its threads end.

    Attributes
    ----------
    counters : dict
        :class:`Counters` of each relation by name: numbers of requests, and waiting times.
    """

    def __init__(self, incidence: Incidence, workers: int | None, memory_limit: int, prefetch: int):
        session = incidence.session
        n_threads = session.device.launch_form(host=n_threads_of(session), gpu=GPU_WORKERS)
        self.n_workers = checked_whole(n_threads if workers is None else workers, "workers", 1)
        self._prefetch = checked_whole(prefetch, "prefetch", 0)
        self.memory_limit = checked_whole(memory_limit, "memory_limit", 1)
        self._incidence = incidence
        threads = max(1, n_threads // self.n_workers)
        self._batch_bytes = max(1, self.memory_limit // (2 * self.n_workers))
        self._process = os.getpid()
        self._pool = ThreadPoolExecutor(self.n_workers, "mesh-worker")
        # The remaining attributes are shared by threads, which lock them and wait for changes.
        self._changed = Condition()
        self._error: BaseException | None = None
        self._cache = Cache(self.memory_limit)
        self._relations: dict[Key, Requests] = {}
        self._flights: dict[Segment, Entry] = {}  # in progress, in the order of their requests
        self._ahead: dict[Segment, None] = {}  # to prefetch
        self._free = [worker_for(incidence, threads) for _ in range(self.n_workers)]
        self.counters: dict[str, Counters] = {}

    def __repr__(self) -> str:
        return f"<scheduler of {self.n_workers} workers, {self.memory_limit:,} bytes of cache>"

    def __exit__(self, *error: Any) -> None:
        self.close()

    def relation(self, name: str, *, ids: str = "user") -> Relation:
        """Return a relation whose ``segment(k)`` and ``[ids]`` this scheduler computes and caches.

        See :meth:`TetMesh.relation`. Raises DeviceMemoryError if the largest segment exceeds
        ``memory_limit``.
        """
        incidence = self._incidence
        key = checked_key(name, ids, incidence.simplices.dimension)
        n_bytes = segment_bytes(incidence, key.name)
        largest = max(1, int(n_bytes.max(initial=0)))
        if largest > self.memory_limit:
            raise DeviceMemoryError(
                f"Relation {key.name} requires {largest:,} bytes for its largest segment; "
                f"{{memory_limit}} allows {self.memory_limit:,}. Raise it, or make the mesh with a "
                "smaller {segment_size}."
            )
        longest = min(self._prefetch, self._batch_bytes // largest)
        with self._locked():
            if key not in self._relations:
                counters = self.counters.setdefault(key.name, Counters())
                self._relations[key] = Requests(
                    n_bytes.tolist(), longest, self.memory_limit, counters
                )
        return Relation(incidence, key, self)

    @property
    def n_cached_bytes(self) -> int:
        """Size of the rows in the cache, in bytes."""
        return self._cache.n_bytes

    def cancel(self) -> None:
        """Raise :class:`separatrix.Canceled` in all waiting threads and in later requests."""
        self._stop(Canceled("the scheduler was canceled"))

    def close(self) -> None:
        """End the threads and raise InputError in waiting ones."""
        if os.getpid() == self._process:
            self._stop(InputError(message="The scheduler is closed.", remedy="Create a new one."))
            self._pool.shutdown()

    # === consumers
    def rows_of_segments(self, key: Key, begin: int, end: int) -> Rows:
        """Return one segment from the cache, or compute several."""
        if end - begin == 1:
            return self._segments(key, [begin])[0]
        with self._worker(key, end - begin) as worker:
            return worker.make(key, [(begin, end)])

    def rows_of(self, key: Key, ids: Array) -> Rows:
        """Return rows from their segments, or compute them directly if that is less work."""
        session, row_starts = self._incidence.session, self._incidence.owned_starts(key.dimension)
        with session.device.current():
            mesh_ids = key.in_mesh(self._incidence.simplices, ids)
            asked = to_host(mesh_ids)
        # Dropped cells are not in a segment, and rows on a GPU are not concatenated.
        if ids.size and session.result.on_host and asked.min() >= 0:
            segment_of = row_starts.searchsorted(asked, side="right") - 1
            segments = np.unique(segment_of) if ids.size > 1 else segment_of
            chosen = segments.tolist()
            is_worth_it = session.pieces is not None
            if not is_worth_it and len(chosen) <= FEW_SEGMENTS:
                with self._locked():  # whether segments are cached, or likely to be requested again
                    are_local = self._relations[key].are_local(chosen)
                    is_worth_it = are_local or all((key, k) in self._cache for k in chosen)
            if is_worth_it:
                at = asked - row_starts[segment_of]
                if len(chosen) > 1:
                    n_before = exclusive_scan(row_starts[segments + 1] - row_starts[segments])
                    at += n_before[segments.searchsorted(segment_of)]
                return rows_at(self._segments(key, chosen), at, to_host(ids))
        with self._worker(key, ids.size) as worker:
            return worker.make_rows(key, mesh_ids, ids)

    def _segments(self, key: Key, numbers: Sequence[int]) -> list[Rows]:
        """Return the rows of each segment, cached or computed. Raises errors of workers."""
        began = perf_counter()
        with self._locked():
            counters, n_ahead = self._relations[key].counters, len(self._ahead)
            n_misses = counters.misses
            entries = [self._requested(key, k) for k in numbers]
            if len(self._ahead) > n_ahead and counters.misses == n_misses:
                submit(self._pool, self._work)
        flights = [entry for entry in entries if entry.rows is None]
        if flights:
            self._work(flights)
            with self._changed:
                counters.waiting += perf_counter() - began
                counters.queue += max(0.0, max(flight.taken for flight in flights) - began)
        return [entry.rows for entry in entries]  # type: ignore[misc]

    def _requested(self, key: Key, k: int) -> Entry:
        """Return the segment if cached or in progress, else queue it; queue those to prefetch."""
        segment, requests = (key, k), self._relations[key]
        counters, is_missed = requests.counters, False
        counters.requests += 1
        if entry := self._cache.get(segment):
            counters.hits += 1
        elif entry := self._flights.get(segment):
            counters.joins += 1
        else:
            is_missed = True
            entry = self._flights[segment] = Entry(requests.n_bytes[k])
            self._ahead.pop(segment, None)
            counters.misses += 1
        counters.used += entry.is_ahead
        entry.is_ahead = False
        for following in requests.following(k, is_missed=is_missed):
            if (key, following) not in self._flights and (key, following) not in self._cache:
                self._ahead[key, following] = None
        while len(self._ahead) > MOST_AHEAD:
            del self._ahead[next(iter(self._ahead))]
        return entry

    @contextmanager
    def _worker(self, key: Key, n: int) -> Iterator[Worker]:
        """Provide a worker for `n` rows or segments that are not cached."""
        with self._locked():
            self._changed.wait_for(lambda: self._error or self._free)
            self._check_open()
            worker = self._free.pop()
            self._relations[key].counters.direct += n
        try:
            yield worker
        finally:
            with self._changed:
                self._end(worker)

    # === work
    def _work(self, flights: Sequence[Entry] = ()) -> None:
        """Compute queued segments until the flights are done; without any, prefetch all."""
        launch = None
        try:
            while (launch := self._next(flights)) is not None:
                self._compute(*launch)
        except Exception as error:
            self._stop(error)
            raise
        except BaseException:  # Ctrl-C stops only this consumer; others compute its segments
            if launch is not None:
                worker, key, numbers = launch
                with self._changed:
                    self._end(worker)
                    for flight in (self._flights.get((key, k)) for k in numbers):
                        if flight is not None:
                            flight.taken = 0.0  # requeued
            raise

    def _next(self, flights: Sequence[Entry]) -> tuple[Worker, Key, list[int]] | None:
        """Wait for a worker and queued segments; return None at the end of the work."""

        def is_over() -> bool:
            if not flights:
                return not self._ahead
            return all(flight.rows is not None for flight in flights)

        def may_begin() -> bool:
            is_queued = not flights or not all(flight.taken for flight in flights)
            return is_queued and bool(self._free)

        with self._changed:
            self._changed.wait_for(lambda: self._error or is_over() or may_begin())
            self._check_open()
            return None if is_over() else (self._free.pop(), *self._taken())

    def _taken(self) -> tuple[Key, list[int]]:
        """Return the relation and the ascending segments of the next launch."""
        all_waiting = [segment for segment, entry in self._flights.items() if not entry.taken]
        key = next(iter(all_waiting or self._ahead))[0]
        requests, room = self._relations[key], self._batch_bytes
        waiting = [segment for segment in all_waiting if segment[0] == key]
        waiting = waiting[: -(-len(waiting) // (1 + len(self._free)))]
        ahead = [segment for segment in self._ahead if segment[0] == key]
        taken: list[int] = []
        for segment in waiting + ahead[: requests.longest * max(1, len(waiting))]:
            room -= requests.n_bytes[segment[1]]
            if room < 0 and taken:
                break
            taken.append(segment[1])
            if segment in self._ahead:
                del self._ahead[segment]
                self._flights[segment] = Entry(requests.n_bytes[segment[1]], is_ahead=True)
                requests.counters.ahead += 1
            self._flights[segment].taken = perf_counter()
        requests.counters.launches += 1
        return key, sorted(taken)

    def _compute(self, worker: Worker, key: Key, numbers: list[int]) -> None:
        """Compute segments in one launch, cache them, and notify all waiting threads."""
        made = worker.make(key, runs_of(numbers))
        starts, chosen = self._incidence.owned_starts(key.dimension), np.array(numbers)
        with self._incidence.session.device.current():
            parts = made.cut(exclusive_scan(starts[chosen + 1] - starts[chosen]))
        with self._changed:
            self._end(worker)
            if self._error is not None:
                return
            counters = self._relations[key].counters
            for k, rows in zip(numbers, parts, strict=True):
                entry = self._flights.pop((key, k))
                entry.rows = rows
                counters.evictions += self._cache.put((key, k), entry)
            counters.made += len(numbers)

    def _end(self, worker: Worker) -> None:
        self._free.append(worker)
        self._changed.notify_all()

    # === shutdown
    def _stop(self, error: BaseException) -> None:
        """Raise the error in all waiting threads and in later requests."""
        with self._changed:
            self._error = self._error or error
            for queued in (self._flights, self._ahead, self._cache):
                queued.clear()
            self._changed.notify_all()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if os.getpid() != self._process:  # checked first, as a fork may never release the lock
            raise InputError(
                message="The workers of the scheduler belong to the process that forked this one.",
                remedy="Create a scheduler in this process.",
            )
        with self._changed:
            self._check_open()
            yield

    def _check_open(self) -> None:
        """Raise a copy of the error, because threads must not share its traceback."""
        if self._error is not None:
            error = copy(self._error)
            error.__cause__ = self._error
            raise error
