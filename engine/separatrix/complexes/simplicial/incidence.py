"""Lists from which relations are computed, each created on first access.

``edges_below`` and ``triangles_below`` list the simplices in which a vertex is not the lowest.
Together with the intervals of the tries, these are all edges and triangles of the vertex.
``triangle_tets`` are the two tetrahedra of each triangle. The lists take 4 E, 8 F, and 8 F bytes
(kernels/simplicial/lists.h).
"""

from __future__ import annotations

import numpy as np

from ...device import Array, to_host
from ...lazy import cached_property
from ...primitives import compact, exclusive_scan
from .cells import lists_of_vertices
from .segments import Segments
from .simplices import Simplices


class Incidence:
    """Lists over the simplices of a mesh, for use within a call of the session.

    ``segment_bytes`` is keyed by the name of a relation; see relations/compute.py.
    """

    def __init__(self, simplices: Simplices, segments: Segments):
        self.simplices = simplices
        self.segments = segments
        self.session = simplices.session
        self.segment_bytes: dict[str, np.ndarray] = {}
        self._owned: dict[int, np.ndarray] = {}

    def owned_starts(self, dimension: int) -> np.ndarray:
        """Return bounds (S + 1,) int64, on the host, of the simplices that each segment owns.

        A segment owns the simplices whose lowest vertex it contains; their mesh ids are an
        interval.
        """
        if dimension not in self._owned:
            starts, s = self.segments.starts, self.simplices
            if dimension == s.dimension:
                starts = s.first_cells_of(starts)
            elif dimension > 0:
                starts = (s.edge_begin if dimension == 1 else self.own_triangles)[starts]
            self._owned[dimension] = to_host(starts).astype(np.int64)
        return self._owned[dimension]

    @cached_property
    def edges_below(self) -> tuple[Array, Array]:
        """Offsets (V + 1,) and items (E,) int32: edges by their upper vertex, ascending."""
        s, upper = self.simplices, self.simplices.edge_upper
        given = ("edges_below", "edges below vertices", upper.size, upper)
        return lists_of_vertices(self.session, s.n_vertices, *given)

    @cached_property
    def triangles_below(self) -> tuple[Array, Array]:
        """Offsets (V + 1,) and items (2 F,) int32: triangles by their two upper vertices."""
        s = self.simplices
        if s.dimension == 2:
            return s.star_begin, s.star_tets
        arrays = (s.edge_upper, s.triangle_edge, s.triangle_third)
        given = ("triangles_below", "triangles below vertices", arrays[2].size, *arrays)
        return lists_of_vertices(self.session, s.n_vertices, *given)

    @cached_property
    def own_triangles(self) -> Array:
        """Bounds (V + 1,) int32 of the triangles whose lowest vertex is v."""
        return self.simplices.triangle_begin[self.simplices.edge_begin]

    @cached_property
    def triangles_of_edges(self) -> Array:
        """Number (E,) int32 of triangles of each edge."""
        s = self.simplices
        arrays = (*self.edges_below, *s.edge_trie, *s.triangle_trie)
        return self._counted("count_ef_around", *arrays)

    @cached_property
    def edge_triangles(self) -> tuple[Array, Array]:
        """Offsets (E + 1,) int64 and items (3 F,) int32 of EF in mesh ids, for FF as well."""
        s, device = self.simplices, self.session.device
        offsets = exclusive_scan(self.triangles_of_edges)
        n_items, unnamed = int(offsets[-1]), device.empty(0, np.int32)
        self.session.memory.require(4 * n_items, "relation EF")
        items = device.empty(n_items, np.int32)
        arrays = (*self.edges_below, *s.edge_trie, *s.triangle_trie, offsets, unnamed, 0, items)
        self.session.launch("write_ef_around", s.n_vertices, 0, 0, *arrays)
        return offsets, items

    @cached_property
    def tets_of_edges(self) -> Array:
        """Number (E,) int32 of tetrahedra of each edge."""
        s = self.simplices
        return self._counted("count_et_around", *s.edge_trie, *s.stars)

    def _counted(self, kernel: str, *arrays: Array) -> Array:
        """Return numbers by edge, counted for each vertex that owns edges."""
        s = self.simplices
        counts = self.session.device.empty(s.edge_upper.size, np.int32)
        self.session.launch(kernel, s.n_vertices, *arrays, counts)
        return counts

    @property
    def triangle_tets(self) -> Array:
        """The lowest two tetrahedra (F, 2) int32 of each triangle, ascending, then NONE."""
        return self._pairs[0]

    @cached_property
    def crowded_triangles(self) -> Array:
        """Triangles (k,) int64 with three or more tetrahedra, where the mesh is not a manifold."""
        return compact(self._pairs[1])

    @property
    def has_pairs(self) -> bool:
        """Whether the tetrahedra of each triangle have been computed."""
        return "_pairs" in self.__dict__

    @cached_property
    def _pairs(self) -> tuple[Array, Array]:
        s, device = self.simplices, self.session.device
        n = s.triangle_third.size
        pairs, is_crowded = device.empty((n, 2), np.int32), device.empty(n, np.uint8)
        arrays = (*s.stars, *s.edge_trie, *s.triangle_trie)
        self.session.launch("pair_tets", s.n_vertices, *arrays, pairs, is_crowded)
        return pairs, is_crowded
