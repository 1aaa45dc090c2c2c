"""Sizes of balls: radii, or weights, which are squared radii of any sign."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arguments import as_real
from ..device import Array, as_array, to_host
from ..errors import InputError, wrong_dtype, wrong_shape
from ..kernels.source import constant
from .boxes import COPIED, checked_vectors

MAX_COORDINATE = constant("MAX_COORDINATE")
MAX_ROOT_OF_WEIGHT = (1 << 26) - 1
"""Squares of so many steps are weights below 2^52."""


def checked_sizes(radii: Any, weights: Any, probe: Any, n: int) -> tuple[Array, bool]:
    """Return the radii or the weights (n,), and whether they are weights. Raises InputError."""
    if weights is None:
        if radii is None:
            raise InputError("radii", "real numbers", None, "Alternatively, set {weights}.")
        return checked_radii(radii, n), False
    if radii is not None:
        raise InputError("{radii} and {weights} cannot be combined. Omit one of them.")
    require_no_probe(probe)
    return checked_weights(weights, n), True


def require_no_probe(probe: Any) -> None:
    """Raise InputError unless the probe is 0, as that of weights, which may be negative."""
    if as_real(probe) != 0:
        raise InputError("probe", "0 if {weights} are given", probe, "Use {radii} instead.")


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


def checked_weights(weights: Any, n: int) -> Array:
    """Return the weights as an array (n,). Raises InputError."""
    array = as_array(weights, "weights", "real numbers")
    if array.dtype.kind not in "iuf":
        raise wrong_dtype("weights", "real numbers", array)
    if array.shape != (n,):
        raise wrong_shape("weights", f"an array of shape ({n},), one weight per point", array)
    return array


def smallest_radius(sizes: Array, are_weights: bool) -> float:
    """Return the smallest radius, or 0 for weights."""
    return 0.0 if are_weights else float(to_host(sizes).min())


def finest_resolution(
    centers: Array, sizes: Array, are_weights: bool, probe: float, box: Any = None
) -> float:
    """Return the least power of two in whose multiples centers, sizes, and the box are allowed."""
    farthest = float(abs(to_host(centers)).max(initial=0.0))
    if box is not None:
        farthest = max(farthest, COPIED * float(abs(checked_vectors(box)).max()))
    if are_weights:
        largest = math.sqrt(abs(to_host(sizes)).max(initial=0.0)) / MAX_ROOT_OF_WEIGHT
    else:
        largest = float(to_host(sizes).max(initial=0.0)) + as_real(probe)
        largest /= constant("MAX_GRID_RADIUS")
    most = max(farthest / MAX_COORDINATE, largest)
    if not 0 < most < math.inf:
        return 1.0  # the centers are rejected, or at the origin
    return 2.0 ** math.ceil(math.log2(most))
