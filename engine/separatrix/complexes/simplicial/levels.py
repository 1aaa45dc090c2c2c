"""The gradient of a mesh's complex after any number of cancellations; see morse/levels.py.

It is the raw one with V-paths reversed: those of canceled extrema all at once, those between
saddles by a log of which triangle turns to which of its edges. R. Forman, "Morse theory for cell
complexes", Advances in Mathematics 134, 1998, section 11.
"""

from __future__ import annotations

from collections.abc import Callable

from ...morse.graph import ComplexGraph
from ...morse.hierarchy import Hierarchy
from ...morse.levels import Levels
from .lower_star import PAIRED_UP, Codes
from .pairing import SimplicialPairing
from .path_graph import PathGraph


class SimplicialLevels(Levels):
    """The levels of a mesh's complex, with the log of reversals."""

    def __init__(
        self,
        raw: SimplicialPairing,
        paths: Callable[[], PathGraph],
        graph: ComplexGraph,
        hierarchy: Hierarchy,
    ):
        """`paths` gives the V-paths between the saddles of the raw complex."""
        super().__init__(raw.session, graph, hierarchy)
        self.raw, self._paths = raw, paths

    def extremum_codes_at(self, event: int) -> Codes:
        """Codes, in new arrays, with the paths of extrema reversed that are canceled by then."""
        raw, session, d = self.raw, self.session, self.raw.dimension
        session.memory.require(
            sum(codes.nbytes for codes in raw.codes_of), "the gradient of a level"
        )
        codes = tuple(codes.copy() for codes in raw.codes_of)
        mesh, edges = raw.simplices, raw.simplices.edge_ends
        falls = self.arcs_to_reverse("minimum", event)
        session.launch(
            "reverse_mesh_descents",
            *(falls.size, *edges, raw.up(0), raw.critical_of(1), falls, codes[0], codes[1]),
        )
        rises = self.arcs_to_reverse("maximum", event)
        session.launch(
            "reverse_mesh_ascents",
            *(rises.size, *mesh.trie, d, raw.codes_of[d], raw.sides),
            *(raw.critical_of(d - 1), rises, codes[d - 1], codes[d]),
        )
        return codes

    def with_saddle_paths_reversed(self, event: int, codes: Codes) -> Codes:
        """Codes, new where they change, with the canceled paths between saddles reversed."""
        n = self.hierarchy.saddle_events_at(event)
        if not n:
            return codes
        edges, faces = codes[1].copy(), codes[2].copy()
        model = (self._paths().triangles, self.raw.codes_of[2])
        self.replay("replay_path_turns", event, model, faces)
        rows = self.hierarchy.birth_row[self.hierarchy.saddle_events[:n] - 1]
        gone = self.session.upload(rows - self.raw.counts[0])
        edges[self.raw.critical_of(1)[gone]] = PAIRED_UP
        return codes[0], edges, faces, codes[3]
