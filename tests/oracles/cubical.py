"""The doubled grid of a small image, cell by cell, in plain Python.

A cell is a tuple (x, y, z) of doubled coordinates; its dimension is the number of odd ones. Facets
are one step away along an odd axis, cofacets along an even axis, and nothing lies outside the box.
A periodic axis of n points has 2n doubled coordinates, and every step along it is taken modulo 2n.
Vertices are ordered by (value, linear index, x fastest); `rank` is the place in that order. Cells
of one owner (highest vertex) compare by their vertices' ranks in descending order,
lexicographically, a prefix first: "G order", which is how Python compares tuples.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

Cell = tuple[int, int, int]


class CubicalGrid:
    """The cells of an image of 1, 2 or 3 axes; values[z, y, x], every axis at least 1 long.

    `periodic` by x, y, z; such an axis is at least 3 long.
    """

    def __init__(self, values: Any, periodic: Sequence[bool] = (False, False, False)) -> None:
        shape = (1,) * (3 - values.ndim) + values.shape
        self.dimensions: Cell = (shape[2], shape[1], shape[0])
        self.periodic = (*periodic, False, False)[:3]
        self.doubled: Cell = (
            2 * shape[2] - (not self.periodic[0]),
            2 * shape[1] - (not self.periodic[1]),
            2 * shape[0] - (not self.periodic[2]),
        )
        self._wraps = any(self.periodic)
        self.dimension = sum(n > 1 for n in shape)
        flat = values.ravel(order="C").tolist()  # Python numbers: exact for every dtype
        order = sorted(range(len(flat)), key=lambda i: (flat[i], i))
        self.rank = {self.vertex(i): place for place, i in enumerate(order)}
        self._vertex_of_rank = list(self.rank)
        self._keys: dict[Cell, tuple[int, ...]] = {}

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
        return [self.step(cell, axis, s) for axis in range(3) if cell[axis] % 2 for s in (-1, 1)]

    def cofacets(self, cell: Cell) -> list[Cell]:
        """Cells of one dimension more that have `cell` on their boundary."""
        candidates = [self.step(cell, a, s) for a in range(3) if cell[a] % 2 == 0 for s in (-1, 1)]
        return [c for c in candidates if self.is_inside(c)]

    def vertices(self, cell: Cell) -> list[Cell]:
        """The 1, 2, 4 or 8 corners of `cell`."""
        corners = product(*[(c - 1, c + 1) if c % 2 else (c,) for c in cell])
        return [self.wrap(corner) for corner in corners]

    def star(self, vertex: Cell) -> list[Cell]:
        """Every cell that has `vertex` as a corner, the vertex included."""
        around = product(*[(c - 1, c, c + 1) for c in vertex])
        return [c for c in map(self.wrap, around) if self.is_inside(c)]

    def key(self, cell: Cell) -> tuple[int, ...]:
        """Ranks of the corners, highest first: compares cells by (owner, G order)."""
        if cell not in self._keys:
            ranks = (self.rank[v] for v in self.vertices(cell))
            self._keys[cell] = tuple(sorted(ranks, reverse=True))
        return self._keys[cell]

    def owner(self, cell: Cell) -> Cell:
        """The highest corner."""
        return self._vertex_of_rank[self.key(cell)[0]]

    def on_boundary(self, cell: Cell) -> bool:
        """Whether the cell is in the boundary of the box.

        Axes of length 1 and periodic axes have none.
        """
        return any(
            cell[a] in (0, self.doubled[a] - 1)
            for a in range(3)
            if self.doubled[a] > 1 and not self.periodic[a]
        )

    def is_inside(self, cell: Cell) -> bool:
        """Whether the cell exists."""
        (x, y, z), (nx, ny, nz) = cell, self.doubled
        return 0 <= x < nx and 0 <= y < ny and 0 <= z < nz

    def wrap(self, cell: tuple[int, ...]) -> Cell:
        """`cell` with its coordinates along periodic axes taken modulo their lengths."""
        if not self._wraps:
            return (cell[0], cell[1], cell[2])
        x, y, z = (cell[a] % self.doubled[a] if self.periodic[a] else cell[a] for a in range(3))
        return (x, y, z)

    def dimension_of(self, cell: Cell) -> int:
        """Number of odd coordinates."""
        return cell_dimension(cell)

    def step(self, cell: Cell, axis: int, by: int) -> Cell:
        """`cell` moved along one axis."""
        moved = list(cell)
        moved[axis] += by
        return self.wrap(tuple(moved))


class MaskedGrid(CubicalGrid):
    """The subcomplex of the cells whose vertices are all valid, without hidden top cells and the
    faces that belong to hidden ones only. `mask` and `cell_mask` are True where cells stay.
    """

    def __init__(
        self,
        values: Any,
        mask: Any,
        cell_mask: Any = None,
        periodic: Sequence[bool] = (False, False, False),
    ) -> None:
        super().__init__(values, periodic)
        whole = CubicalGrid(values, periodic)
        valid = {v for v in self.rank if mask.ravel()[self.point(v)]}
        self.domain = {c for c in whole.cells() if valid.issuperset(self.vertices(c))}
        if cell_mask is not None:
            tops = [c for c in whole.cells() if cell_dimension(c) == self.dimension]
            shown = {c for c, stays in zip(tops, cell_mask.ravel(), strict=True) if stays}
            self.domain = {c for c in self.domain if self._tops_at(whole, c) & shown}
        self.rank = {v: place for v, place in self.rank.items() if v in self.domain}

    def _tops_at(self, grid: CubicalGrid, cell: Cell) -> set[Cell]:
        around = {cell}
        for _ in range(self.dimension - cell_dimension(cell)):
            around = {up for c in around for up in grid.cofacets(c)}
        return around

    def cells(self) -> list[Cell]:
        return [c for c in super().cells() if c in self.domain]

    def is_inside(self, cell: Cell) -> bool:
        return cell in self.domain

    def on_boundary(self, cell: Cell) -> bool:
        """Whether a top cell around the cell is missing, in the box or beyond it."""
        return len(self._tops_at(self, cell)) < 2 ** (self.dimension - cell_dimension(cell))


def cell_dimension(cell: Cell) -> int:
    """Number of odd coordinates."""
    return sum(c % 2 for c in cell)
