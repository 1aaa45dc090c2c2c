"""Pieces of work on a device that does not hold all data: how many fit, and the lanes for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from ..device import Session
from ..device.lanes import Lane

SLACK_BYTES = 1 << 20
"""Small arrays, and what CuPy's pool rounds up: 512 bytes an array."""
MOST_LANES = 2
LIKELY_PIECES = 8  # with fewer, copies would find little to run beside
LEFT_FREE = 16  # one part in so many, for kernels' code and stacks, and for others on the device


def runs(n: int, number: int) -> Iterator[tuple[int, int]]:
    """0 .. n in so many runs (begin, end) of lengths that differ by 1 at most, none empty."""
    number = max(1, min(number, n))
    length, n_longer = divmod(n, number)  # longer ones first: the others find memory of their size
    ends = [i * length + min(i, n_longer) for i in range(number + 1)]
    return pairwise(ends)


def fit_pieces(
    session: Session, n_items: int, bytes_an_item: int, halo: int = 0, thin: int = 1, fixed: int = 0
) -> tuple[int, int] | None:
    """In how many runs of items, `halo` longer each, and in how many lanes to work; None: no room.

    `fixed` bytes are needed besides. Runs are not made shorter than `thin` without need.
    """
    assert session.pieces is not None
    if session.pieces.number is not None:
        return session.pieces.number, MOST_LANES
    room = streaming_room(session) - SLACK_BYTES - fixed
    for n_lanes in range(MOST_LANES, 0, -1):
        longest = room // (n_lanes * bytes_an_item)  # with the halo
        if longest >= min(n_items, 1 + halo):
            length = n_items if longest >= n_items else longest - halo
            likely = min(LIKELY_PIECES, n_items // thin)
            return max(-(-n_items // length), likely, 1), n_lanes
    return None


def streaming_room(session: Session) -> int:
    """Bytes of the streaming device's memory that the call may take; a part of it stays free."""
    assert session.pieces is not None
    free = session.pieces.device.free_memory()
    return min(session.on(session.pieces.device).memory.room(), free - free // LEFT_FREE)


@contextmanager
def lanes_of(session: Session, number: int, room: int | None = None) -> Iterator[list[Lane]]:
    """Lanes of the streaming device, which is current; at the end what they began is done.

    Their arrays stay within `room` bytes, by default what the call may take. No lanes: one for
    work in one piece, where it is.
    """
    if not number:
        yield [Lane(session.device, apart=False)]
        return
    assert session.pieces is not None
    device = session.pieces.device
    with device.current():
        device.synchronize()  # lanes wait for nothing that was begun before them
        device.free_cached()
        lanes = [Lane(device) for _ in range(number)]
        with device.within(streaming_room(session) if room is None else room):
            try:
                yield lanes
            finally:
                for lane in lanes:
                    lane.wait()
