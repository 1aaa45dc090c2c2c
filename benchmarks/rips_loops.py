"""Sets on which loops or voids are found: samples of shapes, files, and random matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

Points = Callable[[np.random.Generator], np.ndarray]


def ring(rng: np.random.Generator, n: int) -> np.ndarray:
    """Points of an annulus with radii 0.5 and 1."""
    angle, radius = 2 * np.pi * rng.random(n), np.sqrt(0.25 + 0.75 * rng.random(n))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def torus(rng: np.random.Generator, n: int) -> np.ndarray:
    """Points of a torus with radii 2 and 1."""
    u, v = rng.random((2, n)) * 2 * np.pi
    return np.stack([(2 + np.cos(v)) * np.cos(u), (2 + np.cos(v)) * np.sin(u), np.sin(v)], axis=1)


MATRICES: dict[str, Points] = {
    "uniform cube 4,000": lambda rng: rng.random((4000, 3)),
    "torus 4,000": lambda rng: torus(rng, 4000),
    "annulus 4,000": lambda rng: ring(rng, 4000),
    "annulus 10,000": lambda rng: ring(rng, 10_000),
    "Gaussian in 10 dimensions 3,000": lambda rng: rng.standard_normal((3000, 10)),
}
FILES = {
    "dragon2000": ("dragon2000.point_cloud", np.inf),
    "o3_1024": ("o3_1024.point_cloud.gz", np.inf),
    "o3_4096": ("o3_4096.point_cloud.gz", np.inf),
    "o3_4096 up to 1.4": ("o3_4096.point_cloud.gz", 1.4),
    "cyclooctane": ("cyclooctane.csv.gz", np.inf),
}
RANDOM = (300, 500, 700, 1000)  # sizes of random matrices
UNLISTED: dict[str, Points] = {
    "annulus 20,000": lambda rng: ring(rng, 20_000),
    "square 100,000": lambda rng: rng.random((100_000, 2)),
    "cube 100,000": lambda rng: rng.random((100_000, 3)),
    "square 1,000,000": lambda rng: rng.random((1_000_000, 2)),
}
VOIDS: dict[str, tuple[Points, float]] = {
    "voids of cube 100,000 up to 0.04": (lambda rng: rng.random((100_000, 3)), 0.04)
}
CLIFFORD = {"Clifford torus 20,000": 20_000, "Clifford torus 50,000": 50_000}  # up to 0.15


def sets(folder: Path | None) -> Iterator[tuple[str, np.ndarray, bool, float]]:
    """Name, points or a matrix, whether they are points, and threshold of each set of loops.

    The sets of files need the folder.
    """
    for name, points in MATRICES.items():
        yield name, points(np.random.default_rng(4000)), True, np.inf
    for n in RANDOM:
        upper = np.triu(np.random.default_rng(n).random((n, n)), 1)
        yield f"random matrix {n:,}", upper + upper.T, False, np.inf
    for name, points in UNLISTED.items():
        yield name, points(np.random.default_rng(4000)), True, np.inf
    if folder is None:
        return
    for name, (file, threshold) in FILES.items():
        yield name, table(folder / file), True, threshold
    for name, n in CLIFFORD.items():
        yield name, table(folder / "clifford_torus_50000.point_cloud.gz")[:n], True, 0.15


def table(path: Path) -> np.ndarray:
    """Points of a file; NumPy reads compressed ones."""
    return np.loadtxt(path, delimiter="," if ".csv" in path.name else None)
