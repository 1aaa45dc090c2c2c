"""Smoothing of separatrix lines, which otherwise run along the grid's axes.

In each pass every inner point moves halfway to the middle of its two neighbors (Laplacian
smoothing: Taubin 1995). Ends of lines stay, and so do junctions: points whose cell does not have
exactly two neighbors in all lines together. Lines that share a section keep sharing it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..arguments import checked_whole
from ..device.arrays import array_module, current_for
from ..device.base import Array
from ..errors import InputError, Words
from ..options import known_keywords
from ..primitives import compact, sort_by_key
from .separatrices import Separatrices

DIMENSIONS = 4
MOST_ITERATIONS = 100_000  # lines are straight long before


@known_keywords
def smooth(lines: Separatrices, iterations: int) -> Separatrices:
    """Return the lines with their inner points moved; ends and junctions stay in place.

    Parameters
    ----------
    lines : Separatrices
    iterations : int
        Number of passes, 0 to 100,000; each reaches one cell further. O(points) each.

    Returns
    -------
    Separatrices
        With new ``points``; everything else is shared with `lines`.

    Raises
    ------
    InputError
        `lines` are not Separatrices, or `iterations` is out of range.
    """
    if not isinstance(lines, Separatrices):
        raise InputError("lines", "Separatrices", Words(type(lines).__name__))
    n_passes = checked_whole(iterations, "iterations", 0, MOST_ITERATIONS)
    with current_for(lines.points):
        # Meshes number each dimension separately.
        cell = DIMENSIONS * lines.cell_id + lines.cell_dimension
        inner = compact(~is_fixed(cell, lines.offsets))
        points = lines.points.copy()
        for _ in range(n_passes):
            # Multiples of a power of two are exact: points of a shared section get the same bits.
            middle = 0.25 * (points[inner - 1] + points[inner + 1])
            points[inner] = 0.5 * points[inner] + middle
        return replace(lines, points=points)


def is_fixed(cell_id: Array, offsets: Array) -> Array:
    """Return which points of lines stay, ends and junctions: (p,) bool."""
    xp, p = array_module(cell_id), cell_id.size
    is_end = xp.zeros(p, bool)
    if not p:
        return is_end
    filled = offsets[1:] > offsets[:-1]
    is_end[offsets[:-1][filled]] = True
    is_end[offsets[1:][filled] - 1] = True
    before, after = xp.roll(cell_id, 1), xp.roll(cell_id, -1)
    low, high = xp.minimum(before, after), xp.maximum(before, after)
    place = xp.arange(p, dtype=np.int64)
    cells, low, high, ends, place = sort_by_key(cell_id, low, high, is_end, place)
    begins = xp.ones(p, bool)
    begins[1:] = cells[1:] != cells[:-1]
    differs = ends.copy()
    differs[1:] |= ~begins[1:] & ((low[1:] != low[:-1]) | (high[1:] != high[:-1]))
    group = xp.cumsum(begins) - 1
    stays = xp.bincount(group, weights=differs.astype(np.float64))[group] > 0
    fixed = xp.empty(p, bool)
    fixed[place] = stays
    return fixed
