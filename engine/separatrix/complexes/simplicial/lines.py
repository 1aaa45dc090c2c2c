"""1-separatrices of a mesh as polylines through barycenters.

Descending ones lead from each critical edge to two minima, ascending ones from each critical facet
to two maxima or out of the mesh; connectors are networks of all V-paths from 1-saddles up to
2-saddles. Each line is measured, the lengths are scanned, and the lines are filled: O(their total
length), in an order that no thread count changes.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...device.base import Array
from ...morse.connectors import Connectors
from ...primitives import exclusive_scan, row_of_items
from ..cubical.connector_lines import (
    Lines,
    collect_networks,
    draw_networks,
    lines_of_connectors,
)
from ..cubical.separatrices import Separatrices
from .barycenters import users_ids
from .cache import MeshParts
from .flow import MeshFlow, trie_of
from .forests import extremum_forest, label_of_extrema, saddle_starts


def draw_extremum_lines(parts: MeshParts, kind: str) -> Separatrices:
    """Lines between saddles and extrema, kept."""
    return parts.once(f"{kind} lines", lambda: _draw_arcs(parts.gradient, kind))


def draw_connector_lines(parts: MeshParts) -> Separatrices:
    """Lines between 1-saddles and 2-saddles, kept."""
    connectors = parts.connectors()
    return parts.once("saddle lines", lambda: _draw_connectors(parts.gradient, connectors))


def _draw_arcs(flow: MeshFlow, kind: str) -> Separatrices:
    session, xp, mesh = flow.session, flow.session.device.xp, flow.simplices
    descending = kind == "descending"
    index = 0 if descending else flow.dimension
    saddle_index = 1 if descending else flow.dimension - 1
    starts, forest = saddle_starts(flow, kind), extremum_forest(flow, index)
    m = int(starts.size)
    length, end = session.device.empty(m, np.int32), session.device.empty(m, np.int32)
    session.launch("measure_mesh_arcs", m, starts, forest, flow.extremum_codes[index], length, end)
    offsets = exclusive_scan(2 * length + (end < 0))
    n_cells = int(offsets[-1])
    session.memory.require(42 * n_cells, f"drawing lines of {n_cells:,} cells")
    cells, saddles = session.device.empty(n_cells, np.int64), flow.ids_of(saddle_index)
    if descending:
        up = flow.up(0)
        session.launch("fill_mesh_descents", m, saddles, starts, forest, up, offsets, cells)
    else:
        model = (*trie_of(mesh), index, flow.extremum_codes[index])
        place = (saddles, starts, forest, offsets, cells)
        session.launch("fill_mesh_ascents", m, *model, *place)
    line = row_of_items(offsets)
    is_extremum = (xp.arange(n_cells, dtype=np.int64) - offsets[line]) & 1
    dimensions = xp.where(is_extremum, index, saddle_index).astype(np.int8)
    extremum = label_of_extrema(flow, index, end)
    first = flow.rows(index).start
    points, ids = place_cells(flow, cells, dimensions, (index, saddle_index))
    result = session.result
    return Separatrices(
        points=result(points),
        cell_id=result(ids),
        cell_dimension=result(dimensions),
        offsets=result(offsets),
        source=result(flow.rows(saddle_index).start + xp.arange(m, dtype=np.int64) // 2),
        destination=result(xp.where(extremum < 0, np.int64(-1), extremum + np.int64(first))),
        separatrix=result(xp.arange(m, dtype=np.int64)),
    )


def place_cells(
    flow: MeshFlow, cells: Array, dimensions: Array, some: tuple[int, ...]
) -> tuple[Array, Array]:
    """Barycenters (p, 3) float64 and the user's ids (p,) int64 of simplices by mesh id.

    `some` are the dimensions that occur.
    """
    points = flow.session.device.empty((cells.size, 3), np.float64)
    ids = flow.session.device.empty(cells.size, np.int64)
    for dimension in some:
        rows = flow.session.device.xp.flatnonzero(dimensions == dimension)
        points[rows] = flow.centers(dimension, cells[rows])
        ids[rows] = users_ids(flow.simplices, dimension, cells[rows])
    return points, ids


def _draw_connectors(flow: MeshFlow, connectors: Connectors) -> Separatrices:
    """The connectors as lines, from the 1-saddles up to the 2-saddles, where results are wanted.

    ``separatrix`` says which connector each line belongs to; their lines follow each other.
    """
    upper, m = connectors.upper(), int(connectors.lower.size)
    draw = partial(_draw_at_once, flow, connectors, upper)
    found, offsets, numbers = lines_of_connectors(flow.session, m, draw)
    dimensions = (1 + (found & 1)).astype(np.int8)
    points, ids = place_cells(flow, found >> 1, dimensions, (1, 2))
    result = flow.session.result
    return Separatrices(
        points=result(points),
        cell_id=result(ids),
        cell_dimension=result(dimensions),
        offsets=result(offsets),
        source=result(connectors.lower[numbers].astype(np.int64) + flow.rows(1).start),
        destination=result(upper[numbers] + flow.rows(2).start),
        separatrix=result(numbers),
    )


def _draw_at_once(
    flow: MeshFlow, connectors: Connectors, upper: Array, begin: int, end: int
) -> Lines | None:
    """Cells, ends and connectors of some lines, or None if the tables would become too large."""
    session, paths = flow.session, flow.paths
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
