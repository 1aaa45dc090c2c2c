"""Extents of images: six inclusive ends, x first, as VTK has them."""

from __future__ import annotations

import math

import numpy as np

Extent = tuple[int, ...]
NOTHING: Extent = (0, -1, 0, -1, 0, -1)


def lengths(extent: Extent) -> tuple[int, int, int]:
    """Number of points along x, y, and z."""
    return tuple(max(extent[2 * a + 1] - extent[2 * a] + 1, 0) for a in range(3))  # type: ignore[return-value]


def n_points(extent: Extent) -> int:
    """Number of points in an extent."""
    return math.prod(lengths(extent))


def intersection(one: Extent, other: Extent) -> Extent:
    """The points that two extents share."""
    ends = [(max, min)[i % 2](one[i], other[i]) for i in range(6)]
    return tuple(ends) if all(ends[2 * a] <= ends[2 * a + 1] for a in range(3)) else NOTHING


def union(extents: list[Extent]) -> Extent:
    """The smallest extent that contains all points of others; NOTHING without points."""
    filled = [extent for extent in extents if n_points(extent)]
    if not filled:
        return NOTHING
    return tuple((min, max)[i % 2](extent[i] for extent in filled) for i in range(6))


def contains(one: Extent, other: Extent) -> bool:
    """Whether an extent has all points of another."""
    return not n_points(other) or intersection(one, other) == tuple(other)


def cells_in(extent: Extent) -> Extent:
    """The cells between the points of an extent; an axis of one point has one cell."""
    if not n_points(extent):
        return NOTHING
    return tuple(max(end - 1, extent[i - 1]) if i % 2 else end for i, end in enumerate(extent))


def are_covered(whole: Extent, extents: list[Extent]) -> bool:
    """Whether each point of the whole is in one of the extents."""
    found = [intersection(whole, extent) for extent in extents]
    found = [extent for extent in found if n_points(extent)]
    begins = [
        sorted({whole[2 * a], *(e[2 * a] for e in found), *(e[2 * a + 1] + 1 for e in found)})
        for a in range(3)
    ]  # the boxes between these have no other borders
    covered = np.zeros([len(along) for along in begins], bool)
    for extent in found:
        covered[
            tuple(
                slice(*np.searchsorted(begins[a], (extent[2 * a], extent[2 * a + 1] + 1)))
                for a in range(3)
            )
        ] = True
    inside = tuple(slice(int(np.searchsorted(begins[a], whole[2 * a + 1] + 1))) for a in range(3))
    return bool(covered[inside].all())


def shape_of(extent: Extent) -> tuple[int, ...]:
    """Shape of an array of an extent: z, y, x."""
    return lengths(extent)[::-1]


def place_in(whole: Extent, part: Extent) -> tuple[slice, ...]:
    """Slices of a part in the array of the whole: z, y, x."""
    if not n_points(part):
        return (slice(0),) * 3
    return tuple(
        slice(part[2 * a] - whole[2 * a], part[2 * a + 1] + 1 - whole[2 * a]) for a in (2, 1, 0)
    )


def layers_of(whole: Extent, axis: int, begin: int, end: int) -> Extent:
    """The layers begin to end - 1 of a whole along an axis, counted from its first; clipped."""
    first = whole[2 * axis]
    ends = list(whole)
    ends[2 * axis] = max(first, first + begin)
    ends[2 * axis + 1] = min(whole[2 * axis + 1], first + end - 1)
    return tuple(ends)
