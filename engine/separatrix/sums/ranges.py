"""Lengths whose squares a floating-point type can hold: others are refused, not rounded to 0."""

from __future__ import annotations

import math

import numpy as np

from ..device.base import Array
from ..errors import InputError
from .formulas import LONGEST, SHORTEST, Chosen

LENGTHS = {"float32": (1e-18, 1e18), "float64": (SHORTEST, LONGEST)}
"""Least and greatest, by dtype: sums of their squares are normal numbers."""


def check_length(value: float, name: str, dtype: np.dtype) -> None:
    """Refuse a finite length that is not 0 and whose square leaves the dtype. Raises InputError."""
    low, high = LENGTHS[dtype.name]
    if value and math.isfinite(value) and not low <= value <= high:
        raise InputError(
            f"{name} must be {low:g} to {high:g} for its square to be in the range of {dtype}, "
            f"got {value:g}; choose another unit of length{_or_float64(dtype)}"
        )


def check_coordinates(points: Array, name: str, dtype: np.dtype) -> None:
    """Refuse finite points on the device whose squared distances leave the dtype. O(n)."""
    if points.size:
        largest = largest_size(points)
        check_length(largest, f"the largest coordinate of {name}", dtype)


def largest_size(numbers: Array) -> float:
    """The greatest size; of float32 by the bits, since CuPy takes denormals for zeros."""
    if numbers.dtype != np.float32:
        return float(abs(numbers).max())
    bits = int((numbers.view(np.uint32) & 0x7FFFFFFF).max())
    return float(np.uint32(bits).view(np.float32))


def check_parameters(chosen: Chosen, dtype: np.dtype) -> None:
    """Refuse parameters that the dtype can't hold. Raises InputError."""
    limits = np.finfo(dtype)
    for q, value in enumerate(chosen.p):
        may_vanish = chosen.name == "shifted_gaussian" and q == 2  # the value at a far cutoff
        is_small = 0 < abs(value) < float(limits.tiny) and not may_vanish
        if is_small or abs(value) > float(limits.max):
            raise InputError(
                f"the formula {chosen.name or chosen.expression!r} would read p[{q}] = {value:g}, "
                f"out of the range of {dtype}; choose another unit of length{_or_float64(dtype)}"
            )


def _or_float64(dtype: np.dtype) -> str:
    return "" if dtype.name == "float64" else ", or float64 points"
