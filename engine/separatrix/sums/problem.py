"""Input of a reduction on the device: points and values in the order of the pattern.

Rows are the points with results, and columns are the points reduced over, for either axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..device import Array, Session, is_on_gpu
from ..primitives import converted
from ..spatial.pattern import BlockPattern
from .bound_formula import BoundFormula
from .checks import as_columns

FEW_BLOCKS = 64  # of a pattern, whose tables are prepared faster on the host


@dataclass(frozen=True)
class Problem:
    """Input of a reduction on the device, sorted by the pattern."""

    session: Session
    chosen: BoundFormula
    dtype: np.dtype
    n_dimensions: int
    rows: Array  # (n_rows, d): coordinates, padded with zeros to 3 or more, then variables
    points: Array  # (n_columns, d'): the same; coordinates are padded if there are variables
    values: Array | None  # (n_columns, E)
    row_order: Array  # int64, the caller's index of each sorted position
    column_order: Array
    pattern: BlockPattern  # on the device; on a GPU, tables of few blocks may be on the host
    parameters: Array  # (8,), or more
    squared_radius: float  # in the precision of the points; may be infinite
    triangle: int  # 1 or -1 if only columns after or before the row count, else 0
    near: BoundFormula | None = None  # whether a pair counts, if not all do

    @property
    def n_rows(self) -> int:
        return int(self.rows.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.points.shape[0])

    @property
    def n_values(self) -> int:
        return 0 if self.values is None else int(self.values.shape[1])


def make_problem(
    session: Session,
    chosen: BoundFormula,
    rows: Array,
    columns: Array,
    values: Array | None,
    pattern: BlockPattern,
    radius: float | None,
    triangle: int,
    dtype: np.dtype,
    of_rows: Sequence[Array] = (),
    of_columns: Sequence[Array] = (),
) -> Problem:
    """Sort points and values on the device by the pattern, and round all numbers to `dtype`.

    `of_rows` and `of_columns` are variables, (n_rows, d) and (n_columns, d).
    """
    xp = session.device.xp
    n_rows, n_dimensions = rows.shape
    rows = _with_variables(session, rows, of_rows, dtype, 3)
    columns = _with_variables(session, columns, of_columns, dtype, 3 if of_columns else 0)
    is_short = session.device.is_cuda and pattern.n_blocks <= FEW_BLOCKS
    if not is_short or is_on_gpu(pattern.blocks):
        pattern = pattern.on(session.upload)
    row_order, column_order = (
        xp.arange(n, dtype=xp.int64) if order is None else session.upload(order)
        for order, n in ((pattern.row_order, n_rows), (pattern.column_order, len(columns)))
    )
    rows = rows if pattern.row_order is None else rows[row_order]
    if values is not None:
        values = converted(session.device, as_columns(values), dtype)
    if pattern.column_order is not None:
        columns = columns[column_order]
        values = None if values is None else values[column_order]
    parameters = np.zeros(max(8, len(chosen.p)), dtype)
    parameters[: len(chosen.p)] = chosen.p
    squared_radius = float(dtype.type(np.inf if radius is None else float(radius) * float(radius)))
    return Problem(
        session=session,
        chosen=chosen,
        dtype=dtype,
        n_dimensions=n_dimensions,
        rows=xp.ascontiguousarray(rows),
        points=columns,
        values=values,
        row_order=row_order,
        column_order=column_order,
        pattern=pattern,
        parameters=xp.asarray(parameters),
        squared_radius=squared_radius,
        triangle=triangle,
    )


def _with_variables(
    session: Session, points: Array, variables: Sequence[Array], dtype: np.dtype, n_least: int
) -> Array:
    """Return points, padded with zeros, and their variables as one array of `dtype`."""
    arrays = [converted(session.device, array, dtype) for array in (points, *variables)]
    padding = n_least - points.shape[1]
    if padding > 0:
        arrays.insert(1, session.device.zeros((len(points), padding), dtype))
    return arrays[0] if len(arrays) == 1 else session.device.xp.concatenate(arrays, axis=1)


def by_components(
    problem: Problem, has_factors: bool, out: Array, most: int
) -> Iterator[tuple[Problem, Array]]:
    """Yield the problem with up to `most` of its factors or results, and their part of `out`."""
    n_components = out.shape[1]
    if n_components <= most:
        yield problem, out
        return
    for first in range(0, n_components, most):
        end = min(first + most, n_components)
        part = out[:, first:end].copy(order="C")
        if has_factors and problem.values is not None:
            yield replace(problem, values=problem.values[:, first:end]), part
        else:
            yield replace(problem, chosen=problem.chosen.results(first, end)), part
        out[:, first:end] = part
