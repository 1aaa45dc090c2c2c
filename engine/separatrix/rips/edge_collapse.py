"""Edge collapse: a smaller graph whose flag filtration has the same bars.

Boissonnat, Pritam, "Edge collapse and persistence of flag complexes", 2020; Glisse, Pritam, "Swap,
shift and trim to edge collapse a filtration", 2022. The steps are those of ``rips/collapse.h``:

1. Vertices are relabeled, the most central one last, and edges are sorted by descending rank.
2. Edges are tested in waves against the current graph. A dominated edge moves to a higher rank or
   is deleted. Moves that depend on another move of the same wave are postponed to the next one.

The bars of all dimensions, and thus the components, are preserved; vertices with births are not
supported. Cycles of the smaller graph are cycles of the given graph, but cocycles are not. The
result is the same on every device and for any number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..device import Array, Session, array_module, to_host
from ..kernels import source
from ..primitives import total
from .filtration import ABSENT
from .ranks import most_central_last

PAD = source.constant("COLLAPSE_PAD")
STATE = source.constant("COLLAPSE_STATE")
CHAIN = source.constant("COLLAPSE_CHAIN")
WARPS = source.constant("COLLAPSE_WARPS")
LEAST_WAVE = 64  # edges; a wave has half as many edges as there are vertices, or this number
DENSE_BYTES = 1 << 28  # maximum size of the rank matrix; larger graphs use rows of neighbors
DENSE_SHARE = 16  # maximum number of pairs per edge for a rank matrix
LONGEST = 64  # the longest 1 / LONGEST of the edges decide whether the collapse gives up
WAVES_AT_ONCE = 64  # between two progress callbacks on a GPU
PULSE = 0.1  # seconds between two progress callbacks on a CPU
GPU_FROM = 100_000  # edges; with fewer, launching waves takes longer than the CPU
GPU_SHARE = 64  # maximum number of pairs per edge; sparser graphs are faster on the CPU
PARALLEL_FROM = 1024  # vertices; waves of smaller graphs end before threads have started


def collapse_edges(
    session: Session, n: int, edges: Array, rank: Array, *, may_give_up: bool = False
) -> tuple[Array, Array]:
    """Return the remaining `edges` (E, 2) int32 of n vertices and their `rank` (E,) uint32.

    The edges keep their order, and their ranks never decrease. With `may_give_up`, the collapse
    stops if few of the longest edges can be deleted: few others can be deleted then, and the tests
    take longest on such graphs. Each test takes O(E n) vector steps in the worst case.
    """
    moved = session.upload(rank).astype(np.uint32)
    given = session.upload(edges)
    xp = session.device.xp
    label = xp.arange(n, dtype=np.int32)
    if rank.size:
        label[most_central_last(session, n, given, moved, int(moved.max()) + 1)] = label.copy()
    ends = label[given.reshape(-1)]
    gpu_pays = session.device.launch_form(host=False, gpu=rank.size >= GPU_FROM)
    if not (gpu_pays and _fits(session, n, rank.size)):
        ends, on_host = to_host(ends), to_host(moved)
        on_host = on_host if on_host.flags.writeable else on_host.copy()
        collapse_on_host(session, n, ends, on_host, may_give_up)
        moved = session.upload(on_host)
    else:
        collapse_on_gpu(session, n, ends, moved, may_give_up)
    left = xp.flatnonzero(moved != ABSENT)
    return given[left], moved[left]


def _youngest_first(rank: Array) -> Array:
    return array_module(rank).argsort(~rank, kind="stable").astype(np.int32)


def wave_size(n: int) -> int:
    """Return the number of edges per wave, so small that few moves depend on each other."""
    return max(LEAST_WAVE, n // 2)


def _fits(session: Session, n: int, n_edges: int) -> bool:
    """Return whether a rank matrix fits on the GPU and is not nearly empty."""
    return (
        n * n <= GPU_SHARE * 2 * n_edges
        and 4 * n * (n + 3 * wave_size(n)) <= session.memory.room() // 2
    )


def _is_hopeless(session: Session, rank: Array, longest: Array) -> bool:
    """Return whether few of the longest edges were deleted; on real data, it is most or few."""
    return 2 * total(session.device, rank[longest] == ABSENT) < longest.size


def collapse_on_host(
    session: Session, n: int, ends: np.ndarray, rank: np.ndarray, may_give_up: bool = False
) -> np.ndarray:
    """Update `rank` (E,) of the edges `ends` (2 E,) in place; return the state of the waves."""
    stride = -(-n // PAD) * PAD
    width = 2 if int(rank.max(initial=0)) < 0xFFFF else 4
    is_dense = n * stride * width <= DENSE_BYTES and n * n <= DENSE_SHARE * 2 * rank.size
    graph = _matrix(n, stride, width, ends, rank) if is_dense else _rows(session, n, ends, rank)
    wave, order = wave_size(n), _youngest_first(rank)
    queue = np.empty(wave, np.int32)
    state = np.zeros(STATE, np.int64)
    threads = session.host.threads if n >= PARALLEL_FROM else 1
    task = "collapse_dense" if is_dense else "collapse_sparse"
    for part in (-(-rank.size // LONGEST), rank.size):  # the longest edges, then all
        more, waves = rank.size, 1
        while more:
            begin = session.host.mark()
            arguments = (ends, rank, order, part, queue, state, wave, waves, threads)
            more = session.host.run(task, *graph, *arguments)
            session.progressed(float(state[0]) / rank.size)
            pace = PULSE / max(session.host.seconds_between(begin, session.host.mark()), 1e-6)
            waves = max(1, int(waves * min(4.0, max(0.25, pace))))
        if may_give_up and _is_hopeless(session, rank, order[:part]):
            break
    return state


def _matrix(n: int, stride: int, width: int, ends: np.ndarray, rank: np.ndarray) -> tuple:
    """Return n, the rank matrix with rows of `stride` as bytes, and the bytes per rank."""
    dtype = np.dtype(f"u{width}")
    matrix = np.full((n, stride), np.iinfo(dtype).max, dtype)
    u, v = ends[::2], ends[1::2]
    matrix[u, v] = matrix[v, u] = rank
    np.fill_diagonal(matrix, 0)
    return n, matrix.reshape(-1).view(np.uint8), width


def _rows(session: Session, n: int, ends: np.ndarray, rank: np.ndarray) -> tuple:
    """Return n, offsets and sizes of the rows, and their entries."""
    offsets, sizes = np.empty(n + 1, np.int64), np.empty(n, np.int32)
    entries = np.empty(2 * rank.size, np.uint64)
    session.host.run("collapse_rows", n, ends, rank.size, rank, offsets, sizes, entries)
    return n, offsets, sizes, entries


def collapse_on_gpu(
    session: Session, n: int, ends: Array, rank: Array, may_give_up: bool = False
) -> Array:
    """Do the same on a GPU, with the same result; uses 2.5 n^2 words of its memory."""
    device: Any = session.device
    wave = wave_size(n)
    matrix = device.unset((n, n), np.uint32)
    matrix[ends[::2], ends[1::2]] = rank
    matrix[ends[1::2], ends[::2]] = rank
    device.xp.fill_diagonal(matrix, 0)
    matrix = matrix.reshape(-1)
    order = _youngest_first(rank)
    state = device.zeros(STATE, np.int64)
    edge_of, length = device.empty(wave, np.int32), device.empty(wave, np.int32)
    target, holds = device.empty(wave, np.uint32), device.empty(wave, np.uint8)
    by, until = device.empty(wave * CHAIN, np.int32), device.empty(wave * CHAIN, np.uint32)
    head, following = device.unset(n, np.int32), device.empty(2 * wave, np.int32)
    candidates = device.empty(3 * wave * n, np.uint32)
    moves = (edge_of, target, length, by, until)
    n_blocks = -(-wave // WARPS)
    for part in (-(-rank.size // LONGEST), rank.size):  # the longest edges, then all
        tested = (n, matrix, ends, rank, order, part, state, wave, candidates, *moves, head)
        committed = (n, matrix, ends, rank, part, state, wave, *moves, holds, head)
        taken, queued = (int(number) for number in to_host(state)[:2])
        while queued or taken < part:
            for _ in range(min(WAVES_AT_ONCE, -(-(part - taken) // wave) + 1)):
                device.launch_blocks("collapse_wave", n_blocks, *tested, following)
                device.launch_blocks("collapse_commit", 1, *committed, following)
            taken, queued = (int(number) for number in to_host(state)[:2])
            session.progressed(taken / rank.size)
        if may_give_up and _is_hopeless(session, rank, order[:part]):
            break
    return state
