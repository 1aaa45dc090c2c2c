"""Saddle connectors across cuts: paths end at ports, which are replaced by their rows.

A port is an edge in the first layer of a piece that is paired with a square: a V-path that reaches
it from the other side of the cut continues in the square's piece. Each piece counts the paths from
its 2-saddles and entry ports to 1-saddles and exit ports; the rows of ports go to all pieces, which
replace exits in their own rows until none is left. Numbers saturate at 2^62 with an exact lowest
bit, which is compatible with sums and products, so the grouping of paths does not matter.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..complexes.cubical.connector_minor import contract_paths
from ..complexes.cubical.grid import Grid
from ..complexes.cubical.slabs import doubled_layer, layers_of
from ..device import Array, Lane, to_host
from ..morse.connectors.minor import MULTIPLICITY_LIMIT, count_paths
from ..morse.connectors.table import Connectors
from .gradient import Piece

X_EDGE, Y_EDGE = 1, 2  # types of the edges in the plane of a layer
Z_MINUS, CRITICAL = 6, 7  # directions; kernels/cubical/grid.h


class Rows(NamedTuple):
    """Entries (m,) of a sparse matrix on the host, sorted by (row, target) without repeats.

    Targets are the 1-saddles of all pieces, then the ports of all cuts.
    """

    row: np.ndarray  # int64
    target: np.ndarray  # int64
    number: np.ndarray  # uint64, numbers of V-paths


class Cut(NamedTuple):
    """The p ports of a cut and its c critical edges, as cell ids in the first layer after it."""

    edges: np.ndarray  # (p,) int64
    squares: np.ndarray  # (p,) int64, at which paths continue; negative before the cut
    leads_back: np.ndarray  # (p,) bool, whether the square is before the cut
    first: int  # target of the first port
    critical: np.ndarray  # (c,) int64, ascending


Cuts = tuple[list[Cut | None], list[np.ndarray]]
"""The cut before each piece, and the words (n,) of the piece's first layer."""


class CutPaths(NamedTuple):
    """Layers of a piece, and one after them, on which its paths are counted."""

    grid: Grid
    words: Array  # exits are critical
    sinks: np.ndarray  # (s,) int64, critical edges and exits, ascending cell ids
    targets: np.ndarray  # (s,) int64, of the sinks
    sources: np.ndarray  # int64, the 2-saddles, then the squares at which paths enter
    entries: np.ndarray  # int64, targets of the ports of the latter


ROUNDS = 6  # exchanges of arrays and of common results, and the end


def connectors_of_piece(piece: Piece) -> Connectors:
    """Return the connectors of the piece's 2-saddles to the 1-saddles of all pieces, on the host.

    Their items are int64.
    """
    if piece.dimension < 3:
        return Connectors(np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0, np.uint64))
    exchange, n_own = piece.exchange, piece.own_counts[2]
    rows, entered = _counted(piece, _all_cuts(piece))
    columns = [exchange.share(column) for column in entered]
    ports = exchange.common(lambda: _sorted(*map(np.concatenate, columns)))
    rows = _through_ports(rows, ports, piece.totals[1])
    ends = np.searchsorted(rows.row, np.arange(n_own + 1))
    return Connectors(ends.astype(np.int64), rows.target, rows.number)


def _counted(piece: Piece, cuts: Cuts) -> tuple[Rows, Rows]:
    """Return the entries of the piece's 2-saddles, and of the ports at which paths enter it."""
    session, n_own, paths = piece.session, piece.own_counts[2], _cut_paths(piece, cuts)
    minor = contract_paths(
        session, paths.grid, paths.words, *map(session.upload, (paths.sources, paths.sinks))
    )
    offsets, items, number = map(to_host, count_paths(session, minor))
    row, target = np.repeat(np.arange(offsets.size - 1), np.diff(offsets)), paths.targets[items]
    middle = int(offsets[n_own])
    own = Rows(row[:middle], target[:middle], number[:middle])
    if piece.layers.is_periodic and piece.layers.rank_after == 0:
        own = _sorted(*own)  # the 1-saddles beyond the last cut are the first ones
    return own, Rows(paths.entries[row[middle:] - n_own], target[middle:], number[middle:])


