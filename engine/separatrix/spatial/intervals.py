"""Operations on blocks and intervals on any device: joining, counting, transposing.

Block b has the intervals offsets[b] to offsets[b + 1] - 1. All arrays are int64.
"""

from __future__ import annotations

import numpy as np

from ..device import Array, array_module, to_host
from ..primitives import compact, exclusive_scan, row_of_items, without_repeats


def joined(owner: Array, begin: Array, end: Array, n_blocks: int) -> tuple[Array, Array]:
    """Return offsets and intervals of runs sorted by (owner, begin), without empty ones."""
    xp = array_module(owner)
    some = compact(begin < end)
    owner, begin, end = owner[some], begin[some], end[some]
    is_new = xp.ones(owner.size, bool)
    is_new[1:] = (owner[1:] != owner[:-1]) | (begin[1:] != end[:-1])
    at = compact(is_new)
    last = xp.concatenate([at[1:], xp.asarray([owner.size], np.int64)])[: at.size] - 1
    counts = xp.bincount(owner[at], minlength=n_blocks) if at.size else xp.zeros(n_blocks, np.int64)
    return exclusive_scan(counts), xp.stack([begin[at], end[last]], axis=1)


def united(
    owner: Array, begin: Array, end: Array, n_blocks: int, n_columns: int
) -> tuple[Array, Array]:
    """Return offsets and intervals of the unions of nonempty runs in any order."""
    xp, size = array_module(owner), n_columns + 1
    ends = xp.concatenate([owner * size + begin, owner * size + end])
    order = xp.argsort(ends, kind="stable")  # begins before ends at one place
    depth = xp.cumsum(xp.where(order < owner.size, 1, -1))
    last = compact(depth == 0)
    first = xp.concatenate([xp.zeros(1, np.int64), last + 1])[: last.size]
    begin, end = ends[order[first]], ends[order[last]]
    return joined(begin // size, begin % size, end % size, n_blocks)


def n_pairs(blocks: Array, offsets: Array, intervals: Array, upper: bool) -> int:
    """Return the exact number of pairs in all tiles, with row < column if `upper`."""
    blocks, offsets, intervals = to_host(blocks), to_host(offsets), to_host(intervals)
    if upper:
        return _n_pairs_above(blocks[row_of_items(offsets)], intervals)
    columns = exclusive_scan(intervals[:, 1] - intervals[:, 0])[offsets]
    columns, rows = columns[1:] - columns[:-1], blocks[:, 1] - blocks[:, 0]
    if float(rows.astype(float) @ columns.astype(float)) < 2.0**62:
        return int(rows @ columns)
    return sum(a * b for a, b in zip(rows.tolist(), columns.tolist(), strict=True))


def _n_pairs_above(rows: np.ndarray, columns: np.ndarray) -> int:
    total = 0
    for (a, b), (c, d) in zip(rows.tolist(), columns.tolist(), strict=True):
        total += max(0, min(b, c) - a) * (d - c)  # rows before all columns of the interval
        first, last = max(a, c), min(b, d)
        if first < last:  # row i has the columns i + 1 to d - 1
            total += (last - first) * (d - 1) - (last * (last - 1) - first * (first - 1)) // 2
    return total


def transposed(
    blocks: Array, offsets: Array, intervals: Array, cuts: Array
) -> tuple[Array, Array, Array]:
    """Return the pairs (column, row), with columns cut at all ends and at `cuts`. O(E log E)."""
    xp = array_module(blocks)
    owner = row_of_items(offsets)
    ends = without_repeats(xp.concatenate([intervals.reshape(-1), cuts]))
    first = xp.searchsorted(ends, intervals[:, 0])
    until = xp.searchsorted(ends, intervals[:, 1])
    spread = exclusive_scan(until - first)  # each tile by its segments
    tile = row_of_items(spread)
    segment = first[tile] + xp.arange(tile.size) - spread[tile]
    order = xp.argsort(segment * max(blocks.shape[0], 1) + owner[tile], kind="stable")
    segment, rows = segment[order], blocks[owner[tile[order]]]
    is_used = xp.zeros(max(ends.size - 1, 0), bool)
    is_used[segment] = True
    used = compact(is_used)
    place = xp.cumsum(is_used, dtype=np.int64) - 1
    new_blocks = xp.stack([ends[used], ends[used + 1]], axis=1)
    return (new_blocks, *joined(place[segment], rows[:, 0], rows[:, 1], used.size))


def tiles(blocks: Array, offsets: Array, intervals: Array) -> Array:
    """Return the begin and end of the rows and of the columns of each tile, (T, 4)."""
    xp = array_module(blocks)
    return xp.concatenate([blocks[row_of_items(offsets)], intervals], axis=1)


def are_transposes(one: tuple[Array, Array, Array], other: tuple[Array, Array, Array]) -> bool:
    """Return whether two patterns (blocks, offsets, intervals) are transposes of each other."""
    xp = array_module(one[0])
    turned = transposed(*other, xp.zeros(0, np.int64))
    # Cut at the same columns and joined along rows, equal pairs give equal tiles.
    cuts = xp.concatenate([one[2].reshape(-1), turned[2].reshape(-1)])
    mine, theirs = (tiles(*transposed(*part, cuts)) for part in (one, turned))
    return mine.shape == theirs.shape and bool((mine == theirs).all())
