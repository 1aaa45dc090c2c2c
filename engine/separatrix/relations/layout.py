"""Which rows each segment has and how many bytes they take, before any is made.

Row starts, by dimension: the owned simplices of segment k are mesh ids starts[k] .. starts[k + 1].
Bytes: 4 an id, 4 an item, 8 an offset, summed from the lengths of rows, which the degrees of
vertices and edges give or a count pass over the mesh. Kept for the life of a mesh: 8 bytes a
segment and relation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..complexes.simplicial.incidence import Incidence
from ..device import to_host
from ..device.base import Array
from ..primitives import exclusive_scan
from .rows import LETTERS, WIDTHS, Span, is_table, rows_of


class Layout:
    """Segments of a mesh as a scheduler sees them. May be asked from many threads."""

    def __init__(self, incidence: Incidence):
        self.incidence, self.segments = incidence, incidence.segments
        self._row_starts: dict[int, np.ndarray] = {}
        self._bytes: dict[str, np.ndarray] = {}

    def row_starts(self, dimension: int) -> np.ndarray:
        """(S + 1,) int64: where the rows of each segment begin, on the host."""
        if dimension not in self._row_starts:
            with self.incidence.session.call(None, {}):
                starts = self.incidence.owned_starts(dimension)
                self._row_starts.setdefault(dimension, starts.astype(np.int64))
        return self._row_starts[dimension]

    def n_bytes(self, name: str) -> np.ndarray:
        """(S,) int64: bytes of the rows of each segment. Makes what the relation is read from."""
        if name not in self._bytes:
            # The call's lock and no other: a callback of a call may ask for a layout, too.
            with self.incidence.session.call(None, {}):
                rows_of(self.incidence, name, Span(0, 0), in_mesh_ids=True)
                self._bytes.setdefault(name, self._found_bytes(name))
        return self._bytes[name]

    def _found_bytes(self, name: str) -> np.ndarray:
        starts = self.row_starts(LETTERS.index(name[0]))
        n_rows = np.diff(starts)
        if is_table(self.incidence, name):
            return n_rows * 4 * (1 + WIDTHS[name])
        before = exclusive_scan(self._lengths(name))  # int64
        n_items = np.diff(to_host(before[self.incidence.session.upload(starts)]))
        return n_rows * 12 + 8 + 4 * n_items

    def _lengths(self, name: str) -> Array:
        """(n,) integer: the length of each row of a relation that is no table, by mesh id."""
        of, s, session = self.incidence, self.incidence.simplices, self.incidence.session
        if name[0] == "V":
            if name == "VF":
                lists, own = of.triangles_below[0], of.own_triangles
            elif name == "VT":
                lists, own = s.star_begin, s.tet_begin
            else:
                lists, own = of.edges_below[0], s.edge_begin
            return (lists[1:] - lists[:-1]) + (own[1:] - own[:-1])
        if name in ("EF", "ET"):
            return of.triangles_of_edges if name == "EF" else of.tets_of_edges
        uppers: tuple[Any, ...] = (s.edge_lower, *s.edge_trie)
        reads: tuple[Any, ...] = {
            "FT": lambda: (s.edge_lower, s.edge_upper, s.triangle_edge, s.triangle_third, *s.stars),
            "TT": lambda: s.stars,
            "EE": lambda: (of.edges_below[0], *uppers),
            "FF": lambda: (of.triangles_of_edges, *uppers, s.triangle_edge, s.triangle_third),
        }[name]()
        n = s.n_ids(LETTERS.index(name[0]))
        counts = session.device.empty(n, np.int32)
        none = session.device.empty(0, np.int32)
        session.launch(f"count_{name.lower()}", n, none, 0, 0, *reads, counts)
        return counts
