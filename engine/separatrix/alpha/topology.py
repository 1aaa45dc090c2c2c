"""Components, tunnels, and voids of an alpha complex, from the components of its boundary.

1. Pieces: the b0 components of the vertices and edges.
2. Boundary: connected empty sides of triangles, wedges around edges, and sectors of vertices.
3. Each component of the boundary encloses an exact integer volume: positive for a void, otherwise
   it is the outer boundary of a piece. So there are b0 + b2 of them, and b1 = b0 + b2 - chi.
4. Islands: outer boundaries of pieces inside voids of others.

Uses integers on the host. O(simplices), plus islands times sides of the surrounding voids.
Edelsbrunner 1995, "The union of balls and its dual shape"; kernels/alpha/boundary_walks.h.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.arrays import to_host
from ..device.base import Array
from ..device.host import HostDevice
from ..kernels import NONE
from ..primitives import exclusive_scan
from ..repr_mixin import ReprMixin
from .found_complex import FoundComplex
from .measures import grown_balls

BettiNumbers = tuple[int, int, int]


@dataclass(frozen=True)
class Solid:
    """Alpha complex on the host, in the form of kernels/alpha/boundary_rings.h.

    ``balls`` (n, 4), ``edges``, ``triangles``, and ``tets`` (m, d + 1) int32, with the facets
    ``edges_of`` and ``triangles_of``; ``n_tets_at`` int8 counts the tetrahedra at each triangle.
    """

    balls: np.ndarray
    vertices: np.ndarray
    edges: np.ndarray
    triangles: np.ndarray
    tets: np.ndarray
    edges_of: np.ndarray
    triangles_of: np.ndarray
    n_tets_at: np.ndarray


@dataclass(frozen=True)
class Boundary:
    """Boundary of an alpha complex, with k components and s sectors; measures are in grid steps.

    A sector is an empty part of the sphere of directions around a vertex. The normal of ordered
    vertices of a triangle points to its side 0.
    """

    triangles: np.ndarray  # (m, 3) int32 of the complex
    side_component: np.ndarray  # (m, 2) int32, the component on each side, -1 for a tetrahedron
    vertex: np.ndarray  # (s,) int32 of each sector
    component: np.ndarray  # (s,) int32 of each sector
    volume: np.ndarray  # (s,) float64, of the ball within the cone of each sector
    area: np.ndarray  # (s,) float64, as the volume
    six_volumes: np.ndarray  # (k,) float64, six times the enclosed volume of each component
    host: np.ndarray  # (k,) int32, the void that contains an outer boundary; -1 if none
    piece: np.ndarray  # (k,) int32, the smallest vertex of the component's piece

    def __len__(self) -> int:
        return len(self.six_volumes)

    @property
    def is_void(self) -> np.ndarray:
        """Mask (k,) of the components that bound voids."""
        return self.six_volumes > 0


@dataclass(frozen=True, eq=False, repr=False)
class BoundarySurface(ReprMixin):
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


def solid_of(complex: FoundComplex) -> Solid:
    """Return the arrays of a complex on the host."""
    with complex._session.call(None, {}):
        tables = complex._tables
        vertices, edges, triangles, tets = (to_host(t.simplices) for t in tables.simplices)
        edges_of, triangles_of = (to_host(tables.facets[dimension]) for dimension in (2, 3))
        kinds = to_host(tables.simplices[2].kind)
        balls = to_host(grown_balls(complex))
    arrays = (balls, vertices.ravel(), edges, triangles, tets, edges_of, triangles_of, kinds)
    return Solid(*(np.ascontiguousarray(array) for array in arrays))


def boundary_of(complex: FoundComplex) -> Boundary:
    """Return the components of the boundary, with the measures of their sectors."""
    host, solid = complex._session.host, solid_of(complex)
    sides, vertex, component, volume, area = _sectors(host, solid)
    n_components = int(component.max(initial=NONE)) + 1
    six_volumes = np.empty(n_components, np.float64)
    geometry = (solid.balls, solid.triangles, len(solid.triangles), sides, six_volumes)
    host.run("enclose_volumes", *geometry, n_components)
    first = np.full(n_components, np.iinfo(np.int32).max, np.int32)
    np.minimum.at(first, component, vertex)
    piece = pieces_of(host, solid)[first]
    hosts = np.empty(n_components, np.int32)
    host.run("place_islands", *geometry, n_components, first, piece, hosts)
    sums = (six_volumes, hosts, piece)
    return Boundary(solid.triangles, sides, vertex, component, volume, area, *sums)


def _sectors(host: HostDevice, solid: Solid) -> tuple[np.ndarray, ...]:
    """Return the component of each side, and the arrays of the sectors."""
    n_edges, n_triangles = len(solid.edges), len(solid.triangles)
    n_triangles_at = np.bincount(solid.edges_of.ravel(), minlength=n_edges)
    wedges = exclusive_scan(np.maximum(n_triangles_at, 1))
    edge_shares = np.empty((n_edges, 2, 2), np.float64)
    triangle_shares = np.empty((n_triangles, 3, 2), np.float64)
    host.launch("share_edges", n_edges, solid.balls, solid.edges, edge_shares)
    triangles = (solid.balls, solid.triangles, solid.n_tets_at)
    host.launch("share_triangles", n_triangles, *triangles, triangle_shares)
    sides = np.empty((n_triangles, 2), np.int32)
    most = 2 * int(wedges[-1]) + len(solid.vertices)
    vertex, component = np.empty(most, np.int32), np.empty(most, np.int32)
    volume, area = np.empty(most, np.float64), np.empty(most, np.float64)
    n_sectors = host.run(
        "find_boundary",
        *(solid.balls, len(solid.balls), solid.edges, n_edges),
        *(solid.triangles, solid.edges_of, n_triangles),
        *(solid.tets, solid.triangles_of, len(solid.tets)),
        *(wedges, edge_shares, triangle_shares, solid.vertices, len(solid.vertices)),
        *(sides, vertex, component, volume, area),
    )
    return sides, *(array[:n_sectors].copy() for array in (vertex, component, volume, area))


def pieces_of(host: HostDevice, solid: Solid) -> np.ndarray:
    """Return the smallest vertex (n,) int32 of the piece that contains each ball."""
    piece = np.empty(len(solid.balls), np.int32)
    host.run("name_sets", solid.edges, len(solid.edges), piece, len(piece))
    return piece


def betti_of(complex: FoundComplex, boundary: Boundary) -> BettiNumbers:
    """Return the Betti numbers b0, b1, b2, which are also those of the union of balls."""
    b2 = int(boundary.is_void.sum())
    b0 = len(boundary) - b2
    return b0, b0 + b2 - complex.euler_characteristic, b2


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
