"""The flag filtration of a weighted graph, with ranks in the place of distances.

Only the order of the distances counts (Zhang, Xiao, Wang 2020, 6.6): the edges are sorted once,
equal ones get equal ranks, and from there on nothing is compared but whole numbers. The diameter of
a simplex is the largest rank of its edges, and of its vertices where those have births.

Total order of the simplices of one dimension, "older" first: rank ascending, then combinatorial
index *descending*, cidx(v_d > ... > v_0) = sum of C(v_i, i + 1). Columns of the coboundary matrix
are processed youngest first (rank descending, cidx ascending); a pivot is a column's oldest
cofacet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..csr import CSR
from ..device.base import Array

ABSENT = 0xFFFFFFFF
"""Rank of a pair of vertices that no edge joins, or only one beyond the threshold."""


@dataclass(frozen=True)
class Adjacency(CSR):
    """A weighted graph: ``items`` (2E,) int32, the neighbors of each vertex, and ``ranks`` (2E,)
    uint32 of those edges.
    """

    ranks: Array


@dataclass(frozen=True)
class Filtration:
    """The flag filtration of a graph of `n` vertices whose edges have ranks.

    ``rank`` (n, n) uint32, symmetric: 0 on the diagonal (births of weighted vertices apart), ABSENT
    where there is no edge; None in the sparse form, which has ``adjacency`` instead. ``levels``
    (m + 1,) float64 ascending: the value of each rank, levels[0] the birth of vertices; equal
    distances have equal ranks 1, 2, ... ``vertex_rank`` (n,) uint32, births of the vertices, None
    if all are 0; the rank of an edge is never below those of its ends.
    """

    n: int
    rank: Array | None
    levels: np.ndarray
    vertex_rank: Array | None = None
    adjacency: Adjacency | None = None

    @property
    def n_ranks(self) -> int:
        """Ranks that there are: all are below it, ABSENT apart."""
        return int(self.levels.size)


@dataclass(frozen=True)
class Simplices:
    """Simplices of one dimension: ``vertices`` (m, d + 1) int32, descending within a row, and
    ``rank`` (m,) uint32 of their diameters.
    """

    vertices: Array
    rank: Array

    def __len__(self) -> int:
        return int(self.vertices.shape[0])

    @property
    def dimension(self) -> int:
        """Their dimension d."""
        return int(self.vertices.shape[1]) - 1
