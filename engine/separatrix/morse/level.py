"""Levels of persistence as callers give them, and progress that two calls share."""

from __future__ import annotations

import numpy as np

from ..device import to_host
from ..device.base import Array
from ..device.session import Progress
from ..options import MorseSmaleOptions
from .field import ScalarField
from .pairing import exact_difference


def checked_level(persistence: float, relative: bool) -> float:
    """The level as a float, a fraction if `relative`. Raises InputError."""
    level = MorseSmaleOptions(persistence=persistence, relative=relative)
    level.check_together()
    return level.persistence


def range_of_values(field: ScalarField, vertices: Array | None = None) -> float:
    """Greatest value less least one, exact in the caller's dtype and rounded once.

    vertices: of these (k,) alone; of none it is 0.
    """
    values = field.plain if vertices is None else field.plain[vertices]
    if not values.size:
        return 0.0
    low, high = (to_host(field.in_callers_dtype(end)) for end in _ends(values))
    return float(exact_difference(low, high)[0])


def _ends(values: Array) -> tuple[Array, Array]:
    """The least and the greatest of numbers (n,), each (1,).

    Of float32 by their bits, since CuPy takes denormals for zeros: as integers positive numbers
    ascend, and negative ones descend.
    """
    if values.dtype != np.float32:
        return values.min().reshape(1), values.max().reshape(1)
    signed, unsigned = values.view(np.int32), values.view(np.uint32)
    low, high = int(unsigned.max()), int(signed.max())
    low = low if low >> 31 else int(unsigned.min())
    high = high if high >= 0 else int(signed.min())
    return np.array([low], np.uint32).view(np.float32), np.array([high], np.int32).view(np.float32)


def part_of(progress: Progress | None, begin: float, end: float) -> Progress | None:
    """Return a callback for one part of a call that reports fractions of the whole."""
    if progress is None or not callable(progress):
        return progress  # what is not callable is refused where it is used
    return lambda fraction, stage: progress(begin + (end - begin) * fraction, stage)
