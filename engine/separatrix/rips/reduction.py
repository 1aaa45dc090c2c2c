"""Reduction of the columns of one dimension, which yields the deaths of their bars over Z/p.

Cohomology columns are implicit and apparent pairs are not stored (Bauer 2021). Cofacets of a column
are enumerated within windows of ranks, and threads work without locks (Morozov, Nigmetov 2020); see
the kernels rips/column.h and rips/reduction.h. Pairs are the same for any number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arguments import is_prime
from ..device import Session, to_host
from ..errors import InputError
from .filtration import ABSENT, Filtration, Simplices, vertex_bits
from .forecast import Outlook
from .survivors import RankRows
from .waves import POSTPONED_FROM, drop_postponed, may_postpone, reduce_postponed

MAX_PRIME = 65_521
"""Largest prime p for which products of two coefficients fit in 32 bits."""
NARROW_RANKS = 0xFFFF
COLUMNS_PER_THREAD = 64  # with fewer, starting a thread takes longer than it saves
MANY_COLUMNS = 1000  # from which the time is estimated while columns are reduced
COUNTS = (
    *("emergent", "additions", "eliminations", "cofacets", "windows", "displaced", "longest"),
    *("postponed", "done", "steps"),
)
DONE, STEPS = -2, -1  # places in COUNTS


@dataclass(frozen=True)
class Chains:
    """Chains or cochains in compressed rows."""

    offsets: np.ndarray  # (m + 1,) int64
    vertices: np.ndarray  # (k, d + 1) int32, descending within each row
    coefficients: np.ndarray  # (k,) int32, 1 to prime - 1


@dataclass(frozen=True)
class Reduction:
    """Deaths of the columns."""

    death: np.ndarray  # (m, d + 2) int32, descending within each row; -1 for essential bars
    death_rank: np.ndarray  # (m,) uint32, ABSENT for essential bars
    columns: Chains | None = None  # the cochains V of the columns, if they are kept
    # Counts, which depend on the order of the threads; the deaths do not.
    statistics: dict[str, int] = field(default_factory=dict)


def reduce_survivors(
    session: Session,
    filtration: Filtration,
    survivors: Simplices,
    *,
    prime: int = 2,
    keep_columns: bool = False,
    work_limit: float = math.inf,
    warned: float = 0.0,
    rows: RankRows | None = None,
) -> Reduction:
    """Pair the columns that are neither in an apparent pair nor cleared; the rest are essential.

    `survivors` of dimension >= 1 are in processing order: rank descending, then combinatorial index
    ascending. If columns are kept, a single thread makes them reproducible. Uses memory for the
    rank matrix, 64 bytes per column, and 8 bytes per entry of V. Raises InputError beyond
    `work_limit`, and warns if the computation takes more than one minute, and twice as long as the
    caller has `warned` of. A GPU that has the ranks as `rows` continues long columns over Z/2.
    """
    m, k = survivors.vertices.shape
    bits = key_bits(filtration.n, k + 1) if m else 1
    check_prime(prime)
    death = np.full((m, k + 1), -1, np.int32)
    death_rank = np.full(m, ABSENT, np.uint32)
    if m == 0 and not keep_columns:
        return Reduction(death, death_rank, None, dict.fromkeys(COUNTS[:DONE], 0))
    counts = np.zeros(len(COUNTS), np.int64)
    form, graph = host_graph(filtration)
    columns = np.ascontiguousarray(to_host(survivors.vertices), np.int32)
    rank = np.ascontiguousarray(to_host(survivors.rank), np.uint32)
    threads = 1 if keep_columns else min(session.host.threads, 1 + m // COLUMNS_PER_THREAD)
    reason = f"{m:,} simplices of dimension {k - 1} are reduced"
    outlook = Outlook(session, m, reason, warned=warned)

    def exceeded() -> InputError:
        done = f"{counts[DONE]:,} of {m:,} simplices of dimension {k - 1}"
        return too_many_steps(int(counts[STEPS]), done, work_limit)

    def count_steps(n: int) -> None:
        counts[STEPS] += n
        if counts[STEPS] > work_limit:
            raise exceeded()

    postpones = not keep_columns and may_postpone(session, rows, k + 1, bits, prime)
    kept = session.host.run(
        f"reduce_{form}_cochains",
        *(*graph, columns, rank, m, k, filtration.n_ranks, prime, bits, threads),
        *(keep_columns, death, death_rank, most_steps(work_limit), counts),
        POSTPONED_FROM if postpones else 0,
        on_wait=lambda: outlook.look(int(counts[DONE])),
        undo=lambda kept: (drop_postponed if postpones else drop_chains)(session, kept),
        watched=m >= MANY_COLUMNS,
    )
    if postpones and kept:
        assert rows is not None
        try:
            if counts[STEPS] <= work_limit:
                reduce_postponed(session, rows, kept, (k, bits), count_steps)
                session.host.run("rips_write_postponed", kept)
        finally:
            drop_postponed(session, kept)
        kept = 0
    if counts[STEPS] > work_limit:
        drop_chains(session, kept)
        raise exceeded()
    statistics = dict(zip(COUNTS[:DONE], map(int, counts), strict=False))
    columns_kept = taken_chains(session, kept, m, k) if kept else None
    return Reduction(death, death_rank, columns_kept, statistics)


def most_steps(work_limit: float) -> int:
    """Return the limit as an integer that kernels can read."""
    return int(min(work_limit, 2**62))


def too_many_steps(n_steps: int, done: str, work_limit: float) -> InputError:
    """Return the error of a computation that exceeds the work limit while it runs."""
    return InputError(
        f"The number of steps is {n_steps:.2g} after {done}; {{work_limit}} allows "
        f"{work_limit:.2g}. Lower {{threshold}}, use fewer points, or raise {{work_limit}}."
    )


def key_bits(n: int, n_vertices: int) -> int:
    """Return the bits per vertex of a packed simplex. Raises InputError beyond 128 per simplex."""
    bits = vertex_bits(n)
    if n_vertices * bits > 128 or n_vertices > 31:
        raise InputError(
            f"The number of bits per simplex is {n_vertices * bits} ({n_vertices} vertices of "
            f"{bits} bits, for {n:,} points); the maximum is 128. Lower {{max_dimension}} or use "
            "fewer points."
        )
    return bits


def check_prime(prime: int) -> None:
    """Raise InputError unless `prime` is prime and products of coefficients fit in 32 bits."""
    if not is_prime(prime, MAX_PRIME):
        raise InputError("field", f"a prime number up to {MAX_PRIME:,}", prime)


def host_graph(filtration: Filtration, *, narrow: bool = True) -> tuple[str, tuple[Any, ...]]:
    """Return the form of the host tasks for this filtration, and their first arguments.

    If there are few ranks, and `narrow` permits it, the matrix is copied with two bytes per rank.
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
    """Return the chains that a host task has stored, and release its memory."""
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
    """Release the chains that a host task has stored, if any."""
    if kept > 0:
        # A fork ignores cancellation, which must not prevent the release.
        session.fork(session.device).host.run("drop_kept_chains", kept)
