"""Lines from the saddles of a piece to extrema, which may be in other pieces.

A line is followed by each piece through its own layers, and handed on at a cut: one exchange per
crossing. Pieces send the directions of its steps, a byte each, to the piece of its saddle. At a
level, arcs of canceled extrema are reversed in the same way (kernels/cubical/piece_walks.h).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arguments import check_one_of, is_one_of
from ..complexes.cubical.forests import passed_type
from ..complexes.cubical.lower_star import owners_of
from ..complexes.cubical.separatrices import CubicalArcs, polylines_of_arcs
from ..complexes.cubical.slabs import doubled_layer
from ..device import Array, to_host
from ..errors import InputError
from ..kernels import NONE
from ..morse.cancellation import NEVER
from ..morse.critical import indices_of
from ..morse.separatrices import Separatrices
from ..primitives import exclusive_scan, shifted
from .gradient import Piece, PieceGradient


class Walks(NamedTuple):
    """Paths (n,) at the cells where a piece continues them."""

    at: np.ndarray  # int64, anchors in the image, NONE at the end
    direction: np.ndarray  # uint8, from the cell before
    number: np.ndarray  # int64, of the arc, over all pieces
    origin: np.ndarray  # int32, the piece of the saddle

    def of(self, rows: np.ndarray) -> Walks:
        return Walks(*(column[rows] for column in self))


class Fragments(NamedTuple):
    """Parts (n,) of arcs in one piece."""

    walks: Walks
    length: np.ndarray  # int64
    chain: np.ndarray  # uint8, their directions one after the other


def check_lines(dimension: int, kind: str) -> None:
    """Raise InputError unless pieces have lines of this dimension and kind."""
    if not is_one_of(dimension, (1,)):
        raise InputError("dimension", "1 in pieces", dimension)
    check_one_of("kind", kind, ("ascending", "descending"))


def walks_from(piece: Piece, kind: str, sides: np.ndarray) -> Walks:
    """Return the arcs 2 * saddle + side (n,) int64 of the piece's own saddles of a kind."""
    session, slab, rank = piece.session, piece.layers.slab, piece.exchange.rank
    index = indices_of(kind, piece.dimension)[1]
    at, direction = (
        session.device.empty(sides.size, np.int64),
        session.device.empty(sides.size, np.uint8),
    )
    model = (slab.grid.extents, piece.cells_of(index), passed_type(slab.grid, kind))
    session.launch("start_walks", sides.size, *model, session.upload(sides), at, direction)
    number = sides + 2 * piece.first(index)
    origin = np.full(sides.size, rank, np.int32)
    return Walks(_in_image(piece, to_host(at)), to_host(direction), number, origin)


def follow_walks(piece: Piece, walks: Walks, step: Callable[[Walks, Array, Array], None]) -> None:
    """Follow paths until all end. ``step(walks, at, direction)`` moves them within the piece.

    All pieces have to call it.
    """
    session, exchange, layers = piece.session, piece.exchange, piece.layers
    slab, ranks = layers.slab, ((exchange.rank - 1) % exchange.size, layers.rank_after)
    while True:
        at = session.upload((walks.at - slab.first * slab.layer) % layers.whole.n_vertices)
        direction = session.device.copied(session.upload(walks.direction))
        step(walks, at, direction)
        local = to_host(at)
        leaves = local != NONE
        moved = walks._replace(at=_in_image(piece, local), direction=to_host(direction))
        sent = [np.zeros(0, np.int64)] * exchange.size
        for rank, where in zip(
            ranks, (leaves & (local < slab.inner.start), local >= slab.inner.stop), strict=True
        ):
            sent[rank] = np.concatenate([sent[rank], np.flatnonzero(where)])
        if not any(exchange.gather(int(leaves.sum()))):
            return
        columns = zip(*(moved.of(rows) for rows in sent), strict=True)
        walks = Walks(*(np.concatenate(exchange.send(list(column))) for column in columns))


def _in_image(piece: Piece, local: np.ndarray) -> np.ndarray:
    slab = piece.layers.slab
    found = (local + slab.first * slab.layer) % piece.layers.whole.n_vertices
    return np.where(local == NONE, NONE, found)


def lines_of_piece(piece: Piece, words: Array, kind: str, extrema: np.ndarray) -> Separatrices:
    """Return the lines of one kind of the piece's saddles, of which `words` are the gradient.

    `extrema` (s, 2) int32 are those that the lines lead to. All pieces have to call it.
    """
    session, layers = piece.session, piece.layers
    slab, cell_type = layers.slab, passed_type(layers.slab.grid, kind)
    inner = (slab.inner.start, slab.inner.stop)
    model = (slab.grid.extents, words, *inner, cell_type)
    found: list[Fragments] = []

    def step(walks: Walks, at: Array, direction: Array) -> None:
        length = session.device.empty(at.size, np.int32)
        session.launch("measure_walks", at.size, *model, at, direction, length)
        offsets = exclusive_scan(length)
        chain = session.device.empty(int(offsets[-1]), np.uint8)
        session.launch("fill_walks", at.size, *model, offsets, at, direction, chain)
        found.append(Fragments(walks, to_host(length).astype(np.int64), to_host(chain)))

    follow_walks(piece, walks_from(piece, kind, np.arange(extrema.size)), step)
    extremum_index, index = indices_of(kind, piece.dimension)
    first = 2 * piece.first(index)
    offsets, chain = _joined(piece, found, first, extrema.size)
    saddles = shifted(piece.cells_of(index)[: len(extrema)], piece.cell_shift)
    given = (session.upload(extrema.reshape(-1)), cell_type, session.upload(offsets))
    arcs = CubicalArcs(saddles, *given, session.upload(chain))
    number = np.arange(extrema.size, dtype=np.int64)
    begins = np.cumsum([0, *piece.totals])
    ends = extrema.reshape(-1) + begins[extremum_index]
    source = begins[index] + piece.first(index) + number // 2
    destination = np.where(extrema.reshape(-1) < 0, NONE, ends)
    rows = (session.upload(column) for column in (source, destination, first + number))
    lines = polylines_of_arcs(session, layers.whole, arcs)
    return Separatrices(*map(session.result, (*lines, *rows)))


