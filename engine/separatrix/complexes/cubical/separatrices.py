"""1-separatrices between saddles and extrema: the extremum arcs with their geometry.

Descending ones lead from each critical edge to two minima, ascending ones from each critical cell
of codimension 1 to two maxima or out of the box. Each arc is measured, the lengths are scanned,
and the arcs are filled: O(their total length), in an order that no thread count changes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...device.arrays import read_only
from ...device.base import Array
from ...primitives import exclusive_scan
from ...repr_mixin import ReprMixin
from .extrema import extremum_anchors
from .gradient import DiscreteGradient
from .grid import place_lines


@dataclass(frozen=True, eq=False, repr=False)
class ExtremumArcs(ReprMixin):
    """Arcs on the device, two a saddle: arc 2s + side belongs to row s of `saddles`.

    ``saddles`` (s,) int64 cell ids; ``type`` of the cells that V-paths pass beside facets, 0
    vertices, else that of top cells; ``extremum`` (2s,) int32, k of the k-th extremum, -1 outside;
    ``offsets`` (2s + 1,) int64 and ``chain`` uint8: the direction taken from each vertex or top
    cell on the way (codes of :meth:`DiscreteGradient.codes`), 7 at the extremum.
    """

    saddles: Array
    type: int
    extremum: Array
    offsets: Array
    chain: Array

    def _summary(self) -> str:
        return f"{self.extremum.size:,} arcs"


@dataclass(frozen=True, eq=False, repr=False)
class Separatrices(ReprMixin):
    """Polylines through cell centers, from saddle to extremum; m lines, p points in all.

    ``points`` (p, 3) float64, ``cell_id`` (p,) int64 and ``cell_dimension`` (p,) int8 of the cells
    passed; line i has points ``offsets[i]`` to ``offsets[i + 1]``, ``offsets`` (m + 1,) int64;
    ``source`` and ``destination`` (m,) int64 are rows of the critical cells, destination -1 where
    the line leaves the box. A saddle in the boundary that leaves at once is a line of one point.
    ``separatrix`` (m,) int64 counts arcs: several lines form one connector of two saddles. A line
    that crosses a period goes on beyond the box: it starts at the saddle's position and ends whole
    periods away from the extremum's.
    """

    points: Array
    cell_id: Array
    cell_dimension: Array
    offsets: Array
    source: Array
    destination: Array
    separatrix: Array

    def _summary(self) -> str:
        return f"{self.offsets.size - 1:,} lines through {len(self.points):,} points"


def saddle_index(gradient: DiscreteGradient, kind: str) -> int:
    """Index of the saddles that lines of this kind start from."""
    return 1 if kind == "descending" else gradient.grid.dimension - 1


def trace_extremum_arcs(gradient: DiscreteGradient, kind: str) -> ExtremumArcs:
    """All arcs of one kind. A line (1D) has descending ones only: they are its whole complex."""
    device, grid, words = gradient.session.device, gradient.grid, gradient.words
    descending = kind == "descending"
    index = saddle_index(gradient, kind)
    saddles = (
        gradient.critical_ids[gradient.rows(index)] if index >= 1 else gradient.critical_ids[:0]
    )
    cell_type = 0 if descending else grid.top_type
    m = 2 * saddles.size
    length, end = device.empty(m, np.int32), device.empty(m, np.int32)
    gradient.session.launch("measure_arcs", m, grid.extents, words, saddles, cell_type, length, end)
    offsets = exclusive_scan(length)
    chain = device.empty(int(offsets[-1]), np.uint8)
    gradient.session.launch("fill_arcs", m, grid.extents, words, saddles, cell_type, offsets, chain)
    anchors = extremum_anchors(gradient, 0 if descending else grid.dimension)
    gradient.session.launch("label_ends", m, anchors, anchors.size, end)
    saddles, end, offsets, chain = map(read_only, (saddles, end, offsets, chain))
    return ExtremumArcs(saddles, cell_type, end, offsets, chain)


def draw(gradient: DiscreteGradient, arcs: ExtremumArcs, kind: str) -> Separatrices:
    """The arcs as polylines through all cells on their way, where the caller wants results."""
    device, xp, grid = gradient.session.device, gradient.session.device.xp, gradient.grid
    m = arcs.extremum.size
    leaves = arcs.extremum < 0
    offsets = exclusive_scan(2 * xp.diff(arcs.offsets) + leaves)
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
    source = gradient.rows(saddle_index(gradient, kind)).start + xp.arange(m, dtype=np.int64) // 2
    first_extremum = gradient.rows(0 if kind == "descending" else grid.dimension).start
    destination = xp.where(leaves, -1, arcs.extremum + np.int64(first_extremum))
    result = gradient.session.result
    return Separatrices(
        result(points),
        result(cells),
        result(dimensions),
        result(offsets),
        result(source),
        result(destination),
        result(xp.arange(m, dtype=np.int64)),
    )
