"""Convert pairs of simplices to sorted bars, with distances and the caller's points."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import NONE
from .bars import Barcodes
from .filtration import ABSENT, Filtration, ranks_of
from .pairs import Pairs


def bars_of(
    filtration: Filtration,
    pairs: list[Pairs],
    order: np.ndarray | None,
    keep_zero: bool,
    reduced: bool,
    born_until: float,
    **about: Any,
) -> tuple[Barcodes, list[np.ndarray]]:
    """Return the barcodes and, for each dimension, the rows of the pairs that became bars."""
    names = np.arange(filtration.n, dtype=np.int32) if order is None else order
    columns: dict[str, list[np.ndarray]] = {}
    simplices, rows = {}, []
    for of_dimension in pairs:
        d = of_dimension.dimension
        birth = filtration.levels[of_dimension.birth_rank]
        death = np.full(len(birth), np.inf)
        ends = of_dimension.death_rank != ABSENT
        death[ends] = filtration.levels[of_dimension.death_rank[ends]]
        chosen = np.flatnonzero(birth < death if not keep_zero else np.ones(len(birth), bool))
        chosen = chosen[birth[chosen] <= born_until]
        if d == 0 and reduced:
            alive = chosen[np.isinf(death[chosen])]
            chosen = chosen[chosen != alive[0]] if alive.size else chosen
        born = np.sort(names[of_dimension.birth[chosen]], axis=1)
        died = of_dimension.death[chosen]
        died = np.where(died < 0, NONE, np.sort(names[died], axis=1))
        at = np.lexsort((*born.T[::-1], death[chosen], birth[chosen]))
        chosen = chosen[at]
        simplices["birth", d], simplices["death", d] = born[at], died[at]
        rows.append(chosen)
        found = {
            "dimension": np.full(len(chosen), d, np.int8),
            "birth": birth[chosen],
            "death": death[chosen],
            "birth_edge": longest_edges(
                filtration, of_dimension.birth[chosen], of_dimension.birth_rank[chosen], names
            ),
            "death_edge": longest_edges(
                filtration, of_dimension.death[chosen], of_dimension.death_rank[chosen], names
            ),
        }
        for name, column in found.items():
            columns.setdefault(name, []).append(column)
    joined: dict[str, Any] = {name: np.concatenate(c) for name, c in columns.items()}
    return Barcodes(**joined, _simplices=simplices, **about), rows


def longest_edges(
    filtration: Filtration, simplices: np.ndarray, rank: np.ndarray, names: np.ndarray
) -> np.ndarray:
    """Return the longest edge (m, 2) int32 of each simplex, or -1 if it has none.

    Its points ascend. If there are several such edges, it is the one with the highest vertices.
    """
    edges = np.full((len(simplices), 2), NONE, np.int32)
    width = simplices.shape[1]
    is_there = (rank != ABSENT) & (simplices[:, 0] >= 0)
    for j in range(width - 1, 0, -1):
        for i in range(j - 1, -1, -1):
            u, v = simplices[:, i], simplices[:, j]
            is_longest = is_there & (ranks_of(filtration, u, v) == rank)
            edges[is_longest] = np.sort(names[np.stack([u, v], axis=1)[is_longest]], axis=1)
    return edges
