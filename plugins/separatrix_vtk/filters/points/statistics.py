"""Numbers that follow from the distances of the nearest other points, all in the points' unit."""

from __future__ import annotations

import math

import numpy as np


def distance_to_measure(distances: np.ndarray, include_self: bool) -> np.ndarray:
    """Distance to the uniform measure on the points, of mass k / n: (n,) from distances (n, k).

    The root of the mean square distance of k points (Chazal, Cohen-Steiner, Merigot 2011, section
    3): those k, or the point itself and the k - 1 nearest others.
    """
    k = distances.shape[1]
    others = distances[:, : k - 1] if include_self else distances
    return np.asarray(np.sqrt((others**2).sum(axis=1) / k))


def local_density(distances: np.ndarray, n_axes: int) -> np.ndarray:
    """Points per volume (per area in the plane), (n,): k over the ball that just reaches them.

    Loftsgaarden and Quesenberry 1965, without the division by n. Infinite where k others lie at
    the very place of a point.
    """
    farthest = distances[:, -1]
    ball = 4 / 3 * math.pi * farthest**3 if n_axes == 3 else math.pi * farthest**2
    with np.errstate(divide="ignore"):
        return np.asarray(distances.shape[1] / ball)
