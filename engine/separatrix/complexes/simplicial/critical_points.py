"""Critical points of a piecewise-linear field on a mesh (Banchoff 1970), from pieces of links.

Pieces are found from edges and triangles, in O(V log V + E + F + T)
(kernels/simplicial/critical_points.h): from those of the whole mesh, or, where these exceed the
memory, from those of one packet of segments after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...device import Array, Session, to_host
from ...kernels.source import constant
from ...morse.critical import euler_characteristic
from ...plotting.scenes import draw_critical, points_of
from ...primitives import at, compact, exclusive_scan, row_of_items, shifted, stable_order
from ...relations.boundary import Boundary
from ...relations.stream import visit_packets
from ...relations.workers import Packet
from ...results import Table
from .field import MeshField
from .incidence import Incidence
from .simplices import Simplices

TYPES = ("minimum", "1-saddle", "2-saddle", "maximum", "degenerate", "regular")


@dataclass(frozen=True, eq=False, repr=False)
class MeshCriticalPoints(Table):
    """k critical points of a field on a mesh, in ascending order of their ids.

    Regular points are included if they own a critical simplex, which can occur on the boundary.

    Attributes
    ----------
    point : (k,) int64
        The user's id.
    type : (k,) uint8
        Code, as in TTK: 0 minimum, 1 1-saddle, 2 2-saddle, 3 maximum, 4 degenerate, 5 regular. It
        depends only on the numbers of pieces.
    value : (k,), in the caller's dtype
    vector : (k, 4) int32
        Numbers of critical simplices of dimension 0, 1, 2, and 3 that the point owns: the reduced
        Betti numbers of its lower link. The alternating sum over all points is the Euler
        characteristic.
    pieces : (k, 2) int32
        Numbers of pieces of the lower and the upper link.
    on_boundary : (k,) bool
    types : (V,) uint8
        Type of every point of the mesh.
    counts : tuple of int
        Numbers of points of the types 0 to 4.
    totals : tuple of int
        Sums of the vectors.
    """

    point: Array
    type: Array
    value: Array
    vector: Array
    pieces: Array
    on_boundary: Array
    types: Array
    counts: tuple[int, ...]
    totals: tuple[int, ...]

    _COLUMNS = ("point", "type", "value", "vector", "pieces", "on_boundary")

    def plot(self, mesh: Any, plotter: Any = None) -> Any:
        """Draw the points on their mesh by type, with PyVista, and return the plotter."""
        domain, points = mesh._drawn(), points_of(to_host(mesh.points)[to_host(self.point)])
        return draw_critical(plotter, domain, mesh.dimension, points, self.type)

    def _summary(self) -> str:
        return f"{len(self):,} points: counts {self.counts}"

    @property
    def euler_characteristic(self) -> int:
        """Euler characteristic of the mesh: the alternating sum of the totals."""
        return euler_characteristic(self.totals)


def link_points(
    boundary: Boundary, field: MeshField, rank: Array, in_packets: bool
) -> MeshCriticalPoints:
    """Return the critical points of a mesh; `rank` (V,) is where packets are."""
    session, simplices = boundary.session, boundary.simplices
    with session.stage("links") as done:
        if in_packets:
            found = _points_in_packets(boundary, rank, done)
        else:
            found = _points_of(simplices, rank, *boundary.find_vertices())
    on_boundary = boundary.is_on_boundary(0)
    with session.stage("critical points"):
        points = simplices.users_ids_of(0, found.vertices)
        order = stable_order(session, points)
        ids, vertices, vectors, pieces = (
            at(rows, order) for rows in (points, found.vertices, found.vectors, found.pieces)
        )
        types = simplices.by_points(found.types)
        type_of = at(found.types, vertices)
        kinds = session.device.xp.arange(constant("REGULAR_POINT"), dtype=np.uint8)
        n_of_type = (type_of[:, None] == kinds).sum(axis=0)
        totals = vectors.sum(axis=0, dtype=np.int64)
        rim_of, values = at(on_boundary.view(np.uint8), vertices), field.values_at(ids)
        columns = (shifted(ids), type_of, values, vectors, pieces, rim_of.view(np.bool_), types)
        counts = (tuple(to_host(numbers).tolist()) for numbers in (n_of_type, totals))
        return MeshCriticalPoints(*map(session.result, columns), *counts)


class LinkPoints(NamedTuple):
    """Critical points of vertices in mesh order."""

    types: Array  # (n,) uint8
    vertices: Array  # (k,) int64, critical ones
    vectors: Array  # (k, 4) int32
    pieces: Array  # (k, 2) int32


def _points_in_packets(
    boundary: Boundary, rank: Array, done: Callable[[float], None]
) -> LinkPoints:
    """Return the same as :func:`_points_of`, on the host, and find vertices on the boundary."""
    incidence, n, is_known = boundary.incidence, boundary.simplices.n_vertices, boundary.is_known
    types = np.empty(n, np.uint8)
    if is_known:
        rim, odd = boundary.find_vertices()
    else:
        rim, odd = np.empty(n, np.bool_), None
    found_odd = [np.empty(0, np.int32)]

    def find(packet: Packet, ranks: Array, near_rim: Array | None = None) -> LinkPoints:
        own, shift = packet.own, np.int32(packet.own.start - packet.owned.start)
        if near_rim is None:
            near_rim, odd_here = Boundary(
                Incidence(packet.simplices, incidence.segments)
            ).find_vertices()
            rim[packet.owned] = to_host(near_rim[own])
            if odd_here is not None:  # and of other vertices, some cells are missing
                odd_there = to_host(odd_here)
                first, last = odd_there.searchsorted((own.start, own.stop))
                odd_here = odd_here[first:last]
                found_odd.append(odd_there[first:last] - shift)
        else:
            odd_here = None
            if odd is not None:
                first, last = odd.searchsorted((packet.owned.start, packet.owned.stop))
                odd_here = packet.simplices.session.upload(odd[first:last] + shift)
        found = _points_of(packet.simplices, ranks, near_rim, odd_here, own)
        types[packet.owned] = to_host(found.types)
        vertices = to_host(found.vertices) + packet.owned.start
        return LinkPoints(types, vertices, to_host(found.vectors), to_host(found.pieces))

    none = (np.empty(0, np.int64), np.empty((0, 4), np.int32), np.empty((0, 2), np.int32))
    given = (rank, rim) if is_known else (rank,)
    packets = visit_packets(incidence, find, done, given, beyond=not is_known)
    _, *rows = zip(LinkPoints(types, *none), *packets, strict=True)
    if not is_known:
        boundary.keep(rim, np.unique(np.concatenate(found_odd)))
    return LinkPoints(types, *map(np.concatenate, rows))


def _points_of(
    simplices: Simplices,
    rank: Array,
    on_boundary: Array,
    odd: Array | None,
    own: slice = slice(None),
) -> LinkPoints:
    """Return critical points among the vertices `own`, numbered from the first of these."""
    session, rim_bits = simplices.session, on_boundary.view(np.uint8)
    device, n, dimension = session.device, simplices.n_vertices, simplices.dimension
    link, upper, rim, voids = _links(simplices, rank, rim_bits, odd)
    types, is_critical = device.empty(n, np.uint8), device.empty(n, np.uint8)
    place = (link, upper, voids, rim_bits, rim, types, is_critical)
    session.launch("classify_points", n, n, dimension, *place)
    begin, vertices = own.start or 0, compact(is_critical[own])
    k, chosen = vertices.size, shifted(vertices, begin, dtype=np.int32)
    vectors, pieces = device.empty((k, 4), np.int32), device.empty((k, 2), np.int32)
    session.launch("describe_points", k, chosen, link, upper, voids, vectors, pieces)
    return LinkPoints(types[own], vertices, vectors, pieces)


def _links(
    simplices: Simplices, rank: Array, on_boundary: Array, odd: Array | None
) -> tuple[Array, ...]:
    """Return (link, upper, rim, voids) of every vertex (kernels/simplicial/critical_points.h)."""
    session = simplices.session
    link, upper, rim = _count_pieces(session, simplices, rank, on_boundary)
    voids = _count_voids(session, simplices, rank, odd, link, upper, on_boundary)
    return link, upper, rim, voids


def _count_pieces(
    session: Session, simplices: Simplices, rank: Array, on_boundary: Array
) -> tuple[Array, Array, Array]:
    device, n = session.device, simplices.n_vertices
    n_edges, n_tets = simplices.counts[1], simplices.counts[3]
    edges = simplices.edge_ends
    triangles = (simplices.triangle_begin, simplices.triangle_third)
    below = device.xp.arange(n_edges, dtype=np.int32)
    above = below.copy()
    link, upper = device.zeros(n, np.int64), device.zeros(n, np.int64)
    rim = device.zeros((2, n), np.uint8)
    roots = (below, above)
    session.launch(
        "join_link_pieces", n_edges, rank, simplices.edge_begin, *edges, *triangles, *roots, link
    )
    session.launch(
        "count_link_pieces", n_edges, n, rank, *edges, *roots, on_boundary, link, upper, rim
    )
    session.launch("count_link_triangles", n_tets, rank, simplices.tets, link)
    return link, upper, rim


def _count_voids(
    session: Session, simplices: Simplices, rank: Array, odd: Array | None, *pieces: Array
) -> Array:
    """Return the number (V,) int32 of voids in each lower link."""
    voids = session.device.zeros(simplices.n_vertices, np.int32)
    if simplices.dimension < 3:
        return voids
    session.launch("count_planar_voids", voids.size, *pieces, voids)
    if odd is None or not odd.size:
        return voids
    xp, own, others = session.device.xp, simplices.tet_begin, simplices.star_begin
    stars = [(at[odd], at[odd + 1]) for at in (own, others)]
    offsets = exclusive_scan(sum(end - begin for begin, end in stars))
    row = row_of_items(offsets)
    nth, n_own = xp.arange(row.size) - offsets[row], (stars[0][1] - stars[0][0])[row]
    last = xp.maximum(simplices.star_tets.size - 1, 0)
    listed = simplices.star_tets[xp.clip(stars[1][0][row] + nth - n_own, 0, last)]
    corners = simplices.tets[xp.where(nth < n_own, stars[0][0][row] + nth, listed)]
    some = np.empty(odd.size, np.int32)
    given = (to_host(odd), odd.size, *map(to_host, (offsets, corners, rank[corners])))
    session.host.run("count_link_voids", *given, some)
    voids[odd] = session.upload(some)
    return voids
