"""Measures, topology, voids, and persistence of the union of balls of an alpha complex.

Each result is computed on first access and cached. `progress` callbacks report the computation and
can cancel it.
"""

from __future__ import annotations

from ..arguments import checked_flag
from ..device.cache import LazyCache
from ..device.session import Progress
from ..homology import PersistenceDiagram
from ..lazy import cached_property
from .found_complex import FoundComplex
from .measures import BallMeasures, ball_measures
from .persistence import persistence_of
from .pockets import Pockets, pockets_of
from .topology import BettiNumbers, Boundary, BoundarySurface, betti_of, boundary_of
from .voids import Voids, boundary_surface_of, voids_of

STAGES = {"boundary": 3.0, "voids": 1.0}


class UnionMeasures(FoundComplex):
    """Base of :class:`AlphaComplex` with the measures of the union of its grown balls."""

    def per_ball(self, *, progress: Progress | None = None) -> BallMeasures:
        """Return the contribution of each ball to the volume and area of the union."""
        return self._parts.in_call("measures", lambda: ball_measures(self), progress)

    def volume(self, *, progress: Progress | None = None) -> float:
        """Return the volume of the union, a cubed length."""
        return self.per_ball(progress=progress).total_volume

    def area(self, *, progress: Progress | None = None) -> float:
        """Return the surface area of the union, including voids, a squared length."""
        return self.per_ball(progress=progress).total_area

    @cached_property
    def betti(self) -> BettiNumbers:
        """Betti numbers (b0, b1, b2): the numbers of components, tunnels, and voids."""
        return betti_of(self, self._boundary())

    def voids(self, *, progress: Progress | None = None) -> Voids:
        """Return the voids: the bounded components of the complement of the union."""
        with self._session.call(progress, STAGES):
            boundary = self._boundary()
            return self._parts.in_call("voids", lambda: voids_of(self, boundary))

    def boundary_surface(self, *, progress: Progress | None = None) -> BoundarySurface:
        """Return the oriented triangles of the boundary, with their components and voids."""
        with self._session.call(progress, STAGES):
            boundary = self._boundary()
            return boundary_surface_of(self, boundary)

    def pockets(self, *, progress: Progress | None = None) -> Pockets:
        """Return the pockets and voids of this complex, relative to a complex at a larger alpha.

        Raises InputError if this complex is the one at the largest alpha.

        Examples
        --------
        >>> complex = sx.alpha_complex(centers, radii, alpha=40)  # angstrom^2, for molecules
        >>> pockets = complex.at(0).pockets()
        """
        return self._parts.in_call("pockets", lambda: pockets_of(self), progress)

    def persistence_diagram(
        self, *, zero_persistence: bool = False, progress: Progress | None = None
    ) -> PersistenceDiagram:
        """Return the births and deaths of components, tunnels, and voids up to this alpha.

        Parameters
        ----------
        zero_persistence : bool, default False
            Keep pairs with equal births and deaths.
        progress : callable, optional
            Progress callback, called as ``progress(fraction, stage)``.

        Returns
        -------
        PersistenceDiagram
            Births and deaths are squared lengths; the death is inf if the class is alive at this
            alpha. Cells are rows of the tables: vertices first, then edges, and so on.
        """
        zero = checked_flag(zero_persistence, "zero_persistence")
        session = self._session
        with session.call(progress, {"persistence": 1.0}), session.stage("persistence"):
            return persistence_of(self, zero)

    @cached_property
    def _parts(self) -> LazyCache:
        return LazyCache(self._session)

    def _boundary(self) -> Boundary:
        return self._parts.in_call("boundary", lambda: boundary_of(self))
