"""Relations between the simplices of a mesh, by segment, by simplex, or as a whole.

XY gives for each simplex X its simplices Y: faces (EV FV FE TV TE TF), cofaces (VE VF VT EF ET FT),
or neighbors (VV share an edge, EE a vertex, FF an edge, TT a triangle). Liu et al. 2025,
section 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..arguments import check_one_of, checked_whole
from ..complexes.simplicial.incidence import Incidence
from ..device import Array, Session, as_array, checked_rows
from ..errors import InputError, wrong_shape
from ..lazy import cached_property
from ..primitives import exclusive_scan
from ..results import CSR, ReprMixin
from .compute import Span, computed_rows, is_table, segment_rows
from .rows import RELATIONS, Key, Rows

STAGES = {"relation": 1.0}
ROWS_AT_ONCE = 1 << 14  # of an iteration over all rows


class Relation(ReprMixin):
    """One of the sixteen relations of a mesh.

    Points and cells have the user's ids. Other simplices have mesh ids, which are their ranks in
    the lexicographic order of their mesh vertices. The items of a row are distinct and ascending,
    except in TT, where slot k is the tetrahedron across triangle k of the same row of TF. Missing
    items are NONE, which can be anywhere in rows of TT and is last in rows of FT. Rows are computed
    on request.
    """

    def __init__(self, incidence: Incidence, key: Key):
        self._incidence, self._key, self._session = incidence, key, incidence.session

    @property
    def name(self) -> str:
        """Name, which consists of two letters."""
        return self._key.name

    @property
    def n_segments(self) -> int:
        """Number of segments of the mesh."""
        return len(self._incidence.segments)

    def __len__(self) -> int:
        return self._everyone.n

    def _summary(self) -> str:
        return f"{self.name}: {len(self):,} simplices, {self.n_segments:,} segments"

    def segment(self, k: int, end: int | None = None) -> Rows:
        """Return the rows of the simplices of segments `k` to `end` - 1, by default only `k`.

        A segment owns the simplices whose lowest mesh vertex is one of its vertices.
        """
        n = self.n_segments
        k = checked_whole(k, "k", 0, n - 1 if end is None else n)  # a range may be empty
        end = k + 1 if end is None else checked_whole(end, "end", k, n)
        session = self._session
        with session.call(None, STAGES), session.stage("relation"):
            return segment_rows(self._incidence, self._key, k, end).mapped(session.result)

    def __getitem__(self, ids: Any) -> Any:
        """Return the row of an id, or the :class:`Rows` of an array (n,) of ids."""
        expected = "an integer or an array (n,) of integers"
        given = as_array(ids, "ids", expected)
        if given.ndim > 1:
            raise wrong_shape("ids", expected, given)
        wanted = checked_rows(given.reshape(-1), "ids", len(self), np.int32)
        session, key, incidence = self._session, self._key, self._incidence
        with session.call(None, STAGES), session.stage("relation"):
            ids = session.upload(wanted)
            span = Span(0, ids.size, key.in_mesh(incidence.simplices, ids))
            rows = computed_rows(incidence, key, span, ids).mapped(session.result)
            return rows if given.ndim else rows[0]

    def __iter__(self) -> Iterator[Array]:
        """Return an iterator over the rows of all ids, in their order."""
        for begin in range(0, len(self), ROWS_AT_ONCE):
            yield from self[np.arange(begin, min(begin + ROWS_AT_ONCE, len(self)))]

    def to_csr(self) -> CSR:
        """Return all rows as CSR: int64 offsets and int32 items, ascending, without NONE."""
        session = self._session
        with session.call(None, STAGES), session.stage("relation"):
            rows = self._all_rows()
            offsets, items = rows.offsets, rows.items
            if offsets is None:
                offsets, items = _packed(session, rows)
            return CSR(session.result(offsets), session.result(items))

    def to_table(self) -> Array:
        """Return all rows as a table (n, width) int32 if they have the same length.

        Raises InputError otherwise, as for FT and TT if a triangle has three tetrahedra.
        """
        session = self._session
        with session.call(None, STAGES), session.stage("relation"):
            if not is_table(self._incidence, self.name):
                raise InputError(
                    message=f"The rows of {self.name} of this mesh differ in length.",
                    remedy="Use to_csr().",
                )
            rows = self._all_rows()
            return session.result(rows.table)

    @cached_property
    def _everyone(self) -> Span:
        """Return all simplices that have rows, in the order of their ids."""
        s, key = self._incidence.simplices, self._key
        with self._session.call(None, {}):
            chosen = None if key.in_mesh_ids else s.mesh_ids(key.dimension)
            if chosen is None:
                return Span(0, s.n_ids(key.dimension), owners=(0, s.n_vertices))
            return Span(0, int(chosen.size), chosen)

    def _all_rows(self) -> Rows:
        """Return the rows of all simplices, in the order of their ids, as a table if possible."""
        ids = self._session.device.xp.arange(len(self), dtype=np.int32)
        return computed_rows(self._incidence, self._key, self._everyone, ids)


def _packed(session: Session, rows: Rows) -> tuple[Array, Array]:
    """Return offsets and items of a table, without NONE."""
    n, counts = len(rows), session.device.empty(len(rows), np.int32)
    session.launch("count_present", n, rows.items, rows.width or 0, counts)
    offsets = exclusive_scan(counts)
    items = session.device.empty(int(offsets[-1]), np.int32)
    session.launch("write_present", n, rows.items, rows.width or 0, offsets, items)
    return offsets, items


def checked_key(name: Any, ids: Any, dimension: int) -> Key:
    """Return the relation of a mesh of `dimension`, in capitals. Raises InputError."""
    text = name.upper() if isinstance(name, str) else name
    check_one_of("name", text, RELATIONS)
    if dimension == 2 and "T" in text:
        raise InputError("name", "a relation without tetrahedra for a triangle mesh", name)
    check_one_of("ids", ids, ("user", "mesh"))
    return Key(str(text), bool(ids == "mesh"))
