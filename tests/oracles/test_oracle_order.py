"""The plateau-aware order on cases worked out by hand."""

from __future__ import annotations

import numpy as np

from oracles.plateau_order import (
    edge_neighbors,
    graph_distances,
    mesh_order,
    plateau_distances,
    plateau_order,
)


def test_without_ties_the_order_is_that_of_the_values() -> None:
    values = np.array([[3, 1], [0, 2]])
    assert plateau_distances(values) == ([0] * 4, [0] * 4)
    assert plateau_order(values) == [2, 1, 3, 0]


def test_a_slope_is_crossed_from_its_higher_to_its_lower_end() -> None:
    # Between 9 and 0: low 3 2 1 0, high 0 1 2 3 along the plateau of ones.
    values = np.array([9, 1, 1, 1, 1, 0])
    assert plateau_distances(values) == ([0, 3, 2, 1, 0, 0], [0, 0, 1, 2, 3, 0])
    assert plateau_order(values) == [5, 4, 3, 2, 1, 0]


def test_a_flat_minimum_rises_from_its_smallest_index() -> None:
    values = np.array([[5, 1, 1], [5, 1, 1]])
    low, high = plateau_distances(values)
    assert low == [0, 0, 1, 0, 1, 2]
    assert high == [0, 0, 1, 0, 0, 1]
    assert plateau_order(values) == [1, 2, 4, 5, 0, 3]  # 2 low - high: 0, 1, 2, 3


def test_a_flat_maximum_has_no_higher_end() -> None:
    values = np.array([0, 7, 7, 7])
    assert plateau_distances(values) == ([0, 0, 1, 2], [0, 0, 0, 0])


def test_what_touches_only_at_a_corner_is_two_plateaus() -> None:
    values = np.array([[1, 2], [3, 1]])
    assert plateau_distances(values) == ([0] * 4, [0] * 4)
    values = np.array([[1, 1, 9], [9, 9, 1]])
    assert plateau_distances(values)[0] == [0, 1, 0, 0, 0, 0]


def test_a_constant_circle_rises_both_ways_round() -> None:
    assert plateau_distances(np.zeros(5))[0] == [0, 1, 2, 3, 4]
    assert plateau_distances(np.zeros(5), (True,))[0] == [0, 1, 2, 2, 1]
    assert plateau_order(np.zeros(5), (True,)) == [0, 1, 4, 2, 3]


def test_points_of_a_mesh_are_joined_by_the_edges_of_its_cells() -> None:
    cells = np.array([(0, 1, 2), (1, 2, 3), (2, 3, 4)])
    assert edge_neighbors(6, cells) == [[1, 2], [0, 2, 3], [0, 1, 3, 4], [1, 2, 4], [2, 3], []]
    values = np.array([0, 5, 5, 5, 9, 5])
    assert graph_distances(values.tolist(), edge_neighbors(6, cells)) == (
        [0, 0, 0, 1, 0, 0],
        [0, 1, 0, 0, 0, 0],
    )
    assert mesh_order(values, cells) == [0, 1, 2, 5, 3, 4]  # 2 low - high: -1, 0, 0, 2
