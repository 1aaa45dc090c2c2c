"""The part of a Morse-Smale complex that one rank of MPI computes, as users see it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..arguments import check_one_of
from ..device import Array, to_host
from ..errors import InputError, Words
from ..morse.combinatorial import checked_level
from ..morse.labels import SHARES
from ..morse.segmentation import morse_smale_cells
from ..morse.separatrices import Separatrices
from .cancellation import PieceLog, log_of_piece
from .labels import extremum_ends, labels_of_piece, own_labels
from .levels import PieceLevel, level_of_piece
from .lines import check_lines, lines_of_piece, words_read
from .regions import PieceRegions, regions_of_piece
from .tables import PieceTables


class MorseSmalePiece(PieceTables):
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

    def regions(self, kind: str) -> PieceRegions:
        """Return the size, value range, and extrema of each region that belongs to the piece.

        `kind` is that of :meth:`segmentation`. All ranks have to call it.
        """
        check_one_of("kind", kind, SHARES)

        def found() -> PieceRegions:
            keys = self._cells()[1] if kind == "morse_smale" else None
            labels = self._vertex_labels(kind)
            return regions_of_piece(self._gradient, self._gradient, kind, labels, keys)

        return self._together(f"{kind} regions", found)

    def separatrices(self, dimension: int = 1, kind: str = "descending") -> Separatrices:
        """Return lines from the piece's saddles to minima ("descending") or maxima ("ascending").

        They may lead through the layers of other pieces. Rows and numbers of arcs are those of the
        whole complex. All ranks have to call it.
        """
        check_lines(dimension, kind)

        def lines() -> Separatrices:
            words = words_read(self._gradient)
            return lines_of_piece(self._gradient, words, kind, self._ends_of_lines(kind))

        return self._together(f"{kind} lines", lines)

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
    def _labels(self, kind: str) -> Array:
        def labels() -> Array:
            return labels_of_piece(self._gradient, kind)

        return self._parts.without_stage(f"{kind} labels", labels)

    def _ends(self, kind: str) -> Array:
        def ends() -> Array:
            return extremum_ends(self._gradient, kind, self._labels(kind))

        return self._parts.without_stage(f"{kind} ends", ends)

    def _ends_of_lines(self, kind: str) -> np.ndarray:
        return to_host(self._ends(kind)) if kind in self._kinds else np.empty((0, 2), np.int32)

    def _saddle_log(self) -> PieceLog | None:
        """The cancellation of pairs of saddles; None below three dimensions."""
        between = self._saddle_pairs()
        if between is None:
            return None
        return self._parts.without_stage(
            "saddle log", lambda: log_of_piece(self._gradient, between)
        )

    def _vertex_labels(self, kind: str) -> Array:
        if kind == "morse_smale":
            return self._cells()[0]
        return own_labels(self._gradient, kind, self._labels(kind))

    def _cells(self) -> tuple[Array, np.ndarray]:
        def cells() -> tuple[Array, np.ndarray]:
            return self._numbered(self._vertex_labels, self.counts[self._gradient.dimension])

        return self._parts.without_stage("cells", cells)

    def _numbered(self, labels: Callable[[str], Array], n_maxima: int) -> tuple[Array, np.ndarray]:
        """Number the pairs of a minimum and a maximum to which the piece's vertices lead.

        Returns the numbers (m,) int32, and the keys of the pairs of all pieces, ascending.
        """
        gradient = self._gradient
        minima, maxima = map(labels, ("descending", "ascending"))
        likely = sum(gradient.own_counts) // 2

        def merged(keys: Array) -> Array:
            return np.unique(np.concatenate(gradient.exchange.share(to_host(keys))))

        given = (n_maxima, likely, gradient.layers.whole.steps, merged)
        cells, keys = morse_smale_cells(self._session, minima, maxima, *given)
        return cells, to_host(keys)
