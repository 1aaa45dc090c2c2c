"""Forests of minima and maxima of a mesh: labels, arcs, and 1-separatrices as polylines.

O(V + T + total length) expected. Robins, Wood, Sheppard 2011, section 3.3 (V-paths);
kernels/simplicial/forests.h.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...device import Array, array_module, read_only
from ...morse.connectors.networks import Networks, connector_lines
from ...morse.connectors.table import Connectors
from ...morse.critical import indices_of
from ...morse.segmentation import label_roots
from ...morse.separatrices import ExtremumArcs, Polylines
from ...primitives import exclusive_scan, find_keys, row_of_items, shifted, stable_order
from .pairing import SimplicialPairing
from .path_graph import PathGraph


def labels_of_roots(pairing: SimplicialPairing, index: int) -> Array:
    """Return the extremum (n,) int32 of each vertex or top simplex, in mesh order, or -1."""
    forest, extrema = pairing.extremum_forest(index), pairing.critical_of(index)
    return label_roots(pairing.session, forest, extrema)


def maximum_of_cells(pairing: SimplicialPairing) -> Array:
    """Return the maximum (n_cells,) int32 of each of the user's cells; -1 outside or if dropped."""
    labels, xp = labels_of_roots(pairing, pairing.dimension), pairing.session.device.xp
    row_of = pairing.simplices.tet_of
    return xp.where(row_of < 0, np.int32(-1), labels[xp.maximum(row_of, 0)])


def label_points(pairing: SimplicialPairing, kind: str) -> Array:
    """Return the extremum (V,) int32 that each of the user's points leads to."""
    session, mesh = pairing.session, pairing.simplices
    if kind == "descending":
        return labels_of_roots(pairing, 0)[mesh.vertex_of]
    top_labels = labels_of_roots(pairing, pairing.dimension)
    session.memory.require(20 * mesh.n_vertices, "labels of maxima")
    high, low = (session.device.zeros(mesh.n_vertices, np.uint64) for _ in range(2))
    tops = (mesh.tets, pairing.field.rank, pairing.dimension)
    labels = session.device.unset(mesh.n_vertices, np.int32)
    session.launch("raise_high_ranks", mesh.n_top, *tops, high)
    session.launch("raise_low_ranks", mesh.n_top, *tops, high, low)
    place = (top_labels, mesh.point_of, labels)
    session.launch("label_vertices_by_tops", mesh.n_top, *tops, high, low, *place)
    return labels


def label_of_extrema(pairing: SimplicialPairing, index: int, ids: Array) -> Array:
    """Return the ordinals of the extrema with these mesh ids (m,) int32; -1 is kept."""
    extrema = pairing.critical_of(index)
    order = shifted(stable_order(pairing.session, extrema))
    return find_keys(pairing.session, extrema, order, ids)


@dataclass(frozen=True, eq=False, repr=False)
class SimplicialArcs(ExtremumArcs):
    """Arcs of a mesh: ``saddles`` are mesh ids."""

    starts: Array  # (2s,) int32, first vertices or top simplices
    length: Array  # (2s,) int32, steps along the forest
    forest: Array

    @property
    def n_points(self) -> Array:
        return 2 * self.length + (self.extremum < 0)

    def of_rows(self, rows: Array) -> SimplicialArcs:
        arcs = (2 * rows[:, None] + array_module(rows).arange(2)).reshape(-1)
        extremum, starts, length = self.extremum[arcs], self.starts[arcs], self.length[arcs]
        return SimplicialArcs(self.saddles[rows], extremum, starts, length, self.forest)


def trace_extremum_arcs(pairing: SimplicialPairing, kind: str) -> SimplicialArcs:
    """Return all arcs of one kind."""
    index, saddle_index = indices_of(kind, pairing.dimension)
    saddles, forest = pairing.critical_of(saddle_index), pairing.extremum_forest(index)
    starts = (pairing.sides_of_critical if index else pairing.corners_of_critical(1)).reshape(-1)
    length, end = (pairing.session.device.empty(starts.size, np.int32) for _ in range(2))
    codes = pairing.extremum_codes[index]
    pairing.session.launch("measure_mesh_arcs", starts.size, starts, forest, codes, length, end)
    extremum = label_of_extrema(pairing, index, end)
    return SimplicialArcs(*map(read_only, (saddles, extremum, starts, length, forest)))


def draw_arcs(pairing: SimplicialPairing, arcs: SimplicialArcs, kind: str) -> Polylines:
    """Return arcs as polylines through all their simplices."""
    session, xp = pairing.session, pairing.session.device.xp
    index, saddle_index = indices_of(kind, pairing.dimension)
    m = int(arcs.starts.size)
    offsets = exclusive_scan(arcs.n_points)
    n_cells = int(offsets[-1])
    session.memory.require(42 * n_cells, f"drawing lines of {n_cells:,} cells")
    cells = session.device.empty(n_cells, np.int64)
    start = (arcs.saddles, arcs.starts, arcs.forest)
    if index == 0:
        session.launch("fill_mesh_descents", m, *start, pairing.up(0), offsets, cells)
    else:
        kernel, trie = pairing.ascent_steps
        model = (*trie, index, pairing.extremum_codes[index])
        session.launch(kernel, m, *model, *start, offsets, cells)
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
