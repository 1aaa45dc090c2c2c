"""The walking oracles and the elder rule on cases worked out by hand."""

from __future__ import annotations

import numpy as np

from oracles.cancellation import paths_between, reverse
from oracles.cubical import CubicalGrid, cell_dimension
from oracles.elder_rule import components, voids
from oracles.lower_star import Gradient, lower_star_gradient
from oracles.surfaces import ascending_surfaces, corners_of_dual, descending_surfaces
from oracles.walks import (
    ascending_path,
    ascending_separatrices,
    descending_separatrices,
    manifold_sizes,
    maximum_labels,
    minimum_labels,
    morse_smale_labels,
    top_cell_labels,
)


def gradient_of(values: object) -> Gradient:
    return lower_star_gradient(CubicalGrid(np.asarray(values)))


def test_a_line_with_a_peak_falls_into_two_basins() -> None:
    # v0 e0 v1 e1 v2: v1 is paired with e0, so it falls left, and e0 rises across v1 to e1.
    gradient = gradient_of([1, 3, 2])
    assert minimum_labels(gradient) == [0, 0, 1]
    assert list(top_cell_labels(gradient).values()) == [0, 0]
    assert maximum_labels(gradient) == [0, 0, 0]
    assert morse_smale_labels(gradient) == [0, 0, 1]
    assert manifold_sizes(gradient) == [2, 1, 3]


def test_a_line_with_a_peak_has_two_descending_separatrices() -> None:
    paths = descending_separatrices(gradient_of([1, 3, 2]))
    assert paths == [[(3, 0, 0), (2, 0, 0), (1, 0, 0), (0, 0, 0)], [(3, 0, 0), (4, 0, 0)]]


def test_a_single_point_has_a_basin_of_one() -> None:
    gradient = gradient_of([[[7]]])
    assert minimum_labels(gradient) == [0]
    assert manifold_sizes(gradient) == [1]
    assert descending_separatrices(gradient) == []


def test_a_square_with_two_diagonal_minima_has_one_saddle_that_flows_out() -> None:
    # Ranks 0 2 / 3 1. The square is owned by rank 3 and leaves by that vertex's other edge.
    gradient = gradient_of([[0, 2], [3, 1]])
    assert minimum_labels(gradient) == [0, 0, 0, 1]
    assert descending_separatrices(gradient) == [
        [(2, 1, 0), (2, 0, 0), (1, 0, 0), (0, 0, 0)],
        [(2, 1, 0), (2, 2, 0)],
    ]
    assert gradient.partner[1, 1, 0] == (1, 2, 0)
    # The saddle lies in the boundary: on one side the square, on the other it is outside at once.
    assert ascending_separatrices(gradient) == [[(2, 1, 0), (1, 1, 0), (1, 2, 0)], [(2, 1, 0)]]


def test_a_monotone_cube_flows_out_of_the_box() -> None:
    gradient = gradient_of(np.arange(8).reshape(2, 2, 2))
    assert ascending_path(gradient, (1, 1, 1)) == [(1, 1, 1), (1, 1, 2)]
    assert maximum_labels(gradient) == [-1] * 8
    assert morse_smale_labels(gradient) == [0] * 8


def test_a_peak_in_the_middle_gathers_the_four_squares_round_it() -> None:
    gradient = gradient_of([[0, 1, 2], [3, 8, 4], [5, 6, 7]])
    assert list(top_cell_labels(gradient).values()) == [0, 0, 0, 0]
    assert manifold_sizes(gradient) == [9, 0, 9]  # minimum, saddle where the ring closes, maximum


def test_a_vertex_takes_the_label_of_its_highest_edge() -> None:
    # 2 > 0 < 3 > 1: the first edge leaves at the point 2, the other two belong to the peak 3.
    gradient = gradient_of([2, 0, 3, 1])
    assert list(top_cell_labels(gradient).values()) == [-1, 0, 0]
    assert maximum_labels(gradient) == [-1, 0, 0, 0]
    assert minimum_labels(gradient) == [0, 0, 0, 1]
    assert morse_smale_labels(gradient) == [0, 1, 1, 2]


def test_the_surface_of_the_square_that_closes_a_shell_is_the_shell() -> None:
    values = np.arange(27).reshape(3, 3, 3)
    values[1, 1, 1] = 27
    gradient = gradient_of(values)
    assert gradient.critical == [(0, 0, 0), (3, 3, 4), (3, 3, 3)]
    squares = {c for c in gradient.grid.cells() if cell_dimension(c) == 2}
    shell = {c for c in squares if any(c[a] in (0, 4) for a in range(3))}
    assert len(shell) == 24
    assert descending_surfaces(gradient) == {(3, 3, 4): shell}


def test_the_rising_surface_of_a_saddle_between_two_pits_parts_them() -> None:
    # A slab of two layers with a pit at either end of x: all edges along x in between.
    values = np.array([[[0, 5, 9, 6, 1]] * 3] * 2)
    gradient = gradient_of(values)
    [(saddle, edges)] = ascending_surfaces(gradient).items()
    assert saddle in edges
    assert {c for c in edges if c[0] == saddle[0]} == edges
    assert {(c[1], c[2]) for c in edges} == {(y, z) for y in (0, 2, 4) for z in (0, 2)}
    corner, side = (saddle[0], 0, 0), (saddle[0], 2, 0)
    x = saddle[0]
    assert corners_of_dual(gradient, corner) == {(x, 0, 0), (x, 1, 0), (x, 0, 1), (x, 1, 1)}
    assert corners_of_dual(gradient, side) == {(x, 1, 0), (x, 3, 0), (x, 1, 1), (x, 3, 1)}


def test_reversing_a_path_sends_the_basin_over_the_saddle() -> None:
    # 0 5 3 1: minimum v3 is reached by e1 (between 5 and 3), v2, e2, v3.
    gradient = gradient_of([0, 5, 3, 1])
    assert minimum_labels(gradient) == [0, 0, 1, 1]
    [path] = paths_between(gradient, (6, 0, 0), (3, 0, 0))
    assert path == [(3, 0, 0), (4, 0, 0), (5, 0, 0), (6, 0, 0)]
    reverse(gradient, path)
    assert minimum_labels(gradient) == [0, 0, 0, 0]
    assert gradient.critical == [(0, 0, 0)]
    assert maximum_labels(gradient) == [-1] * 4
    assert gradient.partner[(6, 0, 0)] == (5, 0, 0)
    assert gradient.partner[(4, 0, 0)] == (3, 0, 0)
    assert gradient.partner[(2, 0, 0)] == (1, 0, 0)


def test_pieces_merge_by_the_elder_rule() -> None:
    # Ranks of 1 5 0 4 2: the piece born at 2 dies at 3 (value 4), the one born at 1 at 4 (value 5).
    assert components(CubicalGrid(np.array([1, 5, 0, 4, 2]))) == [(1, 4), (2, 3)]


def test_a_hole_is_born_when_the_ring_closes_and_dies_at_the_peak() -> None:
    grid = CubicalGrid(np.array([[0, 1, 2], [3, 8, 4], [5, 6, 7]]))
    assert components(grid) == []
    assert voids(grid) == [(7, 8)]
