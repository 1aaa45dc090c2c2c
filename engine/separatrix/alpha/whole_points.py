"""Points of a regular triangulation as whole numbers, distinct, and affinely spanning space."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Array, Session, array_module, to_host
from ..errors import InputError, Words
from ..kernels.source import constant
from ..primitives import total, uploaded_reals
from ..spatial.points import bounded_points
from .request import checked_length

MOST_BITS = constant("MOST_BITS") - 1  # an added point takes one more
MORTON_BITS = 21
SPREADS = (
    (32, 0x1F00000000FFFF),
    (16, 0x1F0000FF0000FF),
    (8, 0x100F00F00F00F00F),
    (4, 0x10C30C30C30C30C3),
    (2, 0x1249249249249249),
)


def whole_sites(session: Session, points: Array, weights: Array, resolution: Any) -> Array:
    """Return coordinates and weights (n, 4) float64 in multiples of a unit and of its square."""
    xp = session.device.xp
    places = bounded_points(session, points, "points").values
    sizes = uploaded_reals(session, weights)
    is_bad = ~xp.isfinite(sizes)
    if total(session.device, is_bad):
        row = int(xp.flatnonzero(is_bad)[0])
        raise InputError("weights", "finite", float(sizes[row]), where=f"[{row}]")
    if resolution is None:
        low, high = _bits_of(xp, places)
        low_of_weight, high_of_weight = _bits_of(xp, sizes)
        unit = min(low, low_of_weight // 2)
        span = max(high - unit, -(-high_of_weight // 2) - unit)
        if span > MOST_BITS:
            weighted = " with the weights" if sizes.any() else ""
            raise InputError(
                "points",
                f"multiples of a common unit within {MOST_BITS} bits",
                Words(f"{span} bits{weighted}"),
                f"Set {{resolution}}, for example to {2.0 ** (span + unit - 50):.1g}.",
            )
        places = xp.ldexp(places, np.int32(-unit))
        sizes = xp.ldexp(sizes, np.int32(-2 * unit))
    else:
        step = checked_length(resolution, "resolution", is_positive=True)
        least = max(largest(places), largest(sizes) ** 0.5) / 2.0**52
        if step < least:
            expected, remedy = "at least 2^-52 of the largest coordinate", f"{2 * least:.1g}"
            raise InputError("resolution", expected, resolution, f"Set it to {remedy} or more.")
        places, sizes = xp.rint(places / step), xp.rint(sizes / step / step)
    return xp.ascontiguousarray(xp.concatenate([places, sizes[:, None]], axis=1)) + 0.0


def largest(numbers: Array) -> float:
    """Return the largest magnitude, 0 for no numbers."""
    return float(abs(numbers).max()) if numbers.size else 0.0


def _bits_of(xp: Any, values: Array) -> tuple[int, int]:
    """Return the exponents e of the lowest bit 2^e of all values, and of a bound 2^e of them."""
    values = values[values != 0]
    if not len(values):
        return 1 << 30, -(1 << 30)
    mantissa, exponent = xp.frexp(values)
    digits = xp.ldexp(mantissa, np.int32(53)).astype(np.int64)
    lowest = xp.frexp((digits & -digits).astype(np.float64))[1] - 1
    return int((exponent - 53 + lowest).min()), int(exponent.max())


def distinct_points(session: Session, sites: Array) -> Array:
    """Return the points (m,) int32 that are alone or the largest at their position, in Z-order."""
    xp, n = array_module(sites), len(sites)
    if not n:
        return xp.empty(0, np.int32)
    low = sites[:, :3].min(axis=0)
    step = max(float((sites[:, :3] - low).max()), 1.0) / ((1 << MORTON_BITS) - 1)
    keys = xp.zeros(n, np.int64)
    for axis in range(3):
        spread = ((sites[:, axis] - low[axis]) / step).astype(np.int64)
        for shift, mask in SPREADS:
            spread = (spread | spread << shift) & mask
        keys |= spread << axis
    order = xp.argsort(keys, kind="stable")
    keys = keys[order]
    if not total(session.device, keys[1:] == keys[:-1]):
        return order.astype(np.int32)
    columns = xp.stack([-sites[order, 3], *sites[order, 2::-1].T, keys])
    order = order[xp.lexsort(columns)]
    is_first = xp.ones(n, bool)
    is_first[1:] = (sites[order[1:], :3] != sites[order[:-1], :3]).any(axis=1)
    return order[is_first].astype(np.int32)


def spanning_points(session: Session, sites: Array, order: Array) -> tuple[Array, Array, int]:
    """Return sites with added points, four affinely independent ones, and the dimension.

    If the points are in a plane or on a line, points outside complete them to dimension 3. The
    triangulation of the input is then that on a face of the hull.
    """
    xp, n = session.device.xp, len(sites)
    if not n:
        return sites, xp.empty(0, np.int32), -1
    chosen = [int(order[0])]
    is_small, distance = False, session.device.empty(n, np.float64)
    while len(chosen) < 4:
        known = xp.asarray(chosen, dtype=np.int32)
        session.launch("measure_from_span", n, sites, is_small, known, len(chosen), distance)
        farthest = order[int(distance[order].argmax())]
        if not distance[farthest]:
            break
        chosen.append(int(farthest))
    dimension = len(chosen) - 1
    corners = [[int(x) for x in to_host(sites[row]).tolist()] for row in chosen]
    outside = 1 << int(abs(sites[:, :3]).max()).bit_length()
    for axis in range(3):
        moved = [*corners[0][:axis], outside, *corners[0][axis + 1 : 3], 0]
        if len(corners) < 4 and _are_independent([*corners, moved]):
            corners.append(moved)
    added = np.array(corners[dimension + 1 :], np.float64).reshape(-1, 4)
    four = [*chosen, *range(n, n + len(added))]
    return (
        xp.ascontiguousarray(xp.concatenate([sites, xp.asarray(added)])),
        xp.asarray(four, dtype=np.int32),
        dimension,
    )


def _are_independent(points: list[list[int]]) -> bool:
    """Return whether whole points are affinely independent."""
    sides = [[x - o for x, o in zip(p[:3], points[0][:3], strict=True)] for p in points[1:]]
    if len(sides) == 1:
        return any(sides[0])
    (ax, ay, az), (bx, by, bz) = sides[:2]
    normal = (ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
    if len(sides) == 2:
        return any(normal)
    return sum(x * y for x, y in zip(normal, sides[2], strict=True)) != 0
