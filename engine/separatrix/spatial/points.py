"""Points of the caller's: the public edge where they are checked and brought to the device.

Coordinates stay as they came, float32 or float64; whole numbers become float64. What is decided
about them (cells, neighbors, order by distance) is decided in float64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..device import Session, to_host
from ..device.arrays import array_module, as_array, current_for, may_share_memory
from ..device.base import Array
from ..errors import InputError
from ..kernels import source
from ..lazy import cached_property
from ..primitives import converted

SAMPLE = 1 << 16
MOST_POINTS = 2**31 - 1 - 64  # sorted positions are int32, and lanes are read past the last


@dataclass(frozen=True)
class Points:
    """Checked points on the device.

    ``given`` (n, d) float32 or float64, ``values`` the same as float64, ``low`` and ``high`` (d,)
    their bounds, NaN if there are no points.
    """

    given: Array
    values: Array
    low: np.ndarray
    high: np.ndarray

    @cached_property
    def sample(self) -> Array:
        """Some of the values, every k-th point of them."""
        return array_module(self.values).ascontiguousarray(
            self.values[:: -(-self.n // SAMPLE) or 1]
        )

    @cached_property
    def middle(self) -> np.ndarray:
        """Median of each coordinate (d,), of a sample."""
        return to_host(array_module(self.values).median(self.sample, axis=0))

    @property
    def n(self) -> int:
        """How many points."""
        return int(self.given.shape[0])

    @property
    def d(self) -> int:
        """How many coordinates each."""
        return int(self.given.shape[1])


def as_points(x: Any, name: str) -> Array:
    """The array of (n, d) numbers, n and d unchecked against anything else. Raises InputError."""
    array = as_array(x, name)
    if array.ndim != 2 or array.shape[1] < 1:
        raise InputError(
            f"{name} must be an array (n, d) of n points with d coordinates, got shape "
            f"{tuple(array.shape)}; a single axis is {name}.reshape(-1, 1)"
        )
    if array.shape[0] > MOST_POINTS:
        raise InputError(f"{name} has {array.shape[0]:,} points; at most {MOST_POINTS:,} can be")
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "fiu" or (kind == "f" and size > 8):
        raise InputError(
            f"{name} must be real numbers, float32 or float64, got dtype {array.dtype}; convert "
            f"them, for example with {name}.astype('float64')"
        )
    if kind == "f" and size >= 4:
        return array
    with current_for(array):
        return array.astype(np.float32 if kind == "f" else np.float64)


def bounded_points(session: Session, x: Any, name: str) -> Points:
    """Points on the device of `session`, all coordinates finite. O(n). Raises InputError."""
    given = session.upload(as_points(x, name))
    values = converted(session.device, given, np.float64)
    n, d = given.shape
    if n == 0:
        return Points(given, values, np.full(d, np.nan), np.full(d, np.nan))
    device, xp = session.device, session.device.xp
    n_runs = -(-n // source.constant("POINT_RUN"))
    low, high = device.empty((n_runs, d), np.float64), device.empty((n_runs, d), np.float64)
    bad, first = device.empty(n_runs, np.int32), device.empty(n_runs, np.int64)
    device.launch("bound_points", n_runs, values, n, d, low, high, bad, first)
    ends = [low.min(axis=0), high.max(axis=0), bad.sum()[None], first.min()[None]]
    # One transfer for all: counts below 2^53 are themselves in float64.
    found = to_host(xp.concatenate([part.astype(np.float64) for part in ends]))
    if found[2 * d]:
        _refuse(given, name, int(found[2 * d + 1]), int(found[2 * d]))
    return Points(given, values, found[:d], found[d : 2 * d])


def own_points(points: Points, given: Array) -> Points:
    """The points, with values in memory that the caller, who gave them, does not write to."""
    if not may_share_memory(points.values, given):
        return points
    values = points.values.copy()
    return replace(points, given=values, values=values)


def _refuse(array: Array, name: str, row: int, n_bad: int) -> None:
    shown = ", ".join(f"{v:g}" for v in to_host(array[row : row + 1])[0, :4].tolist())
    raise InputError(
        f"{name} must be finite and below 1e150 in size: {name}[{row}] is ({shown}) "
        f"({n_bad:,} such point{'s' * (n_bad != 1)}); drop or mend those points"
    )


def checked_dimension(points: Points, others: Points | None, most: int | None = None) -> None:
    """See that two sets of points have as many coordinates, and at most `most`."""
    if others is not None and others.d != points.d:
        raise InputError(
            f"x and y must have as many coordinates: x is {tuple(points.given.shape)}, "
            f"y is {tuple(others.given.shape)}"
        )
    if most is not None and points.d > most:
        raise InputError(
            f"points must have 1 to {most} coordinates here, got {points.d}; use fewer columns, "
            "or BlockPattern.from_boxes or from_mask with clusters of your own"
        )


def checked_radius(radius: Any, name: str = "radius", smallest: str = "at least 0") -> float:
    """The radius as a float: a number, not NaN, not negative. Infinity covers everything."""
    is_number = isinstance(radius, (int, float, np.integer, np.floating)) and not isinstance(
        radius, bool
    )
    if not is_number or not (radius > 0 if smallest == "positive" else radius >= 0):
        raise InputError(f"{name} must be a number, {smallest}, got {radius!r}")
    try:
        return float(radius)
    except OverflowError:  # a whole number beyond 1e308
        return math.inf


def require_sorted(session: Session, d: int, *counts: int) -> None:
    """Refuse sets of points whose copies and sorted coordinates do not fit on a GPU."""
    a_point = 8 * (d + max(d, 3)) + 24  # as float64 twice; a key, it once more, an order
    session.memory.require(a_point * sum(counts), f"sorting {sum(counts):,} points by cells")
