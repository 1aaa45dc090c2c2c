"""Patterns of a given shape: all pairs, a band, the upper triangle, a mask of groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.arrays import array_module, as_array, beside, current_for
from ..device.base import Array
from ..errors import InputError
from .intervals import joined

TRIANGLE_ROWS = 256  # rows of a block of the upper triangle


def of_all(n_rows: int, n_columns: int) -> dict[str, Any]:
    """One block of all rows, one interval of all columns."""
    some = bool(n_rows and n_columns)
    return {
        "blocks": np.array([[0, n_rows]] * some, np.int64).reshape(-1, 2),
        "offsets": np.arange(1 + some),
        "intervals": np.array([[0, n_columns]] * some, np.int64).reshape(-1, 2),
        "n_rows": n_rows,
        "n_columns": n_columns,
    }


def of_band(n: int, width: int) -> dict[str, Any]:
    """A block a row."""
    row = np.arange(n, dtype=np.int64)
    width = min(width, n)
    return {
        "blocks": np.stack([row, row + 1], axis=1),
        "offsets": np.arange(n + 1),
        "intervals": np.stack([np.maximum(row - width, 0), np.minimum(row + width + 1, n)], axis=1),
        "n_rows": n,
        "n_columns": n,
    }


def of_upper_triangle(n: int) -> dict[str, Any]:
    """Blocks of TRIANGLE_ROWS, each with all columns from its first row on."""
    begin = np.arange(0, n, TRIANGLE_ROWS, dtype=np.int64)
    end = np.minimum(begin + TRIANGLE_ROWS, n)
    return {
        "blocks": np.stack([begin, end], axis=1),
        "offsets": np.arange(begin.size + 1),
        "intervals": np.stack([begin, np.full_like(begin, n)], axis=1),
        "n_rows": n,
        "n_columns": n,
        "upper": True,
    }


def of_mask(row_offsets: Any, column_offsets: Any, keep: Any) -> dict[str, Any]:
    """A block a group of rows, its neighboring groups of columns joined."""
    rows, columns = _offsets(row_offsets, "row_offsets"), _offsets(column_offsets, "column_offsets")
    columns = beside(columns, rows)
    keep = keep if hasattr(keep, "tocoo") else as_array(keep, "keep")
    shape = tuple(keep.shape)
    if shape != (rows.size - 1, columns.size - 1):
        raise InputError(
            f"keep must have the shape ({rows.size - 1}, {columns.size - 1}) of the groups, "
            f"got {shape}; offsets have one entry more than there are groups"
        )
    with current_for(rows):
        xp = array_module(rows)
        if hasattr(keep, "tocoo"):  # scipy.sparse
            entries = keep.tocsr().tocoo()
            some = entries.data != 0
            pair = np.unique(entries.row[some].astype(np.int64) * shape[1] + entries.col[some])
            pair = beside(pair, rows)
            group, column = pair // max(shape[1], 1), pair % max(shape[1], 1)
        else:
            if keep.dtype.kind != "b":
                raise InputError(
                    f"keep must be an array of bools, got dtype {keep.dtype}; use keep != 0"
                )
            group, column = xp.nonzero(beside(keep, rows))
        offsets, intervals = joined(group, columns[column], columns[column + 1], shape[0])
        return {
            "blocks": xp.stack([rows[:-1], rows[1:]], axis=1),
            "offsets": offsets,
            "intervals": intervals,
            "n_rows": int(rows[-1]),
            "n_columns": int(columns[-1]),
        }


def _offsets(given: Any, name: str) -> Array:
    array = as_array(given, name)
    if array.ndim != 1 or array.size < 1 or array.dtype.kind not in "iu":
        raise InputError(
            f"{name} must be whole numbers (groups + 1,), got shape {tuple(array.shape)} and dtype "
            f"{array.dtype}"
        )
    with current_for(array):
        array = array.astype(np.int64)
        falls = array_module(array).flatnonzero(array[1:] < array[:-1])
    if int(array[0]) != 0 or falls.size:
        at = int(falls[0]) + 1 if falls.size else 0
        raise InputError(f"{name} must start at 0 and never fall: {name}[{at}] is {int(array[at])}")
    return array
