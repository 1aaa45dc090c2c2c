"""Persistence diagrams: pairs of births and deaths, with their cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..arguments import as_real, checked_whole
from ..device import Array, array_module, as_array, checked_rows, current_for, in_memory_of, to_host
from ..errors import InputError, wrong_shape
from ..kernels import NONE
from ..plotting.charts import chart_of_bars
from ..primitives import at, compact, is_within
from ..results import Table

CLEAR_RATIO, CLEAR_SCORE = 1.3, 3.0  # of a gap in the persistence curve


@dataclass(frozen=True, eq=False, repr=False)
class PersistenceDiagram(Table):
    """Pairs of persistent homology, sorted by (dimension, birth, death) in the filtration's order.

    Attributes
    ----------
    dimension : (n,) int8 array
        Dimension of the class.
    birth, death : (n,) float64 array
        In the unit of the values; the death of an essential class is inf.
    persistence : (n,) float64 array
        Their difference, computed exactly in the dtype of the input and rounded once.
    birth_cell, death_cell : (n,) int64 array
        Ids of the cells that create and destroy the class; -1 for missing deaths.
    birth_row, death_row : (n,) int64 array
        Rows of these cells in the table of cells; -1 for missing deaths.

    Examples
    --------
    >>> import separatrix as sx
    >>> pairs = sx.persistence_diagram([0.0, 5.0, 4.0, 9.0, 1.0])
    >>> pairs.of_dimension(0).tolist()
    [[0.0, inf], [1.0, 9.0], [4.0, 5.0]]
    >>> pairs.above(2.0).birth.tolist()
    [0.0, 1.0]
    """

    dimension: Array
    birth: Array
    death: Array
    persistence: Array
    birth_cell: Array
    death_cell: Array
    birth_row: Array
    death_row: Array

    def _summary(self) -> str:
        with current_for(self.dimension):
            dimensions = range(int(self.dimension.max()) + 1 if len(self) else 0)
            counts = tuple(int((self.dimension == d).sum()) for d in dimensions)
        return f"{len(self):,} pairs: {counts} by dimension"

    @property
    def is_essential(self) -> Array:
        """Mask (n,) bool of the essential classes, which have no death."""
        with current_for(self.death_row):
            return self.death_row == NONE

    @property
    def n_artifacts(self) -> int:
        """Number of cells in pairs of zero persistence, artifacts of the order of equal values."""
        with current_for(self.persistence):
            return 2 * int((self.persistence == 0).sum())

    def where(self, chosen: Array) -> PersistenceDiagram:
        """Return the pairs that `chosen`, a mask (n,) bool or rows, selects, in their order.

        Raises InputError if it is neither.
        """
        expected = f"a mask of shape ({len(self)},) or an array of rows"
        rows = as_array(chosen, "chosen", expected)
        is_mask = rows.dtype.kind == "b"
        if rows.ndim != 1 or (is_mask and len(rows) != len(self)):
            raise wrong_shape("chosen", expected, rows)
        rows = in_memory_of(
            rows if is_mask else checked_rows(rows, "chosen", len(self)), self.dimension
        )
        with current_for(self.dimension):
            rows = compact(rows) if is_mask else rows
            return PersistenceDiagram(
                **{field.name: at(getattr(self, field.name), rows) for field in fields(self)}
            )

    def of_dimension(self, dimension: int) -> Array:
        """Return the births and deaths (m, 2) float64 of one dimension."""
        with current_for(self.dimension):
            rows = self.dimension == checked_whole(dimension, "dimension", 0, 127)
            return array_module(self.birth).stack([self.birth[rows], self.death[rows]], axis=1)

    def above(self, level: float) -> PersistenceDiagram:
        """Return the pairs with a persistence of at least `level`, which simplification keeps."""
        least = as_real(level)
        if math.isnan(least):
            raise InputError("level", "a number", level)
        with current_for(self.persistence):
            return self.where(self.persistence >= least)

    def nonzero(self) -> PersistenceDiagram:
        """Return the pairs with positive persistence."""
        with current_for(self.persistence):
            return self.where(is_within(self.persistence.view(np.int64), 1))

    def plot(self, axes: Any = None, *, kind: str = "diagram") -> Any:
        """Draw the pairs with Matplotlib, colored by dimension, and return the axes.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            By default those of a new figure.
        kind : {"diagram", "barcode", "curves"}
            Points at (birth, death); one line per pair; or the number of pairs of at least each
            persistence. Pairs of zero persistence are omitted, and triangles denote essential ones.
        """
        return chart_of_bars(axes, kind, self.dimension, self.birth, self.death)

    def suggested_threshold(self) -> float:
        """Return a threshold in the clearest gap of the persistence curve.

        The threshold is the geometric mean of two consecutive persistences of finite pairs: those
        with the largest k log r, where r is their ratio, and k is the number of pairs above. If
        persistences above some level decrease as a power law, the k log r of all k have the same
        exponential distribution (Rényi 1953), so r alone would favor the few largest pairs, whose
        ratios are large by chance. A gap is clear if k log r is at least 3 and r at least 1.3,
        which pure noise rarely exceeds. The lower persistence must be at least the median, because
        most pairs of measured data are noise and the smallest ones differ by any factor. The
        smallest persistence, the step of quantized data, is added to it before the comparison.
        Without a clear gap, the threshold is 0.0. Takes O(n log n) time.

        Examples
        --------
        >>> import separatrix as sx
        >>> values = [0.0, 2.0, 1.75, 4.0, 2.0, 2.25] * 3 + [0.0]
        >>> sx.persistence_diagram(values).suggested_threshold()
        1.0
        """
        with current_for(self.persistence):
            is_counted = (self.persistence > 0) & ~self.is_essential
            counted = np.sort(to_host(self.persistence[is_counted]))
        if counted.size < 2:
            return 0.0
        low, high = counted[:-1], counted[1:]
        with np.errstate(over="ignore"):
            ratio = np.where(low >= np.median(counted), high / (low + counted[0]), 1.0)
        score = np.arange(low.size, 0, -1) * np.log(np.maximum(ratio, 1.0))
        score[ratio < CLEAR_RATIO] = 0.0
        widest = int(score.argmax())
        if score[widest] < CLEAR_SCORE:
            return 0.0
        return float(np.sqrt(low[widest]) * np.sqrt(high[widest]))

    def curve(self, dimension: int | None = None) -> tuple[Array, Array]:
        """Return the persistence curve: levels (m,) ascending, and the pairs at or above each.

        Parameters
        ----------
        dimension : int, optional
            Count only pairs of this dimension.

        Returns
        -------
        levels : (m,) float64 array
            Distinct persistences of finite pairs.
        counts : (m,) int64 array
            Number of pairs, including essential ones.
        """
        xp = array_module(self.persistence)
        with current_for(self.persistence):
            counted = xp.ones(self.persistence.size, bool)
            if dimension is not None:
                counted = self.dimension == checked_whole(dimension, "dimension", 0, 127)
            finite = counted & ~self.is_essential
            levels, first = xp.unique(xp.sort(self.persistence[finite]), return_index=True)
            return levels, (int(counted.sum()) - first).astype(np.int64)

    def betti_curve(self, dimension: int) -> tuple[Array, Array]:
        """Return the Betti numbers of a dimension as a function of the filtration's values.

        Parameters
        ----------
        dimension : int
            Dimension of the classes.

        Returns
        -------
        levels : (m,) float64 array
            Distinct births and deaths, ascending.
        counts : (m,) int64 array
            Number of classes that are alive at each level, and until the next one.

        Examples
        --------
        >>> import separatrix as sx
        >>> levels, counts = sx.persistence_diagram([0.0, 5.0, 4.0, 9.0, 1.0]).betti_curve(0)
        >>> levels.tolist(), counts.tolist()
        ([0.0, 1.0, 4.0, 5.0, 9.0], [1, 2, 3, 2, 1])
        """
        ends = self.of_dimension(dimension)
        xp = array_module(ends)
        with current_for(ends):
            births, deaths = (xp.sort(column) for column in ends.T)
            levels = xp.unique(xp.concatenate([births, deaths[deaths < math.inf]]))
            counts = (xp.searchsorted(of, levels, side="right") for of in (births, deaths))
            born, dead = (count.astype(np.int64, copy=False) for count in counts)
            return levels, born - dead
