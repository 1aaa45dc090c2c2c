"""The discrete gradient of a mesh: what is read of it and traced on it, raw or at a level."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...device.arrays import read_only
from ...device.base import Array
from ...lazy import cached_property
from ...morse.arrows import Arrows, checked_stride
from ...morse.connectors.minor import Minor
from ...morse.connectors.table import Connectors
from ...morse.critical import CriticalCells
from ...morse.gradient import DiscreteGradient, Done
from ...morse.graph import ComplexGraph
from ...morse.hierarchy import Hierarchy
from ...morse.levels import Levels
from ...morse.separatrices import ExtremumArcs, Polylines
from ...morse.surfaces import SeparatrixSurfaces
from ...primitives import compact
from .barycenters import users_ids
from .field import MeshField, rank_vertices
from .forests import maximum_of_cells, maximum_of_points, minimum_of_points
from .levels import SimplicialLevels
from .lines import SimplicialArcs, draw_arcs, draw_connectors, trace_extremum_arcs
from .lower_star import CRITICAL_SIMPLEX, Codes, fill_lower_stars, pair_lower_stars
from .pairing import SimplicialPairing
from .path_graph import PathGraph, build_path_graph, contract_paths
from .simplicial_mesh import SimplicialMesh
from .surfaces import trace_surfaces


class SimplicialGradient(DiscreteGradient, SimplicialPairing):
    """Pairing of the simplices of a mesh; see :class:`SimplicialPairing` for its arrays."""

    domain: SimplicialMesh

    def __init__(self, mesh: SimplicialMesh, field: MeshField, codes: Codes):
        self._set_domain(mesh, field)
        self._codes = tuple(map(read_only, codes))
        xp = self.session.device.xp
        found = [compact(of == CRITICAL_SIMPLEX).astype(np.int32) for of in codes]
        for index in (0, self.dimension):
            found[index] = found[index][xp.argsort(users_ids(self.simplices, index, found[index]))]
        c0, c1, c2, c3 = (*(ids.size for ids in found), 0)[:4]
        self.counts = (c0, c1, c2, c3)
        self.critical_ids = read_only(xp.concatenate(found).astype(np.int64))

    def _set_domain(self, mesh: SimplicialMesh, field: MeshField) -> None:
        self.domain, self.session, self.incidence = mesh, mesh.session, mesh.incidence
        self.points = mesh.float_points
        self._field = field

    @property
    def codes_of(self) -> Codes:
        """Codes (n_d,) uint8 of all simplices, by dimension."""
        return self._codes

    @property
    def field(self) -> MeshField:
        """The values of the points, with their rank."""
        return self._field

    @cached_property
    def used_vertices(self) -> Array | None:
        """The user's points (u,) int64 that belong to a cell; None for all."""
        mesh = self.simplices
        if mesh.counts[0] == mesh.n_vertices:
            return None
        return self.session.device.xp.flatnonzero(mesh.is_used[mesh.vertex_of])

    # === what a user sees
    @cached_property
    def critical(self) -> CriticalCells:
        """The critical simplices, described when first asked for. A mesh need not be a manifold."""
        xp, result = self.session.device.xp, self.session.result
        with self.session.call(None, {}):
            dimensions = range(self.dimension + 1)
            ids = [self.critical_of(d) for d in dimensions]
            rim = [self.domain.boundary.is_on_boundary(d)[ids[d]] for d in dimensions]
            centers = [self.centers(d, ids[d]) for d in dimensions]
            index = np.repeat(np.arange(4, dtype=np.int8), self.counts)
            return CriticalCells(
                cell_id=result(self.cell_ids),
                index=result(self.session.upload(index)),
                value=result(self.owner_values),
                vertex=result(self.owner_vertices.astype(np.int64)),
                position=result(xp.concatenate(centers)),
                on_boundary=result(xp.concatenate(rim)),
                counts=self.counts,
            )

    def codes(self) -> Codes:
        """Codes (n_d,) uint8 of all simplices by dimension d, in mesh order; see lower_star.py.

        0..3 number of the facet that a simplex is paired with, 4 paired with a cofacet, 5 critical,
        6 a point of no cell.
        """
        with self.session.call(None, {}):
            return tuple(map(self.session.result, self.codes_of))

    def arrows(self, stride: int = 1) -> Arrows:
        """All pairs, or every `stride`-th, by (dimension, mesh id) of the lower simplex.

        Ids are the user's for points and cells, mesh ids for the others.
        """
        stride = checked_stride(stride)
        session, mesh, xp = self.session, self.simplices, self.session.device.xp
        rows: list[tuple[Array, ...]] = []
        with session.call(None, {}):
            for d in range(self.dimension):
                up = self._cofacets(d)
                tails = compact(up >= 0).astype(np.int32)
                heads = up[tails]
                tail = self.centers(d, tails)
                vector = self.centers(d + 1, heads) - tail
                ids = (users_ids(mesh, d, tails), users_ids(mesh, d + 1, heads))
                rows.append((tail, vector, *ids, xp.full(tails.size, d, np.int8)))
            columns = (xp.concatenate(column)[::stride] for column in zip(*rows, strict=True))
            return Arrows(*map(session.result, map(xp.ascontiguousarray, columns)))

    # === critical simplices
    @cached_property
    def cell_ids(self) -> Array:
        """Critical simplices (k,) int64: the user's ids of points and cells, else mesh ids."""
        some = (users_ids(self.simplices, d, self.critical_of(d)) for d in range(4))
        return self.session.device.xp.concatenate(list(some))

    @cached_property
    def owner_vertices(self) -> Array:
        """User's point (k,) int32 that is the highest corner of each critical simplex."""
        xp, rank = self.session.device.xp, self.field.rank
        owners = [self.session.device.empty(0, np.int32)]
        for index in range(4):
            if not self.counts[index]:
                continue
            corners = self.simplices.corners_of(index, self.critical_of(index))
            highest = rank[corners].argmax(axis=1)
            owners.append(corners[xp.arange(len(corners)), highest])
        return self.simplices.point_of[xp.concatenate(owners)]

    @property
    def owner_values(self) -> Array:
        """Value of each owner (k,) in the caller's dtype."""
        return self.field.values_at(self.owner_vertices)

    @cached_property
    def owner_levels(self) -> Array:
        """Place (k,) int32 of each owner in the order of the vertices."""
        return self.field.rank[self.simplices.vertex_of[self.owner_vertices]]

    # === the graph
    @cached_property
    def _ends(self) -> dict[str, Array]:
        return {}

    def extremum_ends(self, kind: str) -> Array:
        """Minima or maxima on both sides of each saddle: (s, 2) int32, -1 out of the mesh; kept."""
        if kind not in self._ends:
            self._ends[kind] = self.extremum_arcs(kind).extremum.reshape(-1, 2)
        return self._ends[kind]

    @cached_property
    def paths(self) -> PathGraph:
        """V-paths between the saddles of a tetrahedral mesh, as a graph."""
        saddles = (self.critical_of(2), self.critical_of(1))
        return build_path_graph(
            self.session, self.simplices, self.up(1), self.codes_of[1], *saddles
        )

    def path_minor(self) -> Minor:
        """The V-paths between the saddles of a volume, contracted."""
        return contract_paths(self.session, self.paths)

    def saddle_paths(self) -> tuple[str, tuple[Any, ...]]:
        """The task that cancels pairs, and the graph of V-paths for it to change, on the host."""
        return "cancel_path_pairs", self.paths.on_host()

    def needs_connectors(self, dimensions: set[int]) -> bool:
        """Whether pairs of these dimensions depend on more than the extremum arcs."""
        # A mesh may enclose voids, whose 2-saddles are columns that vanish.
        return self.dimension == 3 and bool({1, 2} & dimensions)

    def levels_of(self, graph: ComplexGraph, hierarchy: Hierarchy) -> SimplicialLevels:
        """What all levels of this raw gradient share."""
        return SimplicialLevels(self, lambda: self.paths, graph, hierarchy)

    def at_event(self, levels: Levels, event: int) -> LevelGradient:
        """The gradient after `event` cancellations. O(critical simplices); codes come later."""
        assert isinstance(levels, SimplicialLevels)
        return LevelGradient(self, levels, event)

    # === the field and its labels
    def prepare_complex(self) -> None:
        """Raise InputError where the mesh is not a manifold."""
        _ = self.sides

    def of_values(self, values: Array) -> SimplicialGradient:
        """The gradient of other values (V,) of the points, as kernels compare them."""
        rank = rank_vertices(self.session, self.simplices, values)
        field = replace(self.field, values=values, plain_values=None, rank=rank)
        stars = fill_lower_stars(self.session, self.simplices, rank)
        codes = pair_lower_stars(self.session, self.simplices, rank, *stars)
        return SimplicialGradient(self.domain, field, codes)

    def vertex_labels(self, kind: str) -> Array:
        """Labels of the minima ("descending") or maxima: (V,) int32 by the user's points."""
        return (minimum_of_points if kind == "descending" else maximum_of_points)(self)

    def cell_labels(self) -> Array:
        """The maximum (n_cells,) int32 that each of the user's cells ascends to, -1 out."""
        return maximum_of_cells(self)

    # === geometry
    def extremum_arcs(self, kind: str) -> SimplicialArcs:
        """The arcs between saddles and extrema of one kind, on the device."""
        return trace_extremum_arcs(self, kind)

    def draw_extremum_arcs(self, arcs: ExtremumArcs, kind: str) -> Polylines:
        """These arcs as lines."""
        assert isinstance(arcs, SimplicialArcs)
        return draw_arcs(self, arcs, kind)

    def draw_connectors(self, connectors: Connectors) -> tuple[Polylines, Array]:
        """The connectors as lines from the 1-saddles up, and the connector of each line."""
        return draw_connectors(self, self.paths, connectors)

    def trace_surfaces(self, kind: str, sources: Array, done: Done) -> SeparatrixSurfaces:
        """The surfaces of saddles, rows (s,) int64 ascending: "descending" or "ascending"."""
        return trace_surfaces(self, kind, sources)


