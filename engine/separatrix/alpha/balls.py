"""Balls on the fixed-point grid: validation and rounding of the input.

Coordinates, radii (with the probe), and alpha are rounded to nearest with ties to even. From then
on, all signs are exact, in 128 bits if D, twice the largest grown radius, is at most MAX_REACH.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device.arrays import as_array, to_host
from ..device.base import Array
from ..device.session import Session
from ..errors import InputError, Words, wrong_dtype, wrong_shape
from ..kernels.source import constant
from ..primitives import uploaded_reals
from .request import Request

MAX_REACH = constant("MAX_REACH")
MAX_COORDINATE = constant("MAX_COORDINATE")
MOST_ALPHA = 1 << 52
COARSEST = 0.1
"""Coarsest step that is recommended in messages, as a fraction of the smallest radius."""
EXACT_REACH = 1 << 13
"""Below this D, expressions of degree 4 have no rounding errors."""


@dataclass(frozen=True)
class Scale:
    """Fixed-point grid; ``resolution`` is its step in the caller's unit of length."""

    resolution: float

    @property
    def squared_unit(self) -> tuple[float, float]:
        """Factor and divisor from squared steps to squared lengths; see alpha/sizes.h."""
        steps = 1.0 / self.resolution  # per unit of length; an integer if it is one up to rounding
        if abs(steps - round(steps)) >= 1e-9 * steps:
            return self.resolution**2, 1.0
        return 1.0, float(round(steps)) * float(round(steps))

    def snapped(self, alpha: float) -> int:
        """Return alpha in squared steps, an integer from -MOST_ALPHA to MOST_ALPHA."""
        factor, divisor = self.squared_unit
        return round(min(max(alpha * divisor / factor, -MOST_ALPHA), MOST_ALPHA))

    def squared_length(self, whole: int) -> float:
        """Return squared steps as a squared length."""
        factor, divisor = self.squared_unit
        return whole * factor / divisor


@dataclass(frozen=True)
class Balls:
    """Balls on the grid, on the device; R^2 = r^2 + alpha are their squared grown radii."""

    items: Array  # (n, 4) int32: x, y, z in steps of the grid, and R^2 or -1 if it is negative
    scale: Scale
    alpha: int
    lowest: tuple[int, int, int]  # bounds of the centers
    highest: tuple[int, int, int]
    largest: int  # R^2; -1 if all are negative
    n_left: int  # number of balls with R^2 >= 0
    summary: Array  # int64, see kernels/alpha/snapping.h

    @property
    def reach(self) -> int:
        """D in steps of the grid; grown balls with more distant centers do not meet."""
        return 2 * (math.isqrt(max(self.largest - 1, 0)) + (self.largest > 0))

    @property
    def measure(self) -> tuple[int, tuple[float, float]]:
        """Alpha in squared steps and the squared unit, for kernels/alpha/sizes.h."""
        return self.alpha, self.scale.squared_unit

    @property
    def sign_errors(self) -> tuple[float, ...]:
        """Bounds of rounding errors: edge, triangle, tetrahedron, its size, line (predicates.h).

        They are sums of at most 4, 24, 60, 250, and 110 roundings of D^4, D^6, D^5, D^8, and D^6.
        """
        unit, reach = 2.0**-53, float(self.reach)
        edge = 0.0 if reach < EXACT_REACH else 8 * unit * reach**4
        line = 256 * unit * reach**6
        return edge, 64 * unit * reach**6, 128 * unit * reach**5, 512 * unit * reach**8, line


def checked_centers(centers: Any, name: str = "centers", axes: tuple[str, ...] = ("n",)) -> Array:
    """Return the centers as an array (*axes, 3). Raises InputError."""
    expected = f"an array of shape ({', '.join(axes)}, 3)"
    array = as_array(centers, name, expected)
    if array.ndim != len(axes) + 1 or array.shape[-1] != 3:
        raise wrong_shape(name, expected, array)
    if array.dtype.kind not in "iuf":
        raise wrong_dtype(name, "an array of real numbers", array)
    return array


def checked_radii(radii: Any, n: int) -> Array:
    """Return the radii as an array (n,). Raises InputError."""
    array = as_array(radii, "radii", "real numbers")
    if array.dtype.kind not in "iuf":
        raise wrong_dtype("radii", "real numbers", array)
    if array.ndim == 0:
        return np.full(n, float(array))
    if array.shape != (n,):
        expected = f"a number or an array of shape ({n},), one radius per center"
        raise wrong_shape("radii", expected, array)
    return array


