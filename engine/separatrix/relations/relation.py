"""Relations between the simplices of a mesh, by segment, by simplex, or as a whole.

XY gives for each simplex X its simplices Y: faces (EV FV FE TV TE TF), cofaces (VE VF VT EF ET FT),
or neighbors (VV share an edge, EE a vertex, FF an edge, TT a triangle). Liu et al. 2025,
section 3.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from ..arguments import checked_whole, is_one_of
from ..complexes.simplicial.incidence import Incidence
from ..device.arrays import as_array, current_for
from ..device.base import Array
from ..errors import InputError
from ..primitives import exclusive_scan
from ..repr_mixin import ReprMixin
from .rows import LETTERS, RELATIONS, Rows, Span, is_table, rows_of

STAGES = {"relation": 1.0}


class RowProducer(Protocol):
    """Who makes rows for a :class:`Relation`: the seam between what is asked and how it is made.

    :class:`DirectRows` makes them at once, on the caller's thread and the mesh's device. A
    scheduler with queues, workers and a cache takes its place by these two methods, both of which
    may be called from many threads at once and return results where the caller wants them. Equal
    requests must give equal bits, whoever answers.
    """

    def rows_of_segments(self, begin: int, end: int) -> Rows:
        """Rows of all simplices that segments begin .. end - 1 own, in mesh order."""

    def rows_of(self, ids: Array) -> Rows:
        """Rows of `ids` (n,), checked to be in range, in their order."""


class DirectRows:
    """Rows made when asked for, nothing kept."""

    def __init__(self, incidence: Incidence, name: str, in_mesh_ids: bool):
        self.incidence, self.name, self.in_mesh_ids = incidence, name, in_mesh_ids

    def rows_of_segments(self, begin: int, end: int) -> Rows:
        """Rows of all simplices that segments begin .. end - 1 own, in mesh order."""
        session = self.incidence.session
        with session.call(None, STAGES), session.stage("relation"):
            starts, vertices = (self.incidence.owned_starts(d) for d in (self.dimension, 0))
            first, last = int(starts[begin]), int(starts[end])
            ids = self._named(session.device.xp.arange(first, last, dtype=np.int32))
            owners = (int(vertices[begin]), int(vertices[end]))
            span = Span(first, last - first, owners=owners)
            return self._made(span, ids).mapped(session.result)

    def rows_of(self, ids: Array) -> Rows:
        """Rows of `ids` (n,) int32 on the device, in their order."""
        session = self.incidence.session
        with session.call(None, STAGES), session.stage("relation"):
            chosen = self._in_mesh(ids)
            return self._made(Span(0, ids.size, chosen), ids).mapped(session.result)

    def all_rows(self) -> Rows:
        """Rows of all simplices in the order of their ids; tables stay tables."""
        s, session = self.incidence.simplices, self.incidence.session
        n = s.n_ids(self.dimension)
        chosen = None
        if not self.in_mesh_ids and self.dimension in (0, s.dimension):
            chosen = s.vertex_of if self.dimension == 0 else s.tet_of
            n = chosen.size
        ids = session.device.xp.arange(n, dtype=np.int32)
        owners = (0, s.n_vertices) if chosen is None else None
        return self._made(Span(0, n, chosen, owners), ids)

    @property
    def dimension(self) -> int:
        """Dimension of the simplices that have the rows."""
        return LETTERS.index(self.name[0])

    @property
    def n_ids(self) -> int:
        """How many ids they have."""
        s = self.incidence.simplices
        is_top = not self.in_mesh_ids and self.dimension == s.dimension
        return int(s.tet_of.size) if is_top else s.n_ids(self.dimension)

    def _made(self, span: Span, ids: Array) -> Rows:
        items, offsets = rows_of(self.incidence, self.name, span, in_mesh_ids=self.in_mesh_ids)
        width = items.size // len(ids) if offsets is None and len(ids) else None
        return Rows(ids, items, offsets, width if offsets is None else None)

    def _named(self, ids: Array) -> Array:
        """The user's ids of simplices with mesh ids, if the relation is in the user's."""
        s = self.incidence.simplices
        if self.in_mesh_ids or self.dimension not in (0, s.dimension):
            return ids
        return (s.point_of if self.dimension == 0 else s.cell_of)[ids]

    def _in_mesh(self, ids: Array) -> Array:
        s = self.incidence.simplices
        if self.in_mesh_ids or self.dimension not in (0, s.dimension):
            return ids
        return (s.vertex_of if self.dimension == 0 else s.tet_of)[ids]


class Relation(ReprMixin):
    """One of the sixteen relations of a mesh.

    Points and cells have the user's ids, other simplices mesh ids: their ranks in the lexicographic
    order of their mesh vertices. Every row ascends, each simplex being in it once, except that
    slot k of a row of TT is the tetrahedron across triangle k of that row of TF, and NONE stands
    last in FT, anywhere in TT, where there is none. Nothing is computed before it is asked for.
    """

    def __init__(self, direct: DirectRows, producer: RowProducer | None = None):
        self._direct = direct
        self._producer: RowProducer = direct if producer is None else producer

    @property
    def name(self) -> str:
        """Its two letters."""
        return self._direct.name

    @property
    def n_segments(self) -> int:
        """How many segments the mesh has."""
        return len(self._direct.incidence.segments)

    def __len__(self) -> int:
        return self._direct.n_ids

    def _summary(self) -> str:
        return f"{self.name}: {len(self):,} simplices, {self.n_segments:,} segments"

    def segment(self, k: int, end: int | None = None) -> Rows:
        """Rows of the simplices that segment `k` owns, or segments `k` .. `end` - 1, in mesh order.

        A segment owns the simplices whose lowest mesh vertex is one of its vertices.
        """
        n = self.n_segments
        k = checked_whole(k, "segment k", 0, n - 1 if end is None else n)  # none is a run, too
        end = k + 1 if end is None else checked_whole(end, "end", k, n)
        return self._producer.rows_of_segments(k, end)

    def __getitem__(self, ids: Any) -> Any:
        """Rows of some simplices: an id gives its row, an array (n,) of ids their :class:`Rows`."""
        direct, session = self._direct, self._direct.incidence.session
        given = as_array(ids, "ids")
        if given.ndim > 1 or (given.size and given.dtype.kind not in "iu"):
            raise InputError(
                f"a relation takes an id or an array (n,) of ids, got {given.dtype} of shape "
                f"{tuple(given.shape)}"
            )
        with current_for(given):
            wrong = (given < 0) | (given >= direct.n_ids)
            if wrong.any():
                bad = int(given[wrong].ravel()[0]) if given.ndim else int(given)
                raise InputError(
                    f"ids of {self.name} are 0 to {direct.n_ids - 1:,}, got {bad} "
                    f"({int(wrong.sum()):,} such id{'s' * (int(wrong.sum()) != 1)})"
                )
            wanted = given.reshape(-1).astype(np.int32)
        with session.call(None, STAGES):
            wanted = session.upload(wanted)
        rows = self._producer.rows_of(wanted)  # outside of the call, which others wait for
        return rows if given.ndim else rows[0]

    def to_csr(self) -> Rows:
        """All rows as offsets (n + 1,) int64 and items int32, by id, ascending, without NONE."""
        direct, session = self._direct, self._direct.incidence.session
        with session.call(None, STAGES), session.stage("relation"):
            rows = direct.all_rows()
            if rows.offsets is None:
                rows = _packed(session, rows)
            return rows.mapped(session.result)

    def to_table(self) -> Array:
        """All rows (n, width) int32, by id, of a relation whose rows have one length.

        Raises InputError for another, which FT and TT are where a triangle has three tetrahedra.
        """
        direct, session = self._direct, self._direct.incidence.session
        with session.call(None, STAGES), session.stage("relation"):
            if not is_table(direct.incidence, self.name):
                raise InputError(f"rows of {self.name} differ in length here; take to_csr()")
            rows = direct.all_rows()
            return session.result(rows.items.reshape(len(rows), rows.width or 1))


def _packed(session: Any, rows: Rows) -> Rows:
    """A table as lists without NONE."""
    n, counts = len(rows), session.device.empty(len(rows), np.int32)
    session.launch("count_present", n, rows.items, rows.width or 0, counts)
    offsets = exclusive_scan(counts)
    items = session.device.empty(int(offsets[-1]), np.int32)
    session.launch("write_present", n, rows.items, rows.width or 0, offsets, items)
    return Rows(rows.ids, items, offsets)


def checked_name(name: Any, dimension: int) -> str:
    """The name of a relation that a mesh of `dimension` has, in capitals. Raises InputError."""
    text = name.upper() if isinstance(name, str) else name
    if not is_one_of(text, RELATIONS):
        raise InputError(f"the name of a relation is one of {' '.join(RELATIONS)}, not {name!r}")
    if dimension == 2 and "T" in text:
        raise InputError(f"a triangle mesh has no tetrahedra, thus no relation {text}")
    return str(text)


def checked_ids(ids: Any) -> bool:
    """Whether they are mesh ids. Raises InputError."""
    if not is_one_of(ids, ("user", "mesh")):
        raise InputError(f"ids must be 'user' or 'mesh', not {ids!r}")
    return bool(ids == "mesh")
