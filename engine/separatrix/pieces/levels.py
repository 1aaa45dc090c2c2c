"""A level of the complex of a piece, for which no piece receives the image.

All pieces receive the canceled extrema, each with the extremum beyond its saddle. A segmentation of
the level labels a voxel by the extremum that remains in place of its own: O(extrema) in each piece.
Cells are those of the pairs that remain. In the complex of the whole image, pairs of two saddles
that several V-paths connect also remain, although they are below the level; whether they do is
known only after all V-paths before them are reversed, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ..arguments import check_one_of
from ..device import Array, in_memory_of, to_host
from ..homology import PersistenceDiagram
from ..kernels import NONE
from ..lazy import cached_property
from ..morse.cancellation import NEVER
from ..morse.critical import CriticalCells, indices_of
from ..morse.hierarchy import OUTSIDE, labels_of_survivors
from ..morse.labels import SHARES
from ..results import SessionResult
from .gradient import PieceGradient
from .pairs import ExtremumPairs, own_among, persistence_of


class RawPiece(Protocol):
    """What a level needs of the piece of the unsimplified complex."""

    _gradient: PieceGradient
    _session: Any
    critical: CriticalCells

    @property
    def persistence_pairs(self) -> PersistenceDiagram: ...
    @property
    def _kinds(self) -> tuple[str, ...]: ...
    def segmentation(self, kind: str) -> Array: ...
    def cell_labels(self) -> Array: ...
    def _extremum_pairs(self, kind: str) -> ExtremumPairs: ...
    def _vertex_labels(self, kind: str) -> Array: ...
    def _numbered(self, labels: Callable[[str], Array], n_maxima: int) -> Array: ...
    def _summary(self) -> str: ...


def level_of_piece(piece: RawPiece, persistence: float) -> PieceLevel:
    """Return the level at which pairs below a persistence are canceled. All pieces call it."""
    kinds = piece._kinds if persistence else ()
    return PieceLevel(
        piece, persistence, {kind: _labels_at(piece, kind, persistence) for kind in kinds}
    )


def _labels_at(piece: RawPiece, kind: str, persistence: float) -> np.ndarray:
    """Return the label of the survivor of each extremum of all pieces: (c,) int32."""
    gradient, exchange = piece._gradient, piece._gradient.exchange
    found = piece._extremum_pairs(kind)
    is_canceled = persistence_of(gradient, found.pairs) < persistence
    ended, beyond = (
        np.concatenate(exchange.share(column[is_canceled].astype(np.int32)))
        for column in (found.ended, found.beyond)
    )
    n = gradient.totals[indices_of(kind, gradient.dimension)[0]]
    parent, event = np.full(n, NONE, np.int32), np.full(n, NEVER, np.uint32)
    parent[ended], event[ended] = np.where(beyond < 0, OUTSIDE, beyond), 0
    return labels_of_survivors(gradient.session.host, parent, event, 0)


class PieceLevel(SessionResult):
    """The part of a simplified complex that belongs to the layers of one rank.

    Returned by :meth:`MorseSmalePiece.simplify`. All ranks have to access its results, in the same
    order. Segmentations and cells equal those of :meth:`MorseSmaleComplex.simplify`, except that
    saddles of pairs below the threshold are omitted, as where :attr:`is_persistent` is False there.

    Attributes
    ----------
    persistence : float
        Threshold, in the unit of the values.
    """

    _SHOWN = ("persistence", "device")

    def __init__(self, piece: RawPiece, persistence: float, tables: dict[str, np.ndarray]) -> None:
        """`tables` (c,) int32 contain the label of each extremum of all pieces, by the kind of
        segmentation. They are empty if nothing is canceled.
        """
        self.persistence = persistence
        self._piece, self._session, self._gradient = piece, piece._session, piece._gradient
        self._tables = tables

    def _summary(self) -> str:
        return f"{self._piece._summary()}, persistence {self.persistence:g}"

    # === cells
    @cached_property
    def _is_left(self) -> tuple[np.ndarray, ...]:
        """Which of the piece's critical cells of each index are in no pair below the level."""
        gradient, pairs = self._gradient, self._piece.persistence_pairs
        begins = np.cumsum([0, *gradient.totals])
        is_below = to_host(pairs.persistence) < self.persistence
        dimension, birth, death = (
            to_host(column)[is_below]
            for column in (pairs.dimension, pairs.birth_row, pairs.death_row)
        )
        return tuple(
            ~own_among(
                gradient,
                index,
                np.concatenate([birth[dimension == index], death[dimension == index - 1]])
                - begins[index],
            )
            for index in range(4)
        )

    @property
    def critical(self) -> CriticalCells:
        """Critical cells of the piece in pairs that remain, sorted by (index, cell id).

        All ranks have to access it.
        """
        with self._gradient.exchange.together():
            is_left = self._is_left
        raw, chosen = self._piece.critical, np.flatnonzero(np.concatenate(is_left))
        counts = tuple(int(flags.sum()) for flags in is_left)
        with self._session.call(None, {}):
            kept = {
                name: column[in_memory_of(chosen, column)]
                for name, column in vars(raw).items()
                if name != "counts"
            }
            return CriticalCells(**kept, counts=counts)

    @property
    def persistence_pairs(self) -> PersistenceDiagram:
        """Pairs of the piece that remain; rows are those of the unsimplified complex.

        All ranks have to access it.
        """
        return self._piece.persistence_pairs.above(self.persistence)

    # === labels
    def segmentation(self, kind: str) -> Array:
        """Return labels as :meth:`MorseSmalePiece.segmentation` does, at the level."""
        check_one_of("kind", kind, SHARES)
        piece, gradient = self._piece, self._gradient
        if not self._tables:
            return piece.segmentation(kind)  # which it keeps
        with gradient.exchange.together(), piece._session.call(None, {}):
            if kind == "morse_smale":
                n_maxima = int(self._tables["ascending"].max(initial=-1)) + 1
                found = piece._numbered(self._of_vertices, n_maxima)
            else:
                found = self._of_vertices(kind)
            return piece._session.result(found.reshape(gradient.layers.shape))

    def cell_labels(self) -> Array:
        """Return labels as :meth:`MorseSmalePiece.cell_labels` does, at the level."""
        piece = self._piece
        raw = piece.cell_labels()
        with piece._session.call(None, {}):
            labels = self._translated(piece._session.upload(raw), "ascending")
            return piece._session.result(labels)

    def _of_vertices(self, kind: str) -> Array:
        return self._translated(self._piece._vertex_labels(kind), kind)

    def _translated(self, raw: Array, kind: str) -> Array:
        session = self._session
        if not self._tables:
            return raw
        labels = session.device.empty(raw.shape, np.int32)
        arrays = (raw.reshape(-1), session.upload(self._tables[kind]), labels.reshape(-1))
        session.launch("translate_labels", raw.size, *arrays)
        return labels
