"""What a reduction works on: points and values checked, sorted as the pattern says, on the device.

Rows are the points that results belong to and columns those reduced over, whatever the axis.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..device import Session, array_module
from ..device.arrays import as_array
from ..device.base import Array
from ..errors import InputError
from ..primitives import converted
from ..spatial.pattern import BlockPattern
from .formulas import MAX_PARAMETERS, Chosen

FLOATS = ("float32", "float64")


@dataclass(frozen=True)
class Problem:
    """A reduction's input on the device.

    `rows` (n_rows, d) sorted, d at least 3, filled with zeros; `points` (n_columns, D) and `values`
    (n_columns, E) or None sorted; `row_order`, `column_order`: int64, the caller's index of each
    sorted position; `blocks`, `offsets`, `intervals`: the pattern, int64; `parameters` (8,);
    `squared_radius` in the precision of the points, infinite where there is no radius;
    `triangle` 1 or -1 if only columns whose position is beyond or before the row's count, else 0.
    """

    session: Session
    chosen: Chosen
    dtype: np.dtype
    rows: Array
    points: Array
    values: Array | None
    row_order: Array
    column_order: Array
    blocks: Array
    offsets: Array
    intervals: Array
    parameters: Array
    squared_radius: float
    triangle: int

    @property
    def n_rows(self) -> int:
        """How many results there are."""
        return int(self.rows.shape[0])

    @property
    def n_columns(self) -> int:
        """How many points are reduced over."""
        return int(self.points.shape[0])

    @property
    def n_dimensions(self) -> int:
        """Coordinates of a point."""
        return int(self.points.shape[1])

    @property
    def n_values(self) -> int:
        """Values of a column."""
        return 0 if self.values is None else int(self.values.shape[1])


def checked_points(data: Any, name: str) -> Array:
    """Points (n, D) of float32 or float64, D from 1. Raises InputError; finiteness comes later."""
    points = as_array(data, name)
    if points.ndim != 2 or points.shape[1] < 1:
        raise InputError(
            f"{name} must have shape (n, D), a row of D coordinates a point, got {points.shape}"
        )
    if points.dtype.newbyteorder("=").name not in FLOATS:
        raise InputError(
            f"{name} must be float32 or float64, got {points.dtype}; "
            f"convert it, for example {name}.astype('float64')"
        )
    return points


def checked_values(data: Any, n: int, dtype: np.dtype, of: str, name: str = "values") -> Array:
    """Values (n,) or (n, E) of the dtype of the points. Raises InputError."""
    values = as_array(data, name)
    if values.ndim not in (1, 2) or values.shape[0] != n or 0 in values.shape[1:]:
        raise InputError(
            f"{name} must have shape ({n},) or ({n}, E), one row for each point of {of}, "
            f"got {values.shape}"
        )
    if values.dtype.newbyteorder("=") != dtype:
        raise InputError(
            f"{name} must have the dtype of the points, {dtype}, got {values.dtype}; "
            f"convert them, for example {name}.astype('{dtype}')"
        )
    return values


def check_finite(array: Array, name: str) -> None:
    """Refuse NaN and infinity in an array on the device. Raises InputError."""
    xp = array_module(array)
    finite = xp.isfinite(array)
    if bool(finite.all()):
        return
    first = int(xp.argmin(finite.ravel()))
    n_bad = int(finite.size - finite.sum())
    index = ", ".join(str(int(k)) for k in np.unravel_index(first, array.shape))
    raise InputError(
        f"{name} must be finite: {name}[{index}] is {float(array.ravel()[first])} "
        f"({n_bad:,} such value{'s' * (n_bad != 1)}); drop those points or mend them"
    )


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
    """Sort points and values as the pattern's blocks have them, in `dtype`.

    Arrays are on the device already. The parameters and the squared radius are rounded to `dtype`.
    """
    xp = session.device.xp
    n_rows, n_dimensions = rows.shape
    row_order = _order(session, pattern.row_order, n_rows)
    column_order = _order(session, pattern.column_order, columns.shape[0])
    sorted_rows = session.device.zeros((n_rows, max(3, n_dimensions)), dtype)
    rows, columns = (converted(session.device, array, dtype) for array in (rows, columns))
    sorted_rows[:, :n_dimensions] = rows if pattern.row_order is None else rows[row_order]
    points = columns if pattern.column_order is None else columns[column_order]
    if values is not None:
        values = converted(session.device, values.reshape(values.shape[0], -1), dtype)
        values = values if pattern.column_order is None else values[column_order]
    parameters = np.zeros(MAX_PARAMETERS, dtype)
    parameters[: len(chosen.p)] = chosen.p
    squared_radius = float(dtype.type(np.inf if radius is None else float(radius) * float(radius)))
    blocks, offsets, intervals = (
        _integers(session, table) for table in (pattern.blocks, pattern.offsets, pattern.intervals)
    )
    return Problem(
        session=session,
        chosen=chosen,
        dtype=dtype,
        rows=sorted_rows,
        points=points,
        values=values,
        row_order=row_order,
        column_order=column_order,
        blocks=blocks,
        offsets=offsets,
        intervals=intervals,
        parameters=xp.asarray(parameters),
        squared_radius=squared_radius,
        triangle=triangle,
    )


def by_components(
    problem: Problem, has_factors: bool, out: Array, most: int
) -> Iterator[tuple[Problem, Array]]:
    """The problem with up to `most` columns of its factors at a time, and their part of `out`.

    The part is stored when the caller comes for the next.
    """
    n_components = out.shape[1]
    if not has_factors or n_components <= most or problem.values is None:
        yield problem, out
        return
    for first in range(0, n_components, most):
        columns = slice(first, min(first + most, n_components))
        part = out[:, columns].copy(order="C")
        yield replace(problem, values=problem.values[:, columns]), part
        out[:, columns] = part


def _integers(session: Session, array: Array) -> Array:
    xp = session.device.xp
    return xp.ascontiguousarray(session.upload(array), dtype=xp.int64)


def _order(session: Session, order: Array | None, n: int) -> Array:
    xp = session.device.xp
    return xp.arange(n, dtype=xp.int64) if order is None else _integers(session, order)
