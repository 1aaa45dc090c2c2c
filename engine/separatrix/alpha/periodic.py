"""Regular triangulations of points in periodic boxes, as simplicial complexes.

The points and their copies within a margin around the box are triangulated. A tetrahedron is chosen
if its first vertex, by index and then by shift, is in the box. If the neighbors of these are copies
of others among them, and their volumes add up to that of the box, they are the triangulation: it is
closed, locally regular, and covers the box once, because its volume is a whole multiple. Points
that are not vertices must be hidden, which more copies do not change. Otherwise, the margin grows,
up to three boxes on each side.

Ties are broken by position, and only the relative positions of points matter, so that ties are
broken in the same way for all copies. For the same reason, several boxes with their copies may be
placed side by side: then one triangulation contains all of theirs.
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
from ..kernels.source import constant
from ..options import known_keywords
from ..primitives import at, compact, exclusive_scan, shifted
from ..results import Table
from .ball_sizes import checked_weights
from .balls import checked_centers
from .boxes import BITS, Box, box_of, checked_vectors, shifts_around
from .delaunay import STAGES, triangulation_of
from .request import checked_length

MARGIN = 3.5  # at first, in mean distances of points
MOST_BOXES = 3  # of copies on each side
SHIFTS = 31  # different differences of shifts along an axis, at most
MOST_COPIES = 1 << 22  # of points of several boxes
APART = 2.0  # distance of boxes that are side by side, in the largest extent of one with copies
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
    n = len(checked)
    weight = np.zeros(n) if weights is None else checked_weights(weights, n)
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
        found = triangulated_in_boxes(session, places, sizes, [grid])
        rows, shifts = to_host(found.points), found.shifts
        neighbors, hidden = to_host(found.neighbors), found.hidden
        _require_simplicial(rows, shifts, grid)
        shifts = grid.given_shifts(rows, shifts, entered)
        arrays = (rows, neighbors, shifts, hidden)
        if not session.result.on_host:
            arrays = tuple(map(session.upload, arrays))
        return PeriodicDelaunay(*map(session.result, arrays))


@dataclass(frozen=True)
class InBoxes:
    """Tetrahedra of n points in each of several periodic boxes, in lexicographic order."""

    copies: Array  # (m, 4) int32 on the device, rows of the arrays of copies that follow
    point_of: Array  # (k,) int32 on the device
    code_of: Array  # (k,) int64 on the device, ascending; see codes_of
    place_of: Array  # (k,) int64 on the device, the part of the code that is due to the shift
    neighbors: Array  # (m, 4) int32 on the device, rows of tetrahedra
    hidden: np.ndarray  # points that are not vertices

    @property
    def points(self) -> Array:
        """Vertices (m, 4) int32 on the device, of all boxes."""
        return at(self.point_of, self.copies.reshape(-1)).reshape(self.copies.shape)

    @property
    def shifts(self) -> np.ndarray:
        """Shifts (m, 4, 3) of the vertices, relative to the first ones."""
        shifts = shifts_of(to_host(self.code_of))[1][to_host(self.copies)]
        return shifts - shifts[:, :1]

    def relative_code(self, a: int, b: int) -> Array:
        """Return the codes (m,) int64 of vertex b of each tetrahedron relative to vertex a."""
        ends = (at(self.code_of, self.copies[:, b]), at(self.place_of, self.copies[:, a]))
        return ends[0] - ends[1]


class TooManyCopies(InputError):
    """The copies around several boxes are too many for one triangulation."""


def n_copies_at_first(n: int) -> int:
    """Return how many points and copies there are about, for n points in a box."""
    return math.ceil(n * (1 + 2 * MARGIN / max(n, 1) ** (1 / 3)) ** 3)


def triangulated_in_boxes(
    session: Session, places: np.ndarray, sizes: np.ndarray, boxes: list[Box]
) -> InBoxes:
    """Triangulate whole points, equally many in the brick of each box.

    Raises InputError if a box is too small, or TooManyCopies if there are several boxes.
    """
    n, vectors = len(places) // len(boxes), np.stack([box.vectors for box in boxes])
    sides = vectors.diagonal(axis1=1, axis2=2)
    margin = np.rint(MARGIN * (sides.prod(axis=1) / max(n, 1)) ** (1 / 3))
    while True:
        margins = np.minimum(margin[:, None], MOST_BOXES * sides)
        n_copies = n * (1 + 2 * margins / sides).prod(axis=1).sum()
        if len(boxes) > 1 and n_copies > MOST_COPIES:
            raise TooManyCopies(f"The boxes require about {n_copies:,.0f} copies.")
        found, is_enclosed = _triangulated(session, places, sizes, vectors, margins)
        if found is not None:
            return found
        if (margins == MOST_BOXES * sides).all(axis=1)[~is_enclosed].any():
            row = int(np.flatnonzero(~is_enclosed)[0])
            _reject_box(boxes[row], "the copies of its points do not enclose it")
        margin[~is_enclosed] *= 2


def _triangulated(
    session: Session,
    places: np.ndarray,
    sizes: np.ndarray,
    vectors: np.ndarray,
    margins: np.ndarray,
) -> tuple[InBoxes | None, np.ndarray]:
    """Return the tetrahedra, and for each box whether the copies within its margins enclose it.

    If a box is not enclosed, neighbors of its tetrahedra are missing, and None is returned.
    """
    n, k, device = len(places) // len(vectors), len(vectors), session.device
    at_copies, point_of, place_of = _copies_around(session, places, vectors, margins)
    code_of, none = codes_of(point_of, place_of), device.empty((0, 4), np.int32)
    if not n:
        nothing = InBoxes(none, point_of, code_of, place_of, none, np.empty(0, np.int64))
        return nothing, np.ones(k, bool)
    found = triangulation_of(session, at_copies, at(session.upload(sizes), point_of))
    cells, m = found.cells, len(found.cells)
    if found.dimension < 3:
        cells, m = none, 0
    is_chosen, across = device.empty(m, np.uint8), device.empty((m, 4), np.int32)
    is_vertex, is_open = device.zeros(len(places), np.uint8), device.zeros(k, np.uint8)
    volume, volumes = device.zeros(k, np.int64), vectors.diagonal(axis1=1, axis2=2).prod(axis=1)
    session.launch(
        "choose_facets", 4 * m, cells, m, code_of, place_of, len(point_of),
        found.neighbors_of_cells, at_copies, point_of, n, session.upload(volumes), is_chosen,
        across, is_vertex, is_open, volume,
    )  # fmt: skip
    shares = to_host(volume) / 2.0 ** constant("UNITS_OF_VOLUME")
    is_enclosed = (to_host(is_open) == 0) & (np.rint(shares) == 1)
    hidden = np.flatnonzero(to_host(is_vertex) == 0)
    if len(hidden) and m:
        lost = to_host(found.hidden)
        lost = to_host(point_of)[lost[to_host(place_of)[lost] == 0]]
        is_enclosed[hidden[~np.isin(hidden, lost)] // n] = False
    if not is_enclosed.all():
        return None, is_enclosed
    chosen = compact(is_chosen)
    name = shifted(exclusive_scan(is_chosen), dtype=np.int32)
    neighbors = at(name, at(across, chosen).reshape(-1)).reshape(-1, 4)
    kept = InBoxes(at(cells, chosen), point_of, code_of, place_of, neighbors, hidden)
    return kept, is_enclosed


def _copies_around(
    session: Session, places: np.ndarray, vectors: np.ndarray, margins: np.ndarray
) -> tuple[Array, Array, Array]:
    """Return places, points, and parts of the codes of copies, with each box in its own place."""
    n, device = len(places) // len(vectors), session.device
    bricks = math.ceil((margins / vectors.diagonal(axis1=1, axis2=2)).max())
    around = [shifts_around(each, bricks) for each in vectors]
    shifts = np.unique(np.concatenate(around), axis=0)  # ascending by their parts of the code
    given = tuple(map(session.upload, (vectors, margins, shifts.astype(np.float64), places)))
    known = (n, *given[:3], len(shifts), given[3])
    is_near = device.empty(len(places) * len(shifts), np.uint8)
    session.launch("flag_copies", is_near.size, *known, is_near)
    rows = compact(is_near)
    at_copies = device.empty((rows.size, 3), np.float64)
    point_of = device.empty(rows.size, np.int32)
    apart = session.upload(_apart(vectors, margins))
    session.launch("place_copies", rows.size, rows, *known, apart, at_copies, point_of)
    return at_copies, point_of, at(session.upload(shifts @ PLACES), rows % len(shifts))


def _apart(vectors: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Return where to place boxes (k, 3, 3) with their margins: far apart, on a lattice."""
    extents = vectors.diagonal(axis1=1, axis2=2) + 2 * margins
    width = math.ceil(len(vectors) ** (1 / 3))
    ranks = np.arange(len(vectors))
    lattice = np.stack([ranks // width**2, ranks // width % width, ranks % width], axis=1)
    return lattice * np.ceil(APART * extents.max())


def codes_of(points: Array, places: Array) -> Array:
    """Return numbers below n SHIFTS^3 that order n points by index and then by shift @ PLACES."""
    return points.astype(np.int64) * SHIFTS**3 + (places + CENTER)


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
