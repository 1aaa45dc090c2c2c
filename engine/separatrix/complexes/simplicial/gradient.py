"""The discrete gradient of a mesh, unsimplified or at a level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device import Array, read_only, to_host
from ...kernels import source
from ...lazy import cached_property
from ...morse.connectors.minor import Minor
from ...morse.connectors.table import Connectors
from ...morse.field import ScalarField
from ...morse.gradient import DomainGradient
from ...morse.hierarchy import Hierarchy
from ...morse.model import RoundsModel, SaddlePaths
from ...morse.separatrices import Polylines
from ...primitives import at, compact, is_within, shifted
from ...relations.compute import Span, rows_of
from .field import MeshField
from .forests import (
    draw_arcs,
    draw_connectors,
    label_points,
    maximum_of_cells,
    trace_extremum_arcs,
)
from .lower_star import CRITICAL_SIMPLEX, PAIRED_UP, Codes
from .pairing import SimplicialPairing
from .path_graph import PathGraph, build_path_graph, contract_paths, saddle_paths_of
from .simplicial_mesh import SimplicialMesh
from .surfaces import trace_surfaces


def critical_among(codes: Array) -> Array:
    """Return the ids (k,) int32 of critical simplices of one dimension, from all codes."""
    ids = compact(is_within(codes, CRITICAL_SIMPLEX, CRITICAL_SIMPLEX))
    return shifted(ids, dtype=np.int32)


class SimplicialGradient(DomainGradient, SimplicialPairing):
    """Pairing of the simplices of a mesh; see :class:`SimplicialPairing` for its arrays."""

    domain: SimplicialMesh
    field: MeshField

    def __init__(
        self,
        mesh: SimplicialMesh,
        field: MeshField,
        codes: Codes,
        critical: Sequence[Array] | None = None,  # ascending mesh ids, by dimension
    ):
        self._set_domain(mesh, field)
        self.codes_of = tuple(map(read_only, codes))
        xp = self.session.device.xp
        found = list(critical or map(critical_among, codes))
        for index in (0, self.dimension):
            order = xp.argsort(self.users_ids(index, found[index]))
            found[index] = at(found[index], order)
        self.counts = (*(ids.size for ids in found), 0)[:4]
        self.critical_ids = read_only(shifted(self.session.device.joined(found)))

    def _set_domain(self, mesh: SimplicialMesh, field: MeshField) -> None:
        self.domain, self.session, self.incidence = mesh, mesh.session, mesh.incidence
        self.field = field

    @property
    def points(self) -> Array:
        return self.domain._float_points

    @cached_property
    def used_vertices(self) -> Array | None:
        """The user's points (u,) int64 that belong to a cell; None for all."""
        mesh = self.simplices
        if mesh.counts[0] == mesh.n_vertices:
            return None
        return self.session.device.xp.flatnonzero(mesh.is_used[mesh.vertex_of])

    def codes(self) -> Codes:
        return tuple(map(self.session.result, self.codes_of))

    def place_critical(self) -> tuple[Array, Array]:
        xp, dimensions = self.session.device.xp, range(self.dimension + 1)
        rim = [self.rim_of_critical(d) for d in dimensions]
        centers = [self.centers_of(self.corners_of_critical(d)) for d in dimensions]
        return xp.concatenate(centers), xp.concatenate(rim)

    def rim_of_critical(self, index: int) -> Array:
        """Return whether each critical simplex of one index is on the boundary: (c,) bool."""
        return self.domain.boundary.is_on_boundary(index)[self.critical_of(index)]

    def draw_arrows(self, stride: int) -> tuple[Array, ...]:
        xp, rows = self.session.device.xp, []
        for d in range(self.dimension):
            up = self._cofacets(d)
            tails = compact(up >= 0).astype(np.int32)
            heads = up[tails]
            tail = self.centers(d, tails)
            vector = self.centers(d + 1, heads) - tail
            ids = (self.users_ids(d, tails), self.users_ids(d + 1, heads))
            rows.append((tail, vector, *ids, xp.full(tails.size, d, np.int8)))
        columns = (xp.concatenate(column)[::stride] for column in zip(*rows, strict=True))
        return tuple(map(xp.ascontiguousarray, columns))

    # === critical simplices
    @cached_property
    def cell_ids(self) -> Array:
        """Ids (k,) int64 of critical simplices: the user's for points and cells, else mesh ids."""
        some = (self.users_ids(d, self.critical_of(d)) for d in range(4))
        return self.session.device.xp.concatenate(list(some))

    @cached_property
    def owner_vertices(self) -> Array:
        """The user's id (k,) int32 of the highest corner of each critical simplex."""
        xp, rank = self.session.device.xp, self.field.rank
        owners = [self.session.device.empty(0, np.int32)]
        for index in range(4):
            if not self.counts[index]:
                continue
            corners = self.corners_of_critical(index)
            highest = rank[corners].argmax(axis=1)
            owners.append(corners[xp.arange(len(corners)), highest])
        return self.simplices.point_of[xp.concatenate(owners)]

    @cached_property
    def owner_values(self) -> Array:
        return self.field.values_at(self.owner_vertices)

    @cached_property
    def owner_levels(self) -> Array:
        return self.field.rank[self.simplices.vertex_of[self.owner_vertices]]

    # === the graph
    @cached_property
    def _ends(self) -> dict[str, Array]:
        return {}

    def extremum_ends(self, kind: str) -> Array:
        if kind not in self._ends:
            self._ends[kind] = self.extremum_arcs(kind).extremum.reshape(-1, 2)
        return self._ends[kind]

    @cached_property
    def paths(self) -> PathGraph:
        return build_path_graph(self)

    def path_minor(self) -> Minor:
        return contract_paths(self.session, self.paths)

    def saddle_paths(self, field: ScalarField) -> SaddlePaths:
        return saddle_paths_of(self, self.paths)

    def saddle_rounds(self, field: ScalarField, upper: Array, lower: Array) -> RoundsModel | None:
        return None

    def needs_connectors(self, dimensions: set[int]) -> bool:
        # A mesh may enclose voids; the columns of their 2-saddles reduce to zero.
        return self.dimension == 3 and bool({1, 2} & dimensions)

    def at_event(self, hierarchy: Hierarchy, event: int) -> LevelGradient:
        return LevelGradient(self, hierarchy, event)

    # === the field and its labels
    def prepare_complex(self) -> None:
        """Raise InputError if the mesh is not a manifold."""
        _ = self.sides

    def vertex_roles(self) -> np.ndarray:
        mesh = self.simplices
        on_boundary, is_used = (
            to_host(flags[mesh.vertex_of])
            for flags in (self.domain.boundary.is_on_boundary(0), mesh.is_used)
        )
        role = np.where(on_boundary, np.uint8(source.constant("ON_BOUNDARY")), np.uint8(0))
        role[~is_used.astype(bool)] |= source.constant("IS_ABSENT")
        return role

    def flood_task(self) -> tuple[Any, ...]:
        mesh = self.simplices
        everyone = Span(0, mesh.n_vertices, mesh.vertex_of)
        neighbors, offsets = rows_of(self.incidence, "VV", everyone, in_mesh_ids=False)
        return "flood_mesh", to_host(offsets), to_host(neighbors)

    vertex_labels = label_points
    cell_labels = maximum_of_cells

    # === geometry
    extremum_arcs = trace_extremum_arcs
    draw_extremum_arcs = draw_arcs

    def draw_connectors(self, connectors: Connectors) -> tuple[Polylines, Array]:
        return draw_connectors(self, self.paths, connectors)

    trace_surfaces = trace_surfaces


