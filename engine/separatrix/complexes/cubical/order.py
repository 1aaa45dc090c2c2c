"""The order of the vertices: by (value, index), or plateau-aware, by (value, 2 low - high, index).

A plateau is a set of vertices of one value joined along the axes. `low` counts steps from where it
has a lower neighbor, from its smallest index if it has none; `high` from where it has a higher
one, 0 if it has none (Garbrecht, Martz 1997; Barnes, Lehman, Mulla 2014). The gradient then crosses
plateaus in straight ways down instead of along the index, and most critical cells of quantized
images, which are artifacts of the index, do not come about. Only ties are broken otherwise: every
pair of nonzero persistence stays.

1. Sides of every vertex: which neighbors are equal, whether one is lower or higher.
2. Distances, relaxed in tiles; a flat minimum's one source is its smallest index.
3. Levels: one number a vertex that is compared like (value, 2 low - high). Vertices with equal
   levels compare by index, like all others, so nothing is sorted where 64 bits hold the levels.

O(n) and what the relaxation repeats: a tile once for each time that a shorter way enters it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...device import Session
from ...device.base import Array
from ...device.cuda import CudaDevice
from ...kernels import source
from .field import ImageField
from .grid import n_tiles

FAR = 2**31 - 1  # cubical/plateau.h
ROUNDS = 4  # of tiles, between two looks at whether anything changed


def refine_plateaus(
    session: Session, field: ImageField, done: Callable[[float], None]
) -> ImageField:
    """The field with levels of the plateau-aware order in place of the values that are compared.

    Without plateaus, and where no distance differs, it is the field itself.
    """
    device, n = session.device, field.grid.n_vertices
    sides, has_plateaus = device.empty(n, np.uint8), device.zeros(1, np.uint8)
    session.launch("describe_sides", n, field.grid.extents, field.values, sides, has_plateaus)
    if not int(has_plateaus[0]):
        return field
    done(0.1)
    low, high = distances(session, field, sides, done)
    del sides
    highest = int(high.max())
    distinct = 2 * int(low.max()) + highest + 1
    if distinct == 1:
        return field
    levels = _levels(session, field.values, low, high, distinct, highest)
    return replace(field, values=levels, plain_values=field.values)


def distances(
    session: Session, field: ImageField, sides: Array, done: Callable[[float], None]
) -> tuple[Array, Array]:
    """`low` and `high` (n,) int32 of every vertex, from its sides (n,) uint8 of plateau.h."""
    device, grid, n = session.device, field.grid, field.grid.n_vertices
    low, high = device.empty(n, np.int32), device.empty(n, np.int32)
    every_tile = device.xp.ones(math.prod(n_tiles(grid, "PLATEAU")), np.uint8)
    session.launch("start_distances", n, sides, source.constant("HAS_LOWER"), low)
    _relax(session, field, sides, 1, low, every_tile.copy())
    done(0.4)
    labels, has_flats = high, device.zeros(1, np.uint8)  # room that is not yet needed
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


def _levels(
    session: Session, values: Array, low: Array, high: Array, distinct: int, highest: int
) -> Array:
    """Levels (n,) in uint32 where they fit, else uint64; `distinct` bounds 2 low - high's range."""
    xp, n = session.device.xp, values.size
    lowest, span = _range(xp, values)
    if span * distinct > 2**64:
        values = _dense_ranks(xp, values)
        lowest, span = _range(xp, values)
    if span * distinct <= 2**32:
        levels = low.view(np.uint32)  # item by item: each reads its distances before it writes
        kernel = "refine_words"
    else:
        levels = session.device.empty(n, np.uint64)
        kernel = "refine_wides"
    session.launch(kernel, n, values, lowest, low, high, distinct, highest, levels)
    return levels


def _range(xp: Any, values: Array) -> tuple[Array, int]:
    """A value (1,) that no other is below, and how many different ones there may be from it on."""
    if values.dtype.kind == "f":
        return xp.full(1, -xp.inf, values.dtype), 2 ** (8 * values.dtype.itemsize)
    lowest = values.min().reshape(1)
    return lowest, int(values.max()) - int(lowest[0]) + 1


def _dense_ranks(xp: Any, values: Array) -> Array:
    """Ranks (n,) int32 of values, equal ones equal."""
    order = xp.argsort(values)
    ordered = values[order]
    rises = xp.zeros(values.size, np.int32)
    rises[1:] = ordered[1:] != ordered[:-1]
    ranks = xp.empty(values.size, np.int32)
    ranks[order] = xp.cumsum(rises, dtype=np.int32)
    return ranks
