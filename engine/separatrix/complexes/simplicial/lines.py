"""1-separatrices of a mesh as polylines through barycenters.

Descending ones lead from each critical edge to two minima, ascending ones from each critical facet
to two maxima or out of the mesh; connectors are networks of all V-paths from 1-saddles up to
2-saddles. Each line is measured, the lengths are scanned, and the lines are filled: O(their total
length), in an order that no thread count changes.
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
from ...primitives import exclusive_scan, row_of_items
from .barycenters import users_ids
from .forests import extremum_forest, label_of_extrema, saddle_starts
from .pairing import SimplicialPairing
from .path_graph import PathGraph


@dataclass(frozen=True, eq=False, repr=False)
class SimplicialArcs(ExtremumArcs):
    """Arcs of a mesh: ``saddles`` are mesh ids.

    ``starts`` (2s,) int32, the first vertex or top simplex of each arc, ``length`` (2s,) int32, and
    the ``forest`` of vertices or top simplices along which it goes on.
    """

    starts: Array
    length: Array
    forest: Array


def trace_extremum_arcs(pairing: SimplicialPairing, kind: str) -> SimplicialArcs:
    """All arcs of one kind."""
    index, saddle_index = ends_of(pairing, kind)
    starts, forest = saddle_starts(pairing, kind), extremum_forest(pairing, index)
    length, end = (pairing.session.device.empty(starts.size, np.int32) for _ in range(2))
    codes = pairing.extremum_codes[index]
    pairing.session.launch("measure_mesh_arcs", starts.size, starts, forest, codes, length, end)
    extremum = label_of_extrema(pairing, index, end)
    saddles = pairing.critical_of(saddle_index)
    return SimplicialArcs(*map(read_only, (saddles, extremum, starts, length, forest)))


def ends_of(pairing: SimplicialPairing, kind: str) -> tuple[int, int]:
    """Index of the extrema and of the saddles that arcs of a kind join."""
    return (0, 1) if kind == "descending" else (pairing.dimension, pairing.dimension - 1)


def draw_arcs(pairing: SimplicialPairing, arcs: SimplicialArcs, kind: str) -> Polylines:
    """The arcs as polylines through all simplices on their way."""
    session, xp, mesh = pairing.session, pairing.session.device.xp, pairing.simplices
    index, saddle_index = ends_of(pairing, kind)
    m = int(arcs.starts.size)
    offsets = exclusive_scan(2 * arcs.length + (arcs.extremum < 0))
    n_cells = int(offsets[-1])
    session.memory.require(42 * n_cells, f"drawing lines of {n_cells:,} cells")
    cells = session.device.empty(n_cells, np.int64)
    start = (arcs.saddles, arcs.starts, arcs.forest)
    if index == 0:
        session.launch("fill_mesh_descents", m, *start, pairing.up(0), offsets, cells)
    else:
        model = (*mesh.trie, index, pairing.extremum_codes[index])
        session.launch("fill_mesh_ascents", m, *model, *start, offsets, cells)
    line = row_of_items(offsets)
    is_extremum = (xp.arange(n_cells, dtype=np.int64) - offsets[line]) & 1
    dimensions = xp.where(is_extremum, index, saddle_index).astype(np.int8)
    points, ids = place_cells(pairing, cells, dimensions, (index, saddle_index))
    return points, ids, dimensions, offsets


def place_cells(
    pairing: SimplicialPairing, cells: Array, dimensions: Array, some: tuple[int, ...]
) -> tuple[Array, Array]:
    """Barycenters (p, 3) float64 and the user's ids (p,) int64 of simplices by mesh id.

    `some` are the dimensions that occur.
    """
    points = pairing.session.device.empty((cells.size, 3), np.float64)
    ids = pairing.session.device.empty(cells.size, np.int64)
    for dimension in some:
        rows = pairing.session.device.xp.flatnonzero(dimensions == dimension)
        points[rows] = pairing.centers(dimension, cells[rows])
        ids[rows] = users_ids(pairing.simplices, dimension, cells[rows])
    return points, ids


def draw_connectors(
    pairing: SimplicialPairing, paths: PathGraph, connectors: Connectors
) -> tuple[Polylines, Array]:
    """The connectors as lines from the 1-saddles up to the 2-saddles, and the connector of each."""
    upper, m = connectors.upper(), int(connectors.lower.size)
    draw = partial(_draw_at_once, pairing, paths, connectors, upper)
    found, offsets, numbers = collect_lines(pairing.session, m, draw)
    dimensions = (1 + (found & 1)).astype(np.int8)
    points, ids = place_cells(pairing, found >> 1, dimensions, (1, 2))
    return (points, ids, dimensions, offsets), numbers


def _draw_at_once(
    pairing: SimplicialPairing,
    paths: PathGraph,
    connectors: Connectors,
    upper: Array,
    begin: int,
    end: int,
) -> Lines | None:
    """Cells, ends and connectors of some lines, or None if the tables would become too large."""
    session = pairing.session
    first = int(upper[begin])
    sources = paths.sources[first : int(upper[end - 1]) + 1]
    source_of = (upper[begin:end] - first).astype(np.int32)
    lowers = connectors.lower[begin:end] + np.int32(paths.n_nodes)
    below = ("start_path_below", "expand_path_below")
    kernels = (*below, "start_path_networks", "expand_path_networks")
    network = collect_networks(session, kernels, paths.links, sources, lowers, source_of)
    if network is None:
        return None
    names = ("measure_path_lines", "fill_path_lines")
    model = (*paths.links, paths.triangles, paths.sink_edges)
    cells, ends, numbers = draw_networks(
        session, names, model, network, end - begin, (lowers, sources[source_of])
    )
    return cells, ends, numbers + begin
