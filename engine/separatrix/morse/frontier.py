"""Keys that are reached from saddles, breadth first, in a hash set that grows until it holds them.

A key is a source in its upper bits and a cell in its lower ones: a cell is kept once a source. In
which order keys are found depends on the threads; who needs one sorts them. O(keys) expected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Session
from ..device.base import Array

EMPTY_SLOT = np.uint64(2**64 - 1)  # common/hash_set.h
MAX_SLOTS = 1 << 28  # beyond it the sources are taken in halves
FILLED_AT_ONCE = 1 << 22  # slots, on the CPU: between two looks at whether the user wants to stop
SLOT_BYTES = 12  # a slot: itself, and half a place in the list of keys


@dataclass(frozen=True)
class KeySet:
    """A hash set on the device: ``slots`` and ``keys``, in the order found, uint64."""

    slots: Array
    keys: Array

    @property
    def mask(self) -> int:
        """What takes a hash to a slot."""
        return int(self.slots.size) - 1


def reached_keys(
    session: Session,
    kernels: tuple[str, str],
    start: tuple[Any, ...],
    onward: tuple[tuple[Any, ...], tuple[Any, ...]],
    n_seeds: int,
    may_split: bool,
    what: str,
) -> KeySet | None:
    """The keys reached from `n_seeds` seeds; None where the caller had better split them.

    The two kernels begin, reading `start`, and go on: they read the first of `onward`, the row of
    the first key to go on from, and the second; then the table. `what` is done, for an error.
    """
    n_slots = 1 << (16 * n_seeds).bit_length()
    while not may_split or n_slots <= MAX_SLOTS:
        found = _reached_in(session, kernels, start, onward, n_seeds, n_slots, what)
        if found is not None:
            return found
        n_slots *= 4
    return None


def _reached_in(
    session: Session,
    kernels: tuple[str, str],
    start: tuple[Any, ...],
    onward: tuple[tuple[Any, ...], tuple[Any, ...]],
    n_seeds: int,
    n_slots: int,
    what: str,
) -> KeySet | None:
    """The same in a table of `n_slots`; None if it is too small."""
    device = session.device
    session.memory.require(SLOT_BYTES * n_slots, what)
    slots = device.empty(n_slots, np.uint64)
    at_once = device.launch_form(host=FILLED_AT_ONCE, gpu=n_slots)
    for first in range(0, n_slots, at_once):
        slots[first : first + at_once] = EMPTY_SLOT
        session.check_cancelled()
    capacity = n_slots // 2
    reached = device.empty(capacity, np.uint64)
    counters = device.zeros(2, np.int64)  # keys that found no room, keys reached
    table = (slots, n_slots - 1, capacity, reached, counters)
    session.launch(kernels[0], n_seeds, *start, *table)
    begin = 0
    while True:
        failed, end = counters.tolist()
        if failed:
            return None
        if begin == end:
            return KeySet(slots, reached[:end])
        session.launch(kernels[1], end - begin, *onward[0], begin, *onward[1], *table)
        begin = end
