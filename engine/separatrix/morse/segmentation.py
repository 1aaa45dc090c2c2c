"""Labels of vertices: the minimum below, the maximum above, and the Morse-Smale cell of both."""

from __future__ import annotations

import numpy as np

from ..device import Work
from ..device.arrays import array_module
from ..device.base import Array
from ..kernels import source
from .extrema import maximum_of_top_cells
from .gradient import DiscreteGradient

EMPTY_SLOT = np.uint64(2**64 - 1)


def maximum_of_vertices(gradient: DiscreteGradient) -> Array:
    """Label (n,) int32 of the maximum that each vertex ascends to, -1 out of the box.

    A vertex takes the label of the incident top cell that is highest in (owner, G order).
    """
    gradient.mark_top_cells()
    device, n = gradient.work.device, gradient.grid.n_vertices
    top_labels = maximum_of_top_cells(gradient)
    labels = device.empty(n, np.int32)
    gradient.work.launch(
        "gather_top_labels", n, gradient.grid.dimensions, gradient.words, top_labels, labels
    )
    return labels


def morse_smale_cells(
    work: Work, minima: Array, maxima: Array, n_maxima: int, n_likely: int
) -> tuple[Array, Array]:
    """Dense ids (n,) int32 of the pairs (minimum, maximum), in the sorted order of the pairs.

    With them come the pairs as keys (cells,) uint64: minimum * (n_maxima + 1) + maximum + 1.

    Distinct pairs are collected in a hash set, made larger until all fit; their order is that of
    their keys, so it does not depend on which thread came first. `n_likely` pairs size the first
    set. O(n) expected.
    """
    device, xp, n = work.device, work.device.xp, minima.size
    cells = device.empty(n, np.int32)  # first: a freed array of this size is still in one piece
    capacity = 1 << max(10, (2 * n_likely).bit_length())  # at most half full, if all is likely
    while True:
        slots = xp.full(capacity, EMPTY_SLOT, np.uint64)
        n_failed = device.zeros(1, np.int64)
        mask = capacity - 1
        work.launch("insert_cells", n, minima, maxima, n_maxima, slots, mask, n_failed)
        if not int(n_failed[0]):
            break
        capacity *= 2
        del slots
    n_keys = int(xp.count_nonzero(slots != EMPTY_SLOT))
    keys = device.empty(n_keys, np.uint64)
    n_runs = capacity // source.constant("SLOT_RUN")
    work.launch("collect_cells", n_runs, slots, keys, device.zeros(1, np.int64))
    keys.sort()
    cell_of_slot = device.empty(capacity, np.int32)
    work.launch("number_cells", n_keys, keys, slots, mask, cell_of_slot)
    work.launch("gather_cells", n, minima, maxima, n_maxima, slots, mask, cell_of_slot, cells)
    return cells, keys


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


def label_sizes(work: Work, labels: Array, n_labels: int) -> Array:
    """How many vertices carry each label 0 .. n_labels - 1: (n_labels,) int64."""
    device = work.device
    sizes = device.zeros(n_labels, np.int64)
    n_runs = -(-labels.size // source.constant("LABEL_RUN"))
    work.launch("count_labels", n_runs, labels, labels.size, sizes)
    return sizes
