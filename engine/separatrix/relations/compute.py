"""Rows of the sixteen relations, computed on the device.

Relations with rows of one length are tables; the others are counted, scanned and filled. A table of
FT and TT has NONE where there is no tetrahedron; if a triangle has more than two tetrahedra, they
are lists too. A row does not depend on the span, the device, or the number of threads.

kernels/simplicial/relations.h and simplicial/adjacency.h define each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..complexes.simplicial.incidence import Incidence
from ..device.base import Array
from ..primitives import exclusive_scan
from .rows import LETTERS, WIDTHS, Key, Rows


@dataclass(frozen=True, eq=False)
class Span:
    """The simplices whose rows are made: `n` from `begin` on, or `chosen` (n,) int32 mesh ids.

    ``owners``: the vertices first, last that own them all and no others, if known.
    """

    begin: int
    n: int
    chosen: Array | None = None
    owners: tuple[int, int] | None = None

    def of(self, array: Array, end: int = 0) -> Array:
        """The entries of an array by mesh id, shifted by `end`."""
        if self.chosen is not None:
            return array[self.chosen + end]
        return array[self.begin + end : self.begin + self.n + end]


def table_of(incidence: Incidence, name: str) -> Array:
    """Return the whole table of a boundary relation in mesh ids."""
    n = incidence.simplices.n_ids(LETTERS.index(name[0]))
    items, _ = rows_of(incidence, name, Span(0, n), in_mesh_ids=True)
    return items.reshape(n, WIDTHS[name])


def is_table(incidence: Incidence, name: str) -> bool:
    """Return whether the rows of a relation have one length."""
    if name in ("FT", "TT"):
        return not incidence.crowded_triangles.size
    return name in WIDTHS


def computed_rows(incidence: Incidence, key: Key, span: Span, ids: Array) -> Rows:
    """Return the rows of a span, where `ids` (n,) name its simplices."""
    return Rows.of(ids, *rows_of(incidence, key.name, span, in_mesh_ids=key.in_mesh_ids))


def rows_of(
    incidence: Incidence, name: str, span: Span, *, in_mesh_ids: bool
) -> tuple[Array, Array | None]:
    """Return (items int32, offsets (n + 1,) int64 or None for a table) of the rows of a span."""
    launch, s = _Launch(incidence, name, span, in_mesh_ids), incidence.simplices
    if is_table(incidence, name):
        return launch.table(*_table_arrays(incidence, name)), None
    below = incidence.edges_below if name in ("VV", "EF", "EE") else ()  # before the counts
    counts = row_lengths(incidence, name, span)
    if name in ("VE", "VF", "VT"):
        lists, own = _around(incidence, name)
        return launch.lists(counts, "vertex_cofaces", *lists, own)
    by_edge = (s.edge_lower, *s.edge_trie)
    if name == "EF":
        tries = (*s.edge_trie, *s.triangle_trie)
        return launch.of_edges(counts, (*below, s.edge_lower, *tries), (*below, *tries))
    if name == "ET":
        return launch.of_edges(counts, (*s.edge_ends, *s.stars), (*s.edge_trie, *s.stars))
    if name == "EE":
        return launch.lists(counts, "ee", *below, *by_edge, is_named=False)
    reads = {
        "VV": lambda: (*below, *by_edge),
        "FT": lambda: (*s.edge_ends, s.triangle_edge, s.triangle_third, *s.stars),
        "TT": lambda: s.stars,
        "FF": lambda: (*incidence.edge_triangles, *by_edge, s.triangle_edge, s.triangle_third),
    }[name]()
    return launch.lists(counts, name.lower(), *reads)


def row_lengths(incidence: Incidence, name: str, span: Span) -> Array:
    """Return the length (n,) of each row of a relation that is not a table."""
    s, session = incidence.simplices, incidence.session
    if name[0] == "V":
        (others, _), own = _around(incidence, name)
        return (span.of(others, 1) - span.of(others)) + (span.of(own, 1) - span.of(own))
    if name in ("EF", "ET"):
        return span.of(incidence.triangles_of_edges if name == "EF" else incidence.tets_of_edges)
    by_edge: tuple[Any, ...] = (s.edge_lower, *s.edge_trie)
    triangles = (s.triangle_edge, s.triangle_third)
    reads: tuple[Any, ...] = {
        "FT": lambda: (*s.edge_ends, *triangles, *s.stars),
        "TT": lambda: s.stars,
        "EE": lambda: (incidence.edges_below[0], *by_edge),
        "FF": lambda: (incidence.triangles_of_edges, *by_edge, *triangles),
    }[name]()
    counts = session.device.empty(span.n, np.int32)
    none = session.device.empty(0, np.int32)
    chosen = none if span.chosen is None else span.chosen
    place = (chosen, chosen.size, span.begin)
    session.launch(f"count_{name.lower()}", span.n, *place, *reads, counts)
    return counts


def _around(incidence: Incidence, name: str) -> tuple[tuple[Array, Array], Array]:
    """(lists of the simplices that a vertex is not the lowest of, intervals of its own)."""
    s = incidence.simplices
    if name == "VF":
        return incidence.triangles_below, incidence.own_triangles
    if name == "VT":
        return (s.star_begin, s.star_tets), s.tet_begin
    return incidence.edges_below, s.edge_begin


def _table_arrays(incidence: Incidence, name: str) -> tuple[Any, ...]:
    """The arrays that the kernel of a table reads, then whether its items have names."""
    s = incidence.simplices
    if name == "EV":
        return *s.edge_ends, True
    if name == "FV":
        return *s.edge_ends, s.triangle_edge, s.triangle_third, True
    if name == "FE":
        return s.edge_lower, *s.edge_trie, s.triangle_edge, s.triangle_third, False
    if name == "TV":
        return s.tets, True
    if name == "TE":
        return s.tets, *s.edge_trie, False
    if name == "TF":
        return s.tets, *s.edge_trie, *s.triangle_trie, False
    if name == "FT":
        return incidence.triangle_tets, True
    return s.tets, *s.edge_trie, *s.triangle_trie, incidence.triangle_tets, True


class _Launch:
    """Launches of one relation over one span."""

    def __init__(self, incidence: Incidence, name: str, span: Span, in_mesh_ids: bool):
        self.session, self.name, self.n = incidence.session, name, span.n
        none = self.session.device.empty(0, np.int32)
        chosen = none if span.chosen is None else span.chosen
        self.span = (chosen, chosen.size, span.begin)
        self.begin, self.owners = span.begin, span.owners
        names = None if in_mesh_ids else incidence.simplices.users_ids(LETTERS.index(name[1]))
        names = none if names is None else names
        self.names = (names, names.size)

    def table(self, *arrays: Any) -> Array:
        """Rows of one length, one after the other."""
        *arrays_read, is_named = arrays
        items = self._new(self.n * WIDTHS[self.name])
        suffix = "_table" if self.name in ("FT", "TT") else ""
        names = self.names if is_named else ()
        kernel = f"write_{self.name.lower()}{suffix}"
        self.session.launch(kernel, self.n, *self.span, *arrays_read, *names, items)
        return items

    def lists(
        self, counts: Array, kernel: str, *arrays: Array, is_named: bool = True
    ) -> tuple[Array, Array]:
        """(items, offsets) of rows of these lengths."""
        offsets = exclusive_scan(counts)
        items = self._new(int(offsets[-1]))
        names = self.names if is_named else ()
        self.session.launch(f"write_{kernel}", self.n, *self.span, *arrays, offsets, *names, items)
        return items, offsets

    def of_edges(
        self, counts: Array, by_row: tuple[Array, ...], by_owner: tuple[Array, ...]
    ) -> tuple[Array, Array]:
        """(items, offsets) of rows of edges: by owners if the span is theirs."""
        kernel = self.name.lower()
        if self.owners is None:
            return self.lists(counts, kernel, *by_row)
        offsets = exclusive_scan(counts)
        items = self._new(int(offsets[-1]))
        first, last = self.owners
        arrays = (first, self.begin, *by_owner, offsets, *self.names, items)
        self.session.launch(f"write_{kernel}_around", last - first, *arrays)
        return items, offsets

    def _new(self, n: int) -> Array:
        advice = "take it segment by segment"
        self.session.memory.require(4 * n, f"relation {self.name}", advice)
        return self.session.device.empty(n, np.int32)
