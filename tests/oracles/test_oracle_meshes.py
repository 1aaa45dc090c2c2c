"""The oracles of meshes (relations, gradients, complexes) on cases small enough to draw."""

from itertools import combinations

import numpy as np
import pytest

from oracles.cancellation import paths_between, reverse
from oracles.mesh import boundary_of, relation_of, simplices_of
from oracles.mesh_complex import (
    OUTSIDE,
    arcs,
    end_of_ascent,
    maximum_of,
    minimum_of,
    persistence_pairs,
    round_edge,
)
from oracles.mesh_gradient import (
    DEGENERATE,
    MAXIMUM,
    MINIMUM,
    REGULAR,
    SADDLE_1,
    SADDLE_2,
    SimplicialComplex,
    betti_numbers,
    critical_vector,
    mesh_gradient,
    point_type,
)
from oracles.meshes import SPECIAL, split_grid
from oracles.surfaces import reached
from oracles.walks import ascending_path, descending_path

TWO = [(0, 1, 2, 3), (1, 2, 3, 4)]  # share the triangle 123


def test_the_simplices_of_two_tetrahedra_are_counted():
    assert [len(simplices_of(TWO, 5, size)) for size in (1, 2, 3, 4)] == [5, 9, 7, 2]


def test_relations_of_two_tetrahedra_are_correct():
    assert relation_of(TWO, 5, "TT") == [[1], [0]]
    assert relation_of(TWO, 5, "VV")[0] == [1, 2, 3]
    assert relation_of(TWO, 5, "VV")[1] == [
        0,
        2,
        3,
        4,
    ]
    assert relation_of(TWO, 5, "VT") == [[0], [0, 1], [0, 1], [0, 1], [1]]
    triangle = simplices_of(TWO, 5, 3).index((1, 2, 3))
    assert relation_of(TWO, 5, "FT")[triangle] == [0, 1]
    assert relation_of(TWO, 5, "TV") == [[0, 1, 2, 3], [1, 2, 3, 4]]
    assert len(relation_of(TWO, 5, "FF")[triangle]) == 6


def test_two_simplices_that_share_a_vertex_share_only_the_vertex():
    cells = [tuple(row) for row in SPECIAL["two sharing a vertex"].cells.tolist()]
    assert relation_of(cells, 7, "TT") == [[], []]
    assert relation_of(cells, 7, "VT")[3] == [0, 1]
    assert len(relation_of(cells, 7, "EE")[0]) == 4


def test_the_boundary_of_two_tetrahedra_lacks_the_triangle_between_them():
    assert len(boundary_of(TWO, 5, 2)) == 6
    assert (1, 2, 3) not in boundary_of(TWO, 5, 2)


def test_a_split_grid_has_six_tetrahedra_per_voxel_and_fills_it():
    mesh = split_grid((3, 4, 5))
    assert len(mesh.cells) == 6 * 2 * 3 * 4
    corners = mesh.points[mesh.cells]
    volumes = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6
    assert np.isclose(np.abs(volumes).sum(), 24)
    assert np.isclose(np.abs(volumes), 1 / 6).all()


OCTAHEDRON = [(a, b, c, 6) for a in (0, 1) for b in (2, 3) for c in (4, 5)]
"""Eight tetrahedra round point 6; 0 and 1, 2 and 3, 4 and 5 are opposite."""


def octahedron(*lower: int) -> SimplicialComplex:
    """The octahedron with the named corners below its center."""
    values = np.array([-1 if v in lower else 1 for v in range(6)] + [0])
    return SimplicialComplex(OCTAHEDRON, values)


def test_only_the_lowest_point_of_a_tetrahedron_is_critical():
    gradient = mesh_gradient(SimplicialComplex([(0, 1, 2, 3)], np.arange(4)))
    assert gradient.critical == [(0,)]
    assert gradient.partner[1,] == (0, 1)
    assert gradient.partner[2,] == (0, 2)  # the steepest edge of 2
    assert gradient.partner[1, 2] == (0, 1, 2)
    assert gradient.partner[3,] == (0, 3)
    assert gradient.partner[1, 3] == (0, 1, 3)
    assert gradient.partner[2, 3] == (0, 2, 3)
    assert gradient.partner[1, 2, 3] == (0, 1, 2, 3)


