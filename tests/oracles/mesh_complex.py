"""Separatrices and labels of a mesh by following V-paths, one step at a time.

A V-path goes from a simplex by a facet other than its partner to the simplex that the facet is
paired with; a critical facet is its end. Downwards from edges it descends to minima; top simplices
ascend by the facet that they are paired with to the one across, or out where there is none.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from oracles.connectors import v_paths
from oracles.mesh_gradient import MeshGradient, Simplex, SimplicialComplex
from oracles.reduction import pairs_of
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


def persistence_pairs(mesh: SimplicialComplex) -> set[tuple[int, int, int]]:
    """(dimension, owner of birth, owner of death or -1) with two owners: reduction mod 2 of all."""
    order = sorted(mesh.cells(), key=lambda s: (mesh.rank[mesh.owner(s)], len(s), mesh.key(s)))
    place = {simplex: k for k, simplex in enumerate(order)}
    pairs, essential = pairs_of({k: [place[f] for f in mesh.facets(s)] for s, k in place.items()})
    owners = [mesh.owner(simplex) for simplex in order]
    found = {(len(order[b]) - 1, owners[b], owners[d]) for b, d in pairs if owners[b] != owners[d]}
    return found | {(len(order[k]) - 1, owners[k], -1) for k in essential}


def round_edge(mesh: SimplicialComplex, edge: Simplex) -> tuple[set, set]:
    """The tetrahedra about an edge, and the triangles about it that lie in the boundary."""
    triangles = mesh.cofacets(edge)
    tets = {t for f in triangles for t in mesh.cofacets(f)}
    return tets, {f for f in triangles if len(mesh.cofacets(f)) == 1}


def edges_joining(path: list[Simplex]) -> list[bool]:
    """Whether one simplex is a facet of the other, for the steps of a polyline."""
    return [
        (set(a) < set(b) and len(b) == len(a) + 1) or (set(b) < set(a) and len(a) == len(b) + 1)
        for a, b in pairwise(path)
    ]
