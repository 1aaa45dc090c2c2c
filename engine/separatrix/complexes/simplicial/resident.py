"""Meshes whose sorted cells fit on a GPU, while what is computed from them does not.

Points and cells are sorted on the GPU, cells as they arrive in slabs from host memory, and remain
there: 20 bytes per cell. Analyses collect packets of segments from them (relations/resident.py).
Everything else is computed on the host, from arrays that are downloaded on first access.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from ...device import Array, Session, is_on_gpu, may_share_memory, to_host
from ...device.side_threads import submit
from ...kernels.source import constant
from ...lazy import cached_property
from ...primitives import compact, copied, total
from ...spatial.points import Points
from .cells import begins_of, checked_cells, reject_repeated
from .simplices import Simplices

PER_POINT, PER_CELL, SORTING_PER_POINT = 37, 21, 72
"""Bytes of GPU memory besides coordinates, with room for packets, and while points are sorted."""
ROWS_AT_ONCE = 1 << 20  # cells of a slab
COPYING_THREADS = 8
DOWNLOADED = ("point_of", "vertex_of", "cell_of", "tets", "tet_begin")


def bytes_of_resident(points: Array, cells: Array) -> int:
    """Return the bytes that a resident mesh requires on the GPU."""
    row_bytes = points.shape[1] * points.dtype.itemsize
    needed = (PER_POINT + row_bytes) * len(points) + PER_CELL * len(cells)
    return max(needed, (SORTING_PER_POINT + row_bytes) * len(points))


def without_values(points: Points, given: Array) -> Points:
    """Return points on the GPU in the caller's dtype alone, in memory of their own."""
    owned = points.given.copy() if may_share_memory(points.given, given) else points.given
    return replace(points, given=owned, values=owned)


class ResidentSimplices(Simplices):
    """Simplices on the host, whose arrays are downloaded from ``resident`` on first access."""

    def __init__(self, session: Session, resident: Simplices, n_cells: int):
        self.session, self.dimension = session, resident.dimension
        self.resident: Simplices = resident
        self._n_cells = n_cells

    def __getattr__(self, name: str) -> Any:
        if name == "tet_of":
            found = np.full(self._n_cells, -1, np.int32)
            self.session.launch("invert_permutation", self.n_top, self.cell_of, found)
        elif name in DOWNLOADED:
            with self.resident.session.device.current():
                found = to_host(getattr(self.resident, name))
        else:
            raise AttributeError(name)
        vars(self)[name] = found
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self.point_of, self.vertex_of, self.cell_of, self.tet_of, self.tets)
        return Simplices, (self.session, self.dimension, *arrays, self.tet_begin)

    @property
    def n_vertices(self) -> int:
        return self.resident.n_vertices

    @property
    def n_top(self) -> int:
        return self.resident.n_top

    @cached_property
    def n_used(self) -> int:
        with self.resident.session.device.current():
            return self.resident.n_used

    @cached_property
    def is_used(self) -> Array:
        with self.resident.session.device.current():
            return to_host(self.resident.is_used)

    def users_ids_of(self, dimension: int, ids: Array) -> Array:
        with self.resident.session.device.current():
            there = self.resident.session.upload(ids)
            return to_host(self.resident.users_ids_of(dimension, there))

    def by_points(self, numbers: Array) -> Array:
        with self.resident.session.device.current():
            return to_host(self.resident.by_points(self.resident.session.upload(numbers)))


