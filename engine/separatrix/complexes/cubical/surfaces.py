"""2-separatrices of a volume: squares, or duals of edges, that V-paths from a saddle reach.

O(n + reached cells) expected. V-paths: Robins, Wood, Sheppard 2011, section 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...device.base import Array
from ...morse.frontier import reach
from ...morse.separatrices import SeparatrixSurfaces
from ...primitives import compact
from .grid import place
from .pairing import CubicalPairing

SPARSE = 16  # with fewer corners than one in this many places, corners are sorted, not marked


def trace_surfaces(
    gradient: CubicalPairing, kind: str, sources: Array, done: Callable[[float], None]
) -> SeparatrixSurfaces:
    """The surfaces of saddles, rows `sources` (int64, ascending, each once, on the device)."""
    device, grid = gradient.session.device, gradient.grid
    dimension = 2 if kind == "descending" else 1
    onward = (grid.extents, gradient.words, dimension)
    kernels, saddles = ("start_surfaces", "expand_surfaces"), gradient.critical_ids[sources]
    keys = reach(gradient.session, kernels, (grid.extents,), onward, saddles)
    done(0.6)
    f = keys.size
    cells, source = device.empty(f, np.int64), device.empty(f, np.int64)
    corners = device.empty(4 * f, np.int64)
    gradient.session.launch(
        "draw_polygons", f, grid.extents, keys, dimension, cells, source, corners
    )
    del keys
    done(0.8)
    places, corners = _shared_corners(gradient, corners, dimension)
    shared = device.empty(places.size, np.int64)
    gradient.session.launch("name_corners", places.size, grid.extents, dimension, places, shared)
    points, dimensions, _ = place(device, grid, shared)
    if any(grid.periodic):
        gradient.session.launch(
            "place_corners", places.size, grid.extents, grid.frame, dimension, places, points
        )
    del places
    offsets = device.xp.arange(0, 4 * f + 1, 4, dtype=np.int64)
    columns = (points, shared, dimensions, offsets, corners, sources[source], cells)
    return SeparatrixSurfaces(*map(gradient.session.result, columns))


def _shared_corners(
    gradient: CubicalPairing, corners: Array, dimension: int
) -> tuple[Array, Array]:
    """Distinct places of corners, ascending, and each corner's row among them."""
    device, xp = gradient.session.device, gradient.session.device.xp
    grid = gradient.grid
    n_places = math.prod(
        n + (dimension == 1 or wraps)
        for n, wraps in zip(grid.dimensions, grid.periodic, strict=True)
    )
    if not corners.size:
        return corners, corners
    if SPARSE * corners.size < n_places:
        places, rows = xp.unique(corners, return_inverse=True)
        return places, rows.astype(np.int64)
    is_corner = device.zeros(n_places, np.uint8)
    gradient.session.launch("mark_corners", corners.size, corners, is_corner)
    row_of_place = xp.cumsum(is_corner, dtype=np.int32)
    gradient.session.launch("number_corners", corners.size, row_of_place, corners)
    return compact(is_corner), corners
