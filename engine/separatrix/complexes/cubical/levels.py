"""The gradient of an image's complex after any number of cancellations; see morse/levels.py.

Nothing here grows with the number of voxels but one copy of the words.
R. Forman, "Morse theory for cell complexes", Advances in Mathematics 134, 1998, section 11.
"""

from __future__ import annotations

from ...device.base import Array
from ...morse.graph import ComplexGraph
from ...morse.hierarchy import Hierarchy
from ...morse.levels import Levels
from .pairing import CubicalPairing


class CubicalLevels(Levels):
    """The levels of an image's complex."""

    def __init__(self, raw: CubicalPairing, graph: ComplexGraph, hierarchy: Hierarchy):
        super().__init__(raw.session, graph, hierarchy)
        self.raw = raw

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
        self.replay("replay_turns", event, (self.raw.grid.extents, self.raw.words), words)
