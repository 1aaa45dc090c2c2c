"""Pairs of simplices that create and destroy classes, and the bars of these pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..device import Session
from ..homology import merge_pairs
from ..kernels import NONE
from .bars import Barcodes
from .filtration import ABSENT, Filtration, Simplices, have_rank
from .forecast import Forecast
from .loops import Weighted
from .reduction import Reduction

MANY_ROWS = 1000


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
    death_edge: np.ndarray | None = None  # (m, 2) int32, longest edges of the deaths, if known


@dataclass(frozen=True)
class Paired:
    """Pairs of all dimensions, from which bars are computed.

    ``order`` maps the vertices of the filtration to the caller's points; None if they are equal.
    ``about`` is that of :func:`about_bars`. ``filtration_until`` returns a filtration with the
    ranks of all edges up to a length, and ``loops_until`` pairs of dimension 1 that include those
    of zero length between equal edges, if ``pairs`` may lack some. ``all_edges`` returns the graph
    if cycles can be found without listing its edges.
    """

    filtration: Filtration
    pairs: list[Pairs]
    order: np.ndarray | None
    about: dict[str, Any]
    filtration_until: Callable[[float], Filtration]
    loops_until: Callable[[float], Pairs | None] | None = None
    all_edges: Callable[[], Weighted] | None = None

    @property
    def names(self) -> np.ndarray:
        """The caller's point (n,) int32 of each vertex."""
        return np.arange(self.filtration.n, dtype=np.int32) if self.order is None else self.order


def merged(session: Session, filtration: Filtration, edges: Simplices) -> np.ndarray:
    """Return the vertex (m,) int32 whose component each edge ends, or -1; the oldest edge is last.

    A vertex born earlier is older; of equal ones, that with the larger index.
    """
    n = filtration.n
    age = np.arange(n - 1, -1, -1, dtype=np.int32)
    if filtration.vertex_rank is not None:
        age[np.lexsort((age, filtration.vertex_rank))] = np.arange(n, dtype=np.int32)
    oldest_first = np.arange(len(edges), dtype=np.int32)[::-1].copy()
    return merge_pairs(session.host, age, edges.vertices, oldest_first).victim


def components(filtration: Filtration, edges: Simplices, victim: np.ndarray) -> Pairs:
    """Return the pairs of dimension 0, given the vertices that :func:`merged` returns."""
    n = filtration.n
    births = np.zeros(n, np.uint32) if filtration.vertex_rank is None else filtration.vertex_rank
    ends = np.flatnonzero(victim != NONE)
    is_alive = np.ones(n, bool)
    is_alive[victim[ends]] = False
    alive = np.flatnonzero(is_alive).astype(np.int32)
    alive = alive[np.lexsort((-alive, births[alive]))]
    vertices = np.concatenate([victim[ends], alive])
    death = np.full((len(vertices), 2), NONE, np.int32)
    death_rank = np.full(len(vertices), ABSENT, np.uint32)
    death[: len(ends)], death_rank[: len(ends)] = edges.vertices[ends], edges.rank[ends]
    return Pairs(0, vertices[:, None], births[vertices], death, death_rank)


def places_of(births: np.ndarray, wanted: np.ndarray, n: int) -> np.ndarray:
    """Return the places (k,) of edges (k, 2) among other edges (m, 2), which include them."""
    keys = births[:, 0].astype(np.int64) * n + births[:, 1]
    order = np.argsort(keys)
    return order[
        np.searchsorted(keys, wanted[:, 0].astype(np.int64) * n + wanted[:, 1], sorter=order)
    ]


