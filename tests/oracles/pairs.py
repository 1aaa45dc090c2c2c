"""Reductions over pairs, dense and masked, in float64: slow and obvious.

Points x (M, D), y (N, D); `mask` (M, N) says which pairs there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def wendland(d2: np.ndarray, radius: float) -> np.ndarray:
    q = np.sqrt(d2) / radius
    return np.where(q < 1, (1 - q) ** 4 * (4 * q + 1), 0.0)


def shifted_gaussian(d2: np.ndarray, sigma: float, cutoff: float) -> np.ndarray:
    shifted = np.exp(-d2 / (2 * sigma**2)) - np.exp(-(cutoff**2) / (2 * sigma**2))
    return np.where(d2 < cutoff**2, shifted, 0.0)


FORMULAS: dict[str, tuple[Callable[..., np.ndarray], dict[str, float]]] = {
    "squared_distance": (lambda d2: d2, {}),
    "distance": (np.sqrt, {}),
    "gaussian": (lambda d2, sigma: np.exp(-d2 / (2 * sigma**2)), {"sigma": 0.3}),
    "shifted_gaussian": (shifted_gaussian, {"sigma": 0.2, "cutoff": 0.5}),
    "laplacian": (lambda d2, sigma: np.exp(-np.sqrt(d2) / sigma), {"sigma": 0.25}),
    "within": (lambda d2, radius: (d2 <= radius**2).astype(float), {"radius": 0.4}),
    "wendland": (wendland, {"radius": 0.6}),
}
"""Every formula that reads no values, with parameters to try it."""


def reduced(pairs: np.ndarray, mask: np.ndarray, reduction: str, k: int = 1) -> Any:
    """A reduction over the columns of `pairs` (M, N) float64; lists of lists for collect."""
    if "_" in reduction:
        return tuple(reduced(pairs, mask, part, k) for part in reduction.split("_"))
    rows = [(row[m], np.flatnonzero(m)) for row, m in zip(pairs, mask, strict=True)]
    if reduction == "sum":
        return np.array([v.sum() for v, _ in rows])
    if reduction == "mean":
        return np.array([v.mean() if len(v) else np.nan for v, _ in rows])
    if reduction == "logsumexp":
        return np.array([log_sum(v) for v, _ in rows])
    if reduction == "count":
        return np.array([np.count_nonzero(v) for v, _ in rows], np.int64)
    if reduction == "collect":
        return [j[v != 0].tolist() for v, j in rows]
    sign = -1 if "max" in reduction else 1
    values = np.full((len(rows), k), sign * np.inf)
    index = np.full((len(rows), k), -1, np.int64)
    for i, (v, j) in enumerate(rows):
        order = np.lexsort((j, sign * v))[:k]
        values[i, : len(order)], index[i, : len(order)] = v[order], j[order]
    found = index if reduction.startswith("arg") else values
    return found if reduction.endswith("kmin") else found[:, 0]


def log_sum(v: np.ndarray) -> float:
    if not len(v):
        return -np.inf
    return float(v.max() + np.log(np.exp(v - v.max()).sum()))
