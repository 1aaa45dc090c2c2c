"""Rows of the sixteen relations, computed on the device.

Relations whose rows have the same length are tables; the others are counted, summed, and filled.
Tables of FT and TT contain NONE for missing tetrahedra; if a triangle has more than two tetrahedra,
they are lists as well. A row does not depend on the span, the device, or the number of threads.

kernels/simplicial/relations.h and simplicial/adjacency.h define each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..complexes.simplicial.incidence import Incidence
from ..device import Array, Session, to_host
from ..primitives import exclusive_scan
from .rows import LETTERS, WIDTHS, Key, Rows

READS = {
    "write_ev": "edge_ends",
    "write_fv": "edge_ends triangle_edge triangle_third",
    "write_fe": "triangles_by_edges",
    "write_tv": "tets",
    "write_te": "tets edge_trie",
    "write_tf": "tets edge_trie triangle_trie",
    "write_ft_table": "triangle_tets",
    "write_tt_table": "tets edge_trie triangle_trie triangle_tets",
    "write_ve": "edges_below edge_begin",
    "write_vf": "triangles_below own_triangles",
    "write_vt": "star_begin star_tets tet_begin",
    "write_vv": "edges_below edge_lower edge_trie",
    "write_ee": "edges_below edge_lower edge_trie",
    "write_ef": "edges_below edge_lower edge_trie triangle_trie",
    "write_ef_around": "edges_below edge_trie triangle_trie",
    "write_et": "edge_ends stars",
    "write_et_around": "edge_trie stars",
    "write_ft": "edge_ends triangle_edge triangle_third stars",
    "write_tt": "stars",
    "write_ff": "edge_triangles triangles_by_edges",
    "count_ff": "triangles_of_edges triangles_by_edges",
}
"""Arrays of the mesh or of its incidence that the kernel of each relation reads, in this order.
``write_ve``, ``write_vf`` and ``write_vt`` are one kernel, write_vertex_cofaces."""

WITHOUT_NAMES = ("FE", "TE", "TF", "EE")
"""Relations whose items have mesh ids only."""


@dataclass(frozen=True, eq=False)
class Span:
    """The `n` simplices from `begin` on whose rows are computed, or `chosen` (n,) int32 ids."""

    begin: int
    n: int
    chosen: Array | None = None
    owners: tuple[int, int] | None = None  # bounds of the vertices that own exactly these

    def place(self, session: Session) -> tuple[Array, int, int]:
        """Arguments of kernels: the chosen simplices, their number, and the first one."""
        chosen = session.device.empty(0, np.int32) if self.chosen is None else self.chosen
        return chosen, chosen.size, self.begin

    def of(self, array: Array, end: int = 0) -> Array:
        """Return the entries of an array by mesh id, shifted by `end`."""
        if self.chosen is not None:
            return array[self.chosen + end]
        return array[self.begin + end : self.begin + self.n + end]


def is_table(incidence: Incidence, name: str) -> bool:
    """Return whether the rows of a relation have the same length."""
    if name in ("FT", "TT"):
        return not incidence.crowded_triangles.size
    return name in WIDTHS


def computed_rows(incidence: Incidence, key: Key, span: Span, ids: Array) -> Rows:
    """Return the rows of a span, whose simplices have the given `ids` (n,)."""
    return Rows.of(key.name, ids, *rows_of(incidence, key.name, span, in_mesh_ids=key.in_mesh_ids))


def segment_rows(incidence: Incidence, key: Key, begin: int, end: int) -> Rows:
    """Return the rows of all simplices that segments begin to end - 1 own."""
    owned = (incidence.owned_starts(d)[[begin, end]].tolist() for d in (key.dimension, 0))
    (first, last), (low, high) = owned
    ids = incidence.session.device.xp.arange(first, last, dtype=np.int32)
    span = Span(first, last - first, owners=(low, high))
    return computed_rows(incidence, key, span, key.named(incidence.simplices, ids))


def segment_bytes(incidence: Incidence, name: str) -> np.ndarray:
    """Return the bytes of each segment's rows, (S,) int64, cached.

    4 bytes per id and per item, and 8 per offset. Also creates the lists that the relation reads.
    Thread-safe.
    """
    kept = incidence.segment_bytes
    if name not in kept:
        # Only the call's lock, because a callback of a call may also request the bytes.
        with incidence.session.call(None, {}):
            rows_of(incidence, name, Span(0, 0), in_mesh_ids=True)
            dimension = LETTERS.index(name[0])
            starts = incidence.owned_starts(dimension)
            if is_table(incidence, name):
                kept[name] = np.diff(starts) * 4 * (1 + WIDTHS[name])
            else:
                everyone = Span(0, incidence.simplices.n_ids(dimension))
                before = exclusive_scan(row_lengths(incidence, name, everyone))  # int64
                n_items = np.diff(to_host(before[incidence.session.upload(starts)]))
                kept[name] = np.diff(starts) * 12 + 8 + 4 * n_items
    return kept[name]


def item_starts(incidence: Incidence, name: str) -> np.ndarray:
    """Return where the items of each segment begin, (S + 1,) int64, once its bytes are known."""
    n_rows = np.diff(incidence.owned_starts(LETTERS.index(name[0])))
    if is_table(incidence, name):
        n_items = n_rows * WIDTHS[name]
    else:
        n_items = (incidence.segment_bytes[name] - 12 * n_rows - 8) // 4
    return np.append(0, np.cumsum(n_items))


def rows_of(
    incidence: Incidence, name: str, span: Span, *, in_mesh_ids: bool
) -> tuple[Array, Array | None]:
    """Return (items int32, offsets (n + 1,) int64 or None for a table) of the rows of a span."""
    session, kernel, n = incidence.session, f"write_{name.lower()}", span.n
    place: tuple[Any, ...] = span.place(session)
    offsets = None
    if is_table(incidence, name):
        kernel += "_table" if name in ("FT", "TT") else ""
        reads, n_items = _arrays(incidence, kernel), n * WIDTHS[name]
    else:
        if name in ("EF", "ET") and span.owners is not None:
            kernel += "_around"
            place, n = (span.owners[0], span.begin), span.owners[1] - span.owners[0]
        reads = _arrays(incidence, kernel)  # before the lengths, which need memory of their own
        offsets = exclusive_scan(row_lengths(incidence, name, span))
        reads, n_items = (*reads, offsets), int(offsets[-1])
    if name not in WITHOUT_NAMES:
        target = LETTERS.index(name[1])
        names = None if in_mesh_ids else incidence.simplices.users_ids(target)
        names = session.device.empty(0, np.int32) if names is None else names
        reads = (*reads, names, names.size)
    session.memory.require(4 * n_items, f"relation {name}", "take it segment by segment")
    items = session.device.empty(n_items, np.int32)
    if name in ("VE", "VF", "VT"):
        kernel = "write_vertex_cofaces"
    session.launch(kernel, n, *place, *reads, items)
    return items, offsets


def row_lengths(incidence: Incidence, name: str, span: Span) -> Array:
    """Return the length (n,) of each row of a relation that is not a table."""
    if name[0] == "V":
        others, *_, own = _arrays(incidence, f"write_{'ve' if name == 'VV' else name.lower()}")
        return (span.of(others, 1) - span.of(others)) + (span.of(own, 1) - span.of(own))
    if name in ("EF", "ET"):
        return span.of(incidence.triangles_of_edges if name == "EF" else incidence.tets_of_edges)
    reads = _arrays(incidence, "count_ff" if name == "FF" else f"write_{name.lower()}")
    if name == "EE":
        reads = (reads[0], *reads[2:])  # only their numbers
    counts = incidence.session.device.empty(span.n, np.int32)
    place = span.place(incidence.session)
    incidence.session.launch(f"count_{name.lower()}", span.n, *place, *reads, counts)
    return counts


def _arrays(incidence: Incidence, kernel: str) -> tuple[Array, ...]:
    """Return the arrays that a kernel reads."""
    arrays: tuple[Array, ...] = ()
    for name in READS[kernel].split():
        owner = incidence if hasattr(Incidence, name) else incidence.simplices
        found = getattr(owner, name)
        arrays += found if isinstance(found, tuple) else (found,)
    return arrays
