"""Points of the caller, validated and uploaded.

Coordinates stay float32 or float64; integers become float64. All decisions about points (cells,
neighbors, order by distance) are made in float64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import as_real
from ..device import Array, Session, array_module, as_array, current_for, may_share_memory, to_host
from ..errors import InputError, Words, wrong_dtype, wrong_shape
from ..kernels import source
from ..lazy import cached_property
from ..primitives import converted, largest_size

SAMPLE = 1 << 16
MOST_POINTS = 2**31 - 1 - 64  # sorted positions are int32, and lanes beyond the last are read
LARGEST = 1e150  # exclusive, of coordinates: squares are finite


@dataclass(frozen=True)
class Points:
    """Validated points on the device."""

    given: Array  # (n, d) float32 or float64
    values: Array  # as float64
    low: np.ndarray  # (d,) bounds, NaN if there are no points
    high: np.ndarray

    @cached_property
    def sample(self) -> Array:
        """Return every k-th point."""
        return array_module(self.values).ascontiguousarray(
            self.values[:: -(-self.n // SAMPLE) or 1]
        )

    @cached_property
    def middle(self) -> np.ndarray:
        """Return the median of each coordinate (d,) of the sample."""
        return to_host(array_module(self.values).median(self.sample, axis=0))

    @property
    def n(self) -> int:
        return int(self.given.shape[0])

    @property
    def d(self) -> int:
        return int(self.given.shape[1])


def as_points(x: Any, name: str) -> Array:
    """Return points as an array (n, d) of float32 or float64. Raises InputError."""
    expected = "an array of shape (n, d)"
    array = as_array(x, name, expected)
    if array.ndim != 2 or array.shape[1] < 1:
        remedy = f"For points on an axis, use {name}.reshape(-1, 1)."
        raise wrong_shape(name, expected, array, remedy if array.ndim == 1 else "")
    if array.shape[0] > MOST_POINTS:
        raise InputError(name, f"at most {MOST_POINTS:,} points", array.shape[0])
    kind, size = array.dtype.kind, array.dtype.itemsize
    if kind not in "fiu" or (kind == "f" and size > 8):
        remedy = f"Convert it, for example with {name}.astype('float64')."
        raise wrong_dtype(name, "an array of real numbers up to float64", array, remedy)
    if kind == "f" and size >= 4:
        return array
    with current_for(array):
        return array.astype(np.float32 if kind == "f" else np.float64)


def bounded_points(session: Session, x: Any, name: str) -> Points:
    """Return finite points on the device of `session`. O(n). Raises InputError."""
    given = session.upload(as_points(x, name))
    values = converted(session.device, given, np.float64)
    n, d = given.shape
    if n == 0:
        return Points(given, values, np.full(d, np.nan), np.full(d, np.nan))
    device, run = session.device, source.constant("POINT_RUN")
    n_runs = -(-n // run)
    bounds = device.empty((n_runs, 2 * d + 2), np.float64)
    device.launch("bound_points", n_runs, values, n, d, bounds)
    if n_runs > run:
        joined = device.empty((-(-n_runs // run), 2 * d + 2), np.float64)
        device.launch("join_bounds", len(joined), bounds, n_runs, d, joined)
        bounds = joined
    bounds = to_host(bounds)
    low, high = bounds[:, :d].min(axis=0), bounds[:, d : 2 * d].max(axis=0)
    if n_bad := int(bounds[:, 2 * d].sum()):
        row = int(bounds[:, 2 * d + 1].min())
        shown = ", ".join(f"{v:g}" for v in to_host(given[row : row + 1])[0, :4].tolist())
        raise InputError(
            *(name, f"finite and smaller than {LARGEST:g} in magnitude", Words(f"({shown})")),
            *("Remove or correct these points.",),
            where=f"[{row}]",
            count=n_bad,
        )
    return Points(given, values, low, high)


def own_points(points: Points, given: Array) -> Points:
    """Return the points, with a copy of the values if they share the memory of the caller."""
    if not may_share_memory(points.values, given):
        return points
    values = points.values.copy()
    return replace(points, given=values, values=values)


def bounded_pair(session: Session, x: Any, y: Any | None) -> tuple[Points, Points]:
    """Return two sets of points of the same dimension; the same set if `y` is None."""
    points = bounded_points(session, x, "x")
    others = points if y is None else bounded_points(session, y, "y")
    if others.d != points.d:
        raise wrong_shape("y", f"an array of shape (n, {points.d}), like {{x}}", others.given)
    return points, others


def require_dimension(points: Points, most: int) -> None:
    """Require points of at most `most` coordinates."""
    if points.d > most:
        raise InputError(
            *("points", f"an array of shape (n, d) with d from 1 to {most}"),
            Words(f"shape {tuple(points.given.shape)}"),
            "Use fewer columns, or BlockPattern.from_boxes or from_mask with other clusters.",
        )


def checked_radius(radius: Any, name: str = "radius", *, is_positive: bool = False) -> float:
    """Return a length as a float, which may be infinite. Raises InputError."""
    length = as_real(radius)
    if math.isnan(length) or length < 0 or (is_positive and length == 0):
        raise InputError(name, f"a {'positive' if is_positive else 'non-negative'} number", radius)
    return length


def require_one_set(y: Any, include_self: bool, pairs: bool = False) -> None:
    """Require that `y` is omitted for options of the neighbors within one set of points."""
    if y is not None and (pairs or not include_self):
        setting = "{pairs=True}" if pairs else "{include_self=False}"
        remedy = "Omit {y} or this option."
        raise InputError("y", f"None if {setting}", Words(type(y).__name__), remedy)


def require_sorted(session: Session, *sets: Array | None) -> None:
    """Require GPU memory for copies and sorted coordinates of sets of points, if given."""
    shapes = [points.shape for points in sets if points is not None]
    n, d = sum(shape[0] for shape in shapes), shapes[0][1]
    point_bytes = 8 * (d + max(d, 3)) + 24  # float64 twice; two keys and an order
    session.memory.require(point_bytes * n, f"sorting {n:,} points by cells")


def checked_weights(data: Any, n: int, name: str = "weights") -> Array:
    """Return numbers (n,) of any real dtype up to float64. Raises InputError."""
    expected = f"an array of shape ({n},), one number per point"
    weights = as_array(data, name, expected)
    if weights.shape != (n,):
        raise wrong_shape(name, expected, weights)
    if weights.dtype.kind not in "fiu" or weights.dtype.itemsize > 8:
        remedy = f"Convert them, for example with {name}.astype('float64')."
        raise wrong_dtype(name, "an array of real numbers up to float64", weights, remedy)
    return weights


def largest_finite(array: Array, name: str) -> float:
    """Return the largest magnitude, 0 for no numbers. Raises InputError for NaN and infinity."""
    largest = largest_size(array)
    if math.isfinite(largest):
        return largest
    finite = array_module(array).isfinite(array)
    first = int(finite.ravel().argmin())
    index = ", ".join(str(int(k)) for k in np.unravel_index(first, array.shape))
    raise InputError(
        *(name, "finite", float(array.ravel()[first]), "Remove or correct these points."),
        where=f"[{index}]",
        count=int(finite.size - finite.sum()),
    )