def _all_cuts(piece: Piece) -> Cuts:
    """Return the cut before each piece, None if the image begins there, and the layers after."""
    exchange, slab = piece.exchange, piece.layers.slab
    firsts = exchange.share(to_host(piece.words[: slab.layer]))

    def found() -> list[Cut | None]:
        cuts: list[Cut | None] = []
        first = piece.totals[1]
        for rank, plane in enumerate(firsts):
            is_cut = rank > 0 or piece.layers.is_periodic
            cuts.append(_cut_at(plane, slab.grid, first) if is_cut else None)
            first += cuts[-1].edges.size if cuts[-1] else 0
        return cuts

    return exchange.common(found), firsts


def _cut_paths(piece: Piece, cuts: Cuts) -> CutPaths:
    session, layers = piece.session, piece.layers
    slab, rank, next_rank = layers.slab, piece.exchange.rank, layers.rank_after
    step, n_own = doubled_layer(layers.whole), slab.end - slab.begin
    to_inner = -layers.before * step
    sinks = [to_host(piece.cells_of(1)) + to_inner]
    targets = [piece.first(1) + np.arange(sinks[0].size)]
    sources, entries = [to_host(piece.cells_of(2)) + to_inner], [np.empty(0, np.int64)]
    about = [(cuts[0][at_rank], at) for at_rank, at in ((rank, 0), (next_rank, n_own))]
    n_layers = n_own + (about[1][0] is not None)
    words = session.device.empty(n_layers * slab.layer, np.uint32)
    words[: n_own * slab.layer] = Lane(session.device, apart=False).upload(piece.words)
    for cut, at in about:
        if cut is None:
            continue
        is_exit = cut.leads_back == (at == 0)
        if at:
            sinks.append(cut.critical + at * step)
            targets.append(piece.first(1, next_rank) + np.arange(cut.critical.size))
            plane = cuts[1][next_rank]
        else:
            plane = cuts[1][rank]
        sinks.append(cut.edges[is_exit] + at * step)
        targets.append(cut.first + np.flatnonzero(is_exit))
        sources.append(cut.squares[~is_exit] + at * step)
        entries.append(cut.first + np.flatnonzero(~is_exit))
        plane = session.upload(_with_critical(plane, cut.edges[is_exit], slab.grid))
        words[at * slab.layer : (at + 1) * slab.layer] = plane
    every = np.concatenate(sinks)
    order = np.argsort(every)
    return CutPaths(
        layers_of(slab.grid, n_layers),
        words,
        every[order],
        np.concatenate(targets)[order],
        np.concatenate(sources),
        np.concatenate(entries),
    )


def _cut_at(words: np.ndarray, grid: Grid, first: int) -> Cut:
    """Return the ports of the cut before a layer, from the words (n,) of that layer."""
    nx, ny, _ = grid.dimensions
    _, n_rows, row = grid.doubled_shape
    y, x = np.divmod(np.arange(nx * ny, dtype=np.int64), nx)
    edges, directions = [], []
    for kind in (X_EDGE, Y_EDGE):
        edges.append((2 * y + (kind == Y_EDGE)) * row + 2 * x + (kind == X_EDGE))
        directions.append((words >> np.uint32(4 * kind) & 7).astype(np.int64))
    edge, direction = np.concatenate(edges), np.concatenate(directions)
    order = np.argsort(edge)
    edge, direction = edge[order], direction[order]
    y, x = np.divmod(edge, row)
    axis, sign = (direction - 1) >> 1, 1 - 2 * ((direction - 1) & 1)
    is_port = (direction > 0) & (direction < CRITICAL)
    is_port &= axis != np.where(x % 2 == 1, 0, 1)  # else the partner is a vertex
    x = (x + sign * (axis == 0)) % (row + (not grid.periodic[0]))
    y = (y + sign * (axis == 1)) % (n_rows + (not grid.periodic[1]))
    square = y * row + x + sign * (axis == 2) * row * n_rows
    return Cut(
        edge[is_port],
        square[is_port],
        direction[is_port] == Z_MINUS,
        first,
        edge[direction == CRITICAL],
    )


