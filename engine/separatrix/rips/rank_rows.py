"""Ranks in the form that the stream of simplices reads: a padded matrix or rows of neighbors.

The matrix is used if a large fraction of all pairs are edges. Otherwise the neighborhood of each
vertex is expanded to a small matrix on the fly, so memory does not depend on the number of possible
simplices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Session, to_host
from ..device.base import Array
from ..device.cuda import CudaDevice
from ..kernels import source
from .filtration import ABSENT, Adjacency, Filtration

PADDING = 64  # kernels/rips/survivors.h: RIPS_BLOCK
MOST_SHORT = 0xFFFE  # higher ranks need 32 bits
DENSE = 0.2  # fraction of all pairs that are edges, from which a CPU uses the matrix
BLOCKS = 8  # per multiprocessor, which share the prefixes
STAR_BLOCKS = 4  # per multiprocessor, each of which expands one neighborhood at a time
MOST_PREFIXES = 2.0**62


@dataclass(frozen=True)
class RankRows:
    """Ranks as a matrix or as rows.

    ``matrix`` (n, stride) uint16 or uint32 has all bits set for missing edges; otherwise
    ``adjacency`` is given. ``limit`` is the highest rank.
    """

    n: int
    limit: int
    matrix: Array | None
    adjacency: Adjacency | None

    @classmethod
    def of(cls, session: Session, filtration: Filtration) -> RankRows:
        """Return the ranks in the form that suits this graph. O(n^2) for the matrix."""
        n, limit = filtration.n, filtration.n_ranks - 1
        if filtration.rank is None:
            return cls(n, limit, None, filtration.adjacency)
        rank = filtration.rank
        sparse = session.device.launch_form(host=DENSE, gpu=0.0)
        if sparse:
            n_edges = int((rank != ABSENT).sum()) - n
            if n_edges < sparse * n * (n - 1):
                return cls(n, limit, None, adjacency_of(rank))
        xp = session.device.xp
        dtype = np.uint16 if limit <= MOST_SHORT else np.uint32
        stride = -(-n // PADDING) * PADDING
        matrix = xp.full((n, stride), np.iinfo(dtype).max, dtype)
        matrix[:, :n] = xp.asarray(rank)  # truncated to 16 bits, ABSENT still has all bits set
        matrix[xp.arange(n), xp.arange(n)] = np.iinfo(dtype).max
        return cls(n, limit, matrix, None)

    @property
    def _form(self) -> str:
        short = self.limit <= MOST_SHORT
        return "16" if short else "32"

    def stream(
        self, session: Session, dimension: int, capacity: int, wanted: int = 0
    ) -> tuple[Array, Array, np.ndarray]:
        """Enumerate the simplices of a dimension and keep the survivors that fit, unordered.

        Returns vertices (capacity, d + 1) int32, ranks (capacity,) uint32, and counts (4,) int64 of
        simplices, births, deaths, and survivors. If `wanted` is another fate of
        `kernels/rips/fate.h`, those simplices are kept and counted instead of survivors.
        """
        form = session.device.launch_form(host=self._on_host, gpu=self._on_gpu)
        return form(session, dimension, capacity, wanted)

    def _on_host(
        self, session: Session, d: int, capacity: int, wanted: int
    ) -> tuple[Array, Array, np.ndarray]:
        vertices, ranks = np.empty((capacity, d + 1), np.int32), np.empty(capacity, np.uint32)
        counts = np.zeros(4, np.int64)
        graph: tuple[Any, ...]
        if self.matrix is not None:
            task, graph = "rips_matrix_survivors", (self.matrix, self.matrix.shape[1], self.n)
            n_items = self.n if d == 1 else self.n**2
        else:
            rows = self.adjacency
            assert rows is not None
            task = "rips_graph_survivors"
            graph = (rows.offsets, rows.items, rows.ranks, self.n)
            n_items = self.n
        done = np.zeros(1, np.int64)

        session.host.run(
            *(f"{task}_{self._form}", *graph, d, self.limit, session.host.threads),
            *(capacity, vertices, ranks, counts, wanted, done),
            on_wait=lambda: session.progressed(float(done[0]) / n_items),
        )
        return vertices, ranks, counts

    def _on_gpu(
        self, session: Session, d: int, capacity: int, wanted: int
    ) -> tuple[Array, Array, np.ndarray]:
        device, n = session.device, self.n
        assert isinstance(device, CudaDevice)
        vertices = device.empty((capacity, d + 1), np.int32)
        ranks, counts = device.empty(capacity, np.uint32), device.zeros(5, np.int64)
        table = binomials(n, d)
        found = (capacity, vertices, ranks, counts, wanted)
        if self.matrix is not None:
            run = source.constant("RIPS_RUN")
            warps = source.constant("RIPS_THREADS") // source.constant("RIPS_WARP")
            n_prefixes = int(table[d, n - 1])
            device.launch_blocks(
                f"rips_matrix_warps_{self._form}",
                min(device.processors * BLOCKS, -(-n_prefixes // (run * warps))),
                *(self.matrix, self.matrix.shape[1], n, d, self.limit),
                *(n_prefixes, session.upload(table), *found),
            )
        else:
            rows = self.adjacency
            assert rows is not None
            most = int(to_host((rows.offsets[1:] - rows.offsets[:-1]).max())) + 1
            stride = -(-most // PADDING) * PADDING
            n_blocks = min(device.processors * STAR_BLOCKS, n)
            dtype = np.uint16 if self._form == "16" else np.uint32
            session.memory.require(
                n_blocks * most * stride * np.dtype(dtype).itemsize,
                f"neighborhoods of {most:,} points",
            )
            device.launch_blocks(
                f"rips_graph_blocks_{self._form}",
                n_blocks,
                *(rows.offsets, rows.items, rows.ranks, n, d, self.limit),
                *(session.upload(table), most, stride),
                device.empty(n_blocks * most * stride, dtype),
                device.empty(n_blocks * most, np.int32),
                *found,
            )
        return vertices, ranks, to_host(counts)[:4]


def binomials(n: int, k: int) -> np.ndarray:
    """Return the table (k + 1, n + 1) int64 of v choose j for j <= k and v <= n, at most 2^62."""
    table = np.zeros((k + 1, n + 1), np.int64)
    table[0] = 1
    for j in range(1, k + 1):
        about = np.cumsum(table[j - 1, :-1].astype(np.float64))
        exact = np.cumsum(table[j - 1, :-1])
        table[j, 1:] = np.where(about < MOST_PREFIXES, exact, int(MOST_PREFIXES))
    return table


def adjacency_of(rank: np.ndarray) -> Adjacency:
    """Return the compressed rows of a rank matrix (n, n) uint32."""
    is_edge = rank != ABSENT
    np.fill_diagonal(is_edge, False)
    offsets = np.zeros(len(rank) + 1, np.int64)
    np.cumsum(is_edge.sum(axis=1), out=offsets[1:])
    neighbors = np.nonzero(is_edge)[1].astype(np.int32)
    return Adjacency(offsets, neighbors, rank[is_edge])
