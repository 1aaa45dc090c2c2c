"""Segmentations: labels of vertices, and the regions of vertices with equal labels.

Raw regions are measured once, in O(n). Regions of a level are merged from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle

import numpy as np

from ..device import Array, Session, array_module, in_memory_of, to_host
from ..kernels import source
from ..primitives import is_within, total
from ..results import Table
from .field import ScalarField
from .streaming import fit_runs, lanes_of, runs, streaming_room

LOWEST, HIGHEST = np.uint64(2**64 - 1), np.uint64(0)  # range of an empty region
TABLE_BYTES = 24
"""Bytes per slot of the hash set: the slot, its key, and the sort's buffer or the number."""

RUN_CELL_BYTES = 12
"""Bytes per vertex of a run: two labels and the Morse-Smale cell."""


def morse_smale_cells(
    session: Session,
    minima: Array,
    maxima: Array,
    n_maxima: int,
    n_likely: int,
    steps: tuple[int, int] = (1, 1),
    merged: Callable[[Array], Array] | None = None,
    cells: Array | None = None,
) -> tuple[Array, Array]:
    """Return dense ids (n,) int32 of pairs (minimum, maximum) in sorted order, and their keys.

    Keys minimum * (n_maxima + 1) + maximum + 1, uint64, are collected in a hash set, which has room
    for `n_likely` keys at first and grows until all fit. O(n) expected. Vertices one of the `steps`
    apart, such as the lengths of a row and a layer of an image, are likely in the same cell. For
    pieces of an image, `merged` returns the sorted keys of all of them from those of one. Ids are
    written to `cells`.
    """
    n, table = minima.size, capacity_of_cells(n_likely)
    # Allocated before the hash set, while a released array of this size is still contiguous.
    if cells is None and session.pieces is None:
        cells = session.device.empty(n, np.int32)
    elif cells is None:
        cells = session.store_empty(n, np.int32, f"labels of {n:,} voxels")
    given = (session, minima, maxima, n_maxima, steps, cells, merged)
    while (keys := _number_cells_of(*given, table)) is None:
        table *= 2
    return cells, keys


def capacity_of_cells(n_likely: int) -> int:
    """Return the slots of a hash set that is at most half full if the estimate holds."""
    return 1 << max(10, (2 * n_likely).bit_length())


def _number_cells_of(
    session: Session,
    minima: Array,
    maxima: Array,
    n_maxima: int,
    steps: tuple[int, int],
    cells: Array,
    merged: Callable[[Array], Array] | None,
    capacity: int,
) -> Array | None:
    """Write the vertices' cells and return the keys, or None if `capacity` is too small."""
    n, mask, table_bytes = cells.size, capacity - 1, TABLE_BYTES * capacity
    fitting, room = None, None
    if session.pieces is not None and not session.device.is_cuda:
        fitting = fit_runs(session, n, RUN_CELL_BYTES, fixed=table_bytes)
        room = streaming_room(session) - table_bytes
    n_runs, n_lanes = fitting or (1, 0)
    there = session.on(session.pieces.device) if session.pieces is not None and fitting else session
    there.memory.require(table_bytes, f"a table of {capacity:,} Morse-Smale cells")
    with there.device.current():
        slots = there.device.unset(capacity, np.uint64)
        n_failed = there.device.zeros(1, np.int64)
        with lanes_of(session, n_lanes, room) as lanes:
            for (begin, end), lane in zip(runs(n, n_runs), cycle(lanes), strict=False):
                with lane:
                    a, b = lane.upload(minima[begin:end]), lane.upload(maxima[begin:end])
                    table = (slots, mask, n_failed)
                    there.launch("insert_cells", a.size, a, b, n_maxima, *steps, *table)
                session.progressed(0.5 * end / n if fitting else 0.0)
        if int(n_failed[0]):
            return None
        cell_of_slot, keys = _cells_of_slots(there, slots, merged)
        with lanes_of(session, n_lanes, room) as lanes:
            for (begin, end), lane in zip(runs(n, n_runs), cycle(lanes), strict=False):
                with lane:
                    a, b = lane.upload(minima[begin:end]), lane.upload(maxima[begin:end])
                    target = cells[begin:end]
                    found = lane.room_for(target)
                    there.launch(
                        "gather_cells", a.size, a, b, n_maxima, slots, mask, cell_of_slot, found
                    )
                    lane.download(found, target)
                session.progressed(0.5 + 0.5 * end / n if fitting else 0.0)
        return keys if there.device is session.device else to_host(keys)


def _cells_of_slots(
    session: Session, slots: Array, merged: Callable[[Array], Array] | None
) -> tuple[Array, Array]:
    """Return dense ids (slots,) int32 of the keys in a hash set, and the sorted keys of all."""
    device = session.device
    keys = device.empty(total(device, is_within(slots.view(np.int64), 0)), np.uint64)
    n_runs = slots.size // source.constant("SLOT_RUN")
    session.launch("collect_cells", n_runs, slots, keys, device.zeros(1, np.int64))
    keys.sort()
    keys = session.upload(merged(keys)) if merged else keys
    cell_of_slot = device.empty(slots.size, np.int32)
    session.launch("number_cells", keys.size, keys, slots, slots.size - 1, cell_of_slot)
    return cell_of_slot, keys


