"""The arcs of a piece, or of a level of it, with rows of the whole complex."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..device import Array, to_host
from ..morse.connectors.table import Connectors
from ..morse.graph import Arcs, arcs_to_extrema
from .gradient import Piece


def arcs_of_piece(piece: Piece, ends: Callable[[str], Array], connectors: Connectors) -> Arcs:
    """Return the arcs of the piece's saddles, sorted by (upper, lower).

    `ends` returns the extrema (s, 2) int32 at the ends of the saddles of a kind of arcs; connectors
    are in host memory.
    """
    device, top = piece.session.device, piece.dimension
    first = np.cumsum([0, *piece.totals]).tolist()

    def to_extrema(kind: str, saddle: int, extremum: int) -> list[np.ndarray]:
        begin = first[saddle] + piece.first(saddle)
        found = arcs_to_extrema(device, ends(kind), begin, first[extremum])
        return [to_host(column) for column in found]

    upper = connectors.upper() + first[2] + piece.first(2)
    parts = [
        to_extrema("descending", 1, 0),
        [upper, connectors.items.astype(np.int64) + first[1], connectors.multiplicity],
    ]
    if top > 1:
        lower, upper, number = to_extrema("ascending", top - 1, top)
        order = np.lexsort((lower, upper))
        parts.append([upper[order], lower[order], number[order]])
    return Arcs(*map(np.concatenate, zip(*parts, strict=True)))
