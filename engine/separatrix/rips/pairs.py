"""Pairs of simplices that create and destroy classes, as either method returns them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Session
from ..homology import merge_pairs
from ..kernels import NONE
from .filtration import ABSENT, Filtration, Simplices
from .reduction import Reduction


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


@dataclass(frozen=True)
class Paired:
    """Pairs of all dimensions, of which bars are made.

    ``order`` maps the vertices of the filtration to the caller's points; None if they are equal.
    ``about`` has the attributes of the barcode that do not depend on the bars, and
    ``filtration_until`` returns a filtration with the ranks of all edges up to a length.
    """

    filtration: Filtration
    pairs: list[Pairs]
    order: np.ndarray | None
    about: dict[str, Any]
    filtration_until: Callable[[float], Filtration]


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
