"""Meshes of tetrahedra and of triangles, and the analyses of scalar fields on them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from ...device.base import Array
from ...device.session import Progress, at_the_beginning
from ...homology import PersistenceDiagram
from ...lazy import cached_property
from ...morse.complex import MorseSmaleComplex, complex_of
from ...morse.field import checked_order
from ...morse.persistence import diagram_of
from .critical_points import MeshCriticalPoints, critical_points
from .field import load_field
from .gradient import SimplicialGradient
from .lower_star import fill_lower_stars, pair_lower_stars
from .plateaus import plateau_levels
from .simplicial_mesh import PART, SimplicialMesh

GRADIENT_STAGES = {"order": 0.1, "stars": 0.4, "gradient": 0.5}  # with shares of the time
PLATEAU_STAGES = {**GRADIENT_STAGES, "order": 0.5}


class FieldMesh(SimplicialMesh):
    """A mesh and the analyses of scalar fields on it; see :class:`TetMesh`."""

    def critical_points(
        self, values: Any, *, progress: Progress | None = None
    ) -> MeshCriticalPoints:
        """Critical points of the piecewise-linear field of `values` (V,), one a point.

        Any real dtype; points compare by (value, point). See :class:`MeshCriticalPoints`. Raises
        InputError for values that are not one finite number a point.
        """
        told, shares = at_the_beginning(progress), {"neighbors": 1.0}
        with self.session.call(told, shares), self.session.stage("neighbors"):
            on_boundary = self.boundary.is_on_boundary(0)
            odd = self.boundary.odd_vertices if self.dimension == 3 else None
        return critical_points(self.session, self.simplices, on_boundary, values, progress, odd)

    def discrete_gradient(
        self, values: Any, *, order: str = "index", progress: Progress | None = None
    ) -> SimplicialGradient:
        """Discrete gradient of `values` (V,), one per point: Robins, Wood, Sheppard 2011.

        `order` "plateau" compares equal values first by their distances to the lower and the higher
        end of their plateau; see :func:`separatrix.discrete_gradient`. Other arguments and errors
        as for :meth:`critical_points`.
        """
        session, simplices = self.session, self.simplices
        refines = checked_order(order) == "plateau"
        with session.call(progress, PLATEAU_STAGES if refines else GRADIENT_STAGES):
            with session.stage("order") as done:
                refine = partial(plateau_levels, session, self.incidence, done) if refines else None
                field = load_field(session, simplices, values, refine)
            with session.stage("stars"):
                stars = fill_lower_stars(session, simplices, field.rank)
            with session.stage("gradient"):
                codes = pair_lower_stars(session, simplices, field.rank, *stars)
            return SimplicialGradient(self, field, codes)

    def morse_smale(
        self,
        values: Any,
        *,
        persistence: float = 0.0,
        relative: bool = False,
        order: str = "index",
        progress: Progress | None = None,
    ) -> MorseSmaleComplex:
        """Morse-Smale complex of `values` (V,), one per point; see :func:`separatrix.morse_smale`.

        Raises InputError as :meth:`critical_points` does, and for a mesh that is not a manifold: a
        facet of three cells.
        """

        def make(part: Progress | None) -> SimplicialGradient:
            return self.discrete_gradient(values, order=order, progress=part)

        return complex_of(make, persistence, relative, progress)

    def persistence_diagram(
        self,
        values: Any,
        *,
        dimensions: int | Iterable[int] | None = None,
        zero_persistence: bool = False,
        order: str = "index",
        progress: Progress | None = None,
    ) -> PersistenceDiagram:
        """Persistence diagram of the sublevel sets of `values` (V,): lower-star filtration.

        See :func:`separatrix.persistence_diagram`. Rows are those of :meth:`morse_smale`'s critical
        cells. Dimension 0 alone does not need a manifold.
        """

        def make(part: Progress | None) -> SimplicialGradient:
            return self.discrete_gradient(values, order=order, progress=part)

        return diagram_of(make, dimensions, zero_persistence, progress)


class TetMesh(FieldMesh):
    """A mesh of tetrahedra and the relations between its vertices, edges, triangles and cells.

    Parameters
    ----------
    points : array (V, 3) of float32 or float64
        Finite. Points of no cell keep their ids and have empty rows; they are not in the complex.
    cells : array (T, 4) of integers
        Four different points of each tetrahedron, in any order. No two tetrahedra are the same.
    segment_size : int
        Vertices of a segment at most.
    segments : None or "octree", "runs", or array (V,) of integers
        Leaves of an octree, runs of `segment_size` vertices, or the segment of each point. The
        first two number everything alike; ids depend on a given one.
    device, threads, memory_limit, progress
        As in :func:`separatrix.morse_smale`. A mesh for which a GPU has too little memory, or is
        allowed too little, stays on the host; :meth:`stream` and :meth:`scheduler` compute its
        relations on the GPU part by part.
    on_duplicates : "error" or "drop"
        What to do with cells that are there twice, have a point twice or one out of range. Of
        equal ones the first stays.

    Raises
    ------
    InputError
        Points that are not finite, and cells with points out of range, with one point twice, or
        there twice; the message names the first and their number.
    DeviceUnavailable, DeviceMemoryError
        As for :func:`separatrix.morse_smale`.

    Notes
    -----
    O(V log V + T log T) for the orders; edges, triangles and relations are made when they are asked
    for, segment by segment: Liu, Randall, Ge, Iuricich, "GALE", IEEE TVCG 2025; Liu, Iuricich et
    al., "TopoCluster", IEEE TVCG 2023.

    Examples
    --------
    >>> import numpy as np
    >>> import separatrix as sx
    >>> points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
    >>> mesh = sx.TetMesh(points, [[0, 1, 2, 3], [1, 2, 3, 4]], device="cpu")
    >>> mesh.relation("VT")[4].tolist(), mesh.counts
    ([1], (5, 9, 7, 2))
    """

    dimension = 3

    @cached_property
    def n_flat(self) -> int:
        """Tetrahedra whose volume is zero as float64 computes it."""
        s = self.simplices
        with self.session.call(None, PART):
            is_flat = self.session.device.empty(s.n_top, np.uint8)
            self.session.launch(
                "find_flat_tets", s.n_top, self._points.values, s.point_of, s.tets, is_flat
            )
            return int(is_flat.sum(dtype=np.int64))

    @cached_property
    def crowded_triangles(self) -> Array:
        """Mesh ids of the triangles that have three and more tetrahedra, int64."""
        with self.session.call(None, PART):
            return self.session.result(self.incidence.crowded_triangles)


class TriangleMesh(FieldMesh):
    """A mesh of triangles in the plane or in space; its parameters are those of :class:`TetMesh`.

    points : array (V, 2) or (V, 3); cells : array (T, 3) of integers. Relations are those of V,
    E and F, the triangles being the user's cells.
    """

    dimension = 2
