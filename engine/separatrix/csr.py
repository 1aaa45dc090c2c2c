"""Rows of different lengths in two arrays: compressed sparse rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .device import Array, to_host
from .table import Table


@dataclass(frozen=True, eq=False, repr=False)
class CSR(Table):
    """Compressed sparse rows.

    Row i is ``items[offsets[i]:offsets[i + 1]]``, or ``csr[i]``. ``offsets`` is an (n + 1,) int64
    array. If rows are sets, their items are ascending.
    """

    offsets: Array
    items: Array

    def __len__(self) -> int:
        return int(self.offsets.size) - 1

    def __getitem__(self, row: int) -> Array:
        """Return the items of a row; negative rows count from the end. Raises IndexError."""
        n = len(self)
        if not -n <= row < n:
            raise IndexError(f"row {row} of a table of {n} rows")
        row %= n
        return self.items[int(self.offsets[row]) : int(self.offsets[row + 1])]

    def _columns(self) -> dict[str, Array]:
        """The row of each item, and what is known of the item."""
        items = {
            n: array for n, array in vars(self).items() if n != "offsets" and array is not None
        }
        return {"row": np.repeat(np.arange(len(self)), np.diff(to_host(self.offsets))), **items}

    def _summary(self) -> str:
        return f"{len(self):,} rows, {self.items.size:,} items"
