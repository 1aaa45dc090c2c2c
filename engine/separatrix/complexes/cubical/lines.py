"""1-separatrices of an image as polylines through cell centers.

Descending ones lead from each critical edge to two minima, ascending ones from each critical cell
of codimension 1 to two maxima or out of the box. Each arc is measured, the lengths are scanned,
and the arcs are filled: O(their total length), in an order that no thread count changes. Saddle
connectors are networks of all V-paths: see morse/connectors/networks.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ...device.arrays import read_only
from ...device.base import Array
from ...morse.connectors.networks import Lines, collect_lines, collect_networks, draw_networks
from ...morse.connectors.table import Connectors
from ...morse.separatrices import ExtremumArcs, Polylines
from ...primitives import exclusive_scan
from .connector_minor import mark_squares
from .extrema import measured_arcs, passed_type
from .grid import place_lines
from .pairing import CubicalPairing


@dataclass(frozen=True, eq=False, repr=False)
class CubicalArcs(ExtremumArcs):
    """Arcs of an image: ``saddles`` are cell ids.

    ``type`` of the cells that V-paths pass beside facets, 0 vertices, else that of top cells;
    ``offsets`` (2s + 1,) int64 and ``chain`` uint8: the direction taken from each vertex or top
    cell on the way (codes of :meth:`DiscreteGradient.codes`), 7 at the extremum.
    """

    type: int
    offsets: Array
    chain: Array


def trace_extremum_arcs(gradient: CubicalPairing, kind: str) -> CubicalArcs:
    """All arcs of one kind. A line (1D) has descending ones only: they are its whole complex."""
    grid = gradient.grid
    saddles, length, end = measured_arcs(gradient, kind)
    offsets = exclusive_scan(length)
    chain = gradient.session.device.empty(int(offsets[-1]), np.uint8)
    cell_type = passed_type(grid, kind)
    model = (grid.extents, gradient.extremum_words, saddles, cell_type)
    gradient.session.launch("fill_arcs", length.size, *model, offsets, chain)
    saddles, end, offsets, chain = map(read_only, (saddles, end, offsets, chain))
    return CubicalArcs(saddles, end, cell_type, offsets, chain)


def draw_arcs(gradient: CubicalPairing, arcs: CubicalArcs) -> Polylines:
    """The arcs as polylines through all cells on their way."""
    device, xp, grid = gradient.session.device, gradient.session.device.xp, gradient.grid
    m = arcs.extremum.size
    offsets = exclusive_scan(2 * xp.diff(arcs.offsets) + (arcs.extremum < 0))
    n_cells = int(offsets[-1])
    gradient.session.memory.require(34 * n_cells, f"drawing lines of {n_cells:,} cells")
    cells = device.empty(n_cells, np.int64)
    gradient.session.launch(
        "expand_arcs",
        m,
        grid.extents,
        arcs.saddles,
        arcs.type,
        arcs.offsets,
        arcs.chain,
        offsets,
        cells,
    )
    points, dimensions = place_lines(device, grid, cells, offsets)
    return points, cells, dimensions, offsets


def draw_connectors(gradient: CubicalPairing, connectors: Connectors) -> tuple[Polylines, Array]:
    """The connectors as lines from the 1-saddles up to the 2-saddles, and the connector of each."""
    device, grid = gradient.session.device, gradient.grid
    m = int(connectors.lower.size)
    upper = connectors.upper()
    marks = mark_squares(gradient) if m else None
    draw = partial(_draw_at_once, gradient, connectors, upper, marks)
    cells, offsets, numbers = collect_lines(gradient.session, m, draw)
    points, dimensions = place_lines(device, grid, cells, offsets)
    return (points, cells, dimensions, offsets), numbers


def _draw_at_once(
    gradient: CubicalPairing,
    connectors: Connectors,
    upper: Array,
    marks: Array,
    begin: int,
    end: int,
) -> Lines | None:
    """Cells, ends and connectors of the lines, or None if the tables would become too large."""
    session = gradient.session
    m, first = end - begin, int(upper[begin])
    squares = gradient.critical_of(2)[first : int(upper[end - 1]) + 1]
    source_of = (upper[begin:end] - first).astype(np.int32)
    lower_cells = gradient.critical_of(1)[connectors.lower[begin:end]]
    upper_cells = squares[source_of]
    field = (gradient.grid.extents, gradient.words, marks)
    kernels = ("start_below", "expand_below", "start_networks", "expand_networks")
    network = collect_networks(session, kernels, field, squares, lower_cells, source_of)
    if network is None:
        return None
    draw = ("measure_connectors", "fill_connectors")
    lines = draw_networks(session, draw, field, network, m, (lower_cells, upper_cells))
    return (*lines[:2], lines[2] + begin)
