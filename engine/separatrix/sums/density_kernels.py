"""Kernels of densities (kernels/sums/profile.h), and points in units of their length."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np

from ..device import Array, Session
from ..errors import InputError
from ..options import PointDensityOptions, checked, options_of
from ..primitives import converted, uploaded_reals
from ..spatial.periodic import images, wrapped
from ..spatial.points import checked_weights, largest_finite
from .checks import checked_coordinates, positive

KERNELS = options_of(PointDensityOptions)["kernel"].choices  # in the order of sums/profile.h
CUTOFFS = {"gaussian": 4.0, "laplacian": 8.0, "cubic_spline": 2.0}
"""Default cutoffs in units of sigma; the length of other kernels is their cutoff."""
SHORTEST_CUTOFF, LONGEST_CUTOFF = 0.01, 1e6  # in units of sigma; others lose all digits
SHORTEST_SHARE = 1e-15  # of the largest length; shorter ones lose all digits
MOST_CLASSES = 16  # of lengths


@dataclass(frozen=True)
class DensityKernel:
    """A kernel: its parameters in sums/profile.h, cutoff, and integral, in units of its length.

    `length` is a number, or an array (n,) with one number per point, not yet known to be positive.
    """

    name: str
    length_name: str
    length: Any
    p: tuple[float, float, float]
    reach: float
    integral: float

    @property
    def number(self) -> int:
        return KERNELS.index(self.name)

    @property
    def fine(self) -> float:
        """Automatic spacing of an image, in units of the length."""
        return 0.5 if self.name in ("gaussian", "laplacian") else self.reach / 6


def checked_kernel(kernel: Any, sigma: Any, cutoff: Any, n_axes: int, n: int) -> DensityKernel:
    """Return a kernel around n points. Raises InputError."""
    name = checked(PointDensityOptions, "kernel", kernel)
    length_name = "sigma" if name in CUTOFFS else "cutoff"
    length = sigma if name in CUTOFFS else cutoff
    if length is None:
        raise InputError(length_name, f"given for {{kernel={name!r}}}, a positive length", None)
    are_many = not isinstance(length, (Real, str)) and getattr(length, "ndim", 1) > 0
    if are_many:
        length = checked_weights(length, n, length_name)
    else:
        length = positive(length, length_name)
    p, a = (1.0, 1.0, 0.0), 1.0
    if name in CUTOFFS:
        a = CUTOFFS[name]
        if cutoff is not None and (are_many or name == "cubic_spline"):
            expected = f"None for {{kernel={name!r}}}" + " and a sigma per point" * are_many
            raise InputError("cutoff", expected, cutoff, f"Kernels end at {a:g} {{sigma}}.")
        if cutoff is not None:
            a = positive(cutoff, "cutoff") / length
        if not SHORTEST_CUTOFF <= a <= LONGEST_CUTOFF:
            expected = (
                f"from {SHORTEST_CUTOFF:g} to {LONGEST_CUTOFF:g} times {{sigma}} ({length:g})"
            )
            raise InputError("cutoff", expected, cutoff)
    is_solid, edge = n_axes == 3, 0.0
    if name == "gaussian":
        edge = math.exp(-a * a / 2)
        p = (0.5, a * a, edge)
        if is_solid:
            inside = math.erf(a / math.sqrt(2)) - math.sqrt(2 / math.pi) * a * edge
            volume = (2 * math.pi) ** 1.5 * inside
        else:
            volume = 2 * math.pi * (1 - edge)
    elif name == "laplacian":
        edge = math.exp(-a)
        p = (1.0, a * a, edge)
        if is_solid:
            volume = 4 * math.pi * (2 - edge * (a * a + 2 * a + 2))
        else:
            volume = 2 * math.pi * (1 - edge * (1 + a))
    elif name == "epanechnikov":
        volume = 8 * math.pi / 15 if is_solid else math.pi / 2
    elif name == "wendland":
        volume = 2 * math.pi / 21 if is_solid else math.pi / 7
    else:
        p = (1.0, 4.0, 0.0)
        volume = math.pi if is_solid else 0.7 * math.pi
    volume -= edge * 4 / 3 * math.pi * a**3 if is_solid else edge * math.pi * a**2
    return DensityKernel(name, length_name, length, p, a, volume)


@dataclass(frozen=True)
class Sources:
    """Points on the device with weights up to 1 in magnitude, and lengths relative to `unit`."""

    at: Array  # (n, d) float64
    weight: Array  # (n,) float64
    scale: Array | None  # (n,) float64, squares of (unit / length); None if all are 1
    unit: float  # the largest length
    typical: float  # the median length
    factor: float  # of sums
    longest: float = 1.0  # length of a point, relative to `unit`

    def by_length(self, session: Session) -> list[Sources]:
        """Return the points in classes of lengths that differ by a factor of up to 2.

        Each class has a grid of its own, because all points of a grid are searched for as far as
        the longest kernel reaches.
        """
        if self.scale is None or not len(self.at):
            return [self]
        xp = session.device.xp
        level = xp.searchsorted(xp.asarray(4.0 ** np.arange(1, MOST_CLASSES)), self.scale, "right")
        return [self._some(xp.flatnonzero(level == k), 2.0**-k) for k in xp.unique(level).tolist()]

    def _some(self, chosen: Array, longest: float) -> Sources:
        scale = None if self.scale is None else self.scale[chosen]
        parts = {"at": self.at[chosen], "weight": self.weight[chosen], "scale": scale}
        return replace(self, **parts, longest=longest)

    def images(
        self, session: Session, box: np.ndarray, low: Any, high: Any, reach: float
    ) -> Sources:
        """Return the images in a periodic box with kernels that reach a region (d,)."""
        reach *= self.unit * self.longest
        owner, at, _ = images(session, self.at, box, low, high, reach)
        return replace(self._some(owner, self.longest), at=at)


def sources_of(
    session: Session,
    kernel: DensityKernel,
    points: Array,
    weights: Array | None,
    normalize: bool,
    box: np.ndarray | None,
) -> Sources:
    """Return the points on the device, within a periodic box if there is one. Raises InputError."""
    at = converted(session.device, session.upload(points), np.float64)
    at = checked_coordinates(at, "points", np.dtype(np.float64))
    if box is not None:
        at = wrapped(session, at, box)
    n, n_axes = at.shape
    weight = (
        session.device.numbers(n, np.float64, 1, 0)
        if weights is None
        else uploaded_reals(session, weights)
    )
    largest_finite(weight, "weights")
    scale, unit, typical = None, kernel.length, kernel.length
    if not isinstance(kernel.length, float):
        lengths = uploaded_reals(session, kernel.length)
        unit = largest_finite(lengths, kernel.length_name) or 1.0
        positive(unit, kernel.length_name)
        if n and (shortest := float(lengths.min())) <= 0:
            raise InputError(kernel.length_name, "positive", shortest)
        if n and shortest < SHORTEST_SHARE * unit:
            expected = f"at least {SHORTEST_SHARE:g} of the largest one, {unit:g}"
            raise InputError(kernel.length_name, expected, shortest)
        relative = unit / lengths
        scale = relative * relative
        typical = float(session.device.xp.median(lengths)) if n else 1.0
        for _ in range(n_axes if normalize else 0):
            weight = weight * relative
    most = largest_finite(weight, "weights") or 1.0
    factor = most / kernel.integral if normalize else most
    for _ in range(n_axes if normalize else 0):
        factor /= unit
    weight = weight if most == 1 else weight / most
    return Sources(at, weight, scale, unit, typical, factor)
