"""The squares on V-paths between saddles of a volume, contracted to a minor of junctions.

Memory is proportional to the marked squares: 0.2 per voxel on smooth data, 1.2 on noise. Subhash,
Pandey, Natarajan 2020, sections 3.2 and 3.3.
"""

from __future__ import annotations

import numpy as np

from ...device import Array, Session
from ...kernels import source
from ...morse.connectors.minor import Minor, check_width, spread_marks
from ...primitives import exclusive_scan
from .grid import Grid
from .pairing import CubicalPairing

MARK_BYTES = 4  # per voxel: a mark, two queues, counts
NODE_BYTES = 14  # per node: a slot; for junctions (on noise, half of the nodes), key and successors
REACHED, ON_PATH, REACHED_WITHIN = map(source.constant, ("REACHED", "ON_PATH", "REACHED_WITHIN"))
REACHED_MARKS = np.uint32(0x07070707)  # of the four vertices of a word
PATH_MARKS = REACHED_MARKS << np.uint32(ON_PATH)
WALKERS = ("mark_from_saddles", "mark_from_queue", "mark_again")


def contract(gradient: CubicalPairing) -> Minor:
    """Return the minor of a volume's gradient. Raises InputError beyond 2^31 terminals or nodes."""
    session, grid, words = gradient.session, gradient.grid, gradient.words
    saddles = gradient.critical_of(2), gradient.critical_of(1)
    session.memory.require(MARK_BYTES * grid.n_vertices, "connecting saddles")
    within = gradient.marks_before
    marks = mark_squares(session, grid, words, *saddles, within=within)
    minor = contract_paths(session, grid, words, *saddles, marks=marks)
    if not session.device.is_cuda:  # GPUs mark all squares in milliseconds
        if within is None:
            session.launch("mark_saddles", saddles[0].size, grid.extents, saddles[0], marks)
        gradient.marks = marks
    return minor


def contract_paths(
    session: Session,
    grid: Grid,
    words: Array,
    squares: Array,
    sinks: Array,
    *,
    marks: Array | None = None,
) -> Minor:
    """Return the minor of the V-paths from squares to the critical edges, ascending cell ids."""
    device = session.device
    marks, first_node, rows = list_nodes(session, grid, words, squares, sinks, marks)
    n_runs, n_nodes = first_node.size - 1, int(first_node[-1])
    count = device.empty(n_runs, np.int32)
    slots = device.empty(n_nodes, np.int32)
    places = (grid.extents, words, marks, first_node, sinks, rows)
    session.launch("link_nodes", n_runs, *places, slots, count)
    first_junction = exclusive_scan(count)
    n_junctions = int(first_junction[-1])
    check_width(sinks.size + n_junctions + 2, "1-saddles and junctions")
    keys = device.empty(n_junctions, np.int64)
    session.launch(
        "list_junctions", n_runs, marks, first_node, first_junction, sinks.size, slots, keys
    )
    session.launch("pointer_jump", n_nodes, slots)
    successors = device.empty((n_junctions, 3), np.int32)
    session.launch("follow_junctions", n_junctions, *places, slots, keys, successors)
    starts = device.empty((squares.size, 4), np.int32)
    session.launch("follow_sources", squares.size, *places, slots, squares, starts)
    return Minor(starts, successors, sinks.size, n_nodes)


def list_nodes(
    session: Session,
    grid: Grid,
    words: Array,
    squares: Array,
    sinks: Array,
    marks: Array | None = None,
) -> tuple[Array, Array, Array]:
    """Return the marks of squares on V-paths, and their numbers before each run of vertices.

    The last array contains the first of the sinks in each row of cells. Known marks are kept.
    """
    device, n = session.device, grid.n_vertices
    if marks is None:
        session.memory.require(MARK_BYTES * n, "connecting saddles")
        marks = mark_squares(session, grid, words, squares, sinks)
    n_runs = -(-n // source.constant("MARK_RUN"))
    count = device.empty(n_runs, np.int32)
    session.launch("count_nodes", n_runs, marks, count)
    first_node = exclusive_scan(count)
    n_nodes = int(first_node[-1])
    check_width(n_nodes, "squares on V-paths between saddles")
    session.memory.require(NODE_BYTES * n_nodes, f"connecting saddles by {n_nodes:,} squares")
    nz, ny, nx = grid.doubled_shape
    rows = device.empty(nz * ny + 1, np.int32)
    device.launch("begin_cells", rows.size, sinks, sinks.size, nx, rows)
    return marks, first_node, rows


def mark_squares(
    session: Session,
    grid: Grid,
    words: Array,
    uppers: Array,
    lowers: Array,
    *,
    within: Array | None = None,
) -> Array:
    """Mark squares on V-paths between saddles: (ceil(n / 16) * 4,) uint32, one byte per vertex.

    At a level, `within` are the marks of the raw complex, with those of its 2-saddles.
    """
    device, n = session.device, grid.n_vertices
    n_runs = -(-n // source.constant("MARK_RUN"))
    if within is None:
        marks = device.zeros(n_runs * source.constant("MARK_WORDS"), np.uint32)
    else:
        marks = within & PATH_MARKS
    ways = ((REACHED if within is None else REACHED_WITHIN, uppers), (ON_PATH, lowers))
    for mark, saddles in ways:
        if within is not None and mark == ON_PATH:
            marks &= REACHED_MARKS
        capacity = max(1 << 16, n // 16)
        model = (grid.extents, words, mark)
        spread_marks(session, WALKERS, model, saddles, marks, n, capacity)
    return marks
