"""Mouths of pockets: connected open triangles, with the area and circumference of the opening.

In the plane of a triangle, the balls of its vertices are discs. What they leave of it follows by
inclusion and exclusion over the simplices of the solid: the triangle minus the sector of each
vertex, plus half the lens of each edge. The circumference is the derivative of this area by the
growth of the discs, the length of their exposed arcs:

    area = triangle - sum of angle_i R_i^2 / 2 + sum of segments, circumference = sum of arcs,

where disc i has a segment of R_i^2 theta / 2 - zeta h / 2 beside edge ij with zeta its distance
from the radical plane, h half the common chord, and theta = atan2(h, zeta), and its arc is
R_i (angle_i - the sum of theta over both edges).

Edelsbrunner, Facello, Liang 1998, "On the definition and the construction of pockets in
macromolecules"; Liang, Edelsbrunner, Woodward 1998, "Anatomy of protein pockets and cavities".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device import Array, to_host
from ..primitives import exclusive_scan
from ..results import Table
from .found_complex import FoundComplex
from .measures import grown_balls
from .tables import Tables
from .voids import in_place, sums


@dataclass(frozen=True, eq=False, repr=False)
class Mouths(Table):
    """Mouths of all pockets, in the order of the pockets, and for each pocket largest first.

    Mouth m has the rows offsets[m] to offsets[m + 1] - 1 of the arrays that follow these offsets.

    Attributes
    ----------
    pocket : (m,) int32 array
        Pocket that opens at the mouth.
    area : (m,) float64 array
        Area of the triangles that is not covered by balls, which count by their inner angles.
    circumference : (m,) float64 array
        Length of the arcs of balls around that area.
    atom_offsets, atoms : int64 and int32 arrays
        Lining atoms: the vertices of the triangles, ascending.
    triangle_offsets, triangles : int64 and (., 3) int32 arrays
        Open triangles, with normals into the pocket.
    """

    pocket: Array
    area: Array
    circumference: Array
    atom_offsets: Array
    atoms: Array
    triangle_offsets: Array
    triangles: Array

    _COLUMNS = ("pocket", "area", "circumference")

    def _summary(self) -> str:
        return f"{len(self):,} mouths"


def mouths_of(
    complex: FoundComplex, tables: Tables, has: list[np.ndarray],
    row: np.ndarray, corners: np.ndarray, pocket: np.ndarray, mouth: np.ndarray,
) -> Mouths:  # fmt: skip
    """Return the mouths of open triangles on the host.

    Parameters
    ----------
    tables : Tables
        Simplices at the largest alpha.
    has : list of (m,) uint8 arrays
        Per dimension, which of these are in the solid.
    row, corners, pocket, mouth : (t,), (t, 3), (t,), and (t,) integer arrays
        Row in the table of triangles, oriented vertices, pocket, and number of the mouth from 0.
    """
    n = int(mouth.max(initial=-1)) + 1
    pocket_of = np.empty(n, np.int32)
    pocket_of[mouth] = pocket
    parts, arcs = _opening_of_triangles(complex, tables, has, row)
    area = sums(mouth, parts, n).clip(0.0, None)
    order = np.lexsort((-area, pocket_of))
    rank = np.empty(n, np.int64)
    rank[order] = np.arange(n)
    mouth = rank[mouth]
    by_mouth = np.argsort(mouth, kind="stable")
    is_solid = has[0][_vertex_rows(tables, row)] != 0
    lining = np.repeat(mouth, 3) * complex.n_balls + tables.simplices[2].simplices[row].ravel()
    of_mouth, atoms = np.divmod(np.unique(lining[is_solid.ravel()]), complex.n_balls)
    step = complex.resolution
    return Mouths(
        **in_place(
            complex,
            pocket=pocket_of[order],
            area=area[order] * step**2,
            circumference=sums(mouth, arcs, n).clip(0.0, None) * step,
            atom_offsets=exclusive_scan(np.bincount(of_mouth, minlength=n)),
            atoms=atoms.astype(np.int32),
            triangle_offsets=exclusive_scan(np.bincount(mouth, minlength=n)),
            triangles=corners[by_mouth],
        )
    )


def _vertex_rows(tables: Tables, row: np.ndarray) -> np.ndarray:
    """Return the rows (t, 3) in the table of vertices of the vertices of triangles."""
    vertices, triangles = tables.simplices[0].simplices[:, 0], tables.simplices[2].simplices
    return np.searchsorted(vertices, triangles[row])


def _opening_of_triangles(
    complex: FoundComplex, tables: Tables, has: list[np.ndarray], row: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the open areas and arcs (t,) of triangles outside of the solid, in steps."""
    with complex._session.call(None, {}):
        sites, alpha = grown_balls(complex)
        balls = to_host(sites)[tables.corners[2][row]]
    places, squared = balls[:, :, :3], (balls[:, :, 3] + alpha).clip(0, None)
    radius = np.sqrt(squared)
    is_solid = has[0][_vertex_rows(tables, row)] != 0
    ahead = [places[:, (k + 1) % 3] - places[:, k] for k in range(3)]
    normal = np.cross(ahead[0], ahead[1])
    twice = np.sqrt(np.einsum("ij,ij->i", normal, normal))
    area, arcs = twice / 2, np.zeros(len(row))
    for k in range(3):
        cosine = -np.einsum("ij,ij->i", ahead[k], ahead[k - 1])
        angle = np.where(is_solid[:, k], np.arctan2(twice, cosine), 0.0)
        area -= angle * squared[:, k] / 2
        arcs += angle * radius[:, k]
        other = (k + 1) % 3  # the edge of both is opposite to the third vertex
        has_edge = has[1][tables.facets[2][row, (k + 2) % 3]] != 0
        length = np.sqrt(np.einsum("ij,ij->i", ahead[k], ahead[k]))
        zeta = (length + (squared[:, k] - squared[:, other]) / length) / 2
        chord = np.sqrt((squared[:, k] - zeta**2).clip(0.0, None))
        for end, z in ((k, zeta), (other, length - zeta)):
            theta = np.where(has_edge, np.arctan2(chord, z), 0.0)
            area += np.where(has_edge, (squared[:, end] * theta - z * chord) / 2, 0.0)
            arcs -= radius[:, end] * theta
    return area, arcs
