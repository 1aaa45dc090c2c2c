"""Lanes that copy pieces of host arrays to a device, process them, and copy results back.

A lane is a queue: its work runs in order. With two lanes, the copies of one piece overlap with the
kernels of another. An array that is already on the device is used without a copy.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

from .base import Array, Device


class Lane:
    """A queue of a device, used as a context. Memory of its arrays is reused by this lane only."""

    def __init__(self, device: Device, apart: bool = True):
        """`apart`: in a queue of its own rather than the current one of the device."""
        self.device = device
        self._queue = device.queue() if apart else nullcontext()

    def __enter__(self) -> Lane:
        self._queue.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._queue.__exit__(*error)

    def upload(self, source: Array) -> Array:
        """Return the array (n,) on the device."""
        return source if isinstance(source, self.device.xp.ndarray) else self.upload_copy(source)

    def upload_copy(self, source: np.ndarray) -> Array:
        """Return a writable copy of the array (n,) on the device."""
        array = self.device.empty(source.shape, source.dtype)
        self.device.copy_up(source, array)
        return array

    def room_for(self, target: Array) -> Array:
        """Return a device array for the values of `target`, or `target` if it is on the device."""
        if isinstance(target, self.device.xp.ndarray):
            return target
        return self.device.empty(target.shape, target.dtype)

    def download(self, array: Array, target: Array) -> None:
        """Copy to the host; `target` contains the values after :meth:`wait`."""
        if array is not target:
            self.device.copy_down(array, target)

    def wait(self) -> None:
        """Wait until all work in this lane is done."""
        with self:
            self.device.synchronize()
