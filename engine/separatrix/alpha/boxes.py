"""Periodic boxes of any shape: their vectors, the points within, and their copies around.

The first vector is along x and the second in the plane of x and y, as in CRYST1 records, so that
the lattice also repeats the brick whose sides are the diagonal of the vectors. Points are moved
into this brick, and vectors are shortened, along z, y, and x, exactly in whole steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from ..arguments import as_real
from ..errors import InputError, Words
from ..kernels.source import constant

BITS = 50  # of the vectors; copies within one brick around need three more
PLACE_BITS = constant("PLACE_BITS")
COPIED = 2
"""Largest coordinates of copies of points in a periodic box, in its longest sides."""


@dataclass(frozen=True, eq=False)
class Box:
    """A periodic box on a grid with this step, a length."""

    given: np.ndarray  # (3, 3) float64, the vectors as rows, lengths
    step: float
    vectors: np.ndarray  # (3, 3) float64, shortened vectors of the lattice, whole steps
    multiples: np.ndarray  # (3, 3) int64, the multiples of the given vectors in each of these

    def enter(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return points, lengths, as whole steps in the brick, and the subtracted multiples."""
        places, moved = wrapped(places, self.multiples @ self.given)
        places, rounded = wrapped(np.rint(places / self.step), self.vectors)
        return places, moved + rounded

    def given_shifts(
        self,
        rows: np.ndarray,
        shifts: np.ndarray,
        entered: np.ndarray,
        origin: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return shifts (m, k, 3) int32 by the given vectors from the positions of the input.

        They are relative to those of the first vertices of the simplices `rows` (m, k), or of
        the simplices `origin` (m,).
        """
        shifts = (shifts - entered[rows]) @ self.multiples
        from_first = shifts[:, :1] if origin is None else shifts[origin, :1]
        return (shifts - from_first).astype(np.int32)


def box_of(box: Any, step: float, most: float) -> Box:
    """Return a box of at most this number of steps. Raises InputError."""
    given = checked_vectors(box)
    steps = np.rint(given / step)
    if not 1 <= steps.diagonal().min() <= abs(steps).max() <= most:
        raise InputError("box", f"1 to {most:,.0f} steps of {{resolution}} along each axis", box)
    return Box(given, step, *shortened(steps))


def checked_vectors(box: Any, frame: int | None = None) -> np.ndarray:
    """Return the vectors of a box as rows of a lower triangular matrix.

    Raises InputError, which names the `frame` if `box` contains a box for each.
    """
    try:
        given = np.array(box, dtype=object) if np.iterable(box) else np.empty(0)
    except ValueError:  # rows of different lengths
        given = np.empty(0)
    before = () if frame is None else (frame,)
    if given.shape == (1, 6) and frame is None:  # an array of VTK
        given, before = given[0], (0,)
    if given.shape not in ((3,), (6,), (3, 3)):
        got = Words(f"shape {given.shape}") if given.ndim and given.size else box
        expected = "three lengths, three lengths and three angles, or three vectors"
        raise InputError("box", expected, got)
    values = np.array([as_real(value) for value in given.flat]).reshape(given.shape)

    def check(is_good: Any, expected: str, remedy: str = "") -> None:
        bad = np.argwhere(~np.asarray(is_good))
        if len(bad):
            index = tuple(bad[0].tolist())
            where = f"[{', '.join(map(str, (*before, *index)))}]"
            raise InputError("box", expected, given[index], remedy, where=where)

    check(np.isfinite(values), "finite numbers")
    if values.ndim == 2:
        along = "The first vector must be along x, and the second in the plane of x and y."
        check(np.tril(values) == values, "vectors with zeros above the diagonal", along)
        check((values > 0) | ~np.eye(3, dtype=bool), "vectors with a positive diagonal", along)
        return values
    lengths, angles = values[:3], values[3:]
    check(lengths > 0, "three positive lengths" + ", before three angles" * bool(angles.size))
    if not angles.size:
        return np.diag(lengths)
    degrees = "angles of more than 0 and less than 180 degrees, after three lengths"
    check([True] * 3 + [0 < angle < 180 for angle in angles], degrees)
    vectors = _vectors_of_angles(values.tolist())
    are_solid = 2 * max(angles) < sum(angles) < 360  # of the corner of a box
    if not (are_solid and (vectors.diagonal() > 0).all()):
        where = f"[{frame}]" if frame is not None else ""
        remedy = (
            "Each angle must be less than the sum of the other two, and their sum less than 360."
        )
        raise InputError("box", "a box with a volume", values.tolist(), remedy, where=where)
    return vectors


def _vectors_of_angles(values: list[float]) -> np.ndarray:
    """Return the vectors with lengths a, b, c and angles between b and c, a and c, a and b."""
    a, b, c, *angles = values
    alpha, beta, gamma = (0.0 if v == 90 else math.cos(math.radians(v)) for v in angles)
    sine = math.sqrt(1 - gamma**2)
    along_y = (alpha - beta * gamma) / sine if sine else 0.0
    height = c * math.sqrt(max(0.0, 1 - beta**2 - along_y**2))
    return np.array([[a, 0, 0], [b * gamma, b * sine, 0], [c * beta, c * along_y, height]])


def shortened(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return shorter vectors of the lattice, at most half a brick aside, and their multiples."""
    multiples = np.eye(3)
    vectors = vectors.copy()
    for row, axis in ((1, 0), (2, 1), (2, 0)):
        times = np.rint(vectors[row, axis] / vectors[axis, axis])
        vectors[row] -= times * vectors[axis]
        multiples[row] -= times * multiples[axis]
    return vectors, multiples.astype(np.int64)


def wrapped(places: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return points moved into the brick, and how many of each vector were subtracted."""
    times = np.zeros_like(places)
    places = places.copy()
    for axis in (2, 1, 0):
        times[:, axis] = np.floor(places[:, axis] / vectors[axis, axis])
        places -= times[:, axis, None] * vectors[axis]
    return places, times.astype(np.int64)


def shifts_around(vectors: np.ndarray, n_bricks: int) -> np.ndarray:
    """Return the multiples (k, 3) of shortened vectors that reach n bricks around, or more."""
    aside = abs(vectors) / vectors.diagonal()
    most_y = n_bricks + math.ceil(n_bricks * aside[2, 1])
    most_x = n_bricks + math.ceil(n_bricks * aside[2, 0] + most_y * aside[1, 0])
    return np.array(list(product(*(range(-m, m + 1) for m in (most_x, most_y, n_bricks)))))


def packed(shifts: np.ndarray) -> np.ndarray:
    """Return shifts (..., 3) as one int64 each, which sums preserve; alpha/placed_sets.h."""
    x, y, z = np.moveaxis(shifts.astype(np.int64), -1, 0)
    return np.ascontiguousarray((((x << PLACE_BITS) + y) << PLACE_BITS) + z)


def unpacked(places: np.ndarray) -> np.ndarray:
    """Return the shifts (..., 3) int64 of packed ones."""
    digits = []
    for _ in range(2):
        last = places << (64 - PLACE_BITS) >> (64 - PLACE_BITS)
        digits.append(last)
        places = (places - last) >> PLACE_BITS
    return np.stack([places, *digits[::-1]], axis=-1)
