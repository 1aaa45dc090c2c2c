"""The gradient of an image's complex after any number of cancellations; see morse/levels.py.

It is the raw one with V-paths reversed: those of canceled extrema all at once, those between
saddles by a log that is written once and read at any event.

Nothing here grows with the number of voxels but one copy of the words.
R. Forman, "Morse theory for cell complexes", Advances in Mathematics 134, 1998, section 11.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...device import to_host
from ...device.arrays import beside
from ...device.base import Array
from ...morse.graph import ComplexGraph
from ...morse.hierarchy import Hierarchy
from ...morse.levels import Levels
from ...morse.reversal_log import log_turns
from .critical import rows_of_index
from .gradient import DiscreteGradient


@dataclass(frozen=True)
class Turns:
    """Cells whose partner changes, sorted by (cell, event), on the device.

    ``cells`` (t,) int64 cell ids, ``events`` (t,) uint32, ``directions`` (t,) uint8, the new ones.
    """

    cells: Array
    events: Array
    directions: Array


class ImageLevels(Levels):
    """The levels of an image's complex, with the log of turns."""

    def __init__(self, raw: DiscreteGradient, graph: ComplexGraph, hierarchy: Hierarchy):
        super().__init__(raw.session, graph, hierarchy)
        self.raw = raw
        self._turns: Turns | None = None

    def gradient_at(self, event: int) -> SimplifiedGradient:
        """The gradient after `event` cancellations. O(critical cells); its words come later."""
        return SimplifiedGradient(self, event)

    @property
    def has_turns(self) -> bool:
        """Whether the log is there."""
        return self._turns is not None

    def log_turns(self, done: Callable[[float], None]) -> None:
        """Write the log; `done` hears of the part written."""
        self.turns(done)

    def turns(self, done: Callable[[float], None] | None = None) -> Turns:
        """The log of all cancellations of two saddles, written when first asked for."""
        if self._turns is None:
            self._turns = _log_of_turns(self.raw, self.hierarchy, done)
        return self._turns


class SimplifiedGradient(DiscreteGradient):
    """The gradient of a complex after cancellations; see :class:`DiscreteGradient`."""

    def __init__(self, levels: ImageLevels, event: int):
        raw = levels.raw
        self._levels, self._event = levels, event
        self._words: Array = None
        self._saddle_paths_are_reversed = False
        alive = levels.dead > event
        vertices, values = raw._owners
        kept = beside(alive, values)
        super().__init__(
            raw.session,
            raw.field,
            None,
            raw.critical_ids[alive],
            levels.counts_at(event),
            (vertices[alive], values[kept]),
            raw.owner_levels[alive],
        )

    @property
    def words(self) -> Array:
        """The packed gradient (n,) uint32 after all cancellations."""
        with self.session.call(None, {}):
            words = self.words_of_extrema
            if not self._saddle_paths_are_reversed:
                self._replay(words)
            return words

    @words.setter
    def words(self, words: Array) -> None:
        self._words = words

    @property
    def words_of_extrema(self) -> Array:
        """The same as far as vertices and top cells go: cheaper, enough for extremum arcs."""
        if self._words is None:
            levels, raw = self._levels, self._levels.raw
            self.session.memory.require(raw.words.nbytes, "the gradient of a level")
            words = raw.words.copy()
            for kind, type_, index in (
                ("minimum", 0, 1),
                ("maximum", self.grid.top_type, self.grid.dimension - 1),
            ):
                if index < 1:
                    continue
                sides = levels.arcs_to_reverse(kind, self._event)
                saddles = raw.critical_ids[raw.rows(index)]
                self.session.launch(
                    "reverse_arcs",
                    sides.size,
                    self.grid.extents,
                    raw.words,
                    saddles,
                    type_,
                    sides,
                    words,
                )
            self._words = words
        return self._words

    @property
    def for_extremum_arcs(self) -> DiscreteGradient:
        """This gradient with its :attr:`words_of_extrema`."""
        return DiscreteGradient(
            self.session,
            self.field,
            self.words_of_extrema,
            self.critical_ids,
            self.counts,
            self._owners,
            self.owner_levels,
        )

    def mark_top_cells(self) -> None:
        """Note each vertex's highest top cell; the raw gradient's values say which."""
        if not self._top_cells_are_marked:
            raw = self._levels.raw
            raw.mark_top_cells()
            self._words = self.words_of_extrema | (raw.words & np.uint32(OCTANT_BITS))
            self._top_cells_are_marked = True

    def _replay(self, words: Array) -> None:
        turns = self._levels.turns()
        n = turns.cells.size
        self.session.launch(
            "replay_turns",
            n,
            self.grid.extents,
            self._levels.raw.words,
            turns.cells,
            turns.events,
            turns.directions,
            n,
            self._event,
            words,
        )
        self._saddle_paths_are_reversed = True


OCTANT_BITS = 0x888  # cubical/grid.h


def _log_of_turns(
    raw: DiscreteGradient, hierarchy: Hierarchy, done: Callable[[float], None] | None
) -> Turns:
    """All cancellations of two saddles, replayed on a copy of the words on the host."""
    session, counts = raw.session, raw.counts
    ids = to_host(raw.critical_ids)
    uppers = ids[rows_of_index(counts, 2)][hierarchy.saddle_upper]
    lowers = ids[rows_of_index(counts, 1)][hierarchy.saddle_lower]
    model = (raw.grid.extents, np.array(to_host(raw.words)), uppers, lowers)
    cells, directions, events = log_turns(
        session,
        "reverse_saddle_paths",
        model,
        hierarchy.saddle_events,
        (np.int64, np.uint8),
        done,
    )
    order = np.lexsort((events, cells))
    return Turns(
        session.upload(cells[order]),
        session.upload(events[order]),
        session.upload(directions[order]),
    )
