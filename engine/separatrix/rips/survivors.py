"""Columns of one dimension without an apparent pair, the only ones that are stored.

Each simplex up to the highest rank is processed once. The ranks of its cofacets determine its fate
(`kernels/rips/fate.h`): birth of an apparent pair, death of one, or survivor. Bauer, "Ripser",
2021, section 3; Zhang, Xiao, Wang 2020. Ranks are read from a padded matrix if a large fraction of
all pairs are edges. Otherwise the neighborhood of each vertex is expanded to a small matrix on the
fly, so memory does not depend on the number of possible simplices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Array, CudaDevice, Session, to_host
from ..kernels import source
from ..primitives import find_keys, stable_order
from .filtration import ABSENT, Adjacency, Filtration, Simplices
from .ranks import DENSE

FIRST_CAPACITY = 1 << 17
PADDING = 64  # kernels/rips/survivors.h: RIPS_BLOCK
MOST_SHORT = 0xFFFE  # higher ranks need 32 bits
BLOCKS = 8  # per multiprocessor, which share the prefixes
STAR_BLOCKS = 4  # per multiprocessor, each of which expands one neighborhood at a time
MOST_PREFIXES = 2.0**62


@dataclass(frozen=True)
class RankRows:
    """Ranks as a matrix or as rows."""

    n: int
    limit: int  # the highest rank
    matrix: Array | None  # (n, stride) uint16 or uint32, all bits set for missing edges
    adjacency: Adjacency | None  # None if `matrix` is given

    @classmethod
    def of(cls, session: Session, filtration: Filtration) -> RankRows:
        """Return the ranks in the form that suits this graph. O(n^2) for the matrix."""
        n, limit = filtration.n, filtration.n_ranks - 1
        if filtration.rank is None:
            rows = filtration.adjacency
            assert rows is not None
            parts = map(session.upload, (rows.offsets, rows.items, rows.ranks))
            return cls(n, limit, None, Adjacency(*parts))
        rank = filtration.rank
        sparse = session.device.launch_form(host=DENSE, gpu=0.0)
        if sparse:
            n_edges = int((rank != ABSENT).sum()) - n
            if n_edges < sparse * n * (n - 1):
                return cls(n, limit, None, adjacency_of(rank))
        dtype = np.uint16 if limit <= MOST_SHORT else np.uint32
        stride = -(-n // PADDING) * PADDING
        matrix = session.device.unset((n, stride), dtype)
        # Truncated to 16 bits, ABSENT still has all bits set.
        kernel = "fill_short_rows" if dtype == np.uint16 else "fill_rows"
        session.launch(kernel, n * n, session.upload(rank), n, stride, matrix)
        return cls(n, limit, matrix, None)

    @property
    def _form(self) -> str:
        return "16" if self.limit <= MOST_SHORT else "32"

    def stream(
        self, session: Session, dimension: int, capacity: int, wanted: int
    ) -> tuple[Array, Array, np.ndarray]:
        """Enumerate the simplices of a dimension and keep those of a fate that fit, unordered.

        Returns vertices (capacity, d + 1) int32, ranks (capacity,) uint32, and counts (4,) int64 of
        simplices, births, deaths, and those `wanted`: a fate of `kernels/rips/fate.h`.
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
        needed = 4 * (d + 2) * capacity + (0 if self.matrix is None else self.matrix.nbytes)
        if session.memory.exceeds_limit(needed):  # a query of free memory would take longer
            what = f"the ranks of {n:,} points with a list of {capacity:,} simplices"
            session.memory.require(needed, what, "use fewer points")
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


@dataclass(frozen=True)
class Survivors:
    """Survivors of one dimension in processing order, in host memory."""

    simplices: Simplices
    n_simplices: int  # all up to the highest rank
    n_births: int  # in apparent pairs
    n_deaths: int  # in apparent pairs


