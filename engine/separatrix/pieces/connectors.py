"""Saddle connectors across cuts: the minors of pieces are joined at ports.

A port is an edge in the first layer of a piece that is paired with a square: a V-path that reaches
it from the other side of the cut continues in the square's piece. Each piece contracts its V-paths
between saddles and ports. It shares the chains from its entry ports, and the junctions that these
lead to, so that every piece can count the paths from its own 2-saddles to their ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..complexes.cubical.connector_minor import contract_paths
from ..complexes.cubical.grid import Grid
from ..complexes.cubical.slabs import doubled_layer, layers_of
from ..device import Array, Lane, Session, to_host
from ..kernels import NONE
from ..morse.connectors.minor import Minor, check_width, count_paths
from ..morse.connectors.table import Connectors
from ..primitives import at, compact, is_within, put, shifted
from .gradient import Piece

X_EDGE, Y_EDGE = 1, 2  # types of the edges in the plane of a layer
Z_MINUS, CRITICAL = 6, 7  # directions; kernels/cubical/grid.h
ROUNDS = 6  # exchanges of the ports' number, cuts, two arrays, a common result, and the end


class Cut(NamedTuple):
    """The p ports of a cut and its c critical edges, as cell ids in the first layer after it."""

    edges: np.ndarray  # (p,) int64
    squares: np.ndarray  # (p,) int64, at which paths continue; negative before the cut
    leads_back: np.ndarray  # (p,) bool, whether the square is before the cut
    critical: np.ndarray  # (c,) int64, ascending
    words: np.ndarray  # (n,) uint32, of the layer
    first: int  # name of the first port


class CutPaths(NamedTuple):
    """Layers of a piece, and one after them, on which its paths are counted."""

    grid: Grid
    words: Array  # exits are critical
    sinks: np.ndarray  # (s,) int64, critical edges and exits, ascending cell ids
    names: np.ndarray  # (s,) int32, of the sinks: numbers over all pieces
    sources: np.ndarray  # int64, the 2-saddles, then the squares at which paths enter
    entries: np.ndarray  # int32, names of the ports of the latter


def connectors_of_piece(piece: Piece) -> Connectors:
    """Return the connectors of the piece's 2-saddles, on its device.

    Their items count the 1-saddles of all pieces.
    """
    if piece.dimension < 3:
        device = piece.session.device
        return Connectors(
            device.zeros(1, np.int64), device.empty(0, np.int32), device.empty(0, np.uint64)
        )
    exchange, session, n_own = piece.exchange, piece.session, piece.own_counts[2]
    cuts, n_ports = _cuts_about(piece)
    paths = _cut_paths(piece, cuts)
    minor = contract_paths(
        session, paths.grid, paths.words, *map(session.upload, (paths.sources, paths.sinks))
    )
    names, entries = paths.names, paths.entries
    del paths
    starts, successors, n_junctions = minor.starts, minor.successors, len(minor.successors)
    del minor
    n_bytes, here = exchange.size * (starts.nbytes + successors.nbytes), session
    if exchange.takes_turns and n_bytes > (session.memory.limit or 0) // 2:
        starts, successors = to_host(starts), to_host(successors)  # others need the memory
        here = session.on(session.host)
    reached = _reached_from(here, starts[n_own:], successors, names.size)
    entry_rows, rows = to_host(starts[n_own:])[:, :3], to_host(at(successors, reached))
    starts = starts[:n_own]
    first_shared = piece.totals[1] + n_ports
    shared = _shared_junctions(
        *(piece, names, entries, entry_rows, to_host(reached), rows, n_junctions, first_shared)
    )
    own = np.arange(n_junctions, dtype=np.int32) + np.int32(first_shared - n_ports + len(shared))
    check_width(first_shared + len(shared) + own.size, "1-saddles, ports, and junctions")
    table = session.upload(np.concatenate([np.array([NONE], np.int32), names, own]))

    def named(terminals: Array) -> Array:
        places = shifted(session.upload(terminals).reshape(-1), 1, dtype=np.int32)
        return at(table, places).reshape(terminals.shape)

    every = session.device.joined([session.upload(shared), named(successors)])
    joint = Minor(named(starts), every, piece.totals[1], own.size)
    return Connectors(*count_paths(session, joint))


def _shared_junctions(
    piece: Piece,
    names: np.ndarray,
    entries: np.ndarray,
    entry_rows: np.ndarray,
    reached: np.ndarray,
    reached_rows: np.ndarray,
    n_junctions: int,
    first_shared: int,
) -> np.ndarray:
    """Return the names (n, 3) int32 of the successors of all ports, then of shared junctions.

    Junctions are shared if a path from an entry port of their piece has `reached` them; these have
    `reached_rows` of successors.
    """
    exchange, n_sinks, n_saddles = piece.exchange, names.size, piece.totals[1]
    name_of = np.full(n_sinks + n_junctions + 1, NONE, np.int32)  # the last one, of NONE
    name_of[:n_sinks] = names
    name_of[n_sinks + reached] = np.arange(first_shared, first_shared + reached.size)
    ports = exchange.share(entries)
    rows = exchange.share(name_of[np.concatenate([entry_rows, reached_rows])].reshape(-1))

    def joined() -> np.ndarray:
        of_ports = np.full((first_shared - n_saddles, 3), NONE, np.int32)
        parts, n_shared = [of_ports], 0
        for port, flat in zip(ports, rows, strict=True):
            theirs = flat.reshape(-1, 3)
            theirs = np.where(theirs >= first_shared, theirs + np.int32(n_shared), theirs)
            of_ports[port - n_saddles] = theirs[: port.size]
            parts.append(theirs[port.size :])
            n_shared += len(parts[-1])
        return np.concatenate(parts)

    return exchange.common(joined)


def _reached_from(session: Session, rows: Array, successors: Array, n_sinks: int) -> Array:
    """Return the junctions, ascending, on the paths from rows of terminals."""
    device = session.device
    visit = device.numbers(len(successors), np.int32, NONE, step=0)  # one of those of a round
    while rows.size:
        flat = rows.reshape(-1)
        onward = shifted(at(flat, is_within(flat, n_sinks)), -n_sinks)
        onward = at(onward, is_within(at(visit, onward), NONE, NONE))
        numbers = device.numbers(onward.size, np.int32)
        put(visit, onward, numbers)
        rows = at(successors, at(onward, at(visit, onward) == numbers))
    return compact(is_within(visit, 0))


def _cuts_about(piece: Piece) -> tuple[tuple[Cut | None, Cut | None], int]:
    """Return the cuts before and after the piece's layers, and the number of ports of all cuts."""
    exchange, layers, slab = piece.exchange, piece.layers, piece.layers.slab
    is_cut_before, is_cut_after = layers.is_cut_about
    before = None
    if is_cut_before:
        before = _cut_at(to_host(piece.words[: slab.layer]), slab.grid)
    n_ports = exchange.gather(0 if before is None else before.edges.size)
    check_width(piece.totals[1] + sum(n_ports), "1-saddles and V-paths across cuts")
    sent = [np.empty(0, np.int64)] * exchange.size
    if before is not None:
        before = before._replace(first=piece.totals[1] + sum(n_ports[: exchange.rank]))
        sizes = [before.first, before.edges.size, before.critical.size]
        sent[exchange.rank - 1] = np.concatenate([np.array(sizes, np.int64), *before[:5]])
    received = exchange.send(sent)[layers.rank_after]
    after = None
    if is_cut_after:
        first, p, c = received[:3].tolist()
        parts = np.split(received[3:], np.cumsum([p, p, p, c]))
        edges, squares, leads_back, critical, words = parts
        after = Cut(
            edges, squares, leads_back.astype(bool), critical, words.astype(np.uint32), first
        )
    return (before, after), sum(n_ports)


