"""Protrusions: parts of a union of balls that widen outwards from their necks.

The inverse construction exchanges the balls and the empty space. The sphere that is orthogonal to
the four balls of a tetrahedron outside of the solid encloses an empty ball; together, these inverse
balls cover the empty space (Edelsbrunner 1999, "Deformable smooth surface design": mutually
orthogonal families of spheres describe a body from inside and outside). Protrusions are the
pockets of the inverse balls (Edelsbrunner, Facello, Liang 1998), and necks are their mouths.

1. Inverse balls: the orthospheres of all tetrahedra that are larger than alpha, except in voids, up
   to WIDEST times the requested radius; beyond, spheres of that radius on the outermost triangles.
2. Pockets of the inverse balls. What is wider than the requested radius is the body.
3. An atom belongs to the protrusion that contains its center.

In a periodic box, all tetrahedra are inside, so cavities are left out instead of voids.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device import Array, Session, to_host
from ..errors import InputError
from ..kernels import NONE
from ..primitives import exclusive_scan
from ..results import Table
from ..spatial.points import bounded_points
from ..spatial.uniform_grid import size_by_density, sort_points, uniform_grid
from .balls import snap_balls
from .boxes import Box, shifts_around
from .channels import periodicity_of
from .found_complex import FoundComplex
from .measures import ball_measures, grown_balls
from .pockets import find_pockets
from .request import WORK_LIMIT, Request
from .stars import Search
from .tables import Tables
from .triangulation import triangulated
from .voids import in_place, sums

WIDEST = 4.0
ON_FACET = 1e-9  # of a barycentric coordinate
POINTS_PER_CELL = 4.0


@dataclass(frozen=True, eq=False, repr=False)
class Protrusions(Table):
    """Protrusions of a union of balls, largest first.

    Protrusion p has the atoms ``atoms[atom_offsets[p]:atom_offsets[p + 1]]``.

    Attributes
    ----------
    radius : float
        Radius from which parts of the union are the body.
    volume, area : (k,) float64 array
        Sums of the volumes and areas of the atoms; see :class:`BallMeasures`.
    n_necks : (k,) int64 array
        Number of necks, which connect a protrusion with the body; 0 for a component of the union
        that is nowhere wider than `radius`.
    atom_offsets, atoms : int64 and int32 arrays
        Atoms, ascending.
    """

    radius: float
    volume: Array
    area: Array
    n_necks: Array
    atom_offsets: Array
    atoms: Array

    _COLUMNS = ("volume", "area", "n_necks")

    def __len__(self) -> int:
        return len(self.volume)

    def _summary(self) -> str:
        return f"{len(self):,} protrusions up to radius {self.radius:g}"


def protrusions_of(complex: FoundComplex, radius: float) -> Protrusions:
    """Return the protrusions of a complex that is part of the complete triangulation."""
    widest = WIDEST * radius
    with complex._session.call(None, {}):
        centers, radii = _inverse_balls(complex, widest)
        measures = ball_measures(complex)
        places = to_host(complex._balls.items)[:, :3].astype(np.float64)
        is_in_union = np.zeros(complex.n_balls, bool)
        is_in_union[to_host(complex._tables.simplices[0].simplices)] = True
    atoms = np.flatnonzero(is_in_union).astype(np.int32)
    try:
        corners, protrusion, n_necks = _pockets_between(complex, centers, radii, radius)
    except InputError:  # of the inverse balls, which are about as large, or too few for the box
        raise InputError("radius", "a length of the order of the balls' extent", radius) from None
    copies = _copies_within(corners, places[atoms], complex._balls.box)
    tet = _containing(complex._session, corners, len(atoms), *copies)
    atoms, protrusion = atoms[tet != NONE], protrusion[tet[tet != NONE]]
    k = len(n_necks)
    volume, area = (
        sums(protrusion, to_host(of_ball)[atoms], k) for of_ball in (measures.volume, measures.area)
    )
    order = np.argsort(-volume, kind="stable")
    order = order[np.bincount(protrusion, minlength=k)[order] > 0]
    rank = np.full(k, NONE)
    rank[order] = np.arange(len(order))
    by_rank = np.argsort(rank[protrusion], kind="stable")
    return Protrusions(
        radius,
        **in_place(
            complex,
            volume=volume[order],
            area=area[order],
            n_necks=n_necks[order],
            atom_offsets=exclusive_scan(np.bincount(rank[protrusion], minlength=len(order))),
            atoms=atoms[by_rank],
        ),
    )


def _inverse_balls(complex: FoundComplex, widest: float) -> tuple[np.ndarray, np.ndarray]:
    """Return centers (m, 3) and radii (m,) of balls that cover the empty space."""
    tables, step = complex._largest.mapped(to_host), complex.resolution
    sites, alpha = grown_balls(complex)
    balls = to_host(sites) + [0.0, 0.0, 0.0, alpha]
    has = [(t.alpha_value <= complex.alpha).view(np.uint8) for t in tables.simplices]
    rows, pocket, mouth = find_pockets(complex, tables, has)
    k = int(pocket.max(initial=NONE)) + 1
    has_opening = periodicity_of(complex._session.host, tables, has[2], rows, pocket, k) > 0
    has_opening[pocket[(mouth != NONE).any(axis=1)]] = True
    is_open = np.ones(len(has[3]), bool)
    is_open[rows] = has_opening[pocket]
    size = tables.simplices[3].alpha_value - complex.alpha
    is_near = size <= widest**2
    chosen = np.flatnonzero(is_open & is_near & (size > 0))
    centers, squared = _orthospheres(balls, tables.corners[3][chosen])
    far, far_squared = _outermost_balls(tables, balls, is_near, (widest / step) ** 2)
    radii = np.sqrt(np.concatenate([squared, far_squared]).clip(0.0, None))
    return np.concatenate([centers, far]) * step, radii * step


def _outermost_balls(
    tables: Tables, balls: np.ndarray, is_near: np.ndarray, squared: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return balls of a squared radius, in steps, beyond the triangles next to large tetrahedra."""
    facets, tets = tables.facets[3][is_near].ravel(), tables.corners[3][is_near]
    entries = np.flatnonzero(np.bincount(facets)[facets] == 1)
    entries = entries[np.argsort(facets[entries])]
    tet, k = tets[entries // 4], entries % 4
    triangles = tet[np.arange(4) != k[:, None]].reshape(-1, 3)
    centers, own = _orthospheres(balls, triangles)
    a, b, c, inner = (balls[of, :3] for of in (*triangles.T, tets.ravel()[entries]))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    normal *= -np.sign(np.einsum("ij,ij->i", normal, inner - a))[:, None]
    height = np.sqrt((squared - own).clip(0.0, None))
    return centers + height[:, None] * normal, np.full(len(entries), squared)


def _orthospheres(balls: np.ndarray, simplices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return centers (m, 3) and squared radii (m,) of the least spheres orthogonal to balls."""
    corners = balls[simplices]
    first, d = corners[:, 0], corners[:, 1:, :3] - corners[:, :1, :3]
    right = ((d * d).sum(axis=2) - corners[:, 1:, 3] + first[:, None, 3]) / 2
    if simplices.shape[1] == 3:  # the center is in the plane
        d = np.concatenate([d, np.cross(d[:, :1], d[:, 1:])], axis=1)
        right = np.pad(right, ((0, 0), (0, 1)))
    minors = np.stack([np.cross(d[:, k - 2], d[:, k - 1]) for k in range(3)], axis=1)
    ahead = (right[:, :, None] * minors).sum(axis=1)
    ahead /= (d[:, 0] * minors[:, 0]).sum(axis=1)[:, None]  # exact, and not 0
    return first[:, :3] + ahead, (ahead * ahead).sum(axis=1) - first[:, 3]


def _pockets_between(
    complex: FoundComplex, centers: np.ndarray, radii: np.ndarray, radius: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return tetrahedra (m, 4, 3) in pockets of inverse balls, pockets (m,), and necks of each.

    Their corners are in steps.
    """
    session, method = complex._session, "complete"
    request = Request(
        radius**2, 0.0, complex.resolution, WORK_LIMIT, True, True, method, complex.box
    )
    with session.call(None, {}):
        balls = snap_balls(session, centers, radii, request)
        found = triangulated(session, balls)
        inverse = FoundComplex(session, balls, Search(found, None), found, found, 0.0)
        tables = found.mapped(to_host)
        places = to_host(inverse._sites)[:, :3]
    has = [(table.alpha_value <= 0.0).view(np.uint8) for table in tables.simplices]
    rows, pocket, mouth = find_pockets(inverse, tables, has)
    k = int(pocket.max(initial=NONE)) + 1
    is_neck = mouth != NONE
    pocket_of = np.empty(int(mouth.max(initial=NONE)) + 1, np.int32)
    pocket_of[mouth[is_neck]] = pocket[np.nonzero(is_neck)[0]]
    return places[tables.corners[3][rows]], pocket, np.bincount(pocket_of, minlength=k)


def _copies_within(
    corners: np.ndarray, points: np.ndarray, box: Box | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return points (n, 3) and their rows or, in a box, all copies within bounds of corners."""
    rows = np.arange(len(points))
    if box is None or not len(corners):
        return points, rows
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    sides = box.vectors.diagonal()
    n_bricks = math.ceil(max(0.0, *(-low / sides), *(high / sides - 1)))
    shifts = shifts_around(box.vectors, n_bricks)
    copies = (points + (shifts @ box.vectors)[:, None]).reshape(-1, 3)
    near = ((copies >= low) & (copies <= high)).all(axis=1)
    return copies[near], np.tile(rows, len(shifts))[near]


def _containing(
    session: Session, corners: np.ndarray, n: int, points: np.ndarray, rows: np.ndarray
) -> np.ndarray:
    """Return the first tetrahedron (m, 4, 3) with a point (k, 3) of each row (n,), or -1."""
    session = session.on(session.host)
    given, found = bounded_points(session, points, "centers"), session.device.unset(n, np.uint64)
    if given.n:
        size = size_by_density(session, given, POINTS_PER_CELL)
        places = sort_points(session, given, uniform_grid(given.low, given.high, size, given))
        known = (*places.cells, *places.sorted, places.order, rows, ON_FACET)
        session.launch("find_points_inside", len(corners), corners, *known, found)
    return found.view(np.int64)
