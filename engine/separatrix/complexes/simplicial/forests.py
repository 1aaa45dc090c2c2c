"""Forests of a mesh's minima and maxima: labels of vertices and of top simplices, and arcs.

O(V + T) expected. Robins, Wood, Sheppard 2011, section 3.3 (V-paths); kernels/simplicial/forests.h.
"""

from __future__ import annotations

import numpy as np

from ...device.base import Array
from ...morse.critical import indices_of
from ...morse.segmentation import label_roots
from .pairing import SimplicialPairing


def extremum_forest(pairing: SimplicialPairing, index: int) -> Array:
    """Return the parents (n,) int32 of the vertices (index 0) or top simplices, -1 at roots."""
    session, mesh = pairing.session, pairing.simplices
    forest = session.device.empty(mesh.n_ids(index), np.int32)
    if index == 0:
        session.launch("link_mesh_vertices", forest.size, pairing.up(0), *mesh.edge_ends, forest)
    else:
        codes = pairing.extremum_codes[index]
        session.launch(
            "link_mesh_tops", forest.size, *mesh.trie, index, codes, pairing.sides, forest
        )
    return forest


def labels_of_roots(pairing: SimplicialPairing, index: int) -> Array:
    """Label (n,) int32 of the extremum in which each vertex or top simplex ends, in mesh order, or
    -1.
    """
    forest, extrema = extremum_forest(pairing, index), pairing.critical_of(index)
    return label_roots(pairing.session, forest, extrema)


def minimum_of_points(pairing: SimplicialPairing) -> Array:
    """Label (V,) int32 of each of the user's points."""
    return labels_of_roots(pairing, 0)[pairing.simplices.vertex_of]


def maximum_of_cells(pairing: SimplicialPairing) -> Array:
    """Label (n_cells,) int32 of each user's cell; -1 outside the mesh, and for dropped cells."""
    labels, xp = labels_of_roots(pairing, pairing.dimension), pairing.session.device.xp
    row_of = pairing.simplices.tet_of
    return xp.where(row_of < 0, np.int32(-1), labels[xp.maximum(row_of, 0)])


def maximum_of_points(pairing: SimplicialPairing) -> Array:
    """Return the label (V,) int32 of the maximum that each of the user's points ascends to."""
    session, mesh = pairing.session, pairing.simplices
    top_labels = labels_of_roots(pairing, pairing.dimension)
    session.memory.require(20 * mesh.n_vertices, "labels of maxima")
    high, low = (session.device.zeros(mesh.n_vertices, np.uint64) for _ in range(2))
    tops = (mesh.tets, pairing.field.rank, pairing.dimension)
    labels = session.device.xp.full(mesh.n_vertices, -1, np.int32)
    session.launch("raise_high_ranks", mesh.n_top, *tops, high)
    session.launch("raise_low_ranks", mesh.n_top, *tops, high, low)
    place = (top_labels, mesh.point_of, labels)
    session.launch("label_vertices_by_tops", mesh.n_top, *tops, high, low, *place)
    return labels


def saddle_starts(pairing: SimplicialPairing, kind: str) -> Array:
    """Return the first vertex or top simplex (2 s,) int32 on both sides of each saddle, or -1."""
    _, index = indices_of(kind, pairing.dimension)
    saddles = pairing.critical_of(index)
    if kind == "ascending":
        return pairing.sides[saddles].reshape(-1)
    return pairing.simplices.corners_of(1, saddles).reshape(-1)


def label_of_extrema(pairing: SimplicialPairing, index: int, ids: Array) -> Array:
    """Return the number of the extremum with each mesh id (m,) int32, by row; -1 stays."""
    xp, extrema = pairing.session.device.xp, pairing.critical_of(index)
    if not extrema.size:
        return xp.full(ids.size, -1, np.int32)
    order = xp.argsort(extrema)
    place = xp.minimum(xp.searchsorted(extrema[order], ids), extrema.size - 1)
    return xp.where(ids < 0, np.int32(-1), order[place].astype(np.int32))
