"""The gradient of a piece: words and critical cells of its layers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..complexes.cubical.domain import Masks, empty_domain
from ..complexes.cubical.field import ImageField, load_field
from ..complexes.cubical.lower_star import (
    count_critical_cells,
    list_critical_cells,
    mark_top_cells,
    owners_of,
    pair_lower_stars,
)
from ..complexes.cubical.slabs import doubled_layer
from ..device import Array, Session
from ..errors import InputError, Words
from ..morse.critical import Counts, rows_of_index
from .exchange import Exchange
from .layers import Layers, located
from .ranks import check_ranks


@dataclass(frozen=True)
class Piece:
    """The gradient on the layers of a piece, on its device or on the host."""

    exchange: Exchange
    session: Session
    layers: Layers
    words: Array  # (m,) uint32 of its own layers (kernels/cubical/grid.h)
    counts: tuple[Counts, ...]  # critical cells of each piece, by index

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
        """Return the piece's critical cells of an index, on its device.

        Ids (c,) int64 are those in the grid of the layers read.
        """
        raise NotImplementedError

    @property
    def cell_shift(self) -> int:
        """Difference between cell ids of the whole image and of the layers read."""
        return self.layers.slab.first * doubled_layer(self.layers.whole)

    @property
    def rows(self) -> np.ndarray:
        """Rows (k,) int64 of the piece's critical cells in the table of the whole image."""
        begins = [sum(self.totals[:index]) + self.first(index) for index in range(4)]
        parts = [
            np.arange(begin, begin + n) for begin, n in zip(begins, self.own_counts, strict=True)
        ]
        return np.concatenate(parts).astype(np.int64)


@dataclass(frozen=True)
class PieceGradient(Piece):
    """A piece with its critical cells and their owners."""

    cells: Array  # (k,) int64, ids in the grid of the layers read
    field: ImageField  # of the layers read, ascending
    vertices: Array  # (k,) int64, their owners in the whole image
    values: Array  # (k,) of the owners
    levels: Array  # (k,) compared in place of the values; they refine ties

    def cells_of(self, index: int) -> Array:
        return self.session.upload(self.cells[rows_of_index(self.own_counts, index)])


def gradient_of_piece(
    exchange: Exchange,
    session: Session,
    given: Array,
    ranks: Array | None,
    masks: Masks,
    layers: Layers,
) -> PieceGradient:
    """Return the gradient of a piece, whose equal values `ranks` order. Raises InputError."""
    slab, step = layers.slab, doubled_layer(layers.whole)
    grid, _ = slab.ascending
    try:
        field = load_field(session, given, grid, masks, "index", may_be_empty=True)
    except InputError as error:
        raise located(error, layers) from None
    if field.levels is not None:
        expected = "of at most 8 bytes in an image in pieces"
        raise InputError("values", expected, Words(f"dtype {field.dtype}"))
    begin = slab.n_before * slab.layer
    place = slice(begin, begin + (slab.end - slab.begin) * slab.layer)
    if ranks is not None:
        compared = session.upload(ranks).reshape(-1)
        valid = (field.types[place] & 1).astype(bool) if field.types.size else None
        n = layers.whole.n_vertices
        check_ranks(exchange, session, compared[place], field.values[place], valid, n)
        compared = compared.astype(layers.whole.vertex_type)
        field = replace(field, values=compared, plain_values=field.values)
    with session.stage("gradient") as done:
        words = pair_lower_stars(session, field, done)
        mark_top_cells(session.launch, field, words)
    with session.stage("critical cells"):
        own = words[place]
        counted = count_critical_cells(session, layers.own, own)
        cells, counts = list_critical_cells(session, layers.own, own, counted)
        vertices, values, levels = owners_of(session, field, cells + slab.n_before * step)
        cells += layers.before * step
    every = tuple(exchange.gather(counts))
    if not any(map(sum, every)):
        raise empty_domain()
    piece = (exchange, session, layers, own, every, cells)
    return PieceGradient(*piece, field, slab.in_image(vertices), values, levels)
