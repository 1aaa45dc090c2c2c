"""Layout of relations: the rows of each segment and their bytes, before any is computed.

Row starts, by dimension: the owned simplices of segment k are mesh ids starts[k] .. starts[k + 1].
Bytes: 4 per id, 4 per item, 8 per offset, summed over the lengths of rows. They are kept as long as
the mesh: 8 bytes per segment and relation.
"""

from __future__ import annotations

import numpy as np

from ..complexes.simplicial.incidence import Incidence
from ..device import to_host
from ..primitives import exclusive_scan
from .compute import Span, is_table, row_lengths, rows_of
from .rows import LETTERS, WIDTHS


class Layout:
    """Segments of a mesh as a scheduler sees them. Safe to use from many threads."""

    def __init__(self, incidence: Incidence):
        self.incidence, self.segments = incidence, incidence.segments
        self._row_starts: dict[int, np.ndarray] = {}
        self._bytes: dict[str, np.ndarray] = {}

    def row_starts(self, dimension: int) -> np.ndarray:
        """(S + 1,) int64: the first row of each segment, on the host."""
        if dimension not in self._row_starts:
            with self.incidence.session.call(None, {}):
                starts = self.incidence.owned_starts(dimension)
                self._row_starts.setdefault(dimension, starts.astype(np.int64))
        return self._row_starts[dimension]

    def n_bytes(self, name: str) -> np.ndarray:
        """(S,) int64: bytes of each segment's rows. Makes the lists that the relation reads."""
        if name not in self._bytes:
            # Only the call's lock: a callback of a call may use the layout, too.
            with self.incidence.session.call(None, {}):
                rows_of(self.incidence, name, Span(0, 0), in_mesh_ids=True)
                self._bytes.setdefault(name, self._found_bytes(name))
        return self._bytes[name]

    def _found_bytes(self, name: str) -> np.ndarray:
        starts = self.row_starts(LETTERS.index(name[0]))
        n_rows = np.diff(starts)
        if is_table(self.incidence, name):
            return n_rows * 4 * (1 + WIDTHS[name])
        n = self.incidence.simplices.n_ids(LETTERS.index(name[0]))
        before = exclusive_scan(row_lengths(self.incidence, name, Span(0, n)))  # int64
        n_items = np.diff(to_host(before[self.incidence.session.upload(starts)]))
        return n_rows * 12 + 8 + 4 * n_items