class LevelGradient(SimplicialGradient):
    """The gradient at a level: the raw codes with V-paths reversed (Forman 1998, section 11)."""

    def __init__(self, raw: SimplicialGradient, hierarchy: Hierarchy, event: int):
        self._set_domain(raw.domain, raw.field)
        self._raw, self._hierarchy, self._event = raw, hierarchy, event
        self.counts = hierarchy.counts_at(event)
        self._alive = hierarchy.alive_at(event)
        self.critical_ids = at(raw.critical_ids, self._alive)

    @cached_property
    def extremum_codes(self) -> Codes:
        raw, session, d = self._raw, self.session, self.dimension
        n_bytes = sum(codes.nbytes for codes in raw.codes_of)
        session.memory.require(n_bytes, "the gradient of a level")
        codes = tuple(codes.copy() for codes in raw.codes_of)
        falls = self._hierarchy.arcs_to_reverse("minimum", self._event)
        rises = self._hierarchy.arcs_to_reverse("maximum", self._event)
        starts = raw.corners_of_critical(1).reshape(-1)
        descents = (starts, raw.extremum_forest(0), raw.up(0), raw.critical_of(1), falls)
        session.launch("reverse_mesh_descents", falls.size, *descents, codes[0], codes[1])
        corners, starts = raw.corners_of_critical(d - 1), raw.sides_of_critical.reshape(-1)
        ascents = (self.simplices.tets, d, raw.extremum_forest(d), corners, starts)
        last = (raw.critical_of(d - 1), rises, codes[d - 1], codes[d])
        session.launch("reverse_mesh_ascents", rises.size, *ascents, *last)
        return codes

    @cached_property
    def codes_of(self) -> Codes:
        hierarchy, codes, raw = self._hierarchy, self.extremum_codes, self._raw
        n = hierarchy.saddle_events_at(self._event)
        if not n:
            return codes
        edges, faces = codes[1].copy(), codes[2].copy()
        model = (raw.paths.triangles, raw.codes_of[2])
        self._hierarchy.replay("replay_path_turns", self._event, model, faces)
        rows = hierarchy.birth_row[hierarchy.saddle_events[:n] - 1]
        gone = self.session.upload(rows - raw.counts[0])
        edges[raw.critical_of(1)[gone]] = PAIRED_UP
        return codes[0], edges, faces, codes[3]

    @cached_property
    def sides(self) -> Array:
        return self._raw.sides

    def _rows_alive(self, index: int) -> Array:
        """Rows of the critical simplices of one index, among those of the raw gradient."""
        return self._alive[self.rows(index)] - self._raw.rows(index).start

    def corners_of_critical(self, index: int) -> Array:
        return at(self._raw.corners_of_critical(index), self._rows_alive(index))

    @property
    def sides_of_critical(self) -> Array:
        return at(self._raw.sides_of_critical, self._rows_alive(self.dimension - 1))

    def rim_of_critical(self, index: int) -> Array:
        return at(self._raw.rim_of_critical(index), self._rows_alive(index))

    @cached_property
    def cell_ids(self) -> Array:
        return at(self._raw.cell_ids, self._alive)

    @cached_property
    def owner_vertices(self) -> Array:
        return at(self._raw.owner_vertices, self._alive)
