"""Balls on the fixed-point grid: what the caller gave, checked and snapped once.

Coordinates and radii become whole multiples of the resolution, alpha one of its square, each
rounded to the nearest and ties to even; the probe is added to the radii before. From there on every
sign is exact. With D twice the largest grown radius in steps of the grid, 128 bits hold all signs
for D <= MAX_REACH.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import as_real
from ..device.arrays import as_array, to_host
from ..device.base import Array
from ..device.session import Session
from ..errors import InputError
from ..kernels.source import constant
from ..primitives import uploaded_reals

MAX_REACH = constant("MAX_REACH")
MAX_COORDINATE = constant("MAX_COORDINATE")
MOST_ALPHA = 1 << 52
RESOLUTIONS = (1e-100, 1e100)
COARSEST = 0.1
"""A step as a part of the smallest radius: coarser ones are not recommended."""
EXACT_REACH = 1 << 13
"""Below this D expressions of degree 4 have no rounding error."""


@dataclass(frozen=True)
class Scale:
    """The fixed-point grid: ``resolution`` is its step in the caller's unit of length."""

    resolution: float

    @property
    def steps(self) -> float:
        """Steps in a unit of length: a whole number wherever it is one but for rounding."""
        steps = 1.0 / self.resolution
        return float(round(steps)) if abs(steps - round(steps)) < 1e-9 * steps else steps

    @property
    def squared_unit(self) -> tuple[float, float]:
        """Factor and divisor from squared steps to squared lengths; see alpha/sizes.h."""
        steps = self.steps
        return (1.0, steps * steps) if steps == round(steps) else (self.resolution**2, 1.0)

    def snapped(self, alpha: float) -> int:
        """Alpha in whole squared steps, between -MOST_ALPHA and MOST_ALPHA."""
        factor, divisor = self.squared_unit
        return round(min(max(alpha * divisor / factor, -MOST_ALPHA), MOST_ALPHA))

    def squared_length(self, whole: int) -> float:
        """Whole squared steps as a squared length."""
        factor, divisor = self.squared_unit
        return whole * factor / divisor


@dataclass(frozen=True)
class Balls:
    """Balls on the grid, on the device.

    ``items`` (n, 4) int32: x, y, z in steps of the grid and the squared grown radius R^2 = r^2 +
    alpha, -1 where that is negative. ``lowest`` and ``highest``: their box; ``largest``: R^2 of the
    largest, -1 if none is left; ``n_left``: balls with R^2 >= 0. ``summary``: see
    kernels/alpha/snapping.h.
    """

    items: Array
    scale: Scale
    alpha: int
    lowest: tuple[int, int, int]
    highest: tuple[int, int, int]
    largest: int
    n_left: int
    summary: Array

    def rows(self, first: int, end: int) -> Balls:
        """Some of the balls, in the same box."""
        return replace(self, items=self.items[first:end])

    @property
    def reach(self) -> int:
        """D, in steps of the grid: no two grown balls of more distant centers meet."""
        return 2 * (math.isqrt(max(self.largest - 1, 0)) + (self.largest > 0))

    @property
    def measure(self) -> tuple[int, tuple[float, float]]:
        """Alpha in squared steps and their length, for kernels/alpha/sizes.h."""
        return self.alpha, self.scale.squared_unit

    @property
    def sign_errors(self) -> tuple[float, ...]:
        """Bounds of rounding errors: edge, triangle, tetrahedron, its size, line (predicates.h).

        Sums of at most 4, 24, 60, 250 and 110 roundings of D^4, D^6, D^5, D^8 and D^6.
        """
        unit, reach = 2.0**-53, float(self.reach)
        edge = 0.0 if reach < EXACT_REACH else 8 * unit * reach**4
        line = 256 * unit * reach**6
        return edge, 64 * unit * reach**6, 128 * unit * reach**5, 512 * unit * reach**8, line


