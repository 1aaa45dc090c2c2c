"""Mesh order along a Hilbert curve, and segments, which are intervals of vertices in this order.

Vertices are sorted by (given segment, key, user's id). Keys have 63 bits, 21 per axis, and one
scale for all axes (Skilling 2004; kernels/simplicial/order.h). The order depends only on the points
and the given segments; the size of segments does not change ids.

Segments are the leaves of an octree with at most `segment_size` vertices each (the PR octree of Liu
et al. 2025, section 4.1), runs of equal length, or given by the user. Leaves are intervals of the
Hilbert order for any capacity c, so the capacity changes cuts but not ids. They are computed
directly:

1. w[i] is the octree level that keys i and i + c share; that octant contains more than c vertices.
2. The leaf of vertex i is one level below the highest w of all windows that contain i.
3. A segment begins where the octant of a leaf begins. Octants of the finest level are cut by count.

O(V log c).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...device import Array, Session, array_module, to_host
from ...kernels.source import constant
from ...lazy import cached_property
from ...primitives import compact, exclusive_scan
from ...results import ReprMixin
from ...spatial.points import Points
from ...spatial.uniform_grid import order_by_key

HILBERT_BITS = constant("HILBERT_BITS")


@dataclass(frozen=True, eq=False, repr=False)
class Segments(ReprMixin):
    """Segment k contains mesh vertices starts[k] to starts[k + 1] - 1; starts is (S + 1,) int32."""

    starts: Array

    def __len__(self) -> int:
        return len(self.starts) - 1

    def _summary(self) -> str:
        return f"{len(self):,} segments"

    def of_vertices(self, vertices: Array) -> Array:
        """Return the segment (n,) int32 of each mesh vertex (n,) int32."""
        at = array_module(self.starts).searchsorted(self.starts, vertices, side="right")
        return (at - 1).astype(np.int32)

    @cached_property
    def host_starts(self) -> np.ndarray:
        """The starts, in host memory."""
        return to_host(self.starts)


def hilbert_order(session: Session, points: Points) -> tuple[Array, Array]:
    """Return point_of (V,) int32, ascending by (key, point), and the keys (V,) int64. O(V)."""
    device, n = session.device, points.n
    keys = device.empty(n, np.int64)
    if n:
        extent = float((points.high - points.low).max())
        scale = 2.0**HILBERT_BITS / extent if extent > 2.0**-1000 else 0.0
        low = session.upload(np.append(points.low, 0.0)[:3])
        device.launch("key_along_hilbert", n, points.values, points.d, low, scale, keys)
    return order_by_key(session, keys, 1 << (3 * HILBERT_BITS))


def octree_leaves(session: Session, keys: Array, capacity: int) -> Segments:
    """Return octree leaves of at most `capacity` vertices, from ascending Hilbert keys (V,)."""
    xp, n = session.device.xp, keys.size
    if n == 0:
        return Segments(xp.zeros(1, np.int32))
    capacity = min(capacity, n)
    leaf_level = _leaf_levels(session, keys, capacity)
    is_start = session.device.empty(n, np.uint8)
    session.launch("begin_leaves", n, keys, leaf_level, is_start)
    starts = compact(is_start)
    # Only octants of the finest level can exceed the capacity.
    n_pieces, sizes = session.device.empty(starts.size, np.int32), (starts.size, n, capacity)
    session.launch("count_pieces", starts.size, starts, *sizes, n_pieces)
    pieces = exclusive_scan(n_pieces)
    cuts = session.device.empty(int(pieces[-1]) + 1, np.int32)
    session.launch("cut_leaves", cuts.size, starts, pieces, *sizes, cuts)
    return Segments(cuts)


def _leaf_levels(session: Session, keys: Array, capacity: int) -> Array:
    """Return the level (V,) uint8 of the leaf of each vertex; 0 is the root."""
    n = keys.size
    level = session.device.zeros(n, np.uint8)
    if n <= capacity:
        return level
    # The windows that contain vertex i begin at i - capacity to i; none begin at the end.
    session.launch("share_levels", n - capacity, keys, capacity, level)
    width = 1
    while width < capacity + 1:
        step = min(width, capacity + 1 - width)
        wider = session.device.empty(n, np.uint8)
        session.launch("join_windows", n, level, step, wider)
        level = wider
        width += step
    return level


def equal_runs(session: Session, n_vertices: int, size: int) -> Segments:
    """Return runs of `size` vertices, the last one shorter."""
    xp = session.device.xp
    begins = xp.arange(
        0, n_vertices, min(size, max(n_vertices, 1))
    )  # the size may exceed the range of int32
    return Segments(xp.append(begins, n_vertices).astype(np.int32))


def by_labels(session: Session, labels: Any, point_of: Array) -> tuple[Segments, Array]:
    """Return segments by ascending label, and the vertices sorted stably by label."""
    xp = session.device.xp
    values, label = xp.unique(session.upload(labels), return_inverse=True)
    label = label.ravel().astype(np.int64)[point_of]
    order, ranks = order_by_key(session, label, max(values.size, 1))
    starts = xp.searchsorted(ranks, xp.arange(values.size + 1), side="left")
    return Segments(starts.astype(np.int32)), point_of[order]
