"""Validation of the caller's cells and segments.

Unusual input (flat cells, several components, unused or coincident points) is legal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import Session, to_host
from ...device.arrays import as_array, current_for
from ...device.base import Array
from ...errors import InputError, Words, wrong_dtype, wrong_shape
from ...options import options_of
from ...options.shared import MeshOptions
from ...primitives import compact
from .build import MOST_SIMPLICES

REMEDY = "Remove these cells, or set {on_duplicates='drop'}."


def as_cells(cells: Any, n_corners: int) -> Array:
    """Return the array (n, n_corners) of integers, its entries unchecked. Raises InputError."""
    array = as_array(cells, "cells")
    if array.size == 0 and array.ndim <= 2:
        with current_for(array):
            return array.reshape(0, n_corners).astype(np.int32)
    kind = {3: "triangle", 4: "tetrahedron"}[n_corners]
    if array.ndim != 2 or array.shape[1] != n_corners:
        expected = f"an array (n, {n_corners}) of {n_corners} points for each {kind}"
        raise wrong_shape("cells", expected, array, "Split other cells first.")
    if array.dtype.kind not in "iu":
        remedy = "Convert them with cells.astype('int64')."
        raise wrong_dtype("cells", "integers, indices of points", array, remedy)
    if len(array) > MOST_SIMPLICES:
        raise InputError("cells", f"at most {MOST_SIMPLICES:,}", Words(f"{len(array):,} cells"))
    return array


def checked_choice(on_duplicates: Any) -> bool:
    """Return whether invalid cells are dropped. Raises InputError."""
    return bool(options_of(MeshOptions)["on_duplicates"].check(on_duplicates) == "drop")


def checked_cells(
    session: Session, cells: Array, n_points: int, drop: bool
) -> tuple[Array, Array | None]:
    """The cells, int32 on the device, and the valid ones (k,) int32, or None for all. O(n)."""
    device, xp = session.device, session.device.xp
    with current_for(cells):
        if cells.size and (int(cells.min()) < 0 or int(cells.max()) >= n_points):
            wrong = ((cells < 0) | (cells >= n_points)).any(axis=1)
            if not drop:
                expected = f"indices of points from 0 to {n_points - 1:,}"
                first, n_wrong = int(wrong.argmax()), int(wrong.sum())
                remedy = f"Count points from 0. {REMEDY}"
                raise _invalid(cells, first, n_wrong, expected, remedy)
            cells = cells * ~wrong[:, None]  # repeats point 0, so the cell is dropped below
        cells = cells.astype(np.int32, copy=False)
    cells = session.upload(cells)
    is_degenerate = device.empty(len(cells), np.uint8)
    session.launch("find_repeated_corners", len(cells), cells, cells.shape[1], is_degenerate)
    n_degenerate = int(is_degenerate.sum(dtype=np.int64))
    if not n_degenerate:
        return cells, None
    if drop:
        return cells, compact(xp.logical_not(is_degenerate)).astype(np.int32)
    raise _invalid(
        cells, int(is_degenerate.argmax()), n_degenerate, "tuples of distinct points", REMEDY
    )


def refuse_repeated(repeated: Array, cells: Array) -> None:
    """Raise InputError if cells were repeated: `repeated` (k,) holds all but the first of each."""
    if repeated.size:
        remedy = "Remove them, or set {on_duplicates='drop'} to keep the first of each."
        raise _invalid(cells, int(repeated.min()), repeated.size, "distinct", remedy)


def _invalid(cells: Array, first: int, count: int, expected: str, remedy: str) -> InputError:
    got = tuple(to_host(cells[first]).tolist())
    return InputError("cells", expected, got, remedy, where=f"[{first}]", count=count)


def checked_labels(segments: Any, n_points: int) -> Array:
    """Return the caller's segment of each point (V,), integers. Raises InputError."""
    labels = as_array(segments, "segments")
    if labels.shape != (n_points,):
        expected = f"None, 'runs', or one number for each of the {n_points:,} points"
        raise wrong_shape("segments", expected, labels)
    if labels.dtype.kind not in "iu":
        raise wrong_dtype("segments", "integers", labels, "Number the segments.")
    return labels