def about_bars(
    threshold: float, radius: float, n_edges: int, expected: Forecast, counted: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the attributes of the barcode that do not depend on the bars."""
    return {
        "n_points": expected.n,
        "threshold": threshold,
        "enclosing_radius": radius,
        "statistics": {
            "max_dimension": expected.max_dimension,
            "edges": n_edges,
            "collapsed": n_edges - expected.edges,
            "forecast": {"simplices": expected.simplices, "bytes": expected.bytes},
            "dimensions": counted,
        },
    }


def bars_of(
    result: Paired, prime: int, keep_zero: bool, reduced: bool, born_until: float
) -> tuple[Barcodes, list[np.ndarray]]:
    """Return the barcodes and, for each dimension, the rows of the pairs that became bars."""
    filtration, names = result.filtration, result.names
    columns: dict[str, list[np.ndarray]] = {}
    simplices, rows = {}, []
    for of_dimension in result.pairs:
        d = of_dimension.dimension
        chosen = np.arange(len(of_dimension.birth))
        if not keep_zero:
            chosen = np.flatnonzero(of_dimension.birth_rank != of_dimension.death_rank)
        birth = filtration.levels[of_dimension.birth_rank[chosen]]
        ranks = of_dimension.death_rank[chosen]
        ends, death = ranks != ABSENT, np.full(len(chosen), np.inf)
        death[ends] = filtration.levels[ranks[ends]]
        is_bar = birth <= born_until
        if not keep_zero:
            is_bar &= birth < death
        chosen, birth, death = chosen[is_bar], birth[is_bar], death[is_bar]
        if d == 0 and reduced:
            alive = np.flatnonzero(np.isinf(death))[:1]
            chosen, birth, death = (np.delete(part, alive) for part in (chosen, birth, death))
        born = _in_order(_renamed(of_dimension.birth[chosen], result.order))
        died = _in_order(_renamed(of_dimension.death[chosen], result.order))
        at = _order(birth, death, born)
        chosen = chosen[at]
        simplices["birth", d], simplices["death", d] = born[at], died[at]
        rows.append(chosen)
        found = {
            "dimension": np.full(len(chosen), d, np.int8),
            "birth": birth[at],
            "death": death[at],
        }
        for end in ("birth", "death"):
            edges = simplices[end, d]
            if end == "death" and of_dimension.death_edge is not None:
                edges = np.sort(of_dimension.death_edge[chosen], axis=1)
            elif edges.shape[1] != 2:
                simplex, rank = getattr(of_dimension, end), getattr(of_dimension, f"{end}_rank")
                edges = longest_edges(filtration, simplex[chosen], rank[chosen], names)
            found[f"{end}_edge"] = edges
        for name, column in found.items():
            columns.setdefault(name, []).append(column)
    joined: dict[str, Any] = {name: np.concatenate(c) for name, c in columns.items()}
    about = {**result.about, "prime": prime, "timings": {}}
    return Barcodes(**joined, _simplices=simplices, **about), rows


def _renamed(vertices: np.ndarray, order: np.ndarray | None) -> np.ndarray:
    """Return the caller's points of vertices, and -1 for -1."""
    return vertices if order is None else np.where(vertices < 0, NONE, order[vertices])


def _in_order(rows: np.ndarray) -> np.ndarray:
    """Return rows (m, k) in ascending order; NumPy sorts many short rows slowly."""
    if len(rows) < MANY_ROWS:
        return np.sort(rows, axis=1)
    columns = list(rows.T)
    for end in range(len(columns) - 1, 0, -1):
        for i in range(end):
            a, b = columns[i], columns[i + 1]
            columns[i], columns[i + 1] = np.minimum(a, b), np.maximum(a, b)
    return np.stack(columns, axis=1)


def _order(birth: np.ndarray, death: np.ndarray, born: np.ndarray) -> np.ndarray:
    """Return the order (m,) of bars by birth, death, and the points (m, d + 1) of the birth."""
    at = np.arange(len(birth))  # pairs are usually in the order of their births
    if (birth[1:] < birth[:-1]).any():
        at = np.lexsort((death, birth))
        birth, death, born = birth[at], death[at], born[at]
    is_equal = birth[1:] == birth[:-1]
    if not (is_equal & (death[1:] < death[:-1])).any():
        is_equal &= death[1:] == death[:-1]
    is_same = np.zeros(len(at) + 1, bool)
    is_same[1:-1] = is_equal
    equal = np.flatnonzero(is_same[1:] | is_same[:-1])
    order = np.lexsort((*born[equal].T[::-1], death[equal], birth[equal]))
    at[equal] = at[equal[order]]
    return at


def longest_edges(
    filtration: Filtration, simplices: np.ndarray, rank: np.ndarray, names: np.ndarray
) -> np.ndarray:
    """Return the longest edge (m, 2) int32 of each simplex that is not an edge, -1 if it has none.

    Its points ascend. If there are several such edges, it is the one with the highest vertices.
    """
    edges = np.full((len(simplices), 2), NONE, np.int32)
    found, width = np.flatnonzero((rank != ABSENT) & (simplices[:, 0] >= 0)), simplices.shape[1]
    if width == 1 or not found.size:
        return edges
    (first, second), rows = _places_of_edges(width), simplices[found]
    u, v = rows[:, first], rows[:, second]
    ranks = np.repeat(rank[found], len(first))
    is_longest = have_rank(filtration, u.ravel(), v.ravel(), ranks).reshape(u.shape)
    at = (np.arange(len(found)), is_longest.argmax(axis=1))
    edges[found] = np.sort(names[np.stack([u[at], v[at]], axis=1)], axis=1)
    return edges


@cache
def _places_of_edges(width: int) -> np.ndarray:
    """Return the places (2, k) of all edges in descending vertices, the highest edge first."""
    return np.array([(i, j) for j in range(1, width) for i in range(j)]).T
