"""V-paths counted from each 2-saddle on the minor of junctions, in topological order (Kahn 1962).

A thread has room for 32 terminals, enough for 70 to 99 % of the 2-saddles; the others get tables
that grow. O(summed reach); a number of paths is a saturating sum, which knows no order.
"""

from __future__ import annotations

import numpy as np

from ...device import Session
from ...device.base import Array
from ...device.cuda import CudaDevice
from ...kernels import source
from ...primitives import compact, exclusive_scan, sort_by_key
from .minor import Minor

MULTIPLICITY_LIMIT = 1 << 62
"""Numbers of V-paths from here on are this plus their parity."""
LIKELY_ROW = 8  # entries; measured: 4 to 18
LIKELY_PART = 4  # one in this many terminals is a 1-saddle
MIDDLE_BLOCKS = 5  # per processor, limited by its shared memory
LARGE_BLOCKS = 16  # per processor
TABLE_BYTES = 40  # a terminal: two slots and a place in two lists

Rows = tuple[Array, Array, Array]


def count_paths(session: Session, minor: Minor, *, max_small_reach: int | None = None) -> Rows:
    """Offsets (c2 + 1,) int64, 1-saddles (m,) int32 by row, paths (m,) uint64. 2-saddles that reach
    more than `max_small_reach` terminals get more room.
    """
    device, xp, n = session.device, session.device.xp, len(minor.starts)
    begin, length = device.empty(n, np.int64), device.empty(n, np.int32)
    small = source.constant("SMALL_REACH") if max_small_reach is None else max_small_reach
    lower, paths = _count_small(session, minor, small, begin, length)
    rows = compact(length < 0)
    if rows.size:
        count_large = device.launch_form(host=_count_large_on_host, gpu=_count_large_by_teams)
        large_lower, large_paths = count_large(session, minor, rows, begin, length)
        begin[rows] += lower.size
        lower = xp.concatenate([lower, large_lower])
        paths = xp.concatenate([paths, large_paths])
    offsets = exclusive_scan(length)
    m = int(offsets[-1])
    sorted_lower, sorted_paths = device.empty(m, np.int32), device.empty(m, np.uint64)
    session.launch("gather_rows", n, begin, offsets, lower, paths, sorted_lower, sorted_paths)
    return offsets, sorted_lower, sorted_paths


def _count_small(
    session: Session, minor: Minor, max_reach: int, begin: Array, length: Array
) -> tuple[Array, Array]:
    """The pool of the rows with a small reach; the others have length -1."""
    device, n = session.device, len(minor.starts)
    graph = (minor.starts, minor.successors, minor.n_sinks)
    capacity = LIKELY_ROW * n
    while True:
        lower, paths = device.empty(capacity, np.int32), device.empty(capacity, np.uint64)
        n_used = device.zeros(1, np.int64)
        pool = (capacity, begin, length, lower, paths, n_used)
        session.launch("count_small_reaches", n, *graph, max_reach, *pool)
        needed = int(n_used[0])
        if needed <= capacity:
            return lower[:needed], paths[:needed]
        capacity = needed


def _count_large_on_host(
    session: Session, minor: Minor, rows: Array, begin: Array, length: Array
) -> tuple[Array, Array]:
    """The pool of the rows (r,) int64. Raises MemoryError."""
    device = session.device
    graph = (minor.starts, minor.successors, minor.n_sinks, rows)
    capacity = 8 * LIKELY_ROW * rows.size
    while True:
        lower, paths = device.empty(capacity, np.int32), device.empty(capacity, np.uint64)
        counters = device.zeros(2, np.int64)
        pool = (capacity, begin, length, lower, paths, counters)
        session.launch("count_large_reaches", rows.size, *graph, *pool)
        needed, n_failed = counters.tolist()
        if n_failed:
            raise MemoryError("tables for counting V-paths could not be allocated")
        if needed <= capacity:
            return lower[:needed], paths[:needed]
        capacity = needed


def _count_large_by_teams(
    session: Session, minor: Minor, rows: Array, begin: Array, length: Array
) -> tuple[Array, Array]:
    """The pool of the rows (r,) int64, in their order; entries are unordered and get sorted."""
    xp = session.device.xp
    parts, left, reach = [], rows, source.constant("MIDDLE_REACH")
    while left.size:
        parts.append(_count_large_within(session, minor, left, length, reach))
        left = left[length[left] < 0]
        reach *= 16
    entries, paths = sort_by_key(*(xp.concatenate(column) for column in zip(*parts, strict=True)))
    begin[rows] = exclusive_scan(length[rows])[:-1]
    return entries.astype(np.uint32).view(np.int32), paths


def _count_large_within(
    session: Session, minor: Minor, rows: Array, length: Array, reach: int
) -> tuple[Array, Array]:
    """Entries (row << 32 | 1-saddle) uint64 and their paths, of rows that reach at most `reach`."""
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
        else:
            _launch_blocks(session, graph, rows.size, reach, pool)
        needed = int(counters[0])
        if needed <= capacity:
            return entries[:needed], paths[:needed]
        capacity = needed
        length[rows] = -1


def _launch_blocks(
    session: Session,
    graph: tuple[Array | int, ...],
    n_rows: int,
    reach: int,
    pool: tuple[Array | int, ...],
) -> None:
    """Give each block one row at a time, in as many blocks as there is work and room for."""
    device = session.device
    assert isinstance(device, CudaDevice)
    room = device.free_memory() // 2 // (TABLE_BYTES * reach)
    n_blocks = max(1, min(n_rows, device.processors * LARGE_BLOCKS, room))
    n = reach * n_blocks
    session.memory.require(TABLE_BYTES * n, f"counting V-paths from {n_rows:,} 2-saddles")
    tables = (device.xp.full(2 * n, -1, np.int32), device.zeros(2 * n, np.int32))
    lists = (device.zeros(2 * n, np.uint64), device.empty(n, np.int32), device.empty(n, np.int32))
    device.launch_blocks(
        "count_large_reaches", n_blocks, *graph, n_rows, reach, *tables, *lists, *pool
    )
