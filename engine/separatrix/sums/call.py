"""A checked reduction over pairs, computed on a device."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import log, sqrt
from typing import Any

import numpy as np

from ..device import Array, Progress, Session, to_host
from ..primitives import converted
from ..spatial.pattern import BlockPattern
from ..spatial.periodic import images, wrapped
from ..spatial.radius_patterns import STAGES, cell_pattern
from .bound_formula import BoundFormula, bind_formula
from .checks import check_length, checked_coordinates, checked_finite
from .formulas import check_parameters
from .nearest_images import of_nearest_images, reads_places
from .problem import make_problem
from .reductions import IN_DTYPE, OF_FACTORS, reduced, returns_values
from .tree import Node, X, Y

REACH = 1  # cells per radius of the automatic pattern; more are slower on the CPU
REACH_OF_VALUES = 2  # of the pattern of the values that are not 0
LEFT_OUT = 0.5  # fraction of the pairs from which that pattern is worthwhile
LEAST_EXPONENT = -126 * log(2)  # below it, the exponential unit of a GPU gives 0
FEW_PAIRS = 1 << 18  # a pattern is not worthwhile
ROUNDED_UP = 1 + 1e-6  # a float32 squared distance within r^2 may belong to a slightly longer one


@dataclass(frozen=True)
class Call:
    """A reduction with valid arguments, which are those of :func:`separatrix.reduce`."""

    chosen: BoundFormula
    x: Array
    y: Array
    values: Array | None
    of_x: Mapping[str, Array]
    of_y: Mapping[str, Array]
    axis: int
    pattern: BlockPattern | None
    radius: float | None
    reduction: str
    k: int
    accumulate: str | None
    math: str
    device: str | None
    threads: int | None
    memory_limit: int | None
    progress: Progress | None
    box: np.ndarray | None = None  # of periodic points; a radius is less than half of it

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(self.x.dtype).newbyteorder("=")

    def session(self) -> Session:
        return Session(self.x, self.device, self.threads, self.memory_limit)

    @property
    def owner(self) -> int:
        """The points with results, X or Y."""
        return X if self.axis == 1 else Y

    @property
    def reaches_images(self) -> bool:
        """Whether pairs in a periodic box are those with images of the columns near the rows.

        Columns are x for axis 0, so the formula must not read where the points are.
        """
        is_near = self.radius is not None and self.pattern is None
        return is_near and (self.axis == 1 or not reads_places(self.chosen.tree))

    @property
    def has_factors(self) -> bool:
        """Whether there are values that the formula does not read."""
        return self.values is not None and not self.chosen.reads_values

    def having(self, name: str, owner: int, array: Array) -> Call:
        """Return a call with one more variable (n, d) of x or y."""
        if owner == X:
            return replace(self, of_x={**self.of_x, name: array})
        return replace(self, of_y={**self.of_y, name: array})

    def sum_of(self, tree: Node, axis: int, values: Array | None = None) -> Call:
        """Return the call that sums a tree of its variables, times values that it does not read."""
        n_dimensions = self.x.shape[1]
        layout = {"x": ("x", 0), "y": ("y", 0)}
        layout |= {name: at for name, at in self.chosen.layout.items() if at[0] == "p"}
        for array, variables in (("x", self.of_x), ("y", self.of_y)):
            first = max(3, n_dimensions)
            for name, each in variables.items():
                layout[name] = (array, first)
                first += each.shape[1]
        chosen = self.chosen
        chosen = bind_formula(tree, chosen.expression, chosen.p, layout, n_dimensions, axis)
        return replace(self, chosen=chosen, axis=axis, values=values, reduction="sum")

    def result(self) -> Any:
        """Return the result. Raises InputError for numbers that are not finite or out of range."""
        chosen, axis, radius, pattern = self.chosen, self.axis, self.radius, self.pattern
        real = self.dtype if self.reduction in IN_DTYPE else np.dtype(np.float64)
        check_parameters(chosen, real)
        if radius is not None:
            check_length(radius, "radius", real)
        near = None
        if self.box is not None:
            for length in self.box.tolist():
                check_length(length, "boxsize", real)
            if not self.reaches_images:
                adds = self.reduction in OF_FACTORS
                chosen, near = of_nearest_images(chosen, self.box, radius, adds)
                radius = None
        session = self.session()
        stages = {"upload": 0.5, **STAGES, "sorting": 0.5, "reduction": 9.0}
        with session.call(self.progress, stages):
            with session.stage("upload"):
                check = checked_finite
                if radius is not None or chosen.reads_products:
                    least = self.dtype if returns_values(self.reduction) else real
                    check = partial(checked_coordinates, dtype=least)
                x = check(session.upload(self.x), "x")
                y = x if self.y is self.x else check(session.upload(self.y), "y")
                values = self.values
                if values is not None:
                    values = checked_finite(session.upload(values), "values")
                variables = [
                    [checked_finite(session.upload(array), name) for name, array in of.items()]
                    for of in ((self.of_x, self.of_y) if axis == 1 else (self.of_y, self.of_x))
                ]
            rows, columns = (x, y) if axis == 1 else (y, x)
            image_of = None
            if self.box is not None:
                rows, columns = (
                    wrapped(session, converted(session.device, points, np.float64), self.box)
                    for points in (rows, columns)
                )
            if self.box is not None and radius is not None:
                low, reach = np.zeros(self.box.size), radius * ROUNDED_UP
                image_of, columns, _ = images(session, columns, self.box, low, self.box, reach)
                values = None if values is None else values[image_of]
                variables[1] = [array[image_of] for array in variables[1]]
            if pattern is None:
                pattern = self._automatic_pattern(session, chosen, rows, columns, radius)
                triangle = 0
            else:
                triangle = pattern.upper * (1 if axis == 1 else -1)
                if axis == 0:  # the tiles of a triangle, too
                    if pattern.upper:  # others keep their transposed patterns
                        pattern = replace(pattern, upper=False, _is_checked=True)
                    pattern = pattern.transpose()
            with session.stage("sorting"):
                points = (rows, columns, values, pattern, radius, triangle, real)
                problem = make_problem(session, chosen, *points, *variables)
                problem = replace(problem, near=near)
                if image_of is not None:
                    problem = replace(problem, column_order=image_of[problem.column_order])
            with session.stage("reduction"):
                options = (self.reduction, self.k, self.accumulate, self.math)
                return reduced(problem, *options, values, self.dtype)

    def _automatic_pattern(
        self,
        session: Session,
        chosen: BoundFormula,
        rows: Array,
        columns: Array,
        radius: float | None,
    ) -> BlockPattern:
        """Return a pattern of cells of the pairs that count, or of all pairs if that is faster.

        With fast math on a GPU, values that round to 0 do not count in a sum.
        """
        dense = BlockPattern.dense(len(rows), len(columns))
        if rows.shape[1] > 3 or dense.n_rows * dense.n_columns < FEW_PAIRS:
            return dense
        cells_per_radius = REACH
        is_gaussian_sum = chosen.name == "gaussian" and self.reduction == "sum"
        if radius is None and is_gaussian_sum and self.math == "fast" and session.device.is_cuda:
            radius, cells_per_radius = sqrt(-LEAST_EXPONENT / chosen.p[0]), REACH_OF_VALUES
            extents = to_host(columns.max(axis=0) - columns.min(axis=0)).astype(np.float64)
            width = (2 + 1 / cells_per_radius) * radius
            if np.prod(width / np.maximum(extents, width)) > 1 - LEFT_OUT:
                return dense
        if radius is None or np.isinf(radius):
            return dense
        others = None if rows is columns else columns
        fields = cell_pattern(session, rows, others, radius * ROUNDED_UP, cells_per_radius)
        return BlockPattern(*fields, _is_checked=True)
