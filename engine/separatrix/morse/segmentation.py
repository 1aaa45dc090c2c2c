"""Labels of vertices: the minimum below, the maximum above, and the Morse-Smale cell of both."""

from __future__ import annotations

from itertools import cycle

import numpy as np

from ..device import Session, to_host
from ..device.arrays import array_module
from ..device.base import Array
from ..kernels import source
from .frontier import EMPTY_SLOT
from .pieces import fit_pieces, lanes_of, runs, streaming_room

TABLE_BYTES = 24
"""A slot of the table of Morse-Smale cells: 8, its key 8, the sort's buffer or the number 8."""

RUN_CELL_BYTES = 12
"""A vertex of a run whose Morse-Smale cell is numbered: two labels and the cell."""


def morse_smale_cells(
    session: Session, minima: Array, maxima: Array, n_maxima: int, n_likely: int
) -> tuple[Array, Array]:
    """Dense ids (n,) int32 of the pairs (minimum, maximum), in the sorted order of the pairs.

    With them come the pairs as keys (cells,) uint64: minimum * (n_maxima + 1) + maximum + 1.

    Distinct pairs are collected in a hash set, made larger until all fit; their order is that of
    their keys, so it does not depend on which thread came first. `n_likely` pairs size the first
    set. O(n) expected.
    """
    n = minima.size
    # Before the table: a freed array of this size is still in one piece.
    if session.pieces is None:
        cells = session.device.empty(n, np.int32)
    else:
        cells = session.host_empty(n, np.int32, f"labels of {n:,} voxels")
    capacity = 1 << max(10, (2 * n_likely).bit_length())  # at most half full, if all is likely
    while (keys := _number_cells_of(session, minima, maxima, n_maxima, capacity, cells)) is None:
        capacity *= 2
    return cells, keys


def _number_cells_of(
    session: Session, minima: Array, maxima: Array, n_maxima: int, capacity: int, cells: Array
) -> Array | None:
    """Write the vertices' cells, give their keys; None when `capacity` slots are too few.

    Where labels are on the host, runs of them pass through the streaming device if the table fits
    there, and are worked on the host if not.
    """
    n, mask, table_bytes = cells.size, capacity - 1, TABLE_BYTES * capacity
    fitting, room = None, None
    if session.pieces is not None:
        fitting = fit_pieces(session, n, RUN_CELL_BYTES, fixed=table_bytes)
        room = streaming_room(session) - table_bytes
    n_runs, n_lanes = fitting or (1, 0)
    there = session.on(session.pieces.device) if session.pieces is not None and fitting else session
    there.memory.require(table_bytes, f"a table of {capacity:,} Morse-Smale cells")
    with there.device.current():
        slots = there.device.xp.full(capacity, EMPTY_SLOT, np.uint64)
        n_failed = there.device.zeros(1, np.int64)
        with lanes_of(session, n_lanes, room) as lanes:
            for (begin, end), lane in zip(runs(n, n_runs), cycle(lanes), strict=False):
                with lane:
                    a, b = lane.upload(minima[begin:end]), lane.upload(maxima[begin:end])
                    there.launch("insert_cells", a.size, a, b, n_maxima, slots, mask, n_failed)
                session.progressed(0.5 * end / n if fitting else 0.0)
        if int(n_failed[0]):
            return None
        cell_of_slot, keys = _cells_of_slots(there, slots)
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
        return keys if session.pieces is None else to_host(keys)


def _cells_of_slots(session: Session, slots: Array) -> tuple[Array, Array]:
    """Dense ids (slots,) int32 of the keys in a table of cells, in their order, and the keys."""
    device = session.device
    keys = device.empty(int(device.xp.count_nonzero(slots != EMPTY_SLOT)), np.uint64)
    n_runs = slots.size // source.constant("SLOT_RUN")
    session.launch("collect_cells", n_runs, slots, keys, device.zeros(1, np.int64))
    keys.sort()
    cell_of_slot = device.empty(slots.size, np.int32)
    session.launch("number_cells", keys.size, keys, slots, slots.size - 1, cell_of_slot)
    return cell_of_slot, keys


def extrema_of_cells(keys: Array, n_maxima: int) -> tuple[Array, Array]:
    """Minimum and maximum of each Morse-Smale cell, (cells,) int32 each, -1 for outside."""
    n = np.uint64(n_maxima + 1)
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32) - np.int32(1)


def cells_of_extrema(minima: Array, maxima: Array, n_maxima: int) -> tuple[Array, Array]:
    """The converse for extrema that may repeat: dense ids (m,) int32 of the pairs, and the keys."""
    n, xp = np.uint64(n_maxima + 1), array_module(minima)
    keys = minima.astype(np.uint64) * n + (maxima + np.int32(1)).astype(np.uint64)
    distinct, cells = xp.unique(keys, return_inverse=True)
    return cells.astype(np.int32), distinct


def label_sizes(session: Session, labels: Array, n_labels: int) -> Array:
    """How many vertices carry each label 0 .. n_labels - 1: (n_labels,) int64."""
    device = session.device
    sizes = device.zeros(n_labels, np.int64)
    n_runs = -(-labels.size // source.constant("LABEL_RUN"))
    session.launch("count_labels", n_runs, labels, labels.size, sizes)
    return sizes
