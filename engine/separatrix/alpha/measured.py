"""What an alpha complex tells of its union of balls: measures, topology, voids, persistence.

Each part is computed when it is first asked for, and kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, cast

from ..homology import PersistenceDiagram
from .measures import BallMeasures, ball_measures
from .persistence import persistence_of
from .pockets import Pockets, pockets_of
from .topology import BettiNumbers, Boundary, BoundarySurface, betti_of, boundary_of
from .voids import Voids, boundary_surface_of, voids_of

if TYPE_CHECKING:
    from .complex import AlphaComplex

Result = TypeVar("Result")


class MeasuredUnion:
    """The part of :class:`AlphaComplex` that measures the union of its grown balls."""

    def per_ball(self) -> BallMeasures:
        """Volume and area that each ball adds to the union."""
        return self._ball_measures

    def volume(self) -> float:
        """Volume of the union, in cubed length."""
        return self._ball_measures.total_volume

    def area(self) -> float:
        """Area of the union's surface, voids included, in squared length."""
        return self._ball_measures.total_area

    @cached_property
    def betti(self) -> BettiNumbers:
        """(b0, b1, b2): pieces, tunnels and voids, of the complex and of the union alike."""
        return betti_of(self._complex, self._boundary)

    def voids(self) -> Voids:
        """Bounded components of the complement of the union."""
        return self._voids

    def boundary_surface(self) -> BoundarySurface:
        """Oriented triangles of the complex's boundary, with their components and voids."""
        return boundary_surface_of(self._complex, self._boundary)

    def pockets(self) -> Pockets:
        """Pockets and voids of this complex, as far as a complex at a larger alpha shows them.

        Compute the complex at a large alpha, 20 to 60 squared angstrom for molecules, and ask
        ``at(alpha)`` for its pockets: see :class:`Pockets` for the limit.
        """
        return self._pockets

    def persistence_diagram(self, *, zero_persistence: bool = False) -> PersistenceDiagram:
        """Pieces, tunnels and voids of all smaller alphas: when they are born and when they die.

        Births and deaths are squared lengths; a death of inf says: alive at the largest alpha.
        Cells are rows of the complex's tables, first the vertices, then edges and so on.

        Parameters
        ----------
        zero_persistence : bool
            Keep pairs whose two values are equal.
        """
        return self._timed("persistence", lambda: persistence_of(self._complex, zero_persistence))

    @property
    def _complex(self) -> AlphaComplex:
        return cast("AlphaComplex", self)

    def _timed(self, stage: str, compute: Callable[[], Result]) -> Result:
        """The result, its time among the complex's timings."""
        work = self._complex._work
        with work.call(None, {stage: 1.0}), work.stage(stage):
            return compute()

    @cached_property
    def _ball_measures(self) -> BallMeasures:
        return self._timed("measures", lambda: ball_measures(self._complex))

    @cached_property
    def _boundary(self) -> Boundary:
        return self._timed("boundary", lambda: boundary_of(self._complex))

    @cached_property
    def _voids(self) -> Voids:
        return voids_of(self._complex, self._boundary)

    @cached_property
    def _pockets(self) -> Pockets:
        return self._timed("pockets", lambda: pockets_of(self._complex))
