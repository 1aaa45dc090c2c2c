"""Balls on the fixed-point grid: validation and rounding of the input.

Coordinates, radii (with the probe), and alpha are rounded to nearest with ties to even. From then
on, all signs are exact: in 128 bits if D, twice the largest grown radius, is at most MAX_REACH,
which a local search requires, otherwise in those of the complete triangulation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from ..device import Array, Session, array_module, as_array, may_share_memory, to_host
from ..errors import InputError, Words, wrong_dtype, wrong_shape
from ..kernels.source import constant
from ..primitives import largest_size, uploaded_reals
from .ball_sizes import MAX_COORDINATE, smallest_radius
from .boxes import COPIED, Box, box_of
from .request import Request
from .tables import Copies

MAX_REACH = constant("MAX_REACH")
MOST_ALPHA = 1 << 52
COARSEST = 0.1
"""Coarsest step that is recommended in messages, as a fraction of the smallest radius."""
NAMES = {"radii": "radius", "weights": "weight"}
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

    def snapped(self, alpha: float) -> float:
        """Return alpha in squared steps, a whole number or inf."""
        factor, divisor = self.squared_unit
        steps = alpha * divisor / factor
        return round(steps) if math.isfinite(steps) else steps

    def squared_length(self, whole: float) -> float:
        """Return squared steps as a squared length."""
        factor, divisor = self.squared_unit
        return whole * factor / divisor


@dataclass(frozen=True)
class Balls:
    """Balls on the grid, on the device; R^2 = r^2 + alpha are their squared grown radii."""

    items: Array  # (n, 4) int32: x, y, z in steps, and R^2, -1 if negative, valid up to MAX_REACH
    sizes: Array  # (n,) float64, radii without the probe, or weights, which are squared radii
    are_weights: bool
    probe: float
    scale: Scale
    alpha: float  # a whole number or inf
    lowest: tuple[int, int, int]  # bounds of the centers
    highest: tuple[int, int, int]
    largest: int  # r^2 of the balls with R^2 >= 0; -1 - alpha if there are none
    n_left: int  # number of balls with R^2 >= 0
    summary: Array  # int64, see kernels/alpha/snapping.h
    box: Box | None = None
    entered: np.ndarray | None = None  # (n, 3) multiples of the box subtracted from the centers

    @property
    def reach(self) -> int:
        """D in steps of the grid, for a finite alpha; more distant grown balls do not meet."""
        most = int(self.largest + self.alpha)
        return 2 * (math.isqrt(max(most - 1, 0)) + (most > 0))

    def is_within_reach(self, alpha: float) -> bool:
        """Return whether D is at most MAX_REACH if the radii grow by alpha, in squared steps."""
        return self.largest + alpha <= (MAX_REACH // 2) ** 2

    @property
    def at_any_alpha(self) -> Balls:
        """The balls for the complete triangulation, at an infinite alpha."""
        return replace(self, alpha=math.inf, largest=int(largest_size(self.squared_radii)))

    @property
    def squared_radii(self) -> Array:
        """Squared radii with the probe (n,) float64, whole numbers of any sign in squared steps."""
        rint = array_module(self.sizes).rint
        if self.are_weights:
            factor, divisor = self.scale.squared_unit
            return rint(self.sizes * divisor / factor)
        steps = rint((self.sizes + self.probe) / self.scale.resolution)
        return steps * steps

    def sites(self, copies: Copies | None = None) -> Array:
        """Coordinates and squared radii (n, 4) float64, or those of copies; see alpha/offsets.h."""
        sites = self.items.astype(np.float64)
        sites[:, 3] = self.squared_radii
        if copies is not None:
            sites = sites[copies.ball]
            sites[:, :3] = copies.places
        return sites

    def shifts(
        self,
        copies: Copies,
        corners: np.ndarray,
        within: np.ndarray | None = None,
        origin: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return shifts (m, k, 3) int32 of simplices of copies in the box; see Box.given_shifts.

        The simplices are first moved by `within` (m, 3), if given.
        """
        assert self.box is not None
        assert self.entered is not None
        ball, shift = to_host(copies.ball)[corners], to_host(copies.shift)[corners]
        shift = shift if within is None else shift + within[:, None]
        return self.box.given_shifts(ball, shift, self.entered, origin)

    @property
    def measure(self) -> tuple[float, tuple[float, float]]:
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


def snap_balls(
    session: Session,
    centers: Array,
    sizes: Array,
    request: Request,
    parameter: str = "centers",
    where: Callable[[int], str] = "[{}]".format,
) -> Balls:
    """Round balls to the grid; errors name the center of a row `parameter`, then `where`(row)."""
    probe, resolution = request.probe, request.resolution
    scale = Scale(resolution)
    alpha = scale.snapped(request.alpha)
    growth = int(min(max(alpha, -MOST_ALPHA), MOST_ALPHA))
    if -growth == MOST_ALPHA or (growth == MOST_ALPHA and request.method == "local"):
        raise InputError(
            *("alpha", "less than 2^52 squared steps of the fixed-point grid"),
            Words(f"{request.alpha:g} at a resolution of {resolution:g}"),
            "Choose a larger {resolution}.",
        )
    n = len(centers)
    items = session.device.empty((n, 4), np.int32)
    summary = session.device.empty(constant("SUMMARY_SIZE"), np.int64)
    session.device.copy_up(_fresh_summary(), summary)
    places, own = (uploaded_reals(session, array) for array in (centers, sizes))
    measure = (request.are_weights, resolution, probe, scale.squared_unit, growth)
    session.launch("snap_balls", n, places, own, *measure, items, summary)
    found = to_host(summary).tolist()
    _require_valid(found, centers, sizes, request, parameter, where, growth != 0)
    balls = Balls(
        items=items,
        # The caller may change theirs.
        sizes=session.device.copied(own) if may_share_memory(own, sizes) else own,
        are_weights=request.are_weights,
        probe=probe,
        scale=scale,
        alpha=alpha,
        lowest=tuple(found[constant("LOWEST") :][:3]),
        highest=tuple(found[constant("HIGHEST") :][:3]),
        largest=found[constant("LARGEST")] - growth,
        n_left=n - found[constant("N_VANISHED")],
        summary=summary,
    )
    if request.box is not None:
        return in_box(session, balls, centers, request.box)
    if request.method == "local":
        _require_reach(balls, alpha)
    return balls


