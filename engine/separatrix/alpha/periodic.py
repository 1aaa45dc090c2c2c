"""The regular triangulation of points in a periodic box, as a simplicial complex.

The points and their copies within a margin around the box are triangulated. A tetrahedron is kept
if its first vertex, by index and then by shift, is in the box. If the neighbors of these are copies
of others among them, and their volumes add up to that of the box, they are the triangulation: it is
closed, locally regular, and covers the box once, because its volume is a whole multiple. Points
that are not vertices must be hidden, which more copies do not change. Otherwise, the margin grows,
up to three boxes on each side.

Ties are broken by position, and only the relative positions of points matter, so that ties are
broken in the same way for all copies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NoReturn

import numpy as np

from ..device.arrays import to_host
from ..device.base import Array
from ..device.session import Progress, Session
from ..errors import InputError, Words
from ..options import known_keywords
from ..results import Table
from .balls import checked_centers
from .boxes import BITS, Box, box_of, checked_vectors, shifts_around
from .delaunay import STAGES, checked_weights, triangulation_of
from .request import checked_length

MARGIN = 3.5  # at first, in mean distances of points
MOST_BOXES = 3  # of copies on each side
SHIFTS = 31  # different differences of shifts along an axis, at most
PLACES = np.array([SHIFTS**2, SHIFTS, 1])
CENTER = SHIFTS**3 // 2  # the code of the shift 0 of point 0


@dataclass(frozen=True, eq=False, repr=False)
class PeriodicDelaunay(Table):
    """Regular triangulation of n points in a periodic box.

    Attributes
    ----------
    tetrahedra : (m, 4) int32 array
        Indices of points, ascending in each row; rows in lexicographic order.
    neighbors : (m, 4) int32 array
        Rows of the tetrahedra opposite to each vertex.
    shifts : (m, 4, 3) int32 array
        Boxes along each vector to add to the positions of the vertices, such that each tetrahedron
        is in one piece; 0 for the first vertex of each.
    hidden : (k,) int64 array
        Points, ascending, that are not vertices.
    """

    tetrahedra: Array
    neighbors: Array
    shifts: Array
    hidden: Array

    _COLUMNS = ("tetrahedra", "neighbors")

    def _summary(self) -> str:
        return f"{len(self.tetrahedra):,} tetrahedra in a periodic box"


@known_keywords
def periodic_delaunay(
    points: Any,
    box: Any,
    weights: Any = None,
    *,
    resolution: float | None = None,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> PeriodicDelaunay:
    """Compute the Delaunay or regular triangulation of points in a periodic box.

    Parameters
    ----------
    points : (n, 3) array_like
        Coordinates; points outside the box stand for those inside.
    box : sequence of 3 or 6 float, or (1, 6) or (3, 3) array_like
        Lengths of the box along x, y, and z; or three lengths and three angles in degrees, as in
        CRYST1 records; or its three vectors as rows, the first along x and the second in the plane
        of x and y. An array of shape (1, 6) contains the lengths and angles, as in VTK.
    weights : (n,) array_like, optional
        Squared lengths of any sign, such as squared radii; 0 by default.
    resolution : float, optional
        Coordinates and lengths are rounded to multiples of this length, and weights to multiples of
        its square; from then on, all signs are exact. By default about 2^-50 of the longest side.
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`. Results are in the memory of the input unless a device
        is given.

    Returns
    -------
    PeriodicDelaunay

    Raises
    ------
    InputError
        If an argument is invalid, or the box is so small that two edges join the same two points,
        or an edge joins a point and its copy, so that the triangulation is not a simplicial
        complex. Repeat the box in this case.
    DeviceUnavailable, DeviceMemoryError
        See :func:`separatrix.delaunay`.

    Notes
    -----
    The time is that of :func:`separatrix.delaunay` for the points and their copies in a margin of a
    few distances of points, and at most for 343 boxes.

    Examples
    --------
    >>> import numpy as np
    >>> import separatrix as sx
    >>> points = np.random.default_rng(1).uniform(0, 1, (300, 3))
    >>> t = sx.periodic_delaunay(points, (1.0, 1.0, 1.0))
    >>> t.tetrahedra.shape, bool((t.neighbors >= 0).all())
    ((2001, 4), True)
    """
    checked = checked_centers(points, "points")
    weight = checked_weights(weights, len(checked))
    exact = checked_vectors(box)
    step = 2.0 ** (math.frexp(abs(exact).max())[1] - BITS)
    if resolution is not None:
        step = checked_length(resolution, "resolution", is_positive=True)
    session = Session(checked, device, threads, memory_limit)
    with session.call(progress, STAGES):
        places = to_host(checked).astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(places).all(axis=1))
        if len(bad):
            got = tuple(places[bad[0]].tolist())
            raise InputError("points", "finite", got, where=f"[{bad[0]}]", count=len(bad))
        grid = box_of(box, step, 2.0**BITS)
        places, entered = grid.enter(places)
        sizes = np.rint(to_host(weight).astype(np.float64) / step**2)
        rows, shifts, neighbors, hidden = triangulated_in_box(session, places, sizes, grid)
        _require_simplicial(rows, shifts, grid)
        shifts = grid.given_shifts(rows, shifts, entered)
        arrays = (rows, neighbors, shifts, hidden)
        if not session.result.on_host:
            arrays = tuple(map(session.upload, arrays))
        return PeriodicDelaunay(*map(session.result, arrays))


Found = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def triangulated_in_box(session: Session, places: np.ndarray, sizes: np.ndarray, box: Box) -> Found:
    """Return tetrahedra, shifts, neighbors, and hidden points of whole points in the brick.

    Shifts are multiples of the shortened vectors, relative to the first vertices. Vertices are
    ascending by index and then by shift. Raises InputError if the box is too small.
    """
    found = _triangulated(session, places, sizes, box.vectors)
    if found is None:
        _reject_box(box, "the copies of its points do not enclose it")
    return found


def _triangulated(
    session: Session, places: np.ndarray, sizes: np.ndarray, vectors: np.ndarray
) -> Found | None:
    """Return tetrahedra, shifts, neighbors, and hidden points, or None if all copies do not do."""
    n, sides = len(places), vectors.diagonal()
    margin = np.rint(MARGIN * (sides.prod() / max(n, 1)) ** (1 / 3))
    while n:
        margins = np.minimum(margin, MOST_BOXES * sides)
        copies = []
        for shift in shifts_around(vectors, math.ceil(max(margins / sides))):
            moved = places + shift @ vectors
            near = ((moved >= -margins) & (moved < sides + margins)).all(axis=1)
            copies.append((np.flatnonzero(near), shift, moved[near]))
        ids = np.concatenate([rows for rows, _, _ in copies])
        shift_of = np.concatenate([np.tile(shift, (len(rows), 1)) for rows, shift, _ in copies])
        at = session.upload(np.concatenate([moved for _, _, moved in copies]))
        found = triangulation_of(session, at, session.upload(sizes[ids]))
        if found.dimension == 3 and (kept := _kept(found, ids, shift_of, to_host(at), sides)):
            return kept
        if (margins == MOST_BOXES * sides).all():
            return None
        margin *= 2
    rows = np.empty((0, 4), np.int32)
    return rows, rows[:, :, None].repeat(3, axis=2), rows, np.empty(0, np.int64)


def _kept(
    found: Any, ids: np.ndarray, shift_of: np.ndarray, at: np.ndarray, sides: np.ndarray
) -> Found | None:
    """Return the tetrahedra whose first vertices are in the box, unless they do not close up."""
    tets, neighbors = to_host(found.tetrahedra), to_host(found.neighbors)
    codes = codes_of(ids, shift_of)[tets]
    first = np.take_along_axis(tets, codes.argmin(axis=1)[:, None], axis=1)[:, 0]
    is_chosen = (shift_of[first] == 0).all(axis=1)
    chosen = np.flatnonzero(is_chosen)
    beside = neighbors[chosen]
    if (beside < 0).any():
        return None
    corners = at[tets[chosen]]
    edges = corners[:, 1:] - corners[:, :1]
    volume = abs(np.linalg.det(edges / sides)).sum() / 6  # in boxes, a whole number
    if round(volume) != 1:
        return None
    rows = np.concatenate([chosen, np.unique(beside[~is_chosen[beside]])])
    order = codes[rows].argsort(axis=1)
    beside = np.take_along_axis(beside, order[: len(chosen)], axis=1)
    copies = np.take_along_axis(tets[rows], order, axis=1)
    shifts = shift_of[copies] - shift_of[copies[:, :1]]
    codes = codes_of(ids[copies], shifts)
    by_code = np.lexsort(codes.T[::-1])
    is_new = np.append(True, (codes[by_code[1:]] != codes[by_code[:-1]]).any(axis=1))
    if is_new.sum() > len(chosen):  # a neighbor is no copy of a tetrahedron that was chosen
        return None
    name = np.empty(len(tets), np.int64)
    name[rows[by_code]] = np.cumsum(is_new) - 1
    is_vertex, is_hidden = np.zeros((2, int(ids.max()) + 1), bool)
    is_vertex[ids[tets[chosen]]] = True
    lost = to_host(found.hidden)
    is_hidden[ids[lost[(shift_of[lost] == 0).all(axis=1)]]] = True
    if not (is_vertex | is_hidden).all():
        return None
    place = np.argsort(name[chosen])  # the names are in lexicographic order
    return (
        ids[copies[place]].astype(np.int32),
        shifts[place],
        name[beside[place]].astype(np.int32),
        np.flatnonzero(~is_vertex),
    )


def codes_of(ids: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """Return numbers below n SHIFTS^3 that order n points by index and then by shift."""
    return ids.astype(np.int64) * SHIFTS**3 + CENTER + shifts @ PLACES


def shifts_of(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices (m,) int32 and shifts (m, 3) int32 of codes."""
    digits = codes[:, None] // PLACES % SHIFTS - SHIFTS // 2
    return (codes // SHIFTS**3).astype(np.int32), digits.astype(np.int32)


def _require_simplicial(rows: np.ndarray, shifts: np.ndarray, box: Box) -> None:
    """Raise InputError unless each edge is determined by its two different points."""
    edges = np.concatenate(
        [
            np.column_stack([rows[:, [a, b]], shifts[:, b] - shifts[:, a]])
            for a, b in combinations(range(4), 2)
        ]
    )
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if len(loops):
        _reject_box(box, f"an edge joins point {edges[loops[0], 0]} and its copy")
    edges = np.unique(edges, axis=0)
    twice = np.flatnonzero((edges[1:, :2] == edges[:-1, :2]).all(axis=1))
    if len(twice):
        a, b = edges[twice[0], :2].tolist()
        _reject_box(box, f"two edges join the points {a} and {b}")


def _reject_box(box: Box, why: str) -> NoReturn:
    raise InputError(
        "box",
        "so large that the triangulation is a simplicial complex",
        Words(f"{box.given.tolist()}, where {why}"),
        "Repeat the points and the box along its short sides.",
    )
