"""Breadth-first search from saddles, with a hash set that grows until all visited cells fit.

The upper bits of a key are a source, the lower bits a cell. Threads find keys in any order; callers
sort them if the order matters. O(keys) expected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Array, Session
from ..primitives import sorted_keys

EMPTY_SLOT = np.uint64(2**64 - 1)  # common/hash_set.h
MAX_SLOTS = 1 << 28  # if more are needed, the sources are split
SMALL_LAYER = 1 << 12  # keys that need no slices on the CPU
FILLED_AT_ONCE = 1 << 22  # slots on the CPU between two checks for cancellation
SLOT_BYTES = 12  # 8 per slot, and a key for every second slot


@dataclass(frozen=True)
class KeySet:
    """A hash set on the device: ``slots``, and ``keys`` in the order of insertion, uint64."""

    slots: Array
    keys: Array

    @property
    def mask(self) -> int:
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
    """Return the keys found from `n_seeds` seeds, or None if the seeds should be split.

    The first kernel is called with `start`, the second with the tuples of `onward` before and after
    the row of the first key, and both with the table. `what` names the work in errors.
    """
    device, n_slots = session.device, 1 << max(16, (16 * n_seeds).bit_length())
    while not may_split or n_slots <= MAX_SLOTS:
        session.memory.require(SLOT_BYTES * n_slots, what)
        slots = device.empty(n_slots, np.uint64)
        at_once = device.launch_form(host=FILLED_AT_ONCE, gpu=n_slots)
        for first in range(0, n_slots, at_once):
            slots[first : first + at_once] = EMPTY_SLOT
            session.raise_if_canceled()
        found = device.empty(n_slots // 2, np.uint64)
        counters = device.zeros(2, np.int64)  # of rejected and inserted keys
        table = (slots, n_slots - 1, found.size, found, counters)
        session.launch(kernels[0], n_seeds, *start, *table)
        begin = 0
        while True:
            failed, end = counters.tolist()
            if failed or begin == end:
                break
            n, layer = end - begin, (*onward[0], begin, *onward[1], *table)
            if n > SMALL_LAYER:
                session.launch(kernels[1], n, *layer)
            else:  # lines have hundreds of small layers
                session.device.launch(kernels[1], n, *layer)
                session.raise_if_canceled()
            begin = end
        if not failed:
            return KeySet(slots, found[:end])
        del slots, found, table, counters  # release them before allocating larger ones
        n_slots *= 4
    return None


def reach(
    session: Session,
    kernels: tuple[str, str],
    start: tuple[Any, ...],
    onward: tuple[Any, ...],
    saddles: Array,
    first_source: int = 0,
) -> Array:
    """Return the sorted keys (f,) uint64 found from saddles; see :func:`reached_keys`."""
    xp, n = session.device.xp, int(saddles.size)
    if not n:
        return session.device.empty(0, "u8")
    seeds, what = (*start, saddles, first_source), f"tracing the surfaces of {n:,} saddles"
    found = reached_keys(session, kernels, seeds, (onward, ()), n, n > 1, what)
    if found is not None:
        return sorted_keys(session, found.keys)
    half = n // 2
    parts = (
        reach(session, kernels, start, onward, saddles[:half], first_source),
        reach(session, kernels, start, onward, saddles[half:], first_source + half),
    )
    return xp.concatenate(parts)
