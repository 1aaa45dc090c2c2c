"""All rows of relations in batches; the next batch is computed while one is used."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import SimpleQueue
from threading import get_ident

import numpy as np

from ..device.session import Progress, at_the_beginning, check_progress
from ..device.side_threads import begun
from ..errors import DeviceMemoryError, InputError, Words
from .layout import Layout
from .packets import LOOKING_BEYOND, checked_or, n_threads_of, worker_for
from .rows import Key, Rows
from .workers import Worker

DEFAULT_BATCH, DEFAULT_BATCH_OF_GPU = 16 << 20, 64 << 20
LANES = 2
TELL_SECONDS = 0.1  # between two calls of `progress` while a batch is awaited
LEAST_BATCH, LEAST_BATCHES = 1 << 18, 8
PACKET_BYTES, PACKET_BYTES_BEYOND = 256, 1024
"""Device bytes per cell that a segment of a packet owns, with its halo and their tries."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Segments begin .. end - 1, and the rows of each relation: ``batch["VT"]``."""

    begin: int
    end: int
    rows: dict[str, Rows]

    def __getitem__(self, name: str) -> Rows:
        return self.rows[name]


def batches(layout: Layout, keys: Sequence[Key], batch_bytes: int) -> list[tuple[int, int]]:
    """Return intervals of segments whose rows and packets take at most `batch_bytes`."""
    n = len(layout.segments)
    n_bytes = np.zeros(n, np.int64)
    for key in keys:
        n_bytes += layout.n_bytes(key.name)
    if layout.incidence.session.pieces is not None:
        per_cell = [PACKET_BYTES_BEYOND if k.name in LOOKING_BEYOND else PACKET_BYTES for k in keys]
        dimension = layout.incidence.simplices.dimension
        n_bytes += max(per_cell) * np.diff(layout.row_starts(dimension))
    ends = np.cumsum(n_bytes)
    batch_bytes = min(batch_bytes, int(n_bytes.sum()))
    found, begin = [], 0
    while begin < n:
        before = ends[begin] - n_bytes[begin]
        end = max(begin + 1, int(ends.searchsorted(before + batch_bytes, side="right")))
        found.append((begin, end))
        begin = end
    return found


def checked_batches(
    layout: Layout, keys: Sequence[Key], size: int, limit: int | None, n_lanes: int
) -> list[tuple[int, int]]:
    """Return batches such that those in progress and the one in use fit in `limit` together."""
    if limit is not None:
        size = min(size, limit // (n_lanes + 1))
        largest = max((int(layout.n_bytes(key.name).max(initial=0)) for key in keys), default=0)
        if largest > size:
            raise DeviceMemoryError(
                f"A stream of {', '.join(key.name for key in keys)} needs "
                f"{largest * (n_lanes + 1):,} bytes; {{memory_limit}} allows {limit:,}: "
                f"{n_lanes + 1} batches of a segment of up to {largest:,} bytes. Raise it, or make "
                "the mesh with a smaller {segment_size}."
            )
    return batches(layout, keys, size)


def stream(
    layout: Layout,
    keys: Sequence[Key],
    batch_bytes: int | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Batch]:
    """Return the batches in order; arguments are validated before the first one."""
    if not keys:
        raise InputError("names", "at least one relation", Words("none"), "Use stream('VV').")
    session = layout.incidence.session
    computing = session.device if session.pieces is None else session.pieces.device
    default = computing.launch_form(host=DEFAULT_BATCH, gpu=DEFAULT_BATCH_OF_GPU)
    with session.call(at_the_beginning(progress), {"layout": 1.0}), session.stage("layout"):
        for key in keys:
            layout.n_bytes(key.name)
    total = sum(int(layout.n_bytes(key.name).sum()) for key in keys)
    default = min(
        default, max(LEAST_BATCH, total // LEAST_BATCHES)
    )  # so that lanes share small ones
    check_progress(progress)
    size = checked_or(default, batch_bytes, "batch_bytes", 1)
    limit = checked_or(None, limit, "memory_limit", 1)
    if session.pieces is not None and limit is None and session.memory.limit is not None:
        limit = int(session.memory.limit)
    n_threads = n_threads_of(session)
    n_lanes = session.device.launch_form(host=LANES if n_threads > 1 else 1, gpu=LANES)
    intervals = checked_batches(layout, keys, size, limit, n_lanes)
    threads = max(1, n_threads // n_lanes)
    return _streamed(lambda: worker_for(layout, threads), keys, intervals, n_lanes, progress)


def _streamed(
    new_worker: Callable[[], Worker],
    keys: Sequence[Key],
    intervals: Sequence[tuple[int, int]],
    n_lanes: int,
    progress: Progress | None,
) -> Iterator[Batch]:
    """Yield batches; at most `n_lanes` others are in progress or ready."""
    workers: SimpleQueue[Worker] = SimpleQueue()
    for _ in range(n_lanes):
        workers.put(new_worker())

    lanes: set[int] = set()

    def made(begin: int, end: int) -> Batch:
        lanes.add(get_ident())
        worker = workers.get()
        try:
            segments = range(begin, end)
            return Batch(begin, end, {key.name: worker.make(key, segments) for key in keys})
        finally:
            workers.put(worker)

    pool = ThreadPoolExecutor(n_lanes, "mesh-stream")
    coming: deque[Future[Batch]] = deque()
    try:
        waiting = deque(intervals)
        for i in range(len(intervals)):
            while waiting and len(coming) < n_lanes:
                coming.append(begun(pool, made, *waiting.popleft()))
            next_one = coming.popleft()
            while progress is not None and not wait([next_one], TELL_SECONDS).done:
                progress(i / len(intervals), "stream")
            batch = next_one.result()
            del next_one
            if waiting:
                coming.append(begun(pool, made, *waiting.popleft()))
            if progress is not None:
                progress(i / len(intervals), "stream")
            yield batch
            del batch
        if progress is not None:
            progress(1.0, "stream")
    finally:
        for future in coming:
            future.cancel()
        pool.shutdown(wait=get_ident() not in lanes)  # where the garbage collector may run
