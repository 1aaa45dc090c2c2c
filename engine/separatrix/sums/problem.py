"""Input of a reduction on the device: points and values in the order of the pattern.

Rows are the points with results, and columns are the points reduced over, for either axis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..device import Session
from ..device.base import Array
from ..primitives import converted
from ..spatial.pattern import BlockPattern
from .formulas import MAX_PARAMETERS, Chosen


@dataclass(frozen=True)
class Problem:
    """Input of a reduction on the device, sorted by the pattern."""

    session: Session
    chosen: Chosen
    dtype: np.dtype
    rows: Array  # (n_rows, d), d at least 3, padded with zeros
    points: Array  # (n_columns, D)
    values: Array | None  # (n_columns, E)
    row_order: Array  # int64, the caller's index of each sorted position
    column_order: Array
    pattern: BlockPattern  # on the device
    parameters: Array  # (8,)
    squared_radius: float  # in the precision of the points; may be infinite
    triangle: int  # 1 or -1 if only columns after or before the row count, else 0

    @property
    def n_rows(self) -> int:
        return int(self.rows.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.points.shape[0])

    @property
    def n_dimensions(self) -> int:
        return int(self.points.shape[1])

    @property
    def n_values(self) -> int:
        return 0 if self.values is None else int(self.values.shape[1])


def make_problem(
    session: Session,
    chosen: Chosen,
    rows: Array,
    columns: Array,
    values: Array | None,
    pattern: BlockPattern,
    radius: float | None,
    triangle: int,
    dtype: np.dtype,
) -> Problem:
    """Sort points and values on the device by the pattern, and round all numbers to `dtype`."""
    xp = session.device.xp
    n_rows, n_dimensions = rows.shape
    pattern = pattern.on(lambda array: xp.ascontiguousarray(session.upload(array), dtype=xp.int64))
    row_order, column_order = (
        xp.arange(n, dtype=xp.int64) if order is None else order
        for order, n in ((pattern.row_order, n_rows), (pattern.column_order, len(columns)))
    )
    sorted_rows = session.device.zeros((n_rows, max(3, n_dimensions)), dtype)
    rows, columns = (converted(session.device, array, dtype) for array in (rows, columns))
    sorted_rows[:, :n_dimensions] = rows if pattern.row_order is None else rows[row_order]
    if values is not None:
        values = converted(session.device, values.reshape(values.shape[0], -1), dtype)
    if pattern.column_order is not None:
        columns = columns[column_order]
        values = None if values is None else values[column_order]
    parameters = np.zeros(MAX_PARAMETERS, dtype)
    parameters[: len(chosen.p)] = chosen.p
    squared_radius = float(dtype.type(np.inf if radius is None else float(radius) * float(radius)))
    return Problem(
        session=session,
        chosen=chosen,
        dtype=dtype,
        rows=sorted_rows,
        points=columns,
        values=values,
        row_order=row_order,
        column_order=column_order,
        pattern=pattern,
        parameters=xp.asarray(parameters),
        squared_radius=squared_radius,
        triangle=triangle,
    )


def by_components(
    problem: Problem, has_factors: bool, out: Array, most: int
) -> Iterator[tuple[Problem, Array]]:
    """Yield the problem with up to `most` of its factors, and their part of `out`."""
    n_components = out.shape[1]
    if not has_factors or n_components <= most or problem.values is None:
        yield problem, out
        return
    for first in range(0, n_components, most):
        columns = slice(first, min(first + most, n_components))
        part = out[:, columns].copy(order="C")
        yield replace(problem, values=problem.values[:, columns]), part
        out[:, columns] = part
