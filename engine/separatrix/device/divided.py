"""Arrays in parts on several devices."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from .base import Array


class DividedArray:
    """An array (n,) whose parts are on several devices; each slice is within one of them."""

    def __init__(self, parts: Sequence[Array]) -> None:
        self.parts = tuple(parts)
        self._begins = (0, *accumulate(part.size for part in self.parts))

    @property
    def size(self) -> int:
        return self._begins[-1]

    def __getitem__(self, place: slice) -> Array:
        number = bisect_right(self._begins, place.start) - 1
        begin, end = self._begins[number : number + 2]
        assert place.start <= place.stop <= end, f"{place} is in several parts: {self._begins}"
        return self.parts[number][place.start - begin : place.stop - begin]
