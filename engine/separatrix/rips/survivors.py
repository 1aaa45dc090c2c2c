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
from .filtration import ABSENT, Adjacency, Filtration, Simplices, vertex_bits
from .ranks import DENSE

FIRST_CAPACITY = 1 << 17
PADDING = 64  # kernels/rips/survivors.h: RIPS_BLOCK
MOST_SHORT = 0xFFFE  # higher ranks need 32 bits
BLOCKS = 8  # per multiprocessor, which share the prefixes
STAR_BLOCKS = 4  # per multiprocessor, each of which expands one neighborhood at a time
MOST_PREFIXES = 2.0**62
KEY_BITS = 63  # of a rank and a simplex as one number


@dataclass(frozen=True)
class Listed:
    """Simplices of one dimension, in no order, and how many there are."""

    simplices: Simplices
    counts: tuple[int, ...]  # all, births and deaths of apparent pairs, and those of the given fate

    @classmethod
    def of(cls, vertices: Array, ranks: Array, counts: np.ndarray) -> Listed:
        """Return those among vertices (capacity, d + 1) int32, and ranks (capacity,) uint32."""
        numbers = tuple(counts[:4].tolist())
        return cls(Simplices(vertices[: numbers[3]], ranks[: numbers[3]]), numbers)


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
        self, session: Session, dimensions: range, capacity: int, wanted: int
    ) -> list[Listed]:
        """Enumerate simplices of some dimensions and keep those of a fate that fit.

        `wanted` is a fate of `kernels/rips/fate.h`. Each dimension has room for `capacity`
        simplices. On a GPU, it is one dimension.
        """
        form = session.device.launch_form(host=self._on_host, gpu=self._on_gpu)
        return form(session, dimensions, capacity, wanted)

    def _on_host(
        self, session: Session, dimensions: range, capacity: int, wanted: int
    ) -> list[Listed]:
        first, last = dimensions[0], dimensions[-1]
        sizes = [capacity * (d + 1) for d in dimensions]
        vertices = np.empty(sum(sizes), np.int32)
        ranks = np.empty((len(sizes), capacity), np.uint32)
        counts = np.zeros((len(sizes), 4), np.int64)
        graph: tuple[Any, ...]
        if self.matrix is not None:
            task, graph = "rips_matrix_survivors", (self.matrix, self.matrix.shape[1], self.n)
            n_items = self.n if last == 1 else self.n**2
        else:
            rows = self.adjacency
            assert rows is not None
            task = "rips_graph_survivors"
            graph = (rows.offsets, rows.items, rows.ranks, self.n)
            n_items = self.n
        done = np.zeros(1, np.int64)

        session.host.run(
            *(f"{task}_{self._form}", *graph, first, last, self.limit, session.host.threads),
            *(capacity, vertices, ranks, counts, wanted, done),
            on_wait=lambda: session.progressed(float(done[0]) / n_items),
        )
        parts = np.split(vertices, np.cumsum(sizes)[:-1])
        tables = (part.reshape(capacity, -1) for part in parts)
        return [Listed.of(*each) for each in zip(tables, ranks, counts, strict=True)]

    def _on_gpu(
        self, session: Session, dimensions: range, capacity: int, wanted: int
    ) -> list[Listed]:
        (d,) = dimensions
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
            warps = source.constant("RIPS_THREADS") // source.constant("RIPS_WARP")
            n_prefixes = int(table[d, n - 1])
            device.launch_blocks(
                f"rips_matrix_warps_{self._form}",
                min(device.processors * BLOCKS, -(-n_prefixes // warps)),
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
        return [Listed.of(vertices, ranks, to_host(counts))]


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
    """Survivors of one dimension in processing order, in host memory, if they are not cleared."""

    simplices: Simplices
    n_simplices: int  # all up to the highest rank
    n_births: int  # in apparent pairs
    n_deaths: int  # in apparent pairs
    number: int  # with those that are cleared


def survivors(
    session: Session,
    filtration: Filtration,
    dimension: int,
    rows: RankRows | None = None,
    *,
    cleared: np.ndarray | None = None,
    found: Listed | None = None,
) -> Survivors:
    """Return the survivors of a dimension >= 1, which are the same on every device.

    A simplex that destroyed a class of the lower dimension creates none: rows of `cleared`
    (k, d + 1) int32 are left out (Chen, Kerber 2011). O(simplices times cofacets tried), which are
    one to a few dozen, unless the survivors were `found` before; only these use memory.
    """
    if found is None:
        rows = RankRows.of(session, filtration) if rows is None else rows
        (found,) = listed(session, rows, range(dimension, dimension + 1))
    in_order = in_processing_order(session, found.simplices, filtration, cleared)
    return Survivors(in_order, *found.counts)


def apparent_deaths(
    session: Session, filtration: Filtration, dimension: int, rows: RankRows
) -> Simplices:
    """Return all simplices of a dimension >= 2 that are deaths of apparent pairs."""
    of_dimension = range(dimension, dimension + 1)
    (found,) = listed(session, rows, of_dimension, source.constant("RIPS_DEATH"))
    return in_processing_order(session, found.simplices, filtration)


def listed(session: Session, rows: RankRows, dimensions: range, fate: int = 0) -> list[Listed]:
    """Return the simplices of a fate, by default survivors, of one or (on the CPU) more dimensions.

    Several dimensions take less time together, but memory for the survivors of all of them.
    """
    capacity = FIRST_CAPACITY
    while True:
        found = rows.stream(session, dimensions, capacity, fate)
        number = max(each.counts[3] for each in found)
        if number <= capacity:
            return found
        capacity = number  # exact, so all fit in the second pass
        session.memory.require_host(
            *(4 * sum(d + 2 for d in dimensions) * capacity, f"a list of {capacity:,} simplices"),
            "lower {threshold} or {max_dimension}, or omit keep_zero",
        )


def in_processing_order(
    session: Session, simplices: Simplices, filtration: Filtration, cleared: Any = None
) -> Simplices:
    """Sort by rank descending, then combinatorial index ascending; return host arrays.

    Rows of `cleared` (k, d + 1) int32 are left out.
    """
    vertices, rank, host = simplices.vertices, simplices.rank, session.host
    m, k = vertices.shape
    bits, highest = vertex_bits(filtration.n), filtration.n_ranks - 1
    without = np.empty((0, k), np.int32) if cleared is None else np.ascontiguousarray(cleared)
    columns, column_rank = np.empty((m, k), np.int32), np.empty(m, np.uint32)
    found = (without, len(without), k, bits, columns, column_rank)
    if k * bits + highest.bit_length() > KEY_BITS:
        n = host.run("rips_columns_of_simplices", to_host(vertices), to_host(rank), m, *found)
        return Simplices(columns[:n], column_rank[:n])
    keys = session.device.empty(m, np.int64)
    session.launch("rips_pack_columns", m, vertices, rank, k, bits, highest, keys)
    sorts = session.device.launch_form(host=False, gpu=True)
    if sorts:
        keys.sort()
    n = host.run("rips_columns_of_keys", to_host(keys), m, sorts, highest, *found)
    return Simplices(columns[:n], column_rank[:n])
