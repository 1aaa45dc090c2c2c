"""The oracles for points are right on cases that can be checked by eye."""

from __future__ import annotations

import numpy as np

from oracles.point_sets import lattice, nearest_lists, neighbor_lists, point_sets, radii_of

ROW = np.array([[0.0], [1.0], [3.0]])


def test_neighbors_on_a_row_are_those_within_the_closed_radius():
    assert neighbor_lists(ROW, ROW, 1.0) == [[0, 1], [0, 1], [2]]
    assert neighbor_lists(ROW, ROW, 2.0) == [[0, 1], [0, 1, 2], [1, 2]]
    assert neighbor_lists(ROW, ROW[:0], 2.0) == [[], [], []]


def test_three_four_five_is_exactly_at_the_radius():
    assert neighbor_lists(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [4.0, 4.0]]), 5.0) == [[0]]


def test_the_nearest_ascend_with_ties_to_the_lower_index_and_padding_behind():
    distances, indices = nearest_lists(np.array([[2.0]]), ROW, 4)
    assert indices.tolist() == [[1, 2, 0, -1]]
    assert distances.tolist() == [[1.0, 1.0, 2.0, np.inf]]
    _, others = nearest_lists(ROW, ROW, 2, include_self=False)
    assert others.tolist() == [[1, 2], [0, 2], [1, 0]]


def test_a_lattice_has_every_point_once():
    assert len(np.unique(lattice(4, 3), axis=0)) == 64


def test_the_sets_have_neighbors_at_their_radii():
    for name, points in point_sets().items():
        counts = [sum(map(len, neighbor_lists(points, points, r))) for r in radii_of(name)]
        assert counts[-1] == len(points) ** 2, name
