"""The gradient of a mesh's complex after any number of cancellations; see morse/levels.py.

It is the raw one with V-paths reversed: those of canceled extrema all at once, those between
saddles by a log of which triangle turns to which of its edges, written once on the graph of V-paths
and read at any event. R. Forman, "Morse theory for cell complexes", Advances in Mathematics 134,
1998, section 11.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...device import to_host
from ...morse.graph import ComplexGraph
from ...morse.hierarchy import Hierarchy
from ...morse.levels import Levels
from ...morse.reversal_log import log_reversals
from .lower_star import PAIRED_UP, Codes
from .pairing import SimplicialPairing
from .path_graph import PathGraph


@dataclass(frozen=True)
class Reversals:
    """Triangles whose partner edge changes, sorted by (triangle, event), in host memory.

    ``triangles`` (t,) int32, ``events`` (t,) uint32, ``codes`` (t,) uint8, the new ones.
    """

    triangles: np.ndarray
    events: np.ndarray
    codes: np.ndarray

    def at(self, event: int) -> tuple[np.ndarray, np.ndarray]:
        """Triangles that are turned at an event, each once, and their codes."""
        past = np.flatnonzero(self.events <= event)
        triangles = self.triangles[past]
        last = past[np.append(triangles[1:] != triangles[:-1], True)[: past.size]]
        return self.triangles[last], self.codes[last]


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
        self._log: Reversals | None = None

    @property
    def has_log(self) -> bool:
        """Whether the log is there."""
        return self._log is not None

    def write_log(self, done: Callable[[float], None] | None = None) -> None:
        """Write the log; `done` hears of the part written."""
        if self._log is None:
            self._log = _log_of_reversals(self.raw, self._paths(), self.hierarchy, done)

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
        if self.raw.dimension < 3 or not self.hierarchy.saddle_events.size:
            return codes
        edges, faces = codes[1].copy(), codes[2].copy()
        self.write_log()
        assert self._log is not None
        triangles, turned = map(self.session.upload, self._log.at(event))
        faces[triangles] = turned
        gone = self.hierarchy.saddle_lower[self.hierarchy.saddle_events <= event]
        edges[self.raw.critical_of(1)[self.session.upload(gone)]] = PAIRED_UP
        return codes[0], edges, faces, codes[3]


def _log_of_reversals(
    raw: SimplicialPairing,
    paths: PathGraph,
    hierarchy: Hierarchy,
    done: Callable[[float], None] | None,
) -> Reversals:
    """All cancellations of two saddles, replayed on a copy of the graph on the host."""
    *links, upper, lower = paths.on_host()
    model = (*links, upper[hierarchy.saddle_upper], lower[hierarchy.saddle_lower])
    events, dtypes = hierarchy.saddle_events, (np.int32, np.int32)
    nodes, edges, events = log_reversals(raw.session, "log_path_turns", model, events, dtypes, done)
    below, triangles = links[0], to_host(paths.triangles)
    own = to_host(raw.codes_of[2])[triangles[nodes]]
    number = np.argmax(below[nodes] == edges[:, None], axis=1).astype(np.uint8)
    codes = np.where(edges == nodes, own, number)
    order = np.lexsort((events, nodes))
    return Reversals(triangles[nodes[order]], events[order], codes[order])
