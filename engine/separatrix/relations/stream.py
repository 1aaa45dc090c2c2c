"""Iteration over all rows of relations in batches, which prefetches the next batch."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass
from threading import get_ident
from typing import TypeVar

import numpy as np

from ..arguments import checked_whole
from ..complexes.simplicial.incidence import Incidence
from ..complexes.simplicial.simplices import Simplices
from ..device import Array
from ..device.session import Progress, Session, before_first_stage
from ..device.side_threads import submit
from ..errors import DeviceMemoryError, InputError, Words, check_progress
from ..results import ReprMixin
from .compute import item_starts, segment_bytes
from .resident import packet_worker_for, worker_for
from .rows import Key, Rows
from .workers import LOOKING_BEYOND, PacketWorker, Worker, n_threads_of

DEFAULT_BATCH, DEFAULT_BATCH_OF_GPU = 16 << 20, 64 << 20
AT_ONCE_OF_GPU = 64 << 20  # of small batches that a GPU computes in one launch
LANES = 2
TELL_SECONDS = 0.1  # between two calls of `progress` while waiting for a batch
LEAST_BATCH, LEAST_BATCHES = 1 << 18, 8
PACKET_BYTES, PACKET_BYTES_BEYOND = 256, 1024
"""Device bytes per cell that a segment of a packet owns, including its halo and the tries."""
PACKET, PACKET_OF_GPU = 32 << 20, 512 << 20
PACKET_LANES_OF_GPU = 16  # collecting the cells of a packet on the CPU takes longest
RESIDENT_PACKET, RESIDENT_BYTES = 4 << 30, 160  # of a resident mesh, and per cell
T = TypeVar("T")
W = TypeVar("W", bound=Worker)


@dataclass(frozen=True, eq=False, repr=False)
class Batch(ReprMixin):
    """Rows of one or several relations of consecutive segments, such as ``batch["VT"]``.

    Attributes
    ----------
    begin, end : int
        The segments are begin to end - 1.
    rows : dict
        The :class:`Rows` of each relation by its name.
    """

    begin: int
    end: int
    rows: dict[str, Rows]

    def _summary(self) -> str:
        rows = ", ".join(f"{len(rows):,} rows of {name}" for name, rows in self.rows.items())
        return f"{self.end - self.begin:,} segments: {rows}"

    def __getitem__(self, name: str) -> Rows:
        if name.upper() not in self.rows:
            raise KeyError(f"{name}; this stream has {', '.join(self.rows)}")
        return self.rows[name.upper()]


def stream(
    incidence: Incidence,
    keys: Sequence[Key],
    batch_bytes: int | None = None,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Batch]:
    """Return the batches in order; those in progress and the one in use fit in `limit` bytes."""
    if not keys:
        raise InputError("names", "at least one relation", Words("none"), "Use stream('VV').")
    session, names = incidence.session, [key.name for key in keys]
    limit = None if limit is None else checked_whole(limit, "memory_limit", 1)
    with session.call(before_first_stage(progress), {"layout": 1.0}), session.stage("layout"):
        n_bytes = np.sum([segment_bytes(incidence, name) for name in names], axis=0)
    check_progress(progress)
    n_threads, device = n_threads_of(session), session.device
    n_lanes = device.launch_form(host=LANES if n_threads > 1 else 1, gpu=LANES)
    if session.pieces is not None:
        device = session.pieces.device
        if limit is None and session.memory.limit is not None:
            limit = max(session.memory.limit - session.memory.held, 1)
    # Batches stay in the mesh's limit if segments are small enough, and in `limit` in any case.
    allowed = session.memory.limit if limit is None else limit
    share = AT_ONCE_OF_GPU
    if allowed is not None:
        share = min(share, max(allowed // (n_lanes + 1), 1))
    if batch_bytes is None:
        most = min(device.launch_form(host=DEFAULT_BATCH, gpu=DEFAULT_BATCH_OF_GPU), share)
        batch_bytes = min(most, max(LEAST_BATCH, int(n_bytes.sum()) // LEAST_BATCHES))
    size = checked_whole(batch_bytes, "batch_bytes", 1)
    if limit is not None:
        size, largest = min(size, limit // (n_lanes + 1)), int(n_bytes.max(initial=0))
        if largest > size:
            raise DeviceMemoryError(
                f"A stream of {', '.join(names)} requires {largest * (n_lanes + 1):,} bytes; "
                f"{{memory_limit}} allows {limit:,}: {n_lanes + 1} batches of a segment of up to "
                f"{largest:,} bytes. Raise it, or make the mesh with a smaller {{segment_size}}."
            )
    if session.pieces is not None:
        per_cell = PACKET_BYTES_BEYOND if {*names} & {*LOOKING_BEYOND} else PACKET_BYTES
        n_bytes += per_cell * np.diff(incidence.owned_starts(incidence.simplices.dimension))
    threads = max(1, n_threads // n_lanes)
    workers = [worker_for(incidence, threads) for _ in range(n_lanes)]
    at_once = size
    if session.pieces is None:
        at_once = device.launch_form(host=size, gpu=max(size, share))

    def made(worker: Worker, begin: int, end: int) -> list[Batch]:
        batches = [(begin + a, begin + b) for a, b in _intervals(n_bytes[begin:end], size)]
        rows = [_cut(incidence, key, worker, batches) for key in keys]
        names = [key.name for key in keys]
        return [
            Batch(a, b, dict(zip(names, parts, strict=True)))
            for (a, b), *parts in zip(batches, *rows, strict=True)
        ]

    return _each(_streamed(workers, made, _intervals(n_bytes, at_once), progress))


def _each(groups: Generator[list[Batch]]) -> Iterator[Batch]:
    """Yield the batches of groups, and release each one."""
    with closing(groups):
        for group in groups:
            group.reverse()
            while group:
                yield group.pop()


def _cut(
    incidence: Incidence, key: Key, worker: Worker, batches: list[tuple[int, int]]
) -> list[Rows]:
    """Return the rows of batches of segments, computed at once."""
    begin, end = batches[0][0], batches[-1][1]
    rows = worker.make(key, begin, end)
    if len(batches) == 1:
        return [rows]
    starts = incidence.owned_starts(key.dimension), item_starts(incidence, key.name)
    with worker.session.device.current(), worker.queue:
        parts = []
        for a, b in batches:
            some, items = (slice(*(of[[a, b]] - of[begin]).tolist()) for of in starts)
            parts.append(rows.part(some, items).mapped(worker.session.result))
        worker.session.device.synchronize()
    return parts


def visit_packets(
    incidence: Incidence,
    use: Callable[..., T],
    done: Callable[[float], None],
    given: Sequence[Array],
    *,
    beyond: bool = False,
) -> Iterator[T]:
    """Yield what `use` makes of packets of a mesh on the host, in order.

    It is called with a :class:`Packet` and with the entries of `given` (V,), which are by mesh
    vertex, for the packet's vertices; they are on the host or where the mesh's cells are. Each
    vertex is owned by one packet. Several threads call `use`. Packets contain all cells around
    their vertices and, if `beyond`, all cells around the vertices of those. Those that exist at the
    same time take at most the session's memory limit, or one segment each; one that does not fit is
    divided, so `use` may be called again.
    """
    session, simplices = incidence.session, incidence.simplices
    n_lanes, size = packet_room(session, simplices, sum(array.nbytes for array in given))
    starts = incidence.owned_starts(simplices.dimension)
    is_resident = simplices.resident is not None
    if not is_resident:
        _ = simplices.stars  # which the lanes share
    workers = [packet_worker_for(incidence, 1) for _ in range(n_lanes)]
    shared = [workers[0].shared(array) for array in given]

    def visit(worker: PacketWorker, begin: int, end: int) -> list[T]:
        try:
            return [worker.visit(begin, end, use, shared, beyond=beyond)]
        except DeviceMemoryError:  # bytes are estimates
            if end - begin == 1:
                raise
        middle = (begin + end) // 2
        return visit(worker, begin, middle) + visit(worker, middle, end)

    per_cell, beside = PACKET_BYTES, 0
    if is_resident:
        per_cell, beside = RESIDENT_BYTES, simplices.n_vertices + simplices.n_top // 16
    with ExitStack() as stack:
        for worker in workers:
            stack.enter_context(worker.within(size))
        intervals = _intervals(per_cell * np.diff(starts), max(size - beside, 1))
        for found in _streamed(workers, visit, intervals, lambda part, _: done(part)):
            yield from found


def packet_room(session: Session, simplices: Simplices, shared: int = 0) -> tuple[int, int]:
    """Return the number of packets that exist at the same time, and the bytes of each.

    `shared` bytes are on the device with all of them.
    """
    device, n_threads = session.device, n_threads_of(session)
    if session.pieces is not None:
        device = session.pieces.device
    limits = [] if session.memory.limit is None else [session.memory.limit]
    if simplices.resident is not None and session.pieces is not None:
        free = device.free_memory() // 8 * 7  # CUDA itself may need some
        room = min(session.on(device).memory.room(), free) - shared
        return LANES, max(min(RESIDENT_PACKET, room // LANES), 1)
    n_lanes = device.launch_form(host=n_threads, gpu=min(PACKET_LANES_OF_GPU, n_threads))
    size = device.launch_form(host=PACKET, gpu=PACKET_OF_GPU)
    if device.is_cuda:
        limits.append(device.free_memory() // 2)  # packets' bytes are estimates
    return n_lanes, max(min([size, *(limit // n_lanes for limit in limits)]), 1)


def _intervals(n_bytes: np.ndarray, size: int) -> list[tuple[int, int]]:
    """Return intervals of segments of at most `size` bytes in total, or of one segment."""
    ends = np.cumsum(n_bytes)
    intervals, begin, before = [], 0, 0
    while begin < len(ends):
        most = min(before + size, int(ends[-1]))  # the size may exceed the range of int64
        end = max(begin + 1, int(ends.searchsorted(most, side="right")))
        intervals.append((begin, end))
        begin, before = end, int(ends[end - 1])
    return intervals


def _streamed(
    workers: list[W],
    make: Callable[[W, int, int], T],
    intervals: Sequence[tuple[int, int]],
    progress: Progress | None,
) -> Generator[T]:
    """Yield what is made of intervals; at most one for each worker is in progress or ready."""
    lanes: set[int] = set()

    def made(begin: int, end: int) -> T:
        lanes.add(get_ident())
        worker = workers.pop()
        try:
            return make(worker, begin, end)
        finally:
            workers.append(worker)

    pool = ThreadPoolExecutor(len(workers), "mesh-stream")
    try:
        waiting = deque(intervals)
        coming = deque(
            submit(pool, made, *waiting.popleft()) for _ in range(min(len(workers), len(waiting)))
        )
        for i in range(len(intervals)):
            next_one = coming.popleft()
            while progress is not None and not wait([next_one], TELL_SECONDS).done:
                progress(i / len(intervals), "stream")
            batch = next_one.result()
            del next_one
            if waiting:
                coming.append(submit(pool, made, *waiting.popleft()))
            if progress is not None:
                progress(i / len(intervals), "stream")
            yield batch
            del batch
        if progress is not None:
            progress(1.0, "stream")
    finally:
        for future in coming:
            future.cancel()
        pool.shutdown(wait=get_ident() not in lanes)  # a worker's thread may collect this generator
