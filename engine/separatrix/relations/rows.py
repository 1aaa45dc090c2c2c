"""Rows of the sixteen relations, made on the device.

Relations with rows of one length are tables; the others are counted, scanned and filled. A table of
FT and TT has NONE where there is no tetrahedron; if a triangle has more than two tetrahedra, they
are lists too. Whatever the span, device and number of threads, a row is the same.

The rules of each row stand in kernels/simplicial/relations.h and simplicial/adjacency.h.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..complexes.simplicial.incidence import Incidence
from ..device.base import Array
from ..primitives import exclusive_scan
from ..repr_mixin import ReprMixin

LETTERS = "VEFT"
RELATIONS = tuple(a + b for a in LETTERS for b in LETTERS)
"""The names of all sixteen."""

WIDTHS = {"EV": 2, "FV": 3, "FE": 3, "TV": 4, "TE": 6, "TF": 4, "FT": 2, "TT": 4}
"""Lengths of the rows of tables."""


@dataclass(frozen=True, eq=False, repr=False)
class Rows(ReprMixin):
    """Some rows of a relation.

    ``ids`` (n,): whose they are, in the ids of the relation; ``items`` int32: row after row;
    ``offsets`` (n + 1,) int64 where each begins, or None if all have ``width`` items. Row i is
    ``rows[i]``.
    """

    ids: Array
    items: Array
    offsets: Array | None = None
    width: int | None = None

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
        """(n, width) int32, if all rows have one length."""
        if self.width is None:
            raise TypeError("the rows of this relation differ in length: use offsets and items")
        return self.items.reshape(-1, self.width)

    def mapped(self, change: Callable[[Array], Array]) -> Rows:
        """The rows with each of their arrays changed."""
        offsets = None if self.offsets is None else change(self.offsets)
        return Rows(change(self.ids), change(self.items), offsets, self.width)


@dataclass(frozen=True, eq=False)
class Span:
    """Whose rows are made: `n` simplices from `begin` on, or `chosen` (n,) int32 mesh ids.

    ``owners``: the vertices first, last that own them all and no others, where that is known.
    """

    begin: int
    n: int
    chosen: Array | None = None
    owners: tuple[int, int] | None = None


def table_of(incidence: Incidence, name: str) -> Array:
    """The whole table of a boundary relation in mesh ids."""
    n = incidence.simplices.n_ids(LETTERS.index(name[0]))
    items, _ = rows_of(incidence, name, Span(0, n), in_mesh_ids=True)
    return items.reshape(n, WIDTHS[name])


def is_table(incidence: Incidence, name: str) -> bool:
    """Whether the rows of a relation have one length."""
    if name in ("FT", "TT"):
        return not incidence.crowded_triangles.size
    return name in WIDTHS


def rows_of(
    incidence: Incidence, name: str, span: Span, *, in_mesh_ids: bool
) -> tuple[Array, Array | None]:
    """(items int32, offsets (n + 1,) int64 or None for a table) of the rows of a span."""
    launch = _Launch(incidence, name, span, in_mesh_ids)
    s, below = incidence.simplices, _below(incidence, name)
    if is_table(incidence, name):
        return launch.table(*_table_arrays(incidence, name)), None
    if name in ("VE", "VF", "VT"):
        lists, own = _around(incidence, name)
        begins = (*lists, own)
        return launch.lists(_n_around(lists[0], own, span), "vertex_cofaces", *begins)
    if name == "VV":
        n_neighbors = _n_around(below[0], s.edge_begin, span)
        return launch.lists(n_neighbors, "vv", *below, s.edge_lower, *s.edge_trie)
    if name == "EF":
        arrays = (*below, s.edge_lower, *s.edge_trie, *s.triangle_trie)
        by_owner = (*below, *s.edge_trie, *s.triangle_trie)
        return launch.of_edges(incidence.triangles_of_edges, "ef", arrays, by_owner)
    if name == "ET":
        arrays = (s.edge_lower, s.edge_upper, *s.stars)
        return launch.of_edges(incidence.tets_of_edges, "et", arrays, (*s.edge_trie, *s.stars))
    if name == "FT":
        arrays = (s.edge_lower, s.edge_upper, s.triangle_edge, s.triangle_third, *s.stars)
        return launch.lists(launch.counted("ft", *arrays), "ft", *arrays)
    if name == "TT":
        return launch.lists(launch.counted("tt", *s.stars), "tt", *s.stars)
    if name == "EE":
        counts = launch.counted("ee", below[0], s.edge_lower, *s.edge_trie)
        return launch.lists(counts, "ee", *below, s.edge_lower, *s.edge_trie, is_named=False)
    assert name == "FF"
    upper = (s.edge_lower, *s.edge_trie)
    counts = launch.counted(
        "ff", incidence.triangles_of_edges, *upper, s.triangle_edge, s.triangle_third
    )
    arrays = (*incidence.edge_triangles, *upper, s.triangle_edge, s.triangle_third)
    return launch.lists(counts, "ff", *arrays)


def _below(incidence: Incidence, name: str) -> tuple[Array, ...]:
    """Edges by their upper vertex, for the relations that read them."""
    return incidence.edges_below if name in ("VV", "EF", "EE") else ()


def _around(incidence: Incidence, name: str) -> tuple[tuple[Array, Array], Array]:
    """(lists of the simplices that a vertex is not the lowest of, intervals of its own)."""
    s = incidence.simplices
    if name == "VE":
        return incidence.edges_below, s.edge_begin
    if name == "VF":
        return incidence.triangles_below, incidence.own_triangles
    return (s.star_begin, s.star_tets), s.tet_begin


def _n_around(list_begin: Array, own_begin: Array, span: Span) -> Array:
    """How many simplices each vertex of a span has around it: (n,) int32."""
    if span.chosen is not None:
        both = [begin[span.chosen + 1] - begin[span.chosen] for begin in (list_begin, own_begin)]
    else:
        rows = slice(span.begin, span.begin + span.n + 1)
        both = [begin[rows][1:] - begin[rows][:-1] for begin in (list_begin, own_begin)]
    return both[0] + both[1]


def _table_arrays(incidence: Incidence, name: str) -> tuple[Any, ...]:
    """What the kernel of a table reads, then whether its items have names."""
    s = incidence.simplices
    if name == "EV":
        return s.edge_lower, s.edge_upper, True
    if name == "FV":
        return s.edge_lower, s.edge_upper, s.triangle_edge, s.triangle_third, True
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
        self.owners = span.owners
        s, target = incidence.simplices, LETTERS.index(name[1])
        names = none
        if not in_mesh_ids and target in (0, s.dimension):
            names = s.point_of if target == 0 else s.cell_of
        self.names = (names, names.size)

    def table(self, *arrays: Any) -> Array:
        """Rows of one length, one after the other."""
        *arrays_read, is_named = arrays
        width = WIDTHS[self.name]
        items = self._new(self.n * width)
        suffix = "_table" if self.name in ("FT", "TT") else ""
        names = self.names if is_named else ()
        kernel = f"write_{self.name.lower()}{suffix}"
        self.session.launch(kernel, self.n, *self.span, *arrays_read, *names, items)
        return items

    def counted(self, kernel: str, *arrays: Array) -> Array:
        """Lengths of the rows, (n,) int32."""
        counts = self.session.device.empty(self.n, np.int32)
        self.session.launch(f"count_{kernel}", self.n, *self.span, *arrays, counts)
        return counts

    def lists(
        self, counts: Array, kernel: str, *arrays: Array, is_named: bool = True
    ) -> tuple[Array, Array]:
        """(items, offsets) of rows of the lengths counted."""
        offsets = exclusive_scan(counts)
        items = self._new(int(offsets[-1]))
        names = self.names if is_named else ()
        self.session.launch(f"write_{kernel}", self.n, *self.span, *arrays, offsets, *names, items)
        return items, offsets

    def of_edges(
        self,
        counts: Array,
        kernel: str,
        by_row: tuple[Array, ...],
        by_owner: tuple[Array, ...],
    ) -> tuple[Array, Array]:
        """Rows of edges whose `counts` (E,) are known: by owners if the span is theirs."""
        chosen, n_chosen, begin = self.span
        counts = counts[chosen] if n_chosen else counts[begin : begin + self.n]
        if self.owners is None:
            return self.lists(counts, kernel, *by_row)
        offsets = exclusive_scan(counts)
        items = self._new(int(offsets[-1]))
        first, last = self.owners
        arrays = (first, begin, *by_owner, offsets, *self.names, items)
        self.session.launch(f"write_{kernel}_around", last - first, *arrays)
        return items, offsets

    def _new(self, n: int) -> Array:
        advice = "take it segment by segment"
        self.session.memory.require(4 * n, f"relation {self.name}", advice)
        return self.session.device.empty(n, np.int32)
