"""Number of critical cells of each index that a vertex owns, from only its lower link.

No pairing is made. The cells that a vertex owns, except itself, form a subcomplex L of the
octahedron's boundary: 6 edges are its nodes, 12 squares its links, 8 cubes its triangles. With b0
the pieces of L and chi its Euler characteristic: L empty gives one minimum; else b0 - 1 1-saddles,
b0 + c3 - chi 2-saddles, and c3 = 1 maximum when all 8 cubes are there. (Robins, Wood, Sheppard
2011: a lower star has as many critical cells as its relative homology demands.)
"""

from __future__ import annotations

from itertools import product
from typing import Any

Offset = tuple[int, int, int]  # (dz, dy, dx), each -1, 0 or 1


def critical_counts(values: Any) -> list[tuple[int, int, int, int]]:
    """(c0, c1, c2, c3) of each vertex of an image values[z, y, x], in linear order."""
    field = values.reshape((1,) * (3 - values.ndim) + values.shape)
    shape = field.shape
    numbers = field.ravel().tolist()

    def number(p: tuple[int, ...]) -> int:
        return (p[0] * shape[1] + p[1]) * shape[2] + p[2]

    counts = []
    for z, y, x in product(*map(range, shape)):
        here = number((z, y, x))
        lower = set()
        for offset in product((-1, 0, 1), repeat=3):
            p = (z + offset[0], y + offset[1], x + offset[2])
            if all(0 <= i < n for i, n in zip(p, shape, strict=True)):
                there = number(p)
                if (numbers[there], there) < (numbers[here], here):
                    lower.add((offset[0], offset[1], offset[2]))
        counts.append(counts_of_lower_link(lower))
    return counts


def counts_of_lower_link(lower: set[Offset]) -> tuple[int, int, int, int]:
    """The counts of one vertex, given which of its 26 neighbors are lower than it."""
    link = [cell for cell in lower if all(c in lower for c in corners(cell))]
    nodes = [cell for cell in link if sum(map(abs, cell)) == 1]
    links = [cell for cell in link if sum(map(abs, cell)) == 2]
    triangles = [cell for cell in link if sum(map(abs, cell)) == 3]
    if not link:
        return (1, 0, 0, 0)
    b0 = number_of_pieces(nodes, links)
    c3 = int(len(triangles) == 8)
    chi = len(nodes) - len(links) + len(triangles)
    return (0, b0 - 1, b0 + c3 - chi, c3)


def corners(cell: Offset) -> list[Offset]:
    """The corners, other than the vertex itself, of the cell that extends to `cell`."""
    spans = [sorted({0, c}) for c in cell]
    return [(a, b, c) for a, b, c in product(*spans) if (a, b, c) != (0, 0, 0)]


def number_of_pieces(nodes: list[Offset], links: list[Offset]) -> int:
    """Connected components of the nodes; a square between two nodes joins them."""
    piece = {node: k for k, node in enumerate(nodes)}
    for link in links:
        a, b = (node for node in corners(link) if sum(map(abs, node)) == 1)
        piece = {node: piece[a] if k == piece[b] else k for node, k in piece.items()}
    return len(set(piece.values()))