def _cut_paths(piece: Piece, cuts: tuple[Cut | None, Cut | None]) -> CutPaths:
    session, layers = piece.session, piece.layers
    slab, step = layers.slab, doubled_layer(layers.whole)
    n_own = slab.end - slab.begin
    to_inner = -layers.before * step
    sinks = [to_host(piece.cells_of(1)) + to_inner]
    names = [piece.first(1) + np.arange(sinks[0].size)]
    sources, entries = [to_host(piece.cells_of(2)) + to_inner], [np.empty(0, np.int64)]
    n_layers = n_own + (cuts[1] is not None)
    words = session.device.empty(n_layers * slab.layer, np.uint32)
    words[: n_own * slab.layer] = Lane(session.device, apart=False).upload(piece.words)
    for cut, end in zip(cuts, (0, n_own), strict=True):
        if cut is None:
            continue
        is_exit = cut.leads_back == (end == 0)
        if end:
            sinks.append(cut.critical + end * step)
            names.append(piece.first(1, layers.rank_after) + np.arange(cut.critical.size))
        sinks.append(cut.edges[is_exit] + end * step)
        names.append(cut.first + np.flatnonzero(is_exit))
        sources.append(cut.squares[~is_exit] + end * step)
        entries.append(cut.first + np.flatnonzero(~is_exit))
        plane = session.upload(_with_critical(cut.words, cut.edges[is_exit], slab.grid))
        words[end * slab.layer : (end + 1) * slab.layer] = plane
    every = np.concatenate(sinks)
    order = np.argsort(every, kind="stable")  # quick for few ascending runs
    return CutPaths(
        layers_of(slab.grid, n_layers),
        words,
        every[order],
        np.concatenate(names)[order].astype(np.int32),
        np.concatenate(sources),
        np.concatenate(entries).astype(np.int32),
    )