def checked_centers(centers: Any) -> Array:
    """The centers as an array (n, 3) of real numbers."""
    array = as_array(centers, "centers")
    if array.ndim != 2 or array.shape[1] != 3:
        raise InputError(f"centers must have the shape (n, 3), not {tuple(array.shape)}")
    if array.dtype.kind not in "iuf":
        raise InputError(f"centers must be real numbers, not {array.dtype}")
    return array


def checked_radii(radii: Any, n: int) -> Array:
    """The radii as an array (n,) of real numbers; one number serves all balls."""
    array = as_array(radii, "radii")
    if array.dtype.kind not in "iuf":
        raise InputError(f"radii must be real numbers, one a center, not {array.dtype}")
    if array.ndim == 0:
        return np.full(n, float(array))
    if array.shape != (n,):
        raise InputError(
            f"radii must be one a center, of shape ({n},), or one number for all, "
            f"not of shape {tuple(array.shape)}"
        )
    return array


def checked_length(value: Any, name: str, *, is_positive: bool) -> float:
    """A finite length that is positive, or at least not negative."""
    length = as_real(value)
    if not 0 <= length < math.inf or (is_positive and length == 0):
        wanted = "a positive length" if is_positive else "a length, zero or more"
        raise InputError(f"{name} must be {wanted}, not {value!r}")
    return length


def checked_resolution(resolution: Any) -> float:
    """A positive length whose square and its inverse are numbers too."""
    length = checked_length(resolution, "resolution", is_positive=True)
    if not RESOLUTIONS[0] <= length <= RESOLUTIONS[1]:
        raise InputError(
            f"resolution must be between {RESOLUTIONS[0]:g} and {RESOLUTIONS[1]:g}, "
            f"not {resolution!r}"
        )
    return length


def checked_alpha(alpha: Any) -> float:
    """The largest alpha of one or several."""
    if isinstance(alpha, np.ndarray) and not alpha.ndim:
        alpha = alpha.item()
    are_several = isinstance(alpha, Sequence | np.ndarray) and not isinstance(alpha, str | bytes)
    values = alpha if are_several else [alpha]
    numbers = [v for v in map(as_real, values) if math.isfinite(v)]
    if not len(values) or len(numbers) != len(values):
        raise InputError(
            f"alpha must be a finite squared length, or several of them, not {alpha!r}"
        )
    return max(numbers)


def snap_balls(
    session: Session,
    centers: Array,
    radii: Array,
    alpha: float,
    probe: float,
    resolution: float,
    name_of: Callable[[int], str] = "centers[{}]".format,
) -> Balls:
    """Balls of `centers` (n, 3) and `radii` (n,), or the first thing that is wrong with them.

    `name_of` a row is what the caller knows its center by.
    """
    scale = Scale(resolution)
    whole_alpha = scale.snapped(alpha)
    if abs(whole_alpha) == MOST_ALPHA:
        raise InputError(
            f"alpha must be less than 2^52 squared steps of the fixed-point grid: it is {alpha:g}, "
            f"the resolution {resolution:g}; choose a larger resolution"
        )
    xp, n = session.device.xp, len(centers)
    items = session.device.empty((n, 4), np.int32)
    summary = xp.asarray(_fresh_summary())
    places, sizes = (uploaded_reals(session, array) for array in (centers, radii))
    session.launch("snap_balls", n, places, sizes, resolution, probe, whole_alpha, items, summary)
    found = to_host(summary).tolist()
    _refuse_bad(found, centers, radii, probe, scale, name_of)
    largest = found[constant("LARGEST")]
    balls = Balls(
        items=items,
        scale=scale,
        alpha=whole_alpha,
        lowest=tuple(found[constant("LOWEST") :][:3]),
        highest=tuple(found[constant("HIGHEST") :][:3]),
        largest=largest,
        n_left=n - found[constant("N_VANISHED")],
        summary=summary,
    )
    if balls.reach > MAX_REACH:
        grown = math.sqrt(largest) * resolution
        least = _rounded_up(2.0 * grown / MAX_REACH)
        raise InputError(
            f"the largest grown radius is {grown:g}, {grown / resolution:,.0f} steps of the "
            f"fixed-point grid, and exact signs need at most {MAX_REACH // 2:,}; choose a smaller "
            f"alpha or probe{_or_coarser(least, radii, resolution)}"
        )
    return balls


