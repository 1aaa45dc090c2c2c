"""The gradient of a mesh as what comes after it reads it: a model of :class:`MorseGradient`.

Critical simplices are sorted by (index, id), ids being the user's for points and top cells and mesh
ids for edges and for the triangles of tetrahedra: rows and labels do not move with the mesh order
of points and cells. A simplex is owned by its highest vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import Session, to_host
from ...device.base import Array
from ...errors import InputError
from ...lazy import cached_property
from ..cubical.connector_minor import Minor
from ..cubical.critical import Counts, rows_of_index
from .barycenters import barycenters, users_ids
from .forests import extremum_forest, label_of_extrema, saddle_starts
from .gradient import MeshGradient
from .path_graph import PathGraph, build_path_graph, contract_paths
from .simplices import Simplices
from .simplicial_mesh import SimplicialMesh
from .values import PointValues

NO_SIDE = np.iinfo(np.int32).min


class MeshFlow:
    """V-paths of a mesh's gradient; see :class:`separatrix.morse.model.MorseGradient`.

    ``gradient``: the pairing of the simplices of ``mesh``.
    """

    _gradient: MeshGradient
    points: Array
    values: PointValues
    counts: Counts
    critical_ids: Array

    def __init__(self, mesh: SimplicialMesh, gradient: MeshGradient):
        self.mesh = mesh
        self.session: Session = gradient.session
        self.points, self.values = gradient.points, gradient.values
        self._gradient = gradient
        self.counts = gradient.counts
        self.critical_ids = self.session.device.xp.concatenate(self._ids_by_row()).astype(np.int64)

    def _ids_by_row(self) -> list[Array]:
        """Mesh ids of the critical simplices of each index, in the order of the rows."""
        xp, found = self.session.device.xp, list(self.gradient.critical_ids)
        for index in (0, self.dimension):
            found[index] = found[index][xp.argsort(users_ids(self.simplices, index, found[index]))]
        return found

    @property
    def gradient(self) -> MeshGradient:
        """The pairing of the simplices."""
        return self._gradient

    @property
    def simplices(self) -> Simplices:
        """The mesh's simplices."""
        return self.mesh.simplices

    @property
    def dimension(self) -> int:
        """3 for tetrahedra, 2 for triangles: the index of maxima."""
        return self.mesh.dimension

    def rows(self, index: int) -> slice:
        """Rows of the critical simplices of one index."""
        return rows_of_index(self.counts, index)

    def ids_of(self, index: int) -> Array:
        """Mesh ids (c,) int32 of the critical simplices of one index, in the order of the rows."""
        return self.critical_ids[self.rows(index)].astype(np.int32)

    @cached_property
    def cell_ids(self) -> Array:
        """Critical simplices (k,) int64: the user's ids of points and cells, else mesh ids."""
        some = (users_ids(self.simplices, d, self.ids_of(d)) for d in range(4))
        return self.session.device.xp.concatenate(list(some))

    @cached_property
    def owner_vertices(self) -> Array:
        """User's point (k,) int32 that is the highest corner of each critical simplex."""
        xp, rank = self.session.device.xp, self.values.rank
        owners = [self.session.device.empty(0, np.int32)]
        for index in range(4):
            if not self.counts[index]:
                continue
            corners = corners_of(self.simplices, index, self.critical_ids[self.rows(index)])
            highest = rank[corners].argmax(axis=1)
            owners.append(corners[xp.arange(len(corners)), highest])
        return self.simplices.point_of[xp.concatenate(owners)]

    @cached_property
    def owner_levels(self) -> Array:
        """Place (k,) int32 of each owner in the order of the vertices."""
        return self.values.rank[self.simplices.vertex_of[self.owner_vertices]]

    @property
    def owner_values(self) -> Array:
        """Value of each owner (k,) in the caller's dtype."""
        return self.values.at(self.owner_vertices)

    # === pairing
    @cached_property
    def _up(self) -> dict[int, Array]:
        return {}

    def up(self, dimension: int) -> Array:
        """Cofacet (n_d,) int32 that each simplex is paired with, or -1; kept."""
        if dimension not in self._up:
            codes = self.codes if dimension else self.extremum_codes
            mesh = self.simplices
            gradient = MeshGradient(self.session, mesh, self.points, self.values, codes)
            self._up[dimension] = gradient.up(dimension)
        return self._up[dimension]

    @property
    def extremum_codes(self) -> tuple[Array, ...]:
        """The same, of which those between saddles may be as in the raw complex."""
        return self.codes

    @property
    def codes(self) -> tuple[Array, ...]:
        """Codes (n_d,) uint8 of all simplices, by dimension."""
        return self.gradient.codes

    @cached_property
    def sides(self) -> Array:
        """Top simplices (n, 2) int32 on the two sides of each facet, the second -1 at the boundary.

        Raises InputError where a facet has three: such a mesh is no manifold.
        """
        mesh, d = self.simplices, self.dimension
        incidence = self.mesh.incidence
        if d == 3:
            sides, crowded = incidence.triangle_tets, incidence.crowded_triangles
        else:
            sides, crowded = sides_of_edges(self.session, mesh)
        if crowded.size:
            points = to_host(mesh.point_of[corners_of(mesh, d - 1, crowded[:1])[0]])
            name, others = ("edge", "triangles") if d == 2 else ("triangle", "tetrahedra")
            raise InputError(
                f"the {name} of points {', '.join(map(str, sorted(points.tolist())))} is a face of "
                f"three {others} or more, where a Morse-Smale complex allows two; take the mesh "
                "apart there"
            )
        return sides

    def centers(self, dimension: int, ids: Array) -> Array:
        """Barycenters (k, 3) float64 of simplices of one dimension by mesh id (k,)."""
        ids = ids.astype(np.int32)
        return barycenters(self.session, self.simplices, self.points, dimension, ids)

    # === the model
    @cached_property
    def _ends(self) -> dict[str, Array]:
        return {}

    def extremum_ends(self, kind: str) -> Array:
        """Minima or maxima on both sides of each saddle: (s, 2) int32, -1 out of the mesh; kept."""
        if kind not in self._ends:
            self._ends[kind] = self._measured_ends(kind)
        return self._ends[kind]

    def _measured_ends(self, kind: str) -> Array:
        index = 0 if kind == "descending" else self.dimension
        starts, forest = saddle_starts(self, kind), extremum_forest(self, index)
        length, end = (self.session.device.empty(starts.size, np.int32) for _ in range(2))
        codes = self.extremum_codes[index]
        self.session.launch("measure_mesh_arcs", starts.size, starts, forest, codes, length, end)
        return label_of_extrema(self, index, end).reshape(-1, 2)

    @cached_property
    def paths(self) -> PathGraph:
        """V-paths between the saddles of a tetrahedral mesh, as a graph."""
        return build_path_graph(
            self.session, self.simplices, self.up(1), self.codes[1], self.ids_of(2), self.ids_of(1)
        )

    def path_minor(self) -> Minor:
        """The V-paths between the saddles of a volume, contracted."""
        return contract_paths(self.session, self.paths)

    def saddle_paths(self) -> tuple[str, tuple[Any, ...]]:
        """The task that cancels pairs, and the graph of V-paths for it to change, on the host."""
        return "cancel_path_pairs", self.paths.on_host()

    def needs_connectors(self, dimensions: set[int]) -> bool:
        """Whether pairs of these dimensions can't be told from the extremum arcs alone."""
        # A mesh may enclose voids, whose 2-saddles are columns that vanish.
        return self.dimension == 3 and bool({1, 2} & dimensions)


