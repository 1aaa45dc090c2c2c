"""Meshes of tetrahedra and of triangles, and the analyses of scalar fields on them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...arguments import is_one_of
from ...device import Array, Progress
from ...device.session import before_first_stage
from ...homology import PersistenceDiagram
from ...lazy import cached_property
from ...morse.analyses import complex_of, diagram_of
from ...morse.complex import MorseSmaleComplex
from ...morse.gradient import DiscreteGradient
from ...primitives import total
from ...relations.stream import packet_room
from .critical_points import MeshCriticalPoints, link_points
from .field import load_field
from .gradient import SimplicialGradient
from .lower_star import fill_lower_stars, pair_lower_stars
from .packet_gradient import PacketGradient
from .simplicial_mesh import PART, SimplicialMesh

POINT_STAGES = {"order": 0.2, "links": 0.6, "critical points": 0.2}  # with shares of the time
GRADIENT_STAGES = {"order": 0.1, "stars": 0.4, "gradient": 0.5}
ORDER_STAGES = {**GRADIENT_STAGES, "order": 0.5}
POINTS_PER_CELL, GRADIENT_PER_CELL = 64, 88  # bytes of edges and triangles, links or lower stars
TRIES_PER_CELL = 32  # of these, bytes of edges and triangles


class MemoryUse(NamedTuple):
    """Memory of an analysis of a mesh, in addition to the mesh and to the results.

    Attributes
    ----------
    in_packets : bool
        Whether edges and triangles existed for one packet of segments after the other.
    n_bytes : int
        Estimated maximum, in bytes, on the device that computes.
    """

    in_packets: bool
    n_bytes: int


class FieldMesh(SimplicialMesh):
    """A mesh and the analyses of scalar fields on it; see :class:`TetMesh`."""

    memory_use: MemoryUse | None = None
    """Memory of the last critical points or gradient; None before the first ones."""

    def critical_points(
        self, values: Any, *, order: Any = "index", progress: Progress | None = None
    ) -> MeshCriticalPoints:
        """Compute the critical points of the piecewise-linear field of `values` (V,).

        Values may have any real dtype. Points of equal values are compared by `order`: "index",
        "plateau", or ranks (V,), as in :func:`separatrix.discrete_gradient`. Raises InputError
        unless there is one finite number per point.

        If the edges and triangles of the mesh would exceed the free memory or `memory_limit`, those
        of one packet of segments exist at a time. Results are the same.
        """
        session = self.session
        report, shares = before_first_stage(progress), {"neighbors": 1.0}
        in_packets = self._passes_in_packets(POINTS_PER_CELL)
        with session.call(report, shares), session.stage("neighbors"):
            if not in_packets:
                self.boundary.find_vertices()
        with session.call(progress, POINT_STAGES):
            with session.stage("order") as done:
                given = (session, self.incidence, values, order, done)
                field, rank = load_field(*given, in_packets=in_packets)
            return link_points(self.boundary, field, rank, in_packets)

    def _passes_in_packets(self, bytes_per_cell: int) -> bool:
        """Return whether an analysis runs in packets, because it exceeds the memory as a whole."""
        session, simplices = self.session, self.simplices
        if simplices.has_triangles:
            bytes_per_cell -= TRIES_PER_CELL
        n_bytes = bytes_per_cell * simplices.n_top
        # A mesh is on a GPU only if it fits there with all that is computed from it.
        in_packets = not session.device.is_cuda and (
            session.pieces is not None or n_bytes > session.memory.room()
        )
        if in_packets:
            n_bytes = min(n_bytes, math.prod(packet_room(session, simplices)))
        self.memory_use = MemoryUse(in_packets, n_bytes)
        return in_packets

    def discrete_gradient(
        self, values: Any, *, order: Any = "index", progress: Progress | None = None
    ) -> DiscreteGradient:
        """Compute the discrete gradient of `values` (V,), one per point.

        See Robins, Wood, and Sheppard (2011) for the algorithm, and :meth:`critical_points` for
        arguments, errors, and packets.
        """
        return DiscreteGradient(self._gradient_of(values, order, progress))

    def _gradient_of(
        self, values: Any, order: Any, progress: Progress | None = None
    ) -> SimplicialGradient:
        session, simplices = self.session, self.simplices
        is_by_index = is_one_of(order, ("index",))
        in_packets = self._passes_in_packets(GRADIENT_PER_CELL)
        with session.call(progress, GRADIENT_STAGES if is_by_index else ORDER_STAGES):
            with session.stage("order") as done:
                given = (session, self.incidence, values, order, done)
                field, rank = load_field(*given, in_packets=in_packets)
            if in_packets:
                with session.stage("gradient") as done:
                    return PacketGradient(self, field, rank, done)
            with session.stage("stars"):
                stars = fill_lower_stars(session, simplices, rank)
            with session.stage("gradient"):
                codes = pair_lower_stars(session, simplices, rank, *stars)
            return SimplicialGradient(self, field, codes)

    def morse_smale(
        self,
        values: Any,
        *,
        persistence: float = 0.0,
        relative: bool = False,
        rematch_saddles: bool = False,
        order: Any = "index",
        progress: Progress | None = None,
    ) -> MorseSmaleComplex:
        """Compute the Morse-Smale complex of `values` (V,), one per point.

        See :func:`separatrix.morse_smale`. Raises InputError for the same reasons as
        :meth:`critical_points`, and if the mesh is not a manifold, that is, a facet has three or
        more cells.
        """
        make = partial(self._gradient_of, values, order)
        return complex_of(make, persistence, relative, rematch_saddles, progress)

    def persistence_diagram(
        self,
        values: Any,
        *,
        dimensions: int | Iterable[int] | None = None,
        zero_persistence: bool = False,
        order: Any = "index",
        progress: Progress | None = None,
    ) -> PersistenceDiagram:
        """Compute the persistence diagram of the lower-star filtration of `values` (V,).

        See :func:`separatrix.persistence_diagram`. Rows refer to the critical cells of
        :meth:`morse_smale`. If only dimension 0 is requested, the mesh need not be a manifold.
        """
        make = partial(self._gradient_of, values, order)
        return diagram_of(make, dimensions, zero_persistence, progress)


class TetMesh(FieldMesh):
    """Tetrahedral mesh, with relations between vertices, edges, triangles, and cells.

    Parameters
    ----------
    points : array (V, 3) of float32 or float64
        Finite coordinates. Points without cells keep their ids and have empty rows, but are not
        part of the complex.
    cells : array (T, 4) of integers
        Four distinct points of each tetrahedron, in any order. All tetrahedra must be distinct.
    segment_size : int
        Maximum number of vertices of a segment.
    segments : None or "octree", "runs", or array (V,) of integers
        Leaves of an octree (the default), runs of `segment_size` vertices, or the segment of each
        point. "octree" and "runs" yield the same mesh ids; given segments change them.
    device, threads, memory_limit, progress
        As in :func:`separatrix.morse_smale`. A mesh that does not fit in the GPU's memory, or in
        `memory_limit`, stays on the host; :meth:`stream`, :meth:`critical_points`, and
        :meth:`discrete_gradient` compute on the GPU in packets of segments. On the CPU,
        `memory_limit` bounds what these compute in addition to the mesh and to the results.
    on_duplicates : "error" or "drop"
        How to handle duplicate cells and cells with a repeated or invalid point. "drop" removes
        them, except for the first of several equal cells.

    Raises
    ------
    InputError
        If points are not finite, or cells are duplicates or have a repeated or invalid point; the
        message states the first one and their number.
    DeviceUnavailable, DeviceMemoryError
        As for :func:`separatrix.morse_smale`.

    Notes
    -----
    Sorting takes O(V log V + T log T) time. Edges, triangles, and relations are computed on first
    access, segment by segment: Liu, Randall, Ge, Iuricich, "GALE", IEEE TVCG 2025; Liu, Iuricich
    et al., "TopoCluster", IEEE TVCG 2023.

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
        """Number of tetrahedra whose volume is zero in float64 arithmetic."""
        s = self.simplices
        with self.session.call(None, PART):
            is_flat = self.session.device.empty(s.n_top, np.uint8)
            self.session.launch(
                "find_flat_tets", s.n_top, self._points.values, s.point_of, s.tets, is_flat
            )
            return total(self.session.device, is_flat)

    @cached_property
    def crowded_triangles(self) -> Array:
        """Mesh ids (int64) of the triangles that belong to three or more tetrahedra."""
        with self.session.call(None, PART):
            return self.session.result(self.incidence.crowded_triangles)


class TriangleMesh(FieldMesh):
    """Triangle mesh in the plane or in space; for parameters, see :class:`TetMesh`.

    ``points`` has shape (V, 2) or (V, 3), and ``cells`` has shape (T, 3). Relations are those
    between V, E, and F, where the triangles F are the user's cells.
    """

    dimension = 2
