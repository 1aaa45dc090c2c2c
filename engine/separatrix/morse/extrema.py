"""Forests of minima and maxima: which extremum every vertex and every top cell ends in.

1. Each vertex but a minimum points to the other end of its edge, each top cell but a maximum to
   the cell across its facet, or out of the box.
2. The extrema get their labels.
3. Every slot is chased to its root; slots reached earlier are shortcuts.
"""

from __future__ import annotations

import numpy as np

from ..device.base import Array
from .gradient import DiscreteGradient


def minimum_of_vertices(gradient: DiscreteGradient) -> Array:
    """Label (n,) int32 of the minimum that each vertex descends to."""
    device, grid = gradient.work.device, gradient.grid
    forest = device.empty(grid.n_vertices, np.int32)
    device.launch("link_minima", grid.n_vertices, grid.dimensions, gradient.words, forest)
    return _chased(gradient, forest, 0)


def maximum_of_top_cells(gradient: DiscreteGradient) -> Array:
    """Label (n,) int32 of the maximum that the top cell anchored at each vertex ascends to.

    -1 where the path leaves the box, and where no top cell is anchored.
    """
    device, grid = gradient.work.device, gradient.grid
    forest = device.empty(grid.n_vertices, np.int32)
    device.launch(
        "link_maxima", grid.n_vertices, grid.dimensions, gradient.words, grid.top_type, forest
    )
    return _chased(gradient, forest, grid.dimension)


def extremum_anchors(gradient: DiscreteGradient, index: int) -> Array:
    """Anchors (int32, ascending) of the critical cells of index 0 or of the grid's dimension."""
    nx, ny, _ = gradient.grid.dimensions
    _, dy, dx = gradient.grid.doubled_shape
    ids = gradient.critical_ids[gradient.rows(index)]
    x, y, z = ids % dx >> 1, ids // dx % dy >> 1, ids // (dx * dy) >> 1
    return ((z * ny + y) * nx + x).astype(np.int32)


def _chased(gradient: DiscreteGradient, forest: Array, index: int) -> Array:
    device = gradient.work.device
    anchors = extremum_anchors(gradient, index)
    device.launch("plant_labels", anchors.size, anchors, forest)
    device.launch("chase_roots", forest.size, forest)
    device.launch("decode_labels", forest.size, forest)
    return forest
