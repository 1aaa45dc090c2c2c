"""Input of block-sparse patterns: their arrays, masks of groups, and the six arrays of KeOps.

KeOps has two tables of intervals, of rows and of columns: ``ranges_i`` (Mc, 2) are the blocks,
``slices_i`` (Mc,) the end of each block's part of ``redranges_j`` (T, 2), and the same for the
transpose. KeOps does not check the arrays and reads out of bounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import checked_flag, checked_whole
from ..device import Array, array_module, as_array, checked_rows, current_for, in_memory_of
from ..errors import InputError, Words, wrong_dtype, wrong_shape
from ..primitives import without_repeats
from .intervals import joined
from .periodic import as_lengths, checked_box
from .points import checked_radius

MOST_POSITIONS = 2**62  # twice that is an int64
KEOPS_NAMES = ("ranges_i", "slices_i", "redranges_j", "ranges_j", "slices_j", "redranges_i")
KEOPS_WIDTHS = (2, 1, 2, 2, 1, 2)
Fields = tuple[Any, ...]  # the first five of a BlockPattern


def checked_pattern(given: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a pattern, arrays as int64 copies in C order. Raises InputError."""
    n_rows, n_columns = (
        checked_whole(given[name], name, 0, MOST_POSITIONS) for name in ("n_rows", "n_columns")
    )
    names = ("blocks", "offsets", "intervals")
    arrays = [integers(given[n], n, width) for n, width in zip(names, (2, 1, 2), strict=True)]
    blocks, offsets, intervals = in_one_memory(names, arrays)
    with current_for(blocks):
        if offsets.size != len(blocks) + 1:
            raise wrong_shape("offsets", f"of shape ({len(blocks) + 1},), one per block", offsets)
        check_offsets(offsets, "offsets", len(intervals))
        _check_runs(blocks, "blocks", n_rows, "rows")
        _check_runs(intervals, "intervals", n_columns, "columns", offsets)
    radius = given["radius"]
    return {
        "blocks": blocks,
        "offsets": offsets,
        "intervals": intervals,
        "n_rows": n_rows,
        "n_columns": n_columns,
        "row_order": _permutation(given["row_order"], "row_order", n_rows),
        "column_order": _permutation(given["column_order"], "column_order", n_columns),
        "radius": None if radius is None else checked_radius(radius),
        "upper": checked_flag(given["upper"], "upper"),
        "boxsize": as_lengths(checked_box(given["boxsize"], np.size(given["boxsize"]))),
    }


def checked_runs(given: Any, name: str, n: int | None = None, what: str = "positions") -> Array:
    """Return runs of positions (m, 2), ascending and disjoint, below `n` if that is given."""
    runs = integers(given, name, 2)
    with current_for(runs):
        most = n if n is not None else int(runs.max()) if runs.size else 0
        _check_runs(runs, name, most, what)
    return runs


def integers(given: Any, name: str, width: int = 1) -> Array:
    """Return integers (n,), or (n, 2) for a `width` of 2, as an int64 copy. Raises InputError."""
    array = as_array(given, name)
    if array.dtype.kind not in "iu" and array.size:
        remedy = f"Convert it with {name}.astype('int64')."
        raise wrong_dtype(name, "an array of integers", array, remedy)
    if array.ndim != width or (width == 2 and array.shape[1] != 2):
        raise wrong_shape(name, f"an array of shape {'(n, 2)' if width == 2 else '(n,)'}", array)
    with current_for(array):
        if array.dtype == np.uint64 and array.size and int(array.max()) >= 2**63:
            raise InputError(name, "integers less than 2^63", int(array.max()))
        return array_module(array).array(array, dtype=np.int64, order="C")


def in_one_memory(names: tuple[str, ...], arrays: list[Array]) -> list[Array]:
    """Return the arrays in the memory of the first one. Raises InputError for two modules."""
    if len({type(array) for array in arrays}) > 1:
        raise InputError(", ".join(names), "all NumPy arrays or all CuPy arrays", Words("both"))
    return [in_memory_of(array, arrays[0]) for array in arrays]


def check_offsets(offsets: Array, name: str, n_items: int | None = None) -> None:
    """Require non-decreasing offsets (n,) from 0 to `n_items`, if that is given."""
    ends = (int(offsets[0]), int(offsets[-1])) if offsets.size else ()
    if not ends or ends[0] != 0 or (n_items is not None and ends[1] != n_items):
        to = "" if n_items is None else f" and end at {n_items:,}, the number of intervals"
        got = Words(f"{ends[0]:,} to {ends[1]:,}" if ends else "an empty array")
        raise InputError(name, f"offsets that begin at 0{to}", got)
    k = _first(offsets[1:] < offsets[:-1]) + 1
    if k:
        got = Words(f"{int(offsets[k]):,} after {int(offsets[k - 1]):,}")
        raise InputError(name, "non-decreasing", got, where=f"[{k}]")


