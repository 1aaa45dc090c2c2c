"""KeOps' form of a block-sparse pattern: two tables of intervals, of rows and of columns.

``ranges_i`` (Mc, 2), ``slices_i`` (Mc,) the ends of each block's share of ``redranges_j`` (T, 2),
and the same for the transpose. Every array is checked here: KeOps reads out of bounds instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device.arrays import array_module, as_array, beside, current_for
from ..errors import InputError

NAMES = ("ranges_i", "slices_i", "redranges_j", "ranges_j", "slices_j", "redranges_i")


def imported(
    ranges: Any, n_rows: int | None, n_columns: int | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arguments of the pattern and of its transpose. Raises InputError."""
    if not isinstance(ranges, (tuple, list)) or len(ranges) != len(NAMES):
        came = len(ranges) if isinstance(ranges, (tuple, list)) else type(ranges).__name__
        raise InputError(f"KeOps' pattern is a tuple of six arrays {', '.join(NAMES)}; got {came}")
    arrays = []
    for name, given in zip(NAMES, ranges, strict=True):
        array = as_array(given, name)
        if array.dtype.kind not in "iu":
            raise InputError(f"{name} must be whole numbers, got dtype {array.dtype}")
        with current_for(array):
            arrays.append(array.astype(np.int64))
    if len({type(array) for array in arrays}) > 1:
        raise InputError(f"{', '.join(NAMES)} must all be NumPy arrays, or all CuPy's")
    arrays = [beside(array, arrays[0]) for array in arrays]
    with current_for(arrays[0]):
        last = [int(a[:, 1].max()) if a.ndim == 2 and a.size else 0 for a in arrays]
        n_rows = max(last[0], last[5]) if n_rows is None else n_rows
        n_columns = max(last[2], last[3]) if n_columns is None else n_columns
        return _half(arrays[:3], n_rows, n_columns), _half(arrays[3:], n_columns, n_rows)


def _half(arrays: list[Any], n_rows: int, n_columns: int) -> dict[str, Any]:
    blocks, slices, intervals = arrays
    xp = array_module(slices)
    offsets = xp.concatenate([xp.zeros(1, np.int64), slices.reshape(-1)])
    return {
        "blocks": blocks,
        "offsets": offsets,
        "intervals": intervals,
        "n_rows": n_rows,
        "n_columns": n_columns,
    }
