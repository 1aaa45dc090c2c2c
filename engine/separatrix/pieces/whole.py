"""The whole complex on the first piece, for stages that are not divided.

Saddles are rematched, and lines and surfaces traced, on the gradient of the whole image. The other
pieces send gradients, critical cells, arcs, and values; only the first one stores them.
Segmentations of a level stay divided: a table maps each extremum of the whole image to the one that
remains.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..complexes.cubical.domain import Masks, types_in_domain
from ..complexes.cubical.field import ImageField
from ..complexes.cubical.gradient import CubicalGradient
from ..complexes.cubical.slab_gradient import Listed, joined_lists
from ..device import Array, to_host
from ..morse.complex import MorseSmaleComplex
from ..morse.connectors.table import Connectors
from ..morse.gradient import DiscreteGradient
from ..morse.labels import KIND_OF_EXTREMA
from .complex import MorseSmalePiece
from .exchange import FIRST_PIECE, on_first
from .gradient import PieceGradient
from .level_labels import LevelLabels

WORD_BYTES = 8  # of a voxel: the gradient, and that of a level


def whole_on_first(piece: MorseSmalePiece) -> MorseSmaleComplex | None:
    """Return the complex of the whole image on the first piece, None on others.

    All pieces have to call it. Results have the bits of `morse_smale` of the whole image.
    """
    with piece._gradient.exchange.together(), piece._session.call(None, {}):
        return _whole_on_first(piece)


def _whole_on_first(piece: MorseSmalePiece) -> MorseSmaleComplex | None:
    gradient, exchange = piece._gradient, piece._gradient.exchange
    layers, field, connectors = gradient.layers, gradient.field, piece._connectors()
    grid = layers.whole
    lists = _lists_on_first(gradient)
    begin = layers.slab.n_before * layers.slab.layer
    own = slice(begin, begin + gradient.words.size)
    words, values, types = (
        on_first(exchange, column)
        for column in (gradient.words, field.values[own], _types_of(gradient)[own])
    )
    plain = field.plain_values
    plain = None if plain is None else on_first(exchange, plain[own])
    ends = {kind: on_first(exchange, piece._ends(kind).reshape(-1)) for kind in piece._kinds}
    lengths, items, multiplicity = (
        on_first(exchange, column)
        for column in (np.diff(connectors.offsets), connectors.items, connectors.multiplicity)
    )
    if exchange.rank != FIRST_PIECE:
        return None
    session, critical = piece._session, joined_lists(piece._session.host, lists)
    if grid.is_large:
        session = session.on(session.host)
        session.stream_from_host()
    elif session.memory.overflows(WORD_BYTES * words.size + values.nbytes):
        session = session.on(session.host)
    there, offsets = session.upload, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    is_native = critical.values.dtype == field.plain.dtype
    critical = replace(
        critical,
        ids=there(critical.ids),
        owners=there(critical.owners),
        values=there(critical.values) if is_native else critical.values,
        levels=there(critical.levels),
    )
    shape = grid.dimensions[::-1][-len(layers.shape) :]
    held = ImageField(
        *(there(values), shape, field.dtype, None, False, None if plain is None else there(plain)),
        grid=grid,
        types=there(types),
    )
    made = CubicalGradient(session, held, there(words), critical, top_cells_are_marked=True)
    for kind, found in ends.items():
        made._ends[kind] = there(found.reshape(-1, 2))
    complex = MorseSmaleComplex(DiscreteGradient(made))
    table = Connectors(*map(there, (offsets, items, multiplicity)))
    complex._parts.without_stage("frontier connectors", lambda: table)
    return complex


def _types_of(gradient: PieceGradient) -> Array:
    """Return the types of the piece's cells in the domain; (0,) if no piece excludes any."""
    grid, types, session = gradient.field.grid, gradient.field.types, gradient.session
    is_cut = any(gradient.exchange.gather(types.size > 0))
    if types.size or not is_cut:
        return types
    every = session.device.xp.ones(grid.n_vertices, bool)
    return types_in_domain(session, grid, every, Masks(None, None, False), may_be_empty=True)


def values_of(complex: MorseSmaleComplex) -> np.ndarray:
    """Return the values (n,) of the whole image."""
    return to_host(complex._labels.field.plain)


def ranks_of(complex: MorseSmaleComplex) -> np.ndarray | None:
    """Return the ranks (n,) that order the values of the whole image; None for their index."""
    field = complex._labels.field
    return None if field.plain_values is None else to_host(field.values)


def _lists_on_first(gradient: PieceGradient) -> list[Listed]:
    """Return the critical cells of each piece on the first one."""
    columns = (
        gradient.cells + gradient.cell_shift,
        gradient.vertices.astype(gradient.layers.whole.vertex_type),
        gradient.values,
        gradient.levels,
    )
    ends = np.cumsum([sum(counts) for counts in gradient.counts])[:-1]
    every = [on_first(gradient.exchange, column) for column in columns]
    if gradient.exchange.rank != FIRST_PIECE:
        return []
    parts = zip(*(np.split(column, ends) for column in every), strict=True)
    return list(zip(gradient.counts, parts, strict=True))


def level_from_first(piece: MorseSmalePiece, level: MorseSmaleComplex | None) -> LevelLabels:
    """Return a piece's labels at the level that the first piece has; `level` is None on others."""
    exchange, hierarchy, event, persistence = piece._gradient.exchange, None, 0, 0.0
    if level is not None:
        hierarchy, event = level._labels.hierarchy, level._labels.event
        persistence = level.persistence
    is_raw, persistence = exchange.gather((hierarchy is None, persistence))[FIRST_PIECE]
    tables = {}
    for kind, name in KIND_OF_EXTREMA.items() if not is_raw else ():
        own = hierarchy.labels_at(name, event) if hierarchy else np.empty(0, np.int32)
        tables[kind] = exchange.share(own)[FIRST_PIECE]
    return LevelLabels(piece, persistence, tables)
