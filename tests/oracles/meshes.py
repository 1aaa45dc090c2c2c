"""Meshes for tests: hand-made, random, split grids, Delaunay, and of TetGen. All are seeded."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np


class Mesh(NamedTuple):
    """points (V, d) float64 and cells (n, 3 or 4) int64."""

    points: np.ndarray
    cells: np.ndarray


def _mesh(n_points: int, cells: list[tuple[int, ...]], seed: int = 0) -> Mesh:
    points = np.random.default_rng(seed).random((n_points, 3))
    return Mesh(points, np.array(cells, np.int64))


SPECIAL = {
    "one tetrahedron": _mesh(4, [(2, 0, 3, 1)]),
    "two sharing a vertex": _mesh(7, [(0, 1, 2, 3), (3, 4, 5, 6)]),
    "two sharing an edge": _mesh(6, [(0, 1, 2, 3), (2, 3, 4, 5)]),
    "two sharing a face": _mesh(5, [(0, 1, 2, 3), (4, 1, 2, 3)]),
    "three on a face": _mesh(6, [(0, 1, 2, 3), (4, 1, 2, 3), (5, 3, 2, 1)]),
    "disjoint": _mesh(8, [(0, 1, 2, 3), (4, 5, 6, 7)]),
    "unused points": _mesh(12, [(1, 3, 5, 7), (3, 5, 7, 9)]),
    "coincident points": Mesh(np.zeros((6, 3)), np.array([[0, 1, 2, 3], [2, 3, 4, 5]])),
    "hollow sphere": _mesh(
        5, [(0, 1, 2, 3), (0, 1, 2, 4), (0, 1, 3, 4), (0, 2, 3, 4), (1, 2, 3, 4)]
    ),
    "no cells": Mesh(np.zeros((3, 3)), np.zeros((0, 4), np.int64)),
    "nothing": Mesh(np.zeros((0, 3)), np.zeros((0, 4), np.int64)),
}
"""Small meshes with one oddity each. The hollow sphere is the boundary of a 4-simplex."""


def random_cells(seed: int, n_corners: int = 4, most: int = 40) -> Mesh:
    """Random different cells over some points, which are rarely a manifold."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(n_corners, 24))
    count = int(rng.integers(1, most))
    cells = {tuple(sorted(rng.choice(n, n_corners, replace=False))) for _ in range(count)}
    shuffled = rng.permuted(rng.permutation(np.array(sorted(cells))), axis=1)
    return Mesh(rng.random((n, 3)), shuffled)


def delaunay(seed: int, n_points: int, d: int = 3, clusters: int = 0) -> Mesh:
    """Delaunay cells of random or clustered points, by SciPy."""
    from scipy.spatial import Delaunay

    rng = np.random.default_rng(seed)
    points = rng.random((n_points, d))
    if clusters:
        points = points * 0.01 + rng.random((clusters, d))[rng.integers(0, clusters, n_points)]
    return Mesh(points, Delaunay(points).simplices.astype(np.int64))


def split_grid(shape: tuple[int, int, int], seed: int | None = None) -> Mesh:
    """A grid (nz, ny, nx) of points, each voxel split into six tetrahedra; jittered by a seed.

    The Freudenthal split along the voxel's diagonal, x fastest as in VTK.
    """
    _nz, ny, nx = shape
    z, y, x = np.meshgrid(*map(np.arange, shape), indexing="ij")
    points = np.stack([x, y, z], axis=-1).reshape(-1, 3).astype(np.float64)
    if seed is not None:
        points += np.random.default_rng(seed).uniform(-0.3, 0.3, points.shape)
    steps = (1, nx, nx * ny)
    anchors = (x + nx * (y + ny * z))[:-1, :-1, :-1].ravel()
    walks = [np.cumsum((0, *(steps[axis] for axis in order))) for order in permutations(range(3))]
    cells = np.stack([anchors[:, None] + walk for walk in walks], axis=1).reshape(-1, 4)
    return Mesh(points, cells)


def fan(n_rim: int) -> Mesh:
    """Tetrahedra around one edge, whose lower end is adjacent to all other points."""
    rim = np.arange(2, n_rim + 2)
    angle = np.linspace(0, 2 * np.pi, n_rim, endpoint=False)
    points = np.zeros((n_rim + 2, 3))
    points[1, 2] = 1
    points[2:, 0], points[2:, 1] = 2 + np.cos(angle), 2 + np.sin(angle)
    points[2:, 2] = 2
    cells = np.stack([np.zeros_like(rim), np.ones_like(rim), rim, np.roll(rim, -1)], axis=1)
    return Mesh(points, cells)


def tetgen_ball() -> Mesh:
    """TetGen's tetrahedra of a sphere, finer near the surface. Raises ImportError without it."""
    import tetgen

    rows, columns = 12, 24
    polar = np.linspace(0, np.pi, rows + 1)[1:-1]
    around = np.linspace(0, 2 * np.pi, columns, endpoint=False)
    p, a = np.meshgrid(polar, around, indexing="ij")
    ring = np.stack([np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)], axis=-1)
    points = np.concatenate([ring.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]])
    north, south = len(points) - 2, len(points) - 1
    faces = []
    for j in range(columns):
        k = (j + 1) % columns
        faces += [(north, j, k), (south, (rows - 2) * columns + k, (rows - 2) * columns + j)]
        for i in range(rows - 2):
            corners = (
                i * columns + j,
                (i + 1) * columns + j,
                (i + 1) * columns + k,
                i * columns + k,
            )
            faces += [corners[:3], (corners[0], corners[2], corners[3])]
    made = tetgen.TetGen(points, np.array(faces)).tetrahedralize(switches="pq1.4a0.02Q")
    return Mesh(np.asarray(made[0], np.float64), np.asarray(made[1], np.int64))
