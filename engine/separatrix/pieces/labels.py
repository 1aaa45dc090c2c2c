"""Labels of a piece's vertices and top cells, and the extrema that its saddles lead to.

Each piece shares where the paths from the layers at its cuts end within it, and then follows its
own paths through this table. If pieces take turns, forests are linked twice instead of stored.
"""

from __future__ import annotations

import numpy as np

from ..complexes.cubical.forests import link_forest, passed_type
from ..device import Array, is_on_gpu, to_host
from ..kernels import source
from ..morse.critical import indices_of
from .gradient import Piece

SEALED = np.uint32(source.constant("SEALED_WORD"))
ROUNDS = 2  # with the exchange


def labels_of_piece(piece: Piece, kind: str) -> Array:
    """Return labels (n,) int32 of the vertices or top cells of the layers read; -1 outside.

    They are valid for the piece's own layers and for one on each side, counted over all pieces.
    """
    exchange, session, slab = piece.exchange, piece.session, piece.layers.slab
    cell_type = passed_type(slab.grid, kind)
    index, _ = indices_of(kind, piece.dimension)
    first_label = piece.first(index)

    def linked() -> tuple[Array, int, Array, Array]:
        """Return the words, their type of cells, the forest, and the anchors of the extrema."""
        cells = piece.cells_of(index)
        anchors = session.device.empty(cells.size, np.int32)
        session.launch("anchor_cells", cells.size, slab.grid.extents, cells, anchors)
        words = _sealed_words(piece)
        return words, cell_type, link_forest(session, slab.grid, words, cell_type), anchors

    if exchange.size == 1:
        planted, (*_, forest, anchors) = [], linked()
    elif exchange.takes_turns:  # other pieces need the memory
        planted = _labels_beyond_cuts(piece, _ends_of_layers_at_cuts(piece, linked(), first_label))
        *_, forest, anchors = linked()
    else:
        *_, forest, anchors = model = linked()
        planted = _labels_beyond_cuts(piece, _ends_of_layers_at_cuts(piece, model, first_label))
    session.launch("plant_slab_labels", anchors.size, anchors, first_label, forest)
    for at, codes in planted:
        forest[slab.layers(at, at + 1)] = codes
    session.launch("pointer_jump", forest.size, forest)
    session.launch("decode_labels", forest.size, forest)
    return forest


def _ends_of_layers_at_cuts(
    piece: Piece, model: tuple[Array, int, Array, Array], first_label: int
) -> Array:
    """Return where paths end within the piece that begin in its first and last layers at cuts.

    Entries are codes of labels, or places in the table of the entries of all pieces. They are on
    the host if other pieces need the memory.
    """
    *_, anchors = model
    session, layers, rank = piece.session, piece.layers, piece.exchange.rank
    slab, layer = layers.slab, layers.slab.layer
    below, above = (place * layer for place in layers.places_beyond_cuts(rank))
    ends = (slab.inner.start, below, slab.inner.stop, above - slab.inner.stop)
    about = zip((slab.begin, slab.end - 1), layers.is_cut_about, strict=True)
    begins = [slab.layers(at, at + 1).start for at, is_cut in about if is_cut]
    entries = session.device.empty(len(begins) * layer, np.int32)
    for k, begin in enumerate(begins):
        target = entries[k * layer : (k + 1) * layer]
        given = (ends, *model, anchors.size, first_label, begin, target)
        session.launch("join_layer", layer, *given)
    return to_host(entries) if piece.exchange.takes_turns else entries


def _labels_beyond_cuts(piece: Piece, entries: Array) -> list[tuple[int, Array]]:
    """Return the layers beyond the piece's cuts with the codes (n,) of their labels."""
    layers, slab, session = piece.layers, piece.layers.slab, piece.session
    parts = piece.exchange.share(entries)

    def resolved() -> Array:
        there = session if all(map(is_on_gpu, parts)) else session.on(session.host)
        table = there.device.joined(list(map(there.bring, parts)))
        there.launch("pointer_jump", table.size, table)
        return table.reshape(-1, slab.layer)

    table = piece.exchange.common(resolved)
    beyond = zip((slab.begin - 1, slab.end), layers.is_cut_about, strict=True)
    places = layers.places_beyond_cuts(piece.exchange.rank)
    return [
        (at, session.bring(table[row]))
        for (at, is_cut), row in zip(beyond, places, strict=True)
        if is_cut
    ]


def _sealed_words(piece: Piece) -> Array:
    """Return words (n,) uint32 of the layers read, sealed outside of the piece's own."""
    slab, device = piece.layers.slab, piece.session.device
    words = device.empty(slab.grid.n_vertices, np.uint32)
    words[: slab.inner.start] = words[slab.inner.stop :] = SEALED
    if is_on_gpu(piece.words):
        words[slab.inner] = piece.words
    else:
        device.copy_up(piece.words, words[slab.inner])
    return words


def own_labels(piece: Piece, kind: str, labels: Array) -> Array:
    """Return labels (m,) int32 of the piece's vertices from those of :func:`labels_of_piece`."""
    slab, session = piece.layers.slab, piece.session
    if kind == "descending":
        return labels[slab.inner]
    m = slab.inner.stop - slab.inner.start
    found = session.device.empty(m, np.int32)
    arrays = (_sealed_words(piece), labels, slab.inner.start, found)
    session.launch("gather_slab_labels", m, slab.grid.extents, *arrays)
    return found


def extremum_ends(piece: Piece, kind: str, labels: Array) -> Array:
    """Return the extrema (s, 2) int32 of the piece's saddles, over all pieces; -1 outside.

    A saddle leads to the vertices of its edge, or to the top cells on both sides of its facet.
    """
    grid = piece.layers.slab.grid
    saddles = piece.cells_of(indices_of(kind, piece.dimension)[1])
    ends = piece.session.device.empty((saddles.size, 2), np.int32)
    given = (saddles, passed_type(grid, kind), labels)
    piece.session.launch("look_up_ends", 2 * saddles.size, grid.extents, *given, ends)
    return ends
