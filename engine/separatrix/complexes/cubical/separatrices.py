"""Separatrices of an image: lines through cell centers, surfaces, and arrows of its gradient.

Lines are measured, their lengths summed, and the lines filled, in O(total length). Surfaces consist
of the squares, or duals of edges, on V-paths from a saddle, and take O(n + visited cells) expected.
Robins, Wood, Sheppard 2011, section 3.3.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...device import Array, Session, array_module, read_only
from ...errors import InputError, Words
from ...kernels.source import constant
from ...morse.connectors.networks import Networks, connector_lines
from ...morse.connectors.table import Connectors
from ...morse.frontier import reach
from ...morse.separatrices import ExtremumArcs, Polylines, SeparatrixSurfaces
from ...primitives import compact, exclusive_scan, row_of_items, without_repeats
from .connector_minor import mark_squares
from .forests import MeasuredArcs, passed_type
from .grid import Grid, place, place_lines
from .pairing import CubicalPairing


@dataclass(frozen=True, eq=False, repr=False)
class CubicalArcs(ExtremumArcs):
    """Arcs of an image: ``saddles`` are cell ids."""

    type: int  # of the vertices or top cells on the arcs
    offsets: Array  # (2s + 1,) int64
    chain: Array  # uint8, direction from each of these cells to the next, 7 at the extremum

    @property
    def n_points(self) -> Array:
        return 2 * array_module(self.offsets).diff(self.offsets) + (self.extremum < 0)

    def of_rows(self, rows: Array) -> CubicalArcs:
        xp = array_module(rows)
        arcs = (2 * rows[:, None] + xp.arange(2)).reshape(-1)
        begins = self.offsets[arcs]
        offsets = exclusive_scan(self.offsets[arcs + 1] - begins)
        places = xp.arange(int(offsets[-1])) + (begins - offsets[:-1])[row_of_items(offsets)]
        saddles, extremum, chain = self.saddles[rows], self.extremum[arcs], self.chain[places]
        return CubicalArcs(saddles, extremum, self.type, offsets, chain)


def trace_extremum_arcs(gradient: CubicalPairing, kind: str, arcs: MeasuredArcs) -> CubicalArcs:
    """Return all arcs of one kind. In 1D, descending arcs form the whole complex."""
    grid = gradient.grid
    saddles, length, end = arcs
    offsets = exclusive_scan(length)
    chain = gradient.session.device.empty(int(offsets[-1]), np.uint8)
    cell_type = passed_type(grid, kind)
    model = (grid.extents, gradient.extremum_words, saddles, cell_type)
    gradient.session.launch("fill_arcs", length.size, *model, offsets, chain)
    saddles, end, offsets, chain = map(read_only, (saddles, end, offsets, chain))
    return CubicalArcs(saddles, end, cell_type, offsets, chain)


def draw_arcs(gradient: CubicalPairing, arcs: CubicalArcs, kind: str) -> Polylines:
    """Return arcs as polylines through all their cells."""
    return polylines_of_arcs(gradient.session, gradient.grid, arcs)


def polylines_of_arcs(session: Session, grid: Grid, arcs: CubicalArcs) -> Polylines:
    """Return arcs as polylines through all their cells."""
    device = session.device
    offsets = exclusive_scan(arcs.n_points)
    n_cells = int(offsets[-1])
    session.memory.require(34 * n_cells, f"drawing lines of {n_cells:,} cells")
    cells = device.empty(n_cells, np.int64)
    model = (grid.extents, arcs.saddles, arcs.type, arcs.offsets, arcs.chain)
    session.launch("expand_arcs", arcs.extremum.size, *model, offsets, cells)
    points, dimensions = place_lines(device, grid, cells, offsets)
    return points, cells, dimensions, offsets


def draw_connectors(gradient: CubicalPairing, connectors: Connectors) -> tuple[Polylines, Array]:
    """Return the connectors as lines up to the 2-saddles, and the connector of each line."""
    grid, lowers = gradient.grid, gradient.critical_of(1)[connectors.items]
    marks = gradient.marks
    if lowers.size and marks is None:
        uppers = gradient.critical_of(2)[without_repeats(connectors.upper())]
        both = (uppers, without_repeats(lowers))
        within = gradient.marks_before
        marks = mark_squares(gradient.session, grid, gradient.words, *both, within=within)
    model = (grid.extents, gradient.words, marks)
    walks = ("start_below", "expand_below", "start_networks", "expand_networks")
    draws = ("measure_connectors", "fill_connectors")
    bits = cell_bits(grid)
    networks = Networks(gradient.critical_of(2), lowers, walks, model, draws, model, bits)
    cells, offsets, numbers = connector_lines(gradient.session, connectors, networks)
    points, dimensions = place_lines(gradient.session.device, grid, cells, offsets)
    return (points, cells, dimensions, offsets), numbers


def draw_arrows(gradient: CubicalPairing, stride: int) -> tuple[Array, ...]:
    """Return the columns of arrows of every `stride`-th voxel along each axis, by voxel."""
    device, xp, grid = gradient.session.device, gradient.session.device.xp, gradient.grid
    words = gradient.words
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
    return tail, ends[1::2] - tail, tails, heads, dimension


def cell_bits(grid: Grid) -> int:
    """Return the bits of a cell in the keys of kernels, below those of a source."""
    return constant("LARGE_KEY_CELL_BITS" if grid.is_large else "KEY_CELL_BITS")


SPARSE = 16  # with fewer than one corner per this many cells, corners are sorted, not marked


def trace_surfaces(
    gradient: CubicalPairing, kind: str, sources: Array, done: Callable[[float], None]
) -> SeparatrixSurfaces:
    """Return the surfaces of the saddles in rows `sources` (s,) int64, ascending and unique."""
    device, grid = gradient.session.device, gradient.grid
    if sources.size > (most := 1 << 63 - cell_bits(grid)):
        raise InputError("sources", f"at most {most:,} rows", Words(f"{sources.size:,}"))
    dimension = 2 if kind == "descending" else 1
    types = gradient.field.domain_types
    onward = (grid.extents, gradient.words, dimension)
    kernels, saddles = ("start_surfaces", "expand_surfaces"), gradient.critical_ids[sources]
    keys = reach(gradient.session, kernels, (grid.extents,), onward, saddles)
    done(0.6)
    f = keys.size
    cells, source = device.empty(f, np.int64), device.empty(f, np.int64)
    corners = device.empty(4 * f, np.int64)
    gradient.session.launch(
        "draw_polygons", f, grid.extents, *types, keys, dimension, cells, source, corners
    )
    del keys
    done(0.8)
    if types[1] and dimension == 1:
        dimension = 0  # corners are cells of the doubled grid: surfaces.h
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
    """Return the distinct corners, ascending, and the row of each corner among them."""
    device, xp = gradient.session.device, gradient.session.device.xp
    grid = gradient.grid
    n_places = math.prod(
        n + (dimension == 1 or wraps)
        for n, wraps in zip(grid.dimensions, grid.periodic, strict=True)
    )
    if not corners.size:
        return corners, corners
    if dimension == 0 or SPARSE * corners.size < n_places:
        places, rows = xp.unique(corners, return_inverse=True)
        return places, rows.astype(np.int64)
    is_corner = device.zeros(n_places, np.uint8)
    gradient.session.launch("mark_corners", corners.size, corners, is_corner)
    row_of_place = xp.cumsum(is_corner, dtype=np.int32)
    gradient.session.launch("number_corners", corners.size, row_of_place, corners)
    return compact(is_corner), corners
