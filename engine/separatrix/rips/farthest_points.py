"""Samples of points by distance, in any metric: each point is the farthest from those before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import InputError

Metric = str | Callable[..., float]

SCIPYS = {"manhattan": "cityblock", "l1": "cityblock", "l2": "euclidean"}
"""Metrics of scikit-learn that have another name in SciPy."""


def distances_to(points: np.ndarray, metric: Metric) -> Callable[[Any], np.ndarray]:
    """Return a function of rows of points (m,) or one row: their distances to all points."""
    try:
        from scipy.spatial.distance import cdist
    except ImportError as error:
        raise InputError(
            "Distances of points require SciPy, which is not installed. Install it (pip install "
            "scipy) or set {distance_matrix=True}."
        ) from error
    name = SCIPYS.get(metric, metric) if isinstance(metric, str) else metric

    def distances_to_all(rows: Any) -> np.ndarray:
        rows = np.atleast_1d(rows)
        try:
            found = np.asarray(cdist(points[rows], points, name))
        except (ValueError, TypeError) as error:
            raise InputError(
                f"{{metric}} {metric!r} could not be computed: {str(error).rstrip('.')}."
            ) from error
        found[np.arange(len(rows)), rows] = 0
        return found

    return distances_to_all


def farthest_points(
    distances_to_all: Callable[[Any], np.ndarray], n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return n points (n,) int64 by farthest-point sampling, and their distances to all points."""
    chosen, rows = [0], [distances_to_all([0])[0]]
    nearest = rows[0]
    while len(chosen) < n:
        chosen.append(int(nearest.argmax()))
        rows.append(distances_to_all([chosen[-1]])[0])
        nearest = np.minimum(nearest, rows[-1])
    return np.array(chosen, np.int64), np.array(rows)
