"""Filtrations of small matrices and their surviving columns, found slowly, for other tests."""

from __future__ import annotations

import numpy as np

from oracles.rips import Simplex, apparent_pairs, diameter, filtered
from separatrix.rips.filtration import ABSENT, Adjacency, Filtration, Simplices


def filtration_of(values: np.ndarray, *, sparse: bool = False, wide: bool = False) -> Filtration:
    """The flag filtration of edge values (n, n), inf where there is no edge.

    `wide` has more ranks than fit two bytes, most of them unused.
    """
    n = len(values)
    upper = np.isfinite(values) & ~np.eye(n, dtype=bool)
    levels = np.unique(np.append(values[upper], 0.0))
    rank = np.where(upper, np.searchsorted(levels, values), ABSENT).astype(np.uint32)
    if wide:
        levels = np.append(levels, levels[-1] + 1.0 + np.arange(70_000))
    if not sparse:
        np.fill_diagonal(rank, 0)
        return Filtration(n, rank, levels)
    offsets = np.append(0, np.cumsum(upper.sum(axis=1)))
    rows = Adjacency(offsets, np.nonzero(upper)[1].astype(np.int32), rank[upper])
    return Filtration(n, None, levels, adjacency=rows)


def survivors_of(values: np.ndarray, dimension: int, cleared: set[Simplex]) -> Simplices:
    """Simplices in no apparent pair and not cleared, in the order of processing."""
    births = {s for s, _ in apparent_pairs(values, dimension)}
    deaths = {t for _, t in apparent_pairs(values, dimension - 1)} if dimension > 1 else set()
    kept = [
        (at, s)
        for at, s in filtered(values, dimension)
        if len(s) == dimension + 1 and s not in births | deaths | cleared
    ][::-1]
    levels = filtration_of(values).levels
    return Simplices(
        np.array([s[::-1] for _, s in kept], np.int32).reshape(-1, dimension + 1),
        np.searchsorted(levels, [at for at, _ in kept]).astype(np.uint32),
    )


def forest_edges(values: np.ndarray) -> set[Simplex]:
    """Edges that join two components when they come: the deaths of dimension 0."""
    root = list(range(len(values)))

    def find(v: int) -> int:
        while root[v] != v:
            v = root[v]
        return v

    found = set()
    for _, (u, v) in (c for c in filtered(values, 1) if len(c[1]) == 2):
        if find(u) != find(v):
            root[find(u)] = find(v)
            found.add((u, v))
    return found


def all_diameters(values: np.ndarray, simplices: np.ndarray) -> list[float]:
    """Diameter of each row of vertices, inf in a row of -1."""
    return [diameter(values, tuple(s[::-1])) if s[0] >= 0 else np.inf for s in simplices.tolist()]
