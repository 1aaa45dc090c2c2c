"""The queue of one relation: requests in progress, and the segments that are computed ahead."""

from __future__ import annotations

import copy
from collections import OrderedDict, deque
from collections.abc import Sequence
from threading import Event
from time import perf_counter

from .cache import Cache, CacheKey, Entry
from .counters import Counters
from .prefetch import Ahead, Locality
from .rows import Key, Rows

ASKED, FOLLOWING, NEARBY = range(3)
MOST_WALKS = 16
MOST_AHEAD_WAITING = 64


class Flight:
    """A segment in progress: ``done`` is set when ``rows`` or ``error`` is there."""

    __slots__ = ("done", "error", "holders", "kind", "pushed", "rows", "segment", "taken", "took",
                 "was_near", "window")  # fmt: skip

    def __init__(self, segment: int, kind: int, window: int = 0):
        self.segment, self.kind, self.window = segment, kind, window
        self.was_near = kind == NEARBY
        self.holders = 0
        self.done = Event()
        self.rows: Rows | None = None
        self.error: BaseException | None = None
        self.pushed = perf_counter()
        self.taken = 0.0
        self.took = (0.0, 0.0, 0.0)


class RelationQueue:
    """Waiting segments of one relation, by kind, and predictions. The dispatcher locks it."""

    def __init__(self, key: Key, n_bytes: list[int], longest: int, cache: Cache, walks: bool):
        self.key, self.n_bytes, self.longest, self.cache = key, n_bytes, longest, cache
        self.waiting: tuple[OrderedDict[int, Flight], ...] = tuple(OrderedDict() for _ in range(3))
        self.flights: dict[int, Flight] = {}  # waiting or being computed
        self.walks: deque[int] = deque(maxlen=MOST_WALKS)  # missed; segments around may be next
        self._has_walks = walks
        self._near: set[int] = set()  # cached, computed as nearby ones, not requested yet
        self._ahead = Ahead(len(n_bytes), longest)
        self.locality = Locality(cache.limit * len(n_bytes) // max(1, sum(n_bytes)))
        self.counters = Counters()

    def has_work(self) -> bool:
        """Whether workers have something to do."""
        return any(self.waiting) or bool(self.walks)

    # === requests
    def request(self, k: int, hold: bool) -> tuple[Entry | Flight, int]:
        """The cached segment, or its flight, and the number of segments queued for it."""
        self.counters.requests += 1
        found: Entry | Flight | None = self.cache.get((self.key, k))
        n_pushed = 0
        if found is None:
            found, n_pushed = self._flight_of(k)
        elif isinstance(found, Entry):
            self.counters.hits += 1
            if found.is_ahead:
                found.is_ahead = False
                self._count_use(k)
        found.holders += hold
        if found.window:
            following = self._ahead.after_first_use(k, found.window)
            n_pushed += self.push_ahead(following, FOLLOWING)
            found.window = 0
        return found, n_pushed

    def _flight_of(self, k: int) -> tuple[Flight, int]:
        flight = self.flights.get(k)
        if flight is not None:
            self.counters.joins += 1
            if flight.kind != ASKED:
                waits = self.waiting[flight.kind].pop(k, None)
                self._count_use(k, flight)
                flight.kind, flight.pushed = ASKED, perf_counter()
                if waits is not None:
                    self.waiting[ASKED][k] = flight
            return flight, 0
        self.counters.pushed += 1
        flight = Flight(k, ASKED)
        self.flights[k] = self.waiting[ASKED][k] = flight
        following = self._ahead.after_miss(k)
        if following is not None:
            self.push_ahead(following, FOLLOWING)
        elif self._has_walks and self._ahead.wants_nearby():
            self.walks.append(k)
        return flight, 1

    def push_ahead(self, segments: Sequence[int], kind: int) -> int:
        """Queue segments that are neither cached nor in progress; the first starts a window."""
        n, waiting = 0, self.waiting[kind]
        for k in segments:
            if k in self.flights or (self.key, k) in self.cache:
                continue
            window = len(segments) if kind == FOLLOWING and k == segments[0] else 0
            self.flights[k] = waiting[k] = Flight(k, kind, window)
            n += 1
        self.counters.ahead += n
        while len(waiting) > MOST_AHEAD_WAITING:
            dropped, _ = waiting.popitem(last=False)
            del self.flights[dropped]
            self.counters.ahead -= 1
        return n

    def _count_use(self, k: int, flight: Flight | None = None) -> None:
        self.counters.used += 1
        if k in self._near or (flight is not None and flight.was_near):
            self._near.discard(k)
            self._ahead.was_used_nearby()
        if flight is not None:
            flight.was_near = False

    # === work
    def take(self, kind: int, most: int, flights: list[Flight], room: int) -> int:
        """Move at most `most` of a kind within `room` bytes, but at least one, into `flights`.

        Returns the remaining room.
        """
        waiting = self.waiting[kind]
        while waiting and most > 0:
            k = next(iter(waiting))
            room -= self.n_bytes[k]
            if room < 0 and flights:
                break
            flights.append(waiting.pop(k))
            most -= 1
        return room

    def put_back(self, flights: list[Flight]) -> None:
        """Queue flights again that were taken and not computed."""
        for flight in flights:
            if self.flights.get(flight.segment) is flight:
                flight.taken = 0.0
                self.waiting[flight.kind][flight.segment] = flight
            elif flight.rows is not None:
                flight.done.set()

    def keep(self, flight: Flight, rows: Rows) -> list[tuple[CacheKey, Entry]]:
        """Cache the rows of a flight if there is room; return the evicted entries."""
        k, is_ahead = flight.segment, flight.kind != ASKED
        kept, gone = self.cache.put(
            (self.key, k), rows, self.n_bytes[k], is_ahead, flight.window, flight.holders
        )
        self.counters.made += 1
        self.counters.unkept += not kept
        self.counters.wasted += is_ahead and not kept
        if flight.kind == NEARBY:
            self._ahead.was_made_nearby()
            if kept:
                self._near.add(k)
        flight.rows = rows
        del self.flights[k]
        return gone

    def count_eviction(self, k: int, entry: Entry) -> None:
        """Count an entry of this relation that the cache dropped."""
        self.counters.evictions += 1
        self.counters.wasted += entry.is_ahead
        self._near.discard(k)

    def stop(self, error: BaseException) -> None:
        """Complete every flight with the error."""
        for flight in self.flights.values():
            flight.error = error
            flight.done.set()
        self.flights.clear()
        self.walks.clear()
        for waiting in self.waiting:
            waiting.clear()


def again(error: BaseException) -> BaseException:
    """Return a copy of an error for another thread; sharing it would mix up tracebacks."""
    try:
        other = copy.copy(error)
    except Exception:
        return error
    other.__cause__ = error
    return other
