"""All rows of some relations, batch after batch, the next being made while one is used."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from queue import SimpleQueue
from threading import get_ident

import numpy as np

from ..device.session import Progress, at_the_beginning, check_progress
from ..device.side_threads import begun
from ..errors import DeviceMemoryError, InputError
from .choice import checked_count, n_threads_of, worker_for
from .layout import Layout
from .packets import LOOKING_BEYOND
from .rows import Rows
from .workers import Key, NewWorker, Worker

DEFAULT_BATCH, DEFAULT_BATCH_OF_GPU = 16 << 20, 64 << 20
LANES = 2
TELL_SECONDS = 0.1  # between two words to who waits for a batch
LEAST_BATCH, LEAST_BATCHES = 1 << 18, 8
PACKET_BYTES, PACKET_BYTES_BEYOND = 256, 1024
"""Of the device for each cell that a segment of a packet owns: the cell, its halo, their tries."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Segments begin .. end - 1, and the rows of each relation: ``batch["VT"]``."""

    begin: int
    end: int
    rows: dict[str, Rows]

    def __getitem__(self, name: str) -> Rows:
        return self.rows[name]


def batches(layout: Layout, keys: Sequence[Key], batch_bytes: int) -> list[tuple[int, int]]:
    """Intervals of segments whose rows, and packets, take at most `batch_bytes`; one at least."""
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
    """The batches, so that those on their way and the one in use are within `limit` together."""
    if limit is not None:
        size = min(size, limit // (n_lanes + 1))
        largest = max((int(layout.n_bytes(key.name).max(initial=0)) for key in keys), default=0)
        if largest > size:
            raise DeviceMemoryError(
                f"a stream of {', '.join(key.name for key in keys)} needs a memory_limit of "
                f"{largest * (n_lanes + 1):,} bytes, not {limit:,}: {n_lanes + 1} batches of a "
                f"segment of up to {largest:,}; raise it, or make the mesh with a smaller "
                "segment_size"
            )
    return batches(layout, keys, size)


def stream(
    layout: Layout,
    names: Sequence[tuple[str, bool]],
    batch_bytes: int | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Batch]:
    """The batches in order; the input is checked before the first is asked for."""
    keys = [Key(*name) for name in names]
    if not keys:
        raise InputError("a stream has at least one relation: stream('VV'), stream('VV', 'VT')")
    session = layout.incidence.session
    computing = session.device if session.pieces is None else session.pieces.device
    default = computing.launch_form(host=DEFAULT_BATCH, gpu=DEFAULT_BATCH_OF_GPU)
    with session.call(at_the_beginning(progress), {"layout": 1.0}), session.stage("layout"):
        for key in keys:
            layout.n_bytes(key.name)
    total = sum(int(layout.n_bytes(key.name).sum()) for key in keys)
    default = min(default, max(LEAST_BATCH, total // LEAST_BATCHES))  # lanes share small ones, too
    check_progress(progress)
    size = checked_count(batch_bytes, "batch_bytes", default, least=1)
    limit = checked_count(limit, "memory_limit", 0, least=1) or None
    if session.pieces is not None and limit is None and session.memory.limit is not None:
        limit = int(session.memory.limit)
    n_threads = n_threads_of(session)
    n_lanes = session.device.launch_form(host=LANES if n_threads > 1 else 1, gpu=LANES)
    intervals = checked_batches(layout, keys, size, limit, n_lanes)
    threads = max(1, n_threads // n_lanes)
    return _streamed(lambda: worker_for(layout, threads), keys, intervals, n_lanes, progress)


def _streamed(
    new_worker: NewWorker,
    keys: Sequence[Key],
    intervals: Sequence[tuple[int, int]],
    n_lanes: int,
    progress: Progress | None,
) -> Iterator[Batch]:
    """At most `n_lanes` batches are being made or wait while one is used."""
    workers: SimpleQueue[Worker] = SimpleQueue()
    for _ in range(n_lanes):
        workers.put(new_worker())

    lanes: set[int] = set()

    def made(begin: int, end: int) -> Batch:
        lanes.add(get_ident())
        worker = workers.get()
        try:
            segments = range(begin, end)
            return Batch(begin, end, {key.name: worker.make(key, segments).rows for key in keys})
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
        pool.shutdown(wait=get_ident() not in lanes)  # where the collector may have begun
