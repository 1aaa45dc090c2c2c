"""The alpha complex of balls, as returned by :func:`alpha_complex`."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device import Array, Progress, Session, to_host
from ..errors import InputError
from ..lazy import cached_property
from ..plotting.scenes import cells_of, draw_balls
from .ball_sizes import require_no_probe
from .balls import Balls
from .complex_topology import ComplexTopology
from .gradients import BallGradients, ball_gradients
from .measures import BallMeasures, ball_measures
from .pockets import Pockets, pockets_of
from .protrusions import Protrusions, protrusions_of
from .request import checked_alpha, checked_length
from .stars import Search
from .tables import SINGULAR, SimplexTable, Tables, tables_over
from .triangulation import triangulated


class AlphaComplex(ComplexTopology):
    """Alpha complex, returned by :func:`alpha_complex` and :meth:`at`.

    Arrays are in the memory of the input, or on the device that was given.

    Examples
    --------
    >>> import separatrix as sx
    >>> balls = sx.alpha_complex([[0, 0, 0], [2, 0, 0], [9, 0, 0]], 1.2)
    >>> balls.betti, balls.edges.simplices.tolist()
    ((2, 0, 0), [[0, 1]])
    >>> round(balls.volume(), 3), balls.per_ball().area.round(3).tolist()
    (21.43, [16.588, 16.588, 18.096])
    """

    _SHOWN = ("n_balls", "alpha", "probe", "resolution", "counts", "euler_characteristic", "device")

    # === simplices
    @property
    def vertices(self) -> SimplexTable:
        """Vertices, each of which is the index of a ball."""
        return self._in_place[0]

    @property
    def edges(self) -> SimplexTable:
        """Edges."""
        return self._in_place[1]

    @property
    def triangles(self) -> SimplexTable:
        """Triangles."""
        return self._in_place[2]

    @property
    def tets(self) -> SimplexTable:
        """Tetrahedra."""
        return self._in_place[3]

    @cached_property
    def is_simplicial(self) -> bool:
        """Whether the vertices of simplices are different balls, and determine them.

        It may be False in a periodic box of few balls, where simplices meet their copies.
        """
        for table in (self.edges, self.triangles, self.tets):
            rows = to_host(table.simplices)
            is_loop = (rows[:, 1:] == rows[:, :-1]).any()
            if is_loop or (rows[1:] == rows[:-1]).all(axis=1).any():
                return False
        return True

    def shifts(self, dimension: int) -> Array:
        """Return how often to add each box vector to the centers of the balls of simplices.

        Then each simplex of this dimension, from 0 to 3, is in one piece.

        Returns
        -------
        (m, dimension + 1, 3) int32 array
            0 for the first vertex of each simplex, and everywhere without a periodic box.
        """
        dimension = checked_whole(dimension, "dimension", 0, 3)
        with self._session.call(None, {}):
            copies, corners = self._tables.copies, self._tables.corners[dimension]
            if copies is None:
                xp = self._session.device.xp
                return self._session.result(xp.zeros((*corners.shape, 3), np.int32))
            shifts = self._balls.shifts(copies, to_host(corners))
            return self._session.result(self._session.upload(shifts))

    def facets(self, dimension: int) -> Array:
        """Return the facets of all simplices of a dimension, from 1 to 3.

        Returns
        -------
        (m, dimension + 1) int32 array
            Rows in the table of the next lower dimension; facet k is opposite to vertex k.
        """
        dimension = checked_whole(dimension, "dimension", 1, 3)
        with self._session.call(None, {}):
            return self._session.result(self._tables.facets[dimension])

    @cached_property
    def hidden(self) -> Array:
        """Balls (m,) int64, ascending, that are covered by others and thus are not vertices.

        Balls with r^2 + alpha < 0 are excluded. A ball whose power cell is empty is hidden at any
        alpha; other balls may reappear at a larger alpha.
        """
        with self._session.call(None, {}):
            grown = self._balls.squared_radii + float(self._whole_alpha) >= 0
            grown[self._tables.simplices[0].simplices[:, 0]] = False
            return self._session.result(self._session.device.xp.flatnonzero(grown))

    def at(self, alpha: float) -> AlphaComplex:
        """Return the complex at a smaller alpha, a squared length. Raises InputError."""
        alpha = checked_alpha(alpha, is_one=True)
        whole = self._balls.scale.snapped(alpha)
        if whole > self._whole_alpha:
            raise InputError(
                *("alpha", f"at most {self.alpha:g}, the alpha of this complex", alpha),
                "Compute the complex for the largest alpha of interest.",
            )
        return replace(self, _at_alpha=None, _whole_alpha=whole, _placed=None)

    # === the union of the grown balls, computed on first access and cached
    def per_ball(self, *, progress: Progress | None = None) -> BallMeasures:
        """Return the contribution of each ball to the volume and area of the union.

        Raises InputError if alpha is inf.
        """
        return self._parts.in_call("measures", lambda: ball_measures(self), progress)

    def gradients(self, *, progress: Progress | None = None) -> BallGradients:
        """Return the derivatives of the volume and area of the union by the centers of the balls.

        They exist unless the set of simplices changes at this very position, and are computed on
        the CPU. The requirements are those of :meth:`per_ball`.

        Examples
        --------
        >>> import separatrix as sx
        >>> balls = sx.alpha_complex([[0, 0, 0], [1, 0, 0]], 1.0)
        >>> balls.gradients().volume.round(3).tolist()
        [[-2.356, 0.0, 0.0], [2.356, 0.0, 0.0]]
        """
        return self._parts.in_call("gradients", self._gradients, progress)

    def volume(self, *, progress: Progress | None = None) -> float:
        """Return the volume of the union, a cubed length."""
        return self.per_ball(progress=progress).total_volume

    def area(self, *, progress: Progress | None = None) -> float:
        """Return the surface area of the union, including voids, a squared length."""
        return self.per_ball(progress=progress).total_area

    def pockets(self, *, probe: float | None = None, progress: Progress | None = None) -> Pockets:
        """Return the pockets and voids of this complex, relative to a complex at a larger alpha.

        That is the complex at the largest alpha that was computed or, if it is this one, the
        complete triangulation (alpha inf). `probe`, if given, replaces the length that was added to
        the radii; it also requires the complete triangulation. A periodic box has no outside, so
        its pockets are all components of the complement: cavities, and channels, which repeat.

        Examples
        --------
        >>> import separatrix as sx
        >>> ends = [[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, -2.0, 0.0]]
        >>> cage = [*ends, [0.0, 0.0, 2.0], [0.0, 0.0, -2.0]]
        >>> sx.alpha_complex(cage, 1.5).pockets().n_mouths.tolist()
        [8]
        """
        if probe is not None:
            probe = checked_length(probe, "probe", is_positive=False)
            if self._balls.are_weights:
                require_no_probe(probe)
        is_enough = probe is None and self._whole_alpha < self._balls.alpha
        return self._parts.in_call(
            f"pockets {probe}",
            lambda: pockets_of(self if is_enough else self._within_all(probe)),
            progress,
        )

    def protrusions(self, radius: float, *, progress: Progress | None = None) -> Protrusions:
        """Return the parts of the union that widen outwards from a neck: pockets of the inverse.

        Parameters
        ----------
        radius : float
            Length; parts into which larger balls fit are the body, to which protrusions connect.
            These balls are orthogonal to the inverse ones.
        progress : callable, optional
            Progress callback, called as ``progress(fraction, stage)``.

        Raises
        ------
        InputError
            If the radius is invalid or far larger than the union or the periodic box, or alpha is
            infinite.

        Notes
        -----
        Balls that are orthogonal to the balls of the union cover the space around it, and their
        pockets are its protrusions. Parts that taper outwards do not count. A component into which
        no larger ball fits is one protrusion with 0 necks; a molecule is often one without a
        `probe`, because the gaps between its atoms are empty. The time is that of two complete
        triangulations.

        Examples
        --------
        >>> import numpy as np
        >>> import separatrix as sx
        >>> points = np.random.default_rng(0).uniform(-7, 7, (2_000, 3))
        >>> body, knob = (points[np.linalg.norm(points, axis=1) < most] for most in (7, 4))
        >>> neck = [[8, 0, 0], [9, 0, 0]]
        >>> union = sx.alpha_complex(np.concatenate([body, neck, knob + [13, 0, 0]]), 1.5)
        >>> found = union.protrusions(5.0)
        >>> len(knob), np.diff(found.atom_offsets).tolist()[0], found.n_necks.tolist()[0]
        (188, 190, 1)
        """
        radius = checked_length(radius, "radius", is_positive=True)
        return self._parts.in_call(
            f"protrusions {radius}",
            lambda: protrusions_of(
                self if self._balls.alpha == math.inf else self._within_all(None), radius
            ),
            progress,
        )

    def _within_all(self, probe: float | None) -> AlphaComplex:
        """Return this complex as part of the complete triangulation, with another probe if any."""
        balls = replace(self._balls, probe=self.probe if probe is None else probe).at_any_alpha
        with self._session.call(None, {}):
            search = Search(triangulated(self._session, balls), None)
        return found_by(self._session, balls, search, self._whole_alpha)

    def plot(self, plotter: Any = None, *, pockets: Pockets | None = None) -> Any:
        """Draw the boundary with PyVista, and return the plotter.

        The walls of voids, balls and edges without cofaces, and the walls of `pockets`, if given,
        have separate colors.
        """
        faces = self.boundary_surface()
        boundary = self._drawn(faces.triangles, faces.shifts)
        balls, edges = (
            self._drawn(table.simplices[is_alone], self.shifts(dimension)[is_alone])
            for dimension, table in enumerate((self.vertices, self.edges))
            for is_alone in [table.kind == SINGULAR]
        )
        walls = None if pockets is None else self._drawn(pockets.facets, pockets.facet_shifts)
        return draw_balls(plotter, boundary, faces.void, balls, edges, walls)

    def _drawn(self, simplices: Array, shifts: Array | None) -> Any:
        """Return simplices (m, k) as a PyVista dataset, in a box with shifts (m, k, 3)."""
        places, box, rows = to_host(self._balls.items)[:, :3], self._balls.box, to_host(simplices)
        if box is None or shifts is None:
            return cells_of(places * self.resolution, rows)
        given = places + self._balls.entered @ box.vectors  # the positions of the input
        corners = given[rows] * self.resolution + to_host(shifts) @ box.given
        return cells_of(corners.reshape(-1, 3), np.arange(rows.size).reshape(rows.shape))

    def _gradients(self) -> BallGradients:
        return ball_gradients(self, self._boundary())

    # === computation
    @cached_property
    def statistics(self) -> dict[str, int]:
        """Counts of the computation, by name, at the largest alpha.

        Pairs of grown balls that meet, the maximum per ball, and the edges that remain; candidate
        triangles, those not larger than alpha, and those that floating point could not decide;
        signs that required integers. Only the first of these are available for the complete method.
        """
        with self._session.call(None, {}):
            return self._search.statistics(self._balls)

    def _summary(self) -> str:
        return (
            f"{self.n_balls:,} balls at alpha {self.alpha:g} on {self.device}: counts {self.counts}"
        )

    @cached_property
    def _in_place(self) -> tuple[SimplexTable, ...]:
        """The tables in the memory of the results; those at the largest alpha by one copy."""
        if self._placed is not None:
            return self._placed
        session, tables = self._session, self._tables
        if not session.result.on_host:
            return tuple(tables.simplices)
        with session.call(None, {}):
            if tables is self._search.tables and self._search.block is not None:
                return tables_over(session.result(self._search.block), tables.counts)
            return tuple(table.mapped(session.result) for table in tables.simplices)


def found_by(
    session: Session, balls: Balls, search: Search, whole_alpha: float | None = None
) -> AlphaComplex:
    """Return the complex that a search found, or the part of it at an alpha in squared steps."""
    tables: Tables | None = search.tables
    alpha = balls.alpha if whole_alpha is None else whole_alpha
    if balls.box is not None:  # in which searches find the complete triangulation
        balls = balls.at_any_alpha
    if alpha < balls.alpha:
        tables = None
    return AlphaComplex(session, balls, search, tables, search.tables, alpha)
