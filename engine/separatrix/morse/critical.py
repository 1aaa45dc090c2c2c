"""Critical cells: the cells that a discrete gradient leaves unpaired."""

from __future__ import annotations

from dataclasses import dataclass

from ..arguments import checked_whole
from ..device.base import Array
from ..repr_mixin import ReprMixin

Counts = tuple[int, int, int, int]


@dataclass(frozen=True, eq=False, repr=False)
class CriticalCells(ReprMixin):
    """Critical cells, sorted by (index, cell id); k of them.

    ``index`` (k,) int8, the cell's dimension: 0 minimum, the domain's dimension maximum, saddles
    between; ``cell_id`` (k,) int64: on an image the linear index in the doubled grid, on a mesh the
    user's id of a point (index 0) or a cell (the mesh's dimension), the mesh id of an edge or inner
    triangle; ``value`` (k,) in the field's dtype, the value of the highest vertex; ``vertex`` (k,)
    int64, that vertex; ``position`` (k, 3) float64, the cell's center; ``on_boundary`` (k,) bool,
    whether the cell lies in the boundary of the domain (images have none across periodic axes);
    ``counts`` cells of index 0, 1, 2, 3.
    """

    cell_id: Array
    index: Array
    value: Array
    vertex: Array
    position: Array
    on_boundary: Array
    counts: Counts

    def __len__(self) -> int:
        return sum(self.counts)

    def _summary(self) -> str:
        return f"{len(self):,} cells: counts {self.counts}"

    @property
    def euler_characteristic(self) -> int:
        """Alternating sum of the counts, that of the domain: of an image 1, or 0 if periodic."""
        return euler_characteristic(self.counts)

    def rows(self, index: int) -> slice:
        """Return the rows of the critical cells of one index. Raises InputError."""
        index = checked_whole(index, "index", 0, len(self.counts) - 1)
        return rows_of_index(self.counts, index)


def euler_characteristic(counts: Counts) -> int:
    """Return the alternating sum of counts by dimension."""
    return sum((-1) ** index * count for index, count in enumerate(counts))


def indices_of(kind: str, dimension: int) -> tuple[int, int]:
    """Return the index of the extrema and of the saddles that arcs of a kind join."""
    return (0, 1) if kind == "descending" else (dimension, dimension - 1)


def rows_of_index(counts: Counts, index: int) -> slice:
    """Return the rows of the critical cells of one index; all are sorted by index."""
    begin = sum(counts[:index])
    return slice(begin, begin + counts[index])
