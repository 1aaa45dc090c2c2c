"""Simplification by reversing V-paths on a dict, one cancellation after the other.

Extrema are paired by the elder rule over the saddles' two ends, OUTSIDE being the eldest maximum;
2-saddles and 1-saddles by reducing the boundary matrix of what is left. Cancellations go by
(persistence, dimension of the pair, order): ascending for pairs with a minimum, descending for
pairs with a maximum. A pair (upper, lower) is canceled by reversing its one V-path.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from oracles.cubical import Cell, CubicalGrid, cell_dimension
from oracles.lower_star import Gradient
from oracles.walks import OUTSIDE, ascending_path, descending_path
from separatrix import to_host

Key = tuple[int, int, int]


class Cancellation(NamedTuple):
    """A pair that goes; `kind` is the dimension of the class that it bears."""

    persistence: float
    kind: int
    order: int
    upper: Cell
    lower: Cell


def filtration_key(gradient: Gradient, cell: Cell) -> Key:
    """Place in the filtration: (owner, index, id)."""
    grid = gradient.grid
    return (grid.rank[grid.owner(cell)], cell_dimension(cell), grid.cell_id(cell))


def of_index(gradient: Gradient, index: int) -> list[Cell]:
    """Critical cells of an index, in the order of the filtration."""
    cells = [c for c in gradient.critical if cell_dimension(c) == index]
    return sorted(cells, key=lambda c: filtration_key(gradient, c))


def ends_down(gradient: Gradient, saddle: Cell) -> list[Any]:
    """The two minima below a critical edge."""
    return [descending_path(gradient, v)[-1] for v in gradient.grid.facets(saddle)]


def ends_up(gradient: Gradient, saddle: Cell) -> list[Any]:
    """The two maxima above a critical facet of top cells; OUTSIDE where a path leaves the box."""
    dimension = gradient.grid.dimension
    paths = [ascending_path(gradient, c) for c in gradient.grid.cofacets(saddle)]
    ends: list[Any] = [p[-1] if cell_dimension(p[-1]) == dimension else OUTSIDE for p in paths]
    return ends + [OUTSIDE] * (2 - len(ends))


def elder_pairs(gradient: Gradient, kind: str) -> list[tuple[Cell, Cell]]:
    """(saddle, extremum that it kills), in the order in which pieces merge."""
    down = kind == "minimum"
    dimension = gradient.grid.dimension
    index = 1 if down else dimension - 1
    if index < 1:
        return []
    saddles = of_index(gradient, index)
    piece: dict[Any, Any] = {c: c for c in gradient.critical} | {OUTSIDE: OUTSIDE}

    def age(extremum: Any) -> float:
        if extremum == OUTSIDE:
            return float("-inf")
        rank = filtration_key(gradient, extremum)[0]
        return rank if down else -rank

    pairs = []
    for saddle in saddles if down else reversed(saddles):
        ends = ends_down(gradient, saddle) if down else ends_up(gradient, saddle)
        old, young = sorted((piece[e] for e in ends), key=age)
        if old != young:
            pairs.append((saddle, young))
            piece = {e: old if p == young else p for e, p in piece.items()}
    return pairs


def steps_down(gradient: Gradient, upper: Cell) -> list[tuple[Cell, Cell | None]]:
    """(facet by which V-paths leave a cell, the next cell or None where the facet is critical)."""
    found: list[tuple[Cell, Cell | None]] = []
    for facet in gradient.grid.facets(upper):
        onward = gradient.partner.get(facet)
        if onward is None:
            found.append((facet, None))
        elif onward != upper and cell_dimension(onward) == cell_dimension(upper):
            found.append((facet, onward))
    return found


def count_paths(gradient: Gradient, upper: Cell, lower: Cell) -> int:
    """Number of V-paths from a critical cell to a critical cell of one dimension less."""

    @cache
    def below(cell: Cell) -> int:
        return sum(
            int(facet == lower) if onward is None else below(onward)
            for facet, onward in steps_down(gradient, cell)
        )

    return below(upper)


def only_path(gradient: Gradient, upper: Cell, lower: Cell) -> list[Cell]:
    """The one V-path: upper, facet, cell, facet, ..., lower."""
    assert count_paths(gradient, upper, lower) == 1
    stack = [[upper]]
    while True:
        path = stack.pop()
        for facet, onward in steps_down(gradient, path[-1]):
            if facet == lower:
                return [*path, facet]
            if onward is not None:
                stack.append([*path, facet, onward])


def reverse(gradient: Gradient, upper: Cell, lower: Cell) -> None:
    """Cancel two critical cells: along their one V-path each cell is paired with the next."""
    path = only_path(gradient, upper, lower)
    for cell, facet in zip(path[::2], path[1::2], strict=True):
        gradient.partner[cell], gradient.partner[facet] = facet, cell
    gradient.critical = [c for c in gradient.critical if c not in (upper, lower)]


def copy_of(gradient: Gradient) -> Gradient:
    """A gradient that can be changed by itself."""
    return Gradient(gradient.grid, dict(gradient.partner), list(gradient.critical))


def saddle_pairs(gradient: Gradient) -> list[tuple[Cell, Cell]]:
    """(2-saddle, 1-saddle) of a volume that bear classes of dimension 1, by matrix reduction."""
    if gradient.grid.dimension < 3:
        return []
    gone = {c for kind in ("minimum", "maximum") for c, _ in elder_pairs(gradient, kind)}
    place = {c: k for k, c in enumerate(of_index(gradient, 1))}
    loops = [c for c in place if c not in gone]
    owner_of: dict[Cell, tuple[Cell, set[Cell]]] = {}
    for upper in of_index(gradient, 2):
        if upper in gone:
            continue
        column = {q for q in loops if count_paths(gradient, upper, q) % 2}
        while column:
            low = max(column, key=place.__getitem__)
            if low not in owner_of:
                owner_of[low] = (upper, column)
                break
            column = column ^ owner_of[low][1]
    return [(upper, low) for low, (upper, _) in owner_of.items()]


def cancellations(gradient: Gradient, values: Any) -> list[Cancellation]:
    """All pairs of two critical cells in the order in which they are to be canceled."""
    flat = values.ravel().tolist()
    grid = gradient.grid

    def value(cell: Cell) -> Any:
        return flat[grid.point(grid.owner(cell))]

    top = grid.dimension - 1
    found = []
    for number, (saddle, low) in enumerate(elder_pairs(gradient, "minimum")):
        found.append(Cancellation(value(saddle) - value(low), 0, number, saddle, low))
    for upper, low in saddle_pairs(gradient):
        place = of_index(gradient, 2).index(upper)
        found.append(Cancellation(value(upper) - value(low), 1, place, upper, low))
    if top >= 1:
        for number, (saddle, high) in enumerate(elder_pairs(gradient, "maximum")):
            found.append(Cancellation(value(high) - value(saddle), top, number, high, saddle))
    return sorted(found)


def cancelled_pairs(found: Any, grid: CubicalGrid) -> list[tuple[Cell, Cell]]:
    """(upper, lower) of the events of the engine's hierarchy, in their order."""
    raw = found._raw
    hierarchy = found._hierarchy()
    cell_of = {grid.cell_id(c): c for c in grid.cells()}
    ids = to_host(raw.gradient.critical_ids)
    rows = zip(hierarchy.death_row.tolist(), hierarchy.birth_row.tolist(), strict=True)
    return [(cell_of[int(ids[death])], cell_of[int(ids[birth])]) for death, birth in rows]


def at_level_of(found: Any, gradient: Gradient) -> Gradient:
    """The raw gradient with the cancellations of an engine's complex made one after the other."""
    expected = copy_of(gradient)
    for upper, lower in cancelled_pairs(found, gradient.grid)[: found._labels.event]:
        reverse(expected, upper, lower)  # asserts that exactly one V-path joins them
    return expected
