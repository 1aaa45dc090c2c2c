"""Every V-path from 2-saddles down to 1-saddles of a volume, walked one by one.

Leave a square by each of its edges other than its partner: a critical edge is the end, an edge
paired with a square leads there, an edge paired with a vertex leads nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from oracles.cubical import Cell, cell_dimension
from oracles.lower_star import Gradient


def v_paths(gradient: Gradient, square: Cell) -> Iterator[list[Cell]]:
    """All V-paths from a square: square, edge, square, ..., critical edge."""
    for edge in gradient.grid.facets(square):
        onward = gradient.partner.get(edge)
        if onward is None:
            yield [square, edge]
        elif onward != square and cell_dimension(onward) == 2:
            for path in v_paths(gradient, onward):
                yield [square, edge, *path]


def critical_of(gradient: Gradient, dimension: int) -> list[Cell]:
    """Critical cells of one dimension in id order."""
    return [c for c in gradient.critical if cell_dimension(c) == dimension]


def multiplicities(gradient: Gradient) -> dict[tuple[int, int], int]:
    """(k-th 2-saddle, k-th 1-saddle) -> number of V-paths, where there are any."""
    number = {edge: k for k, edge in enumerate(critical_of(gradient, 1))}
    found: Counter[tuple[int, int]] = Counter()
    for k, square in enumerate(critical_of(gradient, 2)):
        found.update((k, number[path[-1]]) for path in v_paths(gradient, square))
    return dict(found)


def connector_cells(gradient: Gradient) -> dict[tuple[int, int], set[Cell]]:
    """(k-th 2-saddle, k-th 1-saddle) -> the cells of all V-paths between them."""
    number = {edge: k for k, edge in enumerate(critical_of(gradient, 1))}
    found: dict[tuple[int, int], set[Cell]] = {}
    for k, square in enumerate(critical_of(gradient, 2)):
        for path in v_paths(gradient, square):
            found.setdefault((k, number[path[-1]]), set()).update(path)
    return found


def paths_from(gradient: Gradient) -> dict[tuple[int, int], int]:
    """As multiplicities, for larger volumes: each square's numbers of paths are found once."""
    number = {edge: k for k, edge in enumerate(critical_of(gradient, 1))}
    known: dict[Cell, Counter[int]] = {}

    def ends(square: Cell) -> Counter[int]:
        if square not in known:
            found: Counter[int] = Counter()
            for edge in gradient.grid.facets(square):
                onward = gradient.partner.get(edge)
                if onward is None:
                    found[number[edge]] += 1
                elif onward != square and cell_dimension(onward) == 2:
                    found.update(ends(onward))
            known[square] = found
        return known[square]

    squares = critical_of(gradient, 2)
    return {(k, q): n for k, square in enumerate(squares) for q, n in ends(square).items()}
