"""Barcodes as arrays: the bars, and the chains that represent some of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device.arrays import as_array
from ..errors import InputError
from ..kernels.source import constant
from ..plotting.charts import chart_of_bars
from ..plotting.scenes import draw_cycle
from ..results import ReprMixin, Table

MOST_DIMENSION = constant("RIPS_VERTICES") - 2


@dataclass(frozen=True, eq=False, repr=False)
class Representative(ReprMixin):
    """Chain that represents the class of a bar.

    Attributes
    ----------
    bar : int
        Row of the bar in the barcodes.
    dimension : int
        Dimension d of the class.
    simplices : (k, d + 1) int32 ndarray
        The caller's points, ascending within each row.
    coefficients : (k,) int32 ndarray
        1 to p - 1, for simplices oriented by ascending points.
    """

    bar: int
    dimension: int
    simplices: np.ndarray
    coefficients: np.ndarray

    def plot(self, points: Any, plotter: Any = None, *, color: Any = None) -> Any:
        """Draw the simplices on the `points` (n, d), with PyVista, and return the plotter.

        The color is that of the dimension unless it is given; only three coordinates are drawn.
        """
        return draw_cycle(plotter, as_array(points, "points"), self.simplices, color)

    def _summary(self) -> str:
        return f"bar {self.bar}: {len(self.simplices):,} simplices of dimension {self.dimension}"


@dataclass(frozen=True, eq=False, repr=False)
class BarTable(Table):
    """Arrays of :class:`Barcodes`, documented there."""

    dimension: np.ndarray
    birth: np.ndarray
    death: np.ndarray
    birth_edge: np.ndarray
    death_edge: np.ndarray
    n_points: int
    prime: int
    threshold: float
    enclosing_radius: float
    statistics: dict[str, Any]
    timings: dict[str, float]
    representatives: list[Representative] = field(default_factory=list)
    cocycles: list[Representative] = field(default_factory=list)

    def __len__(self) -> int:
        return int(self.dimension.size)

    def _summary(self) -> str:
        dimensions = range(self.statistics["max_dimension"] + 1)
        counts = tuple(int((self.dimension == d).sum()) for d in dimensions)
        return f"{self.n_points:,} points up to {self.threshold:g}: bars {counts}"

    @property
    def persistence(self) -> np.ndarray:
        """Length (k,) float64 of each bar; inf for essential bars."""
        return self.death - self.birth

    @property
    def is_essential(self) -> np.ndarray:
        """Mask (k,) bool of the essential bars, which have no death."""
        return np.isinf(self.death)

    def plot(self, axes: Any = None, *, kind: str = "barcode") -> Any:
        """Draw the bars with Matplotlib, colored by dimension, and return the axes.

        Parameters
        ----------
        axes : matplotlib.axes.Axes, optional
            By default those of a new figure.
        kind : {"diagram", "barcode", "curves"}
            Points at (birth, death); one line per bar; or the number of bars of at least each
            persistence. Bars of zero persistence are omitted, and triangles denote essential bars.
        """
        return chart_of_bars(axes, kind, self.dimension, self.birth, self.death)

    def of_dimension(self, dimension: int) -> np.ndarray:
        """Return the births and deaths (m, 2) float64 of one dimension, as ripser.py does."""
        rows = self.dimension == self._checked_dimension(dimension)
        return np.stack([self.birth[rows], self.death[rows]], axis=1)

    def _checked_dimension(self, dimension: int) -> int:
        dimension = checked_whole(dimension, "dimension", 0, MOST_DIMENSION)
        most = self.statistics["max_dimension"]
        if dimension > most:
            expected = f"at most {most}, the {{max_dimension}} of the barcodes"
            remedy = "Compute them with a larger {max_dimension}."
            raise InputError("dimension", expected, dimension, remedy)
        return dimension
