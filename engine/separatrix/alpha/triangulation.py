"""Complete regular triangulation by GUDHI, the fallback if balls meet too many others.

GUDHI finds the simplices. Their sizes and Gabriel flags are computed by the exact arithmetic of a
local search, and CGAL breaks ties by position, too, so the complex is the same, bit for bit.
"""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from ..device.arrays import to_host
from ..device.session import Session
from ..errors import DeviceUnavailable
from ..primitives import exclusive_scan
from .balls import Balls
from .tables import INTERIOR, SimplexTable, Tables, thresholded

SLACK = 1.0  # squared steps of the grid; exact sizes decide afterwards


def triangulated(session: Session, balls: Balls) -> Tables:
    """Extract the tables from the complete triangulation. One CPU thread; O(n^2) at worst."""
    items = to_host(balls.items)
    kept = _to_triangulate(items)
    host = session.on(session.host)
    tables = _measured(host, items, balls, _simplices_of(items, kept))
    tables = thresholded(tables, balls.scale.squared_length(balls.alpha))
    return tables.mapped(session.upload)


def _to_triangulate(items: np.ndarray) -> np.ndarray:
    """Return the largest ball per center, ascending; the first one of equal balls."""
    there = np.flatnonzero(items[:, 3] >= 0)
    order = there[np.lexsort((there, -items[there, 3], *items[there, 2::-1].T))]
    centers = items[order, :3]
    is_first = np.ones(len(order), bool)
    is_first[1:] = (centers[1:] != centers[:-1]).any(axis=1)
    return np.sort(order[is_first])


def _simplices_of(items: np.ndarray, kept: np.ndarray) -> list[np.ndarray]:
    """Return the simplices (m, d + 1) int32 up to alpha per dimension, in lexicographic order."""
    try:
        import gudhi
    except ImportError as error:
        raise DeviceUnavailable(
            "{fallback} 'gudhi' requires GUDHI, which is not installed. Install it (pip install "
            "gudhi)."
        ) from error
    found: list[list[list[int]]] = [[], [], [], []]
    if len(kept):
        complex = gudhi.AlphaComplex(
            points=items[kept, :3].astype(np.float64),
            weights=items[kept, 3].astype(np.float64),
            precision="exact",
        )
        # Weights are squared grown radii, so alpha is 0. The iterator requires the tree.
        tree = complex.create_simplex_tree(max_alpha_square=SLACK)
        for simplex, _ in tree.get_simplices():
            found[len(simplex) - 1].append(simplex)
    simplices = []
    for dimension, rows in enumerate(found):
        table = np.array(rows, np.int64).reshape(-1, dimension + 1)
        table = np.sort(kept[table], axis=1)
        simplices.append(table[np.lexsort(table.T[::-1])].astype(np.int32))
    return simplices


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