def in_box(session: Session, balls: Balls, centers: Array, given: Any) -> Balls:
    """Return the balls moved into the brick of a periodic box."""
    box = box_of(given, balls.scale.resolution, MAX_COORDINATE / COPIED)
    places, entered = box.enter(to_host(centers).astype(np.float64))
    items = to_host(balls.items).copy()
    items[:, :3] = places
    return replace(balls, items=session.upload(items), box=box, entered=entered)


def _require_reach(balls: Balls, alpha: float) -> None:
    """Raise InputError if grown radii at an alpha in squared steps exceed MAX_REACH / 2."""
    if balls.is_within_reach(alpha):
        return
    step, most = balls.scale.resolution, MAX_REACH // 2
    grown, coarser = math.sqrt(balls.largest + alpha), ""
    if grown < math.inf:
        smallest = smallest_radius(balls.sizes, balls.are_weights)
        coarser = _or_coarser(_rounded_up(grown * step / most), smallest, step)
    raise InputError(
        f"The largest grown radius is {grown * step:g}, or {grown:,.0f} steps of the fixed-point "
        f"grid; the maximum for a local search is {most:,} steps. Choose a smaller {{alpha}}"
        f"{'' if balls.are_weights else ' or {probe}'}{coarser}."
    )


@cache
def _fresh_summary() -> np.ndarray:
    summary = np.zeros(constant("SUMMARY_SIZE"), np.int64)
    most = np.iinfo(np.int64).max
    for name in ("BAD_CENTER", "FAR_CENTER", "BAD_SIZE", "LARGE_SIZE", "SMALL_RADIUS"):
        summary[constant(name)] = most
    summary[constant("LOWEST") :][:3] = most
    summary[constant("HIGHEST") :][:3] = -most
    summary[constant("LARGEST")] = -1
    return summary


def _require_valid(
    found: list[int],
    centers: Array,
    sizes: Array,
    request: Request,
    parameter: str,
    where: Callable[[int], str],
    may_be_zero: bool,
) -> None:
    step, weighted = request.resolution, request.are_weights
    name = "weights" if weighted else "radii"

    def reject_centers(found_as: str, expected: str, remedy: str) -> None:
        row, count = found[constant(found_as) :][:2]
        if count:
            got = tuple(float(x) for x in to_host(centers[row]))
            raise InputError(parameter, expected, got, remedy, where=where(row), count=count)

    def reject_sizes(found_as: str, expected: str, remedy: str, setting: str = "") -> None:
        row, count = found[constant(found_as) :][:2]
        if count:
            size = float(sizes[row])
            got = Words(f"{size:g}{setting}") if setting else size
            remedy = remedy.format(thousandth=size / 1000)
            raise InputError(name, expected, got, remedy, where=f"[{row}]", count=count)

    reject_centers("BAD_CENTER", "finite", "Remove these balls.")
    sign = "" if weighted else "non-negative and " if may_be_zero else "positive and "
    reject_sizes("BAD_SIZE", f"{sign}finite", f"Remove these balls or assign a {NAMES[name]}.")
    if found[constant("FAR_CENTER") + 1]:
        least = _rounded_up(float(abs(to_host(centers)).max()) / MAX_COORDINATE)
        expected = f"within {MAX_COORDINATE * step:g} of the origin at a resolution of {step:g}"
        smallest = smallest_radius(sizes, weighted)
        remedy = f"Shift them towards the origin{_or_coarser(least, smallest, step)}."
        reject_centers("FAR_CENTER", expected, remedy)
    setting = f" at a resolution of {step:g}"
    most = "less than 2^52 squared" if weighted else f"at most {constant('MAX_GRID_RADIUS'):,}"
    reject_sizes(
        "LARGE_SIZE",
        f"{most} steps of the fixed-point grid{' in magnitude' * weighted}",
        "Choose a larger {{resolution}}.",
        setting if weighted else f"{setting} with a probe of {request.probe:g}",
    )
    reject_sizes(
        "SMALL_RADIUS",
        "at least half a step of the fixed-point grid if {alpha} is 0",
        "Choose a {{resolution}} of about {thousandth:.1g}, a thousandth of the radius.",
        setting,
    )


def _or_coarser(least: float, smallest: float, resolution: float) -> str:
    """Continue a remedy with a resolution of `least`, or with the reason why not."""
    if smallest == 0 or COARSEST * smallest >= least:
        return f", or choose a {{resolution}} of at least {least:g} (it is {resolution:g})"
    return f"; the required {{resolution}} of {least:g} is too coarse for radii of {smallest:g}"


def _rounded_up(length: float) -> float:
    """Round up by at most a tenth, to one or two digits."""
    digit = 10.0 ** (math.floor(math.log10(length)) - 1)
    return math.ceil(length / digit * (1 + 1e-9)) * digit
