"""GPU form of the search in stars.py for few balls: three launches, and two blocks of memory.

Launches and allocations of the other form take longer than their work. The numbers of neighbors are
read after the first launch, and those of simplices after the second, which is repeated if there are
more candidate triangles than it had room for; see kernels/alpha/search_at_once.h.
"""

from __future__ import annotations

import numpy as np

from ..device import Array, CudaDevice, Session, to_host
from ..kernels.source import constant
from .balls import Balls
from .neighbors import Workload, cell_grid, checked_workload, require_memory
from .request import Request
from .tables import Tables, new_tables, starts_in_block

MOST_BALLS = 1 << 17
"""Beyond, kernels with all registers that they need are faster."""
MOST_CANDIDATES = 1 << 22
"""Triangles, at first, and at most one per neighbor."""
MOST_RESIDENT = constant("MOST_RESIDENT")
THREADS = constant("RESIDENT_THREADS")


def search_at_once(
    session: Session, device: CudaDevice, balls: Balls, request: Request, limit: float
) -> tuple[Tables, Array, Workload]:
    """Return the tables, their block, and the workload."""
    n = len(balls.items)
    with session.stage("neighbors"):
        grid = cell_grid(balls)
        cells = device.zeros(
            constant("CELL_ROOM_PER_BALL") * n
            + constant("CELL_ROOM_PER_CELL") * grid[4] * grid[5] * grid[6]
            + constant("ROOM_OF_BLOCKS"),
            np.uint8,
        )
        known = (grid, n, balls.n_left)
        _launch(device, "count_at_once", n, *known, balls.items, cells, balls.summary)
        workload = checked_workload(session, to_host(balls.summary), balls.n_left, limit)
    n_slots = 2 * workload.n_pairs
    most = min(n_slots, MOST_CANDIDATES)
    with session.stage("clip"):
        while True:
            n_bytes = (
                constant("ROOM_PER_BALL") * n
                + constant("ROOM_PER_EDGE_SLOT") * n_slots
                + constant("ROOM_PER_CANDIDATE") * most
                + constant("ROOM_OF_BLOCKS")
            )
            require_memory(session, n_bytes, "the search for triangles")
            room = device.empty(n_bytes, np.uint8)
            settings = (n_slots, most, request.flags, balls.sign_errors, *balls.measure)
            arrays = (balls.items, cells, room, balls.summary)
            _launch(device, "search_at_once", max(n, n_slots), *known, *settings, *arrays)
            found = to_host(balls.summary)
            n_candidates = int(found[constant("N_CANDIDATES")])
            if n_candidates <= most:
                break
            most, room = n_candidates, None
    with session.stage("compaction"):
        ends = found[constant("ENDS_OF_KEPT") :][:3].tolist()
        last = ends[2] - ends[1]
        tables, block = new_tables(
            device.empty, (ends[0], ends[1] - ends[0], last & 0xFFFFFFFF, last >> 32)
        )
        n_rows = n + int(found[constant("N_EDGE_SLOTS")]) + n_candidates
        starts = starts_in_block(tables.counts)[:-1]
        made = (starts, block, *tables.facets[1:])
        device.launch_blocks("fill_at_once", -(-n_rows // THREADS), n, n_slots, most, room, *made)
    return tables, block, workload


def _launch(device: CudaDevice, kernel: str, n_items: int, *arguments: object) -> None:
    """Launch as many blocks as are resident, if there are items for them."""
    n_blocks = min(device.resident_blocks(kernel), -(-n_items // THREADS), MOST_RESIDENT)
    device.launch_blocks(kernel, n_blocks, *arguments, cooperative=True)
