"""Arrays in parts on several devices."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from .arrays import current_for
from .base import Array
from .cuda import CudaDevice


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


def download(array: Array | DividedArray, target: np.ndarray) -> None:
    """Copy an array (n,) on one or several GPUs to the host."""
    parts, end = array.parts if isinstance(array, DividedArray) else (array,), 0
    for part in parts:
        with current_for(part):
            device = CudaDevice(part.device.id)
            device.copy_down(part, target[end : (end := end + part.size)])
            device.synchronize()
