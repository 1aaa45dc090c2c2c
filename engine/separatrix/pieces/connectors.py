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
from ..kernels import source
from ..morse.connectors.minor import Minor, check_width, count_paths, spread_marks
from ..morse.connectors.table import Connectors
from ..primitives import at, compact, is_within, put, shifted, sort_by_key
from .gradient import Piece

PORT_ONWARD, PORT_BACK = source.constant("PORT_ONWARD"), source.constant("PORT_BACK")
CRITICAL_IN_CUT = source.constant("CRITICAL_IN_CUT")
WALKERS = ("reach_from_terminals", "reach_from_queue", "reach_again")
ROUNDS = 7  # exchanges of the ports' number, layers, three arrays, a joined one, and the end


class Cut(NamedTuple):
    """The layer after a cut, with its p ports and c critical edges (kernels/cubical/cuts.h)."""

    words: Array  # (n,) uint32, a view
    kinds: Array  # (p,) uint8, PORT_ONWARD or PORT_BACK
    edges: Array  # (p,) int64, of the ports
    squares: Array  # (p,) int64, at which paths continue
    critical: Array  # (c,) int64


class CutPaths(NamedTuple):
    """Layers of a piece, and one after them, on which its paths are counted."""

    grid: Grid
    words: Array  # exits are critical
    sinks: Array  # (s,) int64, critical edges and exits, ascending cell ids
    names: Array  # (s,) int32, of the sinks: numbers over all pieces
    sources: Array  # int64, the 2-saddles, then the squares at which paths enter
    entries: Array  # int32, names of the ports of the latter


def connectors_of_piece(piece: Piece) -> Connectors:
    """Return the connectors of the piece's 2-saddles, on its device.

    Their items count the 1-saddles of all pieces.
    """
    session, device = piece.session, piece.session.device
    if piece.dimension < 3:
        return Connectors(
            device.zeros(1, np.int64), device.empty(0, np.int32), device.empty(0, np.uint64)
        )
    exchange, n_own, n_saddles = piece.exchange, piece.own_counts[2], piece.totals[1]
    paths, n_ports = cut_paths(piece)
    minor = contract_paths(session, paths.grid, paths.words, paths.sources, paths.sinks)
    starts, successors, names = minor.starts, minor.successors, paths.names
    n_junctions, first_shared = len(successors), n_saddles + n_ports
    rows = [paths.entries, *_shared_rows(session, minor, n_own, names, first_shared)]
    del paths, minor
    kept = [starts[:n_own], successors, names]
    n_bytes = exchange.size * sum(array.nbytes for array in (*kept, *rows))
    if exchange.takes_turns and n_bytes > (session.memory.limit or 0) // 2:
        kept, rows = list(map(to_host, kept)), list(map(to_host, rows))  # others need the memory
    del starts, successors, names
    shared = _joined_rows(piece, rows, first_shared)  # of another lane: kept until the end
    first_own = n_saddles + len(shared)
    check_width(first_own + n_junctions, "1-saddles, ports, and junctions")
    starts, successors, names = map(session.upload, kept)
    own = device.numbers(n_junctions, np.int32, first_own)
    table = device.joined([device.unset(1, np.int32), names, own])
    every = device.joined([session.bring(shared), _named(session, table, successors)])
    joint = Minor(_named(session, table, starts), every, n_saddles, n_junctions)
    return Connectors(*count_paths(session, joint))


def _named(session: Session, table: Array, terminals: Array, width: int | None = None) -> Array:
    """Return the names of rows of terminals, of the first `width` or of all.

    The table (n + 1,) begins with the name of NONE.
    """
    of = terminals.shape[1]
    names = session.device.empty((len(terminals), width or of), np.int32)
    session.launch("name_terminals", names.size, terminals, of, width or of, table, names)
    return names


def _shared_rows(
    session: Session, minor: Minor, n_own: int, names: Array, first_shared: int
) -> tuple[Array, Array]:
    """Return the names (n, 3) int32 of the successors of entry ports, and of shared junctions.

    Junctions are shared if a path from an entry port has reached them.
    """
    device, entries, successors = session.device, minor.starts[n_own:], minor.successors
    reached = _reached_from(session, entries, successors, names.size)
    table = device.unset(1 + names.size + len(successors), np.int32)
    table[1 : 1 + names.size] = names
    numbers = device.numbers(reached.size, np.int32, first_shared)
    put(table, shifted(reached, 1 + names.size), numbers)
    # An entry has a partner, so three chains begin there.
    return _named(session, table, entries, 3), _named(session, table, at(successors, reached))


