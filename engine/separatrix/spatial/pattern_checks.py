"""The one check of a block-sparse pattern: bounds, order, and that nothing is there twice."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..device.arrays import array_module, as_array, beside, current_for
from ..device.base import Array
from ..errors import InputError
from .points import checked_radius

MOST_POSITIONS = 2**62  # twice that is still an int64


def checked_count(value: Any, name: str, most: int | None = None) -> int:
    """A whole number from 0 on, at most `most`. Raises InputError."""
    try:
        count = operator.index(value)
    except TypeError:
        count = -1
    if count < 0 or isinstance(value, bool):
        raise InputError(f"{name} must be a whole number from 0 on, got {value!r}")
    if most is not None and count > most:
        raise InputError(f"{name} must be at most {most:,}, got {count:,}")
    return count


def checked_pattern(given: dict[str, Any]) -> dict[str, Any]:
    """The fields of a pattern as int64 copies in C order. Raises InputError for the first fault."""
    n_rows = checked_count(given["n_rows"], "n_rows", MOST_POSITIONS)
    n_columns = checked_count(given["n_columns"], "n_columns", MOST_POSITIONS)
    blocks = _whole(given["blocks"], "blocks", 2)
    offsets = _whole(given["offsets"], "offsets", 1)
    intervals = _whole(given["intervals"], "intervals", 2)
    homes = {type(array) for array in (blocks, offsets, intervals)}
    if len(homes) > 1:
        raise InputError("blocks, offsets and intervals must all be NumPy arrays, or all CuPy's")
    offsets, intervals = beside(offsets, blocks), beside(intervals, blocks)  # of GPUs, one
    with current_for(blocks):
        _check_offsets(offsets, blocks.shape[0], intervals.shape[0])
        _check_blocks(blocks, n_rows)
        _check_intervals(intervals, offsets, n_columns)
    found = {"blocks": blocks, "offsets": offsets, "intervals": intervals}
    orders = {
        name: None if given[name] is None else _permutation(given[name], name, n)
        for name, n in (("row_order", n_rows), ("column_order", n_columns))
    }
    radius = given["radius"]
    radius = None if radius is None else checked_radius(radius)
    sizes = {"n_rows": n_rows, "n_columns": n_columns, "radius": radius}
    sizes["upper"] = checked_flag(given["upper"], "upper")
    return {**found, **orders, **sizes}


def checked_runs(given: Any, name: str, n: int | None = None, what: str = "positions") -> Array:
    """Runs of positions (n, 2), ascending and disjoint, as int64. Raises InputError.

    They are within `n` of `what`, where that is given.
    """
    runs = _whole(given, name, 2)
    with current_for(runs):
        _check_blocks(runs, n if n is not None else int(runs.max()) if runs.size else 0, name, what)
    return runs


def _whole(given: Any, name: str, ndim: int) -> Array:
    array = as_array(given, name)
    if array.dtype.kind not in "iu" and array.size:
        raise InputError(f"{name} must be whole numbers, got dtype {array.dtype}")
    wanted = "(n, 2)" if ndim == 2 else "(n,)"
    if array.ndim != ndim or (ndim == 2 and array.shape[1] != 2):
        raise InputError(f"{name} must have the shape {wanted}, got {tuple(array.shape)}")
    with current_for(array):
        return array_module(array).array(array, dtype=np.int64, order="C")


def _first(flags: Array) -> int:
    """The first index that is set, -1 if none is."""
    return int(flags.argmax()) if flags.size and bool(flags.any()) else -1


def _check_offsets(offsets: Array, n_blocks: int, n_intervals: int) -> None:
    if offsets.size != n_blocks + 1:
        raise InputError(
            f"offsets must have one entry more than there are blocks: {n_blocks} blocks, "
            f"{offsets.size} offsets"
        )
    if int(offsets[0]) != 0 or int(offsets[-1]) != n_intervals:
        raise InputError(
            f"offsets must go from 0 to the number of intervals, {n_intervals}: they go from "
            f"{int(offsets[0])} to {int(offsets[-1])}"
        )
    b = _first(offsets[1:] < offsets[:-1])
    if b >= 0:
        raise InputError(
            f"offsets must never fall: block {b} has the intervals from {int(offsets[b])} to "
            f"{int(offsets[b + 1])}"
        )


def _check_blocks(blocks: Array, n: int, name: str = "blocks", what: str = "rows") -> None:
    begin, end = blocks[:, 0], blocks[:, 1]
    b = _first((begin < 0) | (end > n))
    if b >= 0:
        raise InputError(f"{name} must lie within the {n} {what}: block {b} is {_shown(blocks[b])}")
    b = _first(begin > end)
    if b >= 0:
        raise InputError(f"a block must not end before it begins: block {b} is {_shown(blocks[b])}")
    b = _first(begin[1:] < end[:-1])
    if b >= 0:
        raise InputError(
            f"{name} must ascend and be disjoint: block {b + 1} is {_shown(blocks[b + 1])}, after "
            f"{_shown(blocks[b])}"
        )


def _check_intervals(intervals: Array, offsets: Array, n_columns: int) -> None:
    begin, end = intervals[:, 0], intervals[:, 1]
    t = _first((begin < 0) | (end > n_columns))
    if t >= 0:
        raise InputError(
            f"intervals must lie within the {n_columns} columns: "
            f"{_where(offsets, t)} is {_shown(intervals[t])}"
        )
    t = _first(begin > end)
    if t >= 0:
        raise InputError(
            "an interval must not end before it begins: "
            f"{_where(offsets, t)} is {_shown(intervals[t])}"
        )
    xp = array_module(intervals)
    follows = xp.ones(intervals.shape[0] + 1, bool)
    follows[offsets] = False  # the first interval of a block follows none
    t = _first((begin[1:] < end[:-1]) & follows[1:-1]) + 1 if begin.size else 0
    if t > 0:
        raise InputError(
            f"intervals of a block must ascend and be disjoint: {_where(offsets, t)} is "
            f"{_shown(intervals[t])}, after {_shown(intervals[t - 1])}"
        )


def _permutation(given: Any, name: str, n: int) -> Array:
    array = as_array(given, name)
    if array.ndim != 1 or array.dtype.kind not in "iu" or array.size != n:
        raise InputError(
            f"{name} must be {n} whole numbers, got shape {tuple(array.shape)} and dtype "
            f"{array.dtype}"
        )
    xp = array_module(array)
    with current_for(array):
        array = array.astype(np.int64)
        if n and bool((xp.sort(array) != xp.arange(n)).any()):
            raise InputError(f"{name} must hold each index from 0 to {n - 1} once")
    return array


def _where(offsets: Array, t: int) -> str:
    xp = array_module(offsets)
    b = int(xp.searchsorted(offsets, xp.asarray([t]), side="right")[0]) - 1
    return f"interval {t} (of block {b})"


def _shown(run: Array) -> str:
    begin, end = (int(v) for v in run)
    return f"[{begin}, {end})"
