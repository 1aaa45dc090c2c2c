"""The part of a Morse-Smale complex that one rank of MPI computes, as users see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arguments import check_one_of
from ..complexes.cubical.grid import Grid, place
from ..complexes.cubical.slabs import doubled_layer
from ..device import Array, LazyCache, to_host
from ..errors import InputError, Words
from ..homology import PersistenceDiagram
from ..morse.combinatorial import checked_level
from ..morse.connectors.table import Connectors
from ..morse.critical import Counts, CriticalCells
from ..morse.graph import Arcs
from ..morse.labels import SHARES
from ..morse.segmentation import morse_smale_cells
from ..results import SessionResult
from .arcs import arcs_of_piece
from .cancellation import PieceLog, log_of_piece
from .connectors import connectors_of_piece
from .gradient import PieceGradient
from .labels import extremum_ends, labels_of_piece, own_labels
from .levels import PieceLevel, level_of_piece
from .pairs import ExtremumPairs, Pairs, diagram_of_piece, extremum_pairs, saddle_pairs


class MorseSmalePiece(SessionResult):
    """The part of a Morse-Smale complex that belongs to the layers of one rank.

    Returned by :func:`separatrix.morse_smale_piece`. All results together are those of
    :class:`MorseSmaleComplex` for the whole image, bit by bit: cell ids, vertices, rows, and labels
    are those of the whole. Segmentations, arcs, and pairs are computed on first access, when ranks
    exchange data, so **all ranks have to access them, in the same order**. An error of one rank is
    raised by all.

    Attributes
    ----------
    grid : Grid
        That of the whole image.
    layers : (int, int)
        First layer of the piece, and the first one after it.
    critical : CriticalCells
        Critical cells of the piece, sorted by (index, cell id). A cell belongs to the layer of its
        lowest corner.
    rows : (k,) int64
        Their rows in the table of the whole complex.
    counts : tuple of int
        Numbers of critical cells of the whole complex, by index.
    """

    _SHOWN = ("grid", "layers", "counts", "critical", "device")

    def __init__(self, gradient: PieceGradient):
        self._gradient, self._session = gradient, gradient.session
        self._parts = LazyCache(gradient.session)
        self._results: dict[str, Any] = {}
        layers = gradient.layers
        self.grid: Grid = layers.whole
        self.layers = (layers.slab.begin, layers.slab.end)
        self.counts: Counts = gradient.totals
        self.rows = gradient.rows
        self.critical = _critical_cells(gradient)

    def _summary(self) -> str:
        begin, end = self.layers
        layers = f"layers {begin} to {end - 1} of {self.grid._size_text}"
        return f"{layers} on {self.device}: counts {self._gradient.own_counts}"

    def segmentation(self, kind: str) -> Array:
        """Return one int32 label for each voxel of the piece's layers, in their shape.

        `kind` is "ascending", "descending", or "morse_smale"; see
        :meth:`MorseSmaleComplex.segmentation`. All ranks have to call it.
        """
        check_one_of("kind", kind, SHARES)
        shape = self._gradient.layers.shape
        return self._together(
            f"{kind} segmentation",
            lambda: self._session.result(self._vertex_labels(kind).reshape(shape)),
        )

    def cell_labels(self) -> Array:
        """Return the maximum that each top cell ascends to, -1 outside: int32.

        Its shape is that of the piece's voxels, to whose lowest corner a cell belongs; there are no
        cells behind the last voxels of an axis that is not periodic. All ranks have to call it.
        """
        layers = self._gradient.layers
        return self._together(
            "cell labels",
            lambda: self._session.result(
                self._labels("ascending")[layers.slab.inner].reshape(layers.shape)
            ),
        )

    @property
    def arcs(self) -> Arcs:
        """Arcs whose saddle, or whose 2-saddle, belongs to the piece, sorted by (upper, lower).

        Rows are those of the whole complex. All ranks have to access it.
        """
        return self._together("arcs", self._assemble_arcs)

    @property
    def persistence_pairs(self) -> PersistenceDiagram:
        """All pairs, including those of length zero, whose saddle belongs to the piece.

        A pair of saddles belongs to the piece of its 2-saddle, an essential class to that of its
        cell. Cell ids and rows are those of the whole complex. All ranks have to access it.
        """

        def pairs() -> PersistenceDiagram:
            of_extrema = [self._extremum_pairs(kind).pairs for kind in self._kinds]
            return diagram_of_piece(self._gradient, of_extrema, self._saddle_pairs())

        return self._together("pairs", pairs)

    def simplify(self, persistence: float) -> PieceLevel:
        """Return the piece at the level at which pairs below a persistence are canceled.

        Parameters
        ----------
        persistence : float
            Threshold, in the unit of the values. All ranks have to call it with the same one.

        Notes
        -----
        The image is not exchanged. All ranks receive the canceled extrema, 8 bytes each. The first
        rank cancels pairs of saddles: it receives the graph of V-paths between them, at most once
        for all levels. Labels do not need this. Images of one dimension are rejected.
        """
        level = checked_level(persistence, False, False).persistence
        if self._gradient.dimension < 2:
            got = Words(f"an image of {self.grid._size_text}")
            raise InputError("values", "of at least two dimensions for a level in pieces", got)
        return self._together(f"level {level!r}", lambda: level_of_piece(self, level))

    # === parts, which other parts share
    def _together(self, name: str, compute: Callable[[], Any]) -> Any:
        if name not in self._results:  # once computed, a result needs no exchange
            with self._gradient.exchange.together(), self._session.call(None, {name: 1.0}):
                found = self._parts.once(name, compute)
            self._results[name] = found
        return self._results[name]

    @property
    def _kinds(self) -> tuple[str, ...]:
        """Kinds of arcs; on a line, the ascending arcs are the descending ones."""
        return ("descending", "ascending") if self._gradient.dimension > 1 else ("descending",)

    def _labels(self, kind: str) -> Array:
        def labels() -> Array:
            return labels_of_piece(self._gradient, kind)

        return self._parts.without_stage(f"{kind} labels", labels)

    def _ends(self, kind: str) -> Array:
        def ends() -> Array:
            return extremum_ends(self._gradient, kind, self._labels(kind))

        return self._parts.without_stage(f"{kind} ends", ends)

    def _extremum_pairs(self, kind: str) -> ExtremumPairs:
        def pairs() -> ExtremumPairs:
            return extremum_pairs(self._gradient, kind, to_host(self._ends(kind)))

        return self._parts.without_stage(f"{kind} pairs", pairs)

    def _saddle_pairs(self) -> Pairs | None:
        """The pairs of saddles of all pieces; None below three dimensions."""
        if self._gradient.dimension < 3:
            return None

        def pairs() -> Pairs:
            of_extrema = [self._extremum_pairs(kind).pairs for kind in self._kinds]
            return saddle_pairs(self._gradient, self._connectors(), *of_extrema)

        return self._parts.without_stage("saddle pairs", pairs)

    def _saddle_log(self) -> PieceLog | None:
        """The cancellation of pairs of saddles; None below three dimensions."""
        between = self._saddle_pairs()
        if between is None:
            return None
        return self._parts.without_stage(
            "saddle log", lambda: log_of_piece(self._gradient, between)
        )

    def _connectors(self) -> Connectors:
        def connectors() -> Connectors:
            found = connectors_of_piece(self._gradient)
            return Connectors(*map(to_host, (found.offsets, found.items, found.multiplicity)))

        return self._parts.without_stage("connectors", connectors)

    def _vertex_labels(self, kind: str) -> Array:
        if kind == "morse_smale":
            return self._numbered(self._vertex_labels, self.counts[self._gradient.dimension])
        return own_labels(self._gradient, kind, self._labels(kind))

    def _numbered(self, labels: Callable[[str], Array], n_maxima: int) -> Array:
        """Number the pairs of a minimum and a maximum to which the piece's vertices lead."""
        gradient = self._gradient
        minima, maxima = map(labels, ("descending", "ascending"))
        likely = sum(gradient.own_counts) // 2

        def merged(keys: Array) -> Array:
            return np.unique(np.concatenate(gradient.exchange.share(to_host(keys))))

        return morse_smale_cells(self._session, minima, maxima, n_maxima, likely, merged)[0]

    def _assemble_arcs(self) -> Arcs:
        return arcs_of_piece(self._gradient, self._ends, self._connectors())


def _critical_cells(gradient: PieceGradient) -> CriticalCells:
    session = gradient.session
    cells, layers, field = gradient.cells, gradient.layers, gradient.field
    ascending = cells + (layers.slab.n_before - layers.before) * doubled_layer(layers.whole)
    _, _, on_boundary = place(session.device, field.grid, ascending, field.types)
    cells = cells + gradient.cell_shift
    position, index, _ = place(session.device, layers.whole, cells)
    columns = (cells, index, gradient.values, gradient.vertices, position, on_boundary)
    ids, index, values, vertices, position, on_boundary = map(session.result, columns)
    return CriticalCells(ids, index, values, vertices, position, on_boundary, gradient.own_counts)
