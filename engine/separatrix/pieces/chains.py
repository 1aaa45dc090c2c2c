"""V-paths between the saddles of all pieces, as a graph of chains (kernels/cubical/path_chains.h).

Each piece contracts its squares on V-paths to chains. The first piece joins the chains of all
pieces at the ports of their cuts (connectors.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..complexes.cubical.connector_minor import list_nodes
from ..complexes.cubical.lower_star import owners_of
from ..complexes.cubical.slabs import doubled_layer
from ..device import Array, Session, to_host
from ..kernels import NONE, source
from ..morse.connectors.minor import check_width
from ..morse.model import SaddlePaths
from ..primitives import at, compact, is_within, put, shifted, stable_order
from .connectors import CutPaths, cut_paths, with_layer_after
from .exchange import FIRST_PIECE, on_first
from .gradient import PieceGradient
from .pairs import cells_of

WAYS, NOT_TURNED = source.constant("WAYS"), source.constant("NOT_TURNED")
MANY = 2  # ways into a source, which is a head even if a single V-path of the piece leads to it


class Chains(NamedTuple):
    """The chains of a piece's squares on V-paths, on its device."""

    keys: Array  # (n,) int64, the squares
    directions: Array  # (n,) uint32, the ways that lead on
    of_squares: Array  # (n,) int32
    heads: Array  # (c,) int64, the first square of each chain


class ChainGraph(NamedTuple):
    """The chains of a piece, and on the first piece those of all."""

    own: Chains
    begins: np.ndarray  # (pieces + 1,) int64, the first chain of each piece
    paths: SaddlePaths | None


def graph_of_chains(piece: PieceGradient) -> ChainGraph:
    """Return the V-paths between the saddles of all pieces, which all have to call it."""
    exchange, n_own, n_saddles = piece.exchange, piece.own_counts[2], piece.totals[1]
    paths, n_ports = cut_paths(piece)
    first_name = n_saddles + n_ports
    chains, begins, names, sources = _contracted(piece, paths, first_name)
    sources = shifted(sources, int(begins[exchange.rank]))
    columns = (sources[:n_own], sources[n_own:], shifted(paths.entries, -n_saddles), names.ravel())
    saddles, entered, ports, every = (on_first(exchange, column) for column in columns)
    del paths, names
    heights = _heights_on_first(piece, chains)
    if exchange.rank != FIRST_PIECE:
        return ChainGraph(chains, begins, None)
    of_ports = np.full(n_ports, NONE, np.int32)
    of_ports[ports] = entered
    graph = _joined(piece.session, n_saddles, every.reshape(-1, WAYS), saddles, of_ports, heights)
    return ChainGraph(chains, begins, graph)


def turned_words(piece: PieceGradient, chains: Chains, turned: np.ndarray, event: int) -> Array:
    """Return the piece's words (m,) uint32 after the turns of its chains up to an event.

    `turned` (t,) uint64 are the sorted entries of their log. All pieces have to call it, because
    squares may turn edges of the layer after the piece.
    """
    session, exchange, layers = piece.session, piece.exchange, piece.layers
    ways = session.device.empty(chains.heads.size, np.uint8)
    ways.fill(NOT_TURNED)
    entries = session.upload(turned)
    session.launch("choose_ways", turned.size, entries, turned.size, event, ways)
    grid, raw = with_layer_after(piece)
    words = session.device.copied(raw)
    given = (grid.extents, raw, *chains[:3], ways, words)
    session.launch("turn_squares", chains.keys.size, *given)
    n, sent = layers.own.n_vertices, [np.empty(0, np.uint32)] * exchange.size
    if words.size > n:
        sent[layers.rank_after] = to_host(words[n:]) ^ to_host(raw[n:])
    for turns in exchange.send(sent):
        if turns.size:
            words[: turns.size] = session.upload(to_host(words[: turns.size]) ^ turns)
    return words[:n]


def _heights_on_first(piece: PieceGradient, chains: Chains) -> np.ndarray:
    """Return heights (n,) int32 of all chains, then of all 1-saddles; (0,) on other pieces.

    They compare as (level, vertex) of the highest vertex of a chain's first square.
    """
    session, slab, exchange = piece.session, piece.layers.slab, piece.exchange
    squares = session.device.empty(chains.heads.size, np.int64)
    keys = at(chains.keys, chains.heads)
    session.launch("identify_squares", squares.size, slab.grid.extents, keys, squares)
    in_field = shifted(squares, slab.n_before * doubled_layer(piece.layers.whole))
    vertices, _, levels = owners_of(session, piece.field, in_field)
    saddles = cells_of(piece, 1).keys
    level, vertex = (
        np.concatenate([on_first(exchange, of) for of in both])
        for both in ((levels, saddles.level), (slab.in_image(vertices), saddles.vertex))
    )
    host = session.on(session.host)
    order = stable_order(host, vertex)
    order = order[stable_order(host, level[order])]
    level, vertex = level[order], vertex[order]
    heights = np.zeros(level.size, np.int32)
    is_higher = (level[1:] > level[:-1]) | (vertex[1:] > vertex[:-1])
    heights[order[1:]] = np.cumsum(is_higher, dtype=np.int32)
    return heights


