"""Segmentations of a level of a piece: each raw label is replaced by that of the survivor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ..arguments import check_one_of
from ..device import Array
from ..homology import PersistenceDiagram
from ..kernels import NONE
from ..morse.cancellation import NEVER
from ..morse.critical import CriticalCells, indices_of
from ..morse.hierarchy import OUTSIDE, labels_of_survivors
from ..morse.labels import SHARES
from ..results import SessionResult
from .cancellation import PieceLog
from .gradient import PieceGradient
from .pairs import ExtremumPairs, persistence_of


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
    def _ends(self, kind: str) -> Array: ...
    def _saddle_log(self) -> PieceLog | None: ...
    def _vertex_labels(self, kind: str) -> Array: ...
    def _cells(self) -> tuple[Array, np.ndarray]: ...
    def _numbered(
        self, labels: Callable[[str], Array], n_maxima: int
    ) -> tuple[Array, np.ndarray]: ...
    def _together(self, name: str, compute: Callable[[], Any]) -> Any: ...
    def _summary(self) -> str: ...


def labels_at(piece: RawPiece, kind: str, persistence: float) -> np.ndarray:
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


class LevelLabels(SessionResult):
    """Segmentations at a level of the part of an image that belongs to a piece."""

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

    def segmentation(self, kind: str) -> Array:
        """Return labels as :meth:`MorseSmalePiece.segmentation` does, at the level."""
        check_one_of("kind", kind, SHARES)
        piece, gradient = self._piece, self._gradient
        if not self._tables:
            return piece.segmentation(kind)  # which it keeps
        with gradient.exchange.together(), piece._session.call(None, {}):
            found = self._cells()[0] if kind == "morse_smale" else self._of_vertices(kind)
            return piece._session.result(found.reshape(gradient.layers.shape))

    def cell_labels(self) -> Array:
        """Return labels as :meth:`MorseSmalePiece.cell_labels` does, at the level."""
        piece = self._piece
        raw = piece.cell_labels()
        with piece._session.call(None, {}):
            labels = self._translated(piece._session.upload(raw), "ascending")
            return piece._session.result(labels)

    def _cells(self) -> tuple[Array, np.ndarray]:
        if not self._tables:
            return self._piece._cells()
        n_maxima = int(self._tables["ascending"].max(initial=-1)) + 1
        return self._piece._numbered(self._of_vertices, n_maxima)

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
