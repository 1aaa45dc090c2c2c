"""Forests of minima and maxima: which extremum every vertex and every top cell ends in.

1. Each vertex but a minimum points to the other end of its edge, each top cell but a maximum to
   the cell across its facet, or out of the box.
2. The extrema get their labels.
3. Every slot is chased to its root; slots reached earlier are shortcuts.

What does not fit on the device is chased in slabs; see slab_forests.py.
"""

from __future__ import annotations

import numpy as np

from ...device.base import Array
from .forest import link_forest
from .gradient import DiscreteGradient
from .slab_forests import labels_in_slabs


def minimum_of_vertices(gradient: DiscreteGradient) -> Array:
    """Label (n,) int32 of the minimum that each vertex descends to."""
    return _labels_of_roots(gradient, 0, 0)


def maximum_of_top_cells(gradient: DiscreteGradient) -> Array:
    """Label (n,) int32 of the maximum that the top cell anchored at each vertex ascends to.

    -1 where the path leaves the box, and where no top cell is anchored.
    """
    return _labels_of_roots(gradient, gradient.grid.top_type, gradient.grid.dimension)


def extremum_anchors(gradient: DiscreteGradient, index: int) -> Array:
    """Anchors (int32, ascending) of the critical cells of index 0 or of the grid's dimension."""
    cells = gradient.critical_ids[gradient.rows(index)]
    anchors = gradient.session.device.empty(cells.size, np.int32)
    gradient.session.launch("anchor_cells", cells.size, gradient.grid.extents, cells, anchors)
    return anchors


def ends_of_saddles(gradient: DiscreteGradient, kind: str) -> Array:
    """Minima ("descending") or maxima that both sides of each saddle lead to: (s, 2) int32.

    On the device, counted from 0, -1 out of the box. A line has no ascending ones.
    """
    device, grid = gradient.session.device, gradient.grid
    descending = kind == "descending"
    index = 1 if descending else grid.dimension - 1
    exists = grid.dimension >= (1 if descending else 2)
    saddles = gradient.critical_ids[gradient.rows(index) if exists else slice(0)]
    cell_type = 0 if descending else grid.top_type
    m = 2 * saddles.size
    length, end = device.empty(m, np.int32), device.empty(m, np.int32)
    field = (grid.extents, gradient.words, saddles, cell_type)
    gradient.session.launch("measure_arcs", m, *field, length, end)
    if m:
        anchors = extremum_anchors(gradient, 0 if descending else grid.dimension)
        gradient.session.launch("label_ends", m, anchors, anchors.size, end)
    return end.reshape(-1, 2)


def _labels_of_roots(gradient: DiscreteGradient, cell_type: int, index: int) -> Array:
    session, grid, words = gradient.session, gradient.grid, gradient.words
    anchors = extremum_anchors(gradient, index)
    if session.pieces is not None:
        labels = labels_in_slabs(session, grid, words, cell_type, anchors)
        if labels is not None:
            return labels
    forest = link_forest(session, grid, words, cell_type)
    gradient.session.launch("init_labels", anchors.size, anchors, forest)
    gradient.session.launch("pointer_jump", forest.size, forest)
    gradient.session.launch("decode_labels", forest.size, forest)
    return forest
