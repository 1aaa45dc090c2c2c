"""Critical cells of an image: counted, listed by (index, id), and described."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...device import Session
from ...device.base import Array
from ...kernels import source
from ...morse.critical import Counts, CriticalCells
from ...primitives import AT_ONCE, exclusive_scan, taken
from .field import ImageField
from .grid import Grid, place


@dataclass(frozen=True)
class CountedCells:
    """Critical cells counted, not listed: places of the runs of words, bounds of the indices."""

    place_of_run: Array
    bounds: list[int]

    @property
    def n_cells(self) -> int:
        """How many there are."""
        return self.bounds[-1]


def count_critical_cells(session: Session, grid: Grid, words: Array) -> CountedCells:
    """How many critical cells of each index every run of words holds."""
    device, n = session.device, grid.n_vertices
    n_runs = -(-n // source.constant("CRITICAL_RUN"))
    count = device.empty((4, n_runs), np.int32)
    device.launch("count_critical", n_runs, n, words, n_runs, count)
    place_of_run = exclusive_scan(count)
    return CountedCells(place_of_run, [int(b) for b in place_of_run[::n_runs]])


def list_critical_cells(
    session: Session, grid: Grid, words: Array, counted: CountedCells | None = None
) -> tuple[Array, Counts]:
    """Ids of the critical cells (k,) int64 on the device, by (index, id), and counts by index."""
    device = session.device
    counted = counted or count_critical_cells(session, grid, words)
    bounds, first_place = counted.bounds, counted.place_of_run[:-1]
    n_runs = first_place.size // 4
    cells = device.empty(counted.n_cells, np.int64)
    device.launch("list_critical", n_runs, grid.extents, words, n_runs, first_place, cells)
    for begin, end in pairwise(bounds):
        _sort_ids(session, grid, cells[begin:end])
    c0, c1, c2, c3 = np.diff(bounds).tolist()
    return cells, (c0, c1, c2, c3)


def _sort_ids(session: Session, grid: Grid, cells: Array) -> None:
    """Sort ids (k,) of one dimension in place: they come by anchor, and interleave only in a slice.

    On the CPU slice by slice of the image, so that the user may stop in between.
    """
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
        session.check_cancelled()


def own_critical_cells(
    session: Session, field: ImageField, cells: Array
) -> tuple[tuple[Array, Array], Array]:
    """Highest vertices (k,) int32 of critical cells, the values there, and as kernels see them."""
    device, k = session.device, cells.size
    vertices = device.empty(k, np.int32)
    device.launch("highest_vertices", k, field.grid.extents, field.values, cells, vertices)
    owners = vertices, taken(session, field.values_at, vertices)
    return owners, taken(session, field.values.__getitem__, vertices)


def describe_critical_cells(
    session: Session, grid: Grid, cells: Array, vertices: Array, values: Array, counts: Counts
) -> CriticalCells:
    """The critical cells with positions and flags, where the caller wants results."""
    positions, dimensions, boundary = place(session.device, grid, cells)
    return CriticalCells(
        cell_id=session.result(cells),
        index=session.result(dimensions),
        value=session.result(values),
        vertex=session.result(vertices.astype(np.int64)),
        position=session.result(positions),
        on_boundary=session.result(boundary),
        counts=counts,
    )
