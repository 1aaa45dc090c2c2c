"""The squares and edges of 2-separatrices of a volume, by walking every V-path of a saddle.

Descending, from a critical square: leave each square by its edges other than its partner; an edge
paired with another square leads there; a critical edge or one paired with a vertex ends the path.
Ascending, from a critical edge: leave each edge by its squares other than its partner; a square
paired with another edge leads there; a critical square or one paired with a cube ends the path.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from oracles.cubical import Cell, cell_dimension
from oracles.lower_star import Gradient


def reached(gradient: Any, start: Any, neighbors: Callable[[Any], list[Any]]) -> set[Any]:
    """Start, and every cell of its dimension on a V-path that leaves it through `neighbors`."""
    found, waiting, dimension_of = {start}, [start], gradient.grid.dimension_of
    while waiting:
        for between in neighbors(waiting.pop()):
            onward = gradient.partner.get(between)
            if onward and dimension_of(onward) == dimension_of(start) and onward not in found:
                found.add(onward)
                waiting.append(onward)
    return found


def polygons_of(gradient: Gradient, kind: str) -> list[tuple[int, int, tuple[int, ...]]]:
    """All polygons of a kind, sorted: row of the saddle, id of the square or edge, corners."""
    grid = gradient.grid
    row = {cell: k for k, cell in enumerate(gradient.critical)}
    descending = kind == "descending"
    surfaces = descending_surfaces(gradient) if descending else ascending_surfaces(gradient)
    corners = corners_of_square if descending else corners_of_dual
    return sorted(
        (row[saddle], grid.cell_id(c), tuple(sorted(map(grid.cell_id, corners(gradient, c)))))
        for saddle, cells in surfaces.items()
        for c in cells
    )


def descending_surfaces(gradient: Gradient) -> dict[Cell, set[Cell]]:
    """The squares of the descending surface of each critical square."""
    squares = [c for c in gradient.critical if cell_dimension(c) == 2]
    return {s: reached(gradient, s, gradient.grid.facets) for s in squares}


def ascending_surfaces(gradient: Gradient) -> dict[Cell, set[Cell]]:
    """The edges, whose dual polygons are the ascending surface, of each critical edge."""
    edges = [c for c in gradient.critical if cell_dimension(c) == 1]
    return {e: reached(gradient, e, gradient.grid.cofacets) for e in edges}


def corners_of_square(gradient: Gradient, square: Cell) -> set[Cell]:
    """The 4 vertices of a square."""
    return set(gradient.grid.vertices(square))


def corners_of_dual(gradient: Gradient, edge: Cell) -> set[Cell]:
    """The corners of an edge's dual square: the 4 cubes around it.

    A cube that is missing is replaced by the one square between it and the edge, or by the edge if
    there is no such square, or two.
    """
    grid, corners = gradient.grid, set()
    a, b = (axis for axis in range(3) if edge[axis] % 2 == 0)
    for up_a, up_b in product((-1, 1), repeat=2):
        squares = [grid.step(edge, a, up_a), grid.step(edge, b, up_b)]
        cube = grid.step(squares[0], b, up_b)
        inside = [c for c in squares if grid.is_inside(c)]
        corners.add(cube if grid.is_inside(cube) else inside[0] if len(inside) == 1 else edge)
    return corners
