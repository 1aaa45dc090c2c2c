"""Pieces of host arrays on their way through a device: copied up, worked on, copied down.

A lane keeps the order of what is done in it; two lanes let the copies of one piece run beside the
kernels of another. Copies are the same code where nothing needs to be copied: an array that is on
the device already is used as it is.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

from .base import Array, Device


class Lane:
    """A queue of a device. What happens in ``with lane:`` is in it; arrays made there are its own:
    memory that they leave is used again by this lane only.
    """

    def __init__(self, device: Device, apart: bool = True):
        """`apart`: beside what else the device does, not in its current queue."""
        self.device = device
        self._queue = device.queue() if apart else nullcontext()

    def __enter__(self) -> Lane:
        self._queue.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._queue.__exit__(*error)

    def upload(self, source: Array) -> Array:
        """The array (n,) on the device."""
        if isinstance(source, self.device.xp.ndarray):
            return source
        array = self.device.empty(source.shape, source.dtype)
        self.device.copy_up(source, array)
        return array

    def upload_copy(self, source: np.ndarray) -> Array:
        """A copy of the array (n,) on the device, to be written to."""
        array = self.device.empty(source.shape, source.dtype)
        self.device.copy_up(source, array)
        return array

    def room_for(self, target: Array) -> Array:
        """An array of the device to be written and then downloaded to `target`, or that itself."""
        if isinstance(target, self.device.xp.ndarray):
            return target
        return self.device.empty(target.shape, target.dtype)

    def download(self, array: Array, target: Array) -> None:
        """Copy down; `target` holds the values after :meth:`wait`."""
        if array is not target:
            self.device.copy_down(array, target)

    def wait(self) -> None:
        """Wait until all that was begun in this lane is done."""
        with self:
            self.device.synchronize()
