"""Ordered lower stars of an image: Robins, Wood, Sheppard 2011, algorithm 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...device import Device, Session
from ...device.base import Array
from ...device.cuda import CudaDevice
from .field import ImageField
from .grid import n_tiles


def pair_lower_stars(session: Session, field: ImageField, done: Callable[[float], None]) -> Array:
    """Return the packed gradient (n,) uint32: kernels/cubical/grid.h. `done` gets the fraction."""
    device, grid = session.device, field.grid
    words = device.zeros(grid.n_vertices, np.uint32)
    _pair_inner_stars(device, field, words, done)
    if any(grid.periodic):  # combined by OR with words that the tiles stored
        n = grid.n_wrapped_stars
        device.launch("pair_wrapped_stars", n, grid.extents, field.values, words)
    return words


def _pair_inner_stars(
    device: Device, field: ImageField, words: Array, done: Callable[[float], None]
) -> None:
    grid = field.grid
    n_x, n_y, n_z = n_tiles(grid.inner, "TILE")
    if isinstance(device, CudaDevice):
        n_blocks = n_x * n_y * n_z
        device.launch_blocks("pair_lower_stars", n_blocks, grid.extents, field.values, words)
        return
    for color in range(4):  # blocks of rows of one color do not share words
        along_y, along_z = (n_y + 1 - color % 2) // 2, (n_z + 1 - color // 2) // 2
        device.launch(
            "pair_lower_stars",
            along_y * along_z,
            grid.extents,
            field.values,
            color,
            words,
            on_slice=partial(_quarter_done, done, color),
        )


def _quarter_done(done: Callable[[float], None], n_before: int, part: float) -> None:
    done((n_before + part) / 4)


def mark_top_cells(launch: Callable[..., None], field: ImageField, words: Array) -> None:
    """Store the highest top cell of each vertex in its word."""
    grid = field.grid
    launch("mark_top_cells", grid.n_vertices, grid.extents, field.values, words)
    if any(grid.periodic):
        n = grid.n_wrapped_stars
        launch("mark_wrapped_top_cells", n, grid.extents, field.values, words)
