"""Marks of all that V-paths reach from seeds, on a grid, a mesh or any graph.

What is reached waits in two queues in turn; on the host a thread walks far before it leaves the
rest to others, on a GPU blocks keep to themselves what fits there. See kernels/morse/marking.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...device import Session
from ...device.base import Array
from ...device.cuda import CudaDevice
from ...kernels import source

MAX_STEPS = 1 << 14  # cells that a thread of the host walks before it leaves the rest to others
MAX_TURNS = 64  # of a block on a GPU, when nothing waits any more
BLOCKS_A_PROCESSOR = 6
LOST_STEPS = 32  # of a thread, after a queue was full


@dataclass(frozen=True)
class Walkers:
    """Kernels that mark from seeds, from what waits in a queue, and from all that is marked."""

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
    """Mark all that the seeds reach. `model` is what the kernels read first.

    `capacity` cells can wait; `n_again` items go through the marks if that was too few.
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
