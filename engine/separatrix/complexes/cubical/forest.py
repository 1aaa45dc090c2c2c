"""The forest of a grid's vertices or top cells: every slot points towards its extremum."""

from __future__ import annotations

import numpy as np

from ...device import Session
from ...device.base import Array
from ...device.cuda import CudaDevice
from .grid import Grid, n_tiles


def link_forest(session: Session, grid: Grid, words: Array, cell_type: int) -> Array:
    """Parents or nearer ancestors (n,) int32, -1 at roots; see kernels/morse/forest.h.

    `cell_type` is 0 for vertices, the top type for top cells.
    """
    forest = session.device.empty(grid.n_vertices, np.int32)
    if isinstance(session.device, CudaDevice):
        n_x, n_y, n_z = n_tiles(grid, "FOREST")
        n_blocks = n_x * n_y * n_z
        session.device.launch_blocks(
            "link_forest_tiles", n_blocks, grid.extents, words, cell_type, forest
        )
    else:
        session.launch("link_forest", forest.size, grid.extents, words, cell_type, forest)
    return forest
