"""V-paths counted from each 2-saddle on the minor of junctions.

1. A thread a 2-saddle: what it reaches is listed with in-degrees, and the numbers of paths are
   passed on in an order in which each comes after all that lead to it (Kahn 1962). It has room for
   32 terminals, which suffices for 70 to 99 % of the 2-saddles.
2. The others: on the host with tables that grow, on a GPU a warp each with a table in global
   memory, larger by 16 until each has had room.
3. Rows come in any order; the small ones are sorted by their thread, the large ones by their keys,
   and all are copied to their places.

O(summed reach). Each number of paths is a sum that saturates, in which no order shows.
"""

from __future__ import annotations

import numpy as np

from ..device import Work
from ..device.base import Array
from ..device.cuda import CudaDevice
from ..kernels import source
from ..primitives import compact, exclusive_scan, sort_by_key
from .connector_minor import Minor

MULTIPLICITY_LIMIT = 1 << 62
"""Numbers of V-paths from here on are this plus their parity."""
LIKELY_ROW = 8  # entries; measured: 4 to 18
FIRST_CAPACITY = 512  # terminals in the table of a warp
WARPS_A_PROCESSOR = 32
TABLE_BYTES = 40  # a terminal: two slots, and a place in two lists

Rows = tuple[Array, Array, Array]


def count_paths(work: Work, minor: Minor, *, max_small_reach: int | None = None) -> Rows:
    """Offsets (c2 + 1,) int64, 1-saddles (m,) int32 ascending in each row, and paths (m,) uint64.

    2-saddles that reach more than `max_small_reach` terminals are counted with more room.
    """
    device, xp, n = work.device, work.device.xp, len(minor.starts)
    begin, length = device.empty(n, np.int64), device.empty(n, np.int32)
    small = source.constant("SMALL_REACH") if max_small_reach is None else max_small_reach
    lower, paths = _count_small(work, minor, small, begin, length)
    rows = compact(length < 0)
    if rows.size:
        entries, entry_paths = _count_large(work, minor, rows, length)
        entries, entry_paths = sort_by_key(entries, entry_paths)
        begin[rows] = lower.size + exclusive_scan(length[rows])[:-1]
        lower = xp.concatenate([lower, entries.astype(np.uint32).view(np.int32)])
        paths = xp.concatenate([paths, entry_paths])
        del entries, entry_paths
    offsets = exclusive_scan(length)
    m = int(offsets[-1])
    sorted_lower, sorted_paths = device.empty(m, np.int32), device.empty(m, np.uint64)
    work.launch("gather_rows", n, begin, offsets, lower, paths, sorted_lower, sorted_paths)
    return offsets, sorted_lower, sorted_paths


def _count_small(
    work: Work, minor: Minor, max_reach: int, begin: Array, length: Array
) -> tuple[Array, Array]:
    """The pool of the rows with a small reach; length -1 says which are not among them."""
    device, n = work.device, len(minor.starts)
    graph = (minor.starts, minor.successors, minor.n_sinks)
    capacity = LIKELY_ROW * n
    while True:
        lower, paths = device.empty(capacity, np.int32), device.empty(capacity, np.uint64)
        n_used = device.zeros(1, np.int64)
        pool = (capacity, begin, length, lower, paths, n_used)
        work.launch("count_small_reaches", n, *graph, max_reach, *pool)
        needed = int(n_used[0])
        if needed <= capacity:
            return lower[:needed], paths[:needed]
        capacity = needed


def _count_large(work: Work, minor: Minor, rows: Array, length: Array) -> tuple[Array, Array]:
    """Entries (row << 32 | 1-saddle) uint64 and their paths, in no order, of rows (r,) int64."""
    xp = work.device.xp
    parts = []
    reach = FIRST_CAPACITY
    while rows.size:
        parts.append(_count_large_once(work, minor, rows, length, reach))
        rows = rows[length[rows] < 0]
        reach *= 16
    return (
        xp.concatenate([entries for entries, _ in parts]),
        xp.concatenate([paths for _, paths in parts]),
    )


def _count_large_once(
    work: Work, minor: Minor, rows: Array, length: Array, reach: int
) -> tuple[Array, Array]:
    """Entries of those of the rows that reach at most `reach` terminals; on the host of all."""
    device = work.device
    capacity = 8 * LIKELY_ROW * rows.size
    while True:
        entries, paths = device.empty(capacity, np.uint64), device.empty(capacity, np.uint64)
        counters = device.zeros(2, np.int64)
        graph = (minor.starts, minor.successors, minor.n_sinks, rows)
        pool = (capacity, length, entries, paths, counters)
        if isinstance(device, CudaDevice):
            _launch_warps(work, device, graph, rows.size, reach, pool)
        else:
            work.launch("count_large_reaches", rows.size, *graph, *pool)
        needed, n_failed = counters.tolist()
        if n_failed and not device.is_cuda:
            raise MemoryError("counting V-paths found no room for its tables")
        if needed <= capacity:
            return entries[:needed], paths[:needed]
        capacity = needed
        length[rows] = -1


def _launch_warps(
    work: Work,
    device: CudaDevice,
    graph: tuple[object, ...],
    n_rows: int,
    reach: int,
    pool: tuple[object, ...],
) -> None:
    """A warp a row at a time, as many warps as there is work and room for."""
    warps_a_block = source.constant("LARGE_THREADS") // source.constant("WARP")
    n_warps = min(n_rows, device.processors * WARPS_A_PROCESSOR)
    room = device.free_memory() // 2 // (TABLE_BYTES * reach)
    n_blocks = max(1, min(-(-n_warps // warps_a_block), room // warps_a_block))
    work.require(TABLE_BYTES * reach * n_blocks * warps_a_block, "counting V-paths")
    xp, n = device.xp, reach * n_blocks * warps_a_block
    tables = (xp.full(2 * n, -1, np.int32), device.zeros(2 * n, np.int32))
    lists = (device.empty(n, np.int32), device.empty(n, np.int32))
    tables += (device.zeros(2 * n, np.uint64), *lists)
    device.launch_blocks("count_large_reaches", n_blocks, *graph, n_rows, reach, *tables, *pool)
