"""Ranks as the stream of simplices reads them: a padded matrix of 16 or 32 bits, or rows of neighbours.

The matrix serves where a good part of all pairs are edges; else the neighbourhood of each vertex is
made a small matrix on the fly, and nothing is allocated by the number of possible simplices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device import Work, to_host
from ..device.base import Array
from .filtration import ABSENT, Adjacency, Filtration

PADDING = 64  # kernels/rips_survivors.h: RIPS_BLOCK
MOST_SHORT = 0xFFFE  # ranks above it need 32 bits
DENSE = 0.2  # part of all pairs that are edges, from which on the matrix serves
SLICES = 64  # of a dimension's stream: between them a caller is told and can cancel


@dataclass(frozen=True)
class RankRows:
    """``matrix`` (n, stride) uint16 or uint32, all bits set where there is no edge, or
    ``adjacency`` on the host; ``limit``, the largest rank.
    """

    n: int
    limit: int
    matrix: Array | None
    adjacency: Adjacency | None

    @classmethod
    def of(cls, work: Work, filtration: Filtration) -> RankRows:
        """In the form that serves this graph. O(n^2) for the matrix."""
        n, limit = filtration.n, filtration.n_ranks - 1
        if filtration.rank is None:
            return cls(n, limit, None, filtration.adjacency)
        rank = filtration.rank
        n_edges = int((rank != ABSENT).sum()) - n
        if n_edges < DENSE * n * (n - 1) and not work.device.is_cuda:
            return cls(n, limit, None, adjacency_of(to_host(rank)))
        xp = work.device.xp
        dtype = np.uint16 if limit <= MOST_SHORT else np.uint32
        stride = -(-n // PADDING) * PADDING
        matrix = xp.full((n, stride), np.iinfo(dtype).max, dtype)
        matrix[:, :n] = xp.asarray(rank)  # ABSENT has all bits set in 16 bits too
        matrix[xp.arange(n), xp.arange(n)] = np.iinfo(dtype).max
        return cls(n, limit, matrix, None)

    def stream(
        self, work: Work, dimension: int, capacity: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Counts (4,) int64 of simplices, births, deaths and survivors, and the survivors that
        fit: vertices (capacity, d + 1) int32 and ranks (capacity,) uint32, in no order.
        """
        counts = np.zeros(4, np.int64)
        vertices = np.empty((capacity, dimension + 1), np.int32)
        ranks = np.empty(capacity, np.uint32)
        host, n = work.host, self.n
        if self.matrix is not None:
            width = 16 if self.matrix.dtype == np.uint16 else 32
            task = f"rips_matrix_survivors_{width}"
            graph = (self.matrix, self.matrix.shape[1], n)
            n_items = n if dimension == 1 else n * n
        else:
            width = 16 if self.limit <= MOST_SHORT else 32
            task = f"rips_graph_survivors_{width}"
            a = self.adjacency
            graph = (a.offsets, a.neighbours, a.ranks, n)
            n_items = n
        bounds = np.linspace(0, n_items, min(SLICES, n_items) + 1).astype(np.int64)
        for first, last in zip(bounds[:-1], bounds[1:], strict=True):
            host.run(
                task,
                *graph,
                *(dimension, self.limit, first, last, host.threads),
                *(capacity, vertices, ranks, counts),
            )
            work.progressed(float(last) / n_items)
        return counts, vertices, ranks


def adjacency_of(rank: np.ndarray) -> Adjacency:
    """The rows of a matrix of ranks (n, n) uint32."""
    is_edge = rank != ABSENT
    np.fill_diagonal(is_edge, False)
    offsets = np.zeros(len(rank) + 1, np.int64)
    np.cumsum(is_edge.sum(axis=1), out=offsets[1:])
    neighbours = np.nonzero(is_edge)[1].astype(np.int32)
    return Adjacency(offsets, neighbours, rank[is_edge])