def _with_critical(words: np.ndarray, edges: np.ndarray, grid: Grid) -> np.ndarray:
    """Return the words (n,) of a layer in which edges of its plane are critical."""
    words, row = words.copy(), grid.doubled_shape[2]
    y, x = np.divmod(edges, row)
    vertex, is_x = y // 2 * grid.dimensions[0] + x // 2, x % 2 == 1
    words[vertex[is_x]] |= np.uint32(CRITICAL << 4 * X_EDGE)
    words[vertex[~is_x]] |= np.uint32(CRITICAL << 4 * Y_EDGE)
    return words


# === numbers of paths
def _through_ports(rows: Rows, ports: Rows, first_port: int) -> Rows:
    """Replace the entries of ports by the rows of these ports, until none is left."""
    ended = []
    while rows.row.size:
        is_port = rows.target >= first_port
        is_ended = ~np.isin(rows.row, rows.row[is_port])
        ended.append(Rows(*(column[is_ended] for column in rows)))
        crossing = Rows(*(column[is_port] for column in rows))
        is_kept = ~(is_ended | is_port)
        kept = (column[is_kept] for column in rows)
        onward = zip(kept, _continued(crossing, ports), strict=True)
        rows = _sorted(*map(np.concatenate, onward))
    row, target, number = map(np.concatenate, zip(*ended, rows, strict=True))
    order = np.argsort(row, kind="stable")  # quick for few ascending runs
    return Rows(row[order], target[order], number[order])


def _continued(crossing: Rows, ports: Rows) -> Rows:
    """Return the entries, unsorted, to which the paths lead that go through ports."""
    begin, end = (np.searchsorted(ports.row, crossing.target, side) for side in ("left", "right"))
    n = end - begin
    first = np.repeat(begin - np.concatenate([[0], np.cumsum(n)[:-1]]), n)
    entry = first + np.arange(n.sum())
    products = saturating_product(np.repeat(crossing.number, n), ports.number[entry])
    return Rows(np.repeat(crossing.row, n), ports.target[entry], products)


def _sorted(row: np.ndarray, target: np.ndarray, number: np.ndarray) -> Rows:
    """Sort entries and add the numbers of those with the same row and target."""
    order = np.lexsort((target, row))
    row, target, number = row[order], target[order], number[order]
    is_new = np.ones(row.size, bool)
    is_new[1:] = (row[1:] != row[:-1]) | (target[1:] != target[:-1])
    begins = np.flatnonzero(is_new)
    return Rows(row[begins], target[begins], saturating_sums(number, begins))


def saturating_sums(numbers: np.ndarray, begins: np.ndarray) -> np.ndarray:
    """Return the sums (r,) uint64 of runs; from 2^62 on, 2^62 plus the lowest bit of the sum."""
    if not begins.size:
        return np.empty(0, np.uint64)
    sums = np.add.reduceat(numbers, begins)  # correct modulo 2^64
    return _saturated(sums, np.add.reduceat(numbers.astype(np.float64), begins))


def saturating_product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return products (n,) uint64; from 2^62 on, 2^62 plus the lowest bit of the product."""
    return _saturated(a * b, a.astype(np.float64) * b.astype(np.float64))


def _saturated(wrapped: np.ndarray, rounded: np.ndarray) -> np.ndarray:
    """Return numbers that are known modulo 2^64 and in float64."""
    limit = np.uint64(MULTIPLICITY_LIMIT)
    is_large = (rounded >= 2.0**63) | (wrapped >= limit)
    return np.where(is_large, limit | wrapped & np.uint64(1), wrapped)
