"""Sparse Rips filtrations: fewer edges, and bars that are correct up to a factor of 1 + epsilon.

Cavanna, Jahanseir, Sheehy, "A geometric perspective on sparse filtrations", 2015:

1. In a greedy permutation, each point is the one farthest from all points before it. The points
   with insertion radii of at least s form a net: every point is within s of one of them.
2. The ball of a point stops growing at (1 + epsilon) / epsilon times its insertion radius. An edge
   is born when two balls touch: later than at the distance if one of them has stopped, or never.

If R_t is the Rips filtration and S_t the sparse one, S_t is a subset of R_t, and moving stopped
points to the net maps R_t into S_((1 + epsilon) t), up to contiguity. Therefore bars can be matched
such that each endpoint of a sparse bar is 1 to 1 + epsilon times the exact one; unmatched bars have
death / birth of at most 1 + epsilon. The triangle inequality is required. The last step of the
paper deletes points whose balls are covered. In a flag complex this may create cycles, so edge
collapses are used instead.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arguments import as_real
from ..device import Array, Session, to_host
from ..errors import InputError
from ..primitives import exclusive_scan
from ..spatial.points import bounded_points
from .distances import Distances

LEAST_EPSILON = 1e-15  # smaller values are below the rounding error


def checked_epsilon(epsilon: Any) -> float:
    """Return the relative error as a float, 0 for none. Raises InputError."""
    error = as_real(epsilon)
    if not (error == 0 or LEAST_EPSILON <= error < math.inf):
        raise InputError("epsilon", f"0 or a finite number of at least {LEAST_EPSILON:g}", epsilon)
    return error


def sparse_edges_of_points(
    session: Session, points: Any, epsilon: float, threshold: float = math.inf
) -> Distances:
    """Return the edges of the sparse filtration of Euclidean points (n, d), with their births.

    O(n^2 d) time; distances are not stored.
    """
    checked = bounded_points(session, points, "points")
    n, d = checked.n, checked.d
    host = np.ascontiguousarray(to_host(checked.values).T)
    middle = (checked.low + checked.high)[:, None] / 2
    first = int(((host - middle) ** 2).sum(axis=0).argmin())  # central, for small insertion radii
    order, squared = np.empty(n, np.int32), np.empty(n, np.float64)
    session.host.run("greedy_points", host.reshape(-1), n, d, first, order, squared)
    coordinates = session.upload(np.ascontiguousarray(host[:, order]).reshape(-1))
    last, order = session.upload(_last_radii(np.sqrt(squared), epsilon)), session.upload(order)
    rows = (coordinates, n, d, last, order, threshold)
    counts = session.device.empty(n, np.int64)
    session.launch("rips_sparse_count", n, *rows, counts)
    offsets = exclusive_scan(counts)
    m = int(offsets[-1])
    session.memory.require(24 * m, f"a sparse filtration of {m:,} edges")
    ends, values = session.device.empty(2 * m, np.int32), session.device.empty(m, np.float64)
    session.launch("rips_sparse_edges", n, *rows, offsets, ends, values)
    return Distances(n, ends=ends.reshape(-1, 2), values=values)


def sparse_edges_of_matrix(
    session: Session, distances: Distances, epsilon: float, threshold: float = math.inf
) -> Distances:
    """Return the edges of the sparse filtration of a matrix that has the triangle inequality."""
    if distances.matrix is None:
        raise InputError(
            "{epsilon} requires the distances of all pairs. Give {points} or {distances}, or set "
            "{epsilon=0}."
        )
    n, xp = distances.n, session.device.xp
    matrix = np.ascontiguousarray(to_host(distances.matrix), np.float64)
    order, radius = np.empty(n, np.int32), np.empty(n, np.float64)
    first = int(matrix.max(axis=1).argmin())
    session.host.run("greedy_matrix", matrix.reshape(-1), n, first, order, radius)
    last_of = np.empty(n)
    last_of[order] = _last_radii(radius, epsilon)
    u, v = np.triu_indices(n, 1)
    d = matrix[u, v]
    smaller, larger = np.minimum(last_of[u], last_of[v]), np.maximum(last_of[u], last_of[v])
    # inf - inf occurs only if no ball stops, where d is selected. Overflows compare correctly.
    with np.errstate(invalid="ignore", over="ignore"):
        late = np.where(d <= larger + smaller, np.maximum(2 * (d - smaller), d), np.inf)
        times = np.where(d <= 2 * smaller, d, late)
    keep = (times <= threshold) & (times < np.inf)
    ends = np.stack([u[keep], v[keep]], axis=1).astype(np.int32)
    return Distances(n, ends=xp.asarray(ends), values=xp.asarray(times[keep]))


def _last_radii(insertion: np.ndarray, epsilon: float) -> Array:
    """Return the maximum radii (n,) of balls with these insertion radii; inf if unbounded."""
    with np.errstate(over="ignore"):
        return insertion * ((1 + epsilon) / epsilon)
