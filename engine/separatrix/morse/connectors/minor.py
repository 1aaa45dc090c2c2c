"""The V-paths between the saddles of a volume, contracted to a minor, on which they are counted.

Subhash, Pandey, Natarajan 2020, section 3.3. Cells on V-paths are marked on a grid, a mesh, or any
graph (kernels/morse/marking.h). Paths from each 2-saddle are counted in topological order (Kahn
1962), in O(total reach), as saturating sums, which do not depend on the order. A thread has room
for 32 terminals, enough for 70 to 99% of the 2-saddles; the others use tables that grow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...device import Array, CudaDevice, Session
from ...errors import InputError, Words
from ...kernels import source
from ...primitives import at, compact, exclusive_scan, is_within, put, shifted, sort_by_key

MAX_STEPS = 1 << 14  # cells that a CPU thread visits
MAX_TURNS = 64  # of a GPU block whose queue is empty
BLOCKS_PER_PROCESSOR = 6
LOST_STEPS = 32  # of a thread, after a queue was full


@dataclass(frozen=True)
class Minor:
    """Junctions, and the terminals of the chains from them and from the 2-saddles, on the device.

    Terminals are the 1-saddles in their order, then the junctions; -1 follows the last of a row.
    """

    starts: Array  # (c2, 4) int32, one terminal per chain of each 2-saddle
    successors: Array  # (j, 3) int32, the same of each junction
    n_sinks: int  # number of 1-saddles
    n_nodes: int  # number of squares on V-paths


def check_width(count: int, what: str) -> None:
    """Raise InputError if ids of nodes or terminals do not fit in 32 bits."""
    if count >= 2**31:
        expected, remedy = f"a field with fewer than 2^31 {what}", "Simplify or crop the field."
        raise InputError("values", expected, Words(f"{count:,}"), remedy)


def spread_marks(
    session: Session,
    walkers: tuple[str, str, str],
    model: tuple[Any, ...],
    seeds: Array,
    marks: Array,
    n_again: int,
    capacity: int,
) -> None:
    """Mark all cells on paths from the seeds. `n_again` items scan the marks if a queue is full."""
    device, (from_seeds, from_queue, from_marks) = session.device, walkers
    max_steps = device.launch_form(host=MAX_STEPS, gpu=0)
    queue, other = device.empty(capacity, np.int64), device.empty(capacity, np.int64)
    counters = device.zeros(3, np.int64)  # waiting, lost, taken from the other queue
    rest = (marks, capacity)
    start = (seeds, max_steps, *rest)
    session.launch(from_seeds, seeds.size, *model, *start, queue, counters)
    while True:
        n_waiting, n_lost, _ = counters.tolist()
        counters[:1] = counters[2:] = 0
        if n_waiting:
            queue, other = other, queue
            waiting = other[: min(n_waiting, capacity)]
            if not isinstance(device, CudaDevice):
                given = (*model, waiting, MAX_STEPS, *rest, queue, counters)
                session.launch(from_queue, waiting.size, *given)
                continue
            n_blocks = min(device.processors * BLOCKS_PER_PROCESSOR, -(-waiting.size // 32))
            share = min(source.constant("MARK_THREADS"), -(-waiting.size // n_blocks))
            turns = (waiting, waiting.size, share, MAX_TURNS)
            device.launch_blocks(from_queue, n_blocks, *model, *turns, *rest, queue, counters)
        elif n_lost:
            counters[:] = 0
            session.launch(from_seeds, seeds.size, *model, *start, queue, counters)
            session.launch(from_marks, n_again, *model, LOST_STEPS, *rest, queue, counters)
        else:
            return


MULTIPLICITY_LIMIT = 1 << 62
"""Numbers of V-paths from this limit on are stored as the limit plus their parity."""
LIKELY_ROW = 8  # entries; measured: 4 to 18
LIKELY_PART = 4  # one in this many terminals is a 1-saddle
MIDDLE_BLOCKS = 5  # per processor, limited by its shared memory
LARGE_BLOCKS = 16  # per processor
TABLE_BYTES = 40  # per terminal: two slots, and one entry in each of two lists

Rows = tuple[Array, Array, Array]


def count_paths(session: Session, minor: Minor, *, max_small_reach: int | None = None) -> Rows:
    """Return offsets (c2 + 1,) int64, 1-saddles (m,) int32 by row, and paths (m,) uint64."""
    device, n = session.device, len(minor.starts)
    begin, length = device.empty(n, np.int64), device.empty(n, np.int32)
    small = source.constant("SMALL_REACH") if max_small_reach is None else max_small_reach
    graph = (minor.starts, minor.successors, minor.n_sinks, small)
    found = ("count_small_reaches", n, graph, LIKELY_ROW * n, begin, length)
    lower, paths = _pool_of(session, *found)
    rows = compact(is_within(length, -1, -1))
    if rows.size:
        count_large = device.launch_form(host=_count_large_on_host, gpu=_count_large_by_groups)
        large_lower, large_paths = count_large(session, minor, rows, begin, length)
        session.launch("move_rows", rows.size, rows, lower.size, begin)
        lower = device.joined([lower, large_lower])
        paths = device.joined([paths, large_paths])
    offsets = exclusive_scan(length)
    m = int(offsets[-1])
    sorted_lower, sorted_paths = device.empty(m, np.int32), device.empty(m, np.uint64)
    session.launch("gather_rows", n, begin, offsets, lower, paths, sorted_lower, sorted_paths)
    return offsets, sorted_lower, sorted_paths


def _pool_of(
    session: Session, kernel: str, n: int, model: tuple[Any, ...], capacity: int, *rows: Array
) -> tuple[Array, Array]:
    """Return 1-saddles and paths in a pool that grows until all fit. Raises MemoryError.

    `rows` receives the begin and the length of each row; -1 for those to be counted separately.
    """
    device = session.device
    while True:
        lower, paths = device.empty(capacity, np.int32), device.empty(capacity, np.uint64)
        counters = device.zeros(2, np.int64)  # entries, rows without tables
        session.launch(kernel, n, *model, capacity, *rows, lower, paths, counters)
        needed, n_failed = counters.tolist()
        if n_failed:
            raise MemoryError("tables for counting V-paths could not be allocated")
        if needed <= capacity:
            return lower[:needed], paths[:needed]
        capacity = needed


def _count_large_on_host(
    session: Session, minor: Minor, rows: Array, begin: Array, length: Array
) -> tuple[Array, Array]:
    graph = (minor.starts, minor.successors, minor.n_sinks, rows)
    capacity = 8 * LIKELY_ROW * rows.size
    return _pool_of(session, "count_large_reaches", rows.size, graph, capacity, begin, length)


def _count_large_by_groups(
    session: Session, minor: Minor, rows: Array, begin: Array, length: Array
) -> tuple[Array, Array]:
    """Return the pool of the rows (r,) int64, in their order; kernels write it unsorted."""
    parts, left, reach = [], rows, source.constant("MIDDLE_REACH")
    while left.size:
        parts.append(_count_large_within(session, minor, left, length, reach))
        left = at(left, is_within(at(length, left), -1, -1))
        reach *= 16
    entries, paths = sort_by_key(session, *map(session.device.joined, zip(*parts, strict=True)))
    put(begin, rows, exclusive_scan(at(length, rows))[:-1])
    return shifted(entries, dtype=np.int32), paths  # the lower halves


def _count_large_within(
    session: Session, minor: Minor, rows: Array, length: Array, reach: int
) -> tuple[Array, Array]:
    """Return entries (row << 32 | 1-saddle) int64 and paths of rows with at most this reach."""
    device = session.device
    assert isinstance(device, CudaDevice)
    graph = (minor.starts, minor.successors, minor.n_sinks, rows)
    capacity = reach // LIKELY_PART * rows.size
    while True:
        entries, paths = device.empty(capacity, np.uint64), device.empty(capacity, np.uint64)
        counters = device.zeros(2, np.int64)  # entries, rows taken
        pool = (capacity, length, entries, paths, counters)
        if reach == source.constant("MIDDLE_REACH"):
            n_blocks = min(device.processors * MIDDLE_BLOCKS, -(-rows.size // 4))
            device.launch_blocks("count_middle_reaches", n_blocks, *graph, rows.size, *pool)
        else:  # one row per block at a time, in as many blocks as work and memory allow
            room = session.memory.room() // 4 // (TABLE_BYTES * reach)
            n_blocks = max(1, min(rows.size, device.processors * LARGE_BLOCKS, room))
            n = reach * n_blocks
            session.memory.require(
                TABLE_BYTES * n, f"counting V-paths from {rows.size:,} 2-saddles"
            )
            tables = (device.unset(2 * n, np.int32), device.zeros(2 * n, np.int32))
            lists = (device.zeros(2 * n, np.uint64), *(device.empty(n, np.int32) for _ in range(2)))
            given = (*graph, rows.size, reach, *tables, *lists, *pool)
            device.launch_blocks("count_large_reaches", n_blocks, *given)
        needed = int(counters[0])
        if needed <= capacity:
            return entries[:needed].view(np.int64), paths[:needed]
        capacity = needed
        put(length, rows, -1)
