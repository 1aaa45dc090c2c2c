"""Smoothing of separatrix lines, which otherwise run along the grid's axes.

Each inner point moves halfway to the middle of its two neighbors, a number of times (Laplacian
smoothing: Taubin 1995). Ends of lines and junctions, points whose cell has other than
two neighbors in all lines together, stay; lines that share a stretch keep sharing it.
"""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral

import numpy as np

from ..device.arrays import array_module, current_for
from ..device.base import Array
from ..errors import InputError
from ..options import known_keywords
from ..primitives import compact, sort_by_key
from .separatrices import Separatrices

DIMENSIONS = 4
MOST_ITERATIONS = 100_000  # nothing is left to be smoothed long before


@known_keywords
def smooth(lines: Separatrices, iterations: int) -> Separatrices:
    """The lines with their inner points moved; ends and junctions stay where they are.

    Parameters
    ----------
    lines : Separatrices
    iterations : int
        How often, 0 to 100,000; each one reaches a cell's width further. O(points) each.

    Returns
    -------
    Separatrices
        With new ``points``; everything else is shared with `lines`.

    Raises
    ------
    InputError
        `lines` that are no Separatrices, a negative number of iterations.
    """
    if not isinstance(lines, Separatrices):
        raise InputError(f"lines must be Separatrices, got {type(lines).__name__}")
    if isinstance(iterations, bool) or not isinstance(iterations, Integral) or iterations < 0:
        raise InputError(f"iterations must be a whole number from 0 on, got {iterations!r}")
    if iterations > MOST_ITERATIONS:
        raise InputError(f"iterations must be at most {MOST_ITERATIONS:,}, got {iterations!r}")
    with current_for(lines.points):
        # Meshes number each dimension apart.
        cell = DIMENSIONS * lines.cell_id + lines.cell_dimension
        inner = compact(~is_fixed(cell, lines.offsets))
        points = lines.points.copy()
        for _ in range(int(iterations)):
            # Multiples of a power of two are exact: points of a shared stretch get the same bits.
            middle = 0.25 * (points[inner - 1] + points[inner + 1])
            points[inner] = 0.5 * points[inner] + middle
        return replace(lines, points=points)


def is_fixed(cell_id: Array, offsets: Array) -> Array:
    """Which points of lines stay: ends, and junctions: (p,) bool."""
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
