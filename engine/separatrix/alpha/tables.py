"""Tables of the simplices of an alpha complex, one per dimension.

Tables at a smaller alpha are subsets of the rows, selected by filtration value; kinds follow from
the facets. All arrays of the four tables share one memory block, so one copy transfers them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache, partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..device import Array, array_module, current_for, to_host
from ..kernels.source import constant
from ..lazy import cached_property
from ..primitives import at, compact, exclusive_scan, shifted
from ..results import Table

SINGULAR, REGULAR, INTERIOR = (constant(name) for name in ("SINGULAR", "REGULAR", "INTERIOR"))
ALIGNMENT = 256


@dataclass(frozen=True, eq=False, repr=False)
class SimplexTable(Table):
    """Simplices of one dimension d, in lexicographic order.

    Attributes
    ----------
    simplices : (m, d + 1) int32 array
        Indices of balls, ascending within each row.
    alpha_value : (m,) float64 array
        Smallest alpha at which the simplex exists, a squared length.
    is_gabriel : (m,) bool array
        Whether no other ball is closer to the center of the simplex than its own.
    kind : (m,) int8 array
        0 singular (without cofaces in the complex), 1 regular (on the boundary), or 2 interior;
        tetrahedra are interior.
    """

    simplices: Array
    alpha_value: Array
    is_gabriel: Array
    kind: Array

    def __len__(self) -> int:
        return len(self.simplices)

    def _summary(self) -> str:
        return f"{len(self):,} simplices of {self.simplices.shape[1]} vertices"

    def where(self, chosen: Array) -> SimplexTable:
        """Return the rows that `chosen`, a mask (m,) bool or rows, selects, in their order."""
        with current_for(self.simplices):
            return self.mapped(lambda array: array[chosen])

    def mapped(self, change: Callable[[Array], Array]) -> SimplexTable:
        """Return the table with a function applied to each array."""
        return SimplexTable(*(change(getattr(self, field.name)) for field in fields(self)))


@dataclass(frozen=True)
class Copies:
    """Copies of balls in a periodic box, each of which is a vertex of some simplex."""

    ball: Array  # (k,) int32
    shift: Array  # (k, 3) int32, multiples of the shortened vectors
    places: Array  # (k, 3) float64, in whole steps
    corners: tuple[Array, ...]  # (m, d + 1) int32 per dimension, rows of these arrays

    def mapped(self, change: Callable[[Array], Array]) -> Copies:
        """Return the copies with a function applied to each array."""
        corners = tuple(map(change, self.corners))
        return Copies(change(self.ball), change(self.shift), change(self.places), corners)

    def of_frame(self, own: slice, rows: list[slice], first: int) -> Copies:
        """Return a range of the copies, of balls from `first` on, with `rows` of the corners."""
        corners = zip(self.corners, rows, strict=True)
        return Copies(
            self.ball[own] - np.int32(first),
            self.shift[own],
            self.places[own],
            tuple(each[part] - np.int32(own.start) for each, part in corners),
        )


class TablesInBlock(Sequence[SimplexTable]):
    """Tables of the four dimensions in one block, whose arrays are made on first access."""

    def __init__(self, block: Array, counts: tuple[int, ...]) -> None:
        self.block, self.counts = block, counts

    @cached_property
    def _tables(self) -> tuple[SimplexTable, ...]:
        with current_for(self.block):
            return tables_over(self.block, self.counts)

    def __getitem__(self, dimension: Any) -> Any:
        return self._tables[dimension]

    def __len__(self) -> int:
        return len(self.counts)


@dataclass(frozen=True)
class Tables:
    """Tables of the four dimensions with their facets."""

    simplices: Sequence[SimplexTable]
    facets: tuple[Array, ...]  # (m, d + 1) int32, rows in the table of dimension d - 1
    copies: Copies | None = None  # in a periodic box

    @property
    def counts(self) -> tuple[int, ...]:
        if isinstance(self.simplices, TablesInBlock):
            return self.simplices.counts
        return tuple(len(table) for table in self.simplices)

    @property
    def corners(self) -> tuple[Array, ...]:
        """Sites of the vertices, (m, d + 1) int32 per dimension: balls, or copies in a box."""
        if self.copies is not None:
            return self.copies.corners
        return tuple(table.simplices for table in self.simplices)

    def mapped(self, change: Callable[[Array], Array]) -> Tables:
        """Return the tables with a function applied to each array."""
        simplices = tuple(table.mapped(change) for table in self.simplices)
        copies = None if self.copies is None else self.copies.mapped(change)
        return Tables(simplices, tuple(map(change, self.facets)), copies)


def new_tables(empty: Callable[[Any, Any], Array], counts: tuple[int, ...]) -> tuple[Tables, Array]:
    """Allocate tables of `counts` simplices; return them and the block of all but the facets."""
    block = empty(starts_in_block(counts)[-1], np.uint8)
    facets = tuple(empty((m, d + 1 if d else 0), np.int32) for d, m in enumerate(counts))
    return Tables(TablesInBlock(block, counts), facets), block


@lru_cache(maxsize=8)
def starts_in_block(counts: tuple[int, ...]) -> tuple[int, ...]:
    """Return where the arrays of all tables start in their block, and where it ends."""
    sizes = (_padded(size) for d, m in enumerate(counts) for _, size in _columns(d, m))
    return tuple(accumulate(sizes, initial=0))


def tables_over(block: Array, counts: tuple[int, ...]) -> tuple[SimplexTable, ...]:
    """Return the arrays in a block: simplices, values, flags, and kinds per dimension."""
    starts = iter(starts_in_block(counts))
    tables = []
    for dimension, m in enumerate(counts):
        arrays = [
            block[start : start + size].view(dtype)
            for (dtype, size), start in zip(_columns(dimension, m), starts, strict=False)
        ]
        arrays[0] = arrays[0].reshape(m, dimension + 1)
        tables.append(SimplexTable(*arrays))
    return tuple(tables)


def _columns(dimension: int, m: int) -> tuple[tuple[Any, int], ...]:
    """Return the dtype and the bytes of each array of a table of m simplices."""
    return (np.int32, 4 * m * (dimension + 1)), (np.float64, 8 * m), (np.bool_, m), (np.int8, m)


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def thresholded(tables: Tables, alpha: float = math.inf) -> Tables:
    """Return the tables at a smaller alpha: the rows up to it, with new kinds and facets."""
    if alpha == math.inf:
        return replace(tables, simplices=_with_kinds([*tables.simplices], [*tables.facets]))
    simplices: list[SimplexTable] = []
    facets: list[Array] = []
    corners: list[Array] = []
    rank: Array = None
    for table, own_facets, own in zip(tables.simplices, tables.facets, tables.corners, strict=True):
        kept = table.alpha_value <= alpha
        rows = compact(kept)
        simplices.append(table.mapped(partial(at, places=rows)))
        before = at(own_facets, rows)
        facets.append(before if rank is None else at(rank, before.ravel()).reshape(before.shape))
        rank = shifted(exclusive_scan(kept)[:-1], dtype=np.int32)
        if tables.copies is not None:
            corners.append(at(own, rows))
    copies = None if tables.copies is None else replace(tables.copies, corners=tuple(corners))
    return Tables(_with_kinds(simplices, facets), tuple(facets), copies)


def count_from_each_frame(tables: Tables, n_balls: int, n_frames: int) -> list[list[slice]]:
    """Count the balls and facets of each frame from 0, in place; return its rows in each table."""
    xp = array_module(tables.facets[0])
    bounds = xp.arange(n_frames + 1, dtype=np.int32) * np.int32(n_balls)
    begins = [xp.zeros(n_frames + 1, np.int64)]
    for table, facets in zip(tables.simplices, tables.facets, strict=True):
        frame = table.simplices[:, :1] // np.int32(n_balls)
        facets -= begins[-1][frame].astype(np.int32)
        begins.append(xp.searchsorted(xp.ascontiguousarray(table.simplices[:, 0]), bounds))
        table.simplices[...] -= frame * np.int32(n_balls)
    return [
        [slice(*ends) for ends in zip(first, end, strict=True)]
        for first, end in pairwise(to_host(xp.stack(begins[1:], axis=1)).tolist())
    ]


def each_frame(tables: Tables, n_balls: int, n_frames: int) -> list[Tables]:
    """Return the tables of each frame; those of several frames are changed in place."""
    if n_frames == 1:
        return [tables]
    found, bounds = [], np.zeros(n_frames + 1, np.int64)
    if tables.copies is not None:
        bounds = np.searchsorted(to_host(tables.copies.ball), np.arange(n_frames + 1) * n_balls)
    for f, rows in enumerate(count_from_each_frame(tables, n_balls, n_frames)):
        simplices = tuple(map(SimplexTable.where, tables.simplices, rows))
        facets = tuple(each[part] for each, part in zip(tables.facets, rows, strict=True))
        own = slice(*bounds[f : f + 2].tolist())
        copies = tables.copies and tables.copies.of_frame(own, rows, f * n_balls)
        found.append(Tables(simplices, facets, copies))
    return found


def _with_kinds(tables: list[SimplexTable], facets: list[Array]) -> tuple[SimplexTable, ...]:
    """Return tables with kinds: a face is interior iff it has cofaces and all are interior."""
    found = [tables[3]]
    for dimension in (2, 1, 0):
        table, above, rows = tables[dimension], found[0], facets[dimension + 1]
        xp = array_module(table.kind)
        kind = xp.full(len(table), INTERIOR, np.int8)
        if dimension == 2:  # between two tetrahedra; see alpha/tables.h for the others
            if len(rows):
                kind[:] = xp.bincount(rows.ravel(), minlength=len(table))
            else:
                kind[:] = SINGULAR
        else:
            is_open = (above.kind != INTERIOR)[:, None] | xp.zeros(rows.shape, bool)
            has_coface = xp.zeros(len(table), bool)
            has_coface[rows.ravel()] = True
            kind[rows[is_open]] = REGULAR
            kind[~has_coface] = SINGULAR
        found.insert(0, SimplexTable(table.simplices, table.alpha_value, table.is_gabriel, kind))
    return tuple(found)
