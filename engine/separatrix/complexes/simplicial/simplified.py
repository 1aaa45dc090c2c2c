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
from ...device.base import Array
from ...lazy import cached_property
from ...morse.graph import ComplexGraph
from ...morse.hierarchy import Hierarchy
from ...morse.levels import Levels
from ...morse.reversal_log import log_turns
from .flow import MeshFlow, trie_of
from .gradient import PAIRED_UP, Codes, MeshGradient


@dataclass(frozen=True)
class MeshTurns:
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


class MeshLevels(Levels):
    """The levels of a mesh's complex, with the log of turns."""

    def __init__(self, raw: MeshFlow, graph: ComplexGraph, hierarchy: Hierarchy):
        super().__init__(raw.session, graph, hierarchy)
        self.raw = raw
        self._turns: MeshTurns | None = None

    @property
    def has_turns(self) -> bool:
        """Whether the log is there."""
        return self._turns is not None

    def log_turns(self, done: Callable[[float], None] | None = None) -> None:
        """Write the log; `done` hears of the part written."""
        if self._turns is None:
            self._turns = _log_of_turns(self.raw, self.hierarchy, done)

    def turns(self) -> MeshTurns:
        """The log of all cancellations of two saddles, written when first asked for."""
        self.log_turns()
        assert self._turns is not None
        return self._turns

    def flow_at(self, event: int) -> LevelFlow:
        """The V-paths after `event` cancellations. O(critical simplices); codes come later."""
        return LevelFlow(self, event)

    def extremum_codes_at(self, event: int) -> Codes:
        """Codes, in new arrays, with the paths of extrema reversed that are canceled by then."""
        raw, session, d = self.raw, self.session, self.raw.dimension
        session.memory.require(sum(codes.nbytes for codes in raw.codes), "the gradient of a level")
        codes = tuple(codes.copy() for codes in raw.codes)
        mesh = raw.simplices
        edges = (mesh.edge_lower, mesh.edge_upper)
        falls = self.arcs_to_reverse("minimum", event)
        session.launch(
            "reverse_mesh_descents",
            *(falls.size, *edges, raw.up(0), raw.ids_of(1), falls, codes[0], codes[1]),
        )
        rises = self.arcs_to_reverse("maximum", event)
        session.launch(
            "reverse_mesh_ascents",
            *(rises.size, *trie_of(mesh), d, raw.codes[d], raw.sides),
            *(raw.ids_of(d - 1), rises, codes[d - 1], codes[d]),
        )
        return codes

    def with_saddle_paths_turned(self, event: int, codes: Codes) -> Codes:
        """Codes, new where they change, with the canceled paths between saddles reversed."""
        if self.raw.dimension < 3 or not self.hierarchy.saddle_events.size:
            return codes
        edges, faces = codes[1].copy(), codes[2].copy()
        triangles, turned = map(self.session.upload, self.turns().at(event))
        faces[triangles] = turned
        gone = self.hierarchy.saddle_lower[self.hierarchy.saddle_events <= event]
        edges[self.raw.ids_of(1)[self.session.upload(gone)]] = PAIRED_UP
        return codes[0], edges, faces, codes[3]


class LevelFlow(MeshFlow):
    """The V-paths of a complex after cancellations; its codes are made when they are asked for."""

    def __init__(self, levels: MeshLevels, event: int):
        raw = levels.raw
        self._levels, self._event = levels, event
        self.mesh, self.session = raw.mesh, raw.session
        self.points, self.values = raw.points, raw.values
        self.counts = levels.counts_at(event)
        self._alive = levels.dead > event
        self.critical_ids = raw.critical_ids[self._alive]

    @cached_property
    def extremum_codes(self) -> Codes:
        """Codes (n_d,) uint8 of all simplices; those between saddles may be as in the raw one."""
        return self._levels.extremum_codes_at(self._event)

    @cached_property
    def codes(self) -> Codes:
        """Codes (n_d,) uint8 of all simplices, by dimension."""
        return self._levels.with_saddle_paths_turned(self._event, self.extremum_codes)

    @cached_property
    def gradient(self) -> MeshGradient:
        """The pairing of the simplices."""
        with self.session.call(None, {}):
            mesh = self.simplices
            return MeshGradient(self.session, mesh, self.points, self.values, self.codes)

    @cached_property
    def sides(self) -> Array:
        """Top simplices (n, 2) int32 on the two sides of each facet."""
        return self._levels.raw.sides

    @cached_property
    def cell_ids(self) -> Array:
        """Critical simplices (k,) int64 as users name them."""
        return self._levels.raw.cell_ids[self._alive]

    @cached_property
    def owner_vertices(self) -> Array:
        """User's point (k,) int32 that is the highest corner of each critical simplex."""
        return self._levels.raw.owner_vertices[self._alive]


def _log_of_turns(
    raw: MeshFlow, hierarchy: Hierarchy, done: Callable[[float], None] | None
) -> MeshTurns:
    """All cancellations of two saddles, replayed on a copy of the graph on the host."""
    *paths, upper, lower = raw.paths.on_host()
    model = (*paths, upper[hierarchy.saddle_upper], lower[hierarchy.saddle_lower])
    events, dtypes = hierarchy.saddle_events, (np.int32, np.int32)
    nodes, edges, events = log_turns(raw.session, "log_path_turns", model, events, dtypes, done)
    below, triangles = paths[0], to_host(raw.paths.triangles)
    own = to_host(raw.codes[2])[triangles[nodes]]
    number = np.argmax(below[nodes] == edges[:, None], axis=1).astype(np.uint8)
    codes = np.where(edges == nodes, own, number)
    order = np.lexsort((events, nodes))
    return MeshTurns(triangles[nodes[order]], events[order], codes[order])
