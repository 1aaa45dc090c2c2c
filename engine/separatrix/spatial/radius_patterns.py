"""Patterns of all pairs within a radius, from the cells of a grid or from bounding boxes.

From cells: a block is an occupied cell of rows, with the box around its points. Each column of
cells within the radius of the box gives one interval along z; those that touch are joined. In a
periodic box, images of the rows across its faces add their intervals.
From boxes: each box is compared with the bounding boxes of 32 boxes first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Array, Session, as_array, current_for
from ..errors import InputError, Words, wrong_dtype, wrong_shape
from ..kernels import source
from ..primitives import compact, exclusive_scan, row_of_items
from .clusters import Clusters
from .intervals import united
from .pattern_input import checked_runs
from .periodic import images, moved_into
from .points import Points, bounded_pair, require_dimension
from .uniform_grid import covered, joint_bounds, sort_points, uniform_grid

Fields = tuple[Array, Array, Array, int, int, Array | None, Array | None, float]
"""Those of a BlockPattern, up to the radius."""
STAGES = {"points": 0.2, "grid": 0.5, "pattern": 0.3}


def cell_pattern(
    session: Session,
    x: Array,
    y: Array | None,
    radius: float,
    reach: int,
    box: np.ndarray | None = None,
) -> Fields:
    """Return the fields of the pattern on the device, within a call that has STAGES."""
    with session.stage("points"):
        rows, columns = bounded_pair(session, x, y)
        require_dimension(rows, most=3)
        room = covered(radius)
        if box is not None:  # reductions subtract lengths of the box in the dtype of the points
            room += 8 * float(np.finfo(x.dtype).eps * box[np.isfinite(box)].max())
            same, rows = columns is rows, moved_into(session, rows, box)
            columns = rows if same else moved_into(session, columns, box)
    with session.stage("grid"):
        grid = uniform_grid(*joint_bounds(rows, columns), room / reach, columns)
        sorted_rows = sort_points(session, rows, grid)
        sorted_columns = sorted_rows if columns is rows else sort_points(session, columns, grid)
    with session.stage("pattern"):
        blocks = sorted_rows.blocks(session)
        offsets = session.device.zeros(len(blocks) + 1, np.int64)
        found = session.device.empty((0, 2), np.int64)
        if columns.n:
            cells, *table = sorted_columns.cells
            table.append(room / grid.size)
            arguments = (cells, *sorted_rows.sorted, blocks.reshape(-1), *table)
            offsets, found = _counted_and_filled(session, len(blocks), "cell", arguments)
            if box is not None:
                given = (blocks, sorted_rows.planes[-rows.d :, : rows.n], box, columns, room)
                owner, planes, runs = _runs_of_images(session, *given)
                arguments = (cells, planes, planes.shape[1], runs.reshape(-1), *table)
                others = _counted_and_filled(session, len(runs), "cell", arguments)
                xp = session.device.xp
                owner = xp.concatenate([row_of_items(offsets), owner[row_of_items(others[0])]])
                begin, end = xp.concatenate([found, others[1]]).T
                offsets, found = united(owner, begin, end, len(blocks), columns.n)
        row_order = sorted_rows.order.astype(np.int64)
        same = sorted_columns is sorted_rows
        column_order = row_order if same else sorted_columns.order.astype(np.int64)
    return blocks, offsets, found, rows.n, columns.n, row_order, column_order, radius


def _runs_of_images(
    session: Session, blocks: Array, rows: Array, box: np.ndarray, columns: Points, room: float
) -> tuple[Array, Array, Array]:
    """Return the block of each run of images (r,), planes (3, m) of the images, and runs (r, 2).

    Images of sorted rows (d, n) are those across faces of the box, within `room` of the columns.
    """
    xp = session.device.xp
    is_near = xp.zeros(rows.shape[1], bool)
    for axis in np.flatnonzero(np.isfinite(box)).tolist():
        is_near |= rows[axis] >= columns.low[axis] - room + box[axis]
        is_near |= rows[axis] <= columns.high[axis] + room - box[axis]
    near = compact(is_near)
    at = xp.ascontiguousarray(rows[:, near].T)
    owner, at, is_moved = images(session, at, box, columns.low, columns.high, room)
    moved = compact(is_moved)
    owner, at = near[owner[moved]], at[moved]  # ascending for each shift
    planes = session.device.zeros((3, moved.size), np.float64)
    planes[3 - at.shape[1] :] = at.T
    block = xp.searchsorted(xp.ascontiguousarray(blocks[:, 0]), owner, side="right") - 1
    is_new = xp.ones(moved.size, bool)
    is_new[1:] = (block[1:] != block[:-1]) | (owner[1:] <= owner[:-1])
    is_new[:: source.constant("BOUNDED_ROWS")] = True  # longer runs are assumed to share a cell
    first = compact(is_new)
    end = xp.concatenate([first[1:], xp.asarray([moved.size], np.int64)])[: first.size]
    return block[first], planes, xp.stack([first, end], axis=1)


def _counted_and_filled(
    session: Session, n_blocks: int, kind: str, arguments: tuple[Any, ...]
) -> tuple[Array, Array]:
    """Return the offsets and intervals of all blocks, by a counting and a filling kernel."""
    count = session.device.empty(n_blocks, np.int64)
    session.launch(f"count_{kind}_intervals", n_blocks, *arguments, count)
    offsets = exclusive_scan(count)
    intervals = session.device.empty((int(offsets[-1]), 2), np.int64)
    session.launch(f"fill_{kind}_intervals", n_blocks, *arguments, offsets, intervals.reshape(-1))
    return offsets, intervals


def box_pattern(x_blocks: Any, y_blocks: Any, radius: float) -> Fields:
    """Return the fields of the pattern, in the memory of the results. Raises InputError."""
    rows, row_boxes, row_order = _opened(x_blocks, "x_blocks")
    columns, column_boxes, column_order = _opened(y_blocks, "y_blocks")
    if row_boxes.shape[2] != column_boxes.shape[2]:
        raise InputError(
            *("y_blocks", f"boxes with {row_boxes.shape[2]} coordinates, as {{x_blocks}} are"),
            column_boxes.shape[2],
        )
    session = Session(row_boxes)
    with session.call(None, {"pattern": 1.0}), session.stage("pattern"):
        rows, columns = session.upload(rows), session.upload(columns)
        own, others = session.upload(row_boxes), session.upload(column_boxes)
        n, d = int(others.shape[0]), int(others.shape[2])
        n_roofs = -(-n // source.constant("ROOF"))
        roofs = session.device.empty(n_roofs * 2 * d, np.float64)
        session.launch("raise_roofs", n_roofs, others.reshape(-1), n, d, roofs)
        arguments = (own.reshape(-1), roofs, others.reshape(-1), columns.reshape(-1), n, d, radius)
        offsets, intervals = _counted_and_filled(session, len(rows), "box", arguments)
        n_rows, n_columns = (int(a[-1, 1]) if len(a) else 0 for a in (rows, columns))
        result = session.result
        return (
            result(rows), result(offsets), result(intervals), n_rows, n_columns,
            None if row_order is None else result(row_order),
            None if column_order is None else result(column_order),
            radius,
        )  # fmt: skip


def _opened(blocks: Any, name: str) -> tuple[Array, Array, Array | None]:
    """Return validated ranges (B, 2), boxes (B, 2, d) float64, and the order if there is one."""
    if isinstance(blocks, Clusters):
        return blocks.ranges, blocks.boxes, blocks.order
    if not isinstance(blocks, (tuple, list)) or len(blocks) != 2:
        expected = "Clusters, or a pair of ranges (B, 2) and boxes (B, 2, d)"
        raise InputError(name, expected, Words(type(blocks).__name__))
    boxes = as_array(blocks[1], f"{name}[1]")
    ranges = as_array(blocks[0], f"{name}[0]")
    n = len(ranges) if ranges.ndim else 0
    if boxes.ndim != 3 or boxes.shape[1] != 2 or boxes.shape[0] != n:
        raise wrong_shape(f"{name}[1]", f"boxes of shape ({n}, 2, d), one per range", boxes)
    if boxes.dtype.kind not in "iuf":
        raise wrong_dtype(f"{name}[1]", "boxes of real numbers", boxes)
    with current_for(boxes):
        boxes = boxes.astype(np.float64)
        is_valid = (boxes[:, 0] <= boxes[:, 1]).all(axis=1)
        if not bool(is_valid.all()):
            bad = int((~is_valid).argmax())
            low, high = boxes[bad].tolist()
            expected = "boxes whose low corner is not above the high corner"
            raise InputError(f"{name}[1]", expected, Words(f"{low} to {high}"), where=f"[{bad}]")
    return checked_runs(ranges, f"{name}[0]"), boxes, None
