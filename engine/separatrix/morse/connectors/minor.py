"""The V-paths between the saddles of a volume, contracted to a minor of junctions.

Cells reached from seeds are marked on a grid, a mesh or any graph: see kernels/morse/marking.h.
Subhash, Pandey, Natarajan 2020, section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...device import Session
from ...device.base import Array
from ...device.cuda import CudaDevice
from ...errors import InputError, Words
from ...kernels import source

MAX_STEPS = 1 << 14  # cells that a thread of the host walks
MAX_TURNS = 64  # of a block on a GPU whose queue is empty
BLOCKS_A_PROCESSOR = 6
LOST_STEPS = 32  # of a thread, once a queue was full


@dataclass(frozen=True)
class Minor:
    """Junctions and what chains from them and from the 2-saddles end in, on the device.

    Terminals are numbered: 0 to ``n_sinks - 1`` the 1-saddles in their order, then the junctions.
    ``starts`` (c2, 4) int32, terminals that the 2-saddles lead to, and ``successors`` (j, 3) int32,
    those that the junctions lead to, one a chain, -1 after the last. ``n_nodes`` squares are on
    V-paths.
    """

    starts: Array
    successors: Array
    n_sinks: int
    n_nodes: int


def check_width(count: int, what: str) -> None:
    """Raise InputError if ids of nodes or terminals do not fit in 32 bits."""
    if count >= 2**31:
        expected, remedy = f"a field with fewer than 2^31 {what}", "Simplify or crop the field."
        raise InputError("values", expected, Words(f"{count:,}"), remedy)


@dataclass(frozen=True)
class Walkers:
    """Kernels that mark from seeds, from the cells in a queue, and from all marked cells."""

    seeds: str
    queue: str
    again: str


def spread_marks(
    session: Session,
    walkers: Walkers,
    model: tuple[Any, ...],
    seeds: Array,
    marks: Array,
    n_again: int,
    capacity: int,
) -> None:
    """Mark what the seeds reach; `model` is read first. `n_again` items scan marks if a queue is
    full.
    """
    device = session.device
    max_steps = device.launch_form(host=MAX_STEPS, gpu=0)
    queue, other = device.empty(capacity, np.int64), device.empty(capacity, np.int64)
    counters = device.zeros(3, np.int64)  # waiting, lost, taken from the other queue
    rest = (marks, capacity)
    start = (seeds, max_steps, *rest)
    session.launch(walkers.seeds, seeds.size, *model, *start, queue, counters)
    while True:
        n_waiting, n_lost, _ = counters.tolist()
        counters[::2] = 0
        if n_waiting:
            queue, other = other, queue
            waiting = other[: min(n_waiting, capacity)]
            _mark_from_queue(session, walkers.queue, model, waiting, (*rest, queue, counters))
        elif n_lost:
            counters[:] = 0
            session.launch(walkers.seeds, seeds.size, *model, *start, queue, counters)
            session.launch(walkers.again, n_again, *model, LOST_STEPS, *rest, queue, counters)
        else:
            return


def _mark_from_queue(
    session: Session, kernel: str, model: tuple[Any, ...], waiting: Array, rest: tuple[Any, ...]
) -> None:
    device = session.device
    if not isinstance(device, CudaDevice):
        session.launch(kernel, waiting.size, *model, waiting, MAX_STEPS, *rest)
        return
    n_threads = source.constant("MARK_THREADS")
    n_blocks = min(device.processors * BLOCKS_A_PROCESSOR, -(-waiting.size // 32))
    share = min(n_threads, -(-waiting.size // n_blocks))
    device.launch_blocks(kernel, n_blocks, *model, waiting, waiting.size, share, MAX_TURNS, *rest)
