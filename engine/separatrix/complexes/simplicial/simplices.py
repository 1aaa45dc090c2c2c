"""The simplices of a mesh: sorted cells, and tries of its edges and triangles.

1. Cells: ascending mesh vertices, in lexicographic order of the rows.
2. Stars: the cells around each vertex.
3. Edges: each vertex lists its upper neighbors. 4. Triangles: each edge lists its third vertices.

Ids of edges, triangles and tetrahedra are their ranks in the lexicographic order of their
ascending mesh vertices. Tries take 4 (V + E) and 4 (E + F) bytes, cells 16 T, stars 4 (V + 3 T).
O(T log d), d the largest star. Liu et al. 2025, section 4.3; kernels/simplicial/simplices.h and
simplicial/build.h.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...device import Session
from ...device.base import Array
from ...errors import InputError
from ...kernels.source import constant
from ...lazy import cached_property
from ...primitives import compact, exclusive_scan
from .mesh_order import inverse_of

MOST_IN_MATRIX = constant("MOST_IN_MATRIX")
MOST_SIMPLICES = 2**31 - 2


@dataclass(eq=False)
class Simplices:
    """All simplices of a mesh of `dimension` 2 or 3, in mesh order, on the device of `session`.

    ``point_of`` (V,) int32: the user's point of a mesh vertex, ``vertex_of`` its inverse;
    ``cell_of`` (T,) int32: the user's cell of a top simplex, ``tet_of`` (n_cells,) its inverse,
    NONE where a cell was dropped; ``tets`` (T, 4) int32, ascending in a row, rows lexicographic;
    ``tet_begin`` (V + 1,) int32: tetrahedra whose lowest vertex is v.

    Made when first asked for, and kept: ``star_begin`` (V + 1,) and ``star_tets`` (3 T,) int32, the
    other tetrahedra around v, ascending; ``edge_begin`` (V + 1,) and ``edge_upper`` (E,) int32;
    ``triangle_begin`` (E + 1,) and ``triangle_third`` (F,) int32. Nothing is written to later.

    All points are numbered; those that no cell uses are not in the complex: see ``is_used``. Of a
    triangle mesh the rows of ``tets`` end in the largest int32, ``cell_of``, ``tet_of`` and stars
    are those of the triangles, whose ids are the rows.
    """

    session: Session
    dimension: int
    point_of: Array
    vertex_of: Array
    cell_of: Array
    tet_of: Array
    tets: Array
    tet_begin: Array

    @property
    def n_vertices(self) -> int:
        """All points, used or not."""
        return int(self.point_of.size)

    @property
    def n_top(self) -> int:
        """Simplices of the mesh's dimension, those that were given as cells."""
        return len(self.tets)

    @cached_property
    def counts(self) -> tuple[int, int, int, int]:
        """Simplices of each dimension, 0 to 3, of the complex: unused points do not count."""
        n_used = int(self.is_used.sum())
        n_tets = self.n_top if self.dimension == 3 else 0
        return n_used, self.edge_upper.size, self.triangle_third.size, n_tets

    def n_ids(self, dimension: int) -> int:
        """Ids of simplices of a dimension; vertices include the unused ones."""
        return self.n_vertices if dimension == 0 else self.counts[dimension]

    @cached_property
    def is_used(self) -> Array:
        """(V,) bool: the vertices that belong to the complex, being a cell's."""
        own, others = self.tet_begin, self.star_begin
        return (own[1:] != own[:-1]) | (others[1:] != others[:-1])

    @cached_property
    def _star_table(self) -> tuple[Array, Array]:
        return _stars(self.session, self.n_vertices, self.tets)

    @cached_property
    def _edge_table(self) -> tuple[Array, Array, Array]:
        return _edges(self.session, self.n_vertices, self.stars)

    @property
    def edge_trie(self) -> tuple[Array, Array]:
        """Arguments of kernels: edge_begin, edge_upper."""
        return self._edge_table[:2]

    @cached_property
    def triangle_trie(self) -> tuple[Array, Array]:
        """Arguments of kernels: triangle_begin, triangle_third."""
        edge_begin, edge_upper, triangle_begin = self._edge_table
        third = _triangles(self.session, self.stars, edge_begin, edge_upper, triangle_begin)
        return triangle_begin, third

    @property
    def trie(self) -> tuple[Array, ...]:
        """Arguments of kernels, their MeshTrie: edges, triangles, tetrahedra."""
        return (
            *(self.edge_lower, self.edge_begin, self.edge_upper),
            *(self.triangle_edge, self.triangle_begin, self.triangle_third, self.tets),
        )

    @property
    def triangles_by_edges(self) -> tuple[Array, ...]:
        """Arguments of kernels: edge_lower, edge_begin, edge_upper, triangle_edge, -third."""
        edges = (self.edge_lower, self.edge_begin, self.edge_upper)
        return (*edges, self.triangle_edge, self.triangle_third)

    def corners_of(self, dimension: int, ids: Array) -> Array:
        """Mesh vertices (k, dimension + 1) int32 of some simplices, ascending in a row."""
        if dimension == 0:
            return ids.astype(np.int32).reshape(-1, 1)
        if dimension == 3:
            return self.tets[ids]
        edges = ids if dimension == 1 else self.triangle_edge[ids]
        columns = [self.edge_lower[edges], self.edge_upper[edges]]
        if dimension == 2:
            columns.append(self.triangle_third[ids])
        return self.session.device.xp.stack(columns, axis=1)

    @property
    def star_begin(self) -> Array:
        """(V + 1,) int32: where a vertex's part of ``star_tets`` begins."""
        return self._star_table[0]

    @property
    def star_tets(self) -> Array:
        """(3 T,) int32: by vertex, the tetrahedra in which it is not the lowest, ascending."""
        return self._star_table[1]

    @property
    def stars(self) -> tuple[Array, Array, Array, Array]:
        """Arguments of kernels: tets, tet_begin, star_begin, star_tets."""
        return self.tets, self.tet_begin, *self._star_table

    @property
    def edge_begin(self) -> Array:
        """(V + 1,) int32: edges whose lower vertex is v."""
        return self.edge_trie[0]

    @property
    def edge_upper(self) -> Array:
        """(E,) int32: the upper vertex of each edge."""
        return self.edge_trie[1]

    @property
    def triangle_begin(self) -> Array:
        """(E + 1,) int32: triangles whose two lowest vertices are edge e."""
        return self.triangle_trie[0]

    @property
    def triangle_third(self) -> Array:
        """(F,) int32: the highest vertex of each triangle."""
        return self.triangle_trie[1]

    @cached_property
    def edge_lower(self) -> Array:
        """(E,) int32, the lower vertex of each edge."""
        return self._intervals(self.edge_begin, self.edge_upper.size)

    @cached_property
    def triangle_edge(self) -> Array:
        """(F,) int32, the edge of the two lowest vertices of each triangle."""
        return self._intervals(self.triangle_begin, self.triangle_third.size)

    @property
    def edges(self) -> Array:
        """(E, 2) int32, ascending mesh vertices."""
        found = self.session.device.empty((self.edge_upper.size, 2), np.int32)
        self.session.launch("list_mesh_edges", len(found), self.edge_lower, self.edge_upper, found)
        return found

    @property
    def triangles(self) -> Array:
        """(F, 3) int32, ascending mesh vertices."""
        found = self.session.device.empty((self.triangle_third.size, 3), np.int32)
        self.session.launch(
            "list_mesh_triangles",
            len(found),
            self.edge_lower,
            self.edge_upper,
            self.triangle_edge,
            self.triangle_third,
            found,
        )
        return found

    def _intervals(self, begins: Array, n: int) -> Array:
        found = self.session.device.empty(n, np.int32)
        self.session.launch("name_intervals", begins.size - 1, begins, found)
        return found


