"""Point sets to try things on, and neighbors by comparing all pairs in float64."""

from __future__ import annotations

import numpy as np

Points = np.ndarray


def squared_distances(x: Points, y: Points) -> np.ndarray:
    """(n, m) float64, each sum from the first coordinate to the last."""
    total = np.zeros((len(x), len(y)))
    for axis in range(x.shape[1]):
        along = x[:, axis, None].astype(float) - y[None, :, axis].astype(float)
        total = total + along * along
    return total


def neighbor_lists(x: Points, y: Points, radius: float) -> list[list[int]]:
    """Indices of y within the closed radius of each x, ascending."""
    return [np.flatnonzero(row <= radius * radius).tolist() for row in squared_distances(x, y)]


def nearest_lists(
    x: Points, y: Points, k: int, include_self: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """(distances, indices) (n, k) by (squared distance, index); inf and -1 for none."""
    d2 = squared_distances(x, y)
    if not include_self:
        np.fill_diagonal(d2, np.inf)
    distances, indices = np.full((len(x), k), np.inf), np.full((len(x), k), -1)
    for row, all_of_row in enumerate(d2):
        order = np.argsort(all_of_row, kind="stable")[:k]
        order = order[all_of_row[order] < np.inf]
        distances[row, : len(order)] = np.sqrt(all_of_row[order])
        indices[row, : len(order)] = order
    return distances, indices


def lattice(n: int, d: int) -> Points:
    """Whole numbers 0 .. n - 1 along d axes: ties everywhere, and 3-4-5 triangles."""
    return np.stack(np.meshgrid(*[np.arange(n)] * d), axis=-1).reshape(-1, d).astype(float)


def point_sets(seed: int = 7) -> dict[str, Points]:
    """Small sets (n, 3), one for each way of lying in space."""
    random = np.random.default_rng(seed)
    uniform = random.random((300, 3))
    line = np.zeros((200, 3))
    line[:, 1] = random.random(200)
    return {
        "uniform": uniform,
        "lattice": random.permutation(lattice(6, 3)),
        "clusters and lone outliers": np.concatenate(
            [
                0.5 + 1e-3 * random.normal(size=(150, 3)),
                1e-5 * random.normal(size=(100, 3)),
                [[1e3, 0, 0], [-1e6, 5.0, 5.0], [0, 1e9, 0], [0, 1e9, 1.0]],
            ]
        ),
        "duplicates": np.repeat(random.random((8, 3)), 30, axis=0)[random.permutation(240)],
        "one place": np.full((90, 3), 0.25),
        "two places": np.repeat([[0.0, 0, 0], [1.0, 0, 0]], 40, axis=0),
        "a line": line,
        "a plane": uniform * [1, 0, 1],
        "a tilted plane": uniform[:, :2] @ random.normal(size=(2, 3)),
        "negative": uniform - 5.0,
        "huge": 1e30 + 1e15 * random.integers(0, 9, (200, 3)),
        "huge and apart": 1e140 * (uniform - 0.5),
        "tiny": 1e-140 * uniform,
        "far from the origin": 1e9 + uniform,
        "one point": uniform[:1],
        "two points": uniform[:2],
        "none": uniform[:0],
    }


SCALES = {
    "clusters and lone outliers": (0.0, 1e-5, 1e-3, 1.0, 2e9),
    "huge": (0.0, 1e15, 3e15, 1e-3, 1e31),
    "huge and apart": (0.0, 1e139, 1.0, 3e140),
    "tiny": (0.0, 1e-141, 2e-140, 1.0),
    "lattice": (0.0, 1.0, 2.0, 3.0, 5.0, 2.5),
}
"""Radii that matter, by set."""


def radii_of(name: str) -> tuple[float, ...]:
    """Radii to try on a set: none, few, many and all pairs."""
    return (*SCALES.get(name, (0.0, 0.05, 0.2, 0.5, 1.0, 20.0)), np.inf)
