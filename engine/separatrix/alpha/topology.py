"""Components, loops, and voids of an alpha complex, from the components of its boundary.

1. Pieces: the b0 components of the vertices and edges.
2. Boundary: connected empty sides of triangles, wedges around edges, and sectors of vertices.
3. Each component of the boundary encloses an exact integer volume: positive for a void, otherwise
   it is the outer boundary of a piece. So there are b0 + b2 of them, and b1 = b0 + b2 - chi.
4. Islands: outer boundaries of pieces inside voids of others.

In a periodic box, sides are placed beside each other; components that repeat, walls of channels,
enclose nothing, and all others are as without a box.

Uses integers on the host. O(simplices), plus islands times sides of the surrounding voids.
Edelsbrunner 1995, "The union of balls and its dual shape"; kernels/alpha/boundary_walks.h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device import Array, to_host
from ..kernels import NONE
from ..primitives import exclusive_scan
from ..results import Table
from .boxes import packed, unpacked
from .found_complex import FoundComplex


@dataclass(frozen=True)
class Boundary:
    """Boundary with k components and s sectors: empty parts of the directions around a vertex."""

    triangles: np.ndarray  # (m, 3) int32, balls
    corners: np.ndarray  # (m, 3) int32, sites of the balls
    side_component: np.ndarray  # (m, 2) int32; -1 for a tetrahedron; the normal points to side 0
    side_place: np.ndarray  # (m, 2) int64, packed shifts of the triangles within each component
    vertex: np.ndarray  # (s,) int32, the ball of each sector
    component: np.ndarray  # (s,) int32 of each sector
    volume: np.ndarray  # (s,) float64, in grid steps, of the ball within the cone of each sector
    area: np.ndarray  # (s,) float64, as the volume
    rank: np.ndarray  # (k,) int8, number of directions in which each component repeats
    six_volumes: np.ndarray  # (k,) float64, six times the enclosed volume of each component
    host: np.ndarray  # (k,) int32, the void that contains an outer boundary; -1 if none

    def __len__(self) -> int:
        return len(self.six_volumes)

    @property
    def is_void(self) -> np.ndarray:
        """Mask (k,) of the components that bound voids."""
        return self.six_volumes > 0


@dataclass(frozen=True, eq=False, repr=False)
class BoundarySurface(Table):
    """Triangles of an alpha complex that have an empty side, once per empty side.

    Attributes
    ----------
    triangles : (f, 3) int32 array
        Indices of balls, ordered such that the normal points away from the solid.
    row : (f,) int32 array
        Row in the table of triangles.
    component : (f,) int32 array
        Component of the boundary.
    void : (f,) int32 array
        Void that the side faces; -1 for the outside, and for channels of a periodic box.
    shifts : (f, 3, 3) int32 array or None
        Box vectors to add to the vertices in a periodic box. A component that does not repeat is in
        one piece, and its first vertex is not moved; otherwise each triangle is.
    """

    triangles: Array
    row: Array
    component: Array
    void: Array
    shifts: Array | None = None

    def _summary(self) -> str:
        return f"{len(self.triangles):,} triangles"


def boundary_of(complex: FoundComplex) -> Boundary:
    """Return the components of the boundary, with the measures of their sectors."""
    session = complex._session
    host = session.host
    with session.call(None, {}):
        tables, sites = complex._tables, to_host(complex._sites)
        vertices, edges, triangles, tets = map(_on_host, tables.corners)
        _, vertices_of, edges_of, triangles_of = map(_on_host, tables.facets)
        n_tets_at = _on_host(tables.simplices[2].kind)
        of_balls = [_on_host(table.simplices) for table in tables.simplices[0:3:2]]
    # the convex hull, at an infinite alpha, has no voids to be measured
    alpha = float(complex._whole_alpha) if math.isfinite(complex._whole_alpha) else 0.0
    n_vertices, n_edges, n_triangles, n_tets = tables.counts
    places, vectors = np.zeros(len(sites), np.int64), np.zeros((3, 3))
    if tables.copies is not None and complex._balls.box is not None:
        places, vectors = packed(to_host(tables.copies.shift)), complex._balls.box.vectors

    # === sectors, and the component of each
    wedges = exclusive_scan(np.maximum(np.bincount(edges_of.ravel(), minlength=n_edges), 1))
    edge_shares = np.empty((n_edges, 2, 2), np.float64)
    triangle_shares = np.empty((n_triangles, 3, 2), np.float64)
    host.launch("share_edges", n_edges, sites, alpha, edges, edge_shares)
    host.launch("share_triangles", n_triangles, sites, alpha, triangles, n_tets_at, triangle_shares)
    sides, side_places = (np.empty((n_triangles, 2), dtype) for dtype in (np.int32, np.int64))
    most = 2 * int(wedges[-1]) + n_vertices
    rank = np.empty(most, np.int8)
    vertex, component = (np.empty(most, np.int32) for _ in range(2))
    volume, area = (np.empty(most, np.float64) for _ in range(2))
    n_sectors = host.run(
        "find_boundary",
        *(sites, alpha, places, vertices, n_vertices, edges, vertices_of, n_edges),
        *(triangles, edges_of, n_triangles, tets, triangles_of, n_tets),
        *(wedges, edge_shares, triangle_shares),
        *(sides, side_places, rank, vertex, component, volume, area),
    )
    vertex, component = vertex[:n_sectors].copy(), component[:n_sectors].copy()
    volume, area = volume[:n_sectors].copy(), area[:n_sectors].copy()

    # === enclosed volumes, and the voids of islands
    n_components = int(component.max(initial=NONE)) + 1
    rank = rank[:n_components].copy()
    six_volumes = np.empty(n_components, np.float64)
    geometry = (sites, vectors, triangles, n_triangles, sides, side_places, rank, six_volumes)
    host.run("enclose_volumes", *geometry, n_components)
    first = np.full(n_components, np.iinfo(np.int32).max, np.int32)
    np.minimum.at(first, component, vertex)
    piece_of = np.empty(n_vertices, np.int32)  # the first vertex of the piece of each
    host.run("name_sets", vertices_of, n_edges, piece_of, n_vertices)
    hosts, site_of = np.empty(n_components, np.int32), np.ascontiguousarray(vertices[first, 0])
    host.run("place_islands", *geometry, n_components, site_of, piece_of[first], hosts)
    return Boundary(
        *(of_balls[1], triangles, sides, side_places),
        *(of_balls[0][vertex, 0], component, volume, area, rank, six_volumes, hosts),
    )


def _on_host(array: Array) -> np.ndarray:
    return np.ascontiguousarray(to_host(array))


def boundary_sides(
    complex: FoundComplex, boundary: Boundary, void_of: np.ndarray
) -> BoundarySurface:
    """Return the empty sides of triangles on the host, with the void of their components."""
    row, side = np.nonzero(boundary.side_component != NONE)
    component = boundary.side_component[row, side]
    oriented = [
        np.where(side[:, None] == 0, corners, corners[:, ::-1])
        for corners in (boundary.triangles[row], boundary.corners[row])
    ]
    return BoundarySurface(
        triangles=oriented[0],
        row=row.astype(np.int32),
        component=component,
        void=void_of[component],
        shifts=_shifts_of(complex, boundary, oriented[1], component, row, side),
    )


def _shifts_of(
    complex: FoundComplex, boundary: Boundary, corners: np.ndarray, component: np.ndarray,
    row: np.ndarray, side: np.ndarray,
) -> np.ndarray | None:  # fmt: skip
    """Return shifts (f, 3, 3) of oriented sides in a periodic box."""
    copies, origin = complex._tables.copies, np.arange(len(row))
    if copies is None:
        return None
    _, first, name = np.unique(component, return_index=True, return_inverse=True)
    is_whole = boundary.rank[component] == 0
    origin[is_whole] = first[name.ravel()][is_whole]
    within = unpacked(boundary.side_place[row, side])
    within[~is_whole] = 0
    return complex._balls.shifts(copies, corners, within, origin)
