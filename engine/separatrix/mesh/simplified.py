"""The gradient of a mesh's complex after any number of cancellations; see morse/levels.py.

It is the raw one with V-paths reversed: those of cancelled extrema all at once, those between
saddles by a log of which triangle turns to which of its edges, written once on the graph of V-paths
and read at any event. R. Forman, "Morse theory for cell complexes", Advances in Mathematics 134,
1998, section 11.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..device import to_host
from ..device.base import Array
from ..errors import KernelError
from ..morse.graph import ComplexGraph
from ..morse.hierarchy import Hierarchy
from ..morse.levels import Levels
from .flow import MeshFlow, trie_of
from .gradient import PAIRED_UP, Codes, MeshGradient

CHUNK_PAIRS = 4096  # saddle pairs reversed between two chances to cancel


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
        super().__init__(raw.work, graph, hierarchy)
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
        """Codes, in new arrays, with the paths of extrema reversed that are cancelled by then."""
        raw, work, d = self.raw, self.work, self.raw.dimension
        work.require(sum(codes.nbytes for codes in raw.codes), "the gradient of a level")
        codes = tuple(codes.copy() for codes in raw.codes)
        mesh = raw.simplices
        edges = (mesh.edge_lower, mesh.edge_upper)
        falls = self.arcs_to_reverse("minimum", event)
        work.launch(
            "reverse_mesh_descents",
            *(falls.size, *edges, raw.up(0), raw.ids_of(1), falls, codes[0], codes[1]),
        )
        rises = self.arcs_to_reverse("maximum", event)
        work.launch(
            "reverse_mesh_ascents",
            *(rises.size, *trie_of(mesh), d, raw.codes[d], raw.sides),
            *(raw.ids_of(d - 1), rises, codes[d - 1], codes[d]),
        )
        return codes

    def turn_saddle_paths(self, event: int, codes: Codes) -> None:
        """Reverse, in `codes`, the paths between saddles that are cancelled by an event."""
        if self.raw.dimension < 3 or not self.hierarchy.saddle_events.size:
            return
        triangles, turned = map(self.work.upload, self.turns().at(event))
        codes[2][triangles] = turned
        gone = self.hierarchy.saddle_lower[self.hierarchy.saddle_events <= event]
        codes[1][self.raw.ids_of(1)[self.work.upload(gone)]] = PAIRED_UP


class LevelFlow(MeshFlow):
    """The V-paths of a complex after cancellations; its codes are made when they are asked for."""

    def __init__(self, levels: MeshLevels, event: int):
        raw = levels.raw
        self._levels, self._event = levels, event
        self.mesh, self.work = raw.mesh, raw.work
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
        codes = self.extremum_codes
        self._levels.turn_saddle_paths(self._event, codes)
        return codes

    @cached_property
    def gradient(self) -> MeshGradient:
        """The pairing of the simplices."""
        with self.work.call(None, {}):
            mesh = self.simplices
            return MeshGradient(self.work, mesh, self.points, self.values, self.codes)

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
    work, event = raw.work, hierarchy.saddle_events
    *paths, upper, lower = raw.paths.on_host()
    uppers, lowers = upper[hierarchy.saddle_upper], lower[hierarchy.saddle_lower]
    nodes: list[np.ndarray] = [np.empty(0, np.int32)]
    edges: list[np.ndarray] = [np.empty(0, np.int32)]
    events: list[np.ndarray] = [np.empty(0, np.uint32)]
    at, room = 0, 64 * CHUNK_PAIRS
    where = np.empty(CHUNK_PAIRS + 1, np.int64)
    while at < event.size:
        end = min(at + CHUNK_PAIRS, event.size)
        turned, towards = np.empty(room, np.int32), np.empty(room, np.int32)
        place = (uppers, lowers, at, end, room, turned, towards, where)
        n_done = work.host.run("log_path_turns", *paths, *place)
        if n_done < 0:
            raise KernelError("a pair of saddles to be cancelled is joined by no V-path")
        if not n_done:
            room *= 4
            continue
        n_turns = int(where[n_done])
        nodes.append(turned[:n_turns].copy())
        edges.append(towards[:n_turns].copy())
        lengths = np.diff(where[: n_done + 1])
        events.append(np.repeat(event[at : at + n_done].astype(np.uint32), lengths))
        at += n_done
        if done is not None:
            done(at / event.size)
    all_nodes, all_edges, all_events = (np.concatenate(some) for some in (nodes, edges, events))
    below, triangles = paths[0], to_host(raw.paths.triangles)
    own = to_host(raw.codes[2])[triangles[all_nodes]]
    number = np.argmax(below[all_nodes] == all_edges[:, None], axis=1).astype(np.uint8)
    codes = np.where(all_edges == all_nodes, own, number)
    order = np.lexsort((all_events, all_nodes))
    return MeshTurns(triangles[all_nodes[order]], all_events[order], codes[order])
