"""The grid of the image of a density: dimensions, spacing, and origin from the options.

The rules are those of `separatrix.density`, and bounds. VTK needs the grid before the computation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from separatrix.errors import Words
from separatrix_vtk.base.errors import FilterError

MOST_VOXELS = 2**31 - 1
AXES = "xyz"


@dataclass(frozen=True)
class Sampling:
    """The grid of an image by x, y, z; a flat image has one layer."""

    dimensions: tuple[int, ...]
    spacing: tuple[float, ...]
    origin: tuple[float, ...]

    @property
    def extent(self) -> tuple[int, ...]:
        return tuple(end for n in self.dimensions for end in (0, n - 1))

    @property
    def n_voxels(self) -> int:
        return math.prod(self.dimensions)


def finite_bounds(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest coordinates (3,) of positions (n, 3), which must be finite."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    if np.isfinite(low).all() and np.isfinite(high).all():
        return low.astype(np.float64), high.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(positions).all(axis=1))
    place = tuple(positions[bad[0]].astype(float).tolist())
    remedy = "Remove or correct these points."
    raise FilterError("points", "finite", place, remedy, where=f"[{bad[0]}]", count=len(bad))


def chosen_sampling(
    box: tuple[np.ndarray, np.ndarray],
    *,
    dimensions: Sequence[float],
    spacing: float,
    bounds: Sequence[float] | None,
    padding: float,
    flat: bool,
) -> Sampling:
    """The grid for a box of points (low (3,), high (3,)).

    Bounds (xmin, xmax, ymin, ...) replace the padded box. Dimensions or spacing of 0 are derived
    from the other; if both are given, the grid is centered in the box.
    """
    low, high = box[0] - padding, box[1] + padding
    if bounds is not None:
        low, high = _checked_bounds(bounds)
    if flat:
        low[2] = high[2] = box[0][2]
    wanted = _checked_dimensions(dimensions, flat)
    steps = np.full(3, float(spacing))
    if not np.isfinite(steps).all():
        raise FilterError("spacing", "a finite length", spacing)
    if wanted is None:
        counts = np.ceil((high - low) / steps - 1e-9) + 1
    else:
        counts = np.array(wanted, dtype=float)
        if not spacing:
            steps = _steps_over(low, high, counts)
    n_voxels = float(counts.prod())
    if not n_voxels <= MOST_VOXELS:
        size = " x ".join(f"{n:.0f}" for n in counts)
        raise FilterError(
            f"The image would have {size} points; the maximum is {MOST_VOXELS:,} (2^31 - 1). "
            "Increase {spacing}."
        )
    start = low if bounds is not None else (low + high - (counts - 1) * steps) / 2
    return Sampling(tuple(int(n) for n in counts), tuple(steps.tolist()), tuple(start.tolist()))


def _checked_bounds(bounds: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array(bounds, dtype=float)[0::2], np.array(bounds, dtype=float)[1::2]
    for axis, begin, end in zip(AXES, low, high, strict=True):
        if not (math.isfinite(begin) and math.isfinite(end) and begin <= end):
            got = Words(f"{begin:g}, {end:g} for {axis}")
            raise FilterError("bounds", "xmin, xmax, ymin, ..., each pair ascending", got)
    return low, high


def _checked_dimensions(dimensions: Sequence[float], flat: bool) -> tuple[float, ...] | None:
    """Numbers of points along x, y, z, or None if they follow from the spacing."""
    if not any(dimensions):
        return None
    counts = (*dimensions[:2], 1) if flat else tuple(dimensions)
    if min(counts) < 1:
        expected = "positive numbers of points along x, y, and z, or 0 0 0 to use {spacing}"
        raise FilterError("dimensions", expected, Words(" ".join(map(str, dimensions))))
    return counts


def _steps_over(low: np.ndarray, high: np.ndarray, counts: np.ndarray) -> np.ndarray:
    steps = (high - low) / np.maximum(counts - 1, 1)
    for axis in np.flatnonzero((steps <= 0) & (counts > 1)):
        raise FilterError(
            f"The image has no extent along {AXES[axis]} for {counts[axis]:.0f} points. Set "
            f"{{spacing}}, {{padding}}, or the dimension along {AXES[axis]} to 1."
        )
    steps[steps <= 0] = steps.max() if steps.max() > 0 else 1.0
    return steps
