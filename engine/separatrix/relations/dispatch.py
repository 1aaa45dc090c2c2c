"""Queues, futures and workers: who makes which segments, and when.

A request for a segment that is neither kept nor on its way goes into its relation's queue. The free
worker leads: it takes its share of all that waits in the queue that has waited longest, adds the
segments that should be made with them, makes them in one launch, keeps them and wakes who waits.
What is asked for comes before what is made ahead. Equal requests join one future.

No consumer's hold makes anyone wait: rows that find no room are handed over and not kept. A worker
that fails, and whoever stops the scheduler, completes every future with the error.
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
from .rows import Rows
from .workers import Key, NewWorker, Slab, Worker

MOST_AHEAD_WAITING = 64


class Dispatcher:
    """The scheduler's inside. Everything shared is under one lock, held for microseconds."""

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
        """Rows of each segment, made now if they are not kept. Waits. Raises what workers raise."""
        self._check_process()
        began = perf_counter()
        found: list[Rows | None] = [None] * len(segments)
        awaited: list[tuple[int, Flight]] = []
        with self._lock:
            self._check_open()
            queue = self.queues[key]
            counters = queue.counters
            counters.requests += len(segments)
            n_pushed = 0
            for i, k in enumerate(segments):
                entry = self.cache.get((key, k))
                if entry is not None:
                    found[i] = entry.rows
                    counters.hits += 1
                    entry.holders += hold
                    if entry.is_ahead:
                        entry.is_ahead = False
                        self._count_use(queue, k)
                    if entry.window:
                        n_pushed += self._push_window(key, queue, k, entry.window)
                        entry.window = 0
                    continue
                flight, is_new = self._request(key, queue, k)
                n_pushed += is_new
                if flight.window:
                    n_pushed += self._push_window(key, queue, k, flight.window)
                    flight.window = 0
                flight.holders += hold
                awaited.append((i, flight))
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
        except BaseException:  # Ctrl-C: nobody will let go of them
            for flight in flights if hold else ():
                self._let_go(key, flight)
            raise
        with self._lock:
            counters.count_waiting(began, pushed, flights)
        for i, flight in awaited:
            if flight.error is not None:
                raise again(flight.error)
            found[i] = flight.rows
        return found  # type: ignore[return-value]

    def is_worth_segments(self, key: Key, segments: Sequence[int]) -> bool:
        """Whether some rows should be read from their segments: kept ones, or soon used again."""
        self._check_process()
        with self._lock:
            is_local = self.queues[key].locality.saw(segments)
            return is_local or all((key, k) in self.cache for k in segments)

    def release(self, key: Key, segment: int) -> None:
        """Let go of a segment that was asked for with `hold`."""
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
        """Make its queue, if it has none. `longest`: segments that are made ahead at most."""
        self._check_process()
        with self._lock:
            self._check_open()
            if key not in self.queues:
                self.queues[key] = RelationQueue(n_bytes, longest, self.cache.limit)
            self._start_workers()

    def _request(self, key: Key, queue: RelationQueue, k: int) -> tuple[Flight, bool]:
        """(the flight that brings a segment, whether there is one more to be made)."""
        flight = queue.flights.get(k)
        if flight is not None:
            queue.counters.joins += 1
            if flight.kind != ASKED:
                waits = queue.waiting[flight.kind].pop(k, None)
                self._count_use(queue, k, flight)
                flight.kind, flight.pushed = ASKED, perf_counter()
                if waits is not None:
                    queue.waiting[ASKED][k] = flight
            return flight, False
        queue.counters.pushed += 1
        flight = Flight(k, ASKED)
        queue.flights[k] = queue.waiting[ASKED][k] = flight
        following = queue.ahead.after_miss(k)
        if following is None:
            if self._surroundings is not None and queue.ahead.wants_nearby():
                queue.walks.append(k)
        else:
            self._push_ahead(key, queue, following, FOLLOWING)
        return flight, True

    def _push_window(self, key: Key, queue: RelationQueue, k: int, window: int) -> int:
        return self._push_ahead(key, queue, queue.ahead.after_first_use(k, window), FOLLOWING)

    def _push_ahead(
        self, key: Key, queue: RelationQueue, segments: Sequence[int], kind: int
    ) -> int:
        """Put what is neither kept nor on its way into the queue; the first starts a window."""
        n, waiting = 0, queue.waiting[kind]
        for k in segments:
            if k in queue.flights or (key, k) in self.cache:
                continue
            window = len(segments) if kind == FOLLOWING and k == segments[0] else 0
            queue.flights[k] = waiting[k] = Flight(k, kind, window)
            n += 1
        queue.counters.ahead += n
        while len(waiting) > MOST_AHEAD_WAITING:
            dropped, _ = waiting.popitem(last=False)
            del queue.flights[dropped]
            queue.counters.ahead -= 1
        return n

    def _count_use(self, queue: RelationQueue, k: int, flight: Flight | None = None) -> None:
        queue.counters.used += 1
        if k in queue.near or (flight is not None and flight.was_near):
            queue.near.discard(k)
            queue.ahead.was_used_nearby()
        if flight is not None:
            flight.was_near = False

    def _lead(self, flight: Flight) -> None:
        """Make what waits until `flight` is being made: on the CPU, instead of looking on."""
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
        except BaseException:  # Ctrl-C is this consumer's alone: workers make what it took
            if taken is not None:
                self._put_back(*taken)
            raise

    def _put_back(self, key: Key, flights: list[Flight]) -> None:
        with self._lock:
            self.queues[key].put_back(flights)
            self._work.notify_all()

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
                raise MemoryError("the system starts no thread for the scheduler of a mesh")

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
        """Wait for something to make. None at the end."""
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
        """Where a walk has come to, if nothing waits to be made."""
        if not any(any(queue.waiting) for queue in self.queues.values()):
            for key, queue in self.queues.items():
                if queue.walks:
                    return key, queue.walks.pop()
        return None

    def _take(self, kinds: tuple[int, ...]) -> tuple[Key, list[Flight]] | None:
        """What one launch makes next, ascending, or None."""
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
        if kind == ASKED:  # others who are free take their share
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
            queue = self.queues[key]
            counters = queue.counters
            counters.made += len(flights)
            for flight, made in zip(flights, rows, strict=True):
                k = flight.segment
                is_ahead = flight.kind != ASKED
                kept, gone = self.cache.put(
                    (key, k), made, queue.n_bytes[k], is_ahead, flight.window, flight.holders
                )
                counters.unkept += not kept
                counters.wasted += is_ahead and not kept
                for (old_key, old_k), old in gone:
                    old_queue = self.queues[old_key]
                    old_queue.counters.evictions += 1
                    old_queue.counters.wasted += old.is_ahead
                    old_queue.near.discard(old_k)
                if flight.kind == NEARBY:
                    queue.ahead.was_made_nearby()
                    if kept:
                        queue.near.add(k)
                flight.rows = made
                del queue.flights[k]
        took = (slab.preparation, slab.kernel, perf_counter() - began)
        for flight in flights:
            flight.took = took
            flight.done.set()

    def _look_around(self, key: Key, k: int) -> None:
        """Queue the segments near one that a walk came to."""
        assert self._surroundings is not None
        near = self._surroundings.of(k)
        with self._lock:
            if self._error is None:
                queue = self.queues[key]
                self._push_ahead(key, queue, near[: queue.longest], NEARBY)

    # === the end
    def stop(self, error: BaseException) -> None:
        """Complete every future with the error; workers end, later requests raise it too."""
        if self._is_elsewhere:
            return
        with self._lock:
            if self._error is None:
                self._error = error
            for queue in self.queues.values():
                for flight in queue.flights.values():
                    flight.error = self._error
                    flight.done.set()
                queue.flights.clear()
                queue.walks.clear()
                for waiting in queue.waiting:
                    waiting.clear()
            self.cache.clear()
            self._work.notify_all()

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits or is being made."""
        with self._lock:
            at_work = len(self.workers) - self._n_idle
            waits = any(queue.flights or queue.walks for queue in self.queues.values())
        return self._error is not None or not (at_work or waits)

    @property
    def is_stopped(self) -> bool:
        """Whether later requests raise."""
        return self._error is not None

    def join(self, seconds: float | None = None) -> bool:
        """Wait for the workers to end after :meth:`stop`; whether all have."""
        if self._is_elsewhere:
            return True
        for thread in self.workers:
            thread.join(seconds)
        return not any(thread.is_alive() for thread in self.workers)

    @property
    def _is_elsewhere(self) -> bool:
        """Whether the workers are those of the process that this one was forked from."""
        return os.getpid() != self._process

    def _check_process(self) -> None:
        if self._is_elsewhere:  # before the lock, which a worker may have held for ever
            raise InputError(
                "the scheduler's workers are those of the process that this one was forked from; "
                "make another scheduler here"
            )

    def _check_open(self) -> None:
        if self._error is not None:
            raise again(self._error)
