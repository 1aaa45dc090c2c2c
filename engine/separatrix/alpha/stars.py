"""Search for all simplices of an alpha complex, star by star; see kernels/alpha.

1. Neighbors: a counting sort assigns balls to cells, and each ball gets a row of those it meets.
2. Edges: pairs that are not too large (alpha optimization) and not dead (edge optimization).
3. Candidates: triangles of three edges, placed by prefix sums of their counts.
4. Clip: each triangle decides about itself and its two tetrahedra, first in floating point, then,
   if a sign is uncertain, in integers. Sizes follow.
5. Compaction: an edge or a vertex is in the complex if it is Gabriel or has a coface.

Only the neighbors of a ball are inspected: O(sum of m_i^2) for m_i neighbors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device import Array, CudaDevice, Session, to_host
from ..kernels.source import constant
from ..primitives import exclusive_scan
from .balls import Balls
from .neighbors import (
    Rows,
    TooMuchWork,
    Workload,
    count_neighbors,
    empty_rows,
    list_neighbors,
    require_memory,
    sort_into_cells,
    total_of,
)
from .request import Request
from .stars_at_once import MOST_BALLS, MOST_SLOTS, count_at_once, search_at_once
from .tables import Tables, new_tables, starts_in_block
from .triangulation import triangulated

STAGES = {
    "grid": 1.0,
    "neighbors": 3.0,
    "edges": 4.0,
    "candidates": 2.0,
    "clip": 8.0,
    "compaction": 4.0,
}
"""Stages of a search with their estimated shares of the time."""
BYTES_PER_CANDIDATE = 62
MOST_TESTS = {"host": 1e5, "gpu": 1e6}
"""Tests per ball on average from which the complete triangulation is faster."""


@dataclass(frozen=True)
class Edges:
    """Edges in both directions, by ball; on a GPU, arrays are longer than the rows."""

    rows: Rows
    is_gabriel: Array
    size: Array
    has_coface: Array
    is_open: Array

    @property
    def arrays(self) -> tuple[Array, ...]:
        """All arrays in the order of the kernels' parameters."""
        known = (self.is_gabriel, self.size, self.has_coface, self.is_open)
        return (*self.rows.ends, self.rows.spokes, *known)


@dataclass(frozen=True)
class Search:
    """Tables, the block that contains them, if any, and the sources of the statistics."""

    tables: Tables
    block: Array | None
    workload: Workload | None = None
    edge_offsets: Array | None = None
    candidate_states: Array | None = None

    def statistics(self, balls: Balls) -> dict[str, int]:
        """Return the counts that AlphaComplex.statistics describes."""
        if self.workload is None:
            return {"balls": balls.n_left}
        counted = {
            "balls": balls.n_left,
            "pairs": self.workload.n_pairs,
            "most_neighbors": self.workload.most_neighbors,
            "tests_estimated": self.workload.n_tests,
        }
        if self.block is None:
            return counted
        summary = to_host(balls.summary)
        if self.edge_offsets is None or self.candidate_states is None:
            numbers = [int(summary[constant(name)]) for name in ("N_EDGE_SLOTS", "N_CANDIDATES")]
            n_small = total_of(summary, "N_SMALL_ENOUGH")
        else:
            numbers = [int(self.edge_offsets[-1]), len(self.candidate_states)]
            n_small = int((self.candidate_states & constant("IS_SMALL_ENOUGH") != 0).sum())
        return counted | {
            "alive_pairs": numbers[0] // 2,
            "candidate_triangles": numbers[1],
            "small_candidate_triangles": n_small,
            "exact_edge_signs": total_of(summary, "N_EXACT_EDGE_SIGNS"),
            "undecided_triangles": int(summary[constant("N_UNDECIDED")]),
            "exact_clip_signs": total_of(summary, "N_EXACT_SIGNS"),
        }


def find_simplices(session: Session, balls: Balls, request: Request) -> Search:
    """Find the simplices star by star or, beyond a limit, in the complete triangulation.

    In a periodic box, the complete triangulation itself is returned, as no space is outside of it.
    """
    if balls.box is not None:
        return Search(triangulated(session, balls.at_any_alpha), None)
    if not balls.is_within_reach(balls.alpha):
        return Search(triangulated(session, balls), None)
    most = session.device.launch_form(**MOST_TESTS) * balls.n_left
    limit = {"auto": min(request.work_limit, most), "complete": 0.0}
    try:
        return _in_stars(session, balls, request, limit.get(request.method, request.work_limit))
    except TooMuchWork as error:
        if request.method == "local":
            raise
        return Search(triangulated(session, balls), None, error.workload)


def _in_stars(session: Session, balls: Balls, request: Request, limit: float) -> Search:
    if not balls.n_left:
        tables, block = new_tables(session.device.empty, (0, 0, 0, 0))
        none = session.device.zeros(1, np.int64)
        return Search(tables, block, Workload(0, 0, 0), none, none[:0])
    device = session.device
    if isinstance(device, CudaDevice) and len(balls.items) <= MOST_BALLS:
        with session.stage("grid"):
            counted = count_at_once(session, device, balls, limit)
        if 2 * counted.workload.n_pairs <= MOST_SLOTS:
            return Search(*search_at_once(session, device, balls, counted, request))
        cells, *near_rows = *counted.arrays(balls), counted.workload
    else:
        with session.stage("grid"):
            cells = sort_into_cells(session, balls)
            near_rows = [*count_neighbors(session, balls, cells, limit)]
    workload = near_rows[1]
    with session.stage("neighbors"):
        near, is_gabriel = list_neighbors(session, balls, cells, *near_rows)
    with session.stage("edges"):
        edges = _list_edges(session, balls, near, request)
    with session.stage("candidates"):
        offsets, sides = _list_candidates(session, len(balls.items), edges)
    with session.stage("clip"):
        found = _clip(session, balls, near, is_gabriel, edges, sides, request)
    with session.stage("compaction"):
        tables, block = _compact(session, balls, is_gabriel, edges, offsets, sides, found)
    return Search(tables, block, workload, edges.rows.offsets, found[0])