def extrema_of_cells(keys: Array, n_maxima: int) -> tuple[Array, Array]:
    """Return the minimum and maximum of each Morse-Smale cell, (cells,) int32, -1 for outside."""
    n = np.uint64(n_maxima + 1)
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32) - np.int32(1)


def cells_of_extrema(minima: Array, maxima: Array, n_maxima: int) -> tuple[Array, Array]:
    """Return dense ids (m,) int32 of pairs of extrema that may repeat, and the distinct keys."""
    xp = array_module(minima)
    keys = minima.astype(np.int64) * (n_maxima + 1) + (maxima.astype(np.int64) + 1)
    most = (int(minima.max()) + 1) * (n_maxima + 1) if keys.size else 0
    if most <= 4 * keys.size:  # a table of all pairs, which is faster than sorting
        occurs = xp.zeros(most, bool)
        occurs[keys] = True
        numbers = xp.cumsum(occurs, dtype=np.int32) - np.int32(1)
        return numbers[keys], xp.flatnonzero(occurs).astype(np.uint64)
    distinct, cells = xp.unique(keys, return_inverse=True)
    return cells.astype(np.int32), distinct.astype(np.uint64)


def label_roots(session: Session, forest: Array, extrema: Array) -> Array:
    """Replace parents (n,) int32 by labels of their roots: i for extremum i, -1 for other roots."""
    session.launch("init_labels", extrema.size, extrema, forest)
    session.launch("pointer_jump", forest.size, forest)
    session.launch("decode_labels", forest.size, forest)
    return forest


def label_sizes(session: Session, labels: Array, n_labels: int) -> Array:
    """Return the number of vertices with each label from 0 to n_labels - 1: (n_labels,) int64."""
    device = session.device
    sizes = device.zeros(n_labels, np.int64)
    n_runs = -(-labels.size // source.constant("LABEL_RUN"))
    session.launch("count_labels", n_runs, labels, labels.size, sizes)
    return sizes


@dataclass(frozen=True, eq=False, repr=False)
class Regions(Table):
    """r regions of a segmentation, by label.

    Attributes
    ----------
    size : (r,) int64
        Number of vertices.
    minimum, maximum : (r,), in the dtype of the field
        Lowest and highest value; for a region without vertices, the value of its extremum.
    minimum_row, maximum_row : (r,) int64
        Rows of the region's extrema in ``critical``; -1 if this kind of segmentation does not have
        this extremum, or if the paths leave the domain.
    """

    size: Array
    minimum: Array
    maximum: Array
    minimum_row: Array
    maximum_row: Array

    def _summary(self) -> str:
        return f"{len(self):,} labels"


@dataclass(frozen=True)
class Ranges:
    """Sizes (r,) int64 and value ranges (r,) uint64, as order images, on the device."""

    size: Array
    low: Array
    high: Array


def measure_ranges(session: Session, labels: Array, field: ScalarField, size: Array) -> Ranges:
    """Return the value range of the vertices of each label; `size` has r entries."""
    low, high = _no_ranges(session, size.size)
    n_runs = -(-labels.size // source.constant("REGION_RUN"))
    session.launch("measure_ranges", n_runs, labels, field.plain, labels.size, low, high)
    return Ranges(size, low, high)


def merge_sizes(session: Session, sizes: Array, table: Array, n_regions: int) -> Array:
    """Return the sizes of regions that are merged according to a table (r,) int32."""
    merged = session.device.zeros(n_regions, np.int64)
    session.launch("merge_sizes", table.size, table, sizes, merged)
    return merged


def merge_ranges(session: Session, raw: Ranges, table: Array, n_regions: int) -> Ranges:
    """Return the sizes and value ranges of regions that are merged according to a table."""
    low, high = _no_ranges(session, n_regions)
    session.launch("merge_ranges", table.size, table, raw.low, raw.high, low, high)
    return Ranges(merge_sizes(session, raw.size, table, n_regions), low, high)


def describe_regions(
    session: Session,
    field: ScalarField,
    ranges: Ranges,
    minimum_row: Array,
    maximum_row: Array,
    values: Array,
) -> Regions:
    """Return the regions where the caller's data is; `values` (k,) are those of critical cells."""
    xp = session.device.xp
    minimum, maximum = (_values_of(session, field, images) for images in (ranges.low, ranges.high))
    is_empty = ranges.size == 0
    if total(session.device, is_empty):
        # A vertex has the ascending label of one of its cells, so a maximum may have no vertices.
        rows = xp.where(maximum_row >= 0, maximum_row, minimum_row)[is_empty]
        for column in (minimum, maximum):
            column[in_memory_of(is_empty, column)] = in_memory_of(
                values[in_memory_of(rows, values)], column
            )
    columns = (ranges.size, minimum, maximum, minimum_row, maximum_row)
    return Regions(*map(session.result, columns))


def _no_ranges(session: Session, n_regions: int) -> tuple[Array, Array]:
    xp = session.device.xp
    return xp.full(n_regions, LOWEST, np.uint64), xp.full(n_regions, HIGHEST, np.uint64)


def _values_of(session: Session, field: ScalarField, images: Array) -> Array:
    values = session.device.empty(images.size, field.plain.dtype)
    session.launch("values_of_images", images.size, images, values)
    return field.in_callers_dtype(values)
