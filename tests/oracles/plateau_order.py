"""The plateau-aware order of vertices, by breadth-first searches, plateau by plateau.

A plateau is a set of vertices of one value joined along the axes of an image or the edges of a
mesh. `low`: steps from its vertices
with a lower neighbor, from its smallest index if there is none. `high`: steps from those with a
higher neighbor, 0 if there is none. The order is that of (value, 2 low - high, index).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oracles.cubical import CubicalGrid

Neighbors = list[list[int]]


def plateau_order(values: Any, periodic: Sequence[bool] = (False, False, False)) -> list[int]:
    """The linear indices of the vertices of an image, lowest first."""
    return graph_order(values.ravel().tolist(), axis_neighbors(CubicalGrid(values, periodic)))


def mesh_order(values: Any, cells: Any) -> list[int]:
    """The points of a mesh, lowest first."""
    return graph_order(values.tolist(), edge_neighbors(len(values), cells))


def graph_order(flat: list[Any], neighbors: Neighbors) -> list[int]:
    """The vertices of a graph, lowest first."""
    low, high = graph_distances(flat, neighbors)
    return sorted(range(len(flat)), key=lambda v: (flat[v], 2 * low[v] - high[v], v))


def plateau_distances(
    values: Any, periodic: Sequence[bool] = (False, False, False)
) -> tuple[list[int], list[int]]:
    """(low, high) of every vertex of an image."""
    return graph_distances(values.ravel().tolist(), axis_neighbors(CubicalGrid(values, periodic)))


def graph_distances(flat: list[Any], neighbors: Neighbors) -> tuple[list[int], list[int]]:
    """(low, high) of every vertex of a graph."""
    low, high = [0] * len(flat), [0] * len(flat)
    for plateau in plateaus(flat, neighbors):
        falls = [v for v in plateau if any(flat[w] < flat[v] for w in neighbors[v])]
        rises = [v for v in plateau if any(flat[w] > flat[v] for w in neighbors[v])]
        for v, steps in distances(falls or [min(plateau)], set(plateau), neighbors).items():
            low[v] = steps
        for v, steps in distances(rises, set(plateau), neighbors).items():
            high[v] = steps
    return low, high


def edge_neighbors(n: int, cells: Any) -> Neighbors:
    """The points that share a cell with each of n points."""
    around: list[set[int]] = [set() for _ in range(n)]
    for cell in cells.tolist():
        for v in cell:
            around[v].update(w for w in cell if w != v)
    return [sorted(found) for found in around]


def axis_neighbors(grid: CubicalGrid) -> Neighbors:
    """Indices of the vertices at the other ends of each vertex's edges."""
    neighbors = []
    for i in range(len(grid.rank)):
        edges = grid.cofacets(grid.vertex(i))
        ends = [grid.point(v) for edge in edges for v in grid.facets(edge)]
        neighbors.append([end for end in ends if end != i])
    return neighbors


def plateaus(flat: list[Any], neighbors: Neighbors) -> list[list[int]]:
    """The vertices of each plateau."""
    found, seen = [], set()
    for start in range(len(flat)):
        if start not in seen:
            same = flood(start, flat, neighbors)
            seen |= same
            found.append(sorted(same))
    return found


def flood(start: int, flat: list[Any], neighbors: Neighbors) -> set[int]:
    """All that is joined to `start` by vertices of its value."""
    reached, waiting = {start}, [start]
    while waiting:
        for w in neighbors[waiting.pop()]:
            if flat[w] == flat[start] and w not in reached:
                reached.add(w)
                waiting.append(w)
    return reached


def distances(sources: list[int], inside: set[int], neighbors: Neighbors) -> dict[int, int]:
    """Steps from the nearest source, within a set of vertices; nothing without sources."""
    steps = dict.fromkeys(sources, 0)
    frontier = sources
    while frontier:
        beyond = {w for v in frontier for w in neighbors[v] if w in inside and w not in steps}
        steps |= dict.fromkeys(beyond, steps[frontier[0]] + 1)
        frontier = sorted(beyond)
    return steps
