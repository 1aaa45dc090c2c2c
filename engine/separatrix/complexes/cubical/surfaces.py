"""2-separatrices of a volume: surfaces of all cells that V-paths from a saddle reach.

1. From each saddle a frontier of cells is walked breadth first; a hash set of (source, cell) keeps
   each cell once a source.
2. The keys are sorted: by source, then by the cell's anchor and type. Nothing depends on who
   came first.
3. Each cell becomes a quadrilateral: a square itself, or the dual of an edge, cut where the box
   ends. Corners that are used are marked, scanned and compacted into shared points.

O(n + reached cells) expected, on either device. V-paths: Robins, Wood, Sheppard 2011, section 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...device import Session
from ...device.base import Array
from ...morse.frontier import reached_keys
from ...primitives import compact, sorted_keys
from ...repr_mixin import ReprMixin
from .gradient import DiscreteGradient
from .grid import place

SPARSE = 16  # fewer corners than one in so many places are sorted, not marked in all of them


@dataclass(frozen=True, eq=False, repr=False)
class SeparatrixSurfaces(ReprMixin):
    """Quadrilaterals, f of them, on p shared points.

    ``points`` (p, 3) float64 with the ``cell_id`` (p,) int64 and ``cell_dimension`` (p,) int8 of
    the cells whose centers they are; ``polygons`` (f, 4) int64, rows of points; ``source`` (f,)
    int64, row of the critical cells; ``polygon_cell_id`` (f,) int64, the square or the edge. A
    polygon that crosses a period has corners beyond the box: there the surface has two edges, a
    period apart.
    """

    points: Array
    cell_id: Array
    cell_dimension: Array
    polygons: Array
    source: Array
    polygon_cell_id: Array

    def _summary(self) -> str:
        return f"{len(self.polygons):,} quadrilaterals on {len(self.points):,} points"


def trace_surfaces(
    gradient: DiscreteGradient,
    kind: str,
    done: Callable[[float], None],
    sources: Array | None = None,
) -> SeparatrixSurfaces:
    """Surfaces of one kind: "descending" from 2-saddles, "ascending" from 1-saddles.

    `sources`, rows of the critical cells (int64, ascending, each once, on the device), names the
    saddles; all of them by default. Memory goes with what is reached.
    """
    device, grid = gradient.session.device, gradient.grid
    dimension = 2 if kind == "descending" else 1
    if sources is None:
        rows = gradient.rows(dimension)
        sources = device.xp.arange(rows.start, rows.stop, dtype=np.int64)
    keys = reached_cells(gradient, gradient.critical_ids[sources], 0, dimension)
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
    result = gradient.session.result
    return SeparatrixSurfaces(
        points=result(points),
        cell_id=result(shared),
        cell_dimension=result(dimensions),
        polygons=result(corners.reshape(f, 4)),
        source=result(sources[source]),
        polygon_cell_id=result(cells),
    )


def _shared_corners(
    gradient: DiscreteGradient, corners: Array, dimension: int
) -> tuple[Array, Array]:
    """Places of corners that occur, ascending, and of each corner its row among them."""
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


def reached_cells(
    gradient: DiscreteGradient, saddles: Array, first_source: int, dimension: int
) -> Array:
    """Keys (f,) uint64 of the cells reached from each saddle, itself included, sorted."""
    extents = gradient.grid.extents
    kernels = ("start_surfaces", "expand_surfaces")
    start, onward = (extents,), (extents, gradient.words, dimension)
    return reach(gradient.session, kernels, start, onward, saddles, first_source)


def reach(
    session: Session,
    kernels: tuple[str, str],
    start: tuple[Any, ...],
    onward: tuple[Any, ...],
    saddles: Array,
    first_source: int,
) -> Array:
    """Keys (f,) uint64 that are reached from each saddle, itself included, sorted.

    `start` and `onward` are what the two kernels, that begin and go on, read first.
    """
    xp, n = session.device.xp, int(saddles.size)
    if not n:
        return session.device.empty(0, np.uint64)
    seeds, what = (*start, saddles, first_source), f"tracing the surfaces of {n:,} saddles"
    found = reached_keys(session, kernels, seeds, (onward, ()), n, n > 1, what)
    if found is not None:
        return sorted_keys(session, found.keys)
    half = n // 2
    parts = (
        reach(session, kernels, start, onward, saddles[:half], first_source),
        reach(session, kernels, start, onward, saddles[half:], first_source + half),
    )
    return xp.concatenate(parts)
