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
from .grid import Grid
from .pairing import CubicalPairing
from .slab_forests import labels_in_slabs


def minimum_of_vertices(gradient: CubicalPairing) -> Array:
    """Label (n,) int32 of the minimum that each vertex descends to."""
    return _labels_of_roots(gradient, 0, 0)


def maximum_of_top_cells(gradient: CubicalPairing) -> Array:
    """Label (n,) int32 of the maximum that the top cell anchored at each vertex ascends to.

    -1 where the path leaves the box, and where no top cell is anchored.
    """
    return _labels_of_roots(gradient, gradient.grid.top_type, gradient.grid.dimension)


def maximum_of_vertices(gradient: CubicalPairing) -> Array:
    """Label (n,) int32 of the maximum that each vertex ascends to, -1 out of the box.

    A vertex takes the label of the incident top cell that is highest in (owner, G order); the
    words must hold it.
    """
    session, grid = gradient.session, gradient.grid
    device, n = session.device, grid.n_vertices
    if session.pieces is not None:
        anchors = extremum_anchors(gradient, grid.dimension)
        in_slabs = labels_in_slabs(session, grid, gradient.words, grid.top_type, anchors, True)
        if in_slabs is not None:
            return in_slabs
    top_labels = maximum_of_top_cells(gradient)
    labels = device.empty(n, np.int32)
    gradient.session.launch(
        "gather_top_labels", n, gradient.grid.extents, gradient.words, top_labels, labels
    )
    return labels


def extremum_anchors(gradient: CubicalPairing, index: int) -> Array:
    """Anchors (int32, ascending) of the critical cells of index 0 or of the grid's dimension."""
    cells = gradient.critical_of(index)
    anchors = gradient.session.device.empty(cells.size, np.int32)
    gradient.session.launch("anchor_cells", cells.size, gradient.grid.extents, cells, anchors)
    return anchors


def saddle_index(gradient: CubicalPairing, kind: str) -> int:
    """Index of the saddles that lines of this kind start from."""
    return 1 if kind == "descending" else gradient.grid.dimension - 1


def measured_arcs(gradient: CubicalPairing, kind: str) -> tuple[Array, Array, Array]:
    """Saddles (s,) int64, and lengths and extrema (2 s,) int32 of the arcs on both their sides.

    Extrema are counted from 0, -1 out of the box. A line (1D) does not have ascending arcs.
    """
    session, grid = gradient.session, gradient.grid
    index = saddle_index(gradient, kind)
    saddles = gradient.critical_of(index) if index >= 1 else gradient.critical_ids[:0]
    m = 2 * saddles.size
    length, end = session.device.empty(m, np.int32), session.device.empty(m, np.int32)
    model = (grid.extents, gradient.extremum_words, saddles, passed_type(grid, kind))
    session.launch("measure_arcs", m, *model, length, end)
    if m:
        anchors = extremum_anchors(gradient, 0 if kind == "descending" else grid.dimension)
        session.launch("label_ends", m, anchors, anchors.size, end)
    return saddles, length, end


def passed_type(grid: Grid, kind: str) -> int:
    """Type of the cells that arcs of this kind pass beside facets: vertices or top cells."""
    return 0 if kind == "descending" else grid.top_type


def _labels_of_roots(gradient: CubicalPairing, cell_type: int, index: int) -> Array:
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
