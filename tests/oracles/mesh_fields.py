"""Small meshes with values, for the tests of complexes on them: manifold at every facet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Case = tuple[str, Any, Any, Any]  # name, points, cells, values

OCTAHEDRON = [(a, b, c) for a in (0, 1) for b in (2, 3) for c in (4, 5)]
SPHERE_IN_4D = [(0, 1, 2, 3), (0, 1, 2, 4), (0, 1, 3, 4), (0, 2, 3, 4), (1, 2, 3, 4)]
"""The surface of a 4-simplex: a closed manifold of dimension 3."""


def torus(n: int, m: int) -> list[tuple[int, int, int]]:
    """Triangles of a torus of n times m points."""
    at = [[j % m + m * (i % n) for j in range(m + 1)] for i in range(n + 1)]
    return [
        triangle
        for i in range(n)
        for j in range(m)
        for triangle in (
            (at[i][j], at[i + 1][j], at[i][j + 1]),
            (at[i + 1][j], at[i][j + 1], at[i + 1][j + 1]),
        )
    ]


def delaunay(random: Any, n: int, dimension: int, kept: float) -> tuple[Any, Any]:
    """Random points in space and part of their Delaunay cells; a triangle mesh is in a plane."""
    from scipy.spatial import Delaunay

    points = random.random((n, dimension))
    cells = Delaunay(points).simplices.astype(np.int64)
    chosen = random.random(len(cells)) < kept
    chosen[0] = True
    return points, cells[chosen]


def values_for(random: Any, n: int, kind: int) -> Any:
    """Values of n points: reals, integers with many ties, or one constant."""
    if kind == 0:
        return random.random(n)
    return random.integers(0, 4, n) if kind == 1 else np.zeros(n, np.float32)


def mesh_fields(seed: int, n_random: int, n_points: int) -> Iterator[Case]:
    """Hand-made meshes, then random ones: complete, with holes, and with unused points."""
    random = np.random.default_rng(seed)
    by_hand = [
        ("tetrahedron", [(0, 1, 2, 3)]),
        ("two that share a point", [(0, 1, 2, 3), (3, 4, 5, 6)]),
        ("two that share an edge", [(0, 1, 2, 3), (2, 3, 4, 5)]),
        ("two pieces", [(0, 1, 2, 3), (5, 6, 7, 8)]),
        ("sphere in four dimensions", SPHERE_IN_4D),
        ("triangle", [(0, 1, 2)]),
        ("octahedron", OCTAHEDRON),
        ("torus", torus(4, 5)),
    ]
    for name, cells in by_hand:
        n = max(map(max, cells)) + 1
        for kind in range(3):
            yield name, random.random((n, 3)), np.array(cells), values_for(random, n, kind)
    for k in range(n_random):
        dimension = 2 + (k % 3 > 0)
        n = int(random.integers(dimension + 2, n_points))
        points, cells = delaunay(random, n, dimension, (1.0, 0.6, 0.9)[k % 3])
        yield f"random {k}", points, cells, values_for(random, n, k % 2)
