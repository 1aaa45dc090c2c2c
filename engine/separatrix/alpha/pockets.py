"""Pockets: empty regions that widen inwards, with the mouths by which they open.

1. Start with the tetrahedra at the largest alpha that are not in this complex, the solid.
2. A tetrahedron flows to a larger neighbor through a facet whose Gabriel test is violated by the
   opposite vertex.
3. Remove tetrahedra with a flow to the outside, which includes all that is larger than that alpha.
4. The remaining ones form pockets, connected by triangles that are not in the solid. Voids are
   pockets without open triangles.

Edelsbrunner, Facello, Liang 1998, "On the definition and the construction of pockets in
macromolecules"; kernels/alpha/pockets.h.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device import Array, to_host
from ..kernels import NONE
from ..primitives import exclusive_scan
from .channels import periodicity_of
from .found_complex import FoundComplex
from .measures import grown_balls
from .mouths import Mouths, mouths_of
from .tables import Tables
from .voids import LinedRegions, in_place, sums, sums_by_pair


@dataclass(frozen=True, eq=False, repr=False)
class Pockets(LinedRegions):
    """Pockets of an alpha complex, largest first.

    Pocket p has the rows offsets[p] to offsets[p + 1] - 1 of the arrays that follow these offsets.

    Attributes
    ----------
    largest_alpha : float
        Alpha at which the complex was computed. Wider pockets, whose flow ends in a tetrahedron of
        a larger alpha, count as outside.
    volume, area : (k,) float64 array
        Measures of the part that is not covered by balls. At mouths, it ends at the planes of the
        open triangles, and balls count by their inner angles.
    n_mouths : (k,) int64 array
        Number of mouths; 0 for voids.
    periodicity : (k,) int8 array
        Number of independent directions in which the pocket repeats in a periodic box: 0 for
        cavities, 1 to 3 for channels.
    depth : (k,) float64 array
        Largest distance of the centroid of a tetrahedron from the nearest center of a mouth, the
        mean of its triangles' centroids; 0 for voids.
    mouths : Mouths
        Area, circumference, lining atoms, and triangles of each mouth of all pockets.
    atom_offsets, atoms, atom_area : int64, int32, and float64 arrays
        Lining atoms and their exposed areas.
    tet_offsets, tets : int64 and (., 4) int32 arrays
        Tetrahedra.
    facet_offsets, facets : int64 and (., 3) int32 arrays
        Triangles of the complex that form the walls, with normals into the pocket.
    facet_shifts : (., 3, 3) int32 array or None
        Box vectors to add to the vertices of the walls in a periodic box.
    """

    largest_alpha: float
    volume: Array
    area: Array
    n_mouths: Array
    periodicity: Array
    depth: Array
    mouths: Mouths
    atom_offsets: Array
    atoms: Array
    atom_area: Array
    tet_offsets: Array
    tets: Array
    facet_offsets: Array
    facets: Array
    facet_shifts: Array | None = None

    _COLUMNS = ("volume", "area", "n_mouths", "depth")
    _KIND = "pocket"

    def _summary(self) -> str:
        return f"{super()._summary()} seen from alpha {self.largest_alpha:g}"


def pockets_of(complex: FoundComplex) -> Pockets:
    """Return the pockets of a complex, relative to the largest alpha."""
    balls, host = complex._balls, complex._session.host
    largest_alpha = balls.scale.squared_length(balls.alpha)
    with complex._session.call(None, {}):
        tables = complex._largest.mapped(to_host)
    has = [(t.alpha_value <= complex.alpha).view(np.uint8) for t in tables.simplices]
    rows, pocket, mouth = find_pockets(complex, tables, has)
    volume, shares = _measured(complex, tables, has, rows)
    is_positive = volume > 0
    k, step = int(pocket.max(initial=NONE)) + 1, complex.resolution
    volume = sums(pocket, abs(volume) - shares[:, :, 0].sum(1), k).clip(0.0, None)
    order = np.argsort(-volume, kind="stable")
    rank = np.empty(k, np.int32)
    rank[order] = np.arange(k)
    pocket = rank[pocket]

    tets = tables.simplices[3].simplices[rows]
    sixfold, exposed = np.repeat(pocket, 4), shares[:, :, 1].ravel() != 0.0
    atom_pocket, atoms, atom_area = sums_by_pair(
        complex, sixfold[exposed], tets.ravel()[exposed], shares[:, :, 1].ravel()[exposed] * step**2
    )
    by_pocket = np.argsort(pocket, kind="stable")
    corners, mouth = _inward_facets(tets, is_positive), mouth.ravel()
    facets = tables.facets[3][rows].ravel()
    walls = np.flatnonzero(has[2][facets])
    walls = walls[np.argsort(sixfold[walls], kind="stable")]
    opens = np.flatnonzero(mouth != NONE)
    found = (facets[opens], corners[opens], sixfold[opens], mouth[opens])
    mouths = mouths_of(complex, tables, has, *found)
    tet_offsets = exclusive_scan(np.bincount(pocket, minlength=k))
    return Pockets(
        largest_alpha,
        mouths=mouths,
        **in_place(
            complex,
            volume=volume[order] * step**3,
            area=sums(atom_pocket, atom_area, k),
            n_mouths=np.bincount(to_host(mouths.pocket), minlength=k),
            periodicity=periodicity_of(host, tables, has[2], rows, pocket, k),
            depth=_depths(complex, tets[by_pocket], tet_offsets, mouths),
            atom_offsets=exclusive_scan(np.bincount(atom_pocket, minlength=k)),
            atoms=atoms,
            atom_area=atom_area,
            tet_offsets=tet_offsets,
            tets=tets[by_pocket],
            facet_offsets=exclusive_scan(np.bincount(sixfold[walls], minlength=k)),
            facets=corners[walls],
            **_shifts_of(complex, tables, rows, is_positive, walls),
        ),
    )


def find_pockets(
    complex: FoundComplex, tables: Tables, has: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the tetrahedra (m,) in pockets, the pocket of each, and mouths (m, 4) of its facets.

    The number of a facet that is not in a mouth is -1.
    """
    host = complex._session.host
    with complex._session.call(None, {}):
        sites = to_host(complex._sites)
    triangles = tables.simplices[2]
    rows = np.flatnonzero(has[3] == 0).astype(np.int32)
    n = len(rows)
    flows = np.empty((n, 4), np.uint8)
    known = (tables.corners[3], tables.facets[3], triangles.is_gabriel.view(np.uint8))
    host.launch("find_flows", 4 * n, rows, sites, *known, flows)
    pocket, mouth = np.empty(n, np.int32), np.empty((n, 4), np.int32)
    host.run(
        "gather_pockets",
        *(rows, flows, n, tables.facets[3]),
        *(tables.facets[2], has[2], len(triangles)),
        *(has[1], len(tables.simplices[1]), pocket, mouth),
    )
    is_inside = pocket != NONE
    return rows[is_inside], pocket[is_inside], mouth[is_inside]


