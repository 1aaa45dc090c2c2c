"""Rows of single simplices, read out of the rows of their segments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..primitives import exclusive_scan
from .rows import Rows


def rows_at(
    rows: Sequence[Rows],
    segments: np.ndarray,
    segment_of: np.ndarray,
    place: np.ndarray,
    ids: np.ndarray,
) -> Rows:
    """Rows of `ids` (n,): row `place` (n,) of segment `segment_of` (n,).

    `rows` are those of `segments`, which ascend. O(rows of the segments + items of the result).
    """
    if len(rows) == 1 and len(ids) == 1:
        return _one(rows[0], int(place[0]), ids)
    n_rows = exclusive_scan(np.array([len(r) for r in rows], np.int64))
    at = n_rows[segments.searchsorted(segment_of)] + place
    items = np.concatenate([r.items for r in rows]) if len(rows) > 1 else rows[0].items
    width = rows[0].width
    if rows[0].offsets is None:
        return _fixed(Rows(ids, items.reshape(-1, width or 1)[at].ravel(), None, width))
    starts = [np.asarray(r.offsets) for r in rows]
    n_items = exclusive_scan(np.array([r.items.size for r in rows], np.int64))
    lengths = np.concatenate([np.diff(at_rows) for at_rows in starts])
    begins = np.concatenate([at_rows[:-1] + n_items[j] for j, at_rows in enumerate(starts)])
    offsets = exclusive_scan(lengths[at])
    source = np.repeat(begins[at] - offsets[:-1], lengths[at]) + np.arange(int(offsets[-1]))
    return _fixed(Rows(ids, items[source], offsets))


def _one(rows: Rows, i: int, ids: np.ndarray) -> Rows:
    if rows.offsets is None:
        width = rows.width or 0
        return Rows(ids, rows.items[i * width : (i + 1) * width], None, rows.width)
    begin, end = rows.offsets[i : i + 2].tolist()
    return Rows(ids, rows.items[begin:end], np.array([0, end - begin]))


def _fixed(rows: Rows) -> Rows:
    for array in (rows.items, rows.offsets):
        if array is not None:
            array.flags.writeable = False
    return rows
