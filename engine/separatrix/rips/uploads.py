"""Copies of large matrices to a GPU."""

from __future__ import annotations

import numpy as np

from ..device import Array, Session, pinned_empty
from ..device.arrays import is_on_gpu
from ..errors import DeviceMemoryError, DeviceUnavailable

STAGED = 1 << 21  # numbers that are copied at a time


def uploaded(session: Session, array: Array) -> Array:
    """Return an array on the device; a large one is copied through pinned memory by threads."""
    device = session.device
    is_plain = not is_on_gpu(array) and array.dtype == np.float64 and array.flags.c_contiguous
    if not (device.is_cuda and is_plain and array.size > STAGED):
        return session.upload(array)
    flat, found = array.reshape(-1), device.empty(array.shape, np.float64)
    try:
        rooms = [pinned_empty(STAGED, np.float64) for _ in range(2)]
    except (DeviceMemoryError, DeviceUnavailable):  # the system cannot pin more
        return session.upload(array)
    marks = [device.mark() for _ in rooms]
    for k, begin in enumerate(range(0, flat.size, STAGED)):
        part = slice(begin, min(begin + STAGED, flat.size))
        room = rooms[k % 2][: part.stop - begin]
        marks[k % 2].synchronize()
        session.host.launch("rips_copy_reals", len(room), flat[part], room)
        device.copy_up(room, found.reshape(-1)[part])
        marks[k % 2] = device.mark()
    device.synchronize()
    return found
