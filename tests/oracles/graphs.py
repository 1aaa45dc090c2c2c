"""The graph of a small complex, as the engine's ComplexGraph, cell by cell.

`graph_of_gradient`: of a gradient; V-paths are counted by walking all of them, with memory.
`graph_of_torus`: of an image with periodic axes, every cell of which is critical; its boundary is
that of the cells, which tests pairing where there is no outside.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np

from oracles.connectors import connections
from oracles.cubical import Cell, cell_dimension
from oracles.lower_star import Gradient
from oracles.walks import ascending_separatrices, descending_separatrices
from separatrix.morse.connectors.table import Connectors
from separatrix.morse.graph import ComplexGraph

Arcs = dict[tuple[Any, Any], int]  # (upper, lower) -> number of V-paths


def graph_of_gradient(gradient: Gradient, values: np.ndarray[Any, Any]) -> ComplexGraph:
    """The graph of a gradient of an image of these values."""
    grid, d = gradient.grid, gradient.grid.dimension
    cells = gradient.critical
    rows = [[c for c in cells if cell_dimension(c) == index] for index in range(4)]
    number = {c: k for some in rows for k, c in enumerate(some)}
    keys = [(grid.rank[grid.owner(c)], cell_dimension(c), grid.cell_id(c)) for c in cells]
    rank = np.empty(len(cells), np.int32)
    order = sorted(range(len(cells)), key=keys.__getitem__)
    rank[order] = np.arange(len(cells))
    rows_in_order = np.array(sorted(order, key=lambda row: cell_dimension(cells[row])), np.int32)

    def ends(paths: list[list[Cell]], extrema: list[Cell]) -> Any:
        last = [number[p[-1]] if p[-1] in extrema else -1 for p in paths]
        return np.array(last, np.int32).reshape(-1, 2)

    arcs = connections(gradient) if d == 3 else {}
    return ComplexGraph(
        d,
        tuple(map(len, rows)),  # type: ignore[arg-type]
        rank,
        rows_in_order,
        np.array([values.ravel()[grid.point(grid.owner(c))] for c in cells], values.dtype),
        ends(descending_separatrices(gradient) if d else [], rows[0]),
        ends(ascending_separatrices(gradient) if d > 1 else [], rows[d]),
        table_of({(number[p], number[q]): n for (p, q), n in arcs.items()}, len(rows[2]), d),
    )


def table_of(arcs: Arcs, n_upper: int, dimension: int) -> Connectors:
    """Arcs between the numbers of 2-saddles and 1-saddles; none below dimension 3."""
    keys = sorted(arcs)
    sizes = np.bincount([p for p, _ in keys], minlength=n_upper) if keys else np.zeros(n_upper)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Connectors(
        offsets if dimension == 3 else offsets[:1],
        np.array([q for _, q in keys], np.int32),
        np.array([arcs[key] for key in keys], np.uint64),
    )


def boundaries(graph: ComplexGraph) -> dict[int, list[int]]:
    """Rank of each critical cell -> ranks of the cells in its boundary mod 2."""
    rank = graph.rank.tolist()
    first = [sum(graph.counts[:index]) for index in range(5)]
    below: dict[int, Counter[int]] = {rank[row]: Counter() for row in range(len(rank))}
    for s, ends in enumerate(graph.descending_ends.tolist()):
        below[rank[first[1] + s]].update(rank[m] for m in ends)
    for s, ends in enumerate(graph.ascending_ends.tolist()):
        saddle = rank[first[graph.dimension - 1] + s]
        for m in ends:
            if m >= 0:
                below[rank[first[graph.dimension] + m]][saddle] += 1
    for p in range(graph.connectors.offsets.size - 1):
        for i in range(graph.connectors.offsets[p], graph.connectors.offsets[p + 1]):
            saddle = rank[first[1] + int(graph.connectors.items[i])]
            below[rank[first[2] + p]][saddle] += int(graph.connectors.multiplicity[i])
    return {cell: [c for c, n in sorted(below[cell].items()) if n % 2] for cell in sorted(below)}


def graph_of_torus(values: np.ndarray[Any, Any]) -> ComplexGraph:
    """Every cell of an image (z, y, x) with all axes periodic, of length 1 if there is none."""
    d = sum(n > 1 for n in values.shape)
    doubled = [2 * n if n > 1 else 1 for n in values.shape]

    def around(cell: Cell, parity: int) -> list[Cell]:
        axes = [a for a in range(3) if cell[a] % 2 == parity and doubled[a] > 1]
        near = [(a, (cell[a] + s) % doubled[a]) for a in axes for s in (-1, 1)]
        return [cell[:a] + (x,) + cell[a + 1 :] for a, x in near]  # type: ignore[misc]

    def corners(cell: Cell) -> list[Cell]:
        spans = [((c - 1) // 2, (c + 1) // 2 % n) if c % 2 else (c // 2,) for c, n in size_of(cell)]
        return list(product(*spans))  # type: ignore[arg-type]

    def size_of(cell: Cell) -> list[tuple[int, int]]:
        return list(zip(cell, values.shape, strict=True))

    cells: list[Cell] = sorted(product(*map(range, doubled)), key=cell_dimension)  # type: ignore
    owner = {c: max((values[v].item(), v) for v in corners(c)) for c in cells}
    rows = [[c for c in cells if cell_dimension(c) == index] for index in range(4)]
    number = {c: k for some in rows for k, c in enumerate(some)}
    order = sorted(range(len(cells)), key=lambda i: (owner[cells[i]], cell_dimension(cells[i]), i))
    rank = np.empty(len(cells), np.int32)
    rank[order] = np.arange(len(cells))
    down = [[number[v] for v in around(c, 1)] for c in rows[1]]
    up = [[number[t] for t in around(c, 0)] for c in rows[d - 1]] if d > 1 else []
    arcs: Arcs = {(number[c], number[e]): 1 for c in rows[2] for e in around(c, 1)}
    return ComplexGraph(
        d,
        tuple(map(len, rows)),  # type: ignore[arg-type]
        rank,
        np.array(sorted(order, key=lambda row: cell_dimension(cells[row])), np.int32),
        np.array([owner[c][0] for c in cells], values.dtype),
        np.array(down, np.int32).reshape(-1, 2),
        np.array(up, np.int32).reshape(-1, 2),
        table_of(arcs if d == 3 else {}, len(rows[2]), d),
    )
