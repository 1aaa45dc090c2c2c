"""Cells and segments of the caller's: the public edge where they are checked, once.

What can't be meant is refused with its count and first index, or dropped if the caller says so: a
point out of range, a point twice in a cell, a cell twice. What is merely odd (flat cells, several
components, unused or coincident points, crowded faces) is legal.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...device import Session, to_host
from ...device.arrays import as_array, current_for
from ...device.base import Array
from ...errors import InputError
from ...options import options_of
from ...options.shared import MeshOptions
from ...primitives import compact
from .simplices import MOST_SIMPLICES


def as_cells(cells: Any, n_corners: int) -> Array:
    """The array (n, n_corners) of integers, its entries unchecked. Raises InputError."""
    array = as_array(cells, "cells")
    if array.size == 0 and array.ndim <= 2:
        with current_for(array):
            return array.reshape(0, n_corners).astype(np.int32)
    kind = {3: "triangle", 4: "tetrahedron"}[n_corners]
    if array.ndim != 2 or array.shape[1] != n_corners:
        raise InputError(
            f"cells must be an array (n, {n_corners}) of {n_corners} points for each {kind}, got "
            f"shape {tuple(array.shape)}; split other cells into such first"
        )
    if array.dtype.kind not in "iu":
        raise InputError(
            f"cells must be whole numbers, indices of points, got dtype {array.dtype}; convert "
            "them with cells.astype('int64')"
        )
    if len(array) > MOST_SIMPLICES:
        raise InputError(f"there are {len(array):,} cells; at most {MOST_SIMPLICES:,} can be")
    return array


def checked_choice(on_duplicates: Any) -> bool:
    """Whether cells that can't be used are dropped. Raises InputError for another word."""
    return bool(options_of(MeshOptions)["on_duplicates"].check(on_duplicates) == "drop")


def checked_cells(
    session: Session, cells: Array, n_points: int, drop: bool
) -> tuple[Array, Array | None]:
    """(cells int32 on the device, those that are kept (k,) int32 or None for all).

    Each kept cell's points are in range and differ. O(n). Raises InputError.
    """
    device, xp = session.device, session.device.xp
    with current_for(cells):
        if cells.size and (int(cells.min()) < 0 or int(cells.max()) >= n_points):
            wrong = ((cells < 0) | (cells >= n_points)).any(axis=1)
            if not drop:
                _refuse_out_of_range(cells, wrong, n_points)
            cells = cells * ~wrong[:, None]  # a cell of point 0 alone, which is dropped as such
        cells = cells.astype(np.int32, copy=False)
    cells = session.upload(cells)
    is_degenerate = device.empty(len(cells), np.uint8)
    session.launch("find_repeated_corners", len(cells), cells, cells.shape[1], is_degenerate)
    n_degenerate = int(is_degenerate.sum(dtype=np.int64))
    if not n_degenerate:
        return cells, None
    if drop:
        return cells, compact(xp.logical_not(is_degenerate)).astype(np.int32)
    first = int(is_degenerate.argmax())
    raise InputError(
        f"a cell's points must differ: cells[{first}] is {_shown(cells[first])} "
        f"({n_degenerate:,} such cell{'s' * (n_degenerate != 1)}); remove those cells, or set "
        "{on_duplicates='drop'}"
    )


def _refuse_out_of_range(cells: Array, wrong: Array, n_points: int) -> None:
    first, n_wrong = int(wrong.argmax()), int(wrong.sum())
    raise InputError(
        f"cells must be indices of points from 0 to {n_points - 1:,}: cells[{first}] is "
        f"{_shown(cells[first])} ({n_wrong:,} such cell{'s' * (n_wrong != 1)}); count points from "
        "0, remove those cells, or set {on_duplicates='drop'}"
    )


def refuse_repeated(repeated: Array, cells: Array) -> None:
    """Raise InputError if cells were repeated: `repeated` (k,) holds all but the first of each."""
    if not repeated.size:
        return
    first, n = int(repeated.min()), repeated.size
    raise InputError(
        f"cells must differ: cells[{first}] is {_shown(cells[first])}, the points of a cell "
        f"before it ({n:,} such cell{'s' * (n != 1)}); remove them, or set "
        "{on_duplicates='drop'} to keep the first of each"
    )


def _shown(cell: Array) -> str:
    return f"({', '.join(map(str, to_host(cell).tolist()))})"


def checked_size(segment_size: Any) -> int:
    """How many vertices a segment may have: a whole number of at least 1."""
    try:
        size = 0 if isinstance(segment_size, bool) else operator.index(segment_size)
    except TypeError:
        size = 0
    if size < 1:
        raise InputError(
            f"segment_size must be a whole number of at least 1, not {segment_size!r}; 100 is usual"
        )
    return size


def checked_labels(segments: Any, n_points: int) -> Array:
    """The caller's segment of each point (V,) integers. Raises InputError."""
    labels = as_array(segments, "segments")
    if labels.shape != (n_points,):
        raise InputError(
            f"segments must hold one number for each of the {n_points:,} points, got shape "
            f"{tuple(labels.shape)}; leave it out for an octree, or give 'runs'"
        )
    if labels.dtype.kind not in "iu":
        raise InputError(
            f"segments must be whole numbers, got dtype {labels.dtype}; number the segments"
        )
    return labels
