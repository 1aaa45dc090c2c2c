"""Dispatch of segments to workers.

A request for a segment that is neither cached nor in progress goes into the queue of its relation.
An idle worker takes its share of the queue with the longest waiting request, adds the segments that
should be computed with them, computes them in one launch, caches them and wakes the threads that
wait. Requested segments come before those computed ahead. Equal requests join one future.

Held segments never block others: rows that do not fit are returned and not cached. A worker that
fails, and whoever stops the scheduler, completes every future with the error.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from threading import Condition, Lock, Thread, local
from time import perf_counter

from ..device.side_threads import is_started
from ..errors import InputError
from .cache import Cache
from .layout import Layout
from .prefetch import Surroundings
from .queues import ASKED, FOLLOWING, NEARBY, Flight, RelationQueue, again
from .rows import Key, Rows
from .workers import NewWorker, Slab, Worker


class Dispatcher:
    """Queues and workers of a scheduler. One lock, held for microseconds, guards shared state."""

    def __init__(
        self,
        layout: Layout,
        new_worker: NewWorker,
        n_workers: int,
        limit: int,
        walks: bool,
        consumers_lead: bool,
    ):
        self.n_workers, self._consumers_lead = n_workers, consumers_lead
        self._own = local()
        self._current = layout.incidence.session.device.current
        self.cache = Cache(limit)
        self.queues: dict[Key, RelationQueue] = {}
        self._new_worker = new_worker
        self._surroundings = Surroundings(layout) if walks else None
        self._lock = Lock()
        self._work = Condition(self._lock)
        self._error: BaseException | None = None
        self._process = os.getpid()
        self._n_idle = 0
        self.workers: list[Thread] = []
        self._batch_bytes = max(1, limit // (2 * n_workers))

    # === consumers
    def ask(self, key: Key, segments: Sequence[int], *, hold: bool = False) -> list[Rows]:
        """Return rows of each segment, computed now if not cached. Raises errors of workers."""
        self._check_process()
        began = perf_counter()
        found: list[Rows | None] = [None] * len(segments)
        awaited: list[tuple[int, Flight]] = []
        with self._lock:
            self._check_open()
            queue, n_pushed = self.queues[key], 0
            for i, k in enumerate(segments):
                got, n = queue.request(k, hold)
                n_pushed += n
                if isinstance(got, Flight):
                    awaited.append((i, got))
                else:
                    found[i] = got.rows
            if n_pushed and not (self._consumers_lead and awaited):
                self._work.notify(min(n_pushed, self.n_workers))
        if not awaited:
            return found  # type: ignore[return-value]
        pushed = perf_counter()
        flights = [flight for _, flight in awaited]
        try:
            for flight in flights:
                if self._consumers_lead and not flight.done.is_set():
                    self._lead(flight)
                flight.done.wait()
        except BaseException:  # Ctrl-C: nobody else will release them
            for flight in flights if hold else ():
                self._let_go(key, flight)
            raise
        with self._lock:
            queue.counters.count_waiting(began, pushed, flights)
        for i, flight in awaited:
            if flight.error is not None:
                raise again(flight.error)
            found[i] = flight.rows
        return found  # type: ignore[return-value]

    def is_worth_segments(self, key: Key, segments: Sequence[int]) -> bool:
        """Return whether rows should be read from their segments, cached or soon used again."""
        self._check_process()
        with self._lock:
            is_local = self.queues[key].locality.saw(segments)
            return is_local or all((key, k) in self.cache for k in segments)

    def release(self, key: Key, segment: int) -> None:
        """Release a segment that was requested with `hold`."""
        with self._lock:
            entry = self.cache.peek((key, segment))
            if entry is not None and entry.holders:
                entry.holders -= 1

    def _let_go(self, key: Key, flight: Flight) -> None:
        with self._lock:
            is_on_its_way = flight.rows is None
            flight.holders -= is_on_its_way
        if not is_on_its_way:
            self.release(key, flight.segment)

    def open_relation(self, key: Key, n_bytes: list[int], longest: int) -> None:
        """Make the queue of a relation. At most `longest` segments are computed ahead."""
        self._check_process()
        with self._lock:
            self._check_open()
            if key not in self.queues:
                walks = self._surroundings is not None
                self.queues[key] = RelationQueue(key, n_bytes, longest, self.cache, walks)
            self._start_workers()

    def _lead(self, flight: Flight) -> None:
        """Compute waiting segments until `flight` is in progress: on the CPU, instead of idling."""
        taken = None
        try:
            while not flight.taken:
                with self._lock:
                    if flight.taken or self._error is not None:
                        return
                    taken = self._take((ASKED,))
                    if self._n_idle and any(map(RelationQueue.has_work, self.queues.values())):
                        self._work.notify()
                if taken is None:
                    return
                if not hasattr(self._own, "worker"):
                    self._own.worker = self._new_worker()
                self._make(self._own.worker, *taken)
        except Exception as error:
            self.stop(error)
        except BaseException:  # Ctrl-C stops only this consumer; workers compute what it took
            if taken is not None:
                with self._lock:
                    self.queues[taken[0]].put_back(taken[1])
                    self._work.notify_all()
            raise

    # === workers
    def _start_workers(self) -> None:
        while len(self.workers) < self.n_workers:
            name = f"mesh-worker-{len(self.workers)}"
            thread = Thread(target=self._serve, name=name, daemon=True)
            if is_started(thread):
                self.workers.append(thread)
            elif self.workers:
                self.n_workers = len(self.workers)
            else:
                raise MemoryError("the system cannot start a thread for the scheduler of a mesh")

    def _serve(self) -> None:
        try:
            worker = self._new_worker()
            while (taken := self._next()) is not None:
                self._make(worker, *taken)
        except BaseException as error:
            self.stop(error)

    def _make(self, worker: Worker, key: Key, flights: list[Flight]) -> None:
        slab = worker.make(key, [flight.segment for flight in flights])
        self._integrate(key, flights, slab)

    def _next(self) -> tuple[Key, list[Flight]] | None:
        """Wait for segments to compute; None after the stop."""
        while True:
            with self._work:
                while not (walk := self._walk()):
                    if self._error is not None:
                        return None
                    taken = self._take((ASKED, FOLLOWING, NEARBY))
                    if taken is not None:
                        return taken
                    self._n_idle += 1
                    self._work.wait()
                    self._n_idle -= 1
            self._look_around(*walk)

    def _walk(self) -> tuple[Key, int] | None:
        """The last segment of a walk, if no segments wait."""
        if not any(any(queue.waiting) for queue in self.queues.values()):
            for key, queue in self.queues.items():
                if queue.walks:
                    return key, queue.walks.pop()
        return None

    def _take(self, kinds: tuple[int, ...]) -> tuple[Key, list[Flight]] | None:
        """The segments of the next launch, ascending, or None."""
        for kind in kinds:
            first = [
                (next(iter(queue.waiting[kind].values())).pushed, i, key)
                for i, (key, queue) in enumerate(self.queues.items())
                if queue.waiting[kind]
            ]
            if first:
                key = min(first)[2]
                break
        else:
            return None
        queue = self.queues[key]
        most = max(1, queue.longest)
        if kind == ASKED:  # other idle workers take their share
            most = -(-len(queue.waiting[ASKED]) // (1 + self._n_idle))
        flights: list[Flight] = []
        room = queue.take(kind, most, flights, self._batch_bytes)
        if kind == ASKED:
            queue.take(FOLLOWING, queue.longest * len(flights), flights, room)
        now = perf_counter()
        for flight in flights:
            flight.taken = now
        flights.sort(key=lambda flight: flight.segment)
        queue.counters.launches += 1
        return key, flights

    def _integrate(self, key: Key, flights: list[Flight], slab: Slab) -> None:
        began = perf_counter()
        with self._current():
            rows = [slab.cut(j) for j in range(len(flights))]
        with self._lock:
            if self._error is not None:
                return
            for flight, made in zip(flights, rows, strict=True):
                for (old_key, old_k), old in self.queues[key].keep(flight, made):
                    self.queues[old_key].count_eviction(old_k, old)
        took = (slab.preparation, slab.kernel, perf_counter() - began)
        for flight in flights:
            flight.took = took
            flight.done.set()

    def _look_around(self, key: Key, k: int) -> None:
        """Queue the segments near the last one of a walk."""
        assert self._surroundings is not None
        near = self._surroundings.of(k)
        with self._lock:
            if self._error is None:
                queue = self.queues[key]
                queue.push_ahead(near[: queue.longest], NEARBY)

    # === shutdown
    def stop(self, error: BaseException) -> None:
        """Complete every future with the error; workers end, and later requests raise it."""
        if self._is_elsewhere:
            return
        with self._lock:
            if self._error is None:
                self._error = error
            for queue in self.queues.values():
                queue.stop(self._error)
            self.cache.clear()
            self._work.notify_all()

    @property
    def is_idle(self) -> bool:
        """Whether no segment waits or is being computed."""
        with self._lock:
            at_work = len(self.workers) - self._n_idle
            waits = any(queue.flights or queue.walks for queue in self.queues.values())
        return self._error is not None or not (at_work or waits)

    @property
    def is_stopped(self) -> bool:
        """Whether later requests raise."""
        return self._error is not None

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the workers to end after :meth:`stop`; return whether all have."""
        if self._is_elsewhere:
            return True
        for thread in self.workers:
            thread.join(seconds)
        return not any(thread.is_alive() for thread in self.workers)

    @property
    def _is_elsewhere(self) -> bool:
        """Whether the workers belong to the process that forked this one."""
        return os.getpid() != self._process

    def _check_process(self) -> None:
        if self._is_elsewhere:  # before the lock, which a worker may hold forever
            raise InputError(
                message="The workers of the scheduler belong to the process that forked this one.",
                remedy="Create a scheduler in this process.",
            )

    def _check_open(self) -> None:
        if self._error is not None:
            raise again(self._error)
