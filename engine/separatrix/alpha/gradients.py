"""Derivatives of the volume and area of a union of balls by their centers.

The circle of an edge ij lies on both spheres; Theta is the angle of its exposed arcs, and E the
integral of the unit vectors e from its center to them. With the radius rho of the circle, its
signed distance z from p_i along the unit vector u towards p_j, and the angle phi of the normals,

    dV/dp_i = N_i = -1/2 sum of rho^2 Theta u - z rho E   (the vector area of the exposed sphere)
    dA/dp_i = 2 N_i / R_i - sum of tan(phi/2) rho / R_i (z Theta u + rho E).

Exposed arcs end at the points on three spheres on the empty sides of triangles. Edelsbrunner, Koehl
2003, "The weighted-volume derivative of a space-filling diagram"; Bryant, Edelsbrunner, Koehl,
Levitt 2004, "The area derivative of a space-filling diagram".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..device import Array, to_host
from ..kernels import NONE
from ..results import Table
from .found_complex import FoundComplex
from .measures import grown_balls
from .tables import INTERIOR, Tables
from .topology import Boundary
from .voids import in_place

TINY = 1e-300


@dataclass(frozen=True, eq=False, repr=False)
class BallGradients(Table):
    """Derivatives of the measures of a union of n balls by their centers.

    Attributes
    ----------
    volume : (n, 3) float64 array
        Derivative of the total volume, a squared length; 0 for balls inside the union.
    area : (n, 3) float64 array
        Derivative of the total area, a length.
    """

    volume: Array
    area: Array

    def _summary(self) -> str:
        return f"{len(self.volume):,} balls"


def ball_gradients(complex: FoundComplex, boundary: Boundary) -> BallGradients:
    """Return the derivatives, computed on the host. O(simplices)."""
    with complex._session.call(None, {}):
        tables = complex._tables.mapped(to_host)
        sites, alpha = grown_balls(complex)
        sites = to_host(sites)
    places, squared = sites[:, :3], (sites[:, 3] + alpha).clip(0.0, None)
    ends, triangles = (corners.T for corners in tables.corners[1:3])
    along = places[ends[1]] - places[ends[0]]
    length = np.sqrt(_dot(along, along))
    u = along / length[:, None]
    ahead = (length + (squared[ends[0]] - squared[ends[1]]) / length) / 2  # z of the lower end
    circle = np.sqrt((squared[ends[0]] - ahead**2).clip(0.0, None))
    to_center = ahead[:, None] * u
    theta = 2 * np.pi - _angles_of_tets(tables, places)
    turned = np.zeros(u.shape)  # E
    for side, (rows, points) in enumerate(_exposed_corners(boundary, places, squared)):
        for m in range(3):
            edge = tables.facets[2][rows, m]
            # of the lower end in the triangle: edges of a periodic box have places of their own
            center = places[triangles[int(m == 0), rows]] + to_center[edge]
            axis, e = u[edge], points - center
            inside = places[triangles[m, rows]] - center
            inside -= _dot(inside, axis)[:, None] * axis
            across = np.cross(inside, e)
            angle = np.arctan2(np.sqrt(_dot(across, across)), _dot(inside, e))
            theta -= np.bincount(edge, angle, len(u))
            arc = np.cross(axis, e) / np.maximum(circle[edge], TINY)[:, None]
            # an exposed arc begins counter-clockwise from the third ball, or ends clockwise
            turned += _sums(edge, arc if side == (m == 1) else -arc, len(u))
    theta[tables.simplices[1].kind == INTERIOR] = 0.0
    radii = np.sqrt(squared)
    cosine = (squared[ends].sum(axis=0) - length**2) / np.maximum(2 * radii[ends].prod(0), TINY)
    bend = np.sqrt((1 - cosine).clip(0.0, None) / np.maximum(1 + cosine, TINY))  # tan(phi / 2)
    volume, area = np.zeros((2, *places.shape))
    for end, z, axis in ((ends[0], ahead, u), (ends[1], length - ahead, -u)):
        straight, round_ = (theta * circle)[:, None] * axis, circle[:, None] * turned
        volume -= _sums(end, (circle[:, None] * straight - z[:, None] * round_) / 2, len(sites))
        moved = z[:, None] * straight + circle[:, None] * round_
        area -= _sums(end, bend[:, None] * moved, len(sites))
    area = (area + 2 * volume) / np.where(radii > 0, radii, np.inf)[:, None]
    if tables.copies is not None:  # a ball moves with all its copies
        ball = tables.copies.ball
        volume, area = (_sums(ball, moved, complex.n_balls) for moved in (volume, area))
    step = complex.resolution
    return BallGradients(**in_place(complex, volume=volume * step**2, area=area * step))


def _exposed_corners(
    boundary: Boundary, places: np.ndarray, squared: np.ndarray
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return, by side of the triangles, rows (k,) with an empty side and the points (k, 3) there.

    Side 0 is where the normal (b - a) x (c - a) points.
    """
    triangles = boundary.corners
    a, (b, c) = places[triangles[:, 0]], (places[triangles[:, k]] for k in (1, 2))
    b, c = b - a, c - a
    normal = np.cross(b, c)
    power = squared[triangles]
    along_b = (_dot(b, b) - power[:, 1] + power[:, 0]) / 2
    along_c = (_dot(c, c) - power[:, 2] + power[:, 0]) / 2
    gram = _dot(normal, normal)[:, None]
    center = np.cross(along_b[:, None] * c - along_c[:, None] * b, normal) / gram
    height = np.sqrt(((power[:, :1] - _dot(center, center)[:, None]) / gram).clip(0.0, None))
    found = []
    for empty, sign in zip(boundary.side_component.T != NONE, (1.0, -1.0), strict=True):
        rows = np.flatnonzero(empty)
        found.append((rows, (a + center + sign * height * normal)[rows]))
    return found


def _angles_of_tets(tables: Tables, places: np.ndarray) -> np.ndarray:
    """Return the sums (n_edges,) of the dihedral angles of tetrahedra at each edge."""
    tets, facets = tables.corners[3], tables.facets[3]
    angles = np.zeros(len(tables.simplices[1]))
    for a, b in combinations(range(4), 2):
        c, d = (number for number in range(4) if number not in (a, b))
        edge = tables.facets[2][facets[:, d], (a < c) + (b < c)]
        axis, to_c, to_d = (places[tets[:, k]] - places[tets[:, a]] for k in (b, c, d))
        across_c, across_d = np.cross(axis, to_c), np.cross(axis, to_d)
        six = abs(_dot(across_c, to_d)) * np.sqrt(_dot(axis, axis))
        angles += np.bincount(edge, np.arctan2(six, _dot(across_c, across_d)), len(angles))
    return angles


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)


def _sums(group: np.ndarray, vectors: np.ndarray, n_groups: int) -> np.ndarray:
    """Return the sums (n_groups, 3) of vectors (n, 3) by group."""
    return np.stack([np.bincount(group, column, n_groups) for column in vectors.T], axis=1)
