"""Neighbors of each ball on the grid, and the workload that follows from their numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..device import Array, CudaDevice, Session, to_host
from ..errors import InputError, duration
from ..kernels.source import constant
from ..primitives import exclusive_scan
from ..results import CSR
from .balls import Balls

CELLS_PER_BALL = 8  # maximum on average, because outliers would enlarge the grid
BYTES_PER_SLOT = 60
TESTS_PER_SECOND = {"host": 2e8, "gpu": 1e11}  # rough, for the estimate in an error
SMALL_BYTES = 1 << 28
MAX_ROWS = 2**31 - 1


Cells = tuple[tuple[int, ...], Array, Array, Array]
"""Balls sorted by cell: grid as in spatial/neighbors.h, items, ids, and cell offsets."""


@dataclass(frozen=True)
class Rows(CSR):
    """Rows of balls; their items are int32."""

    row_of: Array  # (m,) int32, the row of each item
    spokes: Array  # (m, 4) int32 from the ball of the row to the item; see kernels/alpha/spokes.h

    @property
    def ends(self) -> tuple[Array, Array, Array]:
        """Offsets of the rows, and both balls of each item."""
        return self.offsets, self.row_of, self.items


@dataclass(frozen=True)
class Workload:
    """Number of intersecting pairs, most neighbors of a ball, and sum of squared counts."""

    n_pairs: int
    most_neighbors: int
    n_tests: int


class TooMuchWork(InputError):
    """The estimated `workload` exceeds the work limit."""

    workload: Workload


def cell_grid(balls: Balls) -> tuple[int, ...]:
    """Return the grid, whose cells have sides of D or more: 27 cells contain all neighbors."""
    edge = max(balls.reach, 1)
    extent = [high - low for low, high in zip(balls.lowest, balls.highest, strict=True)]
    while math.prod(length // edge + 1 for length in extent) > CELLS_PER_BALL * balls.n_left + 27:
        edge += edge // 4 + 1
    return (*balls.lowest, edge, *(length // edge + 1 for length in extent))


def sort_into_cells(session: Session, balls: Balls) -> Cells:
    """Sort balls into cells."""
    grid = cell_grid(balls)
    n_cells = grid[4:]
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
    return grid, items, ids, offsets


def count_neighbors(
    session: Session, balls: Balls, cells: Cells, work_limit: float
) -> tuple[Array, Workload, Array]:
    """Return the offsets of the rows of neighbors, the workload, and what `list_neighbors` reuses.

    Raises TooMuchWork.
    """
    on_gpu = isinstance(session.device, CudaDevice)
    n_neighbors = session.device.zeros(len(balls.items), np.int32)
    met = session.device.empty(0 if on_gpu else (balls.n_left, constant("MET_ROW")), np.int32)
    name, found = ("count", balls.summary) if on_gpu else ("keep", met)
    session.launch(f"{name}_neighbors", balls.n_left, *cells, n_neighbors, found)
    offsets = exclusive_scan(n_neighbors)
    if on_gpu:
        workload = workload_of(to_host(balls.summary))
    else:
        counts = n_neighbors.astype(np.int64)
        workload = Workload(int(offsets[-1]) // 2, int(counts.max()), int((counts * counts).sum()))
    return offsets, checked_workload(session, workload, balls.n_left, work_limit), met


def list_neighbors(
    session: Session,
    balls: Balls,
    cells: Cells,
    offsets: Array,
    workload: Workload,
    met: Array | None = None,
) -> tuple[Rows, Array]:
    """Return the neighbors of each ball, and which balls are Gabriel vertices."""
    near = empty_rows(session, offsets, 2 * workload.n_pairs)
    is_gabriel = session.device.zeros(len(balls.items), np.uint8)
    listed = (cells[0], balls.items, *cells[1:], *near.ends, near.spokes, is_gabriel)
    if isinstance(session.device, CudaDevice):
        n_blocks = -(-balls.n_left // constant("WARPS_OF_BALLS"))
        session.device.launch_blocks("list_neighbors_by_warp", n_blocks, balls.n_left, *listed)
    else:
        assert met is not None
        session.launch("list_neighbors", balls.n_left, *listed, met)
    return near, is_gabriel


def empty_rows(session: Session, offsets: Array, n_items: int) -> Rows:
    """Allocate rows with these offsets."""
    empty = session.device.empty
    row_of, items = (empty(n_items, np.int32) for _ in range(2))
    return Rows(offsets, items, row_of, empty((n_items, 4), np.int32))


def workload_of(summary: np.ndarray) -> Workload:
    """Return the workload that a GPU counted in the summary of the balls."""
    n_slots, n_tests = total_of(summary, "N_NEIGHBORS"), total_of(summary, "N_TESTS")
    return Workload(n_slots // 2, int(summary[constant("MOST_MEETING")]), n_tests)


def checked_workload(
    session: Session, workload: Workload, n_left: int, work_limit: float
) -> Workload:
    """Return the workload. Raises TooMuchWork if it exceeds the limit."""
    n_slots, n_tests = 2 * workload.n_pairs, workload.n_tests
    if n_tests <= work_limit and n_slots <= MAX_ROWS:
        require_memory(session, BYTES_PER_SLOT * n_slots, "the search for edges")
        return workload
    speed = session.device.launch_form(**TESTS_PER_SECOND)
    error = TooMuchWork(
        f"The estimated number of tests is {n_tests:,} (about {duration(n_tests / speed)}), because"
        f" balls meet {n_slots / n_left:,.0f} others on average and up to "
        f"{workload.most_neighbors:,}; {{work_limit}} allows {work_limit:g} "
        f"test{'s' * (work_limit != 1)} and "
        f"{MAX_ROWS:,} neighbors. Choose a smaller {{alpha}} or {{probe}}, keep one model and one "
        "alternate location per atom, raise {work_limit}, or set {method='auto'}."
    )
    error.workload = workload
    raise error


def total_of(summary: np.ndarray, name: str) -> int:
    """Return the sum of the partial sums of a counter; see alpha/snapping.h."""
    return int(summary[constant(name) :][: constant("N_PARTIAL_SUMS")].sum())


def require_memory(session: Session, needed: int, what: str) -> None:
    """Require memory, unless so little that it always fits, since the query takes time."""
    if needed > SMALL_BYTES or session.memory.limit is not None:
        session.memory.require(needed, what, "choose a smaller {alpha} or {probe}", look_from=0)
