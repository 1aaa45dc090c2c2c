"""Columns that no shortcut paired, reduced: deaths of the bars of one dimension over Z/p.

Implicit cohomology columns with apparent pairs never stored (Bauer 2021), a column's cofacets made
only within windows of ranks, several threads without locks (Morozov, Nigmetov 2020): the kernels
rips/column.h and rips/reduction.h tell how. Pairs are the same for any number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arguments import is_prime
from ..device.arrays import to_host
from ..device.session import Session
from ..errors import InputError
from .filtration import ABSENT, Filtration, Simplices

MAX_PRIME = 65_521
"""The largest prime whose products of two coefficients fit 32 bits."""
NARROW_RANKS = 0xFFFF
COLUMNS_PER_THREAD = 64  # for fewer, a thread takes longer to start than it helps
COUNTS = (
    *("emergent", "additions", "eliminations", "cofacets", "windows", "displaced", "longest"),
    "done",
)


@dataclass(frozen=True)
class Chains:
    """Several chains or cochains: ``offsets`` (m + 1,) int64 into ``vertices`` (k, d + 1) int32,
    descending in a row, and ``coefficients`` (k,) int32, 1 to prime - 1.
    """

    offsets: np.ndarray
    vertices: np.ndarray
    coefficients: np.ndarray


@dataclass(frozen=True)
class Reduction:
    """Deaths of the columns: ``death`` (m, d + 2) int32, descending in a row, and its rank
    ``death_rank`` (m,) uint32; -1 and ABSENT where the bar is essential.

    ``columns``, if they were to be kept, are the cochains V of the columns. ``statistics`` counts
    what was done: it depends on the order of the threads, the deaths do not.
    """

    death: np.ndarray
    death_rank: np.ndarray
    columns: Chains | None = None
    statistics: dict[str, int] = field(default_factory=dict)


def reduce_survivors(
    session: Session,
    filtration: Filtration,
    survivors: Simplices,
    *,
    prime: int = 2,
    keep_columns: bool = False,
) -> Reduction:
    """Pair the columns that are neither in an apparent pair nor cleared, or find them essential.

    `survivors` of dimension >= 1 come in the order of processing: rank descending, then
    combinatorial index ascending. Where columns are kept one thread works, so that they are the
    same in every run. Memory: the rank matrix, 64 bytes a column, 8 an entry of V.
    """
    m, k = survivors.vertices.shape
    bits = key_bits(filtration.n, k + 1) if m else 1
    check_prime(prime)
    death = np.full((m, k + 1), -1, np.int32)
    death_rank = np.full(m, ABSENT, np.uint32)
    counts = np.zeros(len(COUNTS), np.int64)
    form, graph = host_graph(filtration)
    columns = np.ascontiguousarray(to_host(survivors.vertices), np.int32)
    rank = np.ascontiguousarray(to_host(survivors.rank), np.uint32)
    threads = 1 if keep_columns else min(session.host.threads, 1 + m // COLUMNS_PER_THREAD)
    kept = session.host.run(
        f"reduce_{form}_cochains",
        *(*graph, columns, rank, m, k, filtration.n_ranks, prime, bits, threads),
        *(keep_columns, death, death_rank, counts),
        on_wait=lambda: session.progressed(float(counts[-1]) / max(m, 1)),
        undo=lambda kept: drop_chains(session, kept),
    )
    statistics = dict(zip(COUNTS[:-1], map(int, counts), strict=False))
    columns_kept = taken_chains(session, kept, m, k) if kept else None
    return Reduction(death, death_rank, columns_kept, statistics)


def key_bits(n: int, n_vertices: int) -> int:
    """Bits of a vertex in a packed simplex. InputError if two words are too few for one."""
    bits = max(1, int(n - 1).bit_length())
    if n_vertices * bits > 128 or n_vertices > 31:
        raise InputError(
            f"simplices must fit 128 bits: {n_vertices} vertices of {bits} bits each, for {n:,} "
            f"points, are {n_vertices * bits}; lower max_dimension or take fewer points"
        )
    return bits


def check_prime(prime: int) -> None:
    """InputError unless coefficients mod `prime` make a field whose products fit a word."""
    if not is_prime(prime, MAX_PRIME):
        raise InputError(f"field must be a prime number up to {MAX_PRIME}, not {prime!r}")


def host_graph(filtration: Filtration, *, narrow: bool = True) -> tuple[str, tuple[Any, ...]]:
    """The form of the host tasks that takes this filtration, and their first arguments.

    Where there are few ranks, and `narrow` allows it, the matrix is copied in two bytes a rank.
    """
    if filtration.rank is None:
        rows = filtration.adjacency
        assert rows is not None
        parts = (to_host(rows.offsets), to_host(rows.items), to_host(rows.ranks))
        return "sparse", (filtration.n, *map(np.ascontiguousarray, parts))
    matrix = np.ascontiguousarray(to_host(filtration.rank))
    if narrow and filtration.n_ranks < NARROW_RANKS:
        return "narrow", (filtration.n, matrix.astype(np.uint16).view(np.uint8))
    return "dense", (filtration.n, matrix)


def taken_chains(session: Session, kept: int, n_chains: int, n_vertices: int) -> Chains:
    """The chains that a host task has kept, as arrays; its memory is given back."""
    try:
        n_terms = session.host.run("count_kept_chains", kept)
        chains = Chains(
            np.empty(n_chains + 1, np.int64),
            np.empty((n_terms, n_vertices), np.int32),
            np.empty(n_terms, np.int32),
        )
    except BaseException:
        drop_chains(session, kept)
        raise
    session.host.run("take_kept_chains", kept, chains.offsets, chains.vertices, chains.coefficients)
    return chains


def drop_chains(session: Session, kept: int) -> None:
    """Give back the memory of the chains that a host task has kept; nothing where it kept none."""
    if kept > 0:
        session.fork(session.device).host.run("drop_kept_chains", kept)  # whoever wants to stop
