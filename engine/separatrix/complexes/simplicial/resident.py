"""Meshes whose sorted cells fit on a GPU, while what is computed from them does not.

Points and cells are sorted on the GPU, cells as they arrive in slabs from host memory, and remain
there: 20 bytes per cell. If these do not fit, they are sorted in pieces, and kernels read them from
pinned host memory. Analyses collect packets of segments from them (relations/resident.py).
Everything else is computed on the host, from arrays that are downloaded on first access.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ...device import Array, Device, Session, is_on_gpu, staged, to_host
from ...device.side_threads import submit
from ...kernels.source import constant
from ...lazy import cached_property
from ...primitives import at
from ...spatial.points import Points
from .cells import begins_of, checked_cells, reject_repeated
from .simplices import Simplices
from .slabs import COPYING_THREADS, Slabs, count_cells, slab_bytes, sort_cells

DOWNLOADED_AT_ONCE = 1 << 22  # numbers
DOWNLOADED = ("point_of", "vertex_of", "cell_of", "tets", "tet_begin")
PER_POINT, PER_CELL = 13, 20
"""Bytes on the GPU while nothing is computed."""
SORTING_PER_POINT, PLACING_PER_POINT, RANKING_PER_POINT = 72, 21, 37
"""Bytes while points are sorted, besides coordinates; while cells are; and while values are."""
PIECES, STEPS = 16, 1 << 12  # at most, in which cells are sorted, and between which these are cut


def bytes_of_resident(points: Array, cells: Array) -> int:
    """Return the bytes that a resident mesh requires on the GPU, which packets may then use."""
    n, n_cells = len(points), len(cells)
    return max(
        _bytes_to_sort(points),
        PLACING_PER_POINT * n + (PER_CELL + 1) * n_cells + slab_bytes(cells, COPYING_THREADS),
        RANKING_PER_POINT * n + PER_CELL * n_cells,
    )


def bytes_beside_cells(points: Array, cells: Array) -> int:
    """Return the same for a mesh whose cells are in pinned host memory, which the GPU reads."""
    of_piece = (PER_CELL + 1) * len(cells) // PIECES + slab_bytes(cells, COPYING_THREADS)
    return max(_bytes_to_sort(points), RANKING_PER_POINT * len(points) + of_piece)


def _bytes_to_sort(points: Array) -> int:
    return (SORTING_PER_POINT + points.shape[1] * points.dtype.itemsize) * len(points)


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
                found = _downloaded(getattr(self.resident, name))
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


def _downloaded(array: Array) -> np.ndarray:
    """Return an array in memory that need not be pinned, which takes longer than to copy it."""
    found = np.empty(array.shape, array.dtype)
    source, target = array.reshape(-1), found.reshape(-1)
    copying: deque[Future[None]] = deque()
    with ThreadPoolExecutor(COPYING_THREADS, "mesh-download") as pool:
        for first in range(0, target.size, DOWNLOADED_AT_ONCE):
            part = slice(first, first + DOWNLOADED_AT_ONCE)
            copying.append(submit(pool, np.copyto, target[part], staged(source[part])))
            if len(copying) > COPYING_THREADS:
                copying.popleft().result()
        for one in copying:
            one.result()
    return found


class PinnedCells(NamedTuple):
    """Sorted cells in pinned host memory, which kernels read from there."""

    tets: np.ndarray  # (T, 4) int32
    cell_of: np.ndarray  # (T,) int32


def place_of_cells(near: Session, points: Array, cells: Array) -> tuple[bool, PinnedCells | None]:
    """Return whether a GPU can sort cells, and where they will be, if not there."""
    if not near.memory.overflows(bytes_of_resident(points, cells)):
        return True, None
    if near.memory.overflows(bytes_beside_cells(points, cells)):
        return False, None
    empty, n_cells = near.device.host_empty, len(cells)
    host = PinnedCells(empty(4 * n_cells, np.int32).reshape(-1, 4), empty(n_cells, np.int32))
    are_pinned = all(map(near.device.is_pinned, host))
    return are_pinned, host if are_pinned else None


def build_resident(
    session: Session, near: Session, point_of: Array, cells: Array, host: PinnedCells | None
) -> ResidentSimplices:
    """Return the simplices of the user's cells (n, 3 or 4), sorted on the GPU of `near`.

    `point_of` (V,) int32, on that GPU, orders the vertices. Raises InputError.
    """
    device, n, (n_cells, n_corners) = near.device, point_of.size, cells.shape
    with device.apart():
        vertex_of, is_used = device.empty(n, np.int32), device.zeros(n, np.uint8)
    near.launch("invert_permutation", n, point_of, vertex_of)
    slabs = Slabs(near, cells, n)
    counts, n_invalid = count_cells(near, slabs, vertex_of, is_used)
    if n_invalid:
        checked_cells(session, cells, n, drop=False)  # raises the error
    tet_begin = begins_of(near, counts, "cells")
    del counts
    tet_begin = kept(device, tet_begin)
    sorting, n_bytes = (slabs, vertex_of, tet_begin), PER_CELL * n_cells
    if host is None:
        tets, cell_of, repeated = sort_cells(near, *sorting, 0, n)
    else:
        room = near.memory.room() - PLACING_PER_POINT * n - slabs.n_bytes
        repeated = _sort_to_host(near, sorting, max(room, n_bytes // PIECES), host)
        tets, cell_of, n_bytes = *map(device.mapped, host), 0
    reject_repeated(repeated, cells)
    del slabs, sorting
    arrays = (point_of, vertex_of, cell_of, device.empty(0, np.int32), tets, tet_begin)
    resident = Simplices(near, n_corners - 1, *arrays)
    _, touched = touched_blocks(resident)
    resident.__dict__["is_used"] = is_used.view(np.bool_)
    device.free_cached()
    session.memory.held = PER_POINT * n + n_bytes + touched.nbytes
    found = ResidentSimplices(session, resident, n_cells)
    if host is not None:
        vars(found).update(host._asdict())
    return found


def _sort_to_host(
    near: Session, sorting: tuple[Slabs, Array, Array], n_bytes: int, host: PinnedCells
) -> np.ndarray:
    """Sort cells in pieces of `n_bytes`, and return repeated cells; see sort_cells."""
    (*_, tet_begin), found = sorting, [np.empty(0, np.int32)]
    steps = np.unique(np.linspace(0, tet_begin.size - 1, STEPS + 1).astype(np.int64))
    firsts, i = to_host(at(tet_begin, near.upload(steps))), 0
    while i + 1 < steps.size:
        most = int(firsts[i]) + n_bytes // (PER_CELL + 1)
        j = max(i + 1, int(firsts.searchsorted(most, side="right")) - 1)
        part = slice(int(firsts[i]), int(firsts[j]))
        rows = PinnedCells(host.tets[part], host.cell_of[part])
        low, end = steps[[i, j]].tolist()
        found.append(_sort_piece_to_host(near, sorting, low, end, rows))
        i = j
    return np.concatenate(found)


def _sort_piece_to_host(
    near: Session, sorting: tuple[Slabs, Array, Array], low: int, end: int, rows: PinnedCells
) -> np.ndarray:
    """Write the cells of the lowest vertices low to end - 1, and return repeated ones."""
    *piece, repeated = sort_cells(near, *sorting, low, end)
    for there, of_host in zip(piece, rows, strict=True):
        near.device.copy_down(there, of_host)
    near.device.synchronize()
    return to_host(repeated)


def touched_blocks(resident: Simplices) -> tuple[int, Array]:
    """Return the length of the blocks of vertices, and which of them runs of cells touch (cached).

    See kernels/simplicial/packets.h.
    """
    if "touched_blocks" not in resident.__dict__:
        length = max(-(-resident.n_vertices // constant("CELL_BLOCKS")), 1)
        n_runs, device = resident.n_top // constant("CELL_RUN") + 1, resident.session.device
        touched = device.zeros(constant("BLOCK_WORDS") * n_runs, np.uint32)
        given = (resident.tets, resident.dimension + 1, length, touched)
        resident.session.launch("find_touched_blocks", resident.n_top, *given)
        resident.__dict__["touched_blocks"] = length, touched
    found: tuple[int, Array] = resident.__dict__["touched_blocks"]
    return found
