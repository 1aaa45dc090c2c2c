"""Persistence pairs over pieces.

Each piece merges the extrema that only its own saddles reach. The remaining merges are repeated by
all pieces. The first piece reduces the columns of the 2-saddles without a maximum as a partner.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..device import to_host
from ..homology import PersistenceDiagram, merge_pairs, reduce_columns
from ..kernels import NONE
from ..morse.connectors.table import Connectors
from ..morse.critical import indices_of, rows_of_index
from ..morse.field import as_float, exact_difference
from ..primitives import without_repeats
from .exchange import Exchange, on_first
from .gradient import PieceGradient


class Keys(NamedTuple):
    """Places (n,) of cells of one index in the filtration: by level, then owner, then cell."""

    level: np.ndarray  # in the dtype of the values, unless ranks order them
    vertex: np.ndarray  # int64, owners in the whole image
    cell: np.ndarray  # int64, ids in the whole image

    def of(self, rows: Any) -> Keys:
        return Keys(*(column[rows] for column in self))

    @property
    def order(self) -> np.ndarray:
        """Rows (n,) int32 in the order of the filtration."""
        return np.lexsort((self.cell, self.vertex, self.level)).astype(np.int32)

    @property
    def rank(self) -> np.ndarray:
        rank = np.empty(self.cell.size, np.int32)
        rank[self.order] = np.arange(rank.size, dtype=np.int32)
        return rank


class Cells(NamedTuple):
    """Cells of one index, counted from 0 over all pieces, and their keys."""

    number: np.ndarray  # (n,) int64
    keys: Keys

    def of(self, rows: Any) -> Cells:
        return Cells(self.number[rows], self.keys.of(rows))


class Pairs(NamedTuple):
    """Pairs of a birth and a death of consecutive indices."""

    dimension: int  # index of the births
    births: Cells
    deaths: Cells

    def of(self, rows: Any) -> Pairs:
        return Pairs(self.dimension, self.births.of(rows), self.deaths.of(rows))


class ExtremumPairs(NamedTuple):
    """Pairs of extrema, each with the extremum (n,) beyond its saddle, over all pieces, or NONE."""

    pairs: Pairs
    ended: np.ndarray  # (n,) int64, the extremum of each pair
    beyond: np.ndarray


def joined(parts: list[Cells]) -> Cells:
    """Return cells of several lists in one."""
    keys = Keys(*map(np.concatenate, zip(*(part.keys for part in parts), strict=True)))
    return Cells(np.concatenate([part.number for part in parts]), keys)


def shared(exchange: Exchange, cells: Cells) -> list[Cells]:
    """Return cells of all pieces."""
    columns = [exchange.share(column) for column in (cells.number, *cells.keys)]
    return [Cells(number, Keys(*keys)) for number, *keys in zip(*columns, strict=True)]


def cells_of(gradient: PieceGradient, index: int) -> Cells:
    """Return the piece's own critical cells of an index."""
    rows = rows_of_index(gradient.own_counts, index)
    columns = (gradient.levels[rows], gradient.vertices[rows], gradient.cells[rows])
    level, vertex, cell = map(to_host, columns)
    number = gradient.first(index) + np.arange(cell.size, dtype=np.int64)
    return Cells(number, Keys(level, vertex, cell + gradient.cell_shift))


# === pairs with extrema
def extremum_pairs(gradient: PieceGradient, kind: str, ends: np.ndarray) -> ExtremumPairs:
    """Return the pairs of the piece's saddles with minima ("descending") or maxima."""
    exchange, host, is_rising = gradient.exchange, gradient.session.host, kind == "ascending"
    extremum_index, saddle_index = indices_of(kind, gradient.dimension)
    saddles = cells_of(gradient, saddle_index)
    extrema, is_open = _touched(gradient, extremum_index, ends)
    n, m = extrema.number.size, saddles.number.size
    local = np.where(ends < 0, NONE, np.searchsorted(extrema.number, ends)).astype(np.int32)
    victim, younger, elder = (np.full(m, NONE, np.int32) for _ in range(3))
    side = np.zeros(m, np.uint8)
    age, order = _in_time(extrema.keys.rank, saddles.keys.order, is_rising)
    arrays = (age, n, np.ascontiguousarray(local).reshape(-1), order, m, is_open)
    host.run("merge_open_pieces", *arrays, victim, younger, elder, side)
    closed, left = np.flatnonzero(victim >= 0), np.flatnonzero(younger >= 0)
    late, ended, is_elder = _merged_late(
        exchange, host, saddles.of(left), extrema, younger[left], elder[left], is_rising
    )
    side[left[late]] ^= is_elder
    merging = np.concatenate([closed, left[late]])
    saddles, extrema = saddles.of(merging), joined([extrema.of(victim[closed]), ended])
    beyond = ends[merging, 1 - side[merging]].astype(np.int64)
    if is_rising:
        return ExtremumPairs(Pairs(saddle_index, saddles, extrema), extrema.number, beyond)
    return ExtremumPairs(Pairs(extremum_index, extrema, saddles), extrema.number, beyond)


