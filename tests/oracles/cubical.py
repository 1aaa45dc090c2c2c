"""The doubled grid of a small image, cell by cell, in plain Python.

A cell is a tuple (x, y, z) of doubled coordinates; its dimension is the number of odd ones. Facets
are one step away along an odd axis, cofacets along an even axis, and nothing lies outside the box.
Vertices are ordered by (value, linear index, x fastest); `rank` is the place in that order. Cells
of one owner (highest vertex) compare by their vertices' ranks in descending order,
lexicographically, a prefix first: "G order", which is how Python compares tuples.
"""

from __future__ import annotations

from itertools import product
from typing import Any

Cell = tuple[int, int, int]


class CubicalGrid:
    """The cells of an image of 1, 2 or 3 axes; values[z, y, x], every axis at least 1 long."""

    def __init__(self, values: Any) -> None:
        shape = (1,) * (3 - values.ndim) + values.shape
        self.dimensions: Cell = (shape[2], shape[1], shape[0])
        self.doubled: Cell = (2 * shape[2] - 1, 2 * shape[1] - 1, 2 * shape[0] - 1)
        self.dimension = sum(n > 1 for n in shape)
        flat = values.ravel(order="C").tolist()  # Python numbers: exact for every dtype
        order = sorted(range(len(flat)), key=lambda i: (flat[i], i))
        self.rank = {self.vertex(i): place for place, i in enumerate(order)}

    def vertex(self, index: int) -> Cell:
        """The doubled coordinates of point `index`."""
        nx, ny, _ = self.dimensions
        return (2 * (index % nx), 2 * (index // nx % ny), 2 * (index // (nx * ny)))

    def point(self, vertex: Cell) -> int:
        """The linear point index of a vertex."""
        nx, ny, _ = self.dimensions
        return vertex[0] // 2 + nx * (vertex[1] // 2 + ny * (vertex[2] // 2))

    def cell_id(self, cell: Cell) -> int:
        """The linear index in the doubled grid, x fastest."""
        return cell[0] + self.doubled[0] * (cell[1] + self.doubled[1] * cell[2])

    def cells(self) -> list[Cell]:
        """Every cell in the order of the ids."""
        nx, ny, nz = self.doubled
        return [(x, y, z) for z in range(nz) for y in range(ny) for x in range(nx)]

    def facets(self, cell: Cell) -> list[Cell]:
        """Cells of one dimension less on the boundary of `cell`."""
        return [step(cell, axis, s) for axis in range(3) if cell[axis] % 2 for s in (-1, 1)]

    def cofacets(self, cell: Cell) -> list[Cell]:
        """Cells of one dimension more that have `cell` on their boundary."""
        candidates = [step(cell, a, s) for a in range(3) if cell[a] % 2 == 0 for s in (-1, 1)]
        return [c for c in candidates if all(0 <= c[a] < self.doubled[a] for a in range(3))]

    def vertices(self, cell: Cell) -> list[Cell]:
        """The 1, 2, 4 or 8 corners of `cell`."""
        corners = product(*[(c - 1, c + 1) if c % 2 else (c,) for c in cell])
        return [(x, y, z) for x, y, z in corners]

    def star(self, vertex: Cell) -> list[Cell]:
        """Every cell that has `vertex` as a corner, the vertex included."""
        spans = [
            range(max(c - 1, 0), min(c + 2, n)) for c, n in zip(vertex, self.doubled, strict=True)
        ]
        return [(x, y, z) for x, y, z in product(*spans)]

    def key(self, cell: Cell) -> tuple[int, ...]:
        """Ranks of the corners, highest first: compares cells by (owner, G order)."""
        return tuple(sorted((self.rank[v] for v in self.vertices(cell)), reverse=True))

    def owner(self, cell: Cell) -> Cell:
        """The highest corner."""
        return max(self.vertices(cell), key=self.rank.__getitem__)

    def on_boundary(self, cell: Cell) -> bool:
        """Whether the cell lies in the boundary of the box (axes of length 1 have none)."""
        return any(c in (0, n - 1) for c, n in zip(cell, self.doubled, strict=True) if n > 1)


def step(cell: Cell, axis: int, by: int) -> Cell:
    """`cell` moved along one axis."""
    moved = list(cell)
    moved[axis] += by
    return (moved[0], moved[1], moved[2])


def cell_dimension(cell: Cell) -> int:
    """Number of odd coordinates."""
    return sum(c % 2 for c in cell)
