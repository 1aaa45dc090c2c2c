"""Forests of minima and maxima: the extremum that each vertex and each top cell leads to. O(n)."""

from __future__ import annotations

import math

import numpy as np

from ...device import Array, CudaDevice, Session
from ...morse.critical import indices_of
from ...morse.segmentation import label_roots
from .grid import Grid, n_tiles
from .pairing import CubicalPairing


def label_vertices(gradient: CubicalPairing, kind: str) -> Array:
    """Return the label (n,) int32 of the extremum that each vertex leads to, -1 outside.

    An ascending label is that of the highest incident top cell by (owner, G order), which must be
    stored in the words.
    """
    if kind == "descending":
        return _labels_of_roots(gradient, 0, 0)
    session, grid = gradient.session, gradient.grid
    top_labels = maximum_of_top_cells(gradient)
    labels = session.device.empty(grid.n_vertices, np.int32)
    session.launch(
        "gather_top_labels", labels.size, grid.extents, gradient.words, top_labels, labels
    )
    return labels


def maximum_of_top_cells(gradient: CubicalPairing) -> Array:
    """Return the maximum (n,) int32 of the top cell anchored at each vertex, -1 for none."""
    return _labels_of_roots(gradient, gradient.grid.top_type, gradient.grid.dimension)


def _labels_of_roots(gradient: CubicalPairing, cell_type: int, index: int) -> Array:
    session, anchors = gradient.session, extremum_anchors(gradient, index)
    forest = link_forest(session, gradient.grid, gradient.words, cell_type)
    return label_roots(session, forest, anchors)


def extremum_anchors(gradient: CubicalPairing, index: int) -> Array:
    """Return the anchors, ascending, of the critical cells of index 0 or the dimension."""
    cells = gradient.critical_of(index)
    anchors = gradient.session.device.empty(cells.size, gradient.grid.vertex_type)
    gradient.session.launch("anchor_cells", cells.size, gradient.grid.extents, cells, anchors)
    return anchors


MeasuredArcs = tuple[Array, Array, Array]
"""Saddles (s,) int64, and lengths and extrema (2 s,) int32 of their arcs; -1 outside."""


def measured_arcs(gradient: CubicalPairing, kind: str) -> MeasuredArcs:
    """Return the arcs of a kind without their cells."""
    session, grid = gradient.session, gradient.grid
    extremum_index, index = indices_of(kind, grid.dimension)
    saddles = gradient.critical_of(index) if index >= 1 else gradient.critical_ids[:0]
    m = 2 * saddles.size
    length, end = session.device.empty(m, np.int32), session.device.empty(m, grid.vertex_type)
    model = (grid.extents, gradient.extremum_words, saddles, passed_type(grid, kind))
    session.launch("measure_arcs", m, *model, length, end)
    if m:
        anchors = extremum_anchors(gradient, extremum_index)
        if grid.is_large:
            labels = np.searchsorted(anchors, end).astype(np.int32)
            end = np.where(end < 0, np.int32(-1), labels)
        else:
            session.launch("label_ends", m, anchors, anchors.size, end)
    return saddles, length, end


def passed_type(grid: Grid, kind: str) -> int:
    """Return the type of the cells (vertices or top cells) on the arcs of a kind."""
    return 0 if kind == "descending" else grid.top_type


def link_forest(session: Session, grid: Grid, words: Array, cell_type: int) -> Array:
    """Return parents or other ancestors (n,) int32, -1 at roots (kernels/morse/forest.h)."""
    forest = session.device.empty(grid.n_vertices, np.int32)
    if isinstance(session.device, CudaDevice):
        n_blocks = math.prod(n_tiles(grid, "FOREST"))
        arrays = (grid.extents, words, cell_type, forest)
        session.device.launch_blocks("link_forest_tiles", n_blocks, *arrays)
    else:
        session.launch("link_forest", forest.size, grid.extents, words, cell_type, forest)
    return forest
