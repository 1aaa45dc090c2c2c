"""Clusters of points by the cells of a grid, and by coarser levels of cells, or by labels.

Points are sorted along the Morton curve of the cells, and by index within a cell. Thus cells of all
levels are runs of sorted positions (Samet 2006, linear octrees). Labels, for example of k-means or
of a domain decomposition, are sorted by value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device import Array, Progress, Session, as_array, current_for, in_memory_of
from ..errors import InputError, Words, wrong_shape
from ..options import known_keywords
from ..plotting.scenes import draw_points, points_of
from ..primitives import uploaded_reals
from ..results import ReprMixin
from .pattern_input import integers
from .points import (
    Points,
    as_points,
    bounded_points,
    checked_radius,
    checked_weights,
    largest_finite,
    require_dimension,
    require_sorted,
)
from .uniform_grid import CELLS_ALONG, order_by_key

STAGES = {"points": 0.2, "sort": 0.5, "describe": 0.3}
MOST_LEVELS = 21
MOST_BITS = 63  # of a key


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(ReprMixin):
    """C clusters of n points, in the order of their cells along the Morton curve, or of labels.

    Attributes
    ----------
    size : float or None
        Edge of the cells, in the unit of the points; None for clusters by labels.
    labels : (n,) int64
        Cluster of each point, in the caller's order.
    ranges : (C, 2) int64
        Half-open runs of sorted positions.
    centroids : (C, d) float64
        Means of the points, weighted if weights are given and not all 0.
    radii : (C,) float64
        Largest distance of a point of the cluster from its centroid.
    weights : (C,) float64
        Sums of the weights, by default numbers of points.
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

    size: float | None
    labels: Array
    ranges: Array
    centroids: Array
    radii: Array
    weights: Array
    boxes: Array
    order: Array
    inverse: Array
    points: Array
    parents: Array | None
    coarser: Clusters | None

    def _summary(self) -> str:
        size = "" if self.size is None else f" of size {self.size:g}"
        return f"{self.labels.size:,} points: {self.n:,}{size}"

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
                found.append(in_memory_of(array, self.order)[self.order])
        return found[0] if len(found) == 1 else tuple(found)


