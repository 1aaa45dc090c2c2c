"""What V-paths of a mesh's gradient make, by walking them one step at a time on tuples of points.

A V-path goes from a simplex by a facet other than its partner to the simplex that the facet is
paired with; a critical facet is its end. Downwards from edges it descends to minima; top simplices
ascend by the facet that they are paired with to the one across, or out where there is none.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from oracles.connectors import v_paths
from oracles.mesh_gradient import MeshGradient, Simplex, SimplicialComplex
from oracles.walks import ascending_path, descending_path

OUTSIDE = -1
Arc = tuple[Simplex, Simplex]  # upper, lower


def of_index(gradient: MeshGradient, index: int) -> list[Simplex]:
    """Critical simplices of one index, by their points."""
    return [s for s in gradient.critical if len(s) == index + 1]


def arcs(mesh: SimplicialComplex, gradient: MeshGradient) -> Counter[Arc]:
    """(upper, lower) -> number of V-paths, of critical simplices of neighboring index."""
    found: Counter[Arc] = Counter()
    for upper in gradient.critical:
        found.update((upper, path[-1]) for path in v_paths(gradient, upper))
    return found


def end_of_ascent(mesh: SimplicialComplex, gradient: MeshGradient, top: Simplex) -> Simplex | int:
    """The maximum, or OUTSIDE."""
    last = ascending_path(gradient, top)[-1]
    return last if len(last) == mesh.dimension + 1 else OUTSIDE


def minimum_of(gradient: MeshGradient, point: int) -> Simplex:
    """The minimum that a point descends to."""
    return descending_path(gradient, (point,))[-1]


def maximum_of(mesh: SimplicialComplex, gradient: MeshGradient, point: int) -> Simplex | int:
    """The maximum of the top simplex about a point that is highest in (owner, G order)."""
    tops = [s for s in mesh.star(point) if len(s) == mesh.dimension + 1]
    return end_of_ascent(mesh, gradient, max(tops, key=mesh.key))


def reverse(
    mesh: SimplicialComplex, gradient: MeshGradient, upper: Simplex, lower: Simplex
) -> None:
    """Cancel two critical simplices along the one V-path between them (Forman 1998)."""
    (path,) = [p for p in v_paths(gradient, upper) if p[-1] == lower]
    for one, other in zip(path[::2], path[1::2], strict=True):
        gradient.partner[one], gradient.partner[other] = other, one
    gradient.critical = [s for s in gradient.critical if s not in (upper, lower)]


def persistence_pairs(mesh: SimplicialComplex) -> set[tuple[int, int, int]]:
    """(dimension, owner of birth, owner of death or -1) with two owners: reduction mod 2 of all."""
    order = sorted(mesh.cells(), key=lambda s: (mesh.rank[mesh.owner(s)], len(s), mesh.key(s)))
    place = {simplex: k for k, simplex in enumerate(order)}
    reduced: dict[int, int] = {}
    essential, pairs = set(range(len(order))), set()
    for k, simplex in enumerate(order):
        column = sum(1 << place[facet] for facet in mesh.facets(simplex))
        while column and (low := column.bit_length() - 1) in reduced:
            column ^= reduced[low]
        if column:
            low = column.bit_length() - 1
            reduced[low] = column
            essential -= {low, k}
            owners = mesh.owner(order[low]), mesh.owner(simplex)
            if owners[0] != owners[1]:
                pairs.add((len(order[low]) - 1, *owners))
    return pairs | {(len(order[k]) - 1, mesh.owner(order[k]), -1) for k in essential}


def round_edge(mesh: SimplicialComplex, edge: Simplex) -> tuple[set, set]:
    """The tetrahedra about an edge, and the triangles about it that lie in the boundary."""
    triangles = mesh.cofacets(edge)
    tets = {t for f in triangles for t in mesh.cofacets(f)}
    return tets, {f for f in triangles if len(mesh.cofacets(f)) == 1}


def edges_joining(path: list[Simplex]) -> list[bool]:
    """Of the steps of a polyline, whether one simplex is a facet of the other."""
    return [
        (set(a) < set(b) and len(b) == len(a) + 1) or (set(b) < set(a) and len(a) == len(b) + 1)
        for a, b in pairwise(path)
    ]
