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
        values = [to_host(table.alpha_value) for table in tables.simplices]
        facets = {d: to_host(tables.facets[d]) for d in (1, 2, 3)}
        host_session = session.on(session.host)
        order = [stable_order(host_session, value).astype(np.int32) for value in values]
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
    return _diagram(complex, values, place, birth, zero_persistence)


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
    place: list[np.ndarray],
    birth: dict[int, np.ndarray],
    zero_persistence: bool,
) -> PersistenceDiagram:
    first = np.cumsum([0, *map(len, values)])
    parts = []
    birth[4] = np.empty(0, np.int32)
    values.append(np.empty(0))
    for dimension in range(4):
        deaths = np.flatnonzero(birth[dimension + 1] != NONE)
        births = birth[dimension + 1][deaths]
        is_alive = ~_marked(len(values[dimension]), births)
        if dimension:
            is_alive &= birth[dimension] == NONE
        births = np.concatenate([births, np.flatnonzero(is_alive)]).astype(np.int64)
        n_alive = len(births) - len(deaths)
        died_at = np.concatenate([values[dimension + 1][deaths], np.full(n_alive, np.inf)])
        ends = np.concatenate([deaths + first[dimension + 1], np.full(n_alive, NONE)])
        born_at = values[dimension][births]
        by_age = np.argsort(place[dimension][births])  # a simplex creates at most one class
        if not zero_persistence:
            by_age = by_age[died_at[by_age] > born_at[by_age]]
        columns = [np.full(len(births), dimension, np.int8), born_at, died_at]
        columns += [births + first[dimension], ends]
        parts.append([column[by_age] for column in columns])
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


def _marked(n: int, rows: np.ndarray) -> np.ndarray:
    """Return a mask (n,) of the rows that occur, ignoring -1."""
    mask = np.zeros(n, bool)
    mask[rows[rows != NONE]] = True
    return mask


def _inverse(order: np.ndarray) -> np.ndarray:
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place
