"""Separatrices: arcs between saddles and extrema, their lines, and surfaces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device import Array, array_module, as_array, current_for, to_host
from ..errors import InputError, Words, wrong_dtype
from ..options import known_keywords
from ..primitives import at, compact
from ..results import ReprMixin
from .model import MorseGradient

DIMENSIONS = 4
MOST_ITERATIONS = 100_000  # lines are straight after far fewer

Polylines = tuple[Array, Array, Array, Array]
"""Points (p, 3), cell ids (p,), cell dimensions (p,), and offsets (m + 1,), on the device."""


@dataclass(frozen=True, eq=False, repr=False)
class ExtremumArcs(ReprMixin):
    """Arcs from saddles to extrema on the device, two per saddle.

    Arcs 2s and 2s + 1 belong to row s of ``saddles`` (s,) int64, which are the kernels' ids.
    ``extremum`` (2s,) int32 is k for the k-th extremum, or -1 outside. Subclasses add the data that
    drawing requires.
    """

    saddles: Array
    extremum: Array

    @property
    def n_points(self) -> Array:
        """Number of points (2s,) of the line of each arc."""
        raise NotImplementedError

    def of_rows(self, rows: Array) -> ExtremumArcs:
        """Return only the arcs of some saddles, given by their rows here."""
        raise NotImplementedError

    def _summary(self) -> str:
        return f"{self.extremum.size:,} arcs"


@dataclass(frozen=True, eq=False, repr=False)
class Separatrices(ReprMixin):
    """m polylines with p points through cell centers, from saddles to extrema.

    Attributes
    ----------
    points : (p, 3) float64
        On a periodic image, a line may continue beyond the image. It begins at the position of the
        saddle and ends a whole number of periods away from the position of the extremum.
    cell_id, cell_dimension : (p,) int64 and int8
        Cells that the lines pass through.
    offsets : (m + 1,) int64
        Line i has the points offsets[i] to offsets[i + 1] - 1. A line that leaves the domain
        immediately, from a saddle on the boundary, has one point.
    source, destination : (m,) int64
        Rows of the critical cells; the destination is -1 if the line leaves the domain.
    separatrix : (m,) int64
        Number of the arc. A connector of two saddles can consist of several consecutive lines.
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
    """f polygons with p shared points.

    Attributes
    ----------
    points : (p, 3) float64
        Centers of cells. On a periodic image, a polygon may have corners beyond the image; the
        surface then has two edges, one period apart.
    cell_id, cell_dimension : (p,) int64 and int8
        Cells at whose centers the points are.
    offsets, corners : (f + 1,) and (c,) int64
        Polygon i has the points corners[offsets[i]] to corners[offsets[i + 1] - 1]. Polygons of an
        image have four corners, of which some may coincide at the boundary of a masked domain.
    source : (f,) int64
        Row of the critical cells.
    polygon_cell_id : (f,) int64
        Square or triangle that is drawn, or edge that the polygon surrounds. If parts of a mesh
        touch at an edge, only the part that contains the V-path is drawn.
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


def rows_of_saddles(gradient: MorseGradient, index: int, sources: Any) -> Array:
    """Return the given rows, sorted and unique, or by default all rows of an index."""
    session, dimension = gradient.session, gradient.dimension
    has_saddles = 0 < index < dimension or index == dimension == 1  # on a line, of the maxima
    rows = gradient.rows(index) if has_saddles else slice(0, 0)
    if sources is None:
        return session.device.xp.arange(rows.start, rows.stop, dtype=np.int64)
    given = to_host(as_array(sources, "sources")).ravel()
    given = given if given.size else np.empty(0, np.int64)
    if given.dtype.kind not in "iu":
        raise wrong_dtype("sources", "rows of critical cells, integers", given)
    outside = (given < rows.start) | (given >= rows.stop)
    if outside.any():
        which = f"{rows.start} to {rows.stop - 1}" if rows.stop > rows.start else "none"
        expected = f"rows of {index}-saddles in critical ({which})"
        got, count = int(given[np.argmax(outside)]), int(outside.sum())
        raise InputError("sources", expected, got, count=count)
    return session.upload(np.unique(given).astype(np.int64))


@known_keywords
def smooth(lines: Separatrices, iterations: int) -> Separatrices:
    """Smooth lines by moving their inner points; ends and junctions stay in place (Taubin 1995).

    Parameters
    ----------
    lines : Separatrices
    iterations : int
        Number of smoothing passes, from 0 to 100,000. Each pass takes O(points) time.

    Returns
    -------
    Separatrices
        Lines with new ``points``; all other arrays are shared with `lines`.

    Raises
    ------
    InputError
        If `lines` is not a Separatrices object, or `iterations` is out of range.

    Examples
    --------
    >>> import separatrix as sx
    >>> complex = sx.morse_smale([[0.0, 2.0, 1.0], [3.0, 4.0, 5.0], [0.5, 2.5, 1.5]])
    >>> lines = complex.separatrices(1, "descending")
    >>> smoothed = sx.smooth(lines, 10)
    >>> smoothed.points.shape == lines.points.shape, smoothed.offsets is lines.offsets
    (True, True)
    """
    if not isinstance(lines, Separatrices):
        raise InputError("lines", "Separatrices", Words(type(lines).__name__))
    n_passes = checked_whole(iterations, "iterations", 0, MOST_ITERATIONS)
    with current_for(lines.points):
        # Meshes number each dimension separately.
        cell = DIMENSIONS * lines.cell_id + lines.cell_dimension
        inner = compact(~is_fixed(cell, lines.offsets))
        points = lines.points.copy()
        for _ in range(n_passes):
            # Factors are powers of two, hence exact, so shared sections have identical points.
            middle = 0.25 * (points[inner - 1] + points[inner + 1])
            points[inner] = 0.5 * points[inner] + middle
        return replace(lines, points=points)


def is_fixed(cell_id: Array, offsets: Array) -> Array:
    """Return whether each point of lines is fixed, an end or a junction: (p,) bool."""
    xp, p = array_module(cell_id), cell_id.size
    is_end = xp.zeros(p, bool)
    if not p:
        return is_end
    filled = offsets[1:] > offsets[:-1]
    is_end[offsets[:-1][filled]] = True
    is_end[offsets[1:][filled] - 1] = True
    before, after = xp.roll(cell_id, 1), xp.roll(cell_id, -1)
    low, high = xp.minimum(before, after), xp.maximum(before, after)
    order = xp.argsort(cell_id, kind="stable")
    cells, low, high, ends = (at(part, order) for part in (cell_id, low, high, is_end))
    begins = xp.ones(p, bool)
    begins[1:] = cells[1:] != cells[:-1]
    differs = ends.copy()
    differs[1:] |= ~begins[1:] & ((low[1:] != low[:-1]) | (high[1:] != high[:-1]))
    group = xp.cumsum(begins) - 1
    stays = xp.bincount(group, weights=differs.astype(np.float64))[group] > 0
    fixed = xp.empty(p, bool)
    fixed[order] = stays
    return fixed