def build_simplices(
    session: Session,
    point_of: Array,
    cells: Array,
    chosen: Array | None = None,
    *,
    drop: bool = False,
) -> tuple[Simplices, Array]:
    """The simplices of `cells`, and which of the rows were repeated.

    `point_of` (V,) int32 is the order of the vertices, `cells` (n, 3 or 4) int32 the user's points
    of each cell, all in range and different within a cell; `chosen` (k,) int32 are the cells that
    take part. Repeated cells are left out if `drop`; otherwise nothing is made of them: the second
    result, the user's ids of all but the lowest of each, must be empty for the first to be of use.
    """
    device = session.device
    vertex_of = inverse_of(session, point_of)
    tets, cell_of, tet_begin = _sorted_tets(session, cells, vertex_of, chosen)
    is_repeated = device.empty(len(tets), np.uint8)
    session.launch("find_repeated_tets", len(tets), tets, is_repeated)
    repeated = cell_of[compact(is_repeated)]
    if repeated.size and drop:
        kept = compact(is_repeated == 0)
        n_before = exclusive_scan(is_repeated == 0).astype(np.int32)
        tets, cell_of, tet_begin = tets[kept], cell_of[kept], n_before[tet_begin]
    del is_repeated
    tet_of = device.xp.full(len(cells), -1, np.int32)
    session.launch("invert_permutation", cell_of.size, cell_of, tet_of)
    dimension = cells.shape[1] - 1
    found = Simplices(session, dimension, point_of, vertex_of, cell_of, tet_of, tets, tet_begin)
    return found, repeated


def begins_of(session: Session, counts: Array, what: str) -> Array:
    """Sums of all counts before each one, and the total last: (n,) int32 -> (n + 1,) int32."""
    xp = session.device.xp
    total = int(counts.sum(dtype=np.int64))
    if total > MOST_SIMPLICES:
        raise InputError(
            f"the mesh has {total:,} {what}, ids go up to {MOST_SIMPLICES:,}; split it into parts"
        )
    begins = session.device.zeros(counts.size + 1, np.int32)
    xp.cumsum(counts, dtype=np.int32, out=begins[1:])
    return begins