def _measured(
    complex: FoundComplex, tables: Tables, has: list[np.ndarray], rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return oriented volumes (m,) of tetrahedra and shares (m, 4, 2) of balls, in steps."""
    volume, shares = np.empty(len(rows), np.float64), np.empty((len(rows), 4, 2), np.float64)
    with complex._session.call(None, {}):
        sites, alpha = grown_balls(complex)
        sites = to_host(sites)
    complex._session.host.launch(
        "measure_empty_tets",
        len(rows),
        *(rows, sites, alpha, tables.corners[3]),
        *(tables.facets[3], tables.facets[2], tables.facets[1]),
        *(*has[:3], volume, shares),
    )
    return volume, shares


def _depths(
    complex: FoundComplex, tets: np.ndarray, tet_offsets: np.ndarray, mouths: Mouths
) -> np.ndarray:
    """Return the depths (k,) from tetrahedra, sorted by pocket, and mouths."""
    with complex._session.call(None, {}):
        places = to_host(complex._balls.items)[:, :3] * complex.resolution
    triangles, sizes = to_host(mouths.triangles), np.diff(to_host(mouths.triangle_offsets))
    mouth = np.repeat(np.arange(len(sizes)), sizes)
    inside = places[triangles].mean(axis=1)
    centers = np.stack([sums(mouth, axis, len(sizes)) for axis in inside.T], axis=1)
    centers /= sizes[:, None]
    depth = np.empty(len(tet_offsets) - 1)
    offsets = np.searchsorted(to_host(mouths.pocket), np.arange(len(tet_offsets)))
    known = (places, tets, tet_offsets, centers, offsets, depth)
    complex._session.host.launch("measure_depths", len(depth), *known)
    return depth


def _shifts_of(
    complex: FoundComplex, tables: Tables, rows: np.ndarray, is_positive: np.ndarray,
    walls: np.ndarray,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Return the shifts of walls, facets of tetrahedra `rows`, in a periodic box."""
    if tables.copies is None:
        return {}
    corners = _inward_facets(tables.corners[3][rows], is_positive)[walls]
    return {"facet_shifts": complex._balls.shifts(tables.copies, corners)}


def _inward_facets(tets: np.ndarray, is_positive: np.ndarray) -> np.ndarray:
    """Return the facets (4 m, 3) of tetrahedra, facet k with its normal towards vertex k."""
    facets = tets[:, [[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]]]  # of positive tetrahedra
    return np.where(is_positive[:, None, None], facets, facets[:, :, ::-1]).reshape(-1, 3)
