"""Streaming of data that does not fit on the device: the runs it is split into, and their lanes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from ..device import Device, Lane, Session

SLACK_BYTES = 1 << 20
"""Room for small arrays and for the rounding of CuPy's pool (512 bytes per array)."""
MOST_LANES = 2
LIKELY_PIECES = 8  # with fewer, copies and kernels hardly overlap
LEFT_FREE = 16
"""1 / LEFT_FREE of the memory is for kernels' code and stacks, other processes, and parts of pages
that the driver adds to each allocation."""


def runs(n: int, number: int) -> Iterator[tuple[int, int]]:
    """Split 0 .. n into nonempty runs (begin, end) whose lengths differ by at most 1."""
    number = max(1, min(number, n))
    length, n_longer = divmod(n, number)  # longer ones first, so that later ones reuse their memory
    ends = [i * length + min(i, n_longer) for i in range(number + 1)]
    return pairwise(ends)


def fit_runs(
    session: Session,
    n_items: int,
    bytes_per_item: int,
    halo: int = 0,
    thin: int = 1,
    fixed: int = 0,
) -> tuple[int, int] | None:
    """Return the numbers of runs and of lanes that fit on the devices, or None.

    Each run reads `halo` additional items, and `fixed` bytes are needed for all runs together. Runs
    are shorter than `thin` only if necessary. Each of several devices has equally many.
    """
    assert session.pieces is not None
    devices = session.pieces.devices
    if session.pieces.number is not None:
        return session.pieces.number, MOST_LANES
    room = min(streaming_room(session, device) for device in devices) - SLACK_BYTES - fixed
    share = -(-n_items // len(devices))
    for n_lanes in range(MOST_LANES if len(devices) == 1 else 1, 0, -1):
        longest = room // (n_lanes * bytes_per_item)  # with the halo
        if longest >= min(n_items, 1 + halo):
            length = n_items if longest >= n_items else longest - halo
            likely = min(LIKELY_PIECES, n_items // thin) if len(devices) == 1 else 1
            return len(devices) * max(-(-share // length), likely, 1), n_lanes
    return None


def streaming_room(session: Session, device: Device | None = None) -> int:
    """Return the bytes of a streaming device, by default the first one, that the call may use."""
    assert session.pieces is not None
    device = device or session.pieces.device
    free, room = device.free_memory(), session.on(device).memory.room()
    if device.is_cuda:
        room -= max(room - SLACK_BYTES, 0) // LEFT_FREE
    return min(room, free - free // LEFT_FREE)


@contextmanager
def lanes_of(session: Session, number: int, room: int | None = None) -> Iterator[list[Lane]]:
    """Provide lanes of the streaming device, made current, or one of the session's if 0."""
    if not number:
        yield [Lane(session.device, apart=False)]
        return
    assert session.pieces is not None
    device = session.pieces.device
    with device.current():
        device.synchronize()  # lanes do not wait for earlier work
        device.free_cached()
        lanes = [Lane(device) for _ in range(number)]
        room = streaming_room(session) if room is None else room
        with device.within(room) as allocating, allocating():
            try:
                yield lanes
            finally:
                for lane in lanes:
                    lane.wait()
