"""Validation of points, values, and lengths: dtypes, shapes, and squares that do not overflow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arguments import as_real
from ..device import Array, as_array
from ..errors import InputError, shown, wrong_dtype, wrong_shape
from ..spatial.points import largest_finite

SHORTEST, LONGEST = 1e-150, 1e150  # lengths whose squares are normal float64 numbers
LENGTHS = {np.dtype("float32"): (1e-18, 1e18), np.dtype("float64"): (SHORTEST, LONGEST)}
"""Range of lengths by dtype, such that sums of their squares are normal numbers."""


def checked_points(data: Any, name: str) -> Array:
    """Return points (n, D) of float32 or float64, which may not be finite. Raises InputError."""
    expected = "an array of shape (n, D)"
    points = as_array(data, name, expected)
    if points.ndim != 2 or points.shape[1] < 1:
        raise wrong_shape(name, expected, points)
    if points.dtype.newbyteorder("=") not in LENGTHS:
        remedy = f"Convert it, for example with {name}.astype('float64')."
        raise wrong_dtype(name, "an array of float32 or float64", points, remedy)
    return points


def checked_values(data: Any, n: int, dtype: np.dtype, of: str, name: str = "values") -> Array:
    """Return values (n,) or (n, d) of the dtype of the points. Raises InputError."""
    expected = f"an array of shape ({n},) or ({n}, d), one row per point of {{{of}}}"
    values = as_array(data, name, expected)
    if values.ndim not in (1, 2) or values.shape[0] != n or 0 in values.shape[1:]:
        raise wrong_shape(name, expected, values)
    if values.dtype.newbyteorder("=") != dtype:
        remedy = f"Convert it, for example with {name}.astype('{dtype}')."
        raise wrong_dtype(name, f"an array of {dtype}, the dtype of the points", values, remedy)
    return values


def checked_variables(data: Any, n: int, dtype: np.dtype, of: str) -> dict[str, Array]:
    """Return variables of points by name, (n, d) of the dtype of the points. Raises InputError."""
    if data is not None and not isinstance(data, Mapping):
        raise InputError(f"of_{of}", "a dict of names to arrays, or None", shown(data))
    given = (data or {}).items()
    return {name: as_columns(checked_values(each, n, dtype, of, name)) for name, each in given}


def as_columns(array: Array) -> Array:
    """Return numbers (n,) or (n, d) as (n, d), also for n = 0."""
    return array[:, None] if array.ndim == 1 else array


def checked_finite(array: Array, name: str) -> Array:
    """Return an array on the device without NaN and infinity. Raises InputError."""
    largest_finite(array, name)
    return array


def positive(value: Any, name: str) -> float:
    """Return a positive length, whose square is a normal number. Raises InputError."""
    length = as_real(value)
    if not length > 0 or (math.isinf(length) and not isinstance(value, int)):
        raise InputError(name, "a positive finite number", value)
    if not SHORTEST <= length <= LONGEST:
        expected = f"from {SHORTEST:g} to {LONGEST:g}, because float64 must represent its square"
        raise InputError(name, expected, value, "Choose another unit of length.")
    return length


def check_length(value: float, name: str, dtype: np.dtype) -> None:
    """Reject a finite nonzero length whose square leaves the range of a dtype."""
    low, high = LENGTHS[dtype]
    if value and math.isfinite(value) and not low <= value <= high:
        expected = f"from {low:g} to {high:g}, because {dtype} must represent its square"
        raise InputError(name, expected, value, other_unit(dtype))


def checked_coordinates(points: Array, name: str, dtype: np.dtype) -> Array:
    """Return finite points on the device whose squared distances are in the range. O(n)."""
    check_length(largest_finite(points, name), f"the largest coordinate of {name}", dtype)
    return points


def other_unit(dtype: np.dtype) -> str:
    """Return the remedy for numbers that leave the range of a dtype."""
    return (
        f"Choose another unit of length{'' if dtype.name == 'float64' else ' or float64 points'}."
    )
