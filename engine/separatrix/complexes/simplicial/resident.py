"""Meshes whose sorted cells fit on a GPU, while what is computed from them does not.

Points and cells are sorted on the GPU, cells as they arrive in slabs from host memory, and remain
there: 20 bytes per cell. Analyses collect packets of segments from them (relations/resident.py).
Everything else is computed on the host, from arrays that are downloaded on first access.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...device import Array, Device, Session, is_on_gpu, to_host
from ...device.side_threads import submit
from ...kernels.source import constant
from ...lazy import cached_property
from ...primitives import at, compact, copied, total
from ...spatial.points import Points
from .cells import begins_of, checked_cells, reject_repeated
from .simplices import Simplices

ROWS_AT_ONCE = 1 << 20  # cells of a slab
COPYING_THREADS, LANES = 8, 2  # of memory that is not pinned, and of pinned memory
DOWNLOADED = ("point_of", "vertex_of", "cell_of", "tets", "tet_begin")
PER_POINT, PER_CELL = 13, 20
"""Bytes on the GPU while nothing is computed."""
SORTING_PER_POINT, PLACING_PER_POINT, RANKING_PER_POINT = 72, 17, 37
"""Bytes while points are sorted, besides coordinates; while cells are; and while values are."""


def bytes_of_resident(points: Array, cells: Array) -> int:
    """Return the bytes that a resident mesh requires on the GPU, which packets may then use."""
    (n, row), n_cells = (len(points), points.shape[1] * points.dtype.itemsize), len(cells)
    slabs = 4 * cells.shape[1] * min(n_cells, ROWS_AT_ONCE * (COPYING_THREADS + 1))
    return max(
        (SORTING_PER_POINT + row) * n,
        PLACING_PER_POINT * n + (PER_CELL + 1) * n_cells + slabs,
        RANKING_PER_POINT * n + PER_CELL * n_cells,
    )


def kept(device: Device, array: Array) -> Array:
    """Return a copy that is not part of a larger block of memory."""
    with device.apart():
        return device.copied(array)


@contextmanager
def copying_points(given: Array, low: np.ndarray, high: np.ndarray) -> Iterator[Future[Points]]:
    """Yield a copy of the caller's points on the host, in their dtype, which a thread makes."""

    def copied() -> Points:
        there = to_host(given) if is_on_gpu(given) else np.array(given, order="C")
        there = there.astype(given.dtype.newbyteorder("="), copy=False)
        return Points(there, there, low, high)

    with ThreadPoolExecutor(1, "mesh-points") as pool:
        yield submit(pool, copied)


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

    def first_cells_of(self, vertices: Array) -> Array:
        with self.resident.session.device.current():
            there = self.resident.session.upload(vertices)
            return to_host(at(self.resident.tet_begin, there))

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
    with device.apart():
        vertex_of, is_used = device.empty(n, np.int32), device.zeros(n, np.uint8)
    near.launch("invert_permutation", n, point_of, vertex_of)
    slabs = Slabs(near, cells, n)
    counts, n_invalid = _counted_cells(near, slabs, vertex_of, is_used)
    if n_invalid:
        checked_cells(session, cells, n, drop=False)  # raises the error
    tet_begin = begins_of(near, counts, "cells")
    del counts
    tet_begin = kept(device, tet_begin)
    tets = _placed_cells(near, slabs, vertex_of, tet_begin)
    del slabs
    device.free_cached()
    with device.apart():
        cell_of, none = device.empty(n_cells, np.int32), device.empty(0, np.int32)
    near.launch("sort_tets", n, tet_begin, tets, cell_of)
    is_repeated = device.empty(n_cells, np.uint8)
    near.launch("find_repeated_tets", n_cells, tets, is_repeated)
    if total(device, is_repeated):
        reject_repeated(to_host(cell_of[compact(is_repeated)]), cells)
    del is_repeated
    arrays = (point_of, vertex_of, cell_of, none, tets, tet_begin)
    resident = Simplices(near, n_corners - 1, *arrays)
    _, touched = touched_blocks(resident)
    resident.__dict__["is_used"] = is_used.view(np.bool_)
    device.free_cached()
    session.memory.held = sum(array.nbytes for array in (*arrays, is_used, touched))
    return ResidentSimplices(session, resident, n_cells)


