"""2-separatrices of a tetrahedral mesh: triangles, or duals of edges, on V-paths from saddles.

O(F + visited simplices) expected. V-paths: Robins, Wood, Sheppard 2011, section 3.3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...device.base import Array
from ...morse.frontier import reach
from ...morse.separatrices import SeparatrixSurfaces
from ...primitives import distinct, exclusive_scan
from .pairing import SimplicialPairing


def trace_surfaces(
    pairing: SimplicialPairing, kind: str, sources: Array, done: Callable[[float], None]
) -> SeparatrixSurfaces:
    """Return the surfaces of the saddles in the rows `sources` (s,) int64, ascending."""
    session = pairing.session
    index = 2 if kind == "descending" else 1
    saddles = pairing.critical_ids[sources].astype(np.int32)
    kernel, model = pairing.falling_steps() if index == 2 else pairing.rising_steps()
    keys = reach(session, ("start_mesh_surfaces", kernel), (), model, saddles)
    del model
    simplices = (keys >> np.uint64(2) & np.uint64(0x7FFFFFFF)).astype(np.int32)
    session.raise_if_canceled()
    source = sources[(keys >> np.uint64(33)).astype(np.int64)]
    session.raise_if_canceled()
    if index == 2:  # triangles
        corners = 4 * pairing.corners_of(2, simplices).astype(np.int64).reshape(-1)
        offsets = 3 * session.device.xp.arange(len(simplices) + 1, dtype=np.int64)
    else:
        offsets, corners = _polygons(pairing, simplices)
    places, rows_of = corners, corners
    if corners.size:
        n_places = 4 * max(codes.size for codes in pairing.codes_of)
        places, rows_of = distinct(session, corners, n_places)
    session.raise_if_canceled()
    dimensions = (places & 3).astype(np.int8)
    some = (0,) if index == 2 else (1, 2, 3)
    points, ids = pairing.place(places >> 2, dimensions, some)
    rows = rows_of.reshape(-1).astype(np.int64)
    columns = (points, ids, dimensions, offsets, rows, source, simplices.astype(np.int64))
    return SeparatrixSurfaces(*map(session.result, columns))


def _polygons(pairing: SimplicialPairing, edges: Array) -> tuple[Array, Array]:
    """Return offsets and corners (4 * simplex + dimension) of the polygons around edges."""
    session = pairing.session
    (measure, draw), place = pairing.polygon_steps(edges)
    count = session.device.empty(edges.size, np.int32)
    session.launch(measure, edges.size, *place, count)
    offsets = exclusive_scan(count)
    corners = session.device.empty(int(offsets[-1]), np.int64)
    session.launch(draw, edges.size, *place, offsets, corners)
    return offsets, corners
