"""Point sets and block-sparse patterns to try reductions on."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import separatrix as sx

Points = tuple[np.ndarray, np.ndarray, np.ndarray]


def point_sets(n_dimensions: int = 3, dtype: Any = "float32", seed: int = 0) -> Points:
    """x, y and values of y: clusters, lone points, duplicates, a lattice with many ties."""
    random = np.random.default_rng(seed)
    x = random.random((157, n_dimensions))
    y = np.concatenate(
        [
            random.random((103, n_dimensions)),
            0.2 + 0.01 * random.standard_normal((90, n_dimensions)),
            np.round(random.random((60, n_dimensions)) * 4) / 4,
            x[:20],
        ]
    )
    values = random.standard_normal((len(y), 5))
    return x.astype(dtype), y.astype(dtype), values.astype(dtype)


def random_pattern(n_rows: int, n_columns: int, seed: int, ordered: bool = True) -> sx.BlockPattern:
    """Blocks of 0 to many rows with random intervals; rows that no block covers; random orders."""
    random = np.random.default_rng(seed)
    cuts = np.unique(random.integers(0, n_rows + 1, 12))
    blocks = np.stack([cuts[:-1], cuts[1:]], 1)[random.random(len(cuts) - 1) < 0.8]
    intervals, offsets = [], [0]
    for _ in range(len(blocks)):
        ends = np.unique(random.integers(0, n_columns + 1, 2 * random.integers(0, 5)))
        intervals += ends[: len(ends) // 2 * 2].reshape(-1, 2).tolist()
        offsets.append(len(intervals))
    orders = (random.permutation(n_rows), random.permutation(n_columns)) if ordered else ()
    return sx.BlockPattern(
        blocks,
        np.array(offsets),
        np.array(intervals, np.int64).reshape(-1, 2),
        n_rows,
        n_columns,
        *orders,
    )


def mask_of(pattern: sx.BlockPattern) -> np.ndarray:
    """(n_rows, n_columns) bool in the caller's order."""
    dense = pattern.to_dense()
    mask = np.zeros_like(dense)
    rows = np.arange(pattern.n_rows) if pattern.row_order is None else pattern.row_order
    columns = np.arange(pattern.n_columns) if pattern.column_order is None else pattern.column_order
    mask[np.ix_(rows, columns)] = dense
    return mask


def cut_at_random(pattern: sx.BlockPattern, seed: int) -> sx.BlockPattern:
    """The same pairs with blocks and intervals cut at random."""
    random = np.random.default_rng(seed)
    blocks, intervals, offsets = [], [], [0]
    for b, (begin, end) in enumerate(pattern.blocks.tolist()):
        own = pattern.intervals[pattern.offsets[b] : pattern.offsets[b + 1]].tolist()
        for first, last in _cut(begin, end, random):
            blocks.append((first, last))
            intervals += [part for run in own for part in _cut(*run, random)]
            offsets.append(len(intervals))
    return sx.BlockPattern(
        np.array(blocks, np.int64).reshape(-1, 2),
        np.array(offsets),
        np.array(intervals, np.int64).reshape(-1, 2),
        pattern.n_rows,
        pattern.n_columns,
        pattern.row_order,
        pattern.column_order,
        pattern.radius,
    )


def _cut(begin: int, end: int, random: np.random.Generator) -> list[tuple[int, int]]:
    inner = random.integers(begin, end + 1, random.integers(0, 4))
    ends = np.unique(np.concatenate([[begin, end], inner])).tolist()
    return list(pairwise(ends))
