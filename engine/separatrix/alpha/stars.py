"""Search for all simplices of an alpha complex, star by star; see kernels/alpha.

1. Grid: a counting sort assigns balls to cells of twice the largest radius.
2. Neighbors: each ball gets a row of the balls that it meets, which determine the workload.
3. Edges: pairs that are not too large (alpha optimization) and not dead (edge optimization).
4. Candidates: triangles of three edges, placed by prefix sums of their counts.
5. Clip: each triangle decides about itself and its two tetrahedra, first in floating point, then,
   if a sign is uncertain, in integers. Sizes follow.
6. Compaction: an edge or a vertex is in the complex if it is Gabriel or has a coface. Prefix sums
   assign a row to each simplex, and the tables are filled.

Only the neighbors of a ball are inspected: O(sum of m_i^2) for m_i neighbors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..csr import CSR
from ..device.arrays import to_host
from ..device.base import Array
from ..device.cuda import CudaDevice
from ..device.session import Session
from ..errors import InputError, duration
from ..kernels.source import constant
from ..primitives import exclusive_scan
from .balls import Balls
from .tables import SimplexTable, Tables, new_tables

STAGES = {
    "grid": 1.0,
    "neighbors": 3.0,
    "edges": 4.0,
    "candidates": 2.0,
    "clip": 8.0,
    "compaction": 4.0,
}
"""Stages of a search with their estimated shares of the time."""
CELLS_PER_BALL = 8  # maximum on average, because outliers would enlarge the grid
BYTES_PER_SLOT, BYTES_PER_CANDIDATE = 60, 62
TESTS_PER_SECOND = {"host": 2e8, "gpu": 1e11}  # rough, for the estimate in an error
SMALL_BYTES = 1 << 28
MAX_ROWS = 2**31 - 1
NO_SIZE = ~np.uint64(0)


@dataclass(frozen=True)
class Options:
    """Options of the search. The optimizations affect the time but not the result."""

    work_limit: float
    edge_optimization: bool = True
    alpha_optimization: bool = True

    @property
    def flags(self) -> int:
        """Flags for kernels/alpha/dead_edges.h."""
        dead, large = constant("DROP_DEAD_EDGES"), constant("DROP_LARGE")
        return dead * self.edge_optimization + large * self.alpha_optimization


@dataclass(frozen=True)
class Cells:
    """Balls sorted by cell: grid as in spatial/neighbors.h, items, ids, and cell offsets."""

    grid: tuple[int, ...]
    items: Array
    ids: Array
    offsets: Array


@dataclass(frozen=True)
class Rows(CSR):
    """Rows of balls: ``items`` (m,) int32, and ``row_of`` (m,) int32, the row of each.

    ``spokes`` (m, 4) int32 lead from the ball of the row to the item; see kernels/alpha/spokes.h.
    """

    row_of: Array
    spokes: Array

    @property
    def ends(self) -> tuple[Array, Array, Array]:
        """Offsets of the rows, and both balls of each item."""
        return self.offsets, self.row_of, self.items


@dataclass(frozen=True)
class Edges:
    """Edges in both directions, by ball, with their properties and whether cofaces exist.

    On a GPU, the arrays are longer than the rows, because the number of rows is not copied back.
    """

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
class Candidates:
    """Candidate triangles by slot of the first edge; ``sides`` (m, 3) are the slots of all."""

    offsets: Array
    sides: Array


@dataclass(frozen=True)
class Workload:
    """Number of intersecting pairs, most neighbors of a ball, and sum of squared counts."""

    n_pairs: int
    most_neighbors: int
    n_tests: int


@dataclass(frozen=True)
class Search:
    """Tables, the memory block that contains them, and the sources of the statistics.

    There are no block, edges, and candidates if the tables are from a triangulation.
    """

    tables: Tables
    block: Array | None
    workload: Workload
    edge_offsets: Array | None
    candidate_states: Array | None
    summary: Array


class TooMuchWork(InputError):
    """The estimated `workload` exceeds the work limit."""

    workload: Workload


def find_simplices(session: Session, balls: Balls, options: Options) -> Search:
    """Return the tables of the alpha complex of the balls."""
    if not balls.n_left:
        tables, block = new_tables(session.device.empty, (0, 0, 0, 0))
        none = session.device.zeros(1, np.int64)
        return Search(tables, block, Workload(0, 0, 0), none, none[:0], balls.summary)
    with session.stage("grid"):
        cells = _sort_into_cells(session, balls)
    with session.stage("neighbors"):
        near, is_gabriel, workload = _list_neighbors(session, balls, cells, options)
    with session.stage("edges"):
        edges = _list_edges(session, balls, near, options)
    with session.stage("candidates"):
        candidates = _list_candidates(session, len(balls.items), edges)
    with session.stage("clip"):
        found = _clip(session, balls, near, is_gabriel, edges, candidates, options)
    with session.stage("compaction"):
        tables, block = _compact(session, balls, is_gabriel, edges, candidates, found)
    return Search(tables, block, workload, edges.rows.offsets, found[0], balls.summary)


def _sort_into_cells(session: Session, balls: Balls) -> Cells:
    """Sort balls into cells of size D or more, so that 27 cells contain all neighbors of a ball."""
    edge = max(balls.reach, 1)
    extent = [high - low for low, high in zip(balls.lowest, balls.highest, strict=True)]
    while math.prod(length // edge + 1 for length in extent) > CELLS_PER_BALL * balls.n_left + 27:
        edge += edge // 4 + 1
    n_cells = [length // edge + 1 for length in extent]
    grid = (*balls.lowest, edge, *n_cells)
    n_in_cell = session.device.zeros(math.prod(n_cells), np.int64)
    cell_of, unordered, ids = (
        session.device.empty(m, np.int32) for m in (len(balls.items), balls.n_left, balls.n_left)
    )
    items = session.device.empty((balls.n_left, 4), np.int32)
    session.launch("enter_cells", len(balls.items), grid, balls.items, cell_of, n_in_cell)
    offsets = exclusive_scan(n_in_cell)
    session.launch("fill_cells", len(balls.items), cell_of, offsets, n_in_cell, unordered)
    session.launch(
        "order_cells", balls.n_left, balls.items, cell_of, offsets, unordered, items, ids
    )
    return Cells(grid, items, ids, offsets)


def _list_neighbors(
    session: Session, balls: Balls, cells: Cells, options: Options
) -> tuple[Rows, Array, Workload]:
    """Return the neighbors of each ball, and which balls are Gabriel vertices."""
    sorted_balls = (cells.items, cells.ids, cells.offsets)
    n_neighbors = session.device.zeros(len(balls.items), np.int32)
    session.launch(
        "count_neighbors", balls.n_left, cells.grid, *sorted_balls, n_neighbors, balls.summary
    )
    offsets = exclusive_scan(n_neighbors)
    workload = _checked_workload(session, balls, options)
    near = _empty_rows(session, offsets, 2 * workload.n_pairs)
    is_gabriel = session.device.zeros(len(balls.items), np.uint8)
    listed = (cells.grid, balls.items, *sorted_balls, *near.ends, near.spokes, is_gabriel)
    if isinstance(session.device, CudaDevice):
        n_blocks = -(-balls.n_left // constant("WARPS_OF_BALLS"))
        session.device.launch_blocks("list_neighbors_by_warp", n_blocks, balls.n_left, *listed)
    else:
        session.launch("list_neighbors", balls.n_left, *listed)
    return near, is_gabriel, workload


def _empty_rows(session: Session, offsets: Array, n_items: int) -> Rows:
    empty = session.device.empty
    row_of, items = (empty(n_items, np.int32) for _ in range(2))
    return Rows(offsets, items, row_of, empty((n_items, 4), np.int32))


def _checked_workload(session: Session, balls: Balls, options: Options) -> Workload:
    """Return the workload. Raises TooMuchWork if it exceeds the limit."""
    found = to_host(balls.summary)
    n_sums = constant("N_PARTIAL_SUMS")
    n_slots, n_tests = (
        int(found[constant(name) :][:n_sums].sum()) for name in ("N_NEIGHBORS", "N_TESTS")
    )
    workload = Workload(n_slots // 2, int(found[constant("MOST_MEETING")]), n_tests)
    if n_tests <= options.work_limit and n_slots <= MAX_ROWS:
        _require(session, BYTES_PER_SLOT * n_slots, "the search for edges")
        return workload
    speed = session.device.launch_form(**TESTS_PER_SECOND)
    error = TooMuchWork(
        f"The estimated number of tests is {n_tests:,} (about {duration(n_tests / speed)}), because"
        f" balls meet {n_slots / balls.n_left:,.0f} others on average and up to "
        f"{workload.most_neighbors:,}; {{work_limit}} allows {options.work_limit:g} tests and "
        f"{MAX_ROWS:,} neighbors. Choose a smaller {{alpha}} or {{probe}}, keep one model and one "
        "alternate location per atom, raise {work_limit}, or set {fallback='gudhi'}."
    )
    error.workload = workload
    raise error


def _require(session: Session, needed: int, what: str) -> None:
    """Require memory, unless so little that it always fits, since the query takes time."""
    if needed > SMALL_BYTES or session.memory.limit is not None:
        session.memory.require(needed, what, "choose a smaller {alpha} or {probe}", look_from=0)


def _list_edges(session: Session, balls: Balls, near: Rows, options: Options) -> Edges:
    n_slots = len(near.items)
    flags = session.device.empty(n_slots, np.uint8)
    n_edges_of = session.device.zeros(len(balls.items), np.int64)
    session.launch(
        "test_edges", n_slots, balls.items, *near.ends, near.spokes, options.flags,
        balls.sign_errors, flags, n_edges_of, balls.summary,
    )  # fmt: skip
    offsets = exclusive_scan(n_edges_of)
    n_edges = session.device.known_count(offsets[-1:], at_most=n_slots)
    rows = _empty_rows(session, offsets, n_edges)
    is_gabriel, has_coface, is_open = (session.device.empty(n_edges, np.uint8) for _ in range(3))
    size = session.device.empty(n_edges, np.uint64)
    edges = Edges(rows, is_gabriel, size, has_coface, is_open)
    session.launch(
        "list_edges", n_slots, *near.ends, near.spokes, flags, *rows.ends, rows.spokes,
        is_gabriel, size, has_coface, is_open,
    )  # fmt: skip
    return edges


def _list_candidates(session: Session, n_balls: int, edges: Edges) -> Candidates:
    n_slots = len(edges.size)
    n_triangles_of = session.device.empty(n_slots, np.int32)
    session.launch("count_triangles", n_slots, n_balls, *edges.rows.ends, n_triangles_of)
    offsets = exclusive_scan(n_triangles_of)
    n_candidates = int(offsets[-1])
    _require(session, BYTES_PER_CANDIDATE * n_candidates, "the list of candidate triangles")
    sides = session.device.empty((n_candidates, 3), np.int32)
    session.launch("list_triangles", n_slots, *edges.rows.ends, offsets, sides)
    return Candidates(offsets, sides)


def _clip(
    session: Session,
    balls: Balls,
    near: Rows,
    is_gabriel: Array,
    edges: Edges,
    candidates: Candidates,
    options: Options,
) -> tuple[Array, ...]:
    """Return, per candidate: state, kept simplices, size, ends and sizes of tetrahedra."""
    n = len(candidates.sides)
    state, bounds = session.device.empty(n, np.uint8), session.device.empty((n, 2), np.int32)
    undecided = session.device.empty(n, np.int32)
    n_undecided = balls.summary[constant("N_UNDECIDED") :][:1]
    clipped_with = (
        candidates.sides, balls.items, near.offsets, near.items, near.spokes, is_gabriel,
        *edges.rows.ends, edges.rows.spokes, options.flags, balls.sign_errors, state, bounds,
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
        "measure_triangles", n, candidates.sides, balls.items, state, *edges.arrays,
        *balls.measure, n_kept[n_before:], size, bounds, tet_size,
    )  # fmt: skip
    return state, n_kept, size, bounds, tet_size


def _compact(
    session: Session,
    balls: Balls,
    is_gabriel: Array,
    edges: Edges,
    candidates: Candidates,
    found: tuple[Array, ...],
) -> tuple[Tables, Array]:
    """Write all simplices of the complex to their rows."""
    xp, n, n_slots = session.device.xp, len(balls.items), len(edges.size)
    has_coface, is_open = session.device.zeros((2, n), np.uint8)
    vertices = (is_gabriel, xp.full(n, NO_SIZE, np.uint64), has_coface, is_open)
    n_kept = found[1]
    session.launch(
        "settle_edges", n_slots, n, balls.items, *edges.arrays, *balls.measure, *vertices,
        n_kept[n : n + n_slots],
    )  # fmt: skip
    session.launch("settle_vertices", n, balls.items, *balls.measure, *vertices[:2], n_kept[:n])
    scan = exclusive_scan(n_kept)
    vertex_at, edge_at, kept_at = scan[: n + 1], scan[n : n + n_slots + 1], scan[n + n_slots :]
    sums = to_host(xp.concatenate([at[-1:] for at in (vertex_at, edge_at, kept_at)])).tolist()
    n_triangles, n_tets = (sums[2] - sums[1]) & 0xFFFFFFFF, (sums[2] - sums[1]) >> 32
    counts = (sums[0], sums[1] - sums[0], n_triangles, n_tets)
    tables, block = new_tables(session.device.empty, counts)
    (points, lines, triangles, tets), facets = map(_columns, tables.simplices), tables.facets
    session.launch("fill_vertices", n, vertex_at, *vertices, *points)
    session.launch("fill_edges", n_slots, vertex_at, edge_at, *edges.arrays, *lines, facets[1])
    session.launch(
        "fill_triangles", len(candidates.sides), edges.rows.row_of, edges.rows.items,
        candidates.offsets, candidates.sides, kept_at, edge_at, found[0],
        n_kept[n + n_slots :], *found[2:], *triangles, facets[2],
        *tets, facets[3],
    )  # fmt: skip
    return tables, block


def _columns(table: SimplexTable) -> tuple[Array, ...]:
    gabriel = table.is_gabriel.view(np.uint8)
    return table.simplices, table.alpha_value, gabriel, table.kind
