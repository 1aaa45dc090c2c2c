"""Cache of rows of segments, limited in bytes; the least recently used are evicted first.

New segments are on probation. Segments that are requested again after others are protected, so that
a sweep, which reads every segment once, does not evict those that are read repeatedly.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from .rows import Key, Rows

Segment = tuple[Key, int]
"""A segment of a relation."""

PROTECTED_PART = 0.8
SAME_VISIT = 8
"""Requests of one segment within this many requests count as one visit."""


@dataclass(eq=False, slots=True)
class Entry:
    """A segment in the cache, or in progress."""

    n_bytes: int
    is_ahead: bool = False  # whether it was prefetched and has not been requested yet
    rows: Rows | None = None  # None while it is in progress
    taken: float = 0.0  # time, in seconds, at which a worker started it
    tick: int | None = None  # number of the last request


class Cache:
    """Rows by segment, of at most `limit` bytes in total. The scheduler locks it."""

    def __init__(self, limit: int):
        self.limit = limit
        self._probation: OrderedDict[Segment, Entry] = OrderedDict()
        self._protected: OrderedDict[Segment, Entry] = OrderedDict()
        self._tick = 0
        self.n_bytes = 0

    def __contains__(self, segment: Segment) -> bool:
        return segment in self._probation or segment in self._protected

    def get(self, segment: Segment) -> Entry | None:
        """Return the rows of a segment, and record their use."""
        self._tick += 1
        entries = self._protected if segment in self._protected else self._probation
        entry = entries.get(segment)
        if entry is None:
            return None
        entries.move_to_end(segment)
        if entry.tick is not None and self._tick - entry.tick > SAME_VISIT:
            self._protected[segment] = entries.pop(segment)
            n_all = len(self._protected) + len(self._probation)
            if len(self._protected) > PROTECTED_PART * n_all:
                oldest, given_up = self._protected.popitem(last=False)
                self._probation[oldest] = given_up
        entry.tick = self._tick
        return entry

    def put(self, segment: Segment, entry: Entry) -> int:
        """Store the rows of a segment, which fit in the limit; return the number of evictions."""
        n_before = len(self._probation) + len(self._protected)
        while self.n_bytes + entry.n_bytes > self.limit:
            _, old = (self._probation or self._protected).popitem(last=False)
            self.n_bytes -= old.n_bytes
        n_evicted = n_before - len(self._probation) - len(self._protected)
        entry.tick = None if entry.is_ahead else self._tick
        self._probation[segment] = entry
        self.n_bytes += entry.n_bytes
        return n_evicted

    def clear(self) -> None:
        """Release all rows."""
        self._probation.clear()
        self._protected.clear()
        self.n_bytes = 0
