"""Persistence diagram of the alpha filtration, up to the largest alpha of the complex.

1. Simplices are sorted by (alpha value, dimension, index), which is a filtration.
2. Edges merge components by the elder rule. From the last triangle to the first, triangles merge
   tetrahedra and the outside in the same way, where the last tetrahedra are the oldest (Delfinado,
   Edelsbrunner 1995).
3. Columns of the triangles that merge nothing are reduced over Z/2, with the edges that merge
   nothing as rows (clearing and compression: Bauer, Kerber, Reininghaus 2014).
"""

from __future__ import annotations

import numpy as np

from ..device.arrays import to_host
from ..homology import PersistenceDiagram, merge_pairs, reduce_columns
from ..kernels import NONE
from ..primitives import stable_order
from .found_complex import FoundComplex
from .voids import in_place


def persistence_of(complex: FoundComplex, zero_persistence: bool = False) -> PersistenceDiagram:
    """Return the diagram; cells are rows of the tables, vertices first, then edges, and so on."""
    session = complex._session
    with session.call(None, {}):
        tables = complex._tables
        order = [to_host(stable_order(session, t.alpha_value)) for t in tables.simplices]
        values = [to_host(table.alpha_value) for table in tables.simplices]
        facets = {d: to_host(tables.facets[d]) for d in (1, 2, 3)}
    order = [rows.astype(np.int32) for rows in order]
    host, place = session.host, [_inverse(rows) for rows in order]
    # birth[d]: the row of dimension d - 1 that is paired with each row of dimension d, or -1
    birth = {1: merge_pairs(host, place[0], facets[1], order[1]).victim}
    tets = _cofaces(facets[3], len(place[2]))
    victim = merge_pairs(host, -place[3], tets, np.ascontiguousarray(order[2][::-1])).victim
    kills = victim == NONE
    birth[3] = np.full(len(place[3]), NONE, np.int32)
    birth[3][victim[~kills]] = np.flatnonzero(~kills)
    columns, rows = order[2][kills[order[2]]], np.where(birth[1] == NONE, place[1], NONE)
    birth[2] = reduce_columns(
        host, *_odd_edges(facets[2]), order=columns, place=rows.astype(np.int32)
    )
    return _diagram(complex, values, order, birth, zero_persistence)


def _cofaces(facets: np.ndarray, n_triangles: int) -> np.ndarray:
    """Return the tetrahedra (n_triangles, 2) int32 of each triangle; -1 is the outside."""
    tets = np.repeat(np.arange(len(facets), dtype=np.int32), 4)
    cofaces = np.full((n_triangles, 2), NONE, np.int32)
    cofaces[facets.ravel(), 0] = tets  # of equal rows, the last is assigned
    cofaces[facets.ravel()[::-1], 1] = tets[::-1]
    cofaces[np.bincount(facets.ravel(), minlength=n_triangles) < 2, 1] = NONE
    return cofaces


def _odd_edges(edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the boundaries of triangles (m, 3) over Z/2: offsets (m + 1,) int64, edges int32.

    In a periodic box, two edges of a triangle may be copies, which cancel.
    """
    offsets = np.arange(len(edges) + 1, dtype=np.int64) * 3
    a, b, c = edges.T
    if not ((a == b) | (b == c) | (a == c)).any():
        return offsets, edges.ravel()
    a, b, c = np.sort(edges, axis=1).T
    is_odd = np.stack([(a != b) | (b == c), (a != b) & (b != c), b != c], axis=1)
    np.cumsum(is_odd.sum(axis=1), out=offsets[1:])
    return offsets, np.stack([a, b, c], axis=1)[is_odd]


def _diagram(
    complex: FoundComplex,
    values: list[np.ndarray],
    order: list[np.ndarray],
    birth: dict[int, np.ndarray],
    zero_persistence: bool,
) -> PersistenceDiagram:
    first = np.cumsum([0, *map(len, values)])
    parts = []
    birth[4] = np.empty(0, np.int32)
    values.append(np.empty(0))
    for dimension in range(4):
        deaths = np.flatnonzero(birth[dimension + 1] != NONE)
        death_of = np.full(len(values[dimension]), NONE, np.int32)
        death_of[birth[dimension + 1][deaths]] = deaths
        is_birth = death_of != NONE  # a simplex creates at most one class
        is_birth |= birth[dimension] == NONE if dimension else True
        rows = order[dimension][is_birth[order[dimension]]]
        ends = death_of[rows].astype(np.int64)
        is_alive = ends == NONE
        born_at, died_at = values[dimension][rows], np.full(len(rows), np.inf)
        died_at[~is_alive] = values[dimension + 1][ends[~is_alive]]
        ends[~is_alive] += first[dimension + 1]
        columns = [np.full(len(rows), dimension, np.int8), born_at, died_at]
        columns += [rows + first[dimension], ends]
        chosen = slice(None) if zero_persistence else died_at > born_at
        parts.append([column[chosen] for column in columns])
    dimension_of, born_at, died_at, row, ends = (
        np.concatenate(c) for c in zip(*parts, strict=True)
    )
    return PersistenceDiagram(
        **in_place(
            complex,
            dimension=dimension_of,
            birth=born_at,
            death=died_at,
            persistence=died_at - born_at,
            birth_cell=row,
            death_cell=ends,
            birth_row=row,
            death_row=ends,
        )
    )


def _inverse(order: np.ndarray) -> np.ndarray:
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place