def survivors(
    session: Session, filtration: Filtration, dimension: int, rows: RankRows | None = None
) -> Survivors:
    """Return the survivors of a dimension >= 1, which are the same on every device.

    O(simplices times cofacets tried), which are one to a few dozen; only survivors use memory.
    """
    rows = RankRows.of(session, filtration) if rows is None else rows
    found, counts = _kept(session, rows, dimension)
    n_simplices, births, deaths = (int(count) for count in counts[:3])
    in_order = in_processing_order(session, found, filtration)
    return Survivors(in_order, n_simplices, births, deaths)


def apparent_deaths(
    session: Session, filtration: Filtration, dimension: int, rows: RankRows
) -> Simplices:
    """Return all simplices of a dimension >= 2 that are deaths of apparent pairs."""
    found, _ = _kept(session, rows, dimension, source.constant("RIPS_DEATH"))
    return in_processing_order(session, found, filtration)


def _kept(
    session: Session, rows: RankRows, dimension: int, fate: int = 0
) -> tuple[Simplices, np.ndarray]:
    capacity = FIRST_CAPACITY
    while True:
        vertices, ranks, counts = rows.stream(session, dimension, capacity, fate)
        if counts[3] <= capacity:
            return Simplices(vertices[: counts[3]], ranks[: counts[3]]), counts
        capacity = int(counts[3])  # exact, so all fit in the second pass
        session.memory.require_host(
            *(4 * (dimension + 2) * capacity, f"a list of {capacity:,} simplices"),
            "lower {threshold} or {max_dimension}, or omit keep_zero",
        )


def in_processing_order(
    session: Session, simplices: Simplices, filtration: Filtration
) -> Simplices:
    """Sort by rank descending, then combinatorial index ascending; return host arrays."""
    vertices, rank = to_host(simplices.vertices), to_host(simplices.rank)
    keys = packed(vertices, filtration.n)
    bits = keys[1] + int(filtration.n_ranks).bit_length()
    if len(keys[0]) == 1 and bits <= 64:
        key = (filtration.n_ranks - rank.astype(np.uint64)) << np.uint64(keys[1]) | keys[0][0]
        order = stable_order(session.on(session.host), key)
    else:
        order = np.lexsort((*reversed(keys[0]), ~rank))
    return Simplices(vertices[order], rank[order])


def packed(vertices: np.ndarray, n: int) -> tuple[list[np.ndarray], int]:
    """Pack descending vertices (m, k) int32 into keys that sort by combinatorial index.

    Returns one or more arrays (m,) uint64, the most significant first, and the bits of the last.
    """
    width = max(int(n - 1).bit_length(), 1)
    words, a_word = [], 64 // width
    for begin in range(0, vertices.shape[1], a_word):
        word = np.zeros(len(vertices), np.uint64)
        for column in vertices[:, begin : begin + a_word].T:
            word = word << np.uint64(width) | column.astype(np.uint64)
        words.append(word)
    return words, width * min(vertices.shape[1], a_word)


def without(
    session: Session, simplices: Simplices, cleared: np.ndarray, n: int
) -> tuple[Simplices, int]:
    """Return the simplices that are not rows of `cleared` (k, d + 1), and the number removed.

    A simplex that destroyed a class of the lower dimension creates none (Chen, Kerber 2011).
    """
    if len(cleared) == 0 or len(simplices) == 0:
        return simplices, 0
    vertices = to_host(simplices.vertices)
    rows = np.concatenate([vertices, cleared.astype(np.int32)])
    words, _ = packed(rows, n)
    if len(words) == 1:
        key = words[0]
    else:
        key = np.unique(np.stack(words, axis=1), axis=0, return_inverse=True)[1].ravel()
    host, wanted, others = session.on(session.host), key[: len(vertices)], key[len(vertices) :]
    order = stable_order(host, others).astype(np.int64)
    is_kept = find_keys(host, others, order, wanted) < 0
    kept = Simplices(vertices[is_kept], to_host(simplices.rank)[is_kept])
    return kept, len(vertices) - len(kept)