def _first(flags: Array) -> int:
    """Return the first index that is set, or -1."""
    return int(flags.argmax()) if flags.size and bool(flags.any()) else -1


def _check_runs(runs: Array, name: str, n: int, what: str, offsets: Array | None = None) -> None:
    """Require runs (m, 2) that are ascending and disjoint, within each row of offsets if given."""
    xp = array_module(runs)
    begin, end = runs[:, 0], runs[:, 1]
    overlaps = begin[1:] < end[:-1]
    if offsets is not None and len(runs):
        follows = xp.ones(len(runs) + 1, bool)
        follows[offsets] = False  # the first interval of a block
        overlaps &= follows[1:-1]

    def reject(expected: str, k: int, after: str = "") -> None:
        if k < 0:
            return
        if offsets is not None:
            block = int(xp.searchsorted(offsets, xp.asarray([k]), side="right")[0]) - 1
            after += f" in block {block}"
        raise InputError(name, expected, Words(_shown(runs[k]) + after), where=f"[{k}]")

    reject(f"within the {n} {what}", _first((begin < 0) | (end > n)))
    reject("runs that do not end before they begin", _first(begin > end))
    k = _first(overlaps)
    if k >= 0:
        reject("ascending and disjoint", k + 1, f" after {_shown(runs[k])}")


def _shown(run: Array) -> str:
    begin, end = (int(v) for v in run)
    return f"[{begin}, {end})"


def _permutation(given: Any, name: str, n: int) -> Array | None:
    if given is None:
        return None
    array = integers(given, name)
    xp = array_module(array)
    with current_for(array):
        if array.size != n or (n and bool((xp.sort(array) != xp.arange(n)).any())):
            raise InputError(
                name, f"a permutation of 0 to {n - 1:,}", Words(f"an array of shape {array.shape}")
            )
    return array


def of_mask(row_offsets: Any, column_offsets: Any, keep: Any) -> Fields:
    """Return a pattern with one block per group of rows; adjacent groups of columns are joined."""
    rows, columns = _offsets(row_offsets, "rows"), _offsets(column_offsets, "columns")
    columns = in_memory_of(columns, rows)
    is_sparse = hasattr(keep, "tocoo")  # of SciPy
    keep = keep if is_sparse else as_array(keep, "keep")
    shape = (rows.size - 1, columns.size - 1)
    are_pairs = not is_sparse and keep.dtype.kind in "iu" and keep.shape[1:] == (2,)
    if not are_pairs and tuple(keep.shape) != shape:
        expected = f"of shape {shape}, the numbers of groups, or pairs of groups (P, 2)"
        remedy = "The offsets have one entry more than there are groups."
        raise wrong_shape("keep", expected, keep, remedy)
    with current_for(rows):
        xp = array_module(rows)
        if are_pairs or is_sparse:
            if is_sparse:
                entries = keep.tocsr().tocoo()
                some = entries.data != 0
                keep = np.stack([entries.row[some], entries.col[some]], axis=1)
            row, column = in_memory_of(keep, rows).T
            row = checked_rows(row, "keep[:, 0]", shape[0])
            column = checked_rows(column, "keep[:, 1]", shape[1])
            pair = without_repeats(row * max(shape[1], 1) + column)
            group, column = pair // max(shape[1], 1), pair % max(shape[1], 1)
        elif keep.dtype.kind != "b":
            raise wrong_dtype("keep", "an array of bools", keep, "Use keep != 0.")
        else:
            group, column = xp.nonzero(in_memory_of(keep, rows))
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
    if not isinstance(ranges, (tuple, list)) or len(ranges) != len(KEOPS_NAMES):
        is_sequence = isinstance(ranges, (tuple, list))
        got = Words(f"{len(ranges)} of them" if is_sequence else type(ranges).__name__)
        raise InputError("ranges", f"a tuple of six arrays {', '.join(KEOPS_NAMES)}", got)
    given = zip(ranges, KEOPS_NAMES, KEOPS_WIDTHS, strict=True)
    arrays = in_one_memory(KEOPS_NAMES, [integers(*array) for array in given])
    with current_for(arrays[0]):
        last = [int(a[..., -1].max()) if a.size else 0 for a in arrays]
        n_rows = max(last[0], last[5]) if n_rows is None else n_rows
        n_columns = max(last[2], last[3]) if n_columns is None else n_columns
        xp = array_module(arrays[0])
        for k in (1, 4):
            arrays[k] = xp.concatenate([xp.zeros(1, np.int64), arrays[k]])
        return (*arrays[:3], n_rows, n_columns), (*arrays[3:], n_columns, n_rows)
