"""The gradient of a piece: words and critical cells of its layers, and the ends of their paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..complexes.cubical.domain import Masks
from ..complexes.cubical.field import ImageField, load_field
from ..complexes.cubical.forests import link_forest
from ..complexes.cubical.lower_star import (
    count_critical_cells,
    list_critical_cells,
    mark_top_cells,
    owners_of,
    pair_lower_stars,
)
from ..complexes.cubical.slabs import doubled_layer
from ..device import Array, Session, to_host
from ..errors import InputError, Words
from ..kernels import source
from ..morse.critical import Counts, indices_of, rows_of_index
from .exchange import Exchange
from .layers import Layers, located

SEALED = np.uint32(source.constant("SEALED_WORD"))


@dataclass(frozen=True)
class PieceGradient:
    """The gradient on the layers of a piece, on its device."""

    exchange: Exchange
    session: Session
    layers: Layers
    field: ImageField  # of the layers read
    words: Array  # (n,) uint32 of the layers read (kernels/cubical/grid.h); valid for its own
    counts: tuple[Counts, ...]  # critical cells of each piece, by index
    cells: Array  # (k,) int64 of the piece's own, ids in the grid of the layers read
    vertices: Array  # (k,) int32, their owners among the layers read
    values: Array  # (k,) of the owners
    levels: Array  # (k,) compared in place of the values; they refine ties

    @property
    def dimension(self) -> int:
        return self.layers.whole.dimension

    @property
    def own_counts(self) -> Counts:
        return self.counts[self.exchange.rank]

    @property
    def totals(self) -> Counts:
        return tuple(map(sum, zip(*self.counts, strict=True)))

    def first(self, index: int, rank: int | None = None) -> int:
        """Return how many critical cells of an index earlier pieces have."""
        rank = self.exchange.rank if rank is None else rank
        return sum(counts[index] for counts in self.counts[:rank])

    def cells_of(self, index: int) -> Array:
        return self.cells[rows_of_index(self.own_counts, index)]

    @property
    def cell_shift(self) -> int:
        """Difference between cell ids of the whole image and of the layers read."""
        return self.layers.slab.first * doubled_layer(self.layers.whole)

    @property
    def vertex_shift(self) -> int:
        return self.layers.slab.first * self.layers.slab.layer

    @property
    def rows(self) -> np.ndarray:
        """Rows (k,) int64 of the piece's critical cells in the table of the whole image."""
        begins = [sum(self.totals[:index]) + self.first(index) for index in range(4)]
        parts = [
            np.arange(begin, begin + n) for begin, n in zip(begins, self.own_counts, strict=True)
        ]
        return np.concatenate(parts).astype(np.int64)


def gradient_of_piece(
    exchange: Exchange, session: Session, given: Array, layers: Layers
) -> PieceGradient:
    """Return the gradient of a piece. Raises InputError."""
    slab = layers.slab
    try:
        field = load_field(session, given, slab.grid, Masks(None, None, False), "index")
    except InputError as error:
        raise located(error, layers) from None
    if field.levels is not None:
        expected = "of at most 8 bytes in an image in pieces"
        raise InputError("values", expected, Words(f"dtype {field.dtype}"))
    with session.stage("gradient") as done:
        words = pair_lower_stars(session, field, done)
        mark_top_cells(session.launch, field, words)
    with session.stage("critical cells"):
        own = words[slab.inner]
        counted = count_critical_cells(session, layers.own, own)
        cells, counts = list_critical_cells(session, layers.own, own, counted)
        cells += layers.before * doubled_layer(layers.whole)
        owners = owners_of(session, field, cells)
    return PieceGradient(
        *(exchange, session, layers, field, words, tuple(exchange.gather(counts)), cells), *owners
    )


