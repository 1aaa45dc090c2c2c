"""Persistence of connected pieces by the elder rule, on ranks of vertices: the youngest piece dies.

`components`: sublevel sets joined over the 6 neighbors; pairs (birth, death) of dimension 0.
`voids`: superlevel sets joined over the 26 neighbors, with an outside of rank +infinity that every
border vertex touches; a void that merges at v was born there and dies at its own highest vertex;
pairs (birth, death) of the dimension below the grid's: 2 for volumes, 1 for pictures.
"""

from __future__ import annotations

from itertools import product

from oracles.cubical import Cell, CubicalGrid

Pair = tuple[int, int]


def merge(order: list[int], neighbors: dict[int, list[int]], older: dict[int, float]) -> list[Pair]:
    """Add the vertices in order; yields (oldest vertex of a dying piece, current vertex)."""
    piece: dict[int, int] = {}
    pairs = []
    for here in order:
        piece[here] = here
        for there in neighbors[here]:
            if there in piece and piece[there] != piece[here]:
                lives, dies = sorted((piece[there], piece[here]), key=older.__getitem__)
                if dies != here:
                    pairs.append((dies, here))
                piece = {v: lives if p == dies else p for v, p in piece.items()}
    return sorted(pairs)


def components(grid: CubicalGrid) -> list[Pair]:
    """(birth rank, death rank) of each piece but the last; neighbors share an edge."""
    neighbors = {r: ranks(grid, v, reach=1) for v, r in grid.rank.items()}
    order = sorted(neighbors)
    return merge(order, neighbors, {r: r for r in order})


def voids(grid: CubicalGrid) -> list[Pair]:
    """(birth rank, death rank) of each class of the highest remaining dimension."""
    outside = -1
    neighbors = {r: ranks(grid, v, reach=3) for v, r in grid.rank.items()}
    border = [r for v, r in grid.rank.items() if grid.on_boundary(v)]
    neighbors[outside] = []
    for r in border:
        neighbors[r].append(outside)
    order = [outside, *sorted(grid.rank.values(), reverse=True)]
    older: dict[int, float] = {r: -r for r in order}
    older[outside] = float("-inf")
    return sorted((here, dies) for dies, here in merge(order, neighbors, older))


def ranks(grid: CubicalGrid, vertex: Cell, reach: int) -> list[int]:
    """Ranks of the vertices at most `reach` axes away, one step along each."""
    steps = [s for s in product((-2, 0, 2), repeat=3) if 0 < sum(map(abs, s)) <= 2 * reach]
    around = [(vertex[0] + a, vertex[1] + b, vertex[2] + c) for a, b, c in steps]
    return [grid.rank[v] for v in around if v in grid.rank]
