"""Every V-path from 2-saddles down to 1-saddles of a volume, walked one by one.

Leave a square by each of its edges other than its partner: a critical edge is the end, an edge
paired with a square leads there, an edge paired with a vertex leads nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

from oracles.cubical import Cell, cell_dimension
from oracles.lower_star import Gradient

Arc = tuple[Cell, Cell]  # 2-saddle, 1-saddle


def v_paths(gradient: Gradient, square: Cell) -> Iterator[list[Cell]]:
    """All V-paths from a square: square, edge, square, ..., critical edge."""
    for edge in gradient.grid.facets(square):
        onward = gradient.partner.get(edge)
        if onward is None:
            yield [square, edge]
        elif onward != square and cell_dimension(onward) == 2:
            for path in v_paths(gradient, onward):
                yield [square, edge, *path]


def connector_cells(gradient: Gradient) -> dict[Arc, set[Cell]]:
    """The cells of all V-paths between two saddles."""
    found: dict[Arc, set[Cell]] = {}
    for square in (c for c in gradient.critical if cell_dimension(c) == 2):
        for path in v_paths(gradient, square):
            found.setdefault((square, path[-1]), set()).update(path)
    return found


def connections(gradient: Gradient) -> dict[Arc, int]:
    """The number of V-paths between two saddles; those from each square are counted once."""

    @cache
    def ends(square: Cell) -> Counter[Cell]:
        found: Counter[Cell] = Counter()
        for edge in gradient.grid.facets(square):
            onward = gradient.partner.get(edge)
            if onward is None:
                found[edge] += 1
            elif onward != square and cell_dimension(onward) == 2:
                found += ends(onward)
        return found

    squares = [c for c in gradient.critical if cell_dimension(c) == 2]
    return {(square, edge): n for square in squares for edge, n in ends(square).items()}
