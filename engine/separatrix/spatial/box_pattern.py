"""The pattern of all blocks whose boxes are within a radius of each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Session
from ..device.arrays import as_array, current_for
from ..device.base import Array
from ..errors import InputError
from ..kernels import source
from ..primitives import exclusive_scan
from .clusters import Clusters
from .pattern_checks import checked_runs

STAGES = {"pattern": 1.0}


def box_pattern(x_blocks: Any, y_blocks: Any, radius: float) -> dict[str, Any]:
    """The fields of the pattern, in the caller's place.

    Boxes in their order against boxes under roofs of 32: one that is out of reach hides all.
    """
    rows, row_boxes, row_order = _opened(x_blocks, "x_blocks")
    columns, column_boxes, column_order = _opened(y_blocks, "y_blocks")
    if row_boxes.shape[2] != column_boxes.shape[2]:
        raise InputError(
            f"boxes must have as many coordinates: x_blocks have {row_boxes.shape[2]}, "
            f"y_blocks {column_boxes.shape[2]}"
        )
    session = Session(row_boxes)
    with session.call(None, STAGES), session.stage("pattern"):
        rows, columns = session.upload(rows), session.upload(columns)
        own, others = session.upload(row_boxes), session.upload(column_boxes)
        n, d = int(others.shape[0]), int(others.shape[2])
        n_roofs = -(-n // source.constant("ROOF"))
        roofs = session.device.empty(n_roofs * 2 * d, np.float64)
        session.launch("raise_roofs", n_roofs, others.reshape(-1), n, d, roofs)
        arguments = (own.reshape(-1), roofs, others.reshape(-1), columns.reshape(-1), n, d, radius)
        count = session.device.empty(rows.shape[0], np.int64)
        session.launch("count_box_intervals", count.size, *arguments, count)
        offsets = exclusive_scan(count)
        intervals = session.device.empty((int(offsets[-1]), 2), np.int64)
        flat = intervals.reshape(-1)
        session.launch("fill_box_intervals", count.size, *arguments, offsets, flat)
        arrays = {
            "blocks": rows, "offsets": offsets, "intervals": intervals,
            "row_order": row_order, "column_order": column_order,
        }  # fmt: skip
        placed = {
            n: None if array is None else session.result(array) for n, array in arrays.items()
        }
        extents = {"n_rows": _extent(rows), "n_columns": _extent(columns)}
        return {**placed, **extents, "radius": radius}


def _opened(blocks: Any, name: str) -> tuple[Array, Array, Array | None]:
    """(ranges (B, 2), boxes (B, 2, d) float64, order or None), checked."""
    if isinstance(blocks, Clusters):
        return blocks.ranges, blocks.boxes, blocks.order
    if not isinstance(blocks, (tuple, list)) or len(blocks) != 2:
        raise InputError(f"{name} must be Clusters, or a pair of ranges (B, 2) and boxes (B, 2, d)")
    boxes = as_array(blocks[1], f"{name}[1]")
    ranges = as_array(blocks[0], f"{name}[0]")
    n = len(ranges) if ranges.ndim else 0
    if boxes.ndim != 3 or boxes.shape[1] != 2 or boxes.shape[0] != n:
        raise InputError(
            f"the boxes of {name} must have the shape ({n}, 2, d), one for each "
            f"range, got {tuple(boxes.shape)}"
        )
    if boxes.dtype.kind not in "iuf":
        raise InputError(f"the boxes of {name} must be real numbers, got dtype {boxes.dtype}")
    with current_for(boxes):
        boxes = boxes.astype(np.float64)
        if not bool((boxes[:, 0] <= boxes[:, 1]).all()):
            bad = int((~(boxes[:, 0] <= boxes[:, 1]).all(axis=1)).argmax())
            raise InputError(f"a box must not end before it begins nor be NaN: box {bad} of {name}")
    return checked_runs(ranges, f"the ranges of {name}"), boxes, None


def _extent(ranges: Array) -> int:
    return int(ranges[-1, 1]) if ranges.shape[0] else 0
