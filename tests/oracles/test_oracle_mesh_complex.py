"""The walks on meshes, on cases small enough to be followed by hand."""

from __future__ import annotations

import numpy as np

from oracles.cancellation import paths_between, reverse
from oracles.mesh_complex import (
    OUTSIDE,
    arcs,
    end_of_ascent,
    maximum_of,
    minimum_of,
    persistence_pairs,
    round_edge,
)
from oracles.mesh_gradient import SimplicialComplex, mesh_gradient
from oracles.surfaces import reached
from oracles.walks import ascending_path, descending_path

STRIP = [(0, 1, 2), (1, 2, 3), (2, 3, 4)]
"""Three triangles in a row."""
SPHERE = [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
"""The surface of a tetrahedron."""


def test_a_strip_of_two_valleys_has_a_saddle_between_them():
    mesh = SimplicialComplex(STRIP, np.array([0.0, 5.0, 6.0, 7.0, 1.0]))
    gradient = mesh_gradient(mesh)
    assert gradient.critical == [(0,), (4,), (2, 4)]
    assert minimum_of(gradient, 1) == (0,)
    assert descending_path(gradient, (2,)) == [(2,), (0, 2), (0,)]
    assert arcs(mesh, gradient) == {((2, 4), (4,)): 1, ((2, 4), (0,)): 1}
    assert persistence_pairs(mesh) == {(0, 0, -1), (0, 4, 2)}
    [path] = paths_between(gradient, (4,), (2, 4))
    reverse(gradient, path)
    assert gradient.critical == [(0,)]
    assert descending_path(gradient, (4,)) == [(4,), (2, 4), (2,), (0, 2), (0,)]


def test_triangles_of_a_strip_flow_out_of_it():
    mesh = SimplicialComplex(STRIP, np.arange(5.0))
    gradient = mesh_gradient(mesh)
    assert gradient.critical == [(0,)]
    assert gradient.partner[2, 3, 4] == (3, 4)  # 4 went with its steepest edge, 2-4
    assert ascending_path(gradient, (2, 3, 4)) == [(2, 3, 4), (3, 4)]
    assert maximum_of(mesh, gradient, 2) == OUTSIDE


def test_a_sphere_has_a_maximum_that_all_triangles_reach():
    mesh = SimplicialComplex(SPHERE, np.arange(4.0))
    gradient = mesh_gradient(mesh)
    assert [len(s) for s in gradient.critical] == [1, 3]
    assert {end_of_ascent(mesh, gradient, t) for t in SPHERE} == {gradient.critical[1]}
    assert persistence_pairs(mesh) == {(0, 0, -1), (2, 3, -1)}


def test_what_is_reached_from_a_saddle_and_what_lies_about_an_edge():
    fan = [(0, 1, 2, 3), (0, 1, 3, 4), (0, 1, 2, 4)]  # closed about the edge 0-1
    mesh = SimplicialComplex(fan, np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    assert round_edge(mesh, (0, 1)) == (set(fan), set())
    assert round_edge(mesh, (0, 2)) == ({fan[0], fan[2]}, {(0, 2, 3), (0, 2, 4)})
    gradient = mesh_gradient(mesh)
    for saddle in gradient.critical[1:]:
        neighbors = mesh.cofacets if len(saddle) == 2 else mesh.facets
        assert saddle in reached(gradient, saddle, neighbors)
