"""Critical cells: the cells that a discrete gradient leaves unpaired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device import Array, to_host
from ..plotting.scenes import points_of
from ..results import Table

Counts = tuple[int, ...]
"""Numbers of cells of index 0, 1, 2, and 3."""


@dataclass(frozen=True, eq=False, repr=False)
class CriticalCells(Table):
    """k critical cells, sorted by (index, cell id).

    Attributes
    ----------
    cell_id : (k,) int64
        On an image, the linear index in the doubled grid. On a mesh, the user's id of a point
        (index 0) or of a cell (index equal to the dimension of the mesh); otherwise the mesh id of
        an edge or triangle.
    index : (k,) int8
        Dimension of the cell: 0 for minima, the dimension of the domain for maxima, and values in
        between for saddles.
    value : (k,), in the dtype of the field
        Value of the highest vertex.
    vertex : (k,) int64
        Highest vertex.
    position : (k, 3) float64
        Center of the cell.
    on_boundary : (k,) bool
        Whether the cell is on the boundary of the domain; a periodic axis has no boundary.
    counts : tuple of int
        Numbers of cells of index 0, 1, 2, and 3.
    """

    cell_id: Array
    index: Array
    value: Array
    vertex: Array
    position: Array
    on_boundary: Array
    counts: Counts

    def _summary(self) -> str:
        return f"{len(self):,} cells: counts {self.counts}"

    @property
    def euler_characteristic(self) -> int:
        """Alternating sum of the counts: that of the domain."""
        return euler_characteristic(self.counts)

    def _drawn(self, dimension: int) -> tuple[Any, Array]:
        """Return the centers as a PyVista dataset, and the types, which are 3 for every maximum."""
        index = to_host(self.index)
        return points_of(self.position), np.where(index == dimension, 3, index)

    def rows(self, index: int) -> slice:
        """Return the rows of the critical cells of one index. Raises InputError."""
        index = checked_whole(index, "index", 0, len(self.counts) - 1)
        return rows_of_index(self.counts, index)


def euler_characteristic(counts: Counts) -> int:
    """Return the alternating sum of counts by dimension."""
    return sum((-1) ** index * count for index, count in enumerate(counts))


def indices_of(kind: str, dimension: int) -> tuple[int, int]:
    """Return the index of the extrema and of the saddles that arcs of a kind connect."""
    return (0, 1) if kind == "descending" else (dimension, dimension - 1)


def rows_of_index(counts: Counts, index: int) -> slice:
    """Return the rows of the critical cells of one index; the table is sorted by index."""
    begin = sum(counts[:index])
    return slice(begin, begin + counts[index])
