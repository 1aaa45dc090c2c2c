"""Axes of arrays: names and coordinates, as those of xarray and of files, and periods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

NAMES = (
    ("x", "lon", "longitude", "column", "col"),
    ("y", "lat", "latitude", "row"),
    ("z", "lev", "level", "depth", "height", "altitude", "plane"),
)
EVEN = 1e-3  # of a step, by which steps along an axis may differ


class ComparedAxes(tuple[bool, ...]):
    """Periodic axes of a caller that itself reports those with repeated layers."""

    __slots__ = ()


def is_labeled(values: Any) -> bool:
    """Return whether an array names its axes and may have coordinates, as one of xarray."""
    return hasattr(values, "dims") and hasattr(values, "coords")


def spatial_axes(names: Sequence[Any]) -> list[int]:
    """Return the axis in space of each axis of an array: 0 for x, 1 for y, 2 for z.

    Names are x, lon, latitude, ...; unless all are known and differ, the last axis is x.
    """
    known = [
        next((axis for axis, several in enumerate(NAMES) if str(name).lower() in several), -1)
        for name in names
    ]
    is_clear = -1 not in known and len(set(known)) == len(known)
    return known if is_clear else list(range(len(names)))[::-1]


def begin_and_step(numbers: Any) -> tuple[float, float] | None:
    """Return the first of evenly spaced coordinates (n,) and their step; None if they are not."""
    numbers = np.asarray(numbers, np.float64)
    if len(numbers) == 1:
        return float(numbers[0]), 1.0
    steps, mean = np.diff(numbers), (numbers[-1] - numbers[0]) / (len(numbers) - 1)
    is_even = np.isfinite(mean) and mean != 0 and (abs(steps - mean) <= EVEN * abs(mean)).all()
    return (float(numbers[0]), float(mean)) if is_even else None


def coordinates_of(values: Any) -> list[np.ndarray | None]:
    """Return the coordinates of each axis of an array of xarray; None where there are none."""
    found = []
    for name in values.dims:
        numbers = np.asarray(values.coords[name]) if name in values.coords else np.empty(0)
        found.append(numbers if numbers.ndim == 1 and numbers.dtype.kind in "iuf" else None)
    return [None if numbers is None or not numbers.size else numbers for numbers in found]


def repeated_axes(values: Any, periodic: tuple[bool, ...]) -> str:
    """Return the periodic axes, of "xyz", along which the first and the last voxels are equal.

    Layers of (nz, ny, nx), (ny, nx), or (nx,) values are compared until one differs. Ends of one
    value, such as those of a constant field, may be equal by chance and are not returned.
    """
    found = ""
    for axis, name in enumerate("xyz"[: values.ndim]):
        if not periodic[axis]:
            continue
        before = (slice(None),) * (values.ndim - 1 - axis)
        first, last = values[(*before, slice(0, 1))], values[(*before, slice(-1, None))]
        are_equal = all(bool((a == b).all()) for a, b in zip(first, last, strict=True))
        if are_equal and bool((first != first[(0,) * values.ndim]).any()):
            found += name
    return found