def _contracted(
    piece: PieceGradient, paths: CutPaths, first_name: int
) -> tuple[Chains, np.ndarray, Array, Array]:
    """Return chains, the number before each piece's, names after them, and those of the sources.

    Names (n, WAYS) int32 are those of the sinks in `paths`, and those of the chains of all pieces,
    from `first_name` on. Chains of sources (s,) int32 are those of the piece.
    """
    session, exchange = piece.session, piece.exchange
    device, grid = session.device, paths.grid
    marks, first_node, rows = list_nodes(session, grid, paths.words, paths.sources, paths.sinks)
    n_marked, n_sources = int(first_node[-1]), paths.sources.size
    marked, of_sources = (device.empty(n, np.int64) for n in (n_marked, n_sources))
    session.launch("list_path_squares", first_node.size - 1, marks, first_node, marked)
    session.launch("key_squares", n_sources, grid.extents, paths.sources, of_sources)
    nodes = device.empty(n_sources, np.int32)
    session.launch("number_path_squares", n_sources, marks, first_node, of_sources, nodes)
    new = compact(is_within(nodes, NONE, NONE))
    put(nodes, new, device.numbers(new.size, np.int32, n_marked))
    keys = device.joined([marked, at(of_sources, new)])
    n = keys.size
    onward, directions = device.empty((n, WAYS), np.int32), device.empty(n, np.uint32)
    model = (grid.extents, paths.words, marks, first_node, paths.sinks, rows)
    session.launch("list_path_ways", n, *model, keys, onward, directions)
    del marks, first_node
    n_into, of_squares = device.zeros(n, np.int32), device.unset(n, np.int32)
    put(n_into, nodes, MANY)
    session.launch("count_path_ways", onward.size, onward, n_into)
    session.launch("link_chains", n, onward, n_into, of_squares)
    heads = compact(is_within(of_squares, NONE, NONE))
    put(of_squares, heads, device.numbers(heads.size, np.int32, -2, -1))  # codes of labels
    session.launch("pointer_jump", n, of_squares)
    session.launch("decode_labels", n, of_squares)
    begins = np.cumsum([0, *exchange.gather(heads.size)])
    check_width(first_name + int(begins[-1]), "1-saddles, and chains of V-paths between saddles")
    names, first = device.empty((heads.size, WAYS), np.int32), first_name + begins[exchange.rank]
    given = (onward, of_squares, paths.names, int(first), directions, names)
    session.launch("end_chains", n, *given)
    return Chains(keys, directions, of_squares, heads), begins, names, at(of_squares, nodes)


def _joined(
    session: Session,
    n_saddles: int,
    names: np.ndarray,
    sources: np.ndarray,
    ports: np.ndarray,
    heights: np.ndarray,
) -> SaddlePaths:
    """Return the graph of the chains of all pieces.

    `names` (n, WAYS) are those after each of the n chains: 1-saddles, ports, chains. `sources` (c,)
    and `ports` (p,) are the chains that begin at the 2-saddles and at the ports, -1 if none does.
    `heights` (n + n_saddles,) int32 are those of chains and of 1-saddles.
    """
    host, n = session.on(session.host), len(names)
    terminals = np.arange(n, n + n_saddles, dtype=np.int32)
    table = np.concatenate([terminals, ports, np.arange(n, dtype=np.int32), [NONE]])
    below = table.astype(np.int32)[names]  # NONE reads the last entry
    places = np.flatnonzero(below.reshape(-1) != NONE)
    ends = below.reshape(-1)[places]
    order = stable_order(host, ends)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=n + n_saddles))])
    above = (places[order] // WAYS).astype(np.int32)
    own_edge = np.arange(n, dtype=np.int32)
    own_edge[sources] = NONE
    square_at = np.concatenate([own_edge, np.full(n_saddles, NONE, np.int32)])
    links = (below, offsets.astype(np.int64), above, own_edge, n)
    model = (WAYS, *links, square_at, own_edge.copy(), heights)
    return SaddlePaths("cancel_path_saddles", model, sources, terminals.astype(np.int64))
