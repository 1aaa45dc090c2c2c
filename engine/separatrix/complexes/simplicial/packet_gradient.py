"""The discrete gradient of a mesh in packets of segments, without the mesh's edges and triangles.

The lower star of a vertex needs only the cells around it. A packet contains all cells around its
own vertices and around the neighbors of these, so the simplices that it owns, whose ids form one
interval in each dimension, are paired as in the whole mesh. Of a packet remain one byte per
simplex and the corners of critical ones; its edges, triangles, and lower stars are released.

Everything else is read from the cells around the vertices (star_pairing.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...device import Array, staged, to_host
from ...device.side_threads import submit
from ...morse.hierarchy import Hierarchy
from ...primitives import at
from ...relations.boundary import Boundary
from ...relations.stream import visit_packets
from ...relations.workers import Packet
from .cells import checked_count
from .field import MeshField
from .gradient import LevelGradient, SimplicialGradient, critical_among
from .incidence import Incidence
from .lower_star import fill_lower_stars, pair_lower_stars
from .pairing import reject_crowded, sides_of_facets
from .segments import Segments
from .simplices import Simplices
from .simplicial_mesh import SimplicialMesh
from .star_pairing import StarPairing

NAMES = ("points", "edges", "triangles", "cells")
COPYING_THREADS, COPIED_AT_ONCE = 4, 1 << 22  # bytes
MOST_OF_CELL = {2: (3, 1), 3: (6, 4, 1)}  # edges, triangles, and cells


@dataclass(frozen=True)
class PairedPacket:
    """What remains of a packet, on the host; vertices and cells have mesh ids."""

    codes: tuple[np.ndarray, ...]  # uint8 of the simplices that it owns, by dimension
    critical: tuple[np.ndarray, ...]  # (c_d,) int32 places of the critical ones among them
    corners: tuple[np.ndarray, ...]  # (c_d, d + 1) int32 of the critical ones
    on_boundary: tuple[np.ndarray, ...]  # (c_d,) bool
    sides: np.ndarray  # (c, 2) int32 cells at the critical facets, or -1
    crowded: np.ndarray  # (0 or 1, d) int32 corners of the first facet of three cells or more


def paired_packet(packet: Packet, ranks: Array, segments: Segments) -> PairedPacket:
    """Pair the simplices of a packet; `ranks` (n,) int32 are those of its vertices."""
    simplices, session = packet.simplices, packet.simplices.session
    incidence = Incidence(simplices, segments)
    codes = pair_lower_stars(
        session, simplices, ranks, *fill_lower_stars(session, simplices, ranks)
    )
    facet = simplices.dimension - 1
    boundary = Boundary(incidence)
    crowded = sides_of_facets(incidence)[1] if boundary.has_crowded else np.empty(0, np.int64)
    own = [slice(*_owned(incidence, d, packet.own)) for d in range(facet + 2)]
    kept, critical, corners, rims = [], [], [], []
    at_facets = np.empty((0, 2), np.int32)
    for d, (of, some) in enumerate(zip(codes, own, strict=True)):
        places = critical_among(of[some])
        ids = places + some.start
        if d == facet:
            at_facets = sides_of_some(simplices, ids)
        kept.append(staged(of[some]))  # a copy, so that the whole can be released
        critical.append(to_host(places))
        corners.append(mesh_corners(simplices, d, ids))
        rims.append(to_host(boundary.of_simplices(d, ids)).view(np.bool_))
    first = to_host(crowded)
    first = first[(first >= own[facet].start) & (first < own[facet].stop)][:1]
    return PairedPacket(
        tuple(kept),
        tuple(critical),
        tuple(corners),
        tuple(rims),
        at_facets,
        mesh_corners(simplices, facet, session.upload(first)),
    )


def sides_of_some(simplices: Simplices, facets: Array) -> np.ndarray:
    """Return the mesh ids (k, 2) int32 of the cells at facets of a packet, or -1."""
    session, corners = simplices.session, simplices.corners_of(simplices.dimension - 1, facets)
    sides = session.device.empty((facets.size, 2), np.int32)
    given = (simplices.dimension, corners, *simplices.stars)
    session.launch("find_sides_of_facets", facets.size, *given, sides)
    places = to_host(sides)
    ids = to_host(at(simplices.cell_of, session.upload(places.clip(0, None).reshape(-1))))
    return np.where(places < 0, np.int32(-1), ids.reshape(places.shape))


def mesh_corners(simplices: Simplices, dimension: int, ids: Array) -> np.ndarray:
    """Return the mesh vertices (k, dimension + 1) of some simplices of a packet."""
    corners = simplices.corners_of(dimension, ids)
    return to_host(at(simplices.point_of, corners.reshape(-1))).reshape(corners.shape)


def _owned(incidence: Incidence, dimension: int, vertices: slice) -> tuple[int, int]:
    """Return the bounds of the simplices whose lowest vertex is one of an interval."""
    if dimension == 0:
        return vertices.start, vertices.stop
    s = incidence.simplices
    if dimension == 3:
        begins = s.tet_begin
    else:
        begins = s.edge_begin if dimension == 1 else incidence.own_triangles
    return int(begins[vertices.start]), int(begins[vertices.stop])


class CodesInTurn:
    """Codes of all simplices, on the host, which threads copy from one packet after the other."""

    def __init__(self, pool: ThreadPoolExecutor, most: Sequence[int]):
        # Room for as many as there can be; pages that are not written take no memory.
        self.codes, self.counts = [np.empty(n, np.uint8) for n in most], [0] * len(most)
        self._pool = pool
        self._copying: list[Future[None]] = []

    def append(self, codes: tuple[np.ndarray, ...]) -> list[int]:
        """Append the codes of a packet, and return the numbers of those before it."""
        begins = self.counts.copy()
        self.wait()
        for d, of in enumerate(codes):
            self.counts[d] = checked_count(begins[d] + of.size, NAMES[d])
            target = self.codes[d][begins[d] : self.counts[d]]
            for first in range(0, of.size, COPIED_AT_ONCE):
                part = slice(first, first + COPIED_AT_ONCE)
                self._copying.append(submit(self._pool, np.copyto, target[part], of[part]))
        return begins

    def wait(self) -> None:
        """Wait until all are copied."""
        while self._copying:
            self._copying.pop().result()

    def all(self) -> tuple[np.ndarray, ...]:
        """Return the codes, by dimension."""
        self.wait()
        for of, n in zip(self.codes, self.counts, strict=True):
            of.resize(n, refcheck=False)
        return tuple(self.codes)


class PacketGradient(StarPairing, SimplicialGradient):
    """A gradient whose edges and triangles existed for a packet at a time."""

    def __init__(
        self, mesh: SimplicialMesh, field: MeshField, rank: Array, done: Callable[[float], None]
    ) -> None:
        n_top, rest = mesh.simplices.n_top, list[PairedPacket]()
        pair = partial(paired_packet, segments=mesh.segments)
        most = (n_top * n for n in MOST_OF_CELL[mesh.dimension])
        with ThreadPoolExecutor(COPYING_THREADS, "mesh-codes") as pool:
            codes = CodesInTurn(pool, (mesh.simplices.n_vertices, *most))
            for packet in visit_packets(mesh.incidence, pair, done, (rank,), beyond=True):
                begins = codes.append(packet.codes)
                pairs = zip(packet.critical, begins, strict=True)
                ids = tuple(some + np.int32(begin) for some, begin in pairs)
                rest.append(replace(packet, codes=(), critical=ids))
        critical, self._corners, self._rims = (
            [np.concatenate(parts) for parts in zip(*(getattr(p, part) for p in rest), strict=True)]
            for part in ("critical", "corners", "on_boundary")
        )
        self._sides, self._crowded = (
            np.concatenate([getattr(p, part) for p in rest]) for part in ("sides", "crowded")
        )
        super().__init__(mesh, field, codes.all(), critical)

    def corners_of_critical(self, index: int) -> Array:
        return self._sorted(index, self._corners[index])

    def rim_of_critical(self, index: int) -> Array:
        return self._sorted(index, self._rims[index])

    @property
    def sides_of_critical(self) -> Array:
        self.prepare_complex()
        return self._sides

    def _sorted(self, index: int, rows: np.ndarray) -> np.ndarray:
        """Return rows by mesh id in the order of the critical simplices."""
        if index in (0, self.dimension):
            return rows[self.critical_of(index).argsort().argsort()]
        return rows

    def prepare_complex(self) -> None:
        reject_crowded(self.simplices, self._crowded)

    def extremum_forest(self, index: int) -> Array:
        if index:
            return super().extremum_forest(index)
        mesh, session = self.simplices, self.session
        forest = np.empty(mesh.n_vertices, np.int32)
        session.launch("link_lowest_neighbors", forest.size, self.field.rank, *mesh.stars, forest)
        return forest

    def at_event(self, hierarchy: Hierarchy, event: int) -> LevelGradient:
        return PacketLevel(self, hierarchy, event)


class PacketLevel(StarPairing, LevelGradient):
    """A level of a gradient whose edges and triangles are not stored."""
