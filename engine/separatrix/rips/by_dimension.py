"""Persistent cohomology of a flag filtration, one dimension at a time, with clearing.

Dimension 0: edges without an apparent pair, shortest first, merge components by the elder rule. The
other edges close triangles immediately and merge nothing. Dimension d >= 1: the survivors are
reduced, except those that destroyed a class of dimension d - 1 (clearing: Chen, Kerber 2011).
Nearly all pairs of zero length are apparent and are not stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Session
from ..homology import merge_pairs
from ..kernels import NONE
from .filtration import ABSENT, Filtration, Simplices
from .rank_rows import RankRows
from .reduction import Reduction, reduce_survivors
from .survivors import survivors, without


@dataclass(frozen=True)
class Pairs:
    """Pairs of one dimension d.

    ``birth`` (m, d + 1) and ``death`` (m, d + 2) int32 contain descending vertices, -1 for missing
    deaths, with ranks (m,) uint32. From dimension 1, the births are the vertices of ``columns``,
    and ``reduction`` is their reduction.
    """

    dimension: int
    birth: np.ndarray
    birth_rank: np.ndarray
    death: np.ndarray
    death_rank: np.ndarray
    columns: Simplices | None = None
    reduction: Reduction | None = None


def stage_names(max_dimension: int) -> dict[str, float]:
    """Return the stages of all dimensions with their estimated shares of the time."""
    named = {}
    for d in range(1, max(max_dimension, 1) + 1):
        named[f"simplices of dimension {d}"] = 4.0**d
        named[f"reduction of dimension {d}"] = 4.0**d
    return named


def pairs_by_dimension(
    session: Session,
    filtration: Filtration,
    rows: RankRows,
    max_dimension: int,
    prime: int,
    keep_columns: bool = False,
) -> tuple[list[Pairs], list[dict[str, Any]]]:
    """Return the pairs and the statistics of dimensions 0 to `max_dimension`.

    `filtration` is in host memory; `rows` are its ranks on the device.
    """
    pairs: list[Pairs] = []
    statistics: list[dict[str, Any]] = []
    ended = np.empty((0, 2), np.int32)
    for d in range(1, max(max_dimension, 1) + 1):
        with session.stage(f"simplices of dimension {d}"):
            found = survivors(session, filtration, d, rows)
        if d == 1:
            pairs.append(merged(session, filtration, found.simplices))
            ended = pairs[0].death[pairs[0].death_rank != ABSENT]
            statistics.append({"simplices": filtration.n, "cleared": 0, "columns": filtration.n})
        if d > max_dimension:
            break
        columns, n_cleared = without(found.simplices, ended, filtration.n)
        cleared = found.n_deaths + n_cleared
        with session.stage(f"reduction of dimension {d}"):
            reduced = reduce_survivors(
                session, filtration, columns, prime=prime, keep_columns=keep_columns
            )
        statistics.append(
            {
                "simplices": found.n_simplices,
                "cleared": cleared,
                "columns": found.n_simplices - cleared,
                "apparent_pairs": found.n_births,
                "survivors": len(found.simplices),
                "reduced": len(columns),
                **reduced.statistics,
            }
        )
        ends = (reduced.death, reduced.death_rank)
        pairs.append(Pairs(d, columns.vertices, columns.rank, *ends, columns, reduced))
        ended = reduced.death[reduced.death_rank != ABSENT]
    return pairs, statistics


def merged(session: Session, filtration: Filtration, edges: Simplices) -> Pairs:
    """Return the pairs of dimension 0: each edge, oldest first, ends the younger component."""
    n = filtration.n
    births = np.zeros(n, np.uint32)
    if filtration.vertex_rank is not None:
        births = filtration.vertex_rank
    age = np.empty(n, np.int32)  # born earlier is older; ties: larger combinatorial index is older
    age[np.lexsort((-np.arange(n), births))] = np.arange(n, dtype=np.int32)
    oldest_first = np.arange(len(edges), dtype=np.int32)[::-1].copy()
    victim = merge_pairs(session.host, age, edges.vertices, oldest_first).victim
    ends = np.flatnonzero(victim != NONE)
    is_alive = np.ones(n, bool)
    is_alive[victim[ends]] = False
    alive = np.flatnonzero(is_alive).astype(np.int32)
    alive = alive[np.argsort(age[alive])]
    vertices = np.concatenate([victim[ends], alive])
    death = np.full((len(vertices), 2), NONE, np.int32)
    death_rank = np.full(len(vertices), ABSENT, np.uint32)
    death[: len(ends)], death_rank[: len(ends)] = edges.vertices[ends], edges.rank[ends]
    return Pairs(0, vertices[:, None], births[vertices], death, death_rank)
