"""Columns of one dimension without an apparent pair, the only ones that are stored.

Each simplex up to the highest rank is processed once. The ranks of its cofacets determine its fate
(`kernels/rips/fate.h`): birth of an apparent pair, death of one, or survivor. Bauer, "Ripser",
2021, section 3; Zhang, Xiao, Wang 2020.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device import Session, to_host
from ..kernels import source
from .filtration import Filtration, Simplices
from .rank_rows import RankRows

FIRST_CAPACITY = 1 << 17


@dataclass(frozen=True)
class Survivors:
    """Survivors of one dimension in processing order, in host memory, with counts.

    ``n_simplices`` counts all simplices up to the highest rank, ``n_births`` and ``n_deaths`` those
    in apparent pairs.
    """

    simplices: Simplices
    n_simplices: int
    n_births: int
    n_deaths: int


def survivors(
    session: Session, filtration: Filtration, dimension: int, rows: RankRows | None = None
) -> Survivors:
    """Return the survivors of a dimension >= 1, equal on every device.

    O(simplices times cofacets tried), which are one to a few dozen. Only survivors use memory.
    """
    rows = RankRows.of(session, filtration) if rows is None else rows
    found, counts = _kept(session, rows, dimension)
    n_simplices, births, deaths = (int(count) for count in counts[:3])
    return Survivors(in_processing_order(found, filtration), n_simplices, births, deaths)


def apparent_deaths(
    session: Session, filtration: Filtration, dimension: int, rows: RankRows
) -> Simplices:
    """Return all simplices of a dimension >= 2 that are deaths of apparent pairs."""
    found, _ = _kept(session, rows, dimension, source.constant("RIPS_DEATH"))
    return in_processing_order(found, filtration)


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


def in_processing_order(simplices: Simplices, filtration: Filtration) -> Simplices:
    """Sort by rank descending, then combinatorial index ascending; return host arrays."""
    vertices, rank = to_host(simplices.vertices), to_host(simplices.rank)
    keys = packed(vertices, filtration.n)
    bits = keys[1] + int(filtration.n_ranks).bit_length()
    if len(keys[0]) == 1 and bits <= 64:
        key = (filtration.n_ranks - rank.astype(np.uint64)) << np.uint64(keys[1]) | keys[0][0]
        order = np.argsort(key)  # keys are distinct
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


def without(simplices: Simplices, cleared: np.ndarray, n: int) -> tuple[Simplices, int]:
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
    is_kept = ~np.isin(key[: len(vertices)], key[len(vertices) :])
    kept = Simplices(vertices[is_kept], to_host(simplices.rank)[is_kept])
    return kept, len(vertices) - len(kept)
