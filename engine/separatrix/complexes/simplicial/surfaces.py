"""2-separatrices of a tetrahedral mesh: surfaces of all simplices that V-paths from a saddle reach.

1. From each saddle a frontier of triangles or edges is walked breadth first; a hash set of (source,
   simplex) keeps each once a source.
2. The keys are sorted: by source, then by mesh id.
3. A triangle is its own polygon; an edge has the one through the barycenters of the tetrahedra
   about it, cut where the mesh ends. Corners are shared.

O(F + reached simplices) expected. V-paths: Robins, Wood, Sheppard 2011, section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...device.base import Array
from ...primitives import distinct, exclusive_scan
from ...repr_mixin import ReprMixin
from ..cubical.drawing import checked_sources
from ..cubical.surfaces import reach
from .cache import MeshParts
from .flow import MeshFlow, corners_of, trie_of
from .lines import place_cells


@dataclass(frozen=True, eq=False, repr=False)
class MeshSurfaces(ReprMixin):
    """Polygons, f of them, on p shared points.

    ``points`` (p, 3) float64 with the ``cell_id`` (p,) int64 and ``cell_dimension`` (p,) int8 of
    the simplices whose barycenters they are; polygon i has the rows ``corners[offsets[i]]`` to
    ``corners[offsets[i + 1]]`` of points, ``offsets`` (f + 1,) and ``corners`` int64; ``source``
    (f,) int64, row of the critical simplices; ``polygon_cell_id`` (f,) int64, mesh id of the
    triangle or of the edge. Round an edge where parts of the mesh touch, the part is drawn of which
    its V-path comes.
    """

    points: Array
    cell_id: Array
    cell_dimension: Array
    offsets: Array
    corners: Array
    source: Array
    polygon_cell_id: Array

    def _summary(self) -> str:
        return f"{self.offsets.size - 1:,} polygons on {len(self.points):,} points"


def draw_surfaces(parts: MeshParts, kind: str, sources: Any) -> MeshSurfaces:
    """Surfaces of one kind: all of them, which are kept, or those of some saddles."""
    index = 2 if kind == "descending" else 1
    rows = None if sources is None else checked_sources(parts.gradient, sources, index)
    parts.reverse_saddle_paths()
    if rows is None:
        return parts.once(f"{kind} surfaces", lambda: _trace(parts.gradient, kind, None))
    with parts.session.stage(f"{kind} surfaces"):
        return _trace(parts.gradient, kind, rows)


def _trace(flow: MeshFlow, kind: str, sources: Array | None) -> MeshSurfaces:
    session, xp = flow.session, flow.session.device.xp
    index = 2 if kind == "descending" else 1
    if sources is None:
        rows = flow.rows(index)
        sources = xp.arange(rows.start, rows.stop, dtype=np.int64)
    saddles = flow.critical_ids[sources].astype(np.int32)
    trace = _falling if index == 2 else _rising
    keys = trace(flow, saddles)
    simplices = (keys >> np.uint64(2) & np.uint64(0x7FFFFFFF)).astype(np.int32)
    session.check_cancelled()
    source = sources[(keys >> np.uint64(33)).astype(np.int64)]
    session.check_cancelled()
    offsets, corners = (_triangles if index == 2 else _polygons)(flow, simplices)
    places, rows_of = corners, corners
    if corners.size:
        n_places = 4 * max(flow.simplices.counts)
        places, rows_of = distinct(session, corners, n_places)
    session.check_cancelled()
    dimensions = (places & 3).astype(np.int8)
    some = (0,) if index == 2 else (1, 2, 3)
    points, ids = place_cells(flow, places >> 2, dimensions, some)
    result = session.result
    return MeshSurfaces(
        points=result(points),
        cell_id=result(ids),
        cell_dimension=result(dimensions),
        offsets=result(offsets),
        corners=result(rows_of.reshape(-1).astype(np.int64)),
        source=result(source),
        polygon_cell_id=result(simplices.astype(np.int64)),
    )


def _falling(flow: MeshFlow, saddles: Array) -> Array:
    """Keys of the triangles reached downwards."""
    mesh = flow.simplices
    trie = (mesh.edge_lower, mesh.edge_begin, mesh.edge_upper, mesh.triangle_edge)
    onward = (*trie, mesh.triangle_third, flow.up(1))
    kernels = ("start_mesh_surfaces", "expand_falling_surfaces")
    return reach(flow.session, kernels, (), onward, saddles, 0)


def _rising(flow: MeshFlow, saddles: Array) -> Array:
    """Keys of the edges reached upwards, along arcs listed by their lower end."""
    session, mesh = flow.session, flow.simplices
    n_edges, n_triangles = mesh.n_ids(1), mesh.n_ids(2)
    session.memory.require(20 * n_edges + 8 * n_triangles, "tracing ascending surfaces")
    trie = (mesh.edge_lower, mesh.edge_begin, mesh.edge_upper, mesh.triangle_edge)
    model = (*trie, mesh.triangle_third, flow.codes[2])
    count = session.device.zeros(n_edges, np.int32)
    session.launch("count_rising_arcs", n_triangles, *model, count)
    offsets = exclusive_scan(count)
    count[:] = 0
    above = session.device.empty(int(offsets[-1]), np.int32)
    session.launch("fill_rising_arcs", n_triangles, *model, offsets, count, above)
    kernels = ("start_mesh_surfaces", "expand_rising_surfaces")
    return reach(session, kernels, (), (offsets, above), saddles, 0)


def _triangles(flow: MeshFlow, triangles: Array) -> tuple[Array, Array]:
    """Offsets and corners (4 * vertex) of triangles."""
    corners = 4 * corners_of(flow.simplices, 2, triangles).astype(np.int64)
    n = len(triangles)
    return 3 * flow.session.device.xp.arange(n + 1, dtype=np.int64), corners.reshape(-1)


def _polygons(flow: MeshFlow, edges: Array) -> tuple[Array, Array]:
    """Offsets and corners (4 * simplex + dimension) of the polygons round edges."""
    session, mesh, xp = flow.session, flow.simplices, flow.session.device.xp
    trie = (mesh.edge_lower, mesh.edge_begin, mesh.edge_upper, mesh.triangle_edge)
    triangle_at = flow.up(1).copy()
    model = (*trie, mesh.triangle_third, flow.codes[1])
    session.launch("find_triangles_at", mesh.n_ids(2), *model, triangle_at)
    place = (*trie_of(mesh), flow.sides, edges, xp.ascontiguousarray(triangle_at[edges]))
    count = session.device.empty(edges.size, np.int32)
    session.launch("measure_edge_polygons", edges.size, *place, count)
    offsets = exclusive_scan(count)
    corners = session.device.empty(int(offsets[-1]), np.int64)
    session.launch("draw_edge_polygons", edges.size, *place, offsets, corners)
    return offsets, corners
