"""Alpha complexes from the complete regular triangulation, for balls that meet many others.

Its simplices whose balls meet in pairs include those of the complex, and each of them that another
ball violates has a coface among them whose additional ball does; see kernels/alpha/triangulated.h.
Sizes and Gabriel flags are computed by the exact arithmetic of a local search, so the complex is
the same, bit for bit.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from ..device.arrays import to_host
from ..device.session import Session
from ..primitives import exclusive_scan
from .balls import Balls
from .delaunay import STAGES, triangulation_of
from .tables import INTERIOR, SimplexTable, Tables, thresholded

SEARCHED = 0.25  # share of the time of a call before


def triangulated(session: Session, balls: Balls) -> Tables:
    """Extract the tables from the complete triangulation."""
    with session.call(session.progress_from(SEARCHED), STAGES):
        xp = session.device.xp
        there = xp.flatnonzero(balls.items[:, 3] >= 0)
        points = balls.items[there].astype(np.float64)
        cells = to_host(triangulation_of(session, points[:, :3], points[:, 3]).tetrahedra)
        cells = to_host(there)[cells].astype(np.int32)
        items, host = to_host(balls.items), session.on(session.host)
        tables = _measured(host, items, balls, _faces_that_meet(items, cells))
        tables = thresholded(tables, balls.scale.squared_length(balls.alpha))
        return tables.mapped(session.upload)


def _faces_that_meet(items: np.ndarray, cells: np.ndarray) -> list[np.ndarray]:
    """Return the faces (m, d + 1) of cells whose balls meet in pairs, in lexicographic order."""
    width, radius = cells.shape[1], np.sqrt(items[:, 3].clip(0))

    def meet(i: int, j: int) -> np.ndarray:
        a, b = cells[:, i], cells[:, j]
        sides = items[a, :3].astype(np.int64) - items[b, :3]
        return (sides**2).sum(axis=1) <= (radius[a] + radius[b]) ** 2 * (1 + 1e-12) + 0.5

    meeting = {pair: meet(*pair) for pair in combinations(range(width), 2)}
    found = []
    for size in range(1, 5):
        parts = [np.empty((0, size), np.int32)]
        for corners in combinations(range(width), size):
            has = np.ones(len(cells), bool)
            for pair in combinations(corners, 2):
                has &= meeting[pair]
            parts.append(cells[has][:, corners])
        faces = np.concatenate(parts)
        faces = faces[np.lexsort(faces.T[::-1])]
        is_first = np.ones(len(faces), bool)
        is_first[1:] = (faces[1:] != faces[:-1]).any(axis=1)
        found.append(np.ascontiguousarray(faces[is_first]))
    return found


def _measured(
    host: Session, items: np.ndarray, balls: Balls, simplices: list[np.ndarray]
) -> Tables:
    """Compute sizes, Gabriel flags, and filtration values, of which faces take the smallest."""
    facets = [np.empty((len(simplices[0]), 0), np.int32)]
    for faces, table in pairwise(simplices):
        facets.append(_rows_of_facets(faces, table))
    measures: list[SimplexTable] = []
    summary = to_host(balls.summary).copy()
    for dimension, table in enumerate(simplices):
        m = len(table)
        value, gabriel = np.empty(m), np.ones(m, np.uint8)
        if dimension == 3:
            host.launch("measure_given_tets", m, items, table, *balls.measure, value)
        else:
            link = _links(m, facets[dimension + 1], simplices[dimension + 1])
            known = (items, table, *link, *balls.measure)
            if dimension == 0:
                host.launch("measure_given_vertices", m, *known, gabriel, value)
            else:
                name = ("measure_given_edges", "measure_given_triangles")[dimension - 1]
                host.launch(name, m, *known, balls.sign_errors, gabriel, value, summary)
        kind = np.full(m, INTERIOR, np.int8)  # thresholded() computes the kinds of faces
        measures.append(SimplexTable(table, value, gabriel.view(bool), kind))
    for dimension in (2, 1, 0):
        below, above = measures[dimension], measures[dimension + 1]
        least = np.full(len(below), np.inf)
        for column in facets[dimension + 1].T:
            np.minimum.at(least, column, above.alpha_value)
        below.alpha_value[~below.is_gabriel] = least[~below.is_gabriel]
    return Tables(tuple(measures), tuple(facets))


def _rows_of_facets(faces: np.ndarray, simplices: np.ndarray) -> np.ndarray:
    """Return the rows (m, d + 1) int32 of facets in `faces`; facet k is opposite to vertex k."""
    width = simplices.shape[1]
    key = np.dtype([("", np.int32)] * (width - 1))
    table = np.ascontiguousarray(faces).view(key).ravel()
    order = np.argsort(table, kind="stable")
    rows = np.empty(simplices.shape, np.int32)
    for k, vertices in enumerate(reversed(list(combinations(range(width), width - 1)))):
        wanted = np.ascontiguousarray(simplices[:, vertices]).view(key).ravel()
        rows[:, k] = order[np.searchsorted(table, wanted, sorter=order)]
    return rows


def _links(m: int, facets: np.ndarray, cofaces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the balls opposite to each of m faces: offsets (m + 1,) int64, balls int32."""
    order = np.argsort(facets.ravel(), kind="stable")
    offsets = exclusive_scan(np.bincount(facets.ravel(), minlength=m))
    return offsets, np.ascontiguousarray(cofaces.ravel()[order])
