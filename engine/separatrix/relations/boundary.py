"""The boundary of a mesh: facets of exactly one cell, their faces, and their cells."""

from __future__ import annotations

import numpy as np

from ..arguments import checked_whole
from ..complexes.simplicial.incidence import Incidence
from ..device import Array, to_host
from ..kernels.source import constant
from ..lazy import cached_property
from ..primitives import at, compact, sums_of_rows
from .compute import Span, rows_of
from .rows import LETTERS, WIDTHS


class Boundary:
    """Simplices on the boundary, computed on first access, within a call of the session."""

    def __init__(self, incidence: Incidence):
        self.incidence, self.simplices = incidence, incidence.simplices
        self.session = incidence.session
        self._boundary: dict[int, Array] = {}

    def is_on_boundary(self, dimension: int) -> Array:
        """Return a mask (n,): facets of exactly one cell, their faces, and their cells."""
        dimension = checked_whole(dimension, "dimension", 0, self.simplices.dimension)
        if dimension not in self._boundary:
            self._boundary[dimension] = self._marked(dimension).view(np.bool_)
        return self._boundary[dimension]

    def of_simplices(self, dimension: int, ids: Array) -> Array:
        """Return flags (k,) uint8 of some simplices, without a list of all cells."""
        s = self.simplices
        if dimension < s.dimension or dimension in self._boundary:
            return at(self.is_on_boundary(dimension).view(np.uint8), ids)
        name = LETTERS[dimension] + LETTERS[dimension - 1]
        found = self.session.device.empty(ids.size, np.uint8)
        given = (self._outer_facets, self._items(name, ids), WIDTHS[name])
        self.session.launch("mark_cells_of_outer", ids.size, *given, found)
        return found

    @property
    def has_crowded(self) -> bool:
        """Whether a facet has three cells or more, from the numbers of facets."""
        s = self.simplices
        n_sides = 2 * s.n_ids(s.dimension - 1) - self._outer_ids.size
        return (s.dimension + 1) * s.n_top > n_sides

    @property
    def is_known(self) -> bool:
        """Whether the vertices on the boundary and odd ones have been found."""
        is_found = self.simplices.dimension < 3 or "odd_vertices" in self.__dict__
        return is_found and 0 in self._boundary

    def find_vertices(self) -> tuple[Array, Array | None]:
        """Return flags (V,) of vertices on the boundary, and the odd ones of tetrahedra."""
        odd = self.odd_vertices if self.simplices.dimension == 3 else None
        return self.is_on_boundary(0), odd

    def keep(self, on_boundary: np.ndarray, odd: np.ndarray) -> None:
        """Keep flags (V,) of vertices on the boundary, and odd vertices (k,) int32."""
        self._boundary[0] = on_boundary
        self.__dict__["odd_vertices"] = odd

    @cached_property
    def odd_vertices(self) -> Array:
        """Vertices (k,) int32 of tetrahedra whose link is neither a sphere nor a disc.

        If n_d simplices of dimension d contain a vertex, among them o triangles on the boundary,
        the link has Euler characteristic n1 - n2 + n3, and 2 n2 = 3 n3 + o unless a triangle is
        crowded. A sphere has 2 and o = 0, and a disc has 1 and o > 0. A link with these numbers is
        a sphere or a disc if its triangles form a single fan (kernels/simplicial/fans.h).
        """
        s, device = self.simplices, self.session.device
        n, outer = s.n_vertices, self._outer_ids
        n_outer = sums_of_rows(device, self._items("FV", outer), n)
        n_edges = s.edge_begin[1:] - s.edge_begin[:-1] + sums_of_rows(device, s.edge_upper, n)
        n_tets = sum(at[1:] - at[:-1] for at in (s.tet_begin, s.star_begin))
        is_odd = 2 * n_edges - n_outer - n_tets != 4 - 2 * (n_outer > 0)
        is_odd &= n_tets > 0
        is_odd |= self._has_several_fans(n_tets)
        if self.has_crowded:
            is_odd[self._items("FV", self.incidence.crowded_triangles.astype(np.int32))] = True
        return compact(is_odd).astype(np.int32)

    def _has_several_fans(self, n_tets: Array) -> Array:
        """Return a mask (V,) of vertices whose `n_tets` (V,) tetrahedra form several fans."""
        s, session = self.simplices, self.session
        is_one = session.device.empty(s.n_vertices, np.uint8)
        session.launch("find_single_fans", is_one.size, *s.stars, is_one)
        found = is_one == 0
        for v in to_host(compact(found & (n_tets > constant("MOST_IN_FAN")))).tolist():
            found[v] = self._n_fans(v) > 1
        return found

    def _n_fans(self, v: int) -> int:
        """Return the number of fans of one vertex, connected by edges of its link."""
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

    def _items(self, name: str, chosen: Array | None = None) -> Array:
        """Return the items of the rows of some simplices, by default all, in mesh ids."""
        n = self.simplices.n_ids(LETTERS.index(name[0])) if chosen is None else chosen.size
        return rows_of(self.incidence, name, Span(0, n, chosen), in_mesh_ids=True)[0]

    def _marked(self, dimension: int) -> Array:
        s, session = self.simplices, self.session
        facets = s.dimension - 1
        if dimension == facets:
            return self._outer_facets
        found = session.device.zeros(s.n_ids(dimension), np.uint8)
        if dimension < facets:
            name, outer = LETTERS[facets] + LETTERS[dimension], self._outer_ids
            flags, items = session.device.xp.ones(outer.size, np.uint8), self._items(name, outer)
            session.launch("mark_faces_of_outer", outer.size, flags, items, WIDTHS[name], found)
        else:
            name, flags = LETTERS[dimension] + LETTERS[facets], self._outer_facets
            items = self._items(name)
            session.launch("mark_cells_of_outer", found.size, flags, items, WIDTHS[name], found)
        return found

    @cached_property
    def _outer_facets(self) -> Array:
        """Return flags (n,) uint8 of the facets that belong to exactly one cell."""
        if self.simplices.dimension == 2:
            return (self.incidence.triangles_of_edges == 1).astype(np.uint8)
        s = self.simplices
        found = self.session.device.empty(s.triangle_third.size, np.uint8)
        if self.incidence.has_pairs:
            self.session.launch(
                "mark_boundary_triangles", found.size, self.incidence.triangle_tets, found
            )
        else:
            arrays = (*s.stars, *s.edge_trie, *s.triangle_trie)
            self.session.launch("find_outer_triangles", s.n_vertices, *arrays, found)
        return found

    @cached_property
    def _outer_ids(self) -> Array:
        return compact(self._outer_facets).astype(np.int32)
