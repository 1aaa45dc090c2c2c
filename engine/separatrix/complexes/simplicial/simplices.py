"""The simplices of a mesh: sorted cells, and tries of its edges and triangles.

Ids are ranks in the lexicographic order of ascending mesh vertices. Liu et al. 2025, section 4.3;
kernels/simplicial/simplices.h and simplicial/build.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...device import Array, Session
from ...lazy import cached_property
from ...primitives import (
    at,
    compact,
    exclusive_scan,
    is_within,
    lengths_of,
    put,
    shifted,
    stacked,
    total,
)
from .cells import (
    MOST_IN_MATRIX,
    begins_of,
    edges_of,
    lists_of_vertices,
    sorted_tets_of,
    triangles_of,
)


@dataclass(eq=False)
class Simplices:
    """All simplices of a mesh, in mesh order, on the device of `session`.

    Cached on first access, and not modified later: ``star_begin`` (V + 1,) and ``star_tets`` (3 T,)
    int32, the tetrahedra in which v is not the lowest vertex, ascending; ``edge_begin`` (V + 1,)
    int32, the edges whose lower vertex is v, with ``edge_upper`` (E,) int32; ``triangle_begin``
    (E + 1,) int32, the triangles whose two lowest vertices are edge e, with ``triangle_third`` (F,)
    int32, their highest vertices.

    All points are numbered, but points without cells are not in the complex (see ``is_used``). In a
    triangle mesh, rows of ``tets`` end in the largest int32, and ``cell_of``, ``tet_of``, and the
    stars are those of the triangles, whose ids are the rows.
    """

    session: Session
    dimension: int  # 2 or 3
    point_of: Array  # (V,) int32, the user's point of each mesh vertex
    vertex_of: Array  # its inverse
    cell_of: Array  # (T,) int32, the user's cell of each top simplex
    tet_of: Array  # (n_cells,) its inverse, NONE for dropped cells
    tets: Array  # (T, 4) int32, ascending rows in lexicographic order
    tet_begin: Array  # (V + 1,) int32, bounds of the tetrahedra whose lowest vertex is v

    resident: Simplices | None = None
    """The same cells on a GPU, from which packets are collected; see resident.py."""

    @property
    def n_vertices(self) -> int:
        """Number of points, with or without cells."""
        return int(self.point_of.size)

    @property
    def n_top(self) -> int:
        """Number of simplices of the mesh's dimension, the cells."""
        return len(self.tets)

    @cached_property
    def counts(self) -> tuple[int, int, int, int]:
        """Numbers of simplices of each dimension, 0 to 3, without unused points."""
        n_tets = self.n_top if self.dimension == 3 else 0
        return self.n_used, self.edge_upper.size, self.triangle_third.size, n_tets

    @cached_property
    def n_used(self) -> int:
        """Number of points with cells."""
        return total(self.session.device, self.is_used)

    @property
    def has_triangles(self) -> bool:
        """Whether edges and triangles have been computed."""
        return "triangle_trie" in self.__dict__

    def n_ids(self, dimension: int) -> int:
        """Return the number of ids of a dimension, which includes unused points."""
        return self.n_vertices if dimension == 0 else self.counts[dimension]

    def first_cells_of(self, vertices: Array) -> Array:
        """Return the first cell (k,) int32 whose lowest vertex is each vertex or a later one."""
        return self.tet_begin[vertices]

    @cached_property
    def is_used(self) -> Array:
        """Whether each vertex belongs to a cell, and therefore to the complex: (V,) bool."""
        begins = (self.tet_begin, self.star_begin)
        own, others = (is_within(lengths_of(offsets), 1) for offsets in begins)
        put(own.view(np.uint8), others, 1)
        return own

    @cached_property
    def _star_table(self) -> tuple[Array, Array]:
        given = ("stars", "corners of cells", self.n_top, self.tets)
        return lists_of_vertices(self.session, self.n_vertices, *given)

    @cached_property
    def _edge_table(self) -> tuple[Array, Array, Array]:
        return edges_of(self.session, self.n_vertices, self.stars)

    @property
    def edge_trie(self) -> tuple[Array, Array]:
        """Arguments of kernels: edge_begin, edge_upper."""
        return self._edge_table[:2]

    @cached_property
    def triangle_trie(self) -> tuple[Array, Array]:
        """Arguments of kernels: triangle_begin, triangle_third."""
        edge_begin, edge_upper, triangle_begin = self._edge_table
        third = triangles_of(self.session, self.stars, edge_begin, edge_upper, triangle_begin)
        return triangle_begin, third

    @property
    def trie(self) -> tuple[Array, ...]:
        """Arguments of kernels (MeshTrie): edges, triangles, tetrahedra."""
        edges, triangles = (self.edge_lower, *self.edge_trie), self.triangle_trie
        return (*edges, self.triangle_edge, *triangles, self.tets)

    @property
    def edge_ends(self) -> tuple[Array, Array]:
        """Arguments of kernels: edge_lower, edge_upper."""
        return self.edge_lower, self.edge_upper

    @property
    def triangles_by_edges(self) -> tuple[Array, ...]:
        """Arguments of kernels: edge_lower, edge_begin, edge_upper, triangle_edge, -third."""
        edges = (self.edge_lower, *self.edge_trie)
        return (*edges, self.triangle_edge, self.triangle_third)

    def corners_of(self, dimension: int, ids: Any) -> Array:
        """Return the mesh vertices (k, dimension + 1) int32 of simplices, ascending in each row.

        Above dimension 0, `ids` may be a slice.
        """
        if dimension == 0:
            return shifted(ids, dtype=np.int32).reshape(-1, 1)

        def chosen(column: Array, rows: Any) -> Array:
            return column[rows] if isinstance(rows, slice) else at(column, rows)

        if dimension == 3:
            return chosen(self.tets, ids)
        edges = ids if dimension == 1 else chosen(self.triangle_edge, ids)
        columns = [chosen(self.edge_lower, edges), chosen(self.edge_upper, edges)]
        if dimension == 2:
            columns.append(chosen(self.triangle_third, ids))
        return stacked(*columns)

    @cached_property
    def star_trie(self) -> tuple[Any, ...] | None:
        """Arguments of kernels (StarTrie), which store no edges and triangles; None for hubs."""
        n, session = self.n_vertices, self.session
        n_edges, n_triangles = (session.device.empty(n, np.int32) for _ in range(2))
        session.launch("count_star_simplices", n, *self.stars, n_edges, n_triangles)
        if n and int(n_edges.max()) > MOST_IN_MATRIX:
            return None
        bounds = begins_of(session, n_edges, "edges"), begins_of(session, n_triangles, "triangles")
        return (*self.stars, *bounds, n)

    @property
    def star_begin(self) -> Array:
        return self._star_table[0]

    @property
    def star_tets(self) -> Array:
        return self._star_table[1]

    @property
    def stars(self) -> tuple[Array, Array, Array, Array]:
        """Arguments of kernels: tets, tet_begin, star_begin, star_tets."""
        return self.tets, self.tet_begin, *self._star_table

    @property
    def edge_begin(self) -> Array:
        return self.edge_trie[0]

    @property
    def edge_upper(self) -> Array:
        return self.edge_trie[1]

    @property
    def triangle_begin(self) -> Array:
        return self.triangle_trie[0]

    @property
    def triangle_third(self) -> Array:
        return self.triangle_trie[1]

    @cached_property
    def edge_lower(self) -> Array:
        """The lower vertex (E,) int32 of each edge."""
        return self._intervals(self.edge_begin, self.edge_upper.size)

    @cached_property
    def triangle_edge(self) -> Array:
        """The edge (F,) int32 of the two lowest vertices of each triangle."""
        return self._intervals(self.triangle_begin, self.triangle_third.size)

    def users_ids(self, dimension: int) -> Array | None:
        """Return the user's int32 id of each mesh id, for points and cells; otherwise None."""
        if dimension == 0:
            return self.point_of
        return self.cell_of if dimension == self.dimension else None

    def users_ids_of(self, dimension: int, ids: Array) -> Array:
        """Return the user's int32 ids (k,) of points and cells, mesh ids of other simplices."""
        names = self.users_ids(dimension)
        return ids if names is None else at(names, ids)

    def by_points(self, numbers: Array) -> Array:
        """Return numbers (V,) of mesh vertices in the order of the user's points."""
        return at(numbers, self.vertex_of)

    def mesh_ids(self, dimension: int) -> Array | None:
        """Return the int32 mesh id of each of the user's ids, for points and cells; else None."""
        if dimension == 0:
            return self.vertex_of
        return self.tet_of if dimension == self.dimension else None

    def _intervals(self, begins: Array, n: int) -> Array:
        found = self.session.device.empty(n, np.int32)
        self.session.launch("name_intervals", begins.size - 1, begins, found)
        return found