def _joined_rows(piece: Piece, rows: list[Array], first_shared: int) -> Array:
    """Return the names (n, 3) int32 of the successors of all ports, then of shared junctions.

    `rows` are the names of entry ports, and those of their successors and of shared junctions.
    """
    exchange, session, n_saddles = piece.exchange, piece.session, piece.totals[1]
    n_ports = first_shared - n_saddles
    parts = list(zip(*(exchange.share(column.reshape(-1)) for column in rows), strict=True))

    def joined() -> Array:
        n_shared = sum(shared.size // 3 for *_, shared in parts)
        every, n_before = session.device.unset((n_ports + n_shared, 3), np.int32), 0
        for entries, *both in parts:
            given = map(session.bring, both)
            of_entries, shared = (_renamed(session, each, first_shared, n_before) for each in given)
            put(every, shifted(session.bring(entries), -n_saddles), of_entries)
            begin = n_ports + n_before
            every[begin : begin + len(shared)] = shared
            n_before += len(shared)
        return every

    return exchange.common(joined)


def _renamed(session: Session, names: Array, first_shared: int, n_before: int) -> Array:
    """Return names (n, 3) of a piece, after `n_before` shared junctions of earlier pieces."""
    renamed = session.device.empty((names.size // 3, 3), np.int32)
    session.launch("rename_junctions", names.size, names, first_shared, n_before, renamed)
    return renamed


def _reached_from(session: Session, rows: Array, successors: Array, n_sinks: int) -> Array:
    """Return the junctions, ascending, on the paths from rows of terminals."""
    n = len(successors)
    marks = session.device.zeros(-(-n // 4), np.uint32)
    model, seeds = (successors, n_sinks), shifted(rows.reshape(-1))
    spread_marks(session, WALKERS, model, seeds, marks, n, max(1 << 16, n // 16))
    return compact(marks.view(np.uint8)[:n])


def with_layer_after(piece: Piece) -> tuple[Grid, Array]:
    """Return the words (n,) of the piece's layers, and of one after them at a cut, and the grid.

    All pieces call it.
    """
    session, layers, exchange = piece.session, piece.layers, piece.exchange
    slab, lane = layers.slab, Lane(session.device, apart=False)
    is_cut_before, is_cut_after = layers.is_cut_about
    sent = [np.empty(0, np.uint32)] * exchange.size
    if is_cut_before:
        sent[exchange.rank - 1] = to_host(piece.words[: slab.layer])
    received = exchange.send(sent)[layers.rank_after]
    n_layers = slab.end - slab.begin + is_cut_after
    words = session.device.empty(n_layers * slab.layer, np.uint32)
    words[: piece.words.size] = lane.upload(piece.words)
    if is_cut_after:
        words[piece.words.size :] = session.bring(received)
    return layers_of(slab.grid, n_layers), words


def cut_paths(piece: Piece) -> tuple[CutPaths, int]:
    """Return the paths of a piece, and the number of ports of all cuts. All pieces call it."""
    session, layers, exchange = piece.session, piece.layers, piece.exchange
    slab, device, step = layers.slab, session.device, doubled_layer(layers.whole)
    is_cut_before, is_cut_after = layers.is_cut_about
    before = after = None
    if is_cut_before:
        first_layer = Lane(device, apart=False).upload(piece.words[: slab.layer])
        before = _cut_at(session, slab.grid, first_layer)
    n_ports = exchange.gather(0 if before is None else before.edges.size)
    check_width(piece.totals[1] + sum(n_ports), "1-saddles and V-paths across cuts")
    grid, words = with_layer_after(piece)  # not before: pieces that wait would hold them
    n_own, to_inner = slab.end - slab.begin, -layers.before * step
    if before is not None:
        before = before._replace(words=words[: slab.layer])
    if is_cut_after:
        after = _cut_at(session, slab.grid, words[n_own * slab.layer :])
    own = [shifted(piece.cells_of(index), to_inner) for index in (1, 2)]
    sinks, sources, entries = [own[0]], [own[1]], [device.empty(0, np.int32)]
    names = [device.numbers(own[0].size, np.int32, piece.first(1))]
    cuts = ((before, 0, PORT_BACK, exchange.rank), (after, n_own, PORT_ONWARD, layers.rank_after))
    for cut, end, exit_kind, rank in cuts:
        if cut is None:
            continue
        if end:
            sinks.append(shifted(cut.critical, end * step))
            names.append(device.numbers(cut.critical.size, np.int32, piece.first(1, rank)))
        first = piece.totals[1] + sum(n_ports[:rank])
        exits, enters = (
            compact(is_within(cut.kinds, kind, kind))
            for kind in (exit_kind, PORT_ONWARD + PORT_BACK - exit_kind)
        )
        sinks.append(shifted(at(cut.edges, exits), end * step))
        names.append(shifted(exits, first, dtype=np.int32))
        sources.append(shifted(at(cut.squares, enters), end * step))
        entries.append(shifted(enters, first, dtype=np.int32))
        session.launch("end_at_exits", slab.layer, cut.words, exit_kind)
    every, names_in_order = sort_by_key(session, device.joined(sinks), device.joined(names))
    found = (words, every, names_in_order, device.joined(sources), device.joined(entries))
    return CutPaths(grid, *found), sum(n_ports)


def _cut_at(session: Session, grid: Grid, words: Array) -> Cut:
    """Return the cut before a layer, from the words (n,) of that layer."""
    device, n = session.device, 2 * words.size
    kinds = device.empty(n, np.uint8)
    session.launch("describe_cut", n, grid.extents, words, kinds)
    ports = compact(is_within(kinds, PORT_ONWARD, PORT_BACK))
    critical = compact(is_within(kinds, CRITICAL_IN_CUT))
    edges, squares, own = (device.empty(a.size, np.int64) for a in (ports, ports, critical))
    session.launch("identify_cut_edges", ports.size, grid.extents, ports, edges)
    session.launch("identify_cut_edges", critical.size, grid.extents, critical, own)
    session.launch("follow_ports", ports.size, grid.extents, words, ports, squares)
    return Cut(words, at(kinds, ports), edges, squares, own)