def _list_edges(session: Session, balls: Balls, near: Rows, request: Request) -> Edges:
    n_slots = len(near.items)
    flags = session.device.empty(n_slots, np.uint8)
    n_edges_of = session.device.zeros(len(balls.items), np.int64)
    session.launch(
        "test_edges", n_slots, balls.items, *near.ends, near.spokes, request.flags,
        balls.sign_errors, flags, n_edges_of, balls.summary,
    )  # fmt: skip
    offsets = exclusive_scan(n_edges_of)
    n_edges = session.device.known_count(offsets[-1:], at_most=n_slots)
    rows = empty_rows(session, offsets, n_edges)
    is_gabriel, has_coface, is_open = (session.device.empty(n_edges, np.uint8) for _ in range(3))
    size = session.device.empty(n_edges, np.uint64)
    edges = Edges(rows, is_gabriel, size, has_coface, is_open)
    session.launch(
        "list_edges", n_slots, *near.ends, near.spokes, flags, *rows.ends, rows.spokes,
        is_gabriel, size, has_coface, is_open,
    )  # fmt: skip
    return edges


def _list_candidates(session: Session, n_balls: int, edges: Edges) -> tuple[Array, Array]:
    """Return offsets by slot of the first edge, and the slots (m, 3) of all three edges."""
    n_slots = len(edges.size)
    n_triangles_of = session.device.empty(n_slots, np.int32)
    session.launch("count_triangles", n_slots, n_balls, *edges.rows.ends, n_triangles_of)
    offsets = exclusive_scan(n_triangles_of)
    n_candidates = int(offsets[-1])
    require_memory(session, BYTES_PER_CANDIDATE * n_candidates, "the list of candidate triangles")
    sides = session.device.empty((n_candidates, 3), np.int32)
    session.launch("list_triangles", n_slots, *edges.rows.ends, offsets, sides)
    return offsets, sides


def _clip(
    session: Session,
    balls: Balls,
    near: Rows,
    is_gabriel: Array,
    edges: Edges,
    sides: Array,
    request: Request,
) -> tuple[Array, ...]:
    """Return, per candidate: state, kept simplices, size, ends and sizes of tetrahedra."""
    n = len(sides)
    state, bounds = session.device.empty(n, np.uint8), session.device.empty((n, 2), np.int32)
    undecided = session.device.empty(n, np.int32)
    n_undecided = balls.summary[constant("N_UNDECIDED") :][:1]
    clipped_with = (
        sides, balls.items, near.offsets, near.items, near.spokes, is_gabriel,
        *edges.rows.ends, edges.rows.spokes, request.flags, balls.sign_errors, state, bounds,
    )  # fmt: skip
    session.launch("clip_triangles", n, *clipped_with, n_undecided, undecided)
    n_doubtful = session.device.known_count(n_undecided, at_most=n)
    session.launch(
        "decide_triangles", n_doubtful, n_undecided, undecided, *clipped_with, balls.summary
    )
    n_before = len(balls.items) + len(edges.size)  # vertices and edges, for a common scan
    n_kept = session.device.empty(n_before + n, np.int64)
    size, tet_size = session.device.empty(n, np.float64), session.device.empty((n, 2), np.float64)
    session.launch(
        "measure_triangles", n, sides, balls.items, state, *edges.arrays,
        *balls.measure, n_kept[n_before:], size, bounds, tet_size,
    )  # fmt: skip
    return state, n_kept, size, bounds, tet_size


def _compact(
    session: Session,
    balls: Balls,
    is_gabriel: Array,
    edges: Edges,
    offsets: Array,
    sides: Array,
    found: tuple[Array, ...],
) -> tuple[Tables, Array]:
    """Write all simplices of the complex to their rows."""
    n, n_slots = len(balls.items), len(edges.size)
    has_coface, is_open = session.device.zeros((2, n), np.uint8)
    vertices = (is_gabriel, session.device.unset(n, np.uint64), has_coface, is_open)
    n_kept = found[1]
    session.launch(
        "settle_edges", n_slots, n, balls.items, *edges.arrays, *balls.measure, *vertices,
        n_kept[n : n + n_slots],
    )  # fmt: skip
    session.launch("settle_vertices", n, balls.items, *balls.measure, *vertices[:2], n_kept[:n])
    scan, ends = exclusive_scan(n_kept), session.device.empty(3, np.int64)
    session.launch("take_ends", 3, n, n_slots, len(n_kept), scan, ends)
    sums = to_host(ends).tolist()
    n_triangles, n_tets = (sums[2] - sums[1]) & 0xFFFFFFFF, (sums[2] - sums[1]) >> 32
    counts = (sums[0], sums[1] - sums[0], n_triangles, n_tets)
    tables, block = new_tables(session.device.empty, counts)
    _, row_of, to, _, *known = edges.arrays
    session.launch(
        "fill_tables", len(n_kept), n, n_slots, scan, *vertices, row_of, to, *known, offsets, sides,
        found[0], *found[2:], starts_in_block(counts)[:-1], block, *tables.facets[1:],
    )  # fmt: skip
    return tables, block
