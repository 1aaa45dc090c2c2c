"""The pairing of a mesh's simplices: codes, critical simplices, adjacency, and positions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import Array, Session, to_host
from ...errors import InputError
from ...lazy import cached_property
from ...morse.critical import Counts, rows_of_index
from ...primitives import at, compact, filled_rows, is_within, shifted
from .field import MeshField
from .incidence import Incidence
from .lower_star import Codes
from .simplices import Simplices

NO_SIDE = np.iinfo(np.int32).min
PATH_STEPS = (
    "mark_triangles_from_saddles",
    "mark_triangles_from_queue",
    "mark_triangles_again",
    "link_path_nodes",
)


class SimplicialPairing:
    """The data on which V-paths of a mesh are traced, on the device of the computation."""

    session: Session
    incidence: Incidence
    counts: Counts
    critical_ids: Array  # (k,) int64 mesh ids, by (index, the user's id if there is one)
    field: MeshField
    codes_of: Codes  # (n_d,) uint8 for each dimension d, in mesh order (lower_star.py)

    @property
    def extremum_codes(self) -> Codes:
        """The same, which may differ between saddles."""
        return self.codes_of

    @property
    def points(self) -> Array:
        """The user's points (V, 2 or 3) float64."""
        raise NotImplementedError

    @property
    def simplices(self) -> Simplices:
        return self.incidence.simplices

    @property
    def dimension(self) -> int:
        return self.simplices.dimension

    def critical_of(self, index: int) -> Array:
        """Mesh ids (c,) int32 of the critical simplices of one index, in the order of the rows."""
        return shifted(self.critical_ids[rows_of_index(self.counts, index)], dtype=np.int32)

    # === geometry
    def users_ids(self, dimension: int, ids: Array) -> Array:
        """Return the user's ids (k,) int64 of points and cells, mesh ids of other simplices."""
        return shifted(self.simplices.users_ids_of(dimension, ids))

    def centers(self, dimension: int, ids: Array) -> Array:
        """Return the barycenters (k, 3) float64 of simplices of one dimension, by mesh id (k,)."""
        return self.centers_of(self.corners_of(dimension, ids))

    def corners_of(self, dimension: int, ids: Array) -> Array:
        """Return the corners (k, dimension + 1) int32 of simplices, by mesh id (k,)."""
        return self.simplices.corners_of(dimension, ids)

    def centers_of(self, corners: Array) -> Array:
        """Return the barycenters (k, 3) float64 of simplices, given their corners (k, n) int32."""
        session, point_of, points = self.session, self.simplices.point_of, self.points
        if points.shape[1] == 2:
            xp = session.device.xp
            points = xp.column_stack([points, xp.zeros(len(points))])
        centers = session.device.empty((len(corners), 3), np.float64)
        place = (corners, corners.shape[1], point_of, points)
        session.launch("place_simplices", len(corners), *place, centers)
        return centers

    def place(self, cells: Array, dimensions: Array, some: tuple[int, ...]) -> tuple[Array, Array]:
        """Return barycenters (p, 3) float64 and ids (p,) int64; dimensions `some` occur."""
        points = self.session.device.empty((cells.size, 3), np.float64)
        ids = self.session.device.empty(cells.size, np.int64)
        for dimension in some:
            rows = self.session.device.xp.flatnonzero(dimensions == dimension)
            points[rows] = self.centers(dimension, cells[rows])
            ids[rows] = self.users_ids(dimension, cells[rows])
        return points, ids

    # === adjacency
    @cached_property
    def _up(self) -> dict[int, Array]:
        return {}

    def up(self, dimension: int) -> Array:
        """Return the cofacet (n_d,) int32 that each simplex is paired with, or -1; cached."""
        if dimension not in self._up:
            self._up[dimension] = self._cofacets(dimension)
        return self._up[dimension]

    def _cofacets(self, dimension: int) -> Array:
        """Return the cofacets of simplices, from the codes of the next dimension."""
        mesh = self.simplices
        codes = (self.codes_of if dimension else self.extremum_codes)[dimension + 1]
        with self.session.call(None, {}):
            up = self.session.device.unset(mesh.n_ids(dimension), np.int32)
            if dimension == 0:
                self.session.launch("pair_vertices_up", codes.size, codes, *mesh.edge_ends, up)
            elif dimension == 1:
                trie = (mesh.edge_begin, *mesh.edge_ends, *mesh.triangle_trie)
                self.session.launch("pair_edges_up", mesh.edge_upper.size, codes, *trie, up)
            else:
                tries = (*mesh.edge_trie, *mesh.triangle_trie)
                self.session.launch("pair_triangles_up", codes.size, codes, mesh.tets, *tries, up)
            return up

    @cached_property
    def sides(self) -> Array:
        """Top simplices (n, 2) int32 of each facet, or -1. Raises InputError if there are three."""
        sides, crowded = sides_of_facets(self.incidence)
        first = crowded[:1]
        reject_crowded(self.simplices, self.simplices.corners_of(self.dimension - 1, first))
        return sides

    # === of critical simplices, and of extrema
    def corners_of_critical(self, index: int) -> Array:
        """Return the corners (c, index + 1) int32 of the critical simplices of one index."""
        return self.corners_of(index, self.critical_of(index))

    @property
    def path_steps(self) -> tuple[tuple[str, str, str, str], tuple[Array, ...]]:
        """Kernels that walk along V-paths between saddles, and the edges of triangles for them."""
        return PATH_STEPS, self.simplices.triangles_by_edges

    @property
    def ascent_steps(self) -> tuple[str, tuple[Any, ...]]:
        """Kernel that lists the simplices on V-paths to maxima, and the facets for it."""
        return "fill_mesh_ascents", self.simplices.trie

    def falling_steps(self) -> tuple[str, tuple[Any, ...]]:
        """Kernel that walks along V-paths from 2-saddles to the triangles below, and its model."""
        return "expand_falling_surfaces", (*self.simplices.triangles_by_edges, self.up(1))

    def rising_steps(self) -> tuple[str, tuple[Any, ...]]:
        """Kernel that walks along V-paths from 1-saddles to the edges above, and its model."""
        session, mesh = self.session, self.simplices
        n_edges, n_triangles = mesh.n_ids(1), mesh.n_ids(2)
        session.memory.require(20 * n_edges + 8 * n_triangles, "tracing ascending surfaces")
        model = (*mesh.triangles_by_edges, self.codes_of[2])
        kernels = ("count_rising_arcs", "fill_rising_arcs")
        return "expand_rising_surfaces", filled_rows(session, kernels, n_triangles, n_edges, *model)

    def polygon_steps(self, edges: Array) -> tuple[tuple[str, str], tuple[Any, ...]]:
        """Kernels that count and list the corners of the polygons around edges, and their model."""
        session, mesh = self.session, self.simplices
        triangle_at = self.up(1).copy()
        model = (*mesh.triangles_by_edges, self.codes_of[1])
        session.launch("find_triangles_at", mesh.n_ids(2), *model, triangle_at)
        place = (*mesh.trie, self.sides, edges, at(triangle_at, edges))
        return ("measure_edge_polygons", "draw_edge_polygons"), place

    @property
    def sides_of_critical(self) -> Array:
        """Top simplices (c, 2) int32 of each critical facet, or -1."""
        return at(self.sides, self.critical_of(self.dimension - 1))

    def extremum_forest(self, index: int) -> Array:
        """Return the parents (n,) int32 of vertices (index 0) or top simplices, -1 at roots."""
        session, mesh = self.session, self.simplices
        forest = session.device.empty(mesh.n_ids(index), np.int32)
        if index == 0:
            model = (self.up(0), *mesh.edge_ends)
            session.launch("link_mesh_vertices", forest.size, *model, forest)
        else:
            model = (*mesh.trie, index, self.extremum_codes[index], self.sides)
            session.launch("link_mesh_tops", forest.size, *model, forest)
        return forest


def sides_of_facets(incidence: Incidence) -> tuple[Array, Array]:
    """Return the lowest two top simplices (n, 2) int32 of each facet, and facets with three."""
    mesh = incidence.simplices
    if mesh.dimension == 3:
        return incidence.triangle_tets, incidence.crowded_triangles
    session, xp, n = mesh.session, mesh.session.device.xp, mesh.n_top
    sides = xp.full((mesh.n_ids(1), 2), NO_SIDE, np.int32)
    session.launch("raise_mesh_sides", n, *mesh.trie, 2, sides)
    session.launch("settle_mesh_sides", len(sides), sides)
    return sides, compact(is_within(incidence.triangles_of_edges, 3))


def reject_crowded(simplices: Simplices, facets: Array) -> None:
    """Raise InputError if there are `facets` (k, d) int32, given by their corners."""
    if not len(facets):
        return
    points = to_host(simplices.point_of[facets[0]])
    name, others = ("edge", "triangles") if simplices.dimension == 2 else ("triangle", "tetrahedra")
    raise InputError(
        message=f"A Morse-Smale complex requires at most two {others} per {name}; the "
        f"{name} of points {', '.join(map(str, sorted(points.tolist())))} has three or "
        "more.",
        remedy="Split the mesh there.",
    )
