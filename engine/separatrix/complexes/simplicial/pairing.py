"""The pairing of a mesh's simplices: codes, critical simplices, and what is next to what."""

from __future__ import annotations

import numpy as np

from ...arguments import checked_whole
from ...device import Session, to_host
from ...device.base import Array
from ...errors import InputError
from ...lazy import cached_property
from ...morse.critical import Counts, rows_of_index
from .barycenters import barycenters
from .field import MeshField
from .incidence import Incidence
from .lower_star import Codes
from .simplices import Simplices

NO_SIDE = np.iinfo(np.int32).min


class SimplicialPairing:
    """What V-paths of a mesh are traced on, on the device that computes.

    Attributes
    ----------
    codes_of : arrays (n_d,) uint8 by dimension d, in mesh order: see lower_star.py.
    extremum_codes : the same, of which those between saddles may be as in the raw complex.
    critical_ids : (k,) int64, mesh ids of the critical simplices, sorted by (index, id), where the
        ids of points and top cells are the user's: rows do not move with the mesh order.
    counts : critical simplices of index 0, 1, 2, 3.
    points : (V, 2 or 3) float64, by the user's point.
    """

    session: Session
    incidence: Incidence
    points: Array
    counts: Counts
    critical_ids: Array

    @property
    def field(self) -> MeshField:
        """The values of the points, with their rank."""
        raise NotImplementedError

    @property
    def codes_of(self) -> Codes:
        """Codes (n_d,) uint8 of all simplices, by dimension."""
        raise NotImplementedError

    @property
    def extremum_codes(self) -> Codes:
        """The same, of which those between saddles may be as in the raw complex."""
        return self.codes_of

    @property
    def simplices(self) -> Simplices:
        """The mesh's simplices."""
        return self.incidence.simplices

    @property
    def dimension(self) -> int:
        """3 for tetrahedra, 2 for triangles: the index of maxima."""
        return self.simplices.dimension

    def critical_of(self, index: int) -> Array:
        """Mesh ids (c,) int32 of the critical simplices of one index, in the order of the rows."""
        return self.critical_ids[rows_of_index(self.counts, index)].astype(np.int32)

    def centers(self, dimension: int, ids: Array) -> Array:
        """Barycenters (k, 3) float64 of simplices of one dimension by mesh id (k,)."""
        ids = ids.astype(np.int32)
        return barycenters(self.session, self.simplices, self.points, dimension, ids)

    @cached_property
    def _up(self) -> dict[int, Array]:
        return {}

    def up(self, dimension: int) -> Array:
        """Cofacet (n_d,) int32 by mesh id that each simplex is paired with, or -1; kept."""
        dimension = checked_whole(dimension, "dimension", 0, self.dimension - 1)
        if dimension not in self._up:
            self._up[dimension] = self._cofacets(dimension)
        return self._up[dimension]

    def _cofacets(self, dimension: int) -> Array:
        """One pass over the codes of one dimension more."""
        mesh = self.simplices
        codes = (self.codes_of if dimension else self.extremum_codes)[dimension + 1]
        edges = (mesh.edge_lower, mesh.edge_upper)
        with self.session.call(None, {}):
            up = self.session.device.xp.full(mesh.n_ids(dimension), -1, np.int32)
            if dimension == 0:
                self.session.launch("pair_vertices_up", codes.size, codes, *edges, up)
            elif dimension == 1:
                trie = (mesh.edge_begin, *edges, *mesh.triangle_trie)
                self.session.launch("pair_edges_up", edges[1].size, codes, *trie, up)
            else:
                tries = (*mesh.edge_trie, *mesh.triangle_trie)
                self.session.launch("pair_triangles_up", codes.size, codes, mesh.tets, *tries, up)
            return up

    @cached_property
    def sides(self) -> Array:
        """Top simplices (n, 2) int32 on the two sides of each facet, the second -1 at the boundary.

        Raises InputError where a facet has three: such a mesh is no manifold.
        """
        mesh, incidence, d = self.simplices, self.incidence, self.dimension
        if d == 3:
            sides, crowded = incidence.triangle_tets, incidence.crowded_triangles
        else:
            sides, crowded = sides_of_edges(self.session, mesh)
        if crowded.size:
            points = to_host(mesh.point_of[mesh.corners_of(d - 1, crowded[:1])[0]])
            name, others = ("edge", "triangles") if d == 2 else ("triangle", "tetrahedra")
            raise InputError(
                f"the {name} of points {', '.join(map(str, sorted(points.tolist())))} is a face of "
                f"three {others} or more, where a Morse-Smale complex allows two; take the mesh "
                "apart there"
            )
        return sides


def sides_of_edges(session: Session, mesh: Simplices) -> tuple[Array, Array]:
    """Of a triangle mesh: the triangles (E, 2) int32 of each edge, -1 where there is no second;
    and an edge (1,) int32 that has three, (0,) if none has.
    """
    trie, n = mesh.trie, mesh.n_top
    sides = session.device.xp.full((mesh.n_ids(1), 2), NO_SIDE, np.int32)
    crowded = session.device.xp.full(1, -1, np.int32)
    session.launch("raise_mesh_sides", n, *trie, 2, sides)
    session.launch("find_crowded_facets", n, *trie, 2, sides, crowded)
    session.launch("settle_mesh_sides", len(sides), sides)
    return sides, crowded[crowded >= 0]
