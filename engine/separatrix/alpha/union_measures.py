"""What an alpha complex tells of its union of balls: measures, topology, voids, persistence.

Each part is computed when it is first asked for, and kept. `progress` hears of that as everywhere,
and may stop it.
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
    """The part of :class:`AlphaComplex` that measures the union of its grown balls."""

    def per_ball(self, *, progress: Progress | None = None) -> BallMeasures:
        """Volume and area that each ball adds to the union."""
        return self._parts.in_call("measures", lambda: ball_measures(self), progress)

    def volume(self, *, progress: Progress | None = None) -> float:
        """Volume of the union, in cubed length."""
        return self.per_ball(progress=progress).total_volume

    def area(self, *, progress: Progress | None = None) -> float:
        """Area of the union's surface, voids included, in squared length."""
        return self.per_ball(progress=progress).total_area

    @cached_property
    def betti(self) -> BettiNumbers:
        """(b0, b1, b2): pieces, tunnels and voids, of the complex and of the union alike."""
        return betti_of(self, self._boundary())

    def voids(self, *, progress: Progress | None = None) -> Voids:
        """Bounded components of the complement of the union."""
        with self._session.call(progress, STAGES):
            boundary = self._boundary()
            return self._parts.in_call("voids", lambda: voids_of(self, boundary))

    def boundary_surface(self, *, progress: Progress | None = None) -> BoundarySurface:
        """Oriented triangles of the complex's boundary, with their components and voids."""
        with self._session.call(progress, STAGES):
            boundary = self._boundary()
            return boundary_surface_of(self, boundary)

    def pockets(self, *, progress: Progress | None = None) -> Pockets:
        """Pockets and voids of this complex, as far as a complex at a larger alpha shows them.

        Compute the complex at a large alpha, 20 to 60 squared angstrom for molecules, and ask
        ``at(alpha)`` for its pockets: see :class:`Pockets` for the limit.
        """
        return self._parts.in_call("pockets", lambda: pockets_of(self), progress)

    def persistence_diagram(
        self, *, zero_persistence: bool = False, progress: Progress | None = None
    ) -> PersistenceDiagram:
        """Pieces, tunnels and voids of all smaller alphas: when they are born and when they die.

        Births and deaths are squared lengths; a death of inf says: alive at the largest alpha.
        Cells are rows of the complex's tables, first the vertices, then edges and so on.

        Parameters
        ----------
        zero_persistence : bool
            Keep pairs whose two values are equal.
        progress : callable, optional
            As everywhere.
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
