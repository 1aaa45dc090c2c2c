"""Alpha complexes from the complete regular triangulation, at any alpha.

Each simplex that another ball violates has a coface whose additional ball does; see
kernels/alpha/triangulated.h. Sizes and Gabriel flags are exact and equal those of a local search,
bit for bit.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np

from ..device import Session, to_host
from .balls import Balls
from .boxes import Box
from .delaunay import STAGES, triangulation_of
from .periodic import SHIFTS, codes_of, triangulated_in_box
from .tables import INTERIOR, Copies, SimplexTable, Tables, thresholded

SEARCHED = 0.25  # share of the time of a call before


def triangulated(session: Session, balls: Balls) -> Tables:
    """Extract the tables at the alpha of the balls from the complete triangulation."""
    with session.call(session.progress_from(SEARCHED), STAGES):
        sites, copies = balls.sites(), None
        if balls.box is None:
            cells = to_host(triangulation_of(session, sites[:, :3], sites[:, 3]).tetrahedra)
            corners = cells
        else:
            cells, copies = _cells_in(session, to_host(sites), balls.box)
            sites, corners = balls.sites(copies.mapped(session.upload)), copies.corners[3]
        simplices, facets, rows = _faces_of(cells, corners, copies)
        if copies is not None:
            copies = replace(copies, corners=tuple(rows))
        host, unit = session.on(session.host), balls.scale.squared_unit
        tables = _measured(host, to_host(sites), unit, simplices, facets, rows)
        tables = replace(tables, copies=copies)
        return thresholded(tables, balls.scale.squared_length(balls.alpha)).mapped(session.upload)


def _cells_in(session: Session, sites: np.ndarray, box: Box) -> tuple[np.ndarray, Copies]:
    """Return tetrahedra (m, 4) int32 of balls in a periodic box, and the copies they consist of."""
    cells, shifts, _, _ = triangulated_in_box(session, sites[:, :3], sites[:, 3], box)
    pairs = np.column_stack([cells.ravel(), shifts.reshape(-1, 3)])
    found, corners = np.unique(pairs, axis=0, return_inverse=True)
    ball, shift = found[:, 0].astype(np.int32), found[:, 1:].astype(np.int32)
    places = sites[ball, :3] + shift @ box.vectors
    return cells, Copies(ball, shift, places, (corners.reshape(cells.shape).astype(np.int32),) * 4)


def _faces_of(
    cells: np.ndarray, corners_of: np.ndarray, copies: Copies | None
) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
    """Return all faces (m, d + 1) of each dimension d, in lexicographic order, and their facets.

    Facet k, a row of the faces of dimension d - 1, is opposite to vertex k. The third result
    contains the entries of `corners_of` (as the cells) for each face, in any of its cells. In a
    periodic box, faces of the same balls with other shifts from the first one are different.
    """
    n_cells, width = cells.shape
    stride = (int(cells.max(initial=0)) + 1) * (1 if copies is None else SHIFTS**3)
    row_of: dict[tuple[int, ...], np.ndarray] = {(): np.zeros(n_cells, np.int64)}
    simplices, facets, sites = [], [], []
    for size in range(1, 5):
        chosen = list(combinations(range(width), size))
        keys = np.empty((len(chosen), n_cells), np.int64)
        for key, corners in zip(keys, chosen, strict=True):
            key[:] = row_of[corners[:-1]] * stride
            last = cells[:, corners[-1]]
            if copies is not None:
                first, end = (copies.shift[corners_of[:, k]] for k in (corners[0], corners[-1]))
                last = codes_of(last, end - first)
            key += last
        _, first, rows = np.unique(keys, return_index=True, return_inverse=True)
        which, cell = np.divmod(first, max(n_cells, 1))
        faces, below, places = np.empty((3, len(first), size), np.int32)
        for number, corners in enumerate(chosen):
            here = which == number
            faces[here] = cells[cell[here]][:, corners]
            if corners_of is not cells:
                places[here] = corners_of[cell[here]][:, corners]
            for k in range(size):
                below[here, k] = row_of[corners[:k] + corners[k + 1 :]][cell[here]]
        row_of |= zip(chosen, rows.reshape(keys.shape), strict=True)
        simplices.append(faces)
        facets.append(below if size > 1 else below[:, :0])
        sites.append(faces if corners_of is cells else places)
    return simplices, facets, sites


def _measured(
    host: Session,
    sites: np.ndarray,
    unit: tuple[float, float],
    simplices: list[np.ndarray],
    facets: list[np.ndarray],
    corners: list[np.ndarray],
) -> Tables:
    """Compute sizes, Gabriel flags, and filtration values, of which faces take the smallest."""
    measures: list[SimplexTable] = []
    for dimension, table in enumerate(simplices):
        m = len(table)
        value, gabriel, kind = np.empty(m), np.ones(m, bool), np.full(m, INTERIOR, np.int8)
        host.launch("size_simplices", m, sites, corners[dimension], dimension, unit, value)
        if dimension:
            violated = np.empty(facets[dimension].shape, bool)
            given = (sites, corners[dimension], dimension, violated.view(np.uint8))
            host.launch("flag_violated_facets", violated.size, *given)
            measures[-1].is_gabriel[facets[dimension][violated]] = False
        measures.append(SimplexTable(table, value, gabriel, kind))  # thresholded() finds kinds
    for dimension in (2, 1, 0):
        below, above = measures[dimension], measures[dimension + 1]
        least = np.full(len(below), np.inf)
        for column in facets[dimension + 1].T:
            np.minimum.at(least, column, above.alpha_value)
        below.alpha_value[~below.is_gabriel] = least[~below.is_gabriel]
    return Tables(tuple(measures), tuple(facets))
