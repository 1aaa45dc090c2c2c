"""Lists that relations are read from, each made when first asked for, and the boundary.

``edges_below`` and ``triangles_below`` name, by vertex, the simplices in which it is not the
lowest: with the intervals of the tries they are all edges and triangles at a vertex.
``triangle_tets`` are the two tetrahedra of each triangle. 4 E, 8 F and 8 F bytes.
kernels/simplicial/lists.h.
"""

from __future__ import annotations

import numpy as np

from ...device.arrays import to_host
from ...device.base import Array
from ...errors import InputError
from ...kernels.source import constant
from ...lazy import cached_property
from ...primitives import compact
from .segments import Segments
from .simplices import Simplices, begins_of


class Incidence:
    """Lists over the simplices of a mesh, to be asked for inside a call of its work."""

    def __init__(self, simplices: Simplices, segments: Segments):
        self.simplices = simplices
        self.segments = segments
        self.session = simplices.session
        self._owned: dict[int, np.ndarray] = {}
        self._boundary: dict[int, Array] = {}

    def owned_starts(self, dimension: int) -> np.ndarray:
        """(S + 1,) int32 of the host: simplices of a dimension that each segment owns.

        Those whose lowest vertex is the segment's; their mesh ids are an interval.
        """
        if dimension not in self._owned:
            starts, s = self.segments.starts, self.simplices
            if dimension == s.dimension:
                starts = s.tet_begin[starts]
            elif dimension > 0:
                starts = (s.edge_begin if dimension == 1 else self.own_triangles)[starts]
            self._owned[dimension] = to_host(starts)
        return self._owned[dimension]

    @cached_property
    def edges_below(self) -> tuple[Array, Array]:
        """(V + 1,) and (E,) int32: edges by their upper vertex, ascending."""
        upper = self.simplices.edge_upper
        return self._placed("edges_below", upper.size, upper)

    @cached_property
    def triangles_below(self) -> tuple[Array, Array]:
        """(V + 1,) and (2 F,) int32: triangles by their two upper vertices, ascending."""
        s = self.simplices
        if s.dimension == 2:
            return s.star_begin, s.star_tets
        third = s.triangle_third
        return self._placed("triangles_below", third.size, s.edge_upper, s.triangle_edge, third)

    def _placed(self, what: str, n: int, *arrays: Array) -> tuple[Array, Array]:
        """Count, scan, fill and sort lists by vertex."""
        session, n_vertices = self.session, self.simplices.n_vertices
        counts = session.device.zeros(n_vertices, np.int32)
        session.launch(f"count_{what}", n, *arrays, counts)
        begins = begins_of(session, counts, f"{what.replace('_', ' ')} vertices")
        listed = session.device.empty(int(begins[-1]), np.int32)
        session.launch(f"place_{what}", n, *arrays, begins[:-1].copy(), listed)
        session.launch("sort_lists", n_vertices, begins, listed)
        return begins, listed

    @cached_property
    def own_triangles(self) -> Array:
        """(V + 1,) int32: triangles whose lowest vertex is v."""
        return self.simplices.triangle_begin[self.simplices.edge_begin]

    @cached_property
    def triangles_of_edges(self) -> Array:
        """(E,) int32: how many triangles each edge has."""
        s = self.simplices
        arrays = (*self.edges_below, *s.edge_trie, *s.triangle_trie)
        return self._counted("count_ef_around", *arrays)

    @cached_property
    def edge_triangles(self) -> tuple[Array, Array]:
        """(E + 1,) int64 and (3 F,) int32: all of EF in mesh ids, which FF is made of."""
        from ...relations.rows import Span, rows_of

        s = self.simplices
        span = Span(0, s.edge_upper.size, owners=(0, s.n_vertices))
        items, offsets = rows_of(self, "EF", span, in_mesh_ids=True)
        return offsets, items

    @cached_property
    def tets_of_edges(self) -> Array:
        """(E,) int32: how many tetrahedra each edge has."""
        s = self.simplices
        return self._counted("count_et_around", *s.edge_trie, *s.stars)

    def _counted(self, kernel: str, *arrays: Array) -> Array:
        """Numbers by edge, counted by the vertices that own the edges."""
        s = self.simplices
        counts = self.session.device.empty(s.edge_upper.size, np.int32)
        self.session.launch(kernel, s.n_vertices, *arrays, counts)
        return counts

    @property
    def triangle_tets(self) -> Array:
        """(F, 2) int32: the tetrahedra of each triangle, ascending, NONE last; the lowest two."""
        return self._pairs[0]

    @cached_property
    def crowded_triangles(self) -> Array:
        """(k,) int64: triangles of three and more tetrahedra; the mesh is no manifold there."""
        return compact(self._pairs[1])

    @cached_property
    def _pairs(self) -> tuple[Array, Array]:
        s, device = self.simplices, self.session.device
        n = s.triangle_third.size
        pairs, is_crowded = device.empty((n, 2), np.int32), device.empty(n, np.uint8)
        arrays = (*s.stars, *s.edge_trie, *s.triangle_trie)
        self.session.launch("pair_tets", s.n_vertices, *arrays, pairs, is_crowded)
        return pairs, is_crowded

    def is_on_boundary(self, dimension: int) -> Array:
        """(n,) bool by mesh id: facets of exactly one cell, their faces, and their cells."""
        highest = self.simplices.dimension
        if not isinstance(dimension, (int, np.integer)) or not 0 <= dimension <= highest:
            raise InputError(f"dimension must be 0 to {highest} in this mesh, not {dimension!r}")
        if dimension not in self._boundary:
            self._boundary[dimension] = self._marked(dimension).view(np.bool_)
        return self._boundary[dimension]

    @cached_property
    def odd_vertices(self) -> Array:
        """(k,) int32: used vertices of tetrahedra whose link is neither a sphere nor a disc.

        With n_d simplices of dimension d around a vertex, o of them outer triangles, the link has
        Euler characteristic n1 - n2 + n3, and 2 n2 = 3 n3 + o unless a triangle is crowded. A
        sphere has 2 and o = 0, a disc 1 and o > 0; with these numbers a link is one if its
        triangles are one fan (kernels/simplicial/fans.h).
        """
        s, xp = self.simplices, self.session.device.xp
        n, outer, n_triangles = s.n_vertices, self._outer_ids, s.triangle_third.size
        corners, _ = self._rows("FV", outer)
        n_outer = xp.bincount(corners, minlength=n)
        n_edges = s.edge_begin[1:] - s.edge_begin[:-1] + xp.bincount(s.edge_upper, minlength=n)
        n_tets = sum(at[1:] - at[:-1] for at in (s.tet_begin, s.star_begin))
        is_odd = 2 * n_edges - n_outer - n_tets != 4 - 2 * (n_outer > 0)
        is_odd &= n_tets > 0
        is_odd |= self._has_several_fans(n_tets)
        if 4 * s.n_top > 2 * n_triangles - outer.size:
            is_odd[self._rows("FV", self.crowded_triangles.astype(np.int32))[0]] = True
        return compact(is_odd).astype(np.int32)

    def _has_several_fans(self, n_tets: Array) -> Array:
        """(V,) bool: the tetrahedra around a vertex, so many, are not joined by triangles at it."""
        s, session = self.simplices, self.session
        is_one = session.device.empty(s.n_vertices, np.uint8)
        session.launch("find_single_fans", is_one.size, *s.stars, is_one)
        found = is_one == 0
        for v in to_host(compact(found & (n_tets > constant("MOST_IN_FAN")))).tolist():
            found[v] = self._n_fans(v) > 1
        return found

    def _n_fans(self, v: int) -> int:
        """Fans of one vertex: tetrahedra joined by pairs, edge by edge of its link."""
        s, xp = self.simplices, self.session.device.xp
        begin, end = int(s.star_begin[v]), int(s.star_begin[v + 1])
        own = xp.arange(int(s.tet_begin[v]), int(s.tet_begin[v + 1]), dtype=np.int32)
        corners = to_host(s.tets[xp.concatenate([s.star_tets[begin:end], own])]).astype(np.int64)
        others = corners[corners != v].reshape(-1, 3)
        edges = others[:, [0, 0, 1]] * s.n_vertices + others[:, [1, 2, 2]]
        order = edges.ravel().argsort(kind="stable")
        same = np.flatnonzero(np.diff(edges.ravel()[order]) == 0)
        pairs = (np.stack([order[same], order[same + 1]], axis=1) // 3).astype(np.int32)
        name = np.empty(len(others), np.int32)
        self.session.host.run("name_sets", pairs, len(pairs), name, name.size)
        return np.unique(name).size

    def _rows(self, name: str, chosen: Array) -> tuple[Array, Array | None]:
        """Items of the rows of some simplices, in mesh ids."""
        from ...relations.rows import Span, rows_of

        return rows_of(self, name, Span(0, chosen.size, chosen), in_mesh_ids=True)

    def _marked(self, dimension: int) -> Array:
        from ...relations.rows import WIDTHS, table_of

        s, session = self.simplices, self.session
        facets = s.dimension - 1
        if dimension == facets:
            return self._outer_facets
        found = session.device.zeros(s.n_ids(dimension), np.uint8)
        letters = "VEFT"
        if dimension < facets:
            name, outer = letters[facets] + letters[dimension], self._outer_ids
            rows, _ = self._rows(name, outer)
            flags = session.device.xp.ones(outer.size, np.uint8)
            session.launch("mark_faces_of_outer", outer.size, flags, rows, WIDTHS[name], found)
        else:
            rows = table_of(self, letters[dimension] + letters[facets])
            session.launch(
                "mark_cells_of_outer", len(rows), self._outer_facets, rows, rows.shape[1], found
            )
        return found

    @cached_property
    def _outer_facets(self) -> Array:
        """(n,) uint8: whether a facet is that of exactly one cell."""
        if self.simplices.dimension == 2:
            return (self.triangles_of_edges == 1).astype(np.uint8)
        s = self.simplices
        found = self.session.device.empty(s.triangle_third.size, np.uint8)
        if "_pairs" in self.__dict__:
            self.session.launch("mark_boundary_triangles", found.size, self.triangle_tets, found)
        else:
            arrays = (*s.stars, *s.edge_trie, *s.triangle_trie)
            self.session.launch("find_outer_triangles", s.n_vertices, *arrays, found)
        return found

    @cached_property
    def _outer_ids(self) -> Array:
        return compact(self._outer_facets).astype(np.int32)
