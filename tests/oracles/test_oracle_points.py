"""The oracles of points, balls and reductions over pairs on cases that one can do by hand."""

from fractions import Fraction

import numpy as np

from oracles.alpha import alpha_complex, kinds
from oracles.pairs import FORMULAS, reduced
from oracles.point_sets import (
    lattice,
    nearest_lists,
    neighbor_lists,
    point_sets,
    radii_of,
    squared_distances,
)

X = np.array([[0.0, 0.0], [3.0, 4.0]])
Y = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 4.0]])
ALL = np.ones((2, 3), bool)


def test_squared_distances_of_the_corners_of_a_rectangle():
    assert squared_distances(X, Y).tolist() == [[0, 9, 16], [25, 16, 9]]


def test_reductions_of_a_rectangle():
    d2 = squared_distances(X, Y)
    assert reduced(d2, ALL, "sum").tolist() == [25, 50]
    assert reduced(d2, ALL, "min").tolist() == [0, 9]
    assert reduced(d2, ALL, "argmax").tolist() == [2, 0]
    assert reduced(d2, ALL, "argkmin", k=2).tolist() == [[0, 1], [2, 1]]
    assert reduced(d2, ALL, "count").tolist() == [2, 3]
    assert reduced(d2, ALL, "collect") == [[1, 2], [0, 1, 2]]
    np.testing.assert_allclose(reduced(np.zeros((2, 3)), ALL, "logsumexp"), np.log(3))


def test_a_row_without_pairs_has_the_neutral_result():
    d2, none = squared_distances(X, Y), np.zeros((2, 3), bool)
    assert reduced(d2, none, "max").tolist() == [-np.inf, -np.inf]
    assert reduced(d2, none, "argmin").tolist() == [-1, -1]
    assert reduced(d2, none, "kmin", k=2).tolist() == [[np.inf] * 2] * 2
    assert reduced(d2, none, "logsumexp").tolist() == [-np.inf] * 2


def test_compact_formulas_end_at_their_radius():
    for name, end in (("wendland", 0.6), ("shifted_gaussian", 0.5)):
        formula, parameters = FORMULAS[name]
        assert formula(np.array([end**2 + 1e-12]), **parameters) == 0
        assert 0 < formula(np.array([(end - 1e-3) ** 2]), **parameters)[0] < 1e-2


ROW = np.array([[0.0], [1.0], [3.0]])


def test_neighbors_on_a_row_are_those_within_the_closed_radius():
    assert neighbor_lists(ROW, ROW, 1.0) == [[0, 1], [0, 1], [2]]
    assert neighbor_lists(ROW, ROW, 2.0) == [[0, 1], [0, 1, 2], [1, 2]]
    assert neighbor_lists(ROW, ROW[:0], 2.0) == [[], [], []]


def test_a_point_exactly_at_the_radius_is_a_neighbor():
    assert neighbor_lists(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [4.0, 4.0]]), 5.0) == [[0]]


def test_nearest_points_ascend_with_ties_to_the_lower_index_and_padding_at_the_end():
    distances, indices = nearest_lists(np.array([[2.0]]), ROW, 4)
    assert indices.tolist() == [[1, 2, 0, -1]]
    assert distances.tolist() == [[1.0, 1.0, 2.0, np.inf]]
    _, others = nearest_lists(ROW, ROW, 2, include_self=False)
    assert others.tolist() == [[1, 2], [0, 2], [1, 0]]


def test_a_lattice_contains_every_point_once():
    assert len(np.unique(lattice(4, 3), axis=0)) == 64


def test_the_sets_have_neighbors_at_their_radii():
    for name, points in point_sets().items():
        counts = [sum(map(len, neighbor_lists(points, points, r))) for r in radii_of(name)]
        assert counts[-1] == len(points) ** 2, name


def test_a_ball_is_born_at_minus_its_squared_radius():
    assert alpha_complex([(0, 0, 0)], [3], -9) == {(0,): (-9, True)}
    assert alpha_complex([(0, 0, 0)], [3], -10) == {}


def test_two_equal_balls_meet_halfway():
    points = [(0, 0, 0), (6, 0, 0)]
    assert (0, 1) not in alpha_complex(points, [2, 2], 4)
    assert alpha_complex(points, [2, 2], 5)[0, 1] == (5, True)


def test_two_different_balls_meet_on_their_radical_plane():
    found = alpha_complex([(0, 0, 0), (6, 0, 0)], [4, 1], 100)
    assert found[0, 1] == (Fraction(51, 12) ** 2 - 16, True)


def test_the_longest_edge_of_an_obtuse_triangle_is_born_with_the_triangle():
    points = [(0, 0, 0), (10, 0, 0), (5, 1, 0)]
    found = alpha_complex(points, [1, 1, 1], 1000)
    assert found[0, 1] == (13 * 13 - 1, False)
    assert found[0, 1, 2] == (13 * 13 - 1, True)


def test_a_ball_inside_another_is_hidden():
    assert set(alpha_complex([(0, 0, 0), (1, 0, 0)], [5, 1], 0)) == {(0,)}


def test_only_the_first_of_equal_balls_is_kept():
    assert set(alpha_complex([(1, 1, 1)] * 3, [2, 2, 2], 0)) == {(0,)}
    assert set(alpha_complex([(1, 1, 1)] * 3, [2, 3, 3], 0)) == {(1,)}


def test_a_square_has_one_diagonal_and_a_cube_six_tetrahedra():
    square = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (2, 2, 0)]
    found = alpha_complex(square, [1] * 4, 9)
    assert sum(len(s) == 2 for s in found) == 5
    assert sum(len(s) == 3 for s in found) == 2
    cube = [(x, y, z) for x in (0, 2) for y in (0, 2) for z in (0, 2)]
    found = alpha_complex(cube, [1] * 8, 9)
    assert [sum(len(s) == size for s in found) for size in (1, 2, 3, 4)] == [8, 19, 18, 6]


def test_balls_on_a_line_have_no_triangles():
    found = alpha_complex([(0, 0, 0), (2, 0, 0), (4, 0, 0)], [2, 2, 2], 9)
    assert set(found) == {(0,), (1,), (2,), (0, 1), (1, 2)}


def test_kinds_of_a_tetrahedron_and_of_attached_simplices():
    points = [(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4), (12, 0, 0), (20, 9, 0)]
    kind = kinds(set(alpha_complex(points, [2] * 6, 12)))
    assert kind[0, 1, 2, 3] == 2
    assert kind[0, 1, 2] == kind[0, 1] == kind[0,] == 1
    assert kind[1, 4] == 0
    assert kind[1,] == kind[4,] == 1
    assert kind[5,] == 0


def test_the_ball_in_the_middle_of_its_neighbors_is_interior():
    cross = [(0, 0, 0)] + [
        tuple(s * (k == a) * 3 for k in range(3)) for a in range(3) for s in (-1, 1)
    ]
    kind = kinds(set(alpha_complex(cross, [1] * 7, 30)))
    assert kind[0,] == 2
    assert kind[0, 1] == 2
    assert kind[1,] == 1
