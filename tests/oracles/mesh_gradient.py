"""Critical points and discrete gradient of a small simplicial mesh, in plain Python.

A simplex is the ascending tuple of its points, as the user numbers them. Points compare by (value,
number). Every answer follows its definition: the gradient by the queues of Robins, Wood, Sheppard
2011, algorithm 1 (lower_star.py); the exact vector of a point by ranks of boundary matrices of its
lower link over Z/2; the piecewise-linear type by the pieces of the lower and of the upper link
(Banchoff 1970), and TTK's rule for the boundary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from oracles.lower_star import pair_lower_star

Simplex = tuple[int, ...]
MINIMUM, SADDLE_1, SADDLE_2, MAXIMUM, DEGENERATE, REGULAR = range(6)


class SimplicialComplex:
    """The faces of triangles or of tetrahedra, their points in the order of the values."""

    def __init__(self, tops: Any, values: Any) -> None:
        tops = [tuple(sorted(map(int, top))) for top in tops]
        self.dimension = len(tops[0]) - 1
        self.simplices: list[list[Simplex]] = [
            sorted({face for top in tops for face in combinations(top, d + 1)})
            for d in range(self.dimension + 1)
        ]
        numbers = values.tolist()
        order = sorted(range(len(numbers)), key=lambda i: (numbers[i], i))
        self.rank = {point: place for place, point in enumerate(order)}
        self._cofacets: dict[Simplex, list[Simplex]] = {s: [] for s in self.cells()}
        self._stars: dict[int, list[Simplex]] = {v: [] for (v,) in self.simplices[0]}
        for simplex in self.cells():
            for facet in self.facets(simplex):
                self._cofacets[facet].append(simplex)
            for v in simplex:
                self._stars[v].append(simplex)

    def cells(self) -> list[Simplex]:
        """Every simplex, by dimension."""
        return [simplex for of_dimension in self.simplices for simplex in of_dimension]

    def dimension_of(self, simplex: Simplex) -> int:
        """Number of corners less one."""
        return len(simplex) - 1

    def facets(self, simplex: Simplex) -> list[Simplex]:
        """Faces of one dimension less."""
        return list(combinations(simplex, len(simplex) - 1)) if len(simplex) > 1 else []

    def cofacets(self, simplex: Simplex) -> list[Simplex]:
        """Simplices of one dimension more that have it as a face."""
        return self._cofacets[simplex]

    def star(self, point: int) -> list[Simplex]:
        """Every simplex that has the point as a corner, its own too."""
        return self._stars[point]

    def key(self, simplex: Simplex) -> tuple[int, ...]:
        """Ranks of the corners, highest first: G order."""
        return tuple(sorted((self.rank[v] for v in simplex), reverse=True))

    def owner(self, simplex: Simplex) -> int:
        """The highest corner."""
        return max(simplex, key=self.rank.__getitem__)

    def link(self, point: int, sign: int) -> list[Simplex]:
        """Simplices of the link whose points are all lower (sign -1) or higher (1)."""
        own = self.rank[point]
        faces = (tuple(v for v in s if v != point) for s in self.star(point) if len(s) > 1)
        return [f for f in faces if all((self.rank[v] - own) * sign > 0 for v in f)]

    def boundary_points(self) -> set[int]:
        """Points of facets that have one top simplex."""
        rim = [f for f in self.simplices[-2] if len(self.cofacets(f)) == 1]
        return {v for facet in rim for v in facet}

    @property
    def euler_characteristic(self) -> int:
        """Alternating number of simplices."""
        return sum((-1) ** d * len(s) for d, s in enumerate(self.simplices))


@dataclass
class MeshGradient:
    """A pairing of the simplices of `grid`: each is either in `partner` or in `critical`."""

    grid: SimplicialComplex
    partner: dict[Simplex, Simplex]
    critical: list[Simplex]

    def code(self, simplex: Simplex, order: Sequence[int]) -> int:
        """0..3: the facet it is paired with, 4: paired with a cofacet, 5: critical.

        Facets are numbered with the corners sorted by `order`: of an edge its lower corner first,
        of a triangle ab, ac, bc, of a tetrahedron abc, abd, acd, bcd.
        """
        if simplex not in self.partner:
            return 5
        if len(self.partner[simplex]) > len(simplex):
            return 4
        corners = sorted(simplex, key=order.__getitem__)
        facets = [set(facet) for facet in combinations(corners, len(corners) - 1)]
        return facets.index(set(self.partner[simplex]))


def mesh_gradient(mesh: SimplicialComplex) -> MeshGradient:
    """Pair every lower star of the mesh independently."""
    gradient = MeshGradient(mesh, {}, [])
    for (point,) in mesh.simplices[0]:
        star = {s for s in mesh.star(point) if mesh.owner(s) == point}
        pair_lower_star(mesh, (point,), star, gradient.partner, gradient.critical)
    gradient.critical.sort(key=lambda s: (len(s), s))
    return gradient


def critical_vector(mesh: SimplicialComplex, point: int) -> tuple[int, int, int, int]:
    """(c0, c1, c2, c3): reduced Betti numbers of the lower link, shifted by one."""
    lower = mesh.link(point, -1)
    if not lower:
        return (1, 0, 0, 0)
    b0, b1, b2 = betti_numbers(lower)
    return (0, b0 - 1, b1, b2)


def betti_numbers(simplices: Iterable[Simplex]) -> tuple[int, int, int]:
    """Betti numbers over Z/2 of a complex of points, edges and triangles."""
    of_dimension: list[list[Simplex]] = [[], [], [], []]
    for simplex in simplices:
        of_dimension[len(simplex) - 1].append(simplex)
    ranks = [0, *(rank_of_boundary(of_dimension[d], of_dimension[d - 1]) for d in (1, 2)), 0]
    b0, b1, b2 = (len(of_dimension[d]) - ranks[d] - ranks[d + 1] for d in range(3))
    return b0, b1, b2


def rank_of_boundary(simplices: list[Simplex], facets: list[Simplex]) -> int:
    """Rank over Z/2 of the matrix whose columns are the simplices' boundaries."""
    row = {facet: k for k, facet in enumerate(facets)}
    pivots: dict[int, int] = {}  # highest row -> column, as bits
    for simplex in simplices:
        column = sum(1 << row[f] for f in combinations(simplex, len(simplex) - 1))
        while column and (top := column.bit_length()) in pivots:
            column ^= pivots[top]
        if column:
            pivots[top] = column
    return len(pivots)


def point_type(mesh: SimplicialComplex, point: int, boundary: set[int]) -> int:
    """TTK's code of a point: pieces of its lower and upper link, the rule of the boundary."""
    lower, upper = mesh.link(point, -1), mesh.link(point, 1)
    pieces = (betti_numbers(lower)[0], betti_numbers(upper)[0])
    if pieces == (1, 1):
        if mesh.dimension == 3 and point in boundary:
            below = any(s[0] in boundary for s in lower if len(s) == 1)
            above = any(s[0] in boundary for s in upper if len(s) == 1)
            if above != below:
                return SADDLE_1 if above else SADDLE_2
        return REGULAR
    saddles = {(2, 1): SADDLE_1, (1, 2): SADDLE_2}
    if mesh.dimension == 2:
        saddles = {(2, 1): SADDLE_1, (1, 2): SADDLE_1, (2, 2): SADDLE_1}
    return {(0, 1): MINIMUM, (1, 0): MAXIMUM, **saddles}.get(pieces, DEGENERATE)
