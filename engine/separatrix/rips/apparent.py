"""Explicit apparent pairs, for callers that request zero-length bars: nearly all pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..device import Session
from .filtration import Filtration, ranks_of
from .pairs import Pairs
from .rank_rows import RankRows
from .survivors import apparent_deaths


def with_apparent_pairs(
    session: Session, filtration: Filtration, rows: RankRows, pairs: list[Pairs]
) -> list[Pairs]:
    """Append the apparent pairs to the other pairs of each dimension."""
    return pairs[:1] + [_joined(session, filtration, rows, own) for own in pairs[1:]]


def _joined(session: Session, filtration: Filtration, rows: RankRows, own: Pairs) -> Pairs:
    deaths = apparent_deaths(session, filtration, own.dimension + 1, rows)
    vertices, rank = deaths.vertices, deaths.rank
    births = youngest_facets(filtration, vertices, rank)
    return replace(
        own,
        birth=np.concatenate([own.birth, births]),
        birth_rank=np.concatenate([own.birth_rank, rank]),
        death=np.concatenate([own.death, vertices]),
        death_rank=np.concatenate([own.death_rank, rank]),
    )


def youngest_facets(filtration: Filtration, simplices: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """Return the youngest facet (m, d) of equal diameter of each simplex (m, d + 1).

    It omits the largest vertex that is not on all of the longest edges.
    """
    m, width = simplices.shape
    on_all = np.ones((m, width), bool)
    for i in range(width):
        for j in range(i + 1, width):
            is_longest = ranks_of(filtration, simplices[:, i], simplices[:, j]) == rank
            others = np.ones(width, bool)
            others[[i, j]] = False
            on_all &= ~(is_longest[:, None] & others)
    omitted = np.argmin(on_all, axis=1)
    is_kept = np.arange(width) != omitted[:, None]
    return simplices[is_kept].reshape(m, width - 1)
