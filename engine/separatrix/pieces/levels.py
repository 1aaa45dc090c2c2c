"""A level of the complex of a piece, for which no piece receives the image.

All pieces receive the canceled extrema, each with the extremum beyond its saddle. A segmentation of
the level labels a voxel by the extremum that remains in place of its own, and an arc leads to it:
O(extrema) in each piece. Pairs of saddles are canceled on the first piece (cancellation.py), whose
log each piece replays on its own gradient, before it counts the V-paths that are left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import check_one_of
from ..complexes.cubical.slabs import doubled_layer
from ..device import Array, in_memory_of, to_host
from ..homology import PersistenceDiagram
from ..morse.critical import Counts, CriticalCells, indices_of
from ..morse.graph import Arcs
from ..morse.hierarchy import reasons_of
from ..morse.labels import SHARES
from ..morse.separatrices import Separatrices
from ..primitives import at, shifted
from .cancellation import PieceLog
from .gradient import PieceGradient
from .level_labels import LevelLabels, RawPiece, labels_at
from .lines import (
    check_lines,
    lines_of_piece,
    reverse_walks,
    sides_to_reverse,
    words_read,
)
from .pairs import own_among, persistence_of
from .regions import PieceRegions, regions_of_piece
from .tables import PieceTables


class LevelTables(PieceTables):
    """The tables of a piece at a level; `ends` returns those of the saddles that remain."""

    def __init__(self, gradient: PieceGradient, ends: Callable[[str], Array]):
        super().__init__(gradient)
        self._ends_at_level = ends

    def _ends(self, kind: str) -> Array:
        return self._ends_at_level(kind)


def level_of_piece(piece: RawPiece, persistence: float) -> PieceLevel:
    """Return the level at which pairs below a persistence are canceled. All pieces call it."""
    kinds = piece._kinds if persistence else ()
    return PieceLevel(
        piece, persistence, {kind: labels_at(piece, kind, persistence) for kind in kinds}
    )


class PieceLevel(LevelLabels):
    """The part of a simplified complex that belongs to the layers of one rank.

    Returned by :meth:`MorseSmalePiece.simplify`. All results together are those of
    :meth:`MorseSmaleComplex.simplify` for the whole image, bit by bit: rows and labels count the
    critical cells of the level. All ranks have to access them, in the same order.

    Attributes
    ----------
    persistence : float
        Threshold, in the unit of the values.
    """

    def __init__(self, piece: RawPiece, persistence: float, tables: dict[str, np.ndarray]) -> None:
        super().__init__(piece, persistence, tables)
        self._results: dict[str, Any] = {}

    @property
    def critical(self) -> CriticalCells:
        """Critical cells of the piece that remain, sorted by (index, cell id)."""
        return self._at_level.critical

    @property
    def rows(self) -> np.ndarray:
        """Rows (k,) int64 of :attr:`critical` in the table of the whole level."""
        return self._at_level.rows

    @property
    def counts(self) -> Counts:
        """Numbers of critical cells of the whole level, by index."""
        return self._at_level.counts

    @property
    def is_persistent(self) -> np.ndarray:
        """Whether each cell of :attr:`critical` is in no pair below the threshold: (k,) bool."""
        is_left, is_above = self._flags
        return np.concatenate(is_above)[np.concatenate(is_left)]

    @property
    def skipped_counts(self) -> dict[str, int]:
        """Number of pairs of saddles below the threshold that remain, per reason.

        They are those of ``MorseSmaleComplex.skipped.counts``, of all pieces.
        """
        return dict(self._last_event[1])

    @property
    def arcs(self) -> Arcs:
        """Arcs of the piece's saddles that remain, as :attr:`MorseSmalePiece.arcs`."""
        return self._at_level.arcs

    @property
    def persistence_pairs(self) -> PersistenceDiagram:
        """Pairs of the critical cells that remain, as :attr:`MorseSmalePiece.persistence_pairs`."""
        return self._at_level.persistence_pairs

    def regions(self, kind: str) -> PieceRegions:
        """Return regions as :meth:`MorseSmalePiece.regions` does, at the level."""
        check_one_of("kind", kind, SHARES)
        level = self._at_level._gradient

        def found() -> PieceRegions:
            keys = None
            if kind == "morse_smale":
                labels, keys = self._cells()
            else:
                labels = self._of_vertices(kind)
            return regions_of_piece(self._gradient, level, kind, labels, keys)

        return self._together(f"{kind} regions", found)

    def separatrices(self, dimension: int = 1, kind: str = "descending") -> Separatrices:
        """Return lines as :meth:`MorseSmalePiece.separatrices` does, at the level."""
        check_lines(dimension, kind)
        level = self._at_level._gradient

        def lines() -> Separatrices:
            return lines_of_piece(level, self._words_of_lines(), kind, to_host(self._ends(kind)))

        return self._together(f"{kind} lines", lines)

    # === parts
    def _words_of_lines(self) -> Array:
        """Return the words of the layers read, with V-paths to canceled extrema reversed."""
        raw = self._gradient
        words = words_read(raw)
        turned = self._session.device.copied(words)
        for kind in self._tables:
            found = self._piece._extremum_pairs(kind)
            is_canceled = persistence_of(raw, found.pairs) < self.persistence
            index = indices_of(kind, raw.dimension)[1]
            of_pairs = found.pairs.deaths if found.pairs.dimension < index else found.pairs.births
            saddles = of_pairs.number[is_canceled]
            ends = to_host(self._piece._ends(kind))[saddles - raw.first(index)]
            sides = sides_to_reverse(raw, kind, saddles, found.ended[is_canceled], ends)
            reverse_walks(raw, kind, sides, words, turned)
        return turned

    def _together(self, name: str, compute: Callable[[], Any]) -> Any:
        if name not in self._results:
            with self._gradient.exchange.together(), self._session.call(None, {name: 1.0}):
                self._results[name] = compute()
        return self._results[name]

    @property
    def _last_event(self) -> tuple[int, dict[str, int]]:
        """The last cancellation of two saddles below the level, and the numbers of skipped ones."""

        def found() -> tuple[int, dict[str, int]]:
            log, nothing = self._log, (0, reasons_of(np.empty(0, np.int8)))
            return nothing if log is None else log.at(self.persistence)

        return self._together("event", found)

    @property
    def _log(self) -> PieceLog | None:
        return self._piece._saddle_log() if self._tables else None

    @property
    def _flags(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """By index, which of the piece's critical cells remain, and which are in no pair below."""
        return self._together("flags", self._find_flags)

    def _find_flags(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        gradient, pairs = self._gradient, self._piece.persistence_pairs
        begins = np.cumsum([0, *gradient.totals])
        is_below = to_host(pairs.persistence) < self.persistence
        dimension, birth, death = (
            to_host(column)[is_below]
            for column in (pairs.dimension, pairs.birth_row, pairs.death_row)
        )
        is_above = [
            ~own_among(
                gradient,
                index,
                np.concatenate([birth[dimension == index], death[dimension == index - 1]])
                - begins[index],
            )
            for index in range(4)
        ]
        event, is_left = self._last_event[0], [*is_above]
        if log := self._log:
            for index, dead in log.dead.items():
                is_left[index] = is_above[index] | (dead > event)
        return is_left, is_above

    @property
    def _at_level(self) -> LevelTables:
        return self._together("tables", lambda: LevelTables(self._level_gradient(), self._ends))

    def _ends(self, kind: str) -> Array:
        is_left = self._flags[0][indices_of(kind, self._gradient.dimension)[1]]
        chosen = self._session.upload(np.flatnonzero(is_left))
        return self._translated(at(self._piece._ends(kind), chosen), kind)

    def _level_gradient(self) -> PieceGradient:
        """The piece after V-paths between saddles are reversed; those to extrema are not."""
        raw, is_left = self._gradient, self._flags[0]
        chosen = np.flatnonzero(np.concatenate(is_left))
        counts = raw.exchange.gather(tuple(int(flags.sum()) for flags in is_left))
        cells, vertices, values, levels = (
            column[in_memory_of(chosen, column)]
            for column in (raw.cells, raw.vertices, raw.values, raw.levels)
        )
        return replace(
            raw,
            words=self._words(),
            counts=tuple(counts),
            cells=cells,
            vertices=vertices,
            values=values,
            levels=levels,
        )

    def _words(self) -> Array:
        raw, session, log = self._gradient, self._session, self._log
        if log is None:
            return raw.words
        words = log.words_after(self._last_event[0])
        for index, dead in log.dead.items():
            by_extrema = np.flatnonzero(~self._flags[1][index] & (dead == 0))
            saddles = at(raw.cells_of(index), session.upload(by_extrema))
            saddles = shifted(saddles, -raw.layers.before * doubled_layer(raw.layers.whole))
            given = (raw.layers.own.extents, saddles, words)
            session.launch("retire_saddles", by_extrema.size, *given)
        return words