def snap_balls(
    session: Session,
    centers: Array,
    radii: Array,
    request: Request,
    parameter: str = "centers",
    where: Callable[[int], str] = "[{}]".format,
) -> Balls:
    """Round balls to the grid; errors name the center of a row `parameter`, then `where`(row)."""
    probe, resolution = request.probe, request.resolution
    scale = Scale(resolution)
    whole_alpha = scale.snapped(request.alpha)
    if abs(whole_alpha) == MOST_ALPHA:
        raise InputError(
            *("alpha", "less than 2^52 squared steps of the fixed-point grid"),
            Words(f"{request.alpha:g} at a resolution of {resolution:g}"),
            "Choose a larger {resolution}.",
        )
    xp, n = session.device.xp, len(centers)
    items = session.device.empty((n, 4), np.int32)
    summary = xp.asarray(_fresh_summary())
    places, sizes = (uploaded_reals(session, array) for array in (centers, radii))
    session.launch("snap_balls", n, places, sizes, resolution, probe, whole_alpha, items, summary)
    found = to_host(summary).tolist()
    _require_valid(found, centers, radii, probe, scale, parameter, where)
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
            f"The largest grown radius is {grown:g}, or {grown / resolution:,.0f} steps of the "
            f"fixed-point grid; the maximum is {MAX_REACH // 2:,} steps. Choose a smaller "
            f"{{alpha}} or {{probe}}{_or_coarser(least, radii, resolution)}."
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


def _require_valid(
    found: list[int],
    centers: Array,
    radii: Array,
    probe: float,
    scale: Scale,
    parameter: str,
    where: Callable[[int], str],
) -> None:
    step = scale.resolution

    def reject_centers(name: str, expected: str, remedy: str) -> None:
        row, count = found[constant(name) :][:2]
        if count:
            got = tuple(float(x) for x in to_host(centers[row]))
            raise InputError(parameter, expected, got, remedy, where=where(row), count=count)

    def reject_radii(name: str, expected: str, remedy: str, setting: str = "") -> None:
        row, count = found[constant(name) :][:2]
        if count:
            radius = float(radii[row])
            got = Words(f"{radius:g}{setting}") if setting else radius
            remedy = remedy.format(thousandth=radius / 1000)
            raise InputError("radii", expected, got, remedy, where=f"[{row}]", count=count)

    reject_centers("BAD_CENTER", "finite", "Remove these balls.")
    remedy = "Remove these balls or assign a radius."
    reject_radii("BAD_RADIUS", "positive and finite", remedy)
    if found[constant("FAR_CENTER") + 1]:
        least = _rounded_up(float(abs(to_host(centers)).max()) / MAX_COORDINATE)
        expected = f"within {MAX_COORDINATE * step:g} of the origin at a resolution of {step:g}"
        remedy = f"Shift them towards the origin{_or_coarser(least, radii, step)}."
        reject_centers("FAR_CENTER", expected, remedy)
    most, setting = constant("MAX_GRID_RADIUS"), f" at a resolution of {step:g}"
    reject_radii(
        "LARGE_RADIUS",
        f"at most {most:,} steps of the fixed-point grid",
        "Choose a larger {{resolution}}.",
        f"{setting} with a probe of {probe:g}",
    )
    reject_radii(
        "SMALL_RADIUS",
        "at least half a step of the fixed-point grid if {alpha} is 0",
        "Choose a {{resolution}} of about {thousandth:.1g}, a thousandth of the radius.",
        setting,
    )


def _or_coarser(least: float, radii: Array, resolution: float) -> str:
    """Continue a remedy with a resolution of `least`, or with the reason why not."""
    smallest = float(to_host(radii).min())
    if COARSEST * smallest >= least:
        return f", or choose a {{resolution}} of at least {least:g} (it is {resolution:g})"
    return f"; the required {{resolution}} of {least:g} is too coarse for radii of {smallest:g}"


def _rounded_up(length: float) -> float:
    """Round up by at most a tenth, to one or two digits."""
    digit = 10.0 ** (math.floor(math.log10(length)) - 1)
    return math.ceil(length / digit * (1 + 1e-9)) * digit
