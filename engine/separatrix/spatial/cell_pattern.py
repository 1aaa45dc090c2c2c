"""The pattern of all pairs within a radius, by the cells of a uniform grid.

1. Rows and columns are sorted by the cells of one grid of edge radius / reach.
2. A block is an occupied cell of rows, with the box around its points.
3. For every column of cells within the radius of the box there is one interval: the run of cells
   along z that the ball reaches. Count, scan, fill; runs that touch are joined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Session
from ..device.base import Array
from ..primitives import exclusive_scan
from .points import bounded_points, checked_dimension
from .uniform_grid import SortedPoints, covered, joint_bounds, sort_points, uniform_grid

STAGES = {"points": 0.2, "grid": 0.5, "pattern": 0.3}


def cell_pattern(
    session: Session, x: Array, y: Array | None, radius: float, reach: int
) -> dict[str, Any]:
    """The fields of the pattern, on the device of `session`, within a call that has STAGES."""
    with session.stage("points"):
        rows = bounded_points(session, x, "x")
        columns = rows if y is None else bounded_points(session, y, "y")
        checked_dimension(rows, columns, most=3)
    with session.stage("grid"):
        grid = uniform_grid(*joint_bounds(rows, columns), covered(radius) / reach, columns)
        sorted_rows = sort_points(session, rows, grid)
        sorted_columns = sorted_rows if columns is rows else sort_points(session, columns, grid)
    with session.stage("pattern"):
        blocks = sorted_rows.blocks(session)
        offsets, intervals = _intervals(session, blocks, sorted_rows, sorted_columns, radius)
        row_order = sorted_rows.order.astype(np.int64)
        same = sorted_columns is sorted_rows
        column_order = row_order if same else sorted_columns.order.astype(np.int64)
    return {
        "blocks": blocks, "offsets": offsets, "intervals": intervals,
        "n_rows": rows.n, "n_columns": columns.n,
        "row_order": row_order, "column_order": column_order, "radius": radius,
    }  # fmt: skip


def _intervals(
    session: Session, blocks: Array, rows: SortedPoints, columns: SortedPoints, radius: float
) -> tuple[Array, Array]:
    """(offsets, intervals) of each block."""
    n_blocks = int(blocks.shape[0])
    if not columns.n:
        return session.device.zeros(n_blocks + 1, np.int64), session.device.empty((0, 2), np.int64)
    grid, *table = columns.cells
    arguments = (grid, *rows.sorted, blocks.reshape(-1), *table, covered(radius) / rows.grid.size)
    count = session.device.empty(n_blocks, np.int64)
    session.launch("count_cell_intervals", n_blocks, *arguments, count)
    offsets = exclusive_scan(count)
    intervals = session.device.empty((int(offsets[-1]), 2), np.int64)
    session.launch("fill_cell_intervals", n_blocks, *arguments, offsets, intervals.reshape(-1))
    return offsets, intervals
