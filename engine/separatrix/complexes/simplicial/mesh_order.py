"""Mesh order: vertices along a Hilbert curve, so that what is near in space is near in memory.

1. Keys of 63 bits, 21 an axis, one scale for all axes.
2. One sort by (segment if the user gave them, key, user's id).

The order depends on points and given segments alone: how large segments are moves no id.
Skilling 2004; kernels/simplicial/order.h.
"""

from __future__ import annotations

import numpy as np

from ...device import Session
from ...device.base import Array
from ...kernels.source import constant
from ...spatial.points import Points
from ...spatial.uniform_grid import order_by_key

HILBERT_BITS = constant("HILBERT_BITS")


def hilbert_order(session: Session, points: Points) -> tuple[Array, Array]:
    """(point_of (V,) int32, keys (V,) int64 in that order): ascending by (key, point). O(V)."""
    device, n = session.device, points.n
    keys = device.empty(n, np.int64)
    if n:
        extent = float((points.high - points.low).max())
        scale = 2.0**HILBERT_BITS / extent if extent > 2.0**-1000 else 0.0
        low = session.upload(np.append(points.low, 0.0)[:3])
        device.launch("key_along_hilbert", n, points.values, points.d, low, scale, keys)
    return order_by_key(session, keys, 1 << (3 * HILBERT_BITS))


def inverse_of(session: Session, order: Array) -> Array:
    """Where each item is in a permutation: order (n,) int32 -> (n,) int32."""
    inverse = session.device.empty(order.size, np.int32)
    session.launch("invert_permutation", order.size, order, inverse)
    return inverse
