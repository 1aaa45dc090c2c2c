"""Sparse Rips filtrations: few edges, and bars that are right up to a factor of 1 + epsilon.

Cavanna, Jahanseir, Sheehy, "A geometric perspective on sparse filtrations", 2015:

1. A greedy permutation: each next point is the one farthest from all before it. The points with
   insertion radii of s and more are a net: every point lies within s of one of them.
2. The ball of a point stops growing at (1 + epsilon) / epsilon times its insertion radius. An edge
   comes when two balls touch, later than at the distance if one of them has stopped, or never.

With R_t the Rips and S_t the sparse filtration, S_t lies in R_t, and moving stopped points to the
net maps R_t into S_((1 + epsilon) t), up to contiguity. So bars can be matched such that each end
of a sparse bar is 1 to 1 + epsilon times the exact one's; those left over have death / birth of at
most 1 + epsilon. The triangle inequality is needed. The paper's last step deletes points whose
balls are covered; in a flag complex that may make new cycles, so it is left to edge collapses.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arguments import as_real
from ..device import Session, to_host
from ..device.base import Array
from ..errors import InputError
from ..primitives import exclusive_scan
from ..spatial.points import bounded_points
from .distances import Distances

LEAST_EPSILON = 1e-15  # less is less than a rounding error


def checked_epsilon(epsilon: Any) -> float:
    """A relative error, 0 for none. InputError."""
    error = as_real(epsilon)
    if not (error == 0 or LEAST_EPSILON <= error < math.inf):
        raise InputError(
            "epsilon, the relative error of the bars, must be 0 or a number from "
            f"{LEAST_EPSILON:g} on, got {epsilon!r}"
        )
    return error


def sparse_edges_of_points(
    session: Session, points: Any, epsilon: float, threshold: float = math.inf
) -> Distances:
    """Edges of the sparse filtration of Euclidean points (n, d), with the times at which they come.

    O(n^2 d) distances, of which none is stored.
    """
    checked = bounded_points(session, points, "points")
    n, d = checked.n, checked.d
    host = np.ascontiguousarray(to_host(checked.values).T)
    middle = (checked.low + checked.high)[:, None] / 2
    first = int(((host - middle) ** 2).sum(axis=0).argmin())  # central: a small enclosing radius
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
    """The same of a matrix of distances that keep the triangle inequality."""
    if distances.matrix is None:
        raise InputError(
            "epsilon needs the distances of all pairs: give points or a matrix, or set it to 0"
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
    # Of inf - inf, where no ball stops, nothing is taken; what overflows is never or always.
    with np.errstate(invalid="ignore", over="ignore"):
        late = np.where(d <= larger + smaller, np.maximum(2 * (d - smaller), d), np.inf)
        times = np.where(d <= 2 * smaller, d, late)
    keep = (times <= threshold) & (times < np.inf)
    ends = np.stack([u[keep], v[keep]], axis=1).astype(np.int32)
    return Distances(n, ends=xp.asarray(ends), values=xp.asarray(times[keep]))


def _last_radii(insertion: np.ndarray, epsilon: float) -> Array:
    """Largest radii (n,) of the balls of points with these insertion radii; inf: never stopped."""
    with np.errstate(over="ignore"):
        return insertion * ((1 + epsilon) / epsilon)
