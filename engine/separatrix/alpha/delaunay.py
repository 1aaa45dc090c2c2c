"""The complete regular (weighted Delaunay) triangulation of points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device import MUCH_CACHED, Array, Progress, Session, as_array, to_host
from ..errors import InputError, Words
from ..kernels import NONE
from ..kernels.source import constant
from ..options import known_keywords
from ..plotting.scenes import cells_of, draw_mesh
from ..primitives import at, exclusive_scan, put, shifted, total
from ..results import SessionResult
from ..spatial.points import bounded_points
from .agreeing_stars import agreeing_stars, launch_teams
from .ball_sizes import checked_weights
from .balls import checked_centers
from .whole_points import distinct_points, extent_of, spanning_points, whole_sites

STAGES = {"points": 1.0, "grid": 1.0, "search": 3.0, "stars": 12.0, "agreement": 6.0, "cells": 4.0}
"""Stages of a call with their estimated shares of the time."""
MOST_POINTS = 5 * 10**7


@known_keywords
def delaunay(
    points: Any,
    weights: Any = None,
    *,
    resolution: float | None = None,
    max_tetrahedra: int | None = None,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Delaunay:
    """Compute the Delaunay triangulation of points, or the regular triangulation of weighted ones.

    The power of x with respect to point i is |x - p_i|^2 - w_i. The triangulation contains a
    tetrahedron for each four points that have the same power at a point where no other point has a
    smaller one. All signs are exact. Ties are broken by position, so the result is unique: it does
    not depend on the device, the threads, or the order of the points, except among points at the
    same position. It contains no flat tetrahedra.

    Parameters
    ----------
    points : (n, 3) array_like
        Coordinates, in float64 or exactly convertible to it. At most 5e7 points.
    weights : (n,) array_like, optional
        Squared lengths of any sign, such as squared radii; 0 by default.
    resolution : float, optional
        Coordinates are rounded to multiples of this length, and weights to multiples of its
        square. By default nothing is rounded.
    max_tetrahedra : int, optional
        Maximum number of simplices of the triangulation, which can be quadratic in the number of
        points. If there are more, InputError is raised before they are stored. By default there is
        no limit.
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`. Results are in the memory of the input unless a device
        is given.

    Returns
    -------
    Delaunay

    Raises
    ------
    InputError
        If points or weights are invalid, or differ so much in magnitude that they are not
        multiples of a common unit within 124 bits (248 for weights). Set `resolution` in this case.
        If there are more tetrahedra than `max_tetrahedra`.
    DeviceMemoryError
        If the computation does not fit in memory: about 1 kB per point.

    Notes
    -----
    The star of each point is built from its nearest neighbors, and stars that disagree exchange
    points until all agree [1]. O(n) for points in general position without dense neighborhoods;
    quadratic if the triangulation is, or if a point has O(n) neighbors.

    References
    ----------
    .. [1] J. R. Shewchuk, "Star splaying: an algorithm for repairing Delaunay triangulations and
       convex hulls", Symposium on Computational Geometry, 2005.

    Examples
    --------
    >>> import separatrix as sx
    >>> cube = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    >>> t = sx.delaunay(cube + [[0.5, 0.5, 0.5]])
    >>> t.tetrahedra.shape, t.hull.shape, t.verify()
    ((12, 4), (12, 3), True)
    """
    checked = checked_centers(points, "points")
    n = len(checked)
    if n > MOST_POINTS:
        raise InputError("points", f"at most {MOST_POINTS:,} points", Words(f"{n:,}"))
    weight = None if weights is None else checked_weights(weights, n)
    if max_tetrahedra is not None:
        max_tetrahedra = checked_whole(max_tetrahedra, "max_tetrahedra", 0)
    session = Session(checked, device, threads, memory_limit)
    with session.call(progress, STAGES):
        if weight is None:
            weight = session.device.zeros(n, np.float64)
        return triangulation_of(session, checked, weight, resolution, max_tetrahedra)


def triangulation_of(
    session: Session,
    points: Array,
    weights: Array,
    resolution: float | None = None,
    most: int | None = None,
    has_neighbors: bool = True,
) -> Delaunay:
    """Triangulate points within a call that has the stages of this module."""
    xp = session.device.xp
    with session.stage("points"):
        sites = whole_sites(session, points, weights, resolution)
        order = distinct_points(session, sites)
        sites, four, dimension = spanning_points(session, sites, order)
        n_added = len(sites) - len(points)
        added = session.device.numbers(n_added, np.int32, len(points))
        order = session.device.joined([order, added])
        extent = extent_of(bounded_points(session, sites, "sites"))
        bound = 1 << constant("SMALL_BITS")
        is_small = max(extent[:3], default=0.0) < bound and extent[3] < bound * bound
    if dimension < 0:
        cells = xp.empty((0, 4), np.int32)
        return Delaunay(session, sites, is_small, 0, 0, cells, cells)
    star_of = session.device.unset(len(sites), np.int32)
    put(star_of, order, session.device.numbers(len(order), np.int32))
    stars = agreeing_stars(session, at(sites, order), is_small, at(star_of, four))
    session.device.free_cached(MUCH_CACHED)
    with session.stage("cells"):
        counts = session.device.zeros((2, len(sites)), np.int64)
        session.launch("count_cells", len(order), *stars.arrays, order, *counts)
        tets, facets = (exclusive_scan(count) for count in counts)
        if most is not None and int(tets[-1]) > most:
            raise InputError(
                "max_tetrahedra",
                f"at least {int(tets[-1]):,}, the number of tetrahedra of these points",
                most,
                "Raise it, or use fewer points.",
            )
        facets = shifted(facets, int(tets[-1]))
        cells = session.device.empty((int(facets[-1]), 4), np.int32)
        cell_of = session.device.empty(len(stars.links), np.int32)
        session.launch(
            "fill_cells_of_stars", len(order), *stars.arrays, order, tets, facets, cells, cell_of
        )
        neighbors = session.device.empty(cells.shape if has_neighbors else (0, 4), np.int32)
        if has_neighbors:
            known = (*stars.arrays, order, cells, cell_of, neighbors)
            launch_teams(session, "find_neighbors_by_team", len(order), *known)
    return Delaunay(session, sites, is_small, n_added, int(tets[-1]), cells, neighbors)


@dataclass(frozen=True, eq=False, repr=False)
class Delaunay(SessionResult):
    """Regular triangulation, returned by :func:`delaunay`.

    Arrays are in the memory of the input, or on the device that was given.
    """

    _session: Session
    _sites: Array  # (n + n_added, 4) float64, whole numbers
    _is_small: bool
    _n_added: int  # points outside the plane, line, or point of the input, which complete the cells
    _n_tets: int
    _cells: Array  # (m, 4) int32, tetrahedra, then hull facets with a last vertex of -1
    _neighbors: Array  # (m, 4) int32, the cell opposite to each vertex

    _SHOWN = ("n_points", "dimension", "tetrahedra", "hull", "hidden", "device")

    @property
    def n_points(self) -> int:
        """Number of points in the input."""
        return len(self._sites) - self._n_added

    @property
    def dimension(self) -> int:
        """Dimension of the triangulation: 3, or less if all points are in a plane or on a line."""
        return 3 - self._n_added

    @property
    def tetrahedra(self) -> Array:
        """Indices of points (m, 4) int32, ascending in each row; rows in lexicographic order.

        If all points are in a plane or on a line, these are the triangles (m, 3) or edges (m, 2) of
        the triangulation there.
        """
        with self._session.call(None, {}):
            return self._session.result(self.cells)

    @property
    def neighbors(self) -> Array:
        """Rows (m, dimension + 1) int32 of the simplices opposite to each vertex, or -1."""
        with self._session.call(None, {}):
            xp, across = self._session.device.xp, self._neighbors[: self._n_tets]
            if not self._n_added:
                return self._session.result(xp.where(across < self._n_tets, across, NONE))
            rows = self._rows
            row_of = xp.full(len(self._cells), NONE, np.int32)
            row_of[rows] = xp.arange(len(rows), dtype=np.int32)
            return self._session.result(row_of[across[rows, : self.dimension + 1]])

    @property
    def hull(self) -> Array:
        """Facets of the convex hull (h, dimension) int32, the lowest index of each first.

        Triangles are ordered such that their normals point outwards.
        """
        facets = self._cells[self._n_tets :, :3]
        with self._session.call(None, {}):
            is_real = facets < self.n_points
            kept = facets[is_real.sum(axis=1) == self.dimension]
            return self._session.result(
                kept[kept < self.n_points].reshape(len(kept), self.dimension)
            )

    @property
    def hidden(self) -> Array:
        """Points (k,) int64, ascending, that are not vertices.

        Their power cells are empty, or another point at the same position has a larger weight or
        the same weight and a lower index.
        """
        with self._session.call(None, {}):
            return self._session.result(self._session.device.xp.flatnonzero(self._is_hidden))

    def plot(self, points: Any, plotter: Any = None) -> Any:
        """Draw the simplices on the given `points` with PyVista, and return the plotter."""
        return draw_mesh(plotter, cells_of(as_array(points, "points"), self.tetrahedra))

    def verify(self) -> bool:
        """Check from the result alone that it is the regular triangulation, with exact signs.

        Cells must be paired across facets, on opposite sides, and locally regular; the hull must be
        connected and convex; and hidden points must not conflict with the tetrahedra that contain
        them. O(n) apart from the walks to hidden points.
        """
        session, xp = self._session, self._session.device.xp
        if not len(self._cells):
            return self.n_points == 0
        with session.call(None, {}):
            known = (self._sites, self._is_small, self._cells, self._neighbors)
            is_regular = session.device.empty(self._cells.size, np.uint8)
            session.launch("check_facets", self._cells.size, *known, is_regular)
            hidden = xp.flatnonzero(self._is_hidden).astype(np.int32)
            is_hidden = session.device.empty(len(hidden), np.uint8)
            session.launch("check_hidden", len(hidden), *known, len(self._cells), hidden, is_hidden)
            flags = (is_regular, is_hidden)
            if any(total(session.device, each) < each.size for each in flags):
                return False
            facets = to_host(self._cells[self._n_tets :, :3])
            pairs = np.concatenate([facets[:, :2], facets[:, 1:]])
            name = np.empty(len(self._sites), np.int32)
            session.host.run("name_sets", pairs, len(pairs), name, len(name))
            corners = np.unique(facets)
            is_sphere = 2 * len(corners) - len(facets) == 4
            return is_sphere and len(np.unique(name[corners])) == 1

    @property
    def neighbors_of_cells(self) -> Array:
        """The cell (m, 4) int32 opposite to each vertex; those that follow are on the hull."""
        return self._neighbors

    @property
    def _is_hidden(self) -> Array:
        hidden = self._session.device.xp.ones(len(self._sites), bool)
        hidden[self._cells[: self._n_tets].ravel()] = False
        return hidden

    @property
    def cells(self) -> Array:
        """The tetrahedra on the device of the computation, for use within a call."""
        if not self._n_added:
            return self._cells[: self._n_tets]
        return self._session.device.xp.ascontiguousarray(
            self._cells[self._rows, : self.dimension + 1]
        )

    @property
    def _rows(self) -> Array:
        """Rows of the cells that are simplices of the input, of which others are extensions."""
        n_own = (self._cells[: self._n_tets] < self.n_points).sum(axis=1)
        return self._session.device.xp.flatnonzero(n_own == self.dimension + 1)

    def _summary(self) -> str:
        m = len(self.cells)
        return f"{m:,} simplices of dimension {self.dimension}, {self.n_points:,} points"