def _counted_cells(
    near: Session, slabs: Slabs, vertex_of: Array, is_used: Array
) -> tuple[Array, int]:
    """Return numbers (V,) int32 of cells by lowest vertex, and of invalid cells; marks vertices."""
    n, n_corners = vertex_of.size, slabs.cells.shape[1]
    counts, n_invalid = near.device.zeros(n, np.int32), near.device.zeros(1, np.int64)

    def count(_: int, slab: Array) -> None:
        given = (slab, n_corners, vertex_of, n)
        near.launch("count_given_cells", len(slab), *given, counts, is_used, n_invalid)

    slabs.visit(count)
    return counts, int(n_invalid[0])


def _placed_cells(near: Session, slabs: Slabs, vertex_of: Array, tet_begin: Array) -> Array:
    """Return cells (T, 4) int32 by their lowest vertices, in any order for each."""
    n_cells, n_corners = slabs.cells.shape
    cursors, none = copied(tet_begin[:-1]), near.device.empty(0, np.int32)
    with near.device.apart():
        tets = near.device.empty((n_cells, 4), np.int32)

    def place(first: int, slab: Array) -> None:
        given = (slab, n_corners, vertex_of, none, 0, first)
        near.launch("place_mesh_cells", len(slab), *given, cursors, tets)

    slabs.visit(place)
    return tets


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
    """Slabs of the user's cells (n, 3 or 4), copied by other threads while kernels use others.

    Pinned memory is read directly, other memory through pinned staging.
    """

    def __init__(self, near: Session, cells: Array, n_points: int):
        self.device, self.cells, self.n_points = near.device, cells, n_points
        self.queue = near.device.queue()
        n_items = min(len(cells), ROWS_AT_ONCE) * cells.shape[1]
        is_direct = cells.dtype == np.int32 and near.device.is_pinned(cells)
        self.n_threads = min(LANES if is_direct else COPYING_THREADS, near.host.threads)
        n_rooms = min(self.n_threads + 1, -(-len(cells) // ROWS_AT_ONCE))
        n_rooms = 0 if is_on_gpu(cells) else n_rooms
        self.rooms = [SlabRoom(near.device, n_items, is_direct) for _ in range(n_rooms)]

    def visit(self, use: Callable[[int, Array], None]) -> None:
        """Call a function with the first row, and the rows (m, 3 or 4) int32 on the device."""
        with self.queue:  # where kernels do not wait for copies
            for first, slab in self._slabs():
                use(first, slab)
            self.device.synchronize()

    def _slabs(self) -> Iterator[tuple[int, Array]]:
        with ThreadPoolExecutor(self.n_threads, "mesh-upload") as pool:
            firsts = deque(range(0, len(self.cells), ROWS_AT_ONCE))
            n_coming = min(self.n_threads, len(firsts))
            coming = deque(submit(pool, self._upload, firsts.popleft()) for _ in range(n_coming))
            while coming:
                first, slab, room = coming.popleft().result()
                if firsts:
                    coming.append(submit(pool, self._upload, firsts.popleft()))
                yield first, slab
                if room is not None:
                    room.last_use = self.device.mark()
                    self.rooms.append(room)

    def _upload(self, first: int) -> tuple[int, Array, SlabRoom | None]:
        rows = self.cells[first : first + ROWS_AT_ONCE]
        with self.device.current():
            if is_on_gpu(rows):
                return first, self._narrow(rows), None
            room = self.rooms.pop(0)
            return first, room.copied(self._narrow(rows)), room

    def _narrow(self, rows: Array) -> Array:
        """Return int32; ids beyond its range become others that are invalid, too."""
        if rows.dtype.kind == "u" or rows.dtype.itemsize > 4:
            rows = rows.clip(0 if rows.dtype.kind == "u" else -1, self.n_points)
        return rows.astype(np.int32, copy=False)


class SlabRoom:
    """Memory of a slab on the device, with staging unless the source is pinned."""

    def __init__(self, device: Device, n_items: int, is_direct: bool):
        self.device, self.queue, self.last_use = device, device.queue(), device.mark()
        self.there = device.empty(n_items, np.int32)
        self.staging = None if is_direct else device.host_empty(n_items, np.int32)

    def copied(self, rows: np.ndarray) -> Array:
        """Return rows (m, 3 or 4) int32 on the device, once kernels no longer use the last ones."""
        source, there = rows, self.there[: rows.size].reshape(rows.shape)
        if self.staging is not None:
            source = self.staging[: rows.size].reshape(rows.shape)
            np.copyto(source, rows)
        self.device.wait_for(self.last_use)
        with self.queue:
            self.device.copy_up(source, there)
            self.device.synchronize()
        return there