def _sorted_tets(
    session: Session, cells: Array, vertex_of: Array, chosen: Array | None
) -> tuple[Array, Array, Array]:
    """(tets, cell_of, tet_begin): rows ascending, in lexicographic order, then by cell."""
    device, n_vertices = session.device, vertex_of.size
    n = len(cells) if chosen is None else chosen.size
    some = device.empty(0, np.int32) if chosen is None else chosen
    given = (cells, cells.shape[1], vertex_of, some, some.size)
    counts = device.zeros(n_vertices, np.int32)
    session.launch("count_mesh_cells", n, *given, counts)
    tet_begin = begins_of(session, counts, "cells")
    tets, cell_of = device.empty((n, 4), np.int32), device.empty(n, np.int32)
    session.launch("place_mesh_cells", n, *given, tet_begin[:-1].copy(), tets)
    session.launch("sort_tets", n_vertices, tet_begin, tets, cell_of)
    return tets, cell_of, tet_begin


def _stars(session: Session, n_vertices: int, tets: Array) -> tuple[Array, Array]:
    """(star_begin, star_tets)."""
    counts = session.device.zeros(n_vertices, np.int32)
    session.launch("count_stars", len(tets), tets, counts)
    star_begin = begins_of(session, counts, "corners of cells")
    star_tets = session.device.empty(int(star_begin[-1]), np.int32)
    session.launch("place_stars", len(tets), tets, star_begin[:-1].copy(), star_tets)
    session.launch("sort_lists", n_vertices, star_begin, star_tets)
    return star_begin, star_tets


def _edges(
    session: Session, n_vertices: int, stars: tuple[Array, ...]
) -> tuple[Array, Array, Array]:
    """(edge_begin, edge_upper, triangle_begin)."""
    device = session.device
    counts = device.empty(n_vertices, np.int32)
    session.launch("count_upper_neighbors", n_vertices, *stars, counts)
    hubs, rooms = _hubs(stars, counts)
    listed, n_listed = device.empty(int(rooms[-1]), np.int32), device.empty(hubs.size, np.int32)
    session.launch("list_neighbors_of_hubs", hubs.size, hubs, rooms, *stars, listed, n_listed)
    counts[hubs] = n_listed
    edge_begin = begins_of(session, counts, "edges")
    edge_upper = device.empty(int(edge_begin[-1]), np.int32)
    placed = (hubs, rooms, listed, n_listed, edge_begin, edge_upper)
    session.launch("place_neighbors_of_hubs", hubs.size, *placed)
    counts = device.empty(edge_upper.size, np.int32)
    session.launch("list_upper_neighbors", n_vertices, *stars, edge_begin, edge_upper, counts)
    _keys_of_hubs(session, stars, edge_begin, edge_upper, counts)
    return edge_begin, edge_upper, begins_of(session, counts, "triangles")


def _hubs(stars: tuple[Array, ...], n_uppers: Array) -> tuple[Array, Array]:
    """Vertices whose upper neighbors fill more than a list, and room (h + 1,) for what is there.

    A tetrahedron has three edges and three triangles at its lowest vertex, two edges and one
    triangle at the second.
    """
    hubs = compact(n_uppers > MOST_IN_MATRIX).astype(np.int32)
    n_own, n_others = (at[hubs + 1] - at[hubs] for at in (stars[1], stars[2]))
    return hubs, exclusive_scan(3 * n_own + 2 * n_others)


def _keys_of_hubs(
    session: Session, stars: tuple[Array, ...], edge_begin: Array, edge_upper: Array, counts: Array
) -> tuple[Array, ...]:
    """(hubs, rooms, sorted keys of their triangles, how many); `counts` (E,) of theirs are set."""
    hubs, rooms = _hubs(stars, edge_begin[1:] - edge_begin[:-1])
    n_keys = session.device.empty(hubs.size, np.int32)
    keys = session.device.empty(int(rooms[-1]), np.int64)
    arrays = (hubs, rooms, *stars, edge_begin, edge_upper, keys, n_keys, counts)
    session.launch("key_triangles_of_hubs", hubs.size, *arrays)
    return hubs, rooms, keys, n_keys


def _triangles(
    session: Session, stars: tuple[Array, ...], edge_begin: Array, edge_upper: Array, begins: Array
) -> Array:
    """triangle_third, where triangle_begin is known."""
    n_vertices, third = edge_begin.size - 1, session.device.empty(int(begins[-1]), np.int32)
    arrays = (*stars, edge_begin, edge_upper, begins, third)
    session.launch("list_triangles_above", n_vertices, *arrays)
    known = begins[1:] - begins[:-1]
    keyed = _keys_of_hubs(session, stars, edge_begin, edge_upper, known)
    session.launch("list_triangles_of_hubs", keyed[0].size, *keyed, edge_begin, begins, third)
    return third
