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
        self.limit, self.n_bytes = limit, 0
        self._tick = 0
        self._protected_bytes = 0
        self._probation: OrderedDict[Segment, Entry] = OrderedDict()
        self._protected: OrderedDict[Segment, Entry] = OrderedDict()

    def __contains__(self, segment: Segment) -> bool:
        return segment in self._probation or segment in self._protected

    def get(self, segment: Segment) -> Rows | None:
        """Return the rows, and record their use."""
        self._tick += 1
        entry = self._protected.get(segment)
        if entry is not None:
            self._protected.move_to_end(segment)
        else:
            entry = self._probation.get(segment)
            if entry is None:
                return None
            self._probation.move_to_end(segment)
            if entry.tick is not None and self._tick - entry.tick > SAME_VISIT:
                self._protect(segment)
        entry.tick = self._tick
        return entry.rows

    def _protect(self, segment: Segment) -> None:
        entry = self._protected[segment] = self._probation.pop(segment)
        self._protected_bytes += entry.n_bytes
        while self._protected_bytes > PROTECTED_PART * self.limit and len(self._protected) > 1:
            old_segment, old = self._protected.popitem(last=False)
            self._protected_bytes -= old.n_bytes
            self._probation[old_segment] = old

    def put(
        self, segment: Segment, rows: Rows, n_bytes: int, *, is_requested: bool = True
    ) -> list[Segment]:
        """Keep the rows, which fit the limit; return the evicted segments."""
        evicted = []
        while self.n_bytes + n_bytes > self.limit:
            entries = self._probation or self._protected
            old_segment, old = entries.popitem(last=False)
            evicted.append(old_segment)
            self.n_bytes -= old.n_bytes
            self._protected_bytes -= old.n_bytes if entries is self._protected else 0
        self._probation[segment] = Entry(rows, n_bytes, self._tick if is_requested else None)
        self.n_bytes += n_bytes
        return evicted

    def clear(self) -> None:
        """Drop all rows."""
        self._probation.clear()
        self._protected.clear()
        self.n_bytes = self._protected_bytes = 0