def test_codes_number_the_facets_by_the_order_of_the_corners():
    gradient = mesh_gradient(SimplicialComplex([(0, 1, 2, 3)], np.arange(4)))
    ascending, descending = [0, 1, 2, 3], [3, 2, 1, 0]
    assert gradient.code((0,), ascending) == 5
    assert gradient.code((1,), ascending) == 4
    assert [gradient.code((0, 1), order) for order in (ascending, descending)] == [1, 0]
    assert [gradient.code((0, 1, 2), order) for order in (ascending, descending)] == [2, 0]
    assert [gradient.code((0, 1, 2, 3), order) for order in (ascending, descending)] == [3, 0]


@pytest.mark.parametrize(
    ("lower", "vector", "kind"),
    [
        ((), (1, 0, 0, 0), MINIMUM),
        ((0,), (0, 0, 0, 0), REGULAR),
        ((0, 1), (0, 1, 0, 0), SADDLE_1),
        ((0, 2), (0, 0, 0, 0), REGULAR),
        ((0, 1, 2, 3), (0, 0, 1, 0), SADDLE_2),
        ((0, 1, 2, 3, 4), (0, 0, 0, 0), REGULAR),
        ((0, 1, 2, 3, 4, 5), (0, 0, 0, 1), MAXIMUM),
    ],
)
def test_the_type_of_the_center_of_an_octahedron_follows_from_its_lower_corners(
    lower, vector, kind
):
    mesh = octahedron(*lower)
    assert critical_vector(mesh, 6) == vector
    assert point_type(mesh, 6, mesh.boundary_points()) == kind
    owned = [s for s in mesh_gradient(mesh).critical if mesh.owner(s) == 6]
    assert tuple(sum(len(s) == d + 1 for s in owned) for d in range(4)) == vector


def test_a_sphere_a_disk_and_two_points_have_their_betti_numbers():
    tetrahedron = [s for d in (1, 2, 3) for s in combinations(range(4), d)]
    assert betti_numbers(tetrahedron) == (1, 0, 1)
    assert betti_numbers(tetrahedron[:-1]) == (1, 0, 0)
    assert betti_numbers(tetrahedron[:-4]) == (1, 3, 0)
    assert betti_numbers([(0,), (5,)]) == (2, 0, 0)


def test_the_tip_of_two_tetrahedra_is_degenerate_when_it_is_lowest():
    mesh = SimplicialComplex([(0, 1, 2, 3), (0, 4, 5, 6)], np.arange(7))
    boundary = mesh.boundary_points()
    assert boundary == set(range(7))
    assert point_type(mesh, 0, boundary) == DEGENERATE  # no lower piece, two upper ones
    assert critical_vector(mesh, 0) == (1, 0, 0, 0)
    raised = SimplicialComplex([(0, 1, 2, 3), (0, 4, 5, 6)], np.array([9, 1, 2, 3, 4, 5, 6]))
    assert point_type(raised, 0, boundary) == DEGENERATE
    assert critical_vector(raised, 0) == (0, 1, 0, 0)


def test_in_a_triangle_mesh_a_saddle_has_two_pieces_on_both_sides():
    fan = [(6, k, (k + 1) % 6) for k in range(6)]
    saddle = SimplicialComplex(fan, np.array([-1, 1, 1, -1, 1, 1, 0]))
    assert point_type(saddle, 6, saddle.boundary_points()) == SADDLE_1
    assert critical_vector(saddle, 6) == (0, 1, 0, 0)
    peak = SimplicialComplex(fan, np.array([-1, -1, -1, -1, -1, -1, 0]))
    assert point_type(peak, 6, peak.boundary_points()) == MAXIMUM
    assert critical_vector(peak, 6) == (0, 0, 1, 0)


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


def test_cells_on_paths_from_a_saddle_and_cells_around_an_edge():
    fan = [(0, 1, 2, 3), (0, 1, 3, 4), (0, 1, 2, 4)]  # closed about the edge 0-1
    mesh = SimplicialComplex(fan, np.array([0.0, 1.0, 2.0, 3.0, 4.0]))
    assert round_edge(mesh, (0, 1)) == (set(fan), set())
    assert round_edge(mesh, (0, 2)) == ({fan[0], fan[2]}, {(0, 2, 3), (0, 2, 4)})
    gradient = mesh_gradient(mesh)
    for saddle in gradient.critical[1:]:
        neighbors = mesh.cofacets if len(saddle) == 2 else mesh.facets
        assert saddle in reached(gradient, saddle, neighbors)
