"""Separatrices: arcs between saddles and extrema, the lines drawn of them, and surfaces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.base import Array
from ..kernels import NONE
from ..repr_mixin import ReprMixin
from .connectors.table import Connectors
from .critical import indices_of
from .model import MorseGradient

Polylines = tuple[Array, Array, Array, Array]
"""Points (p, 3), cell ids (p,), cell dimensions (p,), and offsets (m + 1,), on the device."""


@dataclass(frozen=True, eq=False, repr=False)
class ExtremumArcs(ReprMixin):
    """Arcs on the device, two per saddle: arc 2s + side belongs to row s of `saddles`.

    ``saddles`` (s,) int64 as kernels name them; ``extremum`` (2s,) int32, k of the k-th extremum,
    -1 outside. Subclasses hold the data from which each kind of complex draws them.
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
    ``source`` and ``destination`` (m,) int64 are rows of the critical cells, destination -1 if the
    line leaves the domain. A saddle on the boundary whose line leaves at once has one point.
    ``separatrix`` (m,) int64 numbers arcs: several consecutive lines form one connector of two
    saddles. A line that crosses a period continues beyond the box: it starts at the position of the
    saddle and ends whole periods away from that of the extremum.
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


@dataclass(frozen=True, eq=False, repr=False)
class SeparatrixSurfaces(ReprMixin):
    """Polygons, f of them, on p shared points.

    ``points`` (p, 3) float64 with the ``cell_id`` (p,) int64 and ``cell_dimension`` (p,) int8 of
    the cells whose centers they are; polygon i has the rows ``corners[offsets[i]]`` to
    ``corners[offsets[i + 1]]`` of points, ``offsets`` (f + 1,) and ``corners`` int64; ``source``
    (f,) int64, row of the critical cells; ``polygon_cell_id`` (f,) int64, the square or triangle
    that is drawn, or the edge around which the polygon lies. On an image each polygon has four
    corners; one that crosses a period has corners beyond the box: there the surface has two edges,
    a period apart. Around an edge at which parts of a mesh touch, the part that the V-path comes
    from is drawn.
    """

    points: Array
    cell_id: Array
    cell_dimension: Array
    offsets: Array
    corners: Array
    source: Array
    polygon_cell_id: Array

    def _summary(self) -> str:
        return f"{self.offsets.size - 1:,} polygons on {len(self.points):,} points"


def lines_of_arcs(
    gradient: MorseGradient, polylines: Polylines, arcs: ExtremumArcs, kind: str
) -> Separatrices:
    """Return the lines of all arcs of one kind, in their order."""
    xp = gradient.session.device.xp
    extrema, saddles = map(gradient.rows, indices_of(kind, gradient.dimension))
    number = xp.arange(arcs.extremum.size, dtype=np.int64)
    destination = arcs.extremum + np.int64(extrema.start)
    destination = xp.where(arcs.extremum < 0, np.int64(NONE), destination)
    columns = (*polylines, saddles.start + number // 2, destination, number)
    return Separatrices(*map(gradient.session.result, columns))


def lines_of_connectors(
    gradient: MorseGradient, polylines: Polylines, connectors: Connectors, numbers: Array
) -> Separatrices:
    """Return the lines of all connectors; line i belongs to connector numbers[i]."""
    lower, upper = (gradient.rows(index).start for index in (1, 2))
    source = connectors.items[numbers].astype(np.int64) + lower
    columns = (*polylines, source, connectors.upper()[numbers] + upper, numbers)
    return Separatrices(*map(gradient.session.result, columns))
