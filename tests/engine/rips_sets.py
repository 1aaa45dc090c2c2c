"""Sets to compute barcodes of: generated ones, and those of a folder that may be there."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np

import separatrix as sx
from oracles.rips import cross_polytope, n_cycle, projective_plane
from reliability.whole_results import arrays_of


def barcode(bars: sx.Barcodes) -> list[tuple[int, float, float]]:
    """(dimension, birth, death) of each bar, in their order."""
    return list(zip(bars.dimension.tolist(), bars.birth.tolist(), bars.death.tolist(), strict=True))


def distances_of(points: np.ndarray) -> np.ndarray:
    """(n, n) float64."""
    return np.linalg.norm(points[:, None] - points, axis=2)


def torus(n: int, seed: int = 3) -> np.ndarray:
    """Points (n, 3) on a torus, evenly by its two angles."""
    a, b = np.random.default_rng(seed).uniform(0, 2 * np.pi, (2, n))
    r = 3 + np.cos(b)
    return np.stack([r * np.cos(a), r * np.sin(a), np.sin(b)], 1)


def linked_circles(n: int) -> np.ndarray:
    """Points (2 n, 3) on two circles, each through the other's center."""
    turn = np.arange(n) * 2 * np.pi / n
    zero = np.zeros(n)
    one = np.stack([np.cos(turn), np.sin(turn), zero], 1)
    other = np.stack([1 + np.cos(turn), zero, np.sin(turn)], 1)
    return np.concatenate([one, other])


def noisy_sphere(n: int, seed: int = 4) -> np.ndarray:
    """Points (n, 3) near the unit sphere."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] + 0.02 * rng.normal(size=(n, 3))


GENERATED = {
    "torus": (distances_of(torus(100)), 2),
    "linked circles": (distances_of(linked_circles(24)), 2),
    "noisy sphere": (distances_of(noisy_sphere(80)), 2),
    "duplicates": (distances_of(np.repeat(torus(40), 2, axis=0)), 2),
    "cross-polytope": (cross_polytope(6), 5),
    "cycle of 9": (n_cycle(9), 4),
    "cycle of 30": (n_cycle(30), 3),
    "projective plane": (projective_plane(), 2),
    "all equal": (np.ones((12, 12)) - np.eye(12), 3),
}
"""Distances by name, and the highest dimension of bars."""


def read_distances(folder: Path, name: str) -> np.ndarray:
    """The matrix (n, n) float64 of a file; symmetric: the lower triangle counts."""
    path = next(path for path in sorted(folder.iterdir()) if path.name.startswith(name))
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if path.suffix == ".dipha":
        n = int(np.frombuffer(data, np.int64, 3)[2])
        return np.frombuffer(data, np.float64, n * n, 24).reshape(n, n)
    if "lower_distance" in path.name:
        entries = np.array(data.replace(b",", b" ").split(), np.float64)
        n = round((1 + np.sqrt(1 + 8 * entries.size)) / 2)
        matrix = np.zeros((n, n))
        matrix[np.tril_indices(n, -1)] = entries
        return matrix + matrix.T
    rows = [line.replace(b",", b" ").split() for line in data.splitlines() if line.strip()]
    table = np.array(rows, np.float64)
    if "distance_matrix" not in path.name:
        return distances_of(table)
    lower = np.tril(table, -1)
    return lower + lower.T


COUNTS = ("simplices", "cleared", "columns", "apparent_pairs", "survivors", "reduced")
"""Counts of a dimension that do not depend on the distribution of columns to threads."""


def whole_barcode(points: np.ndarray, **options: Any) -> dict[str, np.ndarray]:
    """Name -> array: all that a barcode has but its timings, with a representative of each bar
    unless the options say otherwise, to compare whole results bit for bit.
    """
    options = {"representatives": lambda bars: np.arange(len(bars))} | options
    bars = sx.rips_barcodes(points, **options)
    counted = bars.statistics
    counts = [
        {name: of_dimension[name] for name in COUNTS if name in of_dimension}
        for of_dimension in counted["dimensions"]
    ]
    choices = [counted["edges"], counted["collapsed"], list(counted["forecast"].values())]
    return arrays_of(bars, "bars") | arrays_of([choices, counts], "statistics")
