"""Whether what is asked for next lies near what was asked for lately.

Where it does, a segment is made for the sake of one of its rows, since others follow. Where
requests jump about among more segments than the cache has room for, the row is made alone. Segments
asked for lately are remembered without their rows, as many as the cache has room for, so that a
mesh that fits comes to be kept even if it is visited at random.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

LEAST_LOCAL_PART = 0.25
REQUESTS_AVERAGED = 64


class Locality:
    """Of one relation. Not locked: the dispatcher is."""

    def __init__(self, n_remembered: int):
        self._n_remembered = max(1, n_remembered)
        self._lately: OrderedDict[int, None] = OrderedDict()
        self._part = 1.0

    def saw(self, segments: Sequence[int]) -> bool:
        """Whether requests are local, after one for a row of each of the segments."""
        lately = self._lately
        for k in segments:
            is_near = k in lately or k - 1 in lately or k + 1 in lately
            self._part += (is_near - self._part) / REQUESTS_AVERAGED
            lately[k] = None
            lately.move_to_end(k)
        while len(lately) > self._n_remembered:
            lately.popitem(last=False)
        return self._part >= LEAST_LOCAL_PART
