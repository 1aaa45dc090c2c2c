"""Topology of an alpha complex: Betti numbers, voids, boundary, and persistence."""

from __future__ import annotations

import numpy as np

from ..arguments import checked_flag
from ..device import LazyCache, Progress, to_host
from ..homology import PersistenceDiagram
from ..lazy import cached_property
from ..results import CSR, SessionResult
from .cycles import representatives_of
from .found_complex import FoundComplex
from .persistence import persistence_of
from .topology import Boundary, BoundarySurface, boundary_of
from .voids import Voids, boundary_surface_of, voids_of

BOUNDARY_STAGES = {"boundary": 3.0, "voids": 1.0}


class ComplexTopology(SessionResult, FoundComplex):
    """Methods of :class:`AlphaComplex` that return topology, computed on first access."""

    @cached_property
    def betti(self) -> tuple[int, ...]:
        """Betti numbers (b0, b1, b2): components, loops, and voids, at any alpha.

        In a periodic box, loops and surfaces that cross it also count, and b3, the fourth number,
        is 1 if the balls cover the box; then they are (1, 3, 3, 1).
        """
        if self._balls.box is not None:
            pairs = self.persistence_diagram()
            alive = to_host(pairs.dimension)[np.isinf(to_host(pairs.death))]
            return tuple(np.bincount(alive, minlength=4).tolist())
        boundary = self._boundary()
        b2 = int(boundary.is_void.sum())
        b0 = len(boundary) - b2
        return b0, b0 + b2 - self.euler_characteristic, b2

    def voids(self, *, progress: Progress | None = None) -> Voids:
        """Return the voids: the bounded components of the complement of the union.

        In a periodic box, these are its cavities, the components that do not repeat.
        """
        with self._session.call(progress, BOUNDARY_STAGES):
            boundary = self._boundary()
            return self._parts.in_call("voids", lambda: voids_of(self, boundary))

    def boundary_surface(self, *, progress: Progress | None = None) -> BoundarySurface:
        """Return the oriented triangles of the boundary, with their components and voids."""
        with self._session.call(progress, BOUNDARY_STAGES):
            boundary = self._boundary()
            return boundary_surface_of(self, boundary)

    def persistence_diagram(
        self, *, zero_persistence: bool = False, progress: Progress | None = None
    ) -> PersistenceDiagram:
        """Return the births and deaths of components, loops, and voids up to this alpha.

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

    def representatives(
        self, pairs: PersistenceDiagram, *, progress: Progress | None = None
    ) -> CSR:
        """Return a cycle of each pair of the persistence diagram that has a death.

        The cycle exists from the birth on, and is filled at the death. It is a vertex, the edges of
        closed loops, or the triangles of closed surfaces.

        Parameters
        ----------
        pairs : PersistenceDiagram
            Pairs of :meth:`persistence_diagram`, such as those above a persistence.
        progress : callable, optional
            Progress callback, called as ``progress(fraction, stage)``.

        Returns
        -------
        CSR
            Rows of the tables per pair, vertices first, then edges, and so on, like `birth_row`.

        Examples
        --------
        >>> import separatrix as sx
        >>> square = sx.alpha_complex([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], 0.0, 9.0)
        >>> pairs = square.persistence_diagram()
        >>> loop = square.representatives(pairs.where(pairs.dimension == 1))[0]
        >>> square.edges.simplices[loop - len(square.vertices)].tolist()
        [[0, 1], [0, 3], [1, 2], [2, 3]]
        """
        session = self._session
        with session.call(progress, {"persistence": 1.0}), session.stage("persistence"):
            return representatives_of(self, pairs)

    @cached_property
    def _parts(self) -> LazyCache:
        return LazyCache(self._session)

    def _boundary(self) -> Boundary:
        return self._parts.in_call("boundary", lambda: boundary_of(self))
