"""Block-sparse patterns in other formats: masks of groups, and the six arrays of KeOps.

KeOps has two tables of intervals, of rows and of columns: ``ranges_i`` (Mc, 2) are the blocks,
``slices_i`` (Mc,) the end of each block's part of ``redranges_j`` (T, 2), and the same for the
transpose. KeOps does not check the arrays and reads out of bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.arrays import array_module, as_array, beside, current_for
from ..device.base import Array
from ..errors import InputError, Words, wrong_dtype, wrong_shape
from .intervals import joined
from .pattern_checks import check_offsets, in_one_memory, integers

NAMES = ("ranges_i", "slices_i", "redranges_j", "ranges_j", "slices_j", "redranges_i")
WIDTHS = (2, 1, 2, 2, 1, 2)
Fields = tuple[Any, ...]  # the first five of a BlockPattern


def of_mask(row_offsets: Any, column_offsets: Any, keep: Any) -> Fields:
    """Return a pattern with one block per group of rows; adjacent groups of columns are joined."""
    rows, columns = _offsets(row_offsets, "row_offsets"), _offsets(column_offsets, "column_offsets")
    columns = beside(columns, rows)
    is_sparse = hasattr(keep, "tocoo")  # of SciPy
    keep = keep if is_sparse else as_array(keep, "keep")
    shape = tuple(keep.shape)
    if shape != (rows.size - 1, columns.size - 1):
        expected = f"of shape ({rows.size - 1}, {columns.size - 1}), the numbers of groups"
        remedy = "The offsets have one entry more than there are groups."
        raise wrong_shape("keep", expected, keep, remedy)
    with current_for(rows):
        xp = array_module(rows)
        if is_sparse:
            entries = keep.tocsr().tocoo()
            some = entries.data != 0
            pair = np.unique(entries.row[some].astype(np.int64) * shape[1] + entries.col[some])
            pair = beside(pair, rows)
            group, column = pair // max(shape[1], 1), pair % max(shape[1], 1)
        elif keep.dtype.kind != "b":
            raise wrong_dtype("keep", "an array of bools", keep, "Use keep != 0.")
        else:
            group, column = xp.nonzero(beside(keep, rows))
        offsets, intervals = joined(group, columns[column], columns[column + 1], shape[0])
        blocks = xp.stack([rows[:-1], rows[1:]], axis=1)
        return blocks, offsets, intervals, int(rows[-1]), int(columns[-1])


def _offsets(given: Any, name: str) -> Array:
    array = integers(given, name)
    with current_for(array):
        check_offsets(array, name)
    return array


def of_keops(ranges: Any, n_rows: int | None, n_columns: int | None) -> tuple[Fields, Fields]:
    """Return the fields of the pattern and of its transpose. Raises InputError."""
    if not isinstance(ranges, (tuple, list)) or len(ranges) != len(NAMES):
        got = len(ranges) if isinstance(ranges, (tuple, list)) else Words(type(ranges).__name__)
        raise InputError("ranges", f"a tuple of six arrays {', '.join(NAMES)}", got)
    given = zip(ranges, NAMES, WIDTHS, strict=True)
    arrays = in_one_memory(NAMES, [integers(*array) for array in given])
    with current_for(arrays[0]):
        last = [int(a[..., -1].max()) if a.size else 0 for a in arrays]
        n_rows = max(last[0], last[5]) if n_rows is None else n_rows
        n_columns = max(last[2], last[3]) if n_columns is None else n_columns
        xp = array_module(arrays[0])
        for k in (1, 4):
            arrays[k] = xp.concatenate([xp.zeros(1, np.int64), arrays[k]])
        return (*arrays[:3], n_rows, n_columns), (*arrays[3:], n_columns, n_rows)
