"""Rows of relations: the key of a relation, its rows, and selected rows of segments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..complexes.simplicial.simplices import Simplices
from ..device import Array, array_module, read_only, to_host
from ..primitives import exclusive_scan
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
    def of(cls, ids: Array, items: Array, offsets: Array | None) -> Rows:
        """Return rows; without offsets, the width follows from the number of items."""
        is_table = offsets is None and len(ids)
        return cls(ids, items, offsets, items.size // len(ids) if is_table else None)

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

    def mapped(self, change: Callable[[Array], Array]) -> Rows:
        """Return the rows with a function applied to each array."""
        offsets = None if self.offsets is None else change(self.offsets)
        return Rows(change(self.ids), change(self.items), offsets, self.width)

    def cut(self, starts: np.ndarray) -> list[Rows]:
        """Return read-only copies of parts; part j has rows starts[j] to starts[j + 1] - 1."""
        if len(starts) == 2:
            return [self.mapped(read_only)]
        if self.offsets is None:
            items_at = starts * (self.width or 0)
        else:
            items_at = to_host(self.offsets[array_module(self.offsets).asarray(starts)])
        parts = []
        for (first, last), (begin, end) in zip(
            pairwise(starts.tolist()), pairwise(items_at.tolist()), strict=True
        ):
            offsets = None if self.offsets is None else self.offsets[first : last + 1] - begin
            part = Rows.of(self.ids[first:last].copy(), self.items[begin:end].copy(), offsets)
            parts.append(part.mapped(read_only))
        return parts


def rows_at(rows: Sequence[Rows], at: np.ndarray, ids: np.ndarray) -> Rows:
    """Return the rows at positions `at` (n,) of the concatenated `rows`, with the given `ids` (n,).

    O(all rows + items of the result).
    """
    if len(rows) == 1 and len(at) == 1:
        items = rows[0][int(at[0])]
        offsets = None if rows[0].offsets is None else np.array([0, items.size])
        return Rows.of(ids, items, offsets)
    items = np.concatenate([r.items for r in rows]) if len(rows) > 1 else rows[0].items
    width = rows[0].width
    if rows[0].offsets is None:
        return Rows(ids, items.reshape(-1, width or 1)[at].ravel(), None, width).mapped(read_only)
    lengths = np.concatenate([np.diff(np.asarray(r.offsets)) for r in rows])
    begins, offsets = exclusive_scan(lengths), exclusive_scan(lengths[at])
    source = np.repeat(begins[at] - offsets[:-1], lengths[at]) + np.arange(int(offsets[-1]))
    return Rows(ids, items[source], offsets).mapped(read_only)