def sides_of_edges(session: Session, mesh: Simplices) -> tuple[Array, Array]:
    """Of a triangle mesh: the triangles (E, 2) int32 of each edge, -1 where there is no second;
    and an edge (1,) int32 that has three, (0,) if none has.
    """
    trie, n = trie_of(mesh), mesh.n_top
    sides = session.device.xp.full((mesh.n_ids(1), 2), NO_SIDE, np.int32)
    crowded = session.device.xp.full(1, -1, np.int32)
    session.launch("raise_mesh_sides", n, *trie, 2, sides)
    session.launch("find_crowded_facets", n, *trie, 2, sides, crowded)
    session.launch("settle_mesh_sides", len(sides), sides)
    return sides, crowded[crowded >= 0]


def trie_of(mesh: Simplices) -> tuple[Array, ...]:
    """The kernels' MeshTrie."""
    return (
        *(mesh.edge_lower, mesh.edge_begin, mesh.edge_upper),
        *(mesh.triangle_edge, mesh.triangle_begin, mesh.triangle_third, mesh.tets),
    )


def corners_of(mesh: Simplices, dimension: int, ids: Array) -> Array:
    """Mesh vertices (k, dimension + 1) int32 of some simplices, ascending in a row."""
    xp = mesh.session.device.xp
    if dimension == 0:
        return ids.astype(np.int32).reshape(-1, 1)
    if dimension == 3:
        return mesh.tets[ids]
    edges = ids if dimension == 1 else mesh.triangle_edge[ids]
    columns = [mesh.edge_lower[edges], mesh.edge_upper[edges]]
    return xp.stack(columns if dimension == 1 else [*columns, mesh.triangle_third[ids]], axis=1)
