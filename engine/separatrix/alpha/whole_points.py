"""Points of a regular triangulation as whole numbers, distinct, and affinely spanning space."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..device import Array, Session, array_module, to_host
from ..errors import InputError, Words
from ..kernels.source import constant
from ..primitives import at, changes, largest_size, shifted, total, uploaded_reals
from ..spatial.points import Points, bounded_points
from .request import checked_length

MOST_BITS = constant("MOST_BITS") - 1  # an added point takes one more
MORTON_BITS = 21
NO_BITS = 1 << 30  # exponent for values that are all 0


def whole_sites(session: Session, points: Array, weights: Array, resolution: Any) -> Array:
    """Return coordinates and weights (n, 4) float64 in multiples of a unit and of its square."""
    places = bounded_points(session, points, "points")
    sizes = uploaded_reals(session, weights)
    largest_weight = largest_size(sizes)
    if not math.isfinite(largest_weight):
        given = to_host(sizes)
        row = int(np.flatnonzero(~np.isfinite(given))[0])
        raise InputError("weights", "finite", float(given[row]), where=f"[{row}]")
    if resolution is None:
        low, high = _bits_of(session, places.values)
        low_of_weight, high_of_weight = _bits_of(session, sizes)
        unit = min(low, low_of_weight // 2)
        span = max(high - unit, -(-high_of_weight // 2) - unit)
        if span > MOST_BITS:
            weighted = " with the weights" if largest_weight else ""
            raise InputError(
                "points",
                f"multiples of a common unit within {MOST_BITS} bits",
                Words(f"{span} bits{weighted}"),
                f"Set {{resolution}}, for example to {2.0 ** (span + unit - 50):.1g}.",
            )
        step = 2.0**unit if unit < NO_BITS // 2 else 1.0  # all are 0
    else:
        step = checked_length(resolution, "resolution", is_positive=True)
        least = max(*extent_of(places), largest_weight**0.5) / 2.0**52
        if step < least:
            expected, remedy = "at least 2^-52 of the largest coordinate", f"{2 * least:.1g}"
            raise InputError("resolution", expected, resolution, f"Set it to {remedy} or more.")
    sites = session.device.empty((places.n, 4), np.float64)
    session.launch("scale_to_sites", places.n, places.values, sizes, step, sites)
    return sites


def extent_of(points: Points) -> list[float]:
    """Return the largest magnitude of each coordinate, 0 without points."""
    ends = np.maximum(np.abs(points.low), np.abs(points.high))
    return list(map(float, np.nan_to_num(ends)))


def _bits_of(session: Session, values: Array) -> tuple[int, int]:
    """Return the exponents e of the lowest bit 2^e of all values, and of a bound 2^e of them."""
    if not values.size:
        return NO_BITS, -NO_BITS
    low, high = (session.device.empty(values.size, np.int32) for _ in range(2))
    session.launch("find_bits", values.size, values, low, high)
    return int(low.min()), int(high.max())


def distinct_points(session: Session, sites: Array) -> Array:
    """Return the points (m,) int32 that are alone or the largest at their position, in Z-order."""
    xp, n = array_module(sites), len(sites)
    if not n:
        return xp.empty(0, np.int32)
    bounds = bounded_points(session, sites, "sites")
    step = max(float((bounds.high - bounds.low)[:3].max()), 1.0) / ((1 << MORTON_BITS) - 1)
    keys = session.device.empty(n, np.int64)
    session.launch("key_sites", n, sites, session.upload(bounds.low), step, keys)
    order = xp.argsort(keys, kind="stable")
    keys = at(keys, order)
    if total(session.device, changes(keys)) == n:
        return shifted(order, dtype=np.int32)
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
        farthest = int(order[int(at(distance, order).argmax())])
        if not distance[farthest]:
            break
        chosen.append(farthest)
    dimension = len(chosen) - 1
    corners = [[int(x) for x in to_host(sites[row]).tolist()] for row in chosen]
    extent = extent_of(bounded_points(session, sites, "sites"))
    outside = 1 << int(max(extent[:3])).bit_length()
    for axis in range(3):
        moved = [*corners[0][:axis], outside, *corners[0][axis + 1 : 3], 0]
        if len(corners) < 4 and _are_independent([*corners, moved]):
            corners.append(moved)
    added = np.array(corners[dimension + 1 :], np.float64).reshape(-1, 4)
    four = [*chosen, *range(n, n + len(added))]
    return (
        session.device.joined([sites, session.upload(added)]),
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