class LevelGradient(SimplicialGradient):
    """The gradient of a mesh's complex after cancellations; its codes are made when asked for."""

    def __init__(self, raw: SimplicialGradient, levels: SimplicialLevels, event: int):
        self._set_domain(raw.domain, raw.field)
        self._raw, self._levels, self._event = raw, levels, event
        self.counts = levels.counts_at(event)
        self._alive = levels.dead > event
        self.critical_ids = raw.critical_ids[self._alive]

    @cached_property
    def extremum_codes(self) -> Codes:
        """Codes (n_d,) uint8 of all simplices; those between saddles may be as in the raw one."""
        return self._levels.extremum_codes_at(self._event)

    @cached_property
    def codes_of(self) -> Codes:
        """Codes (n_d,) uint8 of all simplices, by dimension."""
        return self._levels.with_saddle_paths_reversed(self._event, self.extremum_codes)

    @property
    def sides(self) -> Array:
        """Top simplices (n, 2) int32 on the two sides of each facet."""
        return self._raw.sides

    @cached_property
    def cell_ids(self) -> Array:
        """Critical simplices (k,) int64 as users name them."""
        return self._raw.cell_ids[self._alive]

    @cached_property
    def owner_vertices(self) -> Array:
        """User's point (k,) int32 that is the highest corner of each critical simplex."""
        return self._raw.owner_vertices[self._alive]
