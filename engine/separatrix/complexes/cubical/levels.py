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
from ...device.base import Array
from ...morse.graph import ComplexGraph
from ...morse.hierarchy import Hierarchy
from ...morse.levels import Levels
from ...morse.reversal_log import log_reversals
from .pairing import CubicalPairing


@dataclass(frozen=True)
class Reversals:
    """Cells whose partner changes, sorted by (cell, event), on the device.

    ``cells`` (t,) int64 cell ids, ``events`` (t,) uint32, ``directions`` (t,) uint8, the new ones.
    """

    cells: Array
    events: Array
    directions: Array


class CubicalLevels(Levels):
    """The levels of an image's complex, with the log of reversals."""

    def __init__(self, raw: CubicalPairing, graph: ComplexGraph, hierarchy: Hierarchy):
        super().__init__(raw.session, graph, hierarchy)
        self.raw = raw
        self._log: Reversals | None = None

    @property
    def has_log(self) -> bool:
        """Whether the log is there."""
        return self._log is not None

    def write_log(self, done: Callable[[float], None] | None = None) -> None:
        """Write the log; `done` hears of the part written."""
        if self._log is None:
            self._log = _log_of_reversals(self.raw, self.hierarchy, done)

    def extremum_words_at(self, event: int) -> Array:
        """Words, in a new array, with the paths of extrema reversed that are canceled by then."""
        raw, grid, session = self.raw, self.raw.grid, self.session
        session.memory.require(raw.words.nbytes, "the gradient of a level")
        words = raw.words.copy()
        for kind, cell_type, index in (
            ("minimum", 0, 1),
            ("maximum", grid.top_type, grid.dimension - 1),
        ):
            if index < 1:
                continue
            sides, saddles = self.arcs_to_reverse(kind, event), raw.critical_of(index)
            model = (grid.extents, raw.words, saddles, cell_type)
            session.launch("reverse_arcs", sides.size, *model, sides, words)
        return words

    def reverse_saddle_paths(self, event: int, words: Array) -> None:
        """Reverse the paths between saddles that are canceled by an event, in `words`."""
        self.write_log()
        assert self._log is not None
        log, n = self._log, self._log.cells.size
        model = (self.raw.grid.extents, self.raw.words)
        entries = (log.cells, log.events, log.directions, n)
        self.session.launch("replay_turns", n, *model, *entries, event, words)


def _log_of_reversals(
    raw: CubicalPairing, hierarchy: Hierarchy, done: Callable[[float], None] | None
) -> Reversals:
    """All cancellations of two saddles, replayed on a copy of the words on the host."""
    session = raw.session
    uppers = to_host(raw.critical_of(2))[hierarchy.saddle_upper]
    lowers = to_host(raw.critical_of(1))[hierarchy.saddle_lower]
    model = (raw.grid.extents, np.array(to_host(raw.words)), uppers, lowers)
    cells, directions, events = log_reversals(
        session,
        "reverse_saddle_paths",
        model,
        hierarchy.saddle_events,
        (np.int64, np.uint8),
        done,
    )
    order = np.lexsort((events, cells))
    return Reversals(
        session.upload(cells[order]),
        session.upload(events[order]),
        session.upload(directions[order]),
    )
