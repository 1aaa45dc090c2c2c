"""Points in a periodic box: their positions within it, and their images around it.

A box is from 0 to its length along each axis; an infinite length is an axis that is not periodic.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arguments import as_real
from ..device import Array, Session
from ..errors import InputError, Words
from .points import LARGEST, Points, bounded_points

MOST_IMAGES = 64  # of a box on each side along an axis


def checked_box(boxsize: Any, d: int) -> np.ndarray | None:
    """Return the lengths (d,) of a box, or None if no axis is periodic. Raises InputError."""
    if boxsize is None:
        return None
    given = [boxsize] * d if not np.iterable(boxsize) else list(boxsize)
    lengths = np.array([as_real(length) for length in given])
    if isinstance(boxsize, str) or len(lengths) != d or not (lengths >= 0).all():
        expected = f"a length, or {d} lengths by axis, 0 for an axis that is not periodic"
        raise InputError("boxsize", expected, boxsize)
    lengths = np.where((lengths == 0) | (lengths > LARGEST), np.inf, lengths)
    return lengths if np.isfinite(lengths).any() else None


def as_lengths(box: np.ndarray | None) -> tuple[float, ...] | None:
    """Return the lengths of a box as callers give them, 0 for an axis that is not periodic."""
    return None if box is None else tuple(np.where(np.isinf(box), 0.0, box).tolist())


def check_half_box(radius: float, box: np.ndarray) -> None:
    """Require a radius within which there is one image of a point at most."""
    if not radius < box.min() / 2:
        got = Words(f"{radius:g} for a boxsize of {box.min():g}")
        raise InputError("radius", "less than half of {boxsize}", got)


def wrapped(session: Session, values: Array, box: np.ndarray) -> Array:
    """Return float64 points (n, d) moved into the box along its periodic axes."""
    xp, moved = session.device.xp, values.copy()
    for axis in np.flatnonzero(np.isfinite(box)).tolist():
        column = values[:, axis] - box[axis] * xp.floor(values[:, axis] / box[axis])
        moved[:, axis] = xp.where((column >= 0) & (column < box[axis]), column, 0)
    return moved


def moved_into(session: Session, points: Points, box: np.ndarray) -> Points:
    """Return points in the box."""
    return bounded_points(session, wrapped(session, points.values, box), "points")


def images(
    session: Session, values: Array, box: np.ndarray, low: Any, high: Any, reach: Any
) -> tuple[Array, Array, Array]:
    """Return all images of points in the box that are within `reach` of a region, along each axis.

    low, high (d,) of the region; `reach`: a length, or one per point (n,), at most half a box then.
    Returns the point of each image, its position, and whether it is outside the box.
    """
    xp, n = session.device.xp, len(values)
    owner, at, is_moved = xp.arange(n), values, xp.zeros(n, bool)
    is_each = getattr(reach, "ndim", 0) > 0
    for axis in np.flatnonzero(np.isfinite(box)).tolist():
        length = float(box[axis])
        first, last = -1, 1
        if not is_each:
            first = math.floor((float(low[axis]) - reach) / length)
            last = math.floor((float(high[axis]) + reach) / length)
            if last - first > 2 * MOST_IMAGES:
                raise InputError(
                    f"The kernels of {last - first:,} images of the {{boxsize}} {length:g} reach "
                    f"the region; the maximum is {2 * MOST_IMAGES}. Lower the cutoff."
                )
        parts = []
        for shift in range(first, last + 1):
            column, room = at[:, axis] + shift * length, reach[owner] if is_each else reach
            near = xp.flatnonzero((column >= low[axis] - room) & (column <= high[axis] + room))
            moved = at[near]
            moved[:, axis] = column[near]
            parts.append((owner[near], moved, is_moved[near] | (shift != 0)))
        owner, at, is_moved = (xp.concatenate(part) for part in zip(*parts, strict=True))
    return owner, xp.ascontiguousarray(at), is_moved


def squared_in_box(
    session: Session, x: Array, y: Array, rows: Array, items: Array, box: np.ndarray
) -> Array:
    """Return the squared distances of pairs of points in the box, each to the nearest image."""
    xp = session.device.xp
    total = xp.zeros(rows.size)
    for axis in range(x.shape[1]):
        along = x[rows, axis] - y[items, axis]
        if np.isfinite(length := float(box[axis])):
            along = along - length * (along > length / 2) + length * (along < -length / 2)
        total += along * along
    return total
