"""The pairing of a mesh's simplices: codes, critical simplices, adjacency, and positions."""

from __future__ import annotations

import numpy as np

from ...device import Array, Session, to_host
from ...errors import InputError
from ...lazy import cached_property
from ...morse.critical import Counts, rows_of_index
from ...primitives import at, shifted
from .field import MeshField
from .incidence import Incidence
from .lower_star import Codes
from .simplices import Simplices

NO_SIDE = np.iinfo(np.int32).min


class SimplicialPairing:
    """The data on which V-paths of a mesh are traced, on the device of the computation."""

    session: Session
    incidence: Incidence
    points: Array  # (V, 2 or 3) float64
    counts: Counts
    critical_ids: Array  # (k,) int64 mesh ids, by (index, the user's id if there is one)
    field: MeshField
    codes_of: Codes  # (n_d,) uint8 for each dimension d, in mesh order (lower_star.py)

    @property
    def extremum_codes(self) -> Codes:
        """The same, which may differ between saddles."""
        return self.codes_of

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
        names = self.simplices.users_ids(dimension)
        return shifted(ids if names is None else at(names, ids))

    def centers(self, dimension: int, ids: Array) -> Array:
        """Return the barycenters (k, 3) float64 of simplices of one dimension, by mesh id (k,)."""
        mesh, session, points = self.simplices, self.session, self.points
        if points.shape[1] == 2:
            xp = session.device.xp
            points = xp.column_stack([points, xp.zeros(len(points))])
        if dimension == 0:
            return points[mesh.point_of[ids]]
        ids, centers = ids.astype(np.int32), session.device.empty((ids.size, 3), np.float64)
        kernel, read = [
            ("place_edges", mesh.edge_ends),
            ("place_triangles", (*mesh.edge_ends, mesh.triangle_edge, mesh.triangle_third)),
            ("place_tets", (mesh.tets,)),
        ][dimension - 1]
        session.launch(kernel, ids.size, ids, *read, mesh.point_of, points, centers)
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
        mesh, incidence, d = self.simplices, self.incidence, self.dimension
        if d == 3:
            sides, crowded = incidence.triangle_tets, incidence.crowded_triangles
        else:
            session, xp, n = self.session, self.session.device.xp, mesh.n_top
            sides, crowded = (
                xp.full((mesh.n_ids(1), 2), NO_SIDE, np.int32),
                xp.full(1, -1, np.int32),
            )
            session.launch("raise_mesh_sides", n, *mesh.trie, 2, sides)
            session.launch("find_crowded_facets", n, *mesh.trie, 2, sides, crowded)
            session.launch("settle_mesh_sides", len(sides), sides)
            crowded = crowded[crowded >= 0]
        if crowded.size:
            points = to_host(mesh.point_of[mesh.corners_of(d - 1, crowded[:1])[0]])
            name, others = ("edge", "triangles") if d == 2 else ("triangle", "tetrahedra")
            raise InputError(
                message=f"A Morse-Smale complex requires at most two {others} per {name}; the "
                f"{name} of points {', '.join(map(str, sorted(points.tolist())))} has three or "
                "more.",
                remedy="Split the mesh there.",
            )
        return sides
