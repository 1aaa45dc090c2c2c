"""Persistence diagram of the alpha filtration, up to the largest alpha of the complex.

1. Simplices are sorted by (alpha value, dimension, index), which is a filtration.
2. Columns of tetrahedra, then of triangles, are reduced over Z/2. Rows that are paired are columns
   that vanish (clearing: Bauer, Kerber, Reininghaus 2014).
3. Edges merge components by the elder rule.
"""

from __future__ import annotations

import numpy as np

from ..device.arrays import to_host
from ..device.host import HostDevice
from ..homology import PersistenceDiagram, merge_pairs, reduce_columns
from ..kernels import NONE
from .found_complex import FoundComplex
from .voids import in_place


def persistence_of(complex: FoundComplex, zero_persistence: bool = False) -> PersistenceDiagram:
    """Return the diagram; cells are rows of the tables, vertices first, then edges, and so on."""
    session = complex._session
    with session.call(None, {}):
        tables = complex._tables
        values = [to_host(table.alpha_value) for table in tables.simplices]
        facets = {d: to_host(tables.facets[d]) for d in (1, 2, 3)}
    order = [np.argsort(value, kind="stable").astype(np.int32) for value in values]
    host, place = session.host, [_inverse(rows) for rows in order]
    # birth[d]: the row of dimension d - 1 that is paired with each row of dimension d, or -1
    birth = {1: merge_pairs(host, place[0], facets[1], order[1]).victim}
    birth[3] = _reduced(host, facets[3], order[3], place[2])
    is_paired = _marked(len(place[2]), birth[3])
    kills_nothing = np.where(birth[1] == NONE, place[1], NONE).astype(np.int32)
    birth[2] = _reduced(host, facets[2], order[2][~is_paired[order[2]]], kills_nothing)
    return _diagram(complex, values, place, birth, zero_persistence)


def _reduced(
    host: HostDevice, facets: np.ndarray, columns: np.ndarray, place: np.ndarray
) -> np.ndarray:
    """Return the pivots of the boundary matrix of simplices with these facets (m, d + 1)."""
    m, width = facets.shape
    offsets = np.arange(m + 1, dtype=np.int64) * width
    return reduce_columns(host, offsets, facets.ravel(), order=columns, place=place)


def _diagram(
    complex: FoundComplex,
    values: list[np.ndarray],
    place: list[np.ndarray],
    birth: dict[int, np.ndarray],
    zero_persistence: bool,
) -> PersistenceDiagram:
    first = np.cumsum([0, *map(len, values)])
    parts = []
    for dimension in range(3):
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
