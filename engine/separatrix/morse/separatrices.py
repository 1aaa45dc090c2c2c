"""1-separatrices: arcs between saddles and extrema, and polylines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.base import Array
from ..kernels import NONE
from ..repr_mixin import ReprMixin
from .connectors.table import Connectors
from .model import MorseGradient

Polylines = tuple[Array, Array, Array, Array]
"""Points (p, 3), cell ids (p,), cell dimensions (p,), and offsets (m + 1,), on the device."""


@dataclass(frozen=True, eq=False, repr=False)
class ExtremumArcs(ReprMixin):
    """Arcs on the device, two per saddle: arc 2s + side belongs to row s of `saddles`.

    ``saddles`` (s,) int64 as kernels name them; ``extremum`` (2s,) int32, k of the k-th extremum,
    -1 outside. Subclasses hold what each kind of complex draws them from.
    """

    saddles: Array
    extremum: Array

    def _summary(self) -> str:
        return f"{self.extremum.size:,} arcs"


@dataclass(frozen=True, eq=False, repr=False)
class Separatrices(ReprMixin):
    """Polylines through cell centers, from saddle to extremum; m lines, p points in all.

    ``points`` (p, 3) float64, ``cell_id`` (p,) int64 and ``cell_dimension`` (p,) int8 of the cells
    passed; line i has points ``offsets[i]`` to ``offsets[i + 1]``, ``offsets`` (m + 1,) int64;
    ``source`` and ``destination`` (m,) int64 are rows of the critical cells, destination -1 where
    the line leaves the domain. A saddle in the boundary that leaves at once is a line of one point.
    ``separatrix`` (m,) int64 counts arcs: several lines form one connector of two saddles, and
    follow each other. A line that crosses a period goes on beyond the box: it starts at the
    saddle's position and ends whole periods away from the extremum's.
    """

    points: Array
    cell_id: Array
    cell_dimension: Array
    offsets: Array
    source: Array
    destination: Array
    separatrix: Array

    def _summary(self) -> str:
        return f"{self.offsets.size - 1:,} lines through {len(self.points):,} points"


def lines_of_arcs(
    gradient: MorseGradient, polylines: Polylines, arcs: ExtremumArcs, kind: str
) -> Separatrices:
    """The lines of all arcs of one kind, in their order."""
    descending, xp = kind == "descending", gradient.session.device.xp
    saddles = gradient.rows(1 if descending else gradient.dimension - 1)
    extrema = gradient.rows(0 if descending else gradient.dimension)
    number = xp.arange(arcs.extremum.size, dtype=np.int64)
    destination = arcs.extremum + np.int64(extrema.start)
    destination = xp.where(arcs.extremum < 0, np.int64(NONE), destination)
    columns = (*polylines, saddles.start + number // 2, destination, number)
    return Separatrices(*map(gradient.session.result, columns))


def lines_of_connectors(
    gradient: MorseGradient, polylines: Polylines, connectors: Connectors, numbers: Array
) -> Separatrices:
    """The lines of all connectors; line i belongs to connector numbers[i]."""
    lower, upper = (gradient.rows(index).start for index in (1, 2))
    source = connectors.lower[numbers].astype(np.int64) + lower
    columns = (*polylines, source, connectors.upper()[numbers] + upper, numbers)
    return Separatrices(*map(gradient.session.result, columns))
