"""Ends of V-paths, found one step at a time: labels, paths, sizes.

Descending from a vertex: along its edge to the other end, until a minimum. Ascending from a top
cell: across the facet that it is paired with to the cell on the other side, until a maximum; where
there is no other side the path is OUTSIDE. Minima are critical vertices; maxima are critical cells
of the grid's own dimension (number of axes longer than 1).
"""

from __future__ import annotations

from typing import Any

from oracles.cubical import Cell, cell_dimension
from oracles.lower_star import Gradient

OUTSIDE = -1


def other(cells: list[Any], known: Any) -> Any:
    """The one of at most two cells that is not `known`."""
    rest = [c for c in cells if c != known]
    return rest[0] if rest else None


def descending_path(gradient: Any, vertex: Any) -> list[Any]:
    """vertex, edge, vertex, ..., minimum."""
    path = [vertex]
    while path[-1] in gradient.partner:
        edge = gradient.partner[path[-1]]
        end = other(gradient.grid.facets(edge), path[-1])
        assert end is not None
        path += [edge, end]
    return path


def ascending_path(gradient: Any, top: Any) -> list[Any]:
    """Top cell, facet, top cell, ..., maximum; or up to the boundary facet by which it leaves."""
    path = [top]
    while path[-1] in gradient.partner:
        facet = gradient.partner[path[-1]]
        beyond = other(gradient.grid.cofacets(facet), path[-1])
        path.append(facet)
        if beyond is None:
            break
        path.append(beyond)
    return path


def minima(gradient: Gradient) -> list[Cell]:
    """Critical vertices in id order."""
    return [c for c in gradient.critical if cell_dimension(c) == 0]


def maxima(gradient: Gradient) -> list[Cell]:
    """Critical top cells in id order."""
    return [c for c in gradient.critical if cell_dimension(c) == gradient.grid.dimension]


def minimum_labels(gradient: Gradient) -> list[int]:
    """For each vertex in linear order the number of the minimum it flows down to."""
    grid = gradient.grid
    number = {cell: k for k, cell in enumerate(minima(gradient))}
    vertices = [c for c in grid.cells() if cell_dimension(c) == 0]
    return [number[descending_path(gradient, v)[-1]] for v in vertices]


def top_cell_labels(gradient: Gradient) -> dict[Cell, int]:
    """For each top cell in id order the number of the maximum it flows up to, or OUTSIDE."""
    grid = gradient.grid
    number = {cell: k for k, cell in enumerate(maxima(gradient))}
    tops = [c for c in grid.cells() if cell_dimension(c) == grid.dimension]
    return {c: number.get(ascending_path(gradient, c)[-1], OUTSIDE) for c in tops}


def maximum_labels(gradient: Gradient) -> list[int]:
    """For each vertex the label of its highest incident top cell in (owner, G order)."""
    grid = gradient.grid
    label = top_cell_labels(gradient)
    labels = []
    for vertex in (c for c in grid.cells() if cell_dimension(c) == 0):
        tops = [c for c in grid.star(vertex) if cell_dimension(c) == grid.dimension]
        labels.append(label[max(tops, key=grid.key)] if tops else OUTSIDE)
    return labels


def morse_smale_labels(gradient: Gradient) -> list[int]:
    """For each vertex the place of its (minimum, maximum or OUTSIDE) among the pairs that occur."""
    pairs = list(zip(minimum_labels(gradient), maximum_labels(gradient), strict=True))
    place = {pair: k for k, pair in enumerate(sorted(set(pairs)))}
    return [place[pair] for pair in pairs]


def manifold_sizes(gradient: Gradient) -> list[int]:
    """For each critical cell the number of vertices that bear its label; 0 for saddles."""
    down, up = minimum_labels(gradient), maximum_labels(gradient)
    size = {c: down.count(k) for k, c in enumerate(minima(gradient))}
    if gradient.grid.dimension > 0:
        size |= {c: up.count(k) for k, c in enumerate(maxima(gradient))}
    return [size.get(c, 0) for c in gradient.critical]


def lines_of(gradient: Gradient, kind: str) -> list[tuple[int, int, tuple[int, ...]]]:
    """All separatrices of a kind, sorted: source row, destination row or -1, cell ids.

    An image of one axis has descending ones only.
    """
    grid = gradient.grid
    row = {cell: k for k, cell in enumerate(gradient.critical)}
    if kind == "descending":
        paths = descending_separatrices(gradient)
    else:
        paths = ascending_separatrices(gradient) if grid.dimension > 1 else []
    ends = [row[p[-1]] if p[-1] in row and len(p) > 1 else OUTSIDE for p in paths]
    ids = [tuple(map(grid.cell_id, path)) for path in paths]
    return sorted((row[p[0]], end, cells) for p, end, cells in zip(paths, ends, ids, strict=True))


def descending_separatrices(gradient: Gradient) -> list[list[Cell]]:
    """From each critical edge, by each of its ends, down to a minimum."""
    grid = gradient.grid
    saddles = [c for c in gradient.critical if cell_dimension(c) == 1]
    return [[s, *descending_path(gradient, v)] for s in saddles for v in grid.facets(s)]


def ascending_separatrices(gradient: Gradient) -> list[list[Cell]]:
    """From each critical facet of top cells, on each of its two sides, up to a maximum or outside.

    On the side where a facet in the boundary has no top cell it is outside at once: a path of one.
    """
    grid = gradient.grid
    paths = []
    for saddle in (c for c in gradient.critical if cell_dimension(c) == grid.dimension - 1):
        tops = grid.cofacets(saddle)
        paths += [[saddle, *ascending_path(gradient, c)] for c in tops]
        paths += [[saddle]] * (2 - len(tops))
    return paths