def _cut_at(words: np.ndarray, grid: Grid) -> Cut:
    """Return the ports of the cut before a layer, from the words (n,) of that layer."""
    nx, ny, _ = grid.dimensions
    _, n_rows, row = grid.doubled_shape
    # Rows of edges along x and along y alternate in the order of cell ids.
    directions = np.empty((ny, 2, nx), np.int8)
    for k, kind in enumerate((X_EDGE, Y_EDGE)):
        directions[:, k] = (words >> np.uint32(4 * kind) & 7).reshape(ny, nx)
    axes = (directions - 1) >> 1
    is_port = (directions > 0) & (directions < CRITICAL) & (axes != np.array([[0], [1]]))

    def edges_of(flags: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        y, k, x = np.nonzero(flags)
        return 2 * y + k, 2 * x + (k == 0), directions[flags]

    y, x, _ = edges_of(directions == CRITICAL)
    critical = y * row + x
    y, x, direction = edges_of(is_port)
    edges = y * row + x
    axis, sign = (direction - 1) >> 1, 1 - 2 * ((direction - 1) & 1).astype(np.int64)
    x = (x + sign * (axis == 0)) % (row + (not grid.periodic[0]))
    y = (y + sign * (axis == 1)) % (n_rows + (not grid.periodic[1]))
    squares = y * row + x + sign * (axis == 2) * row * n_rows
    return Cut(edges, squares, direction == Z_MINUS, critical, words, 0)


def _with_critical(words: np.ndarray, edges: np.ndarray, grid: Grid) -> np.ndarray:
    """Return the words (n,) of a layer in which edges of its plane are critical."""
    words, row = words.copy(), grid.doubled_shape[2]
    y, x = np.divmod(edges, row)
    vertex, is_x = y // 2 * grid.dimensions[0] + x // 2, x % 2 == 1
    words[vertex[is_x]] |= np.uint32(CRITICAL << 4 * X_EDGE)
    words[vertex[~is_x]] |= np.uint32(CRITICAL << 4 * Y_EDGE)
    return words
