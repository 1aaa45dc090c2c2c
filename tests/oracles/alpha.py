"""Alpha complex of a few balls by its definition, in Python's integers.

Every subset of at most four balls is compared with every ball. Ties are broken by perturbing the
weights, by amounts so small and so different that no sum of them cancels. So ties need no code.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

Point = tuple[int, int, int]
GAP = 10**40  # between one perturbation and the next


def dot(a: Point, b: Point) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def determinant(m: list[list[int]]) -> int:
    if not m:
        return 1
    return sum(
        (-1) ** j * m[0][j] * determinant([row[:j] + row[j + 1 :] for row in m[1:]])
        for j in range(len(m))
        if m[0][j]
    )


def solved(gram: list[list[int]], right: list[int]) -> list[int]:
    """The solution of gram x = right times the determinant, by Cramer's rule."""
    n = len(gram)
    return [
        determinant([[right[i] if j == k else gram[i][j] for j in range(n)] for i in range(n)])
        for k in range(n)
    ]


def perturbed_weights(points: list[Point], weights: list[int]) -> list[int]:
    """Weights times a large number, less by most for the largest (x, y, z), then index."""
    n = len(points)
    order = sorted(range(n), key=lambda k: (*points[k], k))
    changes = {k: GAP**place for place, k in enumerate(order)}
    return [w * GAP ** (n + 1) - changes[k] for k, w in enumerate(weights)]


def size_of(s: tuple[int, ...], points: list[Point], weights: list[int]) -> Fraction:
    """Power of the smallest orthosphere of the affinely independent balls `s`."""
    first, *rest = s
    d = {k: tuple(a - b for a, b in zip(points[k], points[first], strict=True)) for k in rest}
    gram = [[dot(d[a], d[b]) for b in rest] for a in rest]
    lift = [dot(d[k], d[k]) - weights[k] + weights[first] for k in rest]
    squared = sum(x * y for x, y in zip(solved(gram, lift), lift, strict=True))
    return Fraction(squared, 4 * determinant(gram)) - weights[first]


def size_if_gabriel(
    s: tuple[int, ...], points: list[Point], weights: list[int], alpha: float
) -> Fraction | None:
    """Power of the smallest orthosphere of the balls `s`, if it is at most alpha and empty."""
    first, *rest = s
    d = [tuple(a - b for a, b in zip(p, points[first], strict=True)) for p in points]
    gram = [[dot(d[a], d[b]) for b in rest] for a in rest]
    volume = determinant(gram)
    if volume == 0:
        return None
    value = size_of(s, points, weights)
    if value > alpha:
        return None
    unit, perturbed = GAP ** (len(points) + 1), perturbed_weights(points, weights)
    exact = [dot(d[k], d[k]) * unit - w + perturbed[first] for k, w in enumerate(perturbed)]
    for q in set(range(len(points))) - set(s):
        share = solved(gram, [dot(d[k], d[q]) for k in rest])
        if exact[q] * volume < sum(x * exact[k] for x, k in zip(share, rest, strict=True)):
            return None
    return value


def alpha_complex(points: list[Point], radii: list[int], alpha: int) -> dict[tuple, tuple]:
    """Simplices as tuples of indices, each with (value: Fraction, whether it is Gabriel)."""
    return weighted_alpha_complex(points, [r * r for r in radii], alpha)


def weighted_alpha_complex(
    points: list[Point], weights: list[int], alpha: int
) -> dict[tuple, tuple]:
    """The same of weights, which are squared radii of any sign."""
    subsets = [s for size in range(1, 5) for s in combinations(range(len(points)), size)]
    sizes = {s: size_if_gabriel(s, points, weights, alpha) for s in subsets}
    gabriel = {s: value for s, value in sizes.items() if value is not None}
    found = {s: (value, True) for s, value in gabriel.items()}
    for size in (3, 2, 1):
        for s in [s for s in found if len(s) == size + 1]:
            for face in combinations(s, size):
                if face not in gabriel:
                    value = min(found[s][0], found.get(face, found[s])[0])
                    found[face] = (value, False)
    return found


def kinds(simplices: set[tuple]) -> dict[tuple, int]:
    """0 if in no larger simplex, 2 if its link is complete, otherwise 1; by counting."""
    cofaces: dict[tuple, list[tuple]] = {s: [] for s in simplices}
    for s in simplices:
        for face in combinations(s, len(s) - 1):
            if face:
                cofaces[face].append(s)
    kind = {s: 2 for s in simplices if len(s) == 4}
    kind |= {s: len(cofaces[s]) for s in simplices if len(s) == 3}
    for size in (2, 1):
        for s in [s for s in simplices if len(s) == size]:
            is_closed = all(kind[coface] == 2 for coface in cofaces[s])
            kind[s] = 0 if not cofaces[s] else 2 if is_closed else 1
    return kind


def regular_simplices(points: Any, weights: Any, size: int) -> list[tuple[int, ...]]:
    """Simplices of `size` vertices, the dimension of the points plus 1, that no point violates."""
    triples = [tuple(point) for point in points.tolist()]
    heights = [0] * len(triples) if weights is None else weights.tolist()
    subsets = combinations(range(len(triples)), size)
    return [s for s in subsets if size_if_gabriel(s, triples, heights, math.inf) is not None]