def build_simplices(
    session: Session, point_of: Array, cells: Array, chosen: Array | None, *, drop: bool
) -> tuple[Simplices, Array]:
    """Return the simplices of `cells`, and the user's ids of repeated cells, except the first ones.

    `point_of` (V,) int32 orders the vertices. `cells` (n, 3 or 4) int32 are valid, and `chosen`
    (k,) int32 are those to use. Repeated cells are removed if `drop`; otherwise the simplices are
    valid only if there are none.
    """
    device = session.device
    vertex_of = device.empty(point_of.size, np.int32)
    session.launch("invert_permutation", point_of.size, point_of, vertex_of)
    tets, cell_of, tet_begin = sorted_tets_of(session, cells, vertex_of, chosen)
    is_repeated = device.empty(len(tets), np.uint8)
    session.launch("find_repeated_tets", len(tets), tets, is_repeated)
    repeated = cell_of[compact(is_repeated)]
    if repeated.size and drop:
        kept = compact(is_repeated == 0)
        n_before = exclusive_scan(is_repeated == 0).astype(np.int32)
        tets, cell_of, tet_begin = tets[kept], cell_of[kept], n_before[tet_begin]
    del is_repeated
    tet_of = device.unset(len(cells), np.int32)
    session.launch("invert_permutation", cell_of.size, cell_of, tet_of)
    dimension = cells.shape[1] - 1
    found = Simplices(session, dimension, point_of, vertex_of, cell_of, tet_of, tets, tet_begin)
    return found, repeated
