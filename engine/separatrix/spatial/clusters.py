"""Clusters of points by the cells of a grid, and by coarser levels of cells.

Points are sorted along the Morton curve of the cells, and by index within a cell. Thus cells of all
levels are runs of sorted positions (Samet 2006, linear octrees).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device import Session
from ..device.arrays import as_array, beside, current_for
from ..device.base import Array
from ..device.session import Progress
from ..errors import InputError, wrong_shape
from ..options import known_keywords
from ..plotting.scenes import draw_points, points_of
from ..repr_mixin import ReprMixin
from .points import (
    Points,
    as_points,
    bounded_points,
    checked_radius,
    require_dimension,
    require_sorted,
)
from .uniform_grid import CELLS_ALONG, order_by_key

STAGES = {"points": 0.2, "sort": 0.5, "describe": 0.3}
MOST_LEVELS = 21


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(ReprMixin):
    """C clusters of n points, in the order of their cells along the Morton curve.

    Attributes
    ----------
    size : float
        Edge of the cells, in the unit of the points.
    labels : (n,) int64
        Cluster of each point, in the caller's order.
    ranges : (C, 2) int64
        Half-open runs of sorted positions.
    centroids : (C, d) float64
        Means of the points.
    boxes : (C, 2, d) float64
        Lowest and highest coordinates of the points.
    order, inverse : (n,) int64
        Caller's index at each sorted position, and sorted position of each index.
    points : (n, d), dtype as given
        Sorted points.
    parents : (C,) int64 or None
        Cluster of the next coarser level that contains each; None at the coarsest.
    coarser : Clusters or None
        Next level, whose cells are twice as long.
    """

    size: float
    labels: Array
    ranges: Array
    centroids: Array
    boxes: Array
    order: Array
    inverse: Array
    points: Array
    parents: Array | None
    coarser: Clusters | None

    def _summary(self) -> str:
        return f"{self.labels.size:,} points: {self.n:,} of size {self.size:g}"

    @property
    def n(self) -> int:
        """Number of clusters."""
        return int(self.ranges.shape[0])

    @property
    def levels(self) -> tuple[Clusters, ...]:
        """This level and all coarser ones."""
        return (self,) if self.coarser is None else (self, *self.coarser.levels)

    def plot(self, plotter: Any = None) -> Any:
        """Draw the points in the colors of their clusters, with PyVista; return the plotter."""
        return draw_points(plotter, points_of(self.points), self.sort(self.labels))

    def sort(self, *arrays: Any) -> Any:
        """Return arrays (n, ...) in sorted order: one array, or a tuple of several."""
        found = []
        for k, given in enumerate(arrays):
            array = as_array(given, f"arrays[{k}]")
            if array.ndim < 1 or array.shape[0] != self.order.size:
                expected = f"an array of {self.order.size} rows, one per point"
                raise wrong_shape(f"arrays[{k}]", expected, array)
            with current_for(self.order):
                found.append(beside(array, self.order)[self.order])
        return found[0] if len(found) == 1 else tuple(found)


@known_keywords
def cluster(
    points: Any,
    size: float,
    *,
    levels: int = 1,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Clusters:
    """Cluster points by cubic cells.

    Parameters
    ----------
    points : (n, d) array_like, d from 1 to 3
        Float32 or float64.
    size : float
        Positive edge of the cells, in the unit of the points. At most 2^21 cells fit along an axis.
    levels : int, from 1 to 21
        Number of levels, each with cells twice as long as the previous one (an octree).
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`.

    Returns
    -------
    Clusters
        The finest level; ``levels`` and ``coarser`` contain the others.

    Raises
    ------
    InputError
        If a coordinate is NaN or infinite, or `size` is not positive or too small.
    """
    given = as_points(points, "points")
    size = checked_radius(size, "size", is_positive=True)
    levels = checked_whole(levels, "levels", 1, MOST_LEVELS)
    session = Session(given, device, threads, memory_limit)
    with session.call(progress, STAGES):
        require_sorted(session, given)
        with session.stage("points"):
            checked = bounded_points(session, given, "points")
            require_dimension(checked, most=3)
            _check_cells(checked, size)
        with session.stage("sort"):
            order, keys = _along_curve(session, checked, size)
        with session.stage("describe"):
            return _described(session, checked, size, levels, order.astype(np.int64), keys)


def _check_cells(points: Points, size: float) -> None:
    if not points.n:
        return
    axis = int((points.high - points.low).argmax())
    extent = float(points.high[axis] - points.low[axis])
    if extent / size >= CELLS_ALONG:
        raise InputError(
            f"The number of cells along axis {axis}, of extent {extent:g}, is {extent / size:.3g} "
            f"for {{size}} {size:g}; the maximum is {CELLS_ALONG:,}. Set {{size}} to at least "
            f"{extent / (CELLS_ALONG - 1):.3g}."
        )


def _along_curve(session: Session, points: Points, size: float) -> tuple[Array, Array]:
    """Return the order along the Morton curve, int32, and the sorted keys."""
    if not points.n:
        return session.device.empty(0, np.int32), session.device.empty(0, np.int64)
    low = session.upload(points.low)
    keys = session.device.empty(points.n, np.int64)
    session.launch("key_along_curve", points.n, points.values, points.d, low, size, keys)
    bits = max(int(float((points.high - points.low).max()) / size), 1).bit_length()
    return order_by_key(session, keys, 1 << (bits * points.d))


def _described(
    session: Session, points: Points, size: float, levels: int, order: Array, keys: Array
) -> Clusters:
    """Return the finest level, which refers to the others."""
    device, xp = session.device, session.device.xp
    n, d = points.n, points.d
    inverse = device.empty(n, np.int64)
    inverse[order] = xp.arange(n, dtype=np.int64)
    values = xp.ascontiguousarray(points.values[order])
    result = session.result
    shared = (result(order), result(inverse), result(xp.ascontiguousarray(points.given[order])))
    coarser: Clusters | None = None
    coarser_of: Array | None = None
    for level in range(levels - 1, -1, -1):
        cell = keys >> (level * d)
        heads = xp.ones(n, bool)
        heads[1:] = cell[1:] != cell[:-1]
        cluster_of = xp.cumsum(heads, dtype=np.int64) - 1  # of sorted positions
        begin = xp.flatnonzero(heads)
        end = xp.concatenate([begin[1:], xp.asarray([n], np.int64)])[: begin.size]
        ranges = xp.stack([begin, end], axis=1).astype(np.int64)
        boxes = device.empty((begin.size, 2, d), np.float64)
        centroids = device.empty((begin.size, d), np.float64)
        flat = (ranges.reshape(-1), boxes.reshape(-1), centroids.reshape(-1))
        session.launch("describe_ranges", int(begin.size), values, d, *flat)
        parents = None if coarser_of is None else result(coarser_of[begin])
        coarser = Clusters(
            size * 2**level, result(cluster_of[inverse]), result(ranges), result(centroids),
            result(boxes), *shared, parents, coarser,
        )  # fmt: skip
        coarser_of = cluster_of
    assert coarser is not None
    return coarser
