"""Cache of rows of segments with a limit in bytes; the least recently used are evicted first.

New segments are on probation. Segments that are requested again after others are protected, so that
a sweep, which reads every segment once, does not flush those that are read repeatedly. Segments on
probation are evicted before protected ones; held segments stay. Not locked: the dispatcher is.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from .rows import Rows

CacheKey = tuple[Any, int]  # a relation and a segment

PROTECTED_PART = 0.8
SAME_VISIT = 8
"""Requests of one segment within this many requests count as one visit."""


@dataclass(eq=False, slots=True)
class Entry:
    """Rows of a segment; ``is_ahead`` until the first request, ``holders`` consumers hold them."""

    rows: Rows
    n_bytes: int
    is_ahead: bool
    tick: int
    window: int = 0
    holders: int = 0


class Cache:
    """Entries by key, of `limit` bytes together at most."""

    def __init__(self, limit: int):
        self.limit, self.n_bytes = limit, 0
        self._tick = 0
        self._protected_bytes = 0
        self._probation: OrderedDict[CacheKey, Entry] = OrderedDict()
        self._protected: OrderedDict[CacheKey, Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._probation) + len(self._protected)

    def __contains__(self, key: CacheKey) -> bool:
        return key in self._probation or key in self._protected

    def get(self, key: CacheKey) -> Entry | None:
        """Return the entry, and count its use."""
        self._tick += 1
        entry = self._protected.get(key)
        if entry is not None:
            self._protected.move_to_end(key)
        else:
            entry = self._probation.get(key)
            if entry is None:
                return None
            if not entry.is_ahead and self._tick - entry.tick > SAME_VISIT:
                self._protect(key, entry)
            else:
                self._probation.move_to_end(key)
        entry.tick = self._tick
        return entry

    def peek(self, key: CacheKey) -> Entry | None:
        """Return the entry without counting a use."""
        return self._protected.get(key) or self._probation.get(key)

    def _protect(self, key: CacheKey, entry: Entry) -> None:
        del self._probation[key]
        self._protected[key] = entry
        self._protected_bytes += entry.n_bytes
        while self._protected_bytes > PROTECTED_PART * self.limit and len(self._protected) > 1:
            old_key, old = self._protected.popitem(last=False)
            self._protected_bytes -= old.n_bytes
            self._probation[old_key] = old

    def put(
        self,
        key: CacheKey,
        rows: Rows,
        n_bytes: int,
        is_ahead: bool = False,
        window: int = 0,
        holders: int = 0,
    ) -> tuple[bool, list[tuple[CacheKey, Entry]]]:
        """Return whether there was room for the rows, and the evicted entries."""
        gone: list[tuple[CacheKey, Entry]] = []
        if n_bytes > self.limit:
            return False, gone
        for entries in (self._probation, self._protected):
            while self.n_bytes + n_bytes > self.limit:
                old_key = next((k for k, e in entries.items() if not e.holders), None)
                if old_key is None:
                    break
                old = entries.pop(old_key)
                self.n_bytes -= old.n_bytes
                self._protected_bytes -= old.n_bytes if entries is self._protected else 0
                gone.append((old_key, old))
        if self.n_bytes + n_bytes > self.limit:
            return False, gone
        self._probation[key] = Entry(rows, n_bytes, is_ahead, self._tick, window, holders)
        self.n_bytes += n_bytes
        return True, gone

    def clear(self) -> None:
        """Drop all entries, even held ones."""
        self._probation.clear()
        self._protected.clear()
        self.n_bytes = self._protected_bytes = 0
