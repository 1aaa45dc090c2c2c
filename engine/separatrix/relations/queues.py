"""Requests on their way, and the queue of each relation that they wait in."""

from __future__ import annotations

import copy
from collections import OrderedDict, deque
from threading import Event
from time import perf_counter

from .counters import Counters
from .locality import Locality
from .prefetch import Ahead
from .rows import Rows

ASKED, FOLLOWING, NEARBY = range(3)
MOST_WALKS = 16


class Flight:
    """A segment on its way: ``done`` is set when ``rows`` or ``error`` is there."""

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
    """What waits in one relation, by kind, and what is expected in it."""

    def __init__(self, n_bytes: list[int], longest: int, limit: int):
        self.n_bytes, self.longest = n_bytes, longest
        self.waiting: tuple[OrderedDict[int, Flight], ...] = tuple(OrderedDict() for _ in range(3))
        self.flights: dict[int, Flight] = {}  # those that wait and those being made
        self.walks: deque[int] = deque(maxlen=MOST_WALKS)  # missed; segments around may be next
        self.near: set[int] = set()  # kept, made as nearby ones, not asked for yet
        self.ahead = Ahead(len(n_bytes), longest)
        self.locality = Locality(limit * len(n_bytes) // max(1, sum(n_bytes)))
        self.counters = Counters()

    def has_work(self) -> bool:
        """Whether there is something to do for workers."""
        return any(self.waiting) or bool(self.walks)

    def take(self, kind: int, most: int, flights: list[Flight], room: int) -> int:
        """Take at most `most` of a kind within `room` bytes, one in any case. What is left."""
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
        """Have those wait again that were taken and not made."""
        for flight in flights:
            if self.flights.get(flight.segment) is flight:
                flight.taken = 0.0
                self.waiting[flight.kind][flight.segment] = flight
            elif flight.rows is not None:
                flight.done.set()


def again(error: BaseException) -> BaseException:
    """The error for one more thread: one that is raised in several mixes up their tracebacks."""
    try:
        other = copy.copy(error)
    except Exception:
        return error
    other.__cause__ = error
    return other
