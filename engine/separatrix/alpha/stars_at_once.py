"""GPU form of the search in stars.py for few balls: five launches, and two blocks of memory.

Launches and allocations of the other form take longer than their work. The numbers of neighbors are
read after the first launch, and those of simplices before the last. The launches between are
repeated if there are more candidate triangles than they had room for; see
kernels/alpha/search_at_once.h.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device import Array, CudaDevice, Session, to_host
from ..kernels.source import constant
from .balls import Balls
from .neighbors import Cells, Workload, cell_grid, checked_workload, require_memory, workload_of
from .request import Request
from .tables import ALIGNMENT, Tables, new_tables, starts_in_block

MOST_BALLS = 1 << 17
MOST_SLOTS = 850_000
"""Neighbors of all balls. Beyond both, launches take less time than their work.

For 30,000 balls with 424,514 neighbors, this form takes 0.82 ms on an H200, and the other one 1.07
ms; for 65,000 with 931,108, they take 1.20 and 1.16 ms.
"""
MOST_CANDIDATES = 1 << 20
"""Triangles, at first, and at most one per neighbor."""
MOST_RESIDENT = constant("MOST_RESIDENT")
THREADS = constant("RESIDENT_THREADS")


@dataclass(frozen=True)
class Counted:
    """Balls in cells, with their numbers of neighbors."""

    room: Array  # see CellRoom in kernels/alpha/search_at_once.h
    grid: tuple[int, ...]
    workload: Workload

    def arrays(self, balls: Balls) -> tuple[Cells, Array]:
        """Return the cells, and the offsets of the rows of neighbors."""
        n, n_cells = len(balls.items), self.grid[4] * self.grid[5] * self.grid[6]
        sizes = [8 * MOST_RESIDENT, 8 * n_cells, 8 * (n_cells + 1), 8 * (n + 1)]
        sizes += [4 * n, 4 * n, 16 * n, 4 * n]
        starts = [0, *np.cumsum([-(-size // ALIGNMENT) * ALIGNMENT for size in sizes]).tolist()]
        offsets, rows, items, ids = (
            self.room[starts[k] : starts[k] + sizes[k]].view(dtype)
            for k, dtype in ((2, np.int64), (3, np.int64), (6, np.int32), (7, np.int32))
        )
        n_left = balls.n_left
        return (self.grid, items.reshape(n, 4)[:n_left], ids[:n_left], offsets), rows


def count_at_once(session: Session, device: CudaDevice, balls: Balls, limit: float) -> Counted:
    """Sort balls into cells, and count their neighbors. Raises TooMuchWork."""
    n, grid = len(balls.items), cell_grid(balls)
    n_bytes = constant("CELL_ROOM_PER_BALL") * n + constant("ROOM_OF_BLOCKS")
    n_bytes += constant("CELL_ROOM_PER_CELL") * grid[4] * grid[5] * grid[6]
    room = device.zeros(n_bytes, np.uint8)
    given = (grid, n, balls.n_left, balls.items, room, balls.summary)
    _launch(device, "count_at_once", n, *given)
    workload = workload_of(to_host(balls.summary))
    return Counted(room, grid, checked_workload(session, workload, balls.n_left, limit))


def search_at_once(
    session: Session, device: CudaDevice, balls: Balls, counted: Counted, request: Request
) -> tuple[Tables, Array, Workload]:
    """Return the tables, their block, and the workload."""
    n, n_slots = len(balls.items), 2 * counted.workload.n_pairs
    most = min(n_slots, MOST_CANDIDATES)
    with session.stage("clip"):
        while True:
            n_bytes = constant("ROOM_PER_BALL") * n + constant("ROOM_OF_BLOCKS")
            n_bytes += constant("ROOM_PER_EDGE_SLOT") * n_slots
            n_bytes += constant("ROOM_PER_CANDIDATE") * most
            require_memory(session, n_bytes, "the search for triangles")
            room = device.empty(n_bytes, np.uint8)
            sizes, signs = (n_slots, most), (request.flags, balls.sign_errors)
            known = (*sizes, *signs, balls.items, counted.room, room, balls.summary)
            of_items = max(n, n_slots)
            _launch(device, "search_at_once", of_items, counted.grid, n, balls.n_left, *known)
            n_blocks = -(-most // THREADS) or 1
            device.launch_blocks("decide_at_once", n_blocks, counted.grid, n, *known)
            measured = (*sizes, *balls.measure, balls.items, room, balls.summary)
            _launch(device, "measure_at_once", of_items, n, *measured)
            found = to_host(balls.summary)
            n_candidates = int(found[constant("N_CANDIDATES")])
            if n_candidates <= most:
                break
            most = n_candidates
    with session.stage("compaction"):
        ends = found[constant("ENDS_OF_KEPT") :][:3].tolist()
        last = ends[2] - ends[1]
        counts = (ends[0], ends[1] - ends[0], last & 0xFFFFFFFF, last >> 32)
        tables, block = new_tables(device.empty, counts)
        n_rows = n + int(found[constant("N_EDGE_SLOTS")]) + n_candidates
        made = (room, starts_in_block(counts)[:-1], block, *tables.facets[1:])
        device.launch_blocks("fill_at_once", -(-n_rows // THREADS), n, *sizes, *made)
    return tables, block, counted.workload


def _launch(device: CudaDevice, kernel: str, n_items: int, *arguments: object) -> None:
    """Launch as many blocks as are resident, if there are items for them."""
    n_blocks = min(device.resident_blocks(kernel), -(-n_items // THREADS), MOST_RESIDENT)
    device.launch_blocks(kernel, n_blocks, *arguments, cooperative=True)
