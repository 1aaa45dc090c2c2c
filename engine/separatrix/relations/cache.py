"""Cache of rows of segments with a limit in bytes; the least recently used are evicted first.

New segments are on probation. Segments that are requested again after others are protected, so that
a sweep, which reads every segment once, does not flush those that are read repeatedly.
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
    """Rows of a segment, and when they were last requested, which is never at first."""

    rows: Rows
    n_bytes: int
    tick: int | None = None


class Cache:
    """Rows by segment, of `limit` bytes together at most. The scheduler locks it."""

    def __init__(self, limit: int):
        self.limit = limit
        self._probation: OrderedDict[Segment, Entry] = OrderedDict()
        self._protected: OrderedDict[Segment, Entry] = OrderedDict()
        self._tick = 0
        self.n_bytes = 0

    def __contains__(self, segment: Segment) -> bool:
        return segment in self._probation or segment in self._protected

    def get(self, segment: Segment) -> Rows | None:
        """Return the rows, and record their use."""
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
        return entry.rows

    def put(
        self, segment: Segment, rows: Rows, n_bytes: int, *, is_requested: bool
    ) -> list[Segment]:
        """Keep the rows, which fit the limit; return the evicted segments."""
        evicted = []
        while self.n_bytes + n_bytes > self.limit:
            old_segment, old = (self._probation or self._protected).popitem(last=False)
            self.n_bytes -= old.n_bytes
            evicted.append(old_segment)
        self._probation[segment] = Entry(rows, n_bytes, self._tick if is_requested else None)
        self.n_bytes += n_bytes
        return evicted

    def clear(self) -> None:
        """Drop all rows."""
        self._probation.clear()
        self._protected.clear()
        self.n_bytes = 0
