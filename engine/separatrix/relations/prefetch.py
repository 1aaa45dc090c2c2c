"""Requests of one relation: their counts, and predictions of the next ones.

A request for segment k + 1 after k is part of a sweep: a window of the following segments is
prefetched, and the next window, twice as long up to a limit, when the first one is used. (Liu et
al. 2025, section 4.4, always prefetch the following segments.)

A row is computed on its own if neither its segment nor an adjacent one was requested recently. The
number of remembered segments is that which fits in the cache, so a mesh that fits is cached even if
it is accessed at random.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

MOST_SWEEPS = 96


@dataclass
class Counters:
    """Counts and waiting times of the requests of one relation."""

    requests: int = 0  # for segments: hits, joins, and misses
    hits: int = 0  # in the cache
    joins: int = 0  # of a computation in progress
    misses: int = 0
    launches: int = 0
    made: int = 0  # segments that the launches computed
    ahead: int = 0  # of these, segments that were prefetched
    used: int = 0  # of these, segments that were requested later
    evictions: int = 0
    direct: int = 0  # rows and segments that were computed for one consumer and not cached
    waiting: float = 0.0  # seconds that consumers waited for segments
    queue: float = 0.0  # of these, seconds in the queue for a worker


class Requests:
    """Requests of one relation, prefetching at most `longest` segments; the scheduler locks it."""

    def __init__(self, n_bytes: list[int], longest: int, cache_limit: int, counters: Counters):
        self.n_bytes, self.longest, self.counters = n_bytes, longest, counters
        # The begin and length of the next window, by the next segment of each sweep.
        self._sweeps: OrderedDict[int, tuple[int, int]] = OrderedDict()
        self._lately: OrderedDict[int, None] = OrderedDict()
        self._n_remembered = cache_limit * len(n_bytes) // max(1, sum(n_bytes))

    def following(self, k: int, *, is_missed: bool) -> range:
        """Return the segments to prefetch when segment `k` is requested."""
        sweep = self._sweeps.pop(k, None)
        if sweep is None and not is_missed:
            return range(0)
        begin, window = sweep or (k + 1, 1)
        self._sweeps[begin] = (begin + window, min(2 * window, self.longest))
        if len(self._sweeps) > MOST_SWEEPS:
            self._sweeps.popitem(last=False)
        return range(begin, min(begin + window, len(self.n_bytes))) if sweep else range(0)

    def are_local(self, segments: Sequence[int]) -> bool:
        """Record requests for rows; return whether their or adjacent segments had requests."""
        lately, are_local = self._lately, True
        for k in segments:
            are_local &= k in lately or k - 1 in lately or k + 1 in lately
            lately[k] = None
            lately.move_to_end(k)
        while len(lately) > max(1, self._n_remembered):
            lately.popitem(last=False)
        return are_local