def _in_time(rank: np.ndarray, order: np.ndarray, is_rising: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return ages of extrema and the order of saddles; maxima merge downward."""
    return (-rank, np.ascontiguousarray(order[::-1])) if is_rising else (rank, order)


def _touched(gradient: PieceGradient, index: int, ends: np.ndarray) -> tuple[Cells, np.ndarray]:
    """Return the extrema at the ends of the piece's saddles, and which other pieces touch, too."""
    exchange = gradient.exchange
    wanted = without_repeats(ends[ends >= 0].astype(np.int64))
    firsts = [gradient.first(index, rank) for rank in range(1, exchange.size)]
    requested = exchange.send(np.split(wanted, np.searchsorted(wanted, firsts)))
    own = cells_of(gradient, index)
    rows = [theirs - gradient.first(index) for theirs in requested]
    n_pieces = np.bincount(np.concatenate(rows).astype(np.int64), minlength=own.number.size)
    columns = (*own.keys, (n_pieces > 1).astype(np.uint8))
    found = [
        np.concatenate(exchange.send([column[theirs] for theirs in rows])) for column in columns
    ]
    return Cells(wanted, Keys(*found[:3])), found[3]


def _merged_late(
    exchange: Exchange,
    host: Any,
    saddles: Cells,
    extrema: Cells,
    younger: np.ndarray,
    elder: np.ndarray,
    is_rising: bool,
) -> tuple[np.ndarray, Cells, np.ndarray]:
    """Return which of the piece's saddles left over merge sets, and the extrema that end there.

    `younger` and `elder` are rows of `extrema`, its size for OUTSIDE. The last array (k,) uint8 is
    1 if the set of `elder` ends.
    """
    is_inner = elder < extrema.number.size
    both = joined([extrema.of(younger), extrema.of(elder[is_inner])])
    numbers = [extrema.number[younger], np.full(elder.size, NONE, np.int64)]
    numbers[1][is_inner] = extrema.number[elder[is_inner]]
    everyone = joined(shared(exchange, both))
    parts = shared(exchange, saddles)
    ends = np.stack([np.concatenate(exchange.share(column)) for column in numbers], axis=1)
    known, first_rows = np.unique(everyone.number, return_index=True)
    nodes = everyone.of(first_rows)
    age, order = _in_time(nodes.keys.rank, joined(parts).keys.order, is_rising)
    ends = np.where(ends < 0, NONE, np.searchsorted(known, ends)).astype(np.int32)
    victim, side = merge_pairs(host, age, ends, order)
    begin = sum(part.number.size for part in parts[: exchange.rank])
    own = slice(begin, begin + saddles.number.size)
    late = np.flatnonzero(victim[own] >= 0)
    return late, nodes.of(victim[own][late]), side[own][late]


# === pairs of saddles
def saddle_pairs(
    gradient: PieceGradient, connectors: Connectors, falling: Pairs, rising: Pairs
) -> Pairs:
    """Return all pairs of 1-saddles and 2-saddles, in every piece; those of others are paired."""
    exchange = gradient.exchange
    lower, upper = cells_of(gradient, 1), cells_of(gradient, 2)
    is_row, is_column = np.ones(lower.number.size, bool), np.ones(upper.number.size, bool)
    is_row[falling.deaths.number - gradient.first(1)] = False
    is_column[rising.births.number - gradient.first(2)] = False
    is_odd = (connectors.multiplicity & np.uint64(1)).astype(bool)
    is_odd &= np.repeat(is_column, np.diff(connectors.offsets))
    lengths = np.add.reduceat(np.append(is_odd, False), connectors.offsets[:-1], dtype=np.int64)
    lengths[np.diff(connectors.offsets) == 0] = 0
    rows, columns = lower.of(is_row), upper.of(is_column)
    at_first = partial(on_first, exchange)
    rows, columns = (
        Cells(at_first(cells.number), Keys(*map(at_first, cells.keys))) for cells in (rows, columns)
    )
    items, lengths = at_first(connectors.items[is_odd]), at_first(lengths[is_column])
    found = _reduced(gradient.session.host, rows, columns, items, lengths)
    births, deaths = (joined(shared(exchange, cells)) for cells in found)
    return Pairs(1, births, deaths)


def _reduced(
    host: Any, rows: Cells, columns: Cells, items: np.ndarray, lengths: np.ndarray
) -> tuple[Cells, Cells]:
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    place = np.searchsorted(rows.number, items)
    is_row = np.append(rows.number, NONE)[place] == items  # the others are paired with minima
    offsets = np.concatenate([[0], np.cumsum(is_row)])[offsets].astype(np.int64)
    pivot = reduce_columns(
        host,
        offsets,
        place[is_row].astype(np.int32),
        order=columns.keys.order,
        place=rows.keys.rank,
    )
    paired = np.flatnonzero(pivot >= 0)
    return rows.of(pivot[paired]), columns.of(paired)


# === the diagram
def diagram_of_piece(
    gradient: PieceGradient, of_extrema: list[Pairs], between: Pairs | None
) -> PersistenceDiagram:
    """Return the pairs whose younger or only cell of the higher index is the piece's own.

    A pair with an extremum is that of its saddle, a pair of saddles that of its 2-saddle.
    `between` are the pairs of saddles of all pieces, None below three dimensions.
    """
    pairs = [*of_extrema]
    is_paired = [own_among(gradient, index, _numbers_in(pairs, index)) for index in range(4)]
    if between is not None:
        own = []
        for index, cells in ((1, between.births), (2, between.deaths)):
            numbers = cells.number - gradient.first(index)
            own.append((numbers >= 0) & (numbers < gradient.own_counts[index]))
            is_paired[index][numbers[own[-1]]] = True
        pairs.append(Pairs(1, between.births.of(own[1]), between.deaths.of(own[1])))
    left = [cells_of(gradient, index).of(~paired) for index, paired in enumerate(is_paired)]
    return _table(gradient, pairs, left)


def _numbers_in(pairs: list[Pairs], index: int) -> np.ndarray:
    found = [np.empty(0, np.int64)]
    found += [both.births.number for both in pairs if both.dimension == index]
    found += [both.deaths.number for both in pairs if both.dimension == index - 1]
    return np.concatenate(found)


def own_among(gradient: PieceGradient, index: int, numbers: np.ndarray) -> np.ndarray:
    """Return which of the piece's critical cells of an index are among those of all pieces.

    `numbers` (n,) int64 count the cells of the index over all pieces.
    """
    numbers = np.sort(numbers)
    firsts = [gradient.first(index, rank) for rank in range(1, gradient.exchange.size)]
    received = gradient.exchange.send(np.split(numbers, np.searchsorted(numbers, firsts)))
    is_among = np.zeros(gradient.own_counts[index], bool)
    is_among[np.concatenate(received) - gradient.first(index)] = True
    return is_among


def persistence_of(gradient: PieceGradient, pairs: Pairs) -> np.ndarray:
    """Return the persistence (n,) float64 of finite pairs. All pieces call it."""
    session = gradient.session.on(gradient.session.host)
    index = np.full(pairs.births.number.size, pairs.dimension)
    low = _values_of(gradient, pairs.births, index)
    high = _values_of(gradient, pairs.deaths, index + 1)
    return np.asarray(exact_difference(session, low, high), np.float64)


def _values_of(gradient: PieceGradient, cells: Cells, index: np.ndarray) -> np.ndarray:
    """Return the values of cells (n,) of these indices, of any pieces. All pieces call it."""
    if gradient.field.plain_values is None:
        return cells.keys.level
    exchange = gradient.exchange
    firsts = np.array([[gradient.first(i, p) for i in range(4)] for p in range(exchange.size)])
    owner = np.full(index.size, -1)
    for first in firsts:
        owner += cells.number >= first[index]
    begins = np.cumsum([(0, *counts[:3]) for counts in gradient.counts], axis=1) - firsts
    row, order = begins[owner, index] + cells.number, np.argsort(owner, kind="stable")
    cuts = np.searchsorted(owner[order], np.arange(1, exchange.size))
    own = to_host(gradient.values)
    asked = exchange.send(np.split(row[order], cuts))
    values = np.empty(row.size, own.dtype)
    values[order] = np.concatenate(exchange.send([own[rows] for rows in asked]))
    return values


def _table(
    gradient: PieceGradient, pairs: list[Pairs], essential: list[Cells]
) -> PersistenceDiagram:
    session = gradient.session.on(gradient.session.host)
    begins = np.cumsum([0, *gradient.totals])
    first = joined([*(p.births for p in pairs), *essential])
    last = joined([*(p.deaths for p in pairs), *essential])
    n_pairs = sum(p.births.number.size for p in pairs)
    is_essential = np.arange(first.number.size) >= n_pairs
    sizes = [*((p.dimension, p.births.number.size) for p in pairs)]
    sizes += [(index, cells.number.size) for index, cells in enumerate(essential)]
    dimension = np.repeat(*map(np.array, zip(*sizes, strict=True)))
    rows = begins[dimension] + first.number
    death_rows = begins[dimension + 1] + last.number
    low = _values_of(gradient, first, dimension)
    high = _values_of(gradient, last, np.where(is_essential, dimension, dimension + 1))
    order = np.argsort(rows)
    columns = (
        dimension.astype(np.int8),
        as_float(session, low),
        np.where(is_essential, np.inf, as_float(session, high)),
        np.where(is_essential, np.inf, exact_difference(session, low, high)),
        first.keys.cell,
        np.where(is_essential, NONE, last.keys.cell),
        rows,
        np.where(is_essential, NONE, death_rows),
    )
    return PersistenceDiagram(*(column[order] for column in columns))
