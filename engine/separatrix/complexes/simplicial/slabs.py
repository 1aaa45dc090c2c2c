"""Cells of the caller that arrive on a GPU in slabs, and are sorted there by their vertices."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ...device import Array, Device, Session, is_on_gpu
from ...device.side_threads import submit
from ...primitives import at, compact, copied, shifted

ROWS_AT_ONCE = 1 << 20  # cells of a slab
COPYING_THREADS, LANES = 8, 2  # of memory that is not pinned, and of pinned memory


def slab_bytes(cells: Array, n_threads: int) -> int:
    """Return the bytes of the slabs on the GPU."""
    return 4 * cells.shape[1] * min(len(cells), ROWS_AT_ONCE * (n_threads + 1))


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
        self.n_bytes = slab_bytes(cells, self.n_threads)
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


def count_cells(near: Session, slabs: Slabs, vertex_of: Array, is_used: Array) -> tuple[Array, int]:
    """Return numbers (V,) int32 of cells by lowest vertex, and of invalid cells; marks vertices."""
    n, n_corners = vertex_of.size, slabs.cells.shape[1]
    counts, n_invalid = near.device.zeros(n, np.int32), near.device.zeros(1, np.int64)

    def count(_: int, slab: Array) -> None:
        given = (slab, n_corners, vertex_of, n)
        near.launch("count_given_cells", len(slab), *given, counts, is_used, n_invalid)

    slabs.visit(count)
    return counts, int(n_invalid[0])


def sort_cells(
    near: Session, slabs: Slabs, vertex_of: Array, tet_begin: Array, low: int, end: int
) -> tuple[Array, Array, Array]:
    """Return (tets, cell_of) of the lowest vertices low to end - 1, and repeated cells (k,)."""
    device, first = near.device, int(tet_begin[low])
    begins = tet_begin[low : end + 1]
    if first:
        begins = shifted(begins, -first, dtype=np.int32)
    tets = _placed_cells(near, slabs, vertex_of, begins, low)
    device.free_cached()
    with device.apart():
        cell_of = device.empty(len(tets), np.int32)
    near.launch("sort_tets", end - low, begins, low, tets, cell_of)
    is_repeated = device.empty(len(tets), np.uint8)
    near.launch("find_repeated_tets", len(tets), tets, is_repeated)
    return tets, cell_of, at(cell_of, compact(is_repeated))


def _placed_cells(near: Session, slabs: Slabs, vertex_of: Array, begins: Array, low: int) -> Array:
    """Return cells (n, 4) int32 by their lowest vertices, in any order for each."""
    n_corners, end = slabs.cells.shape[1], low + begins.size - 1
    cursors, none = copied(begins[:-1]), near.device.empty(0, np.int32)
    with near.device.apart():
        tets = near.device.empty((int(begins[-1]), 4), np.int32)

    def place(first: int, slab: Array) -> None:
        given = (slab, n_corners, vertex_of, none, 0, first, low, end)
        near.launch("place_mesh_cells", len(slab), *given, cursors, tets)

    slabs.visit(place)
    return tets
