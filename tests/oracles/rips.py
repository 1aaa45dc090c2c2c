"""Vietoris-Rips barcodes by the definition: every simplex, its boundary, the textbook's reduction.

Edge values are (n, n) float64, symmetric, inf for missing edges; simplices are ascending
tuples of vertices. For up to nine points or so.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb, inf

import numpy as np

from .reduction import Column, pivots

Simplex = tuple[int, ...]


@dataclass(frozen=True, order=True)
class Bar:
    """[birth, death) of a class, with the simplices; ``died`` is None where it is essential."""

    dimension: int
    birth: float
    death: float
    born: Simplex
    died: Simplex | None


def diameter(values: np.ndarray, simplex: Simplex, births: np.ndarray | None = None) -> float:
    """The greatest value of an edge of the simplex, and of its vertices' births, 0 by default."""
    at = [0.0 if births is None else float(births[v]) for v in simplex]
    return max(at + [float(values[e]) for e in combinations(simplex, 2)])


def index_of(simplex: Simplex) -> int:
    """Combinatorial index: sum over the vertices v_0 < v_1 < ... of (v_i choose i + 1)."""
    return sum(comb(v, i + 1) for i, v in enumerate(simplex))


def filtered(
    values: np.ndarray,
    top: int,
    threshold: float = inf,
    births: np.ndarray | None = None,
) -> list[tuple[float, Simplex]]:
    """(diameter, simplex) of dimension up to `top`, older first: the total order of all."""
    found = [
        (diameter(values, simplex, births), simplex)
        for k in range(1, top + 2)
        for simplex in combinations(range(len(values)), k)
    ]
    kept = [(at, simplex) for at, simplex in found if at <= threshold and at < inf]
    return sorted(kept, key=lambda cell: (cell[0], len(cell[1]), -index_of(cell[1])))


def boundary(simplex: Simplex) -> dict[Simplex, int]:
    """Facets with their signs."""
    if len(simplex) == 1:
        return {}
    return {simplex[:i] + simplex[i + 1 :]: (-1) ** i for i in range(len(simplex))}


def columns_of(cells: list[tuple[float, Simplex]]) -> list[Column]:
    """The boundary matrix in the order of the cells."""
    row_of = {simplex: i for i, (_, simplex) in enumerate(cells)}
    return [{row_of[f]: sign for f, sign in boundary(s).items()} for _, s in cells]


def bars_of(
    values: np.ndarray,
    max_dimension: int,
    *,
    prime: int = 2,
    threshold: float = inf,
    births: np.ndarray | None = None,
    keep_zero: bool = False,
) -> list[Bar]:
    """The barcode up to `max_dimension`, sorted; bars without length only on request."""
    cells = filtered(values, max_dimension + 1, threshold, births)
    born_of = pivots(columns_of(cells), prime)
    death_of = {born: died for died, born in enumerate(born_of) if born is not None}
    bars = []
    for i, (at, simplex) in enumerate(cells):
        if born_of[i] is not None or len(simplex) > max_dimension + 1:
            continue
        death, died = cells[death_of[i]] if i in death_of else (inf, None)
        if death > at or keep_zero:
            bars.append(Bar(len(simplex) - 1, at, death, simplex, died))
    return sorted(bars, key=lambda bar: (bar.dimension, bar.birth, bar.death, bar.born))


def barcode(bars: list[Bar]) -> list[tuple[int, float, float]]:
    """(dimension, birth, death), sorted: what does not depend on how ties are broken."""
    return sorted((bar.dimension, bar.birth, bar.death) for bar in bars)


def enclosing_radius(values: np.ndarray) -> float:
    """The least t at which a point is joined to all others; inf where none ever is."""
    without_diagonal = np.where(np.eye(len(values), dtype=bool), 0.0, values)
    return float(without_diagonal.max(axis=1).min())


def apparent_pairs(
    values: np.ndarray, dimension: int, threshold: float = inf
) -> list[tuple[Simplex, Simplex]]:
    """(s, t): s is the youngest facet of t, t the oldest cofacet of s, both of one diameter."""
    cells = [simplex for _, simplex in filtered(values, dimension + 1, threshold)]
    age = {simplex: i for i, simplex in enumerate(cells)}
    oldest: dict[Simplex, Simplex] = {}
    for t in (c for c in cells if len(c) == dimension + 2):
        for s in boundary(t):
            oldest.setdefault(s, t)
    return [
        (s, t)
        for s, t in oldest.items()
        if diameter(values, s) == diameter(values, t) and max(boundary(t), key=age.__getitem__) == s
    ]


def bounds(chain: dict[Simplex, int], cells: list[tuple[float, Simplex]], prime: int) -> bool:
    """Whether a chain is a sum of boundaries of `cells`: it adds nothing to their rank."""
    row_of = {simplex: i for i, (_, simplex) in enumerate(cells)}
    dimension = len(next(iter(chain)))
    columns = [
        column
        for (_, s), column in zip(cells, columns_of(cells), strict=True)
        if len(s) == dimension + 1
    ]
    columns.append({row_of[simplex]: c for simplex, c in chain.items()})
    return pivots(columns, prime)[-1] is None


def boundary_of_chain(chain: dict[Simplex, int], prime: int) -> dict[Simplex, int]:
    """The boundary of a chain over Z/p, without zeros."""
    total: dict[Simplex, int] = {}
    for simplex, c in chain.items():
        for facet, sign in boundary(simplex).items():
            total[facet] = (total.get(facet, 0) + sign * c) % prime
    return {facet: c for facet, c in total.items() if c}


# === metrics whose barcodes are known


def n_cycle(n: int) -> np.ndarray:
    """Path metric of a cycle: Adamaszek 2013 has its bars."""
    step = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    return np.minimum(step, n - step).astype(float)


def cross_polytope(k: int) -> np.ndarray:
    """Points in k pairs at distance 2, all else at 1: one bar [1, 2) of dimension k - 1."""
    apart = np.arange(2 * k) // 2
    values = np.where(apart[:, None] == apart, 2.0, 1.0)
    np.fill_diagonal(values, 0)
    return values


def projective_plane() -> np.ndarray:
    """13 points: the barycentric subdivision of the cube modulo its center, joined at 1, else 2.

    Vertices, edges and faces of the half cube are the vectors of {-1, 0, 1}^3 up to sign; a flag
    of them is a triangle, and the triangles make the real projective plane.
    """
    vectors = [v for v in np.ndindex(3, 3, 3) if v > (1, 1, 1)]
    points = np.array(vectors) - 1

    def joined(x: np.ndarray, y: np.ndarray) -> bool:
        """One of them is the other with some coordinates set to zero, up to sign."""
        return any(((x == 0) | (s * x == y)).all() for s in (1, -1))

    values = np.full((13, 13), 2.0)
    for i, j in combinations(range(13), 2):
        if joined(points[i], points[j]) or joined(points[j], points[i]):
            values[i, j] = values[j, i] = 1
    np.fill_diagonal(values, 0)
    return values


def random_values(rng: np.random.Generator, n: int, k: int, absent: float = 0.0) -> np.ndarray:
    """Integers 1 to k as values, so with many ties; some edges may be absent."""
    upper = np.triu(rng.integers(1, k + 1, (n, n)).astype(float), 1)
    upper[np.triu(rng.random((n, n)) < absent, 1)] = inf
    return upper + upper.T
