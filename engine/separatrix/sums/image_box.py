"""Image around points: dimensions, spacing, and origin, as far as the caller specifies them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from ..arguments import as_real
from ..device import Array
from ..errors import InputError
from ..primitives import columns_of
from .checks import LONGEST, positive

MAX_VOXELS = 2**31 - 1


@dataclass(frozen=True)
class Box:
    """Grid of an image in x, y, z order, with voxels at its points."""

    dimensions: tuple[int, int, int]
    spacing: tuple[float, float, float]
    origin: tuple[float, float, float]

    @property
    def n_voxels(self) -> int:
        return math.prod(self.dimensions)


def image_box(
    points: Array,
    dimensions: Sequence[int] | None,
    spacing: float | Sequence[float] | None,
    origin: Sequence[float] | None,
    padding: float,
    fine: float,
    source: str = "",
    period: Any = None,
) -> Box:
    """Return the grid of an image around points, as :func:`separatrix.density` lays it.

    Parameters
    ----------
    points
        Array (n, 3), or (n, 2) for an image of one layer.
    dimensions, spacing, origin
        By x, y, z; what is None follows from the bounding box of the points.
    padding
        Length around that box.
    fine
        Spacing if neither dimensions nor spacing are given.
    source
        The parameter that `fine` follows from, for errors.
    period
        Lengths of a periodic box, infinite along other axes. Along a periodic axis, the spacing
        becomes the next one that divides the length, and the image has no face at the end.

    Raises
    ------
    InputError
        If a parameter is invalid, or the image would have more than 2^31 - 1 voxels.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> sx.DensityImage.box(np.eye(3), None, None, None, 1.0, 0.5).dimensions
    (7, 7, 7)
    """
    n, n_axes = points.shape
    if not 0 <= as_real(padding) <= LONGEST:
        raise InputError("padding", f"a length from 0 to {LONGEST:g}", padding)
    padding = float(padding)
    wanted = None if dimensions is None else _checked_dimensions(dimensions, n_axes)
    steps = None if spacing is None else _checked_spacing(spacing, n_axes)
    start = None if origin is None else _checked_origin(origin, n_axes)
    if not n and (wanted is None or steps is None):
        raise InputError("Without points, {dimensions} and {spacing} must both be given.")
    low, high = _bounds(points, padding)
    if steps is None:
        begin = low if start is None else start
        extent = [h - b for h, b in zip(high, begin, strict=True)]
        if wanted is None:
            steps = [fine] * n_axes
        else:
            if any(e <= 0 and k > 1 for e, k in zip(extent, wanted, strict=True)):
                raise InputError(
                    "The image has no extent along an axis of several points. Set {spacing} or "
                    "{padding}, or a dimension of 1."
                )
            steps = [e / max(k - 1, 1) for e, k in zip(extent, wanted, strict=True)]
            steps = [step if step > 0 else max(*steps, 0.0) or 1.0 for step in steps]
    if wanted is None:
        begin = low if start is None else start
        spans = zip(high, begin, steps, strict=True)
        wanted = [max(1, math.ceil((h - b) / s - 1e-9) + 1) for h, b, s in spans]
    if start is None:  # centers the image on the points
        boxes = zip(low, high, wanted, steps, strict=True)
        start = [(a + b - (k - 1) * s) / 2 for a, b, k, s in boxes]
    for axis, length in enumerate(period if period is not None else ()):
        if math.isfinite(length):
            if dimensions is None or spacing is None:
                if dimensions is None:
                    wanted[axis] = max(1, math.ceil(length / steps[axis] - 1e-9))
                steps[axis] = float(length) / wanted[axis]
            if origin is None:
                start[axis] = 0.0
    box = Box(_three(wanted, 1), _three(steps, steps[0]), _three(start, 0.0))
    if box.n_voxels > MAX_VOXELS:
        raise _too_many(box, dimensions is not None, "" if spacing is not None else source)
    return box


def _too_many(box: Box, are_given: bool, source: str) -> InputError:
    """Return the error for the dimensions, if given, the parameter `source`, or the spacing."""
    number = "more than 10^15"
    if box.n_voxels <= 10**15:
        number = f"{box.n_voxels:,} ({'x'.join(map(str, box.dimensions))})"
    remedy = "Increase {spacing}."
    if are_given:
        remedy = "Lower {dimensions}."
    elif source:
        remedy = f"Increase {{{source}}}, from which the spacing follows, or give {{spacing}}."
    return InputError(
        message=f"The number of voxels is {number}; the maximum is {MAX_VOXELS:,} (2^31 - 1).",
        remedy=remedy,
    )


def _bounds(points: Array, padding: float) -> tuple[list[float], list[float]]:
    if not len(points):
        return [0.0] * points.shape[1], [0.0] * points.shape[1]
    axes = columns_of(points)
    low, high = axes.min(axis=1).tolist(), axes.max(axis=1).tolist()
    return [v - padding for v in low], [v + padding for v in high]


def _three(given: Sequence[Any], default: Any) -> tuple[Any, Any, Any]:
    x, y, z = (*given, default)[:3]
    return (x, y, z)


def _numbers(given: Any, n_axes: int) -> list[float]:
    """Return one number per axis, or an empty list."""
    try:
        found = [float(v) for v in given]
    except (TypeError, ValueError, OverflowError):
        return []
    return found if len(found) == n_axes else []


def _checked_dimensions(given: Any, n_axes: int) -> list[int]:
    found = _numbers(given, n_axes)
    if not found or any(n < 1 or n % 1 for n in found):
        raise InputError("dimensions", f"{n_axes} positive integers in x, y, z order", given)
    return [int(n) for n in found]


def _checked_spacing(given: Any, n_axes: int) -> list[float]:
    if isinstance(given, Real | str):
        return [positive(given, "spacing")] * n_axes
    found = _numbers(given, n_axes)
    if not found:
        expected = f"one positive number, or {n_axes} in x, y, z order"
        raise InputError("spacing", expected, given)
    return [positive(step, "spacing") for step in found]


def _checked_origin(given: Any, n_axes: int) -> list[float]:
    found = _numbers(given, n_axes)
    if not found or not all(abs(v) <= LONGEST for v in found):
        expected = f"{n_axes} finite numbers up to {LONGEST:g} in magnitude, in x, y, z order"
        raise InputError("origin", expected, given)
    return found
