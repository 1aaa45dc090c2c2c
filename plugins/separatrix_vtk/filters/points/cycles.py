"""Cycles as polylines (H1), triangles (H2), or vertices (H0) through the points.

A 1-cycle is drawn as walks along edges of equal coefficient; over Z/2, all walks are closed. Closed
walks may be pulled taut by the engine with longer edges, up to a distance before the death of the
bar, and so surround the same hole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData

from separatrix_vtk.base.arrays import add, cells_of, ids_to_vtk, to_vtk, vtk_points
from separatrix_vtk.base.filter import Progress
from separatrix_vtk.filters.points.barcode_outputs import bar_columns, column_arrays, end_of

Walk = tuple[list[int], int]  # vertices, and the coefficient of the edges along it
Tighten = Callable[[int, list[int]], list[int]]  # a closed walk of a bar


def write_cycles(
    output: vtkPolyData,
    bars: Any,
    chosen: np.ndarray,
    positions: np.ndarray,
    tighten: Tighten | None = None,
    progress: Progress = lambda part, stage: None,
) -> None:
    """The representatives of the chosen bars, which share no points."""
    cells: dict[int, list[tuple[int, list[int], int]]] = {0: [], 1: [], 2: []}
    shown = set(chosen.tolist())
    for done, cycle in enumerate(bars.representatives):
        progress(done / len(bars.representatives), "cycles")
        if cycle.dimension > 2 or cycle.bar not in shown:
            continue
        rows, coefficients = cycle.simplices.tolist(), cycle.coefficients.tolist()
        parts: list[Walk] = [
            (row, signed(c, bars.prime)) for row, c in zip(rows, coefficients, strict=True)
        ]
        if cycle.dimension == 1:
            parts = walks_of(rows, coefficients, bars.prime)
            if tighten is not None and all(walk[0] == walk[-1] for walk, _ in parts):
                tight = [(tighten(cycle.bar, walk), c) for walk, c in parts]
                parts = [(walk, c) for walk, c in tight if walk] or parts
        cells[cycle.dimension] += [(cycle.bar, walk, c) for walk, c in parts]
    in_order = [cell for d in range(3) for cell in cells[d]]
    items, bar_of_point, offsets = _numbered(in_order)
    output.SetPoints(vtk_points(positions[bar_of_point[1]]))
    begin = 0
    for d, put in enumerate((output.SetVerts, output.SetLines, output.SetPolys)):
        part = slice(begin, begin + len(cells[d]) + 1)
        first, last = int(offsets[part][0]), int(offsets[part][-1])
        put(cells_of(offsets[part] - first, items[first:last]))
        begin += len(cells[d])
    bar = np.array([bar for bar, _, _ in in_order], np.int64)
    rank = ranks_of(bars)
    add(
        output.GetCellData(),
        *column_arrays(bar_columns(bars, bar, end_of(bars))),
        to_vtk(np.array([c for _, _, c in in_order], np.int32), "Coefficient"),
        to_vtk(rank[bar], "BarRank"),
        active="BarRank",
    )
    add(
        output.GetPointData(),
        ids_to_vtk(bar_of_point[1], "ttkVertexScalarField"),
        ids_to_vtk(bar_of_point[0], "BarId"),
        to_vtk(rank[bar_of_point[0]], "BarRank"),
        active="BarRank",
    )


def ranks_of(bars: Any) -> np.ndarray:
    """The rank of each bar among those of its dimension, int32: 0 for the longest."""
    order = np.lexsort((-bars.persistence, bars.dimension))
    rank = np.empty(len(order), np.int32)
    first = np.searchsorted(bars.dimension[order], bars.dimension[order])
    rank[order] = np.arange(len(order)) - first
    return rank


def walks_of(edges: list[list[int]], coefficients: list[int], prime: int) -> list[Walk]:
    """Edges (u < v) with coefficients 1 to p - 1 as walks along edges of equal coefficient.

    A closed walk ends at its first vertex. O(edges).
    """
    # An edge with the coefficient c from u to v has p - c from v to u.
    ways: dict[tuple[int, int], list[int]] = {}
    for number, ((u, v), c) in enumerate(zip(edges, coefficients, strict=True)):
        ways.setdefault((u, c), []).append(number)
        ways.setdefault((v, prime - c), []).append(number)
    used = [False] * len(edges)
    walks = []
    for number, ((u, v), c) in enumerate(zip(edges, coefficients, strict=True)):
        if used[number]:
            continue
        if c > prime - c:
            u, v, c = v, u, prime - c
        used[number] = True
        walk = [u, v]
        while walk[0] != walk[-1]:
            left = ways.get((walk[-1], c), [])
            while left and used[left[-1]]:
                left.pop()
            if not left:
                break
            used[left[-1]] = True
            a, b = edges[left[-1]]
            walk.append(b if a == walk[-1] else a)
        walks.append((walk, c))
    return walks


def signed(coefficient: int, prime: int) -> int:
    """The coefficient from -p / 2 to p / 2."""
    return coefficient - prime if 2 * coefficient > prime else coefficient


def _numbered(
    cells: list[tuple[int, list[int], int]],
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Items of the cells as output points, which are separate for each bar; the bar and the input
    point of each output point; offsets of the cells.
    """
    lengths = [len(walk) for _, walk, _ in cells]
    bar = np.repeat(np.array([bar for bar, _, _ in cells], np.int64), lengths)
    vertex = np.array([v for _, walk, _ in cells for v in walk], np.int64)
    if not len(vertex):
        empty = np.empty(0, np.int64)
        return empty, (empty, empty), np.zeros(1, np.int64)
    pairs, items = np.unique(np.stack([bar, vertex], axis=1), axis=0, return_inverse=True)
    offsets = np.cumsum([0, *lengths])
    of_bar, of_vertex = (np.ascontiguousarray(column) for column in pairs.T)
    return items.reshape(-1).astype(np.int64), (of_bar, of_vertex), offsets
