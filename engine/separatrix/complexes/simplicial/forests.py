"""Forests of a mesh's minima and maxima: labels of vertices and of top simplices, and arcs.

1. Each vertex but a minimum points to the other end of its edge, each top simplex but a maximum to
   the one across its facet, or out of the mesh.
2. The extrema get their labels, and every slot is chased to its root.
3. A vertex takes the label of the incident top simplex that is highest in (owner, G order).

O(V + T) expected. Robins, Wood, Sheppard 2011, section 3.3 (V-paths); kernels/simplicial/forests.h.
"""

from __future__ import annotations

import numpy as np

from ...device.base import Array
from .pairing import SimplicialPairing


def extremum_forest(pairing: SimplicialPairing, index: int) -> Array:
    """Parents (n,) int32 of the vertices (index 0) or top simplices, -1 at roots."""
    session, mesh = pairing.session, pairing.simplices
    forest = session.device.empty(mesh.n_ids(index), np.int32)
    if index == 0:
        edges = (mesh.edge_lower, mesh.edge_upper)
        session.launch("link_mesh_vertices", forest.size, pairing.up(0), *edges, forest)
    else:
        codes = pairing.extremum_codes[index]
        session.launch(
            "link_mesh_tops", forest.size, *mesh.trie, index, codes, pairing.sides, forest
        )
    return forest


def labels_of_roots(pairing: SimplicialPairing, index: int) -> Array:
    """Label (n,) int32 of the extremum that each vertex or top simplex, in mesh order, ends in.

    -1 where the path leaves the mesh, and at vertices of no cell.
    """
    forest, extrema = extremum_forest(pairing, index), pairing.critical_of(index)
    pairing.session.launch("init_labels", extrema.size, extrema, forest)
    pairing.session.launch("pointer_jump", forest.size, forest)
    pairing.session.launch("decode_labels", forest.size, forest)
    return forest


def minimum_of_points(pairing: SimplicialPairing) -> Array:
    """Label (V,) int32 of the minimum that each of the user's points descends to."""
    return labels_of_roots(pairing, 0)[pairing.simplices.vertex_of]


def maximum_of_cells(pairing: SimplicialPairing) -> Array:
    """Label (n_cells,) int32 of the maximum that each of the user's cells ascends to.

    -1 out of the mesh, and for cells that are not part of it.
    """
    labels, xp = labels_of_roots(pairing, pairing.dimension), pairing.session.device.xp
    row_of = pairing.simplices.tet_of
    return xp.where(row_of < 0, np.int32(-1), labels[xp.maximum(row_of, 0)])


def maximum_of_points(pairing: SimplicialPairing) -> Array:
    """Label (V,) int32 of the maximum that each of the user's points ascends to, -1 out."""
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
    """First vertex or top simplex (2 s,) int32 on both sides of each saddle, -1 out of the mesh.

    Saddles are those of index 1 ("descending") or of the highest index.
    """
    mesh = pairing.simplices
    saddles = pairing.critical_of(1 if kind == "descending" else pairing.dimension - 1)
    if kind == "ascending":
        return pairing.sides[saddles].reshape(-1)
    ends = [mesh.edge_lower[saddles], mesh.edge_upper[saddles]]
    return pairing.session.device.xp.stack(ends, axis=1).reshape(-1)


def label_of_extrema(pairing: SimplicialPairing, index: int, ids: Array) -> Array:
    """Which extremum each mesh id (m,) int32 is, counted in the order of the rows; -1 stays."""
    xp, extrema = pairing.session.device.xp, pairing.critical_of(index)
    if not extrema.size:
        return xp.full(ids.size, -1, np.int32)
    order = xp.argsort(extrema)
    place = xp.minimum(xp.searchsorted(extrema[order], ids), extrema.size - 1)
    return xp.where(ids < 0, np.int32(-1), order[place].astype(np.int32))
