"""Components, loops, and voids of an alpha complex, from the components of its boundary.

1. Pieces: the b0 components of the vertices and edges.
2. Boundary: connected empty sides of triangles, wedges around edges, and sectors of vertices.
3. Each component of the boundary encloses an exact integer volume: positive for a void, otherwise
   it is the outer boundary of a piece. So there are b0 + b2 of them, and b1 = b0 + b2 - chi.
4. Islands: outer boundaries of pieces inside voids of others.

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
from .found_complex import FoundComplex


@dataclass(frozen=True)
class Boundary:
    """Boundary with k components and s sectors: empty parts of the directions around a vertex."""

    triangles: np.ndarray  # (m, 3) int32 of the complex
    side_component: np.ndarray  # (m, 2) int32; -1 for a tetrahedron; the normal points to side 0
    vertex: np.ndarray  # (s,) int32 of each sector
    component: np.ndarray  # (s,) int32 of each sector
    volume: np.ndarray  # (s,) float64, in grid steps, of the ball within the cone of each sector
    area: np.ndarray  # (s,) float64, as the volume
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
        Void that the side faces; -1 for the outside.
    """

    triangles: Array
    row: Array
    component: Array
    void: Array

    def _summary(self) -> str:
        return f"{len(self.triangles):,} triangles"


def boundary_of(complex: FoundComplex) -> Boundary:
    """Return the components of the boundary, with the measures of their sectors."""
    host = complex._session.host
    with complex._session.call(None, {}):
        tables = complex._tables
        # the convex hull, at an infinite alpha, has no voids to be measured
        alpha = float(complex._whole_alpha) if math.isfinite(complex._whole_alpha) else 0.0
        arrays = [
            complex._sites,
            *(table.simplices for table in tables.simplices),
            *(tables.facets[2], tables.facets[3], tables.simplices[2].kind),
        ]
        sites, vertices, edges, triangles, tets, edges_of, triangles_of, n_tets_at = (
            np.ascontiguousarray(to_host(array)) for array in arrays
        )
    n, n_edges, n_triangles = len(sites), len(edges), len(triangles)

    # === sectors, and the component of each
    wedges = exclusive_scan(np.maximum(np.bincount(edges_of.ravel(), minlength=n_edges), 1))
    edge_shares = np.empty((n_edges, 2, 2), np.float64)
    triangle_shares = np.empty((n_triangles, 3, 2), np.float64)
    host.launch("share_edges", n_edges, sites, alpha, edges, edge_shares)
    host.launch("share_triangles", n_triangles, sites, alpha, triangles, n_tets_at, triangle_shares)
    sides = np.empty((n_triangles, 2), np.int32)
    most = 2 * int(wedges[-1]) + len(vertices)
    vertex, component = (np.empty(most, np.int32) for _ in range(2))
    volume, area = (np.empty(most, np.float64) for _ in range(2))
    n_sectors = host.run(
        "find_boundary",
        *(sites, alpha, n, edges, n_edges, triangles, edges_of, n_triangles),
        *(tets, triangles_of, len(tets)),
        *(wedges, edge_shares, triangle_shares, vertices, len(vertices)),
        *(sides, vertex, component, volume, area),
    )
    vertex, component = vertex[:n_sectors].copy(), component[:n_sectors].copy()
    volume, area = volume[:n_sectors].copy(), area[:n_sectors].copy()

    # === enclosed volumes, and the voids of islands
    n_components = int(component.max(initial=NONE)) + 1
    six_volumes = np.empty(n_components, np.float64)
    geometry = (sites, triangles, n_triangles, sides, six_volumes)
    host.run("enclose_volumes", *geometry, n_components)
    first = np.full(n_components, np.iinfo(np.int32).max, np.int32)
    np.minimum.at(first, component, vertex)
    piece_of = np.empty(n, np.int32)  # the smallest vertex of the piece of each ball
    host.run("name_sets", edges, n_edges, piece_of, n)
    hosts = np.empty(n_components, np.int32)
    host.run("place_islands", *geometry, n_components, first, piece_of[first], hosts)
    return Boundary(triangles, sides, vertex, component, volume, area, six_volumes, hosts)


def boundary_sides(boundary: Boundary, void_of: np.ndarray) -> BoundarySurface:
    """Return the empty sides of triangles on the host, with the void of their components."""
    row, side = np.nonzero(boundary.side_component != NONE)
    component = boundary.side_component[row, side]
    triangles = boundary.triangles[row]
    return BoundarySurface(
        triangles=np.where(side[:, None] == 0, triangles, triangles[:, ::-1]),
        row=row.astype(np.int32),
        component=component,
        void=void_of[component],
    )
