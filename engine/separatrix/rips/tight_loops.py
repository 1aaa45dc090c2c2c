"""Tight loops: closed walks that are pulled taut within the complex at a distance.

A loop is changed one point at a time, through triangles whose edges are shorter than the distance:
a point is omitted if its neighbors are close enough, or replaced by the point that shortens the
loop most. Such a change is a homotopy in the complex, so the class stays the same over any field.
First, points are omitted at a distance shortly before the death of the bar, which unwinds the loop
from other holes, and points are inserted until its edges are short enough. No cocycles are needed,
and any number of points is possible. The result cannot be shortened by another such change, but
other loops of the class may be shorter.
"""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from ..device import as_array, to_host
from ..errors import InputError, Words
from .bar_table import BarTable
from .short_loops import CLOSER, checked_distances, end_of_bar

ROUNDS = 100  # in which each point is replaced at most once; usually about 10 suffice
LEAST = 1e-9  # relative decrease of a length that counts
LATE = 0.9  # of a bar, where loops are simplified, since many other ones have ended


class Lengths(Protocol):
    """Distances between n points."""

    def of(self, u: int, others: np.ndarray) -> np.ndarray:
        """Return the distances from a point to others."""

    def between(self, u: int, v: int) -> float:
        """Return the distance of two points."""

    def near(self, loop: list[int], reach: float) -> np.ndarray:
        """Return all points nearer than `reach` to one of a loop, and maybe others, ascending."""


class LengthsOfPoints:
    """Euclidean distances of points (n, d) float64."""

    def __init__(self, points: np.ndarray) -> None:
        self.axes = np.ascontiguousarray(points.T, np.float64)

    def of(self, u: int, others: np.ndarray) -> np.ndarray:
        return np.sqrt(sum((axis[others] - axis[u]) ** 2 for axis in self.axes))

    def between(self, u: int, v: int) -> float:
        total = 0.0
        for axis in self.axes:
            difference = axis.item(v) - axis.item(u)
            total += difference * difference
        return math.sqrt(total)

    def near(self, loop: list[int], reach: float) -> np.ndarray:
        """Return the points of a box around the loop."""
        reach *= 1 + LEAST  # more than the rounding of distances
        places = None
        for axis in self.axes:
            values = axis if places is None else axis[places]
            low, high = axis[loop].min() - reach, axis[loop].max() + reach
            inside = np.flatnonzero((values >= low) & (values <= high))
            places = inside if places is None else places[inside]
        assert places is not None
        return places


class LengthMatrix:
    """Distances in a matrix (n, n)."""

    def __init__(self, matrix: np.ndarray) -> None:
        self.matrix, self.everything = matrix, np.arange(len(matrix))

    def of(self, u: int, others: np.ndarray) -> np.ndarray:
        return np.asarray(self.matrix[u, others])

    def between(self, u: int, v: int) -> float:
        return self.matrix.item(u, v)

    def near(self, loop: list[int], reach: float) -> np.ndarray:
        """Return all points."""
        return self.everything


def lengths_of(bars: BarTable, points: Any, distances: Any) -> Lengths:
    """Return the distances of points (n, d), or those of a matrix (n, n)."""
    if (points is None) == (distances is None):
        raise InputError("Exactly one of {points} and {distances} must be given.")
    if distances is not None:
        return LengthMatrix(checked_distances(bars, distances))
    array = to_host(as_array(points, "points"))
    if array.ndim != 2 or len(array) != bars.n_points or array.dtype.kind not in "fiu":
        got = Words(f"dtype {array.dtype} and shape {array.shape}")
        raise InputError("points", f"real numbers of shape ({bars.n_points}, d)", got)
    return LengthsOfPoints(array)


def checked_walk(bars: BarTable, walk: Any) -> list[int]:
    """Return the points of a closed walk without the last one, which repeats the first."""
    array = to_host(as_array(walk, "walk"))
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) < 2 or array[0] != array[-1]:
        got = Words(f"dtype {array.dtype} and shape {array.shape}")
        raise InputError("walk", "points that begin and end with the same one", got)
    if array.min() < 0 or array.max() >= bars.n_points:
        raise InputError("walk", f"points from 0 to {bars.n_points - 1:,}", int(array.max()))
    return [int(u) for u in array[:-1]]


def distance_within(bars: BarTable, bar: int, part: float) -> float:
    """Return the distance at this fraction of a bar."""
    birth = float(bars.birth[bar])
    return birth + part * (end_of_bar(bars, bar) - birth)


def tight_loop(walk: list[int], lengths: Lengths, until: float, late: float) -> list[int]:
    """Return a closed walk with edges below `until`, homotopic to the given one at `late`.

    The first point is repeated at the end; [] if the walk contracts to a point.
    """
    until, late = CLOSER * until, CLOSER * late
    few = _without_detours(walk, lengths, late)
    fine = _refined(few, lengths, until)
    loop = _tightened(walk if fine is None else fine, lengths, until) if few else []
    return [*loop, loop[0]] if loop else []


def _refined(loop: list[int], lengths: Lengths, until: float) -> list[int] | None:
    """Insert points until all edges are shorter than `until`, through triangles with them.

    None if an edge is not the longest of any triangle.
    """
    refined = list[int]()
    waiting = [*loop, *loop[:1]][::-1]
    while len(waiting) > 1:
        at, after = waiting[-1], waiting[-2]
        length = lengths.between(at, after)
        if not length < until:
            near = lengths.near([at], length)
            longest = np.maximum(lengths.of(at, near), lengths.of(after, near))
            middle = int(longest.argmin())
            if not longest[middle] < length:
                return None
            waiting.insert(-1, int(near[middle]))
            continue
        refined.append(waiting.pop())
    return refined


def _tightened(walk: list[int], lengths: Lengths, until: float) -> list[int]:
    """Return a closed walk without the repeated point; [] if it contracts to a point."""
    loop = list(walk)
    for _ in range(ROUNDS):
        loop = _without_detours(loop, lengths, until)
        if not loop or not _replace_points(loop, lengths, until):
            break
    return loop


def _without_detours(loop: list[int], lengths: Lengths, until: float) -> list[int]:
    """Omit points whose neighbors are the same or close enough, until there are no such points.

    Returns [] if fewer than three are left.
    """
    kept: list[int] = []
    n_left = 2 * len(loop)  # a second turn, since later omissions make earlier ones possible
    waiting = list(loop)
    while waiting and len(waiting) + len(kept) > 2 and n_left > 0:
        n_left -= 1
        before = kept[-1] if kept else waiting[-1]
        at = waiting.pop(0)
        after = waiting[0] if waiting else kept[0]
        if before in (at, after) or lengths.between(before, after) < until:
            n_left += before != at  # an omission gives its neighbor another chance
            if kept:
                waiting.insert(0, kept.pop())
            continue
        kept.append(at)
    return kept + waiting if len(kept) + len(waiting) > 2 else []


def _replace_points(loop: list[int], lengths: Lengths, until: float) -> bool:
    """Replace points in turn by those that shorten the loop most; return whether any changed."""
    changed = False
    around = lengths.near(loop, until)
    for i, at in enumerate(loop):
        before, after = loop[i - 1], loop[(i + 1) % len(loop)]
        near = around[lengths.of(at, around) < until]
        to_before, to_after = lengths.of(before, near), lengths.of(after, near)
        length = np.where((to_before < until) & (to_after < until), to_before + to_after, np.inf)
        best = int(length.argmin())
        now = lengths.between(before, at) + lengths.between(after, at)
        if length[best] < now * (1 - LEAST):
            loop[i] = int(near[best])
            changed = True
    return changed