def _fresh_summary() -> np.ndarray:
    summary = np.zeros(constant("SUMMARY_SIZE"), np.int64)
    most = np.iinfo(np.int64).max
    for name in ("BAD_CENTER", "FAR_CENTER", "BAD_RADIUS", "LARGE_RADIUS", "SMALL_RADIUS"):
        summary[constant(name)] = most
    summary[constant("LOWEST") :][:3] = most
    summary[constant("HIGHEST") :][:3] = -most
    summary[constant("LARGEST")] = -1
    return summary


def _refuse_bad(
    found: list[int],
    centers: Array,
    radii: Array,
    probe: float,
    scale: Scale,
    name_of: Callable[[int], str],
) -> None:
    def first_of(name: str) -> tuple[int, int]:
        at = constant(name)
        return found[at], found[at + 1]

    row, count = first_of("BAD_CENTER")
    if count:
        raise InputError(
            f"centers must be finite: {name_of(row)} is {_numbers(centers[row])} "
            f"({_such(count)}); drop those balls"
        )
    row, count = first_of("BAD_RADIUS")
    if count:
        raise InputError(
            f"radii must be positive and finite: radii[{row}] is {float(radii[row]):g} "
            f"({_such(count)}); drop those balls or give them a radius"
        )
    row, count = first_of("FAR_CENTER")
    if count:
        farthest = float(abs(to_host(centers)).max())
        raise InputError(
            f"centers must lie within {MAX_COORDINATE * scale.resolution:g} of the origin on a "
            f"fixed-point grid of resolution {scale.resolution:g}: {name_of(row)} is "
            f"{_numbers(centers[row])} ({_such(count)}); shift them towards the origin"
            f"{_or_coarser(_rounded_up(farthest / MAX_COORDINATE), radii, scale.resolution)}"
        )
    row, count = first_of("LARGE_RADIUS")
    if count:
        raise InputError(
            f"radii must be at most {constant('MAX_GRID_RADIUS'):,} steps of the fixed-point grid: "
            f"radii[{row}] is {float(radii[row]):g}, probe {probe:g} and resolution "
            f"{scale.resolution:g} ({_such(count)}); choose a larger resolution"
        )
    row, count = first_of("SMALL_RADIUS")
    if count:
        raise InputError(
            f"radii must be at least half a step of the fixed-point grid where alpha is 0: "
            f"radii[{row}] is {float(radii[row]):g}, the resolution {scale.resolution:g} "
            f"({_such(count)}); choose a resolution of about {float(radii[row]) / 1000:.1g}, a "
            "thousandth of the radius"
        )


def _or_coarser(least: float, radii: Array, resolution: float) -> str:
    """The advice to take a resolution of `least`, or why not: a radius needs some steps to show."""
    smallest = float(to_host(radii).min())
    if COARSEST * smallest >= least:
        return f", or choose a resolution of {least:g} or more (it is {resolution:g})"
    return f"; the resolution of {least:g} that it needs is too coarse for radii of {smallest:g}"


def _such(count: int) -> str:
    return f"{count:,} such ball{'s' * (count != 1)}"


def _numbers(row: Array) -> str:
    return "(" + ", ".join(f"{float(x):g}" for x in to_host(row)) + ")"


def _rounded_up(length: float) -> float:
    """At most a tenth more, with one or two digits: what a person would type."""
    digit = 10.0 ** (math.floor(math.log10(length)) - 1)
    return math.ceil(length / digit * (1 + 1e-9)) * digit