@known_keywords
def cluster(
    points: Any,
    size: float | None = None,
    *,
    labels: Any = None,
    weights: Any = None,
    levels: int = 1,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Clusters:
    """Cluster points by cubic cells, or by labels. O(n log n).

    Parameters
    ----------
    points : (n, d) array_like
        Float32 or float64; d is at most 63 for cells.
    size : float, unless there are labels
        Positive edge of the cells, in the unit of the points. At most 2^21 cells fit along an axis,
        and for d > 3, 2^(63 // d).
    labels : (n,) array_like of integers, unless there is a size
        Points of equal labels form a cluster. Clusters are in the order of the labels that occur.
    weights : (n,) array_like, optional
        Non-negative weights of the points for centroids.
    levels : int, from 1 to 21
        Number of levels, each with cells twice as long as the previous one (an octree). 1 for
        labels.
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`.

    Returns
    -------
    Clusters
        The finest level; ``levels`` and ``coarser`` contain the others.

    Raises
    ------
    InputError
        If a coordinate or a weight is NaN or infinite, a weight is negative, `size` is not positive
        or too small, or both or none of `size` and `labels` are given.

    Examples
    --------
    >>> import numpy as np, separatrix as sx
    >>> found = sx.cluster(np.array([[0.0], [5.0], [2.0]]), labels=[7, 3, 7])
    >>> found.order.tolist(), found.centroids.tolist(), found.radii.tolist()
    ([1, 0, 2], [[5.0], [1.0]], [0.0, 1.0])
    """
    given = as_points(points, "points")
    n = len(given)
    if (size is None) == (labels is None):
        got = Words("both" if labels is not None else "neither")
        raise InputError("size", "given, or {labels}, but not both", got)
    if size is not None:
        size = checked_radius(size, "size", is_positive=True)
    else:
        labels = integers(labels, "labels")
        if labels.size != n:
            raise wrong_shape("labels", f"an array of shape ({n},), one label per point", labels)
    if weights is not None:
        weights = checked_weights(weights, n)
    levels = checked_whole(levels, "levels", 1, MOST_LEVELS)
    if labels is not None and levels > 1:
        raise InputError("levels", "1 for clusters by {labels}", levels)
    session = Session(given, device, threads, memory_limit)
    with session.call(progress, STAGES):
        require_sorted(session, given)
        with session.stage("points"):
            checked = bounded_points(session, given, "points")
            if weights is not None:
                weights = uploaded_reals(session, weights)
                largest_finite(weights, "weights")
                if n and float(weights.min()) < 0:
                    raise InputError("weights", "non-negative", float(weights.min()))
        with session.stage("sort"):
            if size is not None:
                order, keys = _along_curve(session, checked, size)
            else:
                found, keys = session.device.xp.unique(session.upload(labels), return_inverse=True)
                keys = keys.reshape(-1).astype(np.int64)
                order, keys = order_by_key(session, keys, max(found.size, 1))
        with session.stage("describe"):
            return _described(session, checked, weights, size, levels, order.astype(np.int64), keys)


def _along_curve(session: Session, points: Points, size: float) -> tuple[Array, Array]:
    """Return the order along the Morton curve, int32, and the sorted keys. Raises InputError."""
    if not points.n:
        return session.device.empty(0, np.int32), session.device.empty(0, np.int64)
    axis = int((points.high - points.low).argmax())
    extent = float(points.high[axis] - points.low[axis])
    require_dimension(points, most=MOST_BITS)
    most = min(CELLS_ALONG, 2 ** (MOST_BITS // points.d))
    if extent / size >= most:
        raise InputError(
            f"The number of cells along axis {axis}, of extent {extent:g}, is {extent / size:.3g} "
            f"for {{size}} {size:g}; the maximum is {most:,}. Set {{size}} to at least "
            f"{extent / (most - 1):.3g}."
        )
    bits = max(int(extent / size), 1).bit_length()
    low, keys = session.upload(points.low), session.device.empty(points.n, np.int64)
    session.launch("key_along_curve", points.n, points.values, points.d, low, size, bits, keys)
    return order_by_key(session, keys, 1 << (bits * points.d))


def _described(
    session: Session,
    points: Points,
    weights: Array | None,
    size: float | None,
    levels: int,
    order: Array,
    keys: Array,
) -> Clusters:
    """Return the finest level, which refers to the others."""
    device, xp = session.device, session.device.xp
    n, d = points.n, points.d
    inverse = device.empty(n, np.int64)
    inverse[order] = xp.arange(n, dtype=np.int64)
    values = xp.ascontiguousarray(points.values[order])
    weight = xp.ones(1) if weights is None else weights[order]
    result = session.result
    shared = (result(order), result(inverse), result(xp.ascontiguousarray(points.given[order])))
    coarser: Clusters | None = None
    coarser_of: Array | None = None
    for level in range(levels - 1, -1, -1):
        cell = keys >> min(level * d, MOST_BITS)
        heads = xp.ones(n, bool)
        heads[1:] = cell[1:] != cell[:-1]
        cluster_of = xp.cumsum(heads, dtype=np.int64) - 1  # of sorted positions
        begin = xp.flatnonzero(heads)
        end = xp.concatenate([begin[1:], xp.asarray([n], np.int64)])[: begin.size]
        ranges = xp.stack([begin, end], axis=1).astype(np.int64)
        boxes = device.empty((begin.size, 2, d), np.float64)
        centroids = device.empty((begin.size, d), np.float64)
        radii, totals = (device.empty(begin.size, np.float64) for _ in range(2))
        flat = (ranges.reshape(-1), boxes.reshape(-1), centroids.reshape(-1), radii, totals)
        described = (values, d, weight, int(weights is not None), *flat)
        session.launch("describe_ranges", int(begin.size), *described)
        parents = None if coarser_of is None else result(coarser_of[begin])
        coarser = Clusters(
            None if size is None else size * 2**level, result(cluster_of[inverse]), result(ranges),
            result(centroids), result(radii), result(totals), result(boxes), *shared, parents,
            coarser,
        )  # fmt: skip
        coarser_of = cluster_of
    assert coarser is not None
    return coarser
