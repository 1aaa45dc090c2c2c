"""Pairing of the lower stars of an image, and the cells that remain unpaired.

Robins, Wood, Sheppard 2011, algorithm 1; critical cells are listed by (index, id).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from ...device import Array, CudaDevice, Session
from ...kernels import source
from ...morse.critical import Counts
from ...primitives import AT_ONCE, at, exclusive_scan, taken_in_parts
from .field import ImageField
from .grid import Grid, n_tiles
from .slabs import CRITICAL_BYTES

CountedCells = tuple[Array, list[int]]
"""Positions of critical cells by index and run of words, and the bounds of each index."""


def pair_lower_stars(session: Session, field: ImageField, done: Callable[[float], None]) -> Array:
    """Return the packed gradient (n,) uint32 (kernels/cubical/grid.h). `done` gets the fraction."""
    device, grid = session.device, field.grid
    words = device.zeros(grid.n_vertices, np.uint32)
    model = (grid.extents, field.values, *field.domain_types)
    n_x, n_y, n_z = n_tiles(grid.inner, "TILE")
    if isinstance(device, CudaDevice):
        device.launch_blocks("pair_lower_stars", n_x * n_y * n_z, *model, words)
    else:
        for color in range(4):  # blocks of rows of the same color do not share words
            n_blocks = ((n_y + 1 - color % 2) // 2) * ((n_z + 1 - color // 2) // 2)
            report = partial(lambda before, part: done((before + part) / 4), color)
            device.launch("pair_lower_stars", n_blocks, *model, color, words, on_slice=report)
    if any(grid.periodic):  # combined by OR with the words of the tiles
        device.launch("pair_wrapped_stars", grid.n_wrapped_stars, *model, words)
    return words


def mark_top_cells(launch: Callable[..., None], field: ImageField, words: Array) -> None:
    """Store the highest top cell of each vertex in its word."""
    grid = field.grid
    model = (grid.extents, field.values, *field.domain_types)
    launch("mark_top_cells", grid.n_vertices, *model, words)
    if any(grid.periodic):
        launch("mark_wrapped_top_cells", grid.n_wrapped_stars, *model, words)


@dataclass(frozen=True)
class CriticalList:
    """Critical cells by (index, id)."""

    counts: Counts
    ids: Array  # (k,) int64
    owners: Array  # (k,) int32, highest vertices; int64 of large grids
    values: Array  # of the owners
    levels: Array  # what kernels compare in their place

    @property
    def n_bytes(self) -> int:
        """Bytes of all columns."""
        return sum(one.nbytes for one in (self.ids, self.owners, self.values, self.levels))


def critical_cells(session: Session, field: ImageField, words: Array) -> CriticalList:
    """Return the critical cells of a gradient that fits on the device as a whole."""
    counted = count_critical_cells(session, field.grid, words)
    n = counted[1][-1]
    session.memory.require(CRITICAL_BYTES * n, f"listing {n:,} critical cells")
    ids, counts = list_critical_cells(session, field.grid, words, counted)
    return CriticalList(counts, ids, *owners_of(session, field, ids))


def count_critical_cells(session: Session, grid: Grid, words: Array) -> CountedCells:
    """Return the number of critical cells of each index in every run of words."""
    device, n = session.device, grid.n_vertices
    n_runs = -(-n // source.constant("CRITICAL_RUN"))
    count = device.empty((4, n_runs), np.int32)
    device.launch("count_critical", n_runs, n, words, n_runs, count)
    place_of_run = exclusive_scan(count)
    return place_of_run, [int(b) for b in place_of_run[::n_runs]]


def list_critical_cells(
    session: Session, grid: Grid, words: Array, counted: CountedCells
) -> tuple[Array, Counts]:
    """Return ids (k,) int64 of the critical cells on the device, and counts by index."""
    place_of_run, bounds = counted
    n_runs = place_of_run.size // 4
    cells = session.device.empty(bounds[-1], np.int64)
    arrays = (words, n_runs, place_of_run[:-1], cells)
    session.device.launch("list_critical", n_runs, grid.extents, *arrays)
    for begin, end in pairwise(bounds):
        _sort_ids(session, grid, cells[begin:end])
    return cells, tuple(np.diff(bounds).tolist())


def _sort_ids(session: Session, grid: Grid, cells: Array) -> None:
    """Sort ids (k,) of one dimension, already sorted by anchor, in place; on the CPU by slices."""
    if cells.size <= session.device.launch_form(host=AT_ONCE, gpu=cells.size):
        cells.sort()
        return
    _, ny, nx = grid.doubled_shape
    begin, n_in_slice = 0, 2 * ny * nx
    while begin < cells.size:
        end = min(begin + AT_ONCE, cells.size)
        last = cells[end - 1] // n_in_slice
        end = bisect_right(cells, last, end, key=lambda cell: cell // n_in_slice)
        cells[begin:end].sort()
        begin = end
        session.raise_if_canceled()


def owners_of(session: Session, field: ImageField, cells: Array) -> tuple[Array, Array, Array]:
    """Return the highest vertices (k,) int32 of cells, their values, and their levels."""
    vertices = session.device.empty(cells.size, np.int32)
    session.device.launch(
        "highest_vertices", cells.size, field.grid.extents, field.values, cells, vertices
    )
    values = taken_in_parts(session, field.values_at, vertices)
    return vertices, values, taken_in_parts(session, partial(at, field.values), vertices)
