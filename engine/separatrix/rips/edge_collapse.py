"""Edge collapse: a smaller graph whose flag filtration has the same bars.

Boissonnat, Pritam, "Edge collapse and persistence of flag complexes", 2020; Glisse, Pritam, "Swap,
shift and trim to edge collapse a filtration", 2022; the steps are those of ``rips_collapse.h``:

1. Vertices are labelled anew, the most central one last, and the edges sorted by descending rank.
2. A wave of edges at a time is tested against the graph as it is: an edge that is dominated may come
   later, or never; moves that lean on another one of the wave wait for the next wave.

The bars of every dimension stay, and with them the components; isolated vertices are no edges, so
they stay too. Not with births of vertices. Cycles of the smaller graph are cycles of the given one,
cocycles are not. The result is the same on every device and for any number of threads.
"""

from __future__ import annotations

import numpy as np

from ..device import Work
from ..device.arrays import to_host
from ..device.base import Array
from ..kernels import source
from .filtration import ABSENT

PAD = source.constant("COLLAPSE_PAD")
STATE = source.constant("COLLAPSE_STATE")
LEAST_WAVE = 64  # edges; a wave is half as many as there are vertices, or this
DENSE_BYTES = 1 << 28  # the matrix of ranks at most, beyond it rows of neighbours
DENSE_SHARE = 16  # and so many pairs at most for an edge
BITS_BYTES = 1 << 26  # which pairs are joined, beside rows of neighbours
WAVES_AT_ONCE = 64  # between two calls of the user's progress
PARALLEL_FROM = 1024  # vertices: waves of fewer are over before threads are awake


def collapse_edges(work: Work, n: int, edges: Array, rank: Array) -> tuple[Array, Array]:
    """The edges that are left, and when they come.

    Parameters
    ----------
    n : int
        Number of vertices.
    edges : (E, 2) int32
        Ends of the edges, each edge once, either end first.
    rank : (E,) uint32
        Their ranks, from 1 on.

    Returns
    -------
    edges : (E', 2) int32, in the order given.
    rank : (E',) uint32, never below what they were; each is the rank of some edge.

    Within a stage of a call. O(E n) steps of vectors for each edge's test at worst.
    """
    given, host_rank = to_host(edges), to_host(rank)
    label = _central_last(n, given, host_rank)
    ends = label[given].reshape(-1)
    moved = np.array(host_rank, np.uint32)
    order = np.argsort(ABSENT - moved, kind="stable").astype(np.int32)
    _collapse_on_host(work, n, ends, moved, order)
    left = np.flatnonzero(moved != ABSENT)
    return work.upload(given[left]), work.upload(moved[left])


def _central_last(n: int, edges: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """New labels (n,) int32: the mean rank falls, an absent edge counting as more than any."""
    beyond = int(rank.max(initial=0)) + 1
    nearer = np.repeat(beyond - rank.astype(np.int64), 2)
    closeness = np.bincount(edges.reshape(-1), nearer, minlength=n)  # whole numbers below 2^53
    label = np.empty(n, np.int32)
    label[np.argsort(closeness, kind="stable")] = np.arange(n, dtype=np.int32)
    return label


def _collapse_on_host(
    work: Work, n: int, ends: np.ndarray, rank: np.ndarray, order: np.ndarray
) -> np.ndarray:
    """Moves `rank` (E,) in place; returns the state of the waves."""
    stride = -(-n // PAD) * PAD
    width = 2 if int(rank.max(initial=0)) < 0xFFFF else 4
    is_dense = n * stride * width <= DENSE_BYTES and n * n <= DENSE_SHARE * 2 * rank.size
    graph = _matrix(n, stride, width, ends, rank) if is_dense else _rows(work, n, ends, rank)
    wave = wave_size(n)
    queue = np.empty(wave, np.int32)
    state = np.zeros(STATE, np.int64)
    threads = work.host.threads if n >= PARALLEL_FROM else 1
    task = "collapse_dense" if is_dense else "collapse_sparse"
    arguments = (*graph, ends, rank, order, rank.size, queue, state, wave, WAVES_AT_ONCE, threads)
    while work.host.run(task, *arguments):
        work.progressed(state[0] / rank.size)
    return state


def wave_size(n: int) -> int:
    """Edges that are tested at once: so few that a wave's moves seldom lean on each other."""
    return max(LEAST_WAVE, n // 2)


def _matrix(n: int, stride: int, width: int, ends: np.ndarray, rank: np.ndarray) -> tuple:
    """(n, ranks as bytes, their width): a matrix with rows of `stride`."""
    dtype = np.dtype(f"u{width}")
    matrix = np.full((n, stride), np.iinfo(dtype).max, dtype)
    u, v = ends[::2], ends[1::2]
    matrix[u, v] = matrix[v, u] = rank
    np.fill_diagonal(matrix, 0)
    return n, matrix.reshape(-1).view(np.uint8), width


def _rows(work: Work, n: int, ends: np.ndarray, rank: np.ndarray) -> tuple:
    """(n, offsets, items, ranks, places of the edges, bits, whether there are bits)."""
    m = rank.size
    offsets, place = np.empty(n + 1, np.int64), np.empty(2 * m, np.int64)
    items, rank_at = np.empty(2 * m, np.int32), np.empty(2 * m, np.uint32)
    words = -(-n // 64) if n * n <= 8 * BITS_BYTES else 0
    bits = np.zeros(n * words, np.uint64)
    work.host.run("collapse_rows", n, ends, m, rank, offsets, items, rank_at, place, bits, words)
    return n, offsets, items, rank_at, place, bits, words > 0
