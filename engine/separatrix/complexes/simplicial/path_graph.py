"""V-paths between the saddles of a tetrahedral mesh as a graph, and its minor of junctions.

Memory: O(F) bits, plus an amount proportional to the number of triangles on V-paths. Subhash,
Pandey, Natarajan 2020, sections 3.2 and 3.3; kernels/simplicial/paths.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...device import Array, Session, to_host
from ...morse.connectors.minor import Minor, check_width, spread_marks
from ...morse.model import SaddlePaths
from ...primitives import compact, exclusive_scan, filled_rows, find_keys, shifted
from .pairing import SimplicialPairing

BACKWARD = ("mark_nodes_from_sinks", "mark_nodes_from_queue", "mark_nodes_again")
NODE_BYTES = 44  # triangle, edge, three below, two above, counts, the minor
WIDTH = 3  # facets of a node
LEAST_QUEUE, QUEUE_SHARE = 1 << 16, 32  # capacity: one per QUEUE_SHARE triangles


@dataclass(frozen=True)
class PathGraph:
    """V-paths between saddles on the device: n nodes, and terminals n + k for the k-th 1-saddle."""

    triangles: Array  # (n,) int32, mesh ids of the nodes, ascending
    own_edge: Array  # (n,) int32, mesh ids of the edges they are paired with; -1 for 2-saddles
    below: Array  # (n, 3) int32, where V-paths continue through each facet; -1 if they lead nowhere
    above_offsets: Array  # (n + c1 + 1,) int64
    above: Array  # int32, nodes from which V-paths lead to each node or terminal, ascending
    sources: Array  # (c2,) int32, nodes of the 2-saddles
    sink_edges: Array  # (c1,) int32, mesh edges of the 1-saddles

    @property
    def n_nodes(self) -> int:
        """Number of triangles on V-paths from 2-saddles, which are included."""
        return int(self.triangles.size)

    @property
    def links(self) -> tuple[Any, ...]:
        """Arguments of kernels: below, above_offsets, above, own_edge, n_nodes."""
        return self.below, self.above_offsets, self.above, self.own_edge, self.n_nodes


def build_path_graph(pairing: SimplicialPairing) -> PathGraph:
    """Return the V-paths between the saddles of a gradient."""
    session, up = pairing.session, pairing.up(1)
    kernels, trie = pairing.path_steps
    uppers, lowers = pairing.critical_of(2), pairing.critical_of(1)
    device, n_triangles = session.device, pairing.codes_of[2].size
    marks = device.zeros(-(-n_triangles // 32), np.uint32)
    capacity = queue_for(n_triangles)
    spread_marks(session, kernels[:3], (*trie, up), uppers, marks, n_triangles, capacity)
    session.launch("set_bits", uppers.size, uppers, marks)
    count = device.empty(marks.size, np.int32)
    session.launch("count_bits", marks.size, marks, count)
    first = exclusive_scan(count)
    n, n_sinks = int(first[-1]), lowers.size
    check_width(n + n_sinks + 1, "triangles on V-paths from 2-saddles")
    session.memory.require(NODE_BYTES * n, f"connecting saddles by {n:,} triangles")
    triangles, own_edge = device.empty(n, np.int32), device.empty(n, np.int32)
    below = device.empty((n, 3), np.int32)
    session.launch("list_bits", marks.size, marks, first, triangles)
    where = (up, pairing.codes_of[1], marks, first, lowers, n_sinks, n)
    session.launch(kernels[3], n, *trie, *where, triangles, below, own_edge)
    sources = find_keys(session, triangles, device.numbers(n, np.int64), uppers)
    offsets, above = filled_rows(session, ("count_above", "fill_above"), n, n + n_sinks, below)
    session.launch("sort_above", n + n_sinks, offsets, above)
    alive = device.zeros(-(-max(n, 1) // 32), np.uint32)
    sinks = device.numbers(n_sinks, np.int32, n)
    spread_marks(session, BACKWARD, (offsets, above), sinks, alive, n, queue_for(n))
    session.launch("prune_path_nodes", n, alive, n, below)
    return PathGraph(triangles, own_edge, below, offsets, above, sources, lowers)


def queue_for(n: int) -> int:
    """Return the capacity of the queue for walks over n simplices."""
    return max(LEAST_QUEUE, n // QUEUE_SHARE)


def contract_paths(session: Session, paths: PathGraph) -> Minor:
    """Return the minor: the ends of the chains from the 2-saddles and from the junctions."""
    device, n, n_sinks = session.device, paths.n_nodes, int(paths.sink_edges.size)
    slots, is_junction = device.empty(n, np.int32), device.empty(n, np.uint8)
    session.launch("link_slots", n, paths.below, n, paths.own_edge, slots, is_junction)
    junctions = compact(is_junction)
    session.launch("name_junctions", junctions.size, junctions, n_sinks, slots)
    session.launch("pointer_jump", n, slots)
    found = []
    for nodes, width in ((shifted(paths.sources), 4), (junctions, 3)):
        terminals = device.empty((nodes.size, width), np.int32)
        session.launch(
            "follow_path_nodes", nodes.size, paths.below, n, slots, nodes, width, terminals
        )
        found.append(terminals)
    return Minor(found[0], found[1], n_sinks, n)


def saddle_paths_of(pairing: SimplicialPairing, paths: PathGraph) -> SaddlePaths:
    """Return the graph on the host, with ranks of the highest vertices of nodes and edges."""
    xp, rank, n_sinks = pairing.session.device.xp, pairing.field.rank, paths.sink_edges.size
    heights = (
        rank[pairing.corners_of(index, ids)].max(axis=1)
        for index, ids in ((2, paths.triangles), (1, paths.sink_edges))
    )
    height = np.array(to_host(xp.concatenate(list(heights)).astype(np.int32)))
    *links, n = paths.links
    below, offsets, above, own_edge = map(to_host, links)
    paired = np.where(own_edge >= 0, np.arange(n, dtype=np.int32), np.int32(-1))
    square_at = np.concatenate([paired, np.full(n_sinks, -1, np.int32)])
    upper = to_host(paths.sources).astype(np.int64)
    lower = np.arange(n, n + n_sinks, dtype=np.int64)
    model = (WIDTH, below, offsets, above, own_edge, n, square_at, paired, height)
    return SaddlePaths("cancel_path_saddles", model, upper, lower)
