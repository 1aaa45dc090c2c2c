"""Alpha complexes from the complete regular triangulation, at any alpha.

Each simplex that another ball violates has a coface whose additional ball does; see
kernels/alpha/triangulated.h. Sizes and Gabriel flags are exact and equal those of a local search,
bit for bit.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ..device import Session, to_host
from ..primitives import exclusive_scan
from .balls import Balls
from .delaunay import STAGES, triangulation_of
from .tables import INTERIOR, SimplexTable, Tables, thresholded

SEARCHED = 0.25  # share of the time of a call before


def triangulated(session: Session, balls: Balls) -> Tables:
    """Extract the tables at the alpha of the balls from the complete triangulation."""
    with session.call(session.progress_from(SEARCHED), STAGES):
        sites = balls.sites
        cells = to_host(triangulation_of(session, sites[:, :3], sites[:, 3]).tetrahedra)
        simplices, facets = _faces_of(cells)
        host, unit = session.on(session.host), balls.scale.squared_unit
        tables = _measured(host, to_host(sites), unit, simplices, facets)
        return thresholded(tables, balls.scale.squared_length(balls.alpha)).mapped(session.upload)


def _faces_of(cells: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return all faces (m, d + 1) of each dimension d, in lexicographic order, and their facets.

    Facet k, a row of the faces of dimension d - 1, is opposite to vertex k.
    """
    n_cells, width = cells.shape
    stride = int(cells.max(initial=0)) + 1
    row_of: dict[tuple[int, ...], np.ndarray] = {(): np.zeros(n_cells, np.int64)}
    simplices, facets = [], []
    for size in range(1, 5):
        chosen = list(combinations(range(width), size))
        keys = np.empty((len(chosen), n_cells), np.int64)
        for key, corners in zip(keys, chosen, strict=True):
            key[:] = row_of[corners[:-1]] * stride + cells[:, corners[-1]]
        _, first, rows = np.unique(keys, return_index=True, return_inverse=True)
        which, cell = np.divmod(first, max(n_cells, 1))
        faces, below = np.empty((2, len(first), size), np.int32)
        for number, corners in enumerate(chosen):
            here = which == number
            faces[here] = cells[cell[here]][:, corners]
            for k in range(size):
                below[here, k] = row_of[corners[:k] + corners[k + 1 :]][cell[here]]
        row_of |= zip(chosen, rows.reshape(keys.shape), strict=True)
        simplices.append(faces)
        facets.append(below if size > 1 else below[:, :0])
    return simplices, facets


def _measured(
    host: Session,
    sites: np.ndarray,
    unit: tuple[float, float],
    simplices: list[np.ndarray],
    facets: list[np.ndarray],
) -> Tables:
    """Compute sizes, Gabriel flags, and filtration values, of which faces take the smallest."""
    measures: list[SimplexTable] = []
    for dimension, table in enumerate(simplices):
        m = len(table)
        value, gabriel = np.empty(m), np.ones(m, np.uint8)
        if dimension == 3:
            host.launch("measure_given_tets", m, sites, table, unit, value)
        else:
            link = _links(m, facets[dimension + 1], simplices[dimension + 1])
            name = ("vertices", "edges", "triangles")[dimension]
            host.launch(f"measure_given_{name}", m, sites, table, *link, unit, gabriel, value)
        kind = np.full(m, INTERIOR, np.int8)  # thresholded() computes the kinds of faces
        measures.append(SimplexTable(table, value, gabriel.view(bool), kind))
    for dimension in (2, 1, 0):
        below, above = measures[dimension], measures[dimension + 1]
        least = np.full(len(below), np.inf)
        for column in facets[dimension + 1].T:
            np.minimum.at(least, column, above.alpha_value)
        below.alpha_value[~below.is_gabriel] = least[~below.is_gabriel]
    return Tables(tuple(measures), tuple(facets))


def _links(m: int, facets: np.ndarray, cofaces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the balls opposite to each of m faces: offsets (m + 1,) int64, balls int32."""
    order = np.argsort(facets.ravel(), kind="stable")
    offsets = exclusive_scan(np.bincount(facets.ravel(), minlength=m))
    return offsets, np.ascontiguousarray(cofaces.ravel()[order])
