"""Arrows of an image's discrete gradient."""

from __future__ import annotations

import numpy as np

from ...device import Session
from ...device.base import Array
from ...morse.arrows import Arrows
from ...primitives import exclusive_scan
from .grid import Grid, place, place_lines


def draw_arrows(session: Session, grid: Grid, words: Array, stride: int) -> Arrows:
    """Arrows of every `stride`-th voxel along each axis, by voxel. `words` (n,) uint32: grid.h."""
    device, xp = session.device, session.device.xp
    every = xp.arange(grid.n_vertices, dtype=np.int64).reshape(grid.dimensions[::-1])
    anchors = xp.ascontiguousarray(every[::stride, ::stride, ::stride].reshape(-1))
    count = device.empty(anchors.size, np.int32)
    device.launch("count_arrows", anchors.size, words, anchors, count)
    offsets = exclusive_scan(count)
    m = int(offsets[-1])
    tails, heads = device.empty(m, np.int64), device.empty(m, np.int64)
    place_of = (grid.extents, words, anchors, offsets)
    device.launch("list_arrows", anchors.size, *place_of, tails, heads)
    tail, dimension, _ = place(device, grid, tails)
    both = xp.stack([tails, heads], axis=1).reshape(-1)
    ends, _ = place_lines(device, grid, both, 2 * xp.arange(m + 1, dtype=np.int64))
    columns = (tail, ends[1::2] - tail, tails, heads, dimension)
    return Arrows(*map(session.result, columns))
