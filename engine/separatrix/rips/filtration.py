"""Flag filtration of a weighted graph, with ranks instead of distances.

Only the order of the distances matters (Zhang, Xiao, Wang 2020, 6.6): edges are sorted once, equal
distances get equal ranks, and only integers are compared afterwards. The diameter of a simplex is
the largest rank of its edges and, if they have births, of its vertices.

Total order of the simplices of one dimension, oldest first: rank ascending, then combinatorial
index *descending*, cidx(v_d > ... > v_0) = sum of C(v_i, i + 1). Columns of the coboundary matrix
are processed youngest first (rank descending, cidx ascending); the pivot of a column is its oldest
cofacet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..device.base import Array
from ..results import CSR

ABSENT = 0xFFFFFFFF
"""Rank of a pair of vertices without an edge, or with an edge beyond the threshold."""

Lengths = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Adjacency(CSR):
    """Weighted graph with neighbors ``items`` (2E,) int32 and ``ranks`` (2E,) uint32."""

    ranks: Array


@dataclass(frozen=True)
class Filtration:
    """Flag filtration of a graph of `n` vertices with ranked edges."""

    n: int
    # (n, n) uint32, symmetric: ABSENT for missing edges, ranks of the vertices on the diagonal
    rank: Array | None
    levels: np.ndarray  # (m + 1,) float64, ascending: of each rank; the first is that of births
    vertex_rank: Array | None = None  # (n,) uint32, births if any is not 0, at most those of edges
    adjacency: Adjacency | None = None  # instead of the ranks in a sparse graph
    lengths: Lengths | None = None  # instead of them if few edges have ranks, with this function
    rank_lengths: Callable[[np.ndarray], np.ndarray] | None = None

    @property
    def n_ranks(self) -> int:
        """Number of ranks; all ranks except ABSENT are lower."""
        return int(self.levels.size)


@dataclass(frozen=True)
class Simplices:
    """Simplices of one dimension d."""

    vertices: Array  # (m, d + 1) int32, descending within each row
    rank: Array  # (m,) uint32, of the diameter

    def __len__(self) -> int:
        return int(self.vertices.shape[0])

    @property
    def dimension(self) -> int:
        """Dimension d of the simplices."""
        return int(self.vertices.shape[1]) - 1


def vertex_bits(n: int) -> int:
    """Return the bits of each vertex of a packed simplex."""
    return max(1, int(n - 1).bit_length())


def ranks_of(filtration: Filtration, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the ranks (m,) uint32 of the pairs (u, v), ABSENT if not an edge. Host arrays."""
    if filtration.rank is not None:
        return np.asarray(filtration.rank[u, v])
    if filtration.lengths is not None:
        assert filtration.rank_lengths is not None
        return filtration.rank_lengths(filtration.lengths(u, v))
    assert filtration.adjacency is not None
    rows = filtration.adjacency
    offsets, neighbors, ranks = rows.offsets, rows.items, rows.ranks
    if neighbors.size == 0:
        return np.full(len(u), ABSENT, np.uint32)
    keys = np.repeat(np.arange(filtration.n), np.diff(offsets)) * filtration.n + neighbors
    wanted = u.astype(np.int64) * filtration.n + v
    at = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[at] == wanted, ranks[at], np.uint32(ABSENT))


def have_rank(filtration: Filtration, u: np.ndarray, v: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Return whether the pairs (u, v) are edges of the given ranks (m,). Host arrays."""
    if filtration.lengths is not None:
        return np.asarray(filtration.lengths(u, v) == filtration.levels[rank])
    return ranks_of(filtration, u, v) == rank


def longest_lengths(lengths: Lengths, simplices: np.ndarray) -> np.ndarray:
    """Return the length (k,) of the longest edge of each simplex (k, d + 1), d >= 1."""
    return _largest(lengths(*_edges(simplices)), len(simplices))


def diameters(filtration: Filtration, simplices: np.ndarray) -> np.ndarray:
    """Return the rank (k,) uint32 of each simplex (k, d + 1), d >= 1."""
    if filtration.lengths is not None:
        assert filtration.rank_lengths is not None
        return filtration.rank_lengths(longest_lengths(filtration.lengths, simplices))
    return _largest(ranks_of(filtration, *_edges(simplices)), len(simplices))


def _largest(of_edges: np.ndarray, n: int) -> np.ndarray:
    return np.asarray(of_edges.reshape(-1, n).max(axis=0)) if n else of_edges


def _edges(simplices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of the first edges of all simplices, then of the second ones, and so on."""
    pairs = np.array([(i, j) for i in range(simplices.shape[1]) for j in range(i)])
    return simplices.T[pairs[:, 0]].ravel(), simplices.T[pairs[:, 1]].ravel()
