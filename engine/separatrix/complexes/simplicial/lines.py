"""1-separatrices of a mesh as polylines through barycenters. O(total length)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...device.arrays import read_only
from ...device.base import Array
from ...morse.connectors.networks import Networks, connector_lines
from ...morse.connectors.table import Connectors
from ...morse.critical import indices_of
from ...morse.separatrices import ExtremumArcs, Polylines
from ...primitives import exclusive_scan, row_of_items
from .forests import extremum_forest, label_of_extrema, saddle_starts
from .pairing import SimplicialPairing
from .path_graph import PathGraph


@dataclass(frozen=True, eq=False, repr=False)
class SimplicialArcs(ExtremumArcs):
    """Arcs of a mesh: ``saddles`` are mesh ids. ``starts`` (2s,) int32 are the first vertices or
    top simplices of arcs, which continue along the ``forest`` for ``length`` (2s,) int32.
    """

    starts: Array
    length: Array
    forest: Array


def trace_extremum_arcs(pairing: SimplicialPairing, kind: str) -> SimplicialArcs:
    """Return all arcs of one kind."""
    index, saddle_index = indices_of(kind, pairing.dimension)
    starts, forest = saddle_starts(pairing, kind), extremum_forest(pairing, index)
    length, end = (pairing.session.device.empty(starts.size, np.int32) for _ in range(2))
    codes = pairing.extremum_codes[index]
    pairing.session.launch("measure_mesh_arcs", starts.size, starts, forest, codes, length, end)
    extremum = label_of_extrema(pairing, index, end)
    saddles = pairing.critical_of(saddle_index)
    return SimplicialArcs(*map(read_only, (saddles, extremum, starts, length, forest)))


def draw_arcs(pairing: SimplicialPairing, arcs: SimplicialArcs, kind: str) -> Polylines:
    """Return arcs as polylines through all simplices on their way."""
    session, xp, mesh = pairing.session, pairing.session.device.xp, pairing.simplices
    index, saddle_index = indices_of(kind, pairing.dimension)
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
    points, ids = pairing.place(cells, dimensions, (index, saddle_index))
    return points, ids, dimensions, offsets


def draw_connectors(
    pairing: SimplicialPairing, paths: PathGraph, connectors: Connectors
) -> tuple[Polylines, Array]:
    """Return the connectors as lines up to the 2-saddles, and the connector of each line."""
    walks = ("start_path_below", "expand_path_below", "start_path_networks", "expand_path_networks")
    draws = ("measure_path_lines", "fill_path_lines")
    drawn = (*paths.links, paths.triangles, paths.sink_edges)
    lowers = connectors.items + np.int32(paths.n_nodes)
    networks = Networks(paths.sources, lowers, walks, paths.links, draws, drawn)
    found, offsets, numbers = connector_lines(pairing.session, connectors, networks)
    dimensions = (1 + (found & 1)).astype(np.int8)
    points, ids = pairing.place(found >> 1, dimensions, (1, 2))
    return (points, ids, dimensions, offsets), numbers
