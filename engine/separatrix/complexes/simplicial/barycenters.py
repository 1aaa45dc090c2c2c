"""Where simplices are drawn, and by which ids the user knows them."""

from __future__ import annotations

import numpy as np

from ...device import Session
from ...device.base import Array
from .simplices import Simplices


def barycenters(
    session: Session, simplices: Simplices, points: Array, dimension: int, ids: Array
) -> Array:
    """Means of the corners (k, 3) float64 of simplices by mesh id (k,) int32, on the device.

    `points` (V, 3), or (V, 2) with z = 0, float64 on the device, by the user's point. O(k).
    """
    xp = session.device.xp
    if points.shape[1] == 2:
        points = xp.column_stack([points, xp.zeros(len(points))])
    if dimension == 0:
        return points[simplices.point_of[ids]]
    centers = session.device.empty((ids.size, 3), np.float64)
    edges = (simplices.edge_lower, simplices.edge_upper)
    place = (simplices.point_of, points, centers)
    if dimension == 1:
        session.launch("place_edges", ids.size, ids, *edges, *place)
    elif dimension == 2:
        triangles = (simplices.triangle_edge, simplices.triangle_third)
        session.launch("place_triangles", ids.size, ids, *edges, *triangles, *place)
    else:
        session.launch("place_tets", ids.size, ids, simplices.tets, *place)
    return centers


def users_ids(simplices: Simplices, dimension: int, ids: Array) -> Array:
    """(k,) int64: the user's ids of points and cells; edges and inner triangles keep theirs."""
    if dimension == 0:
        ids = simplices.point_of[ids]
    elif dimension == simplices.dimension:
        ids = simplices.cell_of[ids]
    return ids.astype(np.int64)