def build_resident(
    session: Session, near: Session, point_of: Array, cells: Array
) -> ResidentSimplices:
    """Return the simplices of the user's cells (n, 3 or 4), sorted on the GPU of `near`.

    `point_of` (V,) int32, on that GPU, orders the vertices. Raises InputError.
    """
    device, n, (n_cells, n_corners) = near.device, point_of.size, cells.shape
    vertex_of = device.empty(n, np.int32)
    near.launch("invert_permutation", n, point_of, vertex_of)
    counts, is_used = device.zeros(n, np.int32), device.zeros(n, np.uint8)
    n_invalid = device.zeros(1, np.int64)
    slabs = Slabs(near, cells, n)
    for _, slab in slabs:
        given = (slab, n_corners, vertex_of, n)
        near.launch("count_given_cells", len(slab), *given, counts, is_used, n_invalid)
    if int(n_invalid[0]):
        checked_cells(session, cells, n, drop=False)  # raises the error
    tet_begin = begins_of(near, counts, "cells")
    del counts
    cursors, none = copied(tet_begin[:-1]), device.empty(0, np.int32)
    tets = device.empty((n_cells, 4), np.int32)
    for first, slab in slabs:
        placed = (slab, n_corners, vertex_of, none, 0, first, cursors, tets)
        near.launch("place_mesh_cells", len(slab), *placed)
    del cursors
    cell_of = device.empty(n_cells, np.int32)
    near.launch("sort_tets", n, tet_begin, tets, cell_of)
    is_repeated = device.empty(n_cells, np.uint8)
    near.launch("find_repeated_tets", n_cells, tets, is_repeated)
    if total(device, is_repeated):
        reject_repeated(to_host(cell_of[compact(is_repeated)]), cells)
    del is_repeated
    arrays = (point_of, vertex_of, cell_of, none, tets, tet_begin)
    resident = Simplices(near, n_corners - 1, *arrays)
    touched_blocks(resident)
    resident.__dict__["is_used"] = is_used.view(np.bool_)
    device.free_cached()
    session.memory.held = sum(array.nbytes for array in (*arrays, is_used))
    return ResidentSimplices(session, resident, n_cells)


def touched_blocks(resident: Simplices) -> tuple[int, Array]:
    """Return the length of the blocks of vertices, and which of them runs of cells touch (cached).

    See kernels/simplicial/packets.h.
    """
    if "touched_blocks" not in resident.__dict__:
        length = max(-(-resident.n_vertices // constant("CELL_BLOCKS")), 1)
        n_runs, device = resident.n_top // constant("CELL_RUN") + 1, resident.session.device
        touched = device.zeros(2 * n_runs, np.uint32)
        given = (resident.tets, resident.dimension + 1, length, touched)
        resident.session.launch("find_touched_blocks", resident.n_top, *given)
        resident.__dict__["touched_blocks"] = length, touched
    found: tuple[int, Array] = resident.__dict__["touched_blocks"]
    return found


class Slabs:
    """Slabs of the user's cells (n, 3 or 4), which other threads copy through pinned memory."""

    def __init__(self, near: Session, cells: Array, n_points: int):
        self.device, self.cells, self.n_points = near.device, cells, n_points
        self.n_threads = min(COPYING_THREADS, near.host.threads)
        n_items = min(len(cells), ROWS_AT_ONCE) * cells.shape[1]
        n_rooms = 0 if is_on_gpu(cells) else self.n_threads
        self.rooms = [
            (self.device.host_empty(n_items, np.int32), self.device.queue()) for _ in range(n_rooms)
        ]

    def __iter__(self) -> Iterator[tuple[int, Array]]:
        """Yield the first row, and the rows (m, 3 or 4) int32 on the device."""
        with ThreadPoolExecutor(self.n_threads, "mesh-upload") as pool:
            firsts = deque(range(0, len(self.cells), ROWS_AT_ONCE))
            n_coming = min(self.n_threads, len(firsts))
            coming = deque(submit(pool, self._upload, firsts.popleft()) for _ in range(n_coming))
            while coming:
                slab = coming.popleft().result()
                if firsts:
                    coming.append(submit(pool, self._upload, firsts.popleft()))
                yield slab

    def _upload(self, first: int) -> tuple[int, Array]:
        rows = self.cells[first : first + ROWS_AT_ONCE]
        with self.device.current():
            if is_on_gpu(rows):
                return first, self._narrow(rows)
            room, queue = self.rooms.pop()
            try:
                target = room[: rows.size].reshape(rows.shape)
                np.copyto(target, self._narrow(rows))
                with queue:
                    slab = self.device.empty(rows.shape, np.int32)
                    self.device.copy_up(target, slab)
                    self.device.synchronize()
                return first, slab
            finally:
                self.rooms.append((room, queue))

    def _narrow(self, rows: Array) -> Array:
        """Return int32; ids beyond its range become others that are invalid, too."""
        if rows.dtype.kind == "u" or rows.dtype.itemsize > 4:
            rows = rows.clip(0 if rows.dtype.kind == "u" else -1, self.n_points)
        return rows.astype(np.int32, copy=False)
