"""Rows of relations: the key of a relation, and selected rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ..complexes.simplicial.simplices import Simplices
from ..device import Array
from ..primitives import shifted
from ..results import ReprMixin

LETTERS = "VEFT"
RELATIONS = tuple(a + b for a in LETTERS for b in LETTERS)
"""Names of all sixteen relations."""

WIDTHS = {"EV": 2, "FV": 3, "FE": 3, "TV": 4, "TE": 6, "TF": 4, "FT": 2, "TT": 4}
"""Lengths of the rows of tables."""


class Key(NamedTuple):
    """A relation, and whether its points and cells have mesh ids or the user's ids."""

    name: str
    in_mesh_ids: bool

    @property
    def dimension(self) -> int:
        """Dimension of the simplices that have rows."""
        return LETTERS.index(self.name[0])

    def named(self, simplices: Simplices, ids: Array) -> Array:
        """Return the relation's ids of simplices, given their mesh ids."""
        names = None if self.in_mesh_ids else simplices.users_ids(self.dimension)
        return ids if names is None else names[ids]

    def in_mesh(self, simplices: Simplices, ids: Array) -> Array:
        """Return the mesh ids of simplices, given the relation's ids; NONE for dropped cells."""
        numbers = None if self.in_mesh_ids else simplices.mesh_ids(self.dimension)
        return ids if numbers is None else numbers[ids]


@dataclass(frozen=True, eq=False, repr=False)
class Rows(ReprMixin):
    """Selected rows of a relation; row i is ``rows[i]``.

    Attributes
    ----------
    ids : (n,)
        Simplices, by their ids in the relation.
    items : int32
        Items, row after row.
    offsets : (n + 1,) int64 or None
        Beginning of each row; None if all rows have ``width`` items.
    """

    ids: Array
    items: Array
    offsets: Array | None = None
    width: int | None = None

    @classmethod
    def of(cls, name: str, ids: Array, items: Array, offsets: Array | None) -> Rows:
        """Return rows of a relation; without offsets, they are a table, which may be empty."""
        return cls(ids, items, offsets, WIDTHS[name] if offsets is None else None)

    def __len__(self) -> int:
        return len(self.ids)

    def _summary(self) -> str:
        return f"{len(self):,} rows, {self.items.size:,} items"

    def __getitem__(self, i: int) -> Array:
        if not -len(self) <= i < len(self):
            raise IndexError(f"row {i} of {len(self)}")
        i %= len(self)
        if self.offsets is None:
            return self.table[i]
        return self.items[int(self.offsets[i]) : int(self.offsets[i + 1])]

    @property
    def table(self) -> Array:
        """Items as a table (n, width) int32, if all rows have the same length."""
        if self.width is None:
            raise TypeError("the rows of this relation differ in length: use offsets and items")
        return self.items.reshape(-1, self.width)

    def part(self, rows: slice, items: slice) -> Rows:
        """Return some consecutive rows, whose items these are; only offsets are copied."""
        offsets = self.offsets
        if offsets is not None:
            offsets = shifted(offsets[rows.start : rows.stop + 1], -items.start)
        return Rows(self.ids[rows], self.items[items], offsets, self.width)

    def mapped(self, change: Callable[[Array], Array]) -> Rows:
        """Return the rows with a function applied to each array."""
        offsets = None if self.offsets is None else change(self.offsets)
        return Rows(change(self.ids), change(self.items), offsets, self.width)
