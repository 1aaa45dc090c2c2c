"""Arithmetic of blocks and intervals, on either device: joining, counting, transposing.

Intervals belong to blocks by ``offsets`` (B + 1,). All arrays are int64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.arrays import array_module, to_host
from ..device.base import Array
from ..primitives import compact, exclusive_scan, row_of_items


def joined(owner: Array, begin: Array, end: Array, n_blocks: int) -> tuple[Array, Array]:
    """(offsets, intervals) of runs sorted by (owner, begin): none empty, touching ones joined."""
    xp = array_module(owner)
    some = compact(begin < end)
    owner, begin, end = owner[some], begin[some], end[some]
    is_new = xp.ones(owner.size, bool)
    is_new[1:] = (owner[1:] != owner[:-1]) | (begin[1:] != end[:-1])
    at = compact(is_new)
    last = xp.concatenate([at[1:], xp.asarray([owner.size], np.int64)])[: at.size] - 1
    counts = xp.bincount(owner[at], minlength=n_blocks) if at.size else xp.zeros(n_blocks, np.int64)
    return exclusive_scan(counts), xp.stack([begin[at], end[last]], axis=1)


def n_pairs(blocks: Array, offsets: Array, intervals: Array, upper: bool) -> int:
    """Pairs in all tiles, exactly; those with row < column if `upper`."""
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
        if first < last:  # row i has the columns i + 1 .. d
            total += (last - first) * (d - 1) - (last * (last - 1) - first * (first - 1)) // 2
    return total


def transposed(
    blocks: Array, offsets: Array, intervals: Array, cuts: Array
) -> tuple[Array, Array, Array]:
    """(blocks, offsets, intervals) of the pairs (column, row).

    Columns are cut at the ends of all intervals and at `cuts`; a segment's intervals are the blocks
    that had it. O(E log E) for E pairs of a tile and a segment of it.
    """
    xp = array_module(blocks)
    owner = row_of_items(offsets)
    ends = xp.unique(xp.concatenate([intervals.reshape(-1), cuts]))
    first = xp.searchsorted(ends, intervals[:, 0])
    until = xp.searchsorted(ends, intervals[:, 1])
    spread = exclusive_scan(until - first)  # every tile by the segments that it is made of
    tile = row_of_items(spread)
    segment = first[tile] + xp.arange(tile.size) - spread[tile]
    order = _order_of(xp, segment, owner[tile], blocks.shape[0])
    segment, rows = segment[order], blocks[owner[tile[order]]]
    is_used = xp.zeros(max(ends.size - 1, 0), bool)
    is_used[segment] = True
    used = compact(is_used)
    place = xp.cumsum(is_used, dtype=np.int64) - 1
    new_blocks = xp.stack([ends[used], ends[used + 1]], axis=1)
    return (new_blocks, *joined(place[segment], rows[:, 0], rows[:, 1], used.size))


def tiles(blocks: Array, offsets: Array, intervals: Array) -> Array:
    """Each tile as rows and columns, (T, 4): begin, end, begin, end."""
    xp = array_module(blocks)
    return xp.concatenate([blocks[row_of_items(offsets)], intervals], axis=1)


def are_transposes(one: tuple[Array, Array, Array], other: tuple[Array, Array, Array]) -> bool:
    """Whether two patterns (blocks, offsets, intervals) have the same pairs, rows for columns.

    Both are cut at the same columns and joined along rows: equal pairs make equal tiles.
    """
    xp = array_module(one[0])
    turned = transposed(*other, xp.zeros(0, np.int64))
    cuts = xp.concatenate([one[2].reshape(-1), turned[2].reshape(-1)])
    mine, theirs = (tiles(*transposed(*part, cuts)) for part in (one, turned))
    return mine.shape == theirs.shape and bool((mine == theirs).all())


def _order_of(xp: Any, major: Array, minor: Array, n_minor: int) -> Array:
    """The order by (major, minor)."""
    return xp.argsort(major * max(n_minor, 1) + minor, kind="stable")