def values_of_cells(piece: PieceGradient, cells: np.ndarray) -> np.ndarray:
    """Return the values (n,) of the highest vertices of cells, of any pieces. All call it."""
    exchange, layers, step = piece.exchange, piece.layers, doubled_layer(piece.layers.whole)
    order = np.argsort(cells, kind="stable")
    cuts = np.searchsorted(cells[order], np.array(layers.bounds[1:-1], np.int64) * step)
    asked = exchange.send(np.split(cells[order], cuts))
    to_field = (layers.slab.n_before - layers.slab.begin) * step
    own = piece.session.upload(np.concatenate(asked) + to_field)
    found = to_host(owners_of(piece.session, piece.field, own)[1])
    ends = np.cumsum([theirs.size for theirs in asked])[:-1]
    values = np.empty(cells.size, found.dtype)
    values[order] = np.concatenate(exchange.send(np.split(found, ends)))
    return values


def _joined(
    piece: Piece, found: list[Fragments], first: int, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return offsets (n + 1,) int64 and chains of the piece's arcs, from the parts of all."""
    exchange, columns = piece.exchange, []
    for rank in range(exchange.size):
        parts: list[list[np.ndarray]] = [[], [], [], []]
        for crossings, part in enumerate(found):
            is_of = part.walks.origin == rank
            parts[0].append(part.walks.number[is_of])
            parts[1].append(np.full(int(is_of.sum()), crossings))
            parts[2].append(part.length[is_of])
            parts[3].append(part.chain[np.repeat(is_of, part.length)])
        columns.append([np.concatenate(one) for one in parts])
    number, turn, length, chain = (
        np.concatenate(exchange.send(list(column))) for column in zip(*columns, strict=True)
    )
    order = np.lexsort((turn, number))
    begins = np.cumsum(length) - length
    ordered = length[order]
    places = np.repeat(begins[order] - (np.cumsum(ordered) - ordered), ordered)
    places += np.arange(places.size)
    lengths = np.zeros(n, np.int64)
    np.add.at(lengths, number - first, length)
    return np.concatenate([[0], np.cumsum(lengths)]), chain[places]


def reverse_walks(piece: Piece, kind: str, sides: np.ndarray, raw: Array, words: Array) -> None:
    """Reverse the arcs `sides` (n,) int64 of the piece's own saddles in the words of all pieces.

    Arcs are read from `raw`; both are words of the layers read. All pieces have to call it.
    """
    slab = piece.layers.slab
    inner = (slab.inner.start, slab.inner.stop)
    model = (slab.grid.extents, raw, *inner, passed_type(slab.grid, kind))

    def step(walks: Walks, at: Array, direction: Array) -> None:
        piece.session.launch("turn_walks", at.size, *model, at, direction, words)

    follow_walks(piece, walks_from(piece, kind, sides), step)


def sides_to_reverse(
    piece: Piece, kind: str, saddles: np.ndarray, ended: np.ndarray, ends: np.ndarray
) -> np.ndarray:
    """Return the arcs 2 * saddle + side (n,) int64 of the piece's own saddles to reverse.

    `saddles` (m,) int64 are those of the piece that cancel the extrema `ended` (m,), over all
    pieces, and `ends` (m, 2) int32 the extrema that they lead to. All pieces have to call it.
    """
    session, exchange = piece.session, piece.exchange
    columns = (saddles, ended.astype(np.int32), ends.reshape(-1))
    every, ended, ends = (np.concatenate(exchange.share(column)) for column in columns)
    extremum_index, index = indices_of(kind, piece.dimension)
    c = piece.totals[extremum_index]
    saddle_of, died = np.full(c, NONE, np.int32), np.full(c, NEVER, np.uint32)
    saddle_of[ended], died[ended] = np.arange(ended.size), 0
    of_saddles, saddle_of, died = map(session.upload, (ends, saddle_of, died))
    arcs, sides = session.device.zeros(c, np.uint64), session.device.unset(c, np.int32)
    session.launch("sum_arcs", c, of_saddles, saddle_of, died, 0, arcs)
    session.launch("root_at_survivors", c, of_saddles, died, 0, arcs, sides)
    found = to_host(sides)
    found = found[found >= 0]
    first = piece.first(index)
    own = every[found // 2] - first
    is_own = (own >= 0) & (own < piece.own_counts[index])
    return 2 * own[is_own] + found[is_own] % 2


def words_read(piece: Piece) -> Array:
    """Return words of the layers that a piece reads, of which only its own are valid."""
    slab = piece.layers.slab
    words = piece.session.device.zeros(slab.grid.n_vertices, np.uint32)
    words[slab.inner] = piece.session.upload(piece.words)
    return words
