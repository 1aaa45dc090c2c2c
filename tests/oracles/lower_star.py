"""Discrete gradient by ordered lower stars, cell by cell.

Robins, Wood, Sheppard 2011, algorithm 1. Each vertex pairs the cells that it owns among themselves;
the queues are plain sets, "least" is `min` by G order. `partner` holds each pair both ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oracles.cubical import Cell, CubicalGrid, cell_dimension

CRITICAL_CODE = 7
CODE_OF_STEP = {
    (1, 0, 0): 1,
    (-1, 0, 0): 2,
    (0, 1, 0): 3,
    (0, -1, 0): 4,
    (0, 0, 1): 5,
    (0, 0, -1): 6,
}


@dataclass
class Gradient:
    """A pairing of the cells of `grid`; every cell is either in `partner` or in `critical`."""

    grid: CubicalGrid
    partner: dict[Cell, Cell]
    critical: list[Cell]  # sorted by (dimension, id)

    def codes(self) -> list[int]:
        """Direction codes in id order: 1 +x, 2 -x, 3 +y, 4 -y, 5 +z, 6 -z, 7 critical.

        Cells outside a masked domain have none.
        """
        codes = []
        for cell in self.grid.cells():
            if cell in self.partner:
                codes.append(self.code_of_step(cell, self.partner[cell]))
            else:
                codes.append(CRITICAL_CODE)
        return codes

    def code_of_step(self, cell: Cell, partner: Cell) -> int:
        """The code whose step, taken across a period if need be, leads from cell to partner."""
        return next(
            code
            for (dx, dy, dz), code in CODE_OF_STEP.items()
            if self.grid.wrap((cell[0] + dx, cell[1] + dy, cell[2] + dz)) == partner
        )


def lower_star_gradient(grid: CubicalGrid) -> Gradient:
    """Pair every lower star of the grid independently."""
    partner: dict[Cell, Cell] = {}
    critical: list[Cell] = []
    lower_stars: dict[Cell, set[Cell]] = {vertex: set() for vertex in grid.rank}
    for cell in grid.cells():
        lower_stars[grid.owner(cell)].add(cell)
    for vertex, star in lower_stars.items():
        pair_lower_star(grid, vertex, star, partner, critical)
    critical.sort(key=lambda c: (cell_dimension(c), grid.cell_id(c)))
    return Gradient(grid, partner, critical)


def image_gradient(values: Any, periodic: Sequence[bool] = (False, False, False)) -> Gradient:
    """The gradient of an image, axes in the order z, y, x; `periodic` by x, y, z."""
    return lower_star_gradient(CubicalGrid(values, periodic))


def pair_lower_star(
    grid: Any,
    vertex: Any,
    star: set[Any],
    partner: dict[Any, Any],
    critical: list[Any],
) -> None:
    """Pair the cells of one lower star; `star` holds the vertex too.

    `grid` is any complex that knows key, facets and cofacets of its cells.
    """
    key = {c: grid.key(c) for c in star}
    alive = set(star)  # neither paired nor critical yet
    zero: set[Any] = set()  # Q0: cells with no unpaired facet
    one: set[Any] = set()  # Q1: cells that had one

    def unpaired_facets(cell: Any) -> list[Any]:
        return [f for f in grid.facets(cell) if f in alive]

    def pair(low: Any, high: Any) -> None:
        partner[low], partner[high] = high, low
        alive.difference_update((low, high))

    def push_cofacets_with_one(cell: Any) -> None:
        one.update(c for c in grid.cofacets(cell) if c in alive and len(unpaired_facets(c)) == 1)

    def pop_least(queue: set[Any]) -> Any:
        cell = min(queue, key=key.__getitem__)
        queue.remove(cell)
        return cell

    # 1. The vertex leaves by its steepest edge, or is a minimum.
    edges = sorted((c for c in star if vertex in grid.facets(c)), key=key.__getitem__)
    if not edges:
        critical.append(vertex)
        return
    pair(vertex, edges[0])
    zero.update(edges[1:])
    push_cofacets_with_one(edges[0])
    while one or zero:
        # 2. As long as a cell has exactly one unpaired facet, pair the two.
        while one:
            cell = pop_least(one)
            if cell not in alive:
                continue
            facets = unpaired_facets(cell)
            if not facets:
                zero.add(cell)
                continue
            zero.discard(facets[0])
            pair(facets[0], cell)
            push_cofacets_with_one(facets[0])
            push_cofacets_with_one(cell)
        # 3. Nothing can be paired: the least cell that is left is critical.
        zero &= alive
        if zero:
            cell = pop_least(zero)
            critical.append(cell)
            alive.remove(cell)
            push_cofacets_with_one(cell)
