"""The plateau-aware order of an image (morse/field.py): distances inside plateaus.

They are relaxed in tiles, a tile again whenever a shorter path enters it. O(n) besides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...device import Session
from ...device.base import Array
from ...device.cuda import CudaDevice
from ...kernels import source
from ...morse.field import FAR, plateau_levels
from .field import ImageField
from .grid import n_tiles

ROUNDS = 4  # of tiles between two checks for changes


def refine_plateaus(
    session: Session, field: ImageField, done: Callable[[float], None]
) -> ImageField:
    """The field with levels of the plateau-aware order as values; itself if no distance differs."""
    device, n = session.device, field.grid.n_vertices
    sides, has_plateaus = device.empty(n, np.uint8), device.zeros(1, np.uint8)
    session.launch("describe_sides", n, field.grid.extents, field.values, sides, has_plateaus)
    if not int(has_plateaus[0]):
        return field
    done(0.1)
    low, high = distances(session, field, sides, done)
    del sides
    levels = plateau_levels(session, field.values, low, high)
    return field if levels is None else replace(field, values=levels, plain_values=field.values)


def distances(
    session: Session, field: ImageField, sides: Array, done: Callable[[float], None]
) -> tuple[Array, Array]:
    """Return `low` and `high` (n,) int32 of every vertex, from its sides (n,) uint8: plateau.h."""
    device, grid, n = session.device, field.grid, field.grid.n_vertices
    low, high = device.empty(n, np.int32), device.empty(n, np.int32)
    every_tile = device.xp.ones(math.prod(n_tiles(grid, "PLATEAU")), np.uint8)
    session.launch("start_distances", n, sides, source.constant("HAS_LOWER"), low)
    _relax(session, field, sides, 1, low, every_tile.copy())
    done(0.4)
    labels, has_flats = high, device.zeros(1, np.uint8)  # reuse memory that is not needed yet
    session.launch("start_labels", n, low, labels, has_flats)
    if int(has_flats[0]):
        _relax(session, field, sides, 0, labels, every_tile.copy())
        dirty = device.xp.zeros_like(every_tile)
        session.launch("start_flat_minima", n, grid.extents, sides, labels, low, dirty)
        _relax(session, field, sides, 1, low, dirty)
    done(0.7)
    session.launch("start_distances", n, sides, source.constant("HAS_HIGHER"), high)
    _relax(session, field, sides, 1, high, every_tile)
    high[high == FAR] = 0
    done(0.95)
    return low, high


def _relax(
    session: Session, field: ImageField, sides: Array, step: int, reach: Array, dirty: Array
) -> None:
    """Relax `reach` over equal neighbors, a step adding `step`, until no tile is dirty."""
    device, extents = session.device, field.grid.extents
    changed, other = device.zeros(1, np.uint8), device.xp.zeros_like(dirty)
    while True:
        changed[:] = 0
        for k in range(ROUNDS):
            if isinstance(device, CudaDevice):
                tiles = (reach, dirty, other)
                device.launch_blocks(
                    "relax_tiles", dirty.size, extents, sides, step, *tiles, changed
                )
                dirty, other = other, dirty
            else:
                last = (dirty.size - 1) * (k % 2)
                session.launch(
                    "relax_tiles", dirty.size, extents, sides, step, reach, dirty, last, changed
                )
        if not int(changed[0]):
            return