def labels_of_piece(gradient: PieceGradient, kind: str) -> Array:
    """Return labels (n,) int32 of the vertices or top cells of the layers read; -1 outside.

    They are valid for the piece's own layers and for one on each side, counted over all pieces.
    Each piece shares where the paths from the two layers at each cut end within it.
    """
    exchange, session, slab = gradient.exchange, gradient.session, gradient.layers.slab
    rank, layer, device = exchange.rank, slab.layer, session.device
    cell_type = 0 if kind == "descending" else slab.grid.top_type
    index, _ = indices_of(kind, gradient.dimension)
    words = gradient.words.copy()
    words[: slab.inner.start] = words[slab.inner.stop :] = SEALED
    forest = link_forest(session, slab.grid, words, cell_type)
    cells = gradient.cells_of(index)
    anchors, first_label = device.empty(cells.size, np.int32), gradient.first(index)
    session.launch("anchor_cells", cells.size, slab.grid.extents, cells, anchors)

    # Rows 2 c and 2 c + 1 of the table are the layers before and after cut c. Those of this piece
    # are 2 rank - 1 and 2 rank; `below` and `above` are the neighbors'.
    below, above = 2 * rank - 2, 2 * rank + 1
    joint = (slab.inner.start, below * layer, slab.inner.stop, above * layer - slab.inner.stop)
    model = (joint, words, cell_type, forest, anchors, anchors.size, first_label)
    own_rows = [slab.begin] * (rank > 0) + [slab.end - 1] * (rank < exchange.size - 1)
    entries = device.empty(len(own_rows) * layer, np.int32)
    for place, at in enumerate(own_rows):
        target = entries[place * layer : (place + 1) * layer]
        session.launch("join_layer", layer, *model, slab.layers(at, at + 1).start, target)
    table = session.upload(np.concatenate(exchange.share(to_host(entries))))
    session.launch("pointer_jump", table.size, table)

    session.launch("plant_slab_labels", anchors.size, anchors, first_label, forest)
    for at, row in ((slab.begin - 1, below), (slab.end, above)):
        if slab.first <= at < slab.last:
            forest[slab.layers(at, at + 1)] = table[row * layer : (row + 1) * layer]
    session.launch("pointer_jump", forest.size, forest)
    session.launch("decode_labels", forest.size, forest)
    return forest


def labels_of_vertices(gradient: PieceGradient, kind: str, labels: Array) -> Array:
    """Return labels (m,) int32 of the piece's vertices from those of :func:`labels_of_piece`."""
    slab, session = gradient.layers.slab, gradient.session
    if kind == "descending":
        return labels[slab.inner]
    m = slab.inner.stop - slab.inner.start
    found = session.device.empty(m, np.int32)
    arrays = (gradient.words, labels, slab.inner.start, found)
    session.launch("gather_slab_labels", m, slab.grid.extents, *arrays)
    return found


def extremum_ends(gradient: PieceGradient, kind: str, labels: Array) -> Array:
    """Return the extrema (s, 2) int32 of the piece's saddles, over all pieces; -1 outside.

    A saddle leads to the vertices of its edge, or to the top cells on both sides of its facet.
    """
    grid, xp = gradient.layers.slab.grid, gradient.session.device.xp
    saddles = gradient.cells_of(indices_of(kind, gradient.dimension)[1])
    sizes, coordinates, rest = grid.doubled_shape[::-1], [], saddles
    for size in sizes:
        coordinates.append(rest % size)
        rest = rest // size
    ends = xp.full((saddles.size, 2), -1, np.int32)
    for side, sign in enumerate((-1, 1)):
        place, is_inside, stride = xp.zeros(saddles.size, np.int64), True, 1
        for axis, at in enumerate(coordinates):
            n = grid.dimensions[axis]
            moves = (at % 2 == 1) if kind == "descending" else (at % 2 == 0) & (n > 1)
            at = at + sign * moves
            if grid.periodic[axis]:
                at = at % sizes[axis]
            is_inside = is_inside & (at >= 0) & (at < sizes[axis])
            place += at // 2 * stride
            stride *= n
        ends[is_inside, side] = labels[place[is_inside]]
    return ends
