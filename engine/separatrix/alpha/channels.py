"""Channels: regions of a periodic box that repeat.

The tetrahedra of a region are placed one beside another, across triangles that are not in the
solid. If two neighbors are placed apart by a vector of the lattice, the region contains a loop that
crosses the box by this vector. The rank of all such vectors is the number of independent directions
in which the region repeats (the dimension of a channel in Haldoupis, Nair, Sholl 2010);
kernels/alpha/placed_sets.h.
"""

from __future__ import annotations

import numpy as np

from ..device import HostDevice
from ..kernels import NONE
from .boxes import packed
from .tables import Tables


def periodicity_of(
    host: HostDevice, tables: Tables, has_triangle: np.ndarray, rows: np.ndarray,
    region: np.ndarray, n_regions: int,
) -> np.ndarray:  # fmt: skip
    """Return the ranks (n_regions,) int8 of regions of tetrahedra `rows` (m,) on the host."""
    rank = np.zeros(n_regions, np.int8)
    if tables.copies is None:
        return rank
    name = np.full(len(tables.simplices[3]), NONE, np.int32)
    name[rows] = np.arange(len(rows))
    a, b, apart = _steps_across(tables, has_triangle, name)
    rank_of = np.empty(len(rows), np.int8)
    pairs = np.stack([a, b], axis=1)
    host.run("rank_sets", pairs, packed(apart), len(pairs), rank_of, len(rows))
    rank[region] = rank_of
    return rank


def _steps_across(
    tables: Tables, has_triangle: np.ndarray, name: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return pairs a, b (s,) of tetrahedra that share an empty triangle, and their shifts (s, 3).

    Tetrahedron b continues a if it is moved by the shift.
    """
    assert tables.copies is not None
    triangle = tables.facets[3].ravel()
    chosen = np.flatnonzero((has_triangle[triangle] == 0) & (np.repeat(name, 4) != NONE))
    chosen = chosen[np.argsort(triangle[chosen], kind="stable")]
    first = np.flatnonzero(triangle[chosen[1:]] == triangle[chosen[:-1]])
    sides = chosen[first], chosen[first + 1]
    shift, corners = tables.copies.shift, tables.copies.corners[3]
    # any vertex of the triangle: facet k is opposite to vertex k, and vertices are ascending
    at = [shift[corners[side // 4, np.where(side % 4 == 0, 1, 0)]] for side in sides]
    a, b = (name[side // 4] for side in sides)
    return a, b, at[0] - at[1]
