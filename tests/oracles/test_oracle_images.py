"""The oracles of images (gradients, walks, the elder rule, orders) on cases computed by hand."""

import numpy as np
import pytest

from oracles.cancellation import paths_between, reverse
from oracles.cubical import CubicalGrid, cell_dimension
from oracles.elder_rule import components, voids
from oracles.lower_link import counts_of_lower_link
from oracles.lower_star import Gradient, lower_star_gradient
from oracles.plateau_order import (
    edge_neighbors,
    graph_distances,
    mesh_order,
    plateau_distances,
    plateau_order,
)
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


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ([5], [7]),
        ([3, 1, 2], [1, 2, 7, 1, 2]),  # the lowest point alone is critical
        ([1, 3, 2], [7, 1, 2, 7, 7]),  # a peak leaves the edge to its higher side critical
        ([4, 4, 4], [7, 1, 2, 1, 2]),  # equal values break by the linear index
        ([[0, 1], [2, 3]], [7, 1, 2, 3, 3, 3, 4, 4, 4]),  # a monotone square
    ],
)
def test_lines_and_a_square_have_the_codes_computed_by_hand(values, codes):
    assert gradient_of(values).codes() == codes


def test_a_point_whose_lower_neighbors_are_all_diagonal_is_a_minimum():
    gradient = gradient_of([[0, 2], [3, 1]])
    assert gradient.critical == [(0, 0, 0), (2, 2, 0), (2, 1, 0)]


def test_the_critical_square_of_a_peak_is_its_last_in_g_order():
    gradient = gradient_of([[0, 1, 2], [3, 8, 4], [5, 6, 7]])
    assert gradient.critical == [(0, 0, 0), (3, 4, 0), (3, 3, 0)]  # the edge 7-6 closes the ring
    assert gradient.partner[2, 2, 0] == (2, 1, 0)
    assert gradient.partner[1, 2, 0] == (1, 1, 0)
    assert gradient.partner[3, 2, 0] == (3, 1, 0)
    assert gradient.partner[2, 3, 0] == (1, 3, 0)


def test_a_monotone_cube_has_one_critical_cell_and_flows_out_of_the_box():
    gradient = gradient_of(np.arange(8).reshape(2, 2, 2))
    assert gradient.critical == [(0, 0, 0)]
    assert gradient.partner[1, 1, 1] == (1, 1, 2)


def test_a_line_has_the_same_gradient_along_every_axis():
    values = np.array([2, 0, 3, 3, 1, 4])
    along_x = gradient_of(values).codes()
    along_y = gradient_of(values[:, None]).codes()
    along_z = gradient_of(values[:, None, None]).codes()
    assert along_y == [{1: 3, 2: 4}.get(c, c) for c in along_x]
    assert along_z == [{1: 5, 2: 6}.get(c, c) for c in along_x]


def test_the_lower_link_determines_minimum_saddles_maximum_and_regular_point():
    west, east, north, south = (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0)
    diagonals = {(0, a, b) for a in (-1, 1) for b in (-1, 1)}
    everything = {(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)} - {
        (0, 0, 0)
    }
    assert counts_of_lower_link(set()) == (1, 0, 0, 0)
    assert counts_of_lower_link(diagonals) == (1, 0, 0, 0)
    assert counts_of_lower_link({west}) == (0, 0, 0, 0)
    assert counts_of_lower_link({west, east}) == (0, 1, 0, 0)
    assert counts_of_lower_link({west, east, north, south}) == (0, 3, 0, 0)
    assert counts_of_lower_link({west, east, north, south} | diagonals) == (0, 0, 1, 0)
    assert counts_of_lower_link(everything) == (0, 0, 0, 1)
    assert counts_of_lower_link(everything - {(1, 1, 1)}) == (0, 0, 0, 0)
    assert counts_of_lower_link(everything - {(1, 1, 1), (-1, -1, -1)}) == (0, 0, 1, 0)


def test_a_circle_has_a_minimum_and_the_edge_that_closes_it():
    # v0 e0 v1 e1 v2 e2, e2 from v2 back to v0: v2 leaves by e2, the steepest, and e1 stays.
    gradient = lower_star_gradient(CubicalGrid(np.array([0, 1, 2]), (True,)))
    assert gradient.codes() == [7, 1, 2, 7, 1, 2]
    assert gradient.critical == [(0, 0, 0), (3, 0, 0)]
    assert gradient.partner[4, 0, 0] == (5, 0, 0)
    assert gradient.grid.vertices((5, 0, 0)) == [(4, 0, 0), (0, 0, 0)]
    assert gradient.grid.star((0, 0, 0)) == [(5, 0, 0), (0, 0, 0), (1, 0, 0)]


def test_ties_across_the_seam_of_a_circle_break_by_the_linear_index():
    gradient = lower_star_gradient(CubicalGrid(np.zeros(4), (True,)))
    assert gradient.critical == [(0, 0, 0), (5, 0, 0)]  # the last point falls over the seam to 0
    assert gradient.partner[6, 0, 0] == (7, 0, 0)


def test_a_torus_has_no_boundary_and_a_cylinder_two_ends():
    torus, cylinder = (CubicalGrid(np.zeros((3, 4)), p) for p in ((True, True), (True, False)))
    assert not any(map(torus.on_boundary, torus.cells()))
    ends = {c[1] for c in filter(cylinder.on_boundary, cylinder.cells())}
    assert ends == {0, 4}
    assert [len(torus.cells()), len(cylinder.cells())] == [8 * 6, 8 * 5]
    assert all(len(torus.cofacets(c)) + len(torus.facets(c)) == 4 for c in torus.cells())


def test_a_line_with_a_peak_has_two_basins():
    # v0 e0 v1 e1 v2: v1 is paired with e0, so it falls left, and e0 rises across v1 to e1.
    gradient = gradient_of([1, 3, 2])
    assert minimum_labels(gradient) == [0, 0, 1]
    assert list(top_cell_labels(gradient).values()) == [0, 0]
    assert maximum_labels(gradient) == [0, 0, 0]
    assert morse_smale_labels(gradient) == [0, 0, 1]
    assert manifold_sizes(gradient) == [2, 1, 3]


def test_a_line_with_a_peak_has_two_descending_separatrices():
    paths = descending_separatrices(gradient_of([1, 3, 2]))
    assert paths == [[(3, 0, 0), (2, 0, 0), (1, 0, 0), (0, 0, 0)], [(3, 0, 0), (4, 0, 0)]]


def test_a_single_point_has_a_basin_of_one():
    gradient = gradient_of([[[7]]])
    assert minimum_labels(gradient) == [0]
    assert manifold_sizes(gradient) == [1]
    assert descending_separatrices(gradient) == []


def test_a_square_with_two_diagonal_minima_has_one_saddle_that_flows_out():
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


def test_a_monotone_cube_flows_out_of_the_box():
    gradient = gradient_of(np.arange(8).reshape(2, 2, 2))
    assert ascending_path(gradient, (1, 1, 1)) == [(1, 1, 1), (1, 1, 2)]
    assert maximum_labels(gradient) == [-1] * 8
    assert morse_smale_labels(gradient) == [0] * 8


def test_a_peak_in_the_middle_is_reached_from_the_four_squares_around_it():
    gradient = gradient_of([[0, 1, 2], [3, 8, 4], [5, 6, 7]])
    assert list(top_cell_labels(gradient).values()) == [0, 0, 0, 0]
    assert manifold_sizes(gradient) == [9, 0, 9]  # minimum, saddle where the ring closes, maximum


def test_a_vertex_has_the_label_of_its_highest_edge():
    # 2 > 0 < 3 > 1: the first edge leaves at the point 2, the other two belong to the peak 3.
    gradient = gradient_of([2, 0, 3, 1])
    assert list(top_cell_labels(gradient).values()) == [-1, 0, 0]
    assert maximum_labels(gradient) == [-1, 0, 0, 0]
    assert minimum_labels(gradient) == [0, 0, 0, 1]
    assert morse_smale_labels(gradient) == [0, 1, 1, 2]


def test_the_descending_surface_of_the_square_that_closes_a_shell_is_the_shell():
    values = np.arange(27).reshape(3, 3, 3)
    values[1, 1, 1] = 27
    gradient = gradient_of(values)
    assert gradient.critical == [(0, 0, 0), (3, 3, 4), (3, 3, 3)]
    squares = {c for c in gradient.grid.cells() if cell_dimension(c) == 2}
    shell = {c for c in squares if any(c[a] in (0, 4) for a in range(3))}
    assert len(shell) == 24
    assert descending_surfaces(gradient) == {(3, 3, 4): shell}


def test_the_ascending_surface_of_a_saddle_between_two_pits_separates_them():
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


def test_reversing_a_path_merges_the_basin_across_the_saddle():
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


def test_pieces_merge_by_the_elder_rule():
    # Ranks of 1 5 0 4 2: the piece born at 2 dies at 3 (value 4), the one born at 1 at 4 (value 5).
    assert components(CubicalGrid(np.array([1, 5, 0, 4, 2]))) == [(1, 4), (2, 3)]


def test_a_hole_is_born_when_the_ring_closes_and_dies_at_the_peak():
    grid = CubicalGrid(np.array([[0, 1, 2], [3, 8, 4], [5, 6, 7]]))
    assert components(grid) == []
    assert voids(grid) == [(7, 8)]


def test_without_ties_the_order_is_that_of_the_values():
    values = np.array([[3, 1], [0, 2]])
    assert plateau_distances(values) == ([0] * 4, [0] * 4)
    assert plateau_order(values) == [2, 1, 3, 0]


def test_the_order_of_a_flat_slope_descends_from_its_higher_to_its_lower_end():
    # Between 9 and 0: low 3 2 1 0, high 0 1 2 3 along the plateau of ones.
    values = np.array([9, 1, 1, 1, 1, 0])
    assert plateau_distances(values) == ([0, 3, 2, 1, 0, 0], [0, 0, 1, 2, 3, 0])
    assert plateau_order(values) == [5, 4, 3, 2, 1, 0]


def test_a_flat_minimum_rises_from_its_smallest_index():
    values = np.array([[5, 1, 1], [5, 1, 1]])
    low, high = plateau_distances(values)
    assert low == [0, 0, 1, 0, 1, 2]
    assert high == [0, 0, 1, 0, 0, 1]
    assert plateau_order(values) == [1, 2, 4, 5, 0, 3]  # 2 low - high: 0, 1, 2, 3


def test_a_flat_maximum_has_no_higher_end():
    values = np.array([0, 7, 7, 7])
    assert plateau_distances(values) == ([0, 0, 1, 2], [0, 0, 0, 0])


def test_two_plateaus_may_touch_at_a_corner():
    values = np.array([[1, 2], [3, 1]])
    assert plateau_distances(values) == ([0] * 4, [0] * 4)
    values = np.array([[1, 1, 9], [9, 9, 1]])
    assert plateau_distances(values)[0] == [0, 1, 0, 0, 0, 0]


def test_the_order_of_a_constant_circle_ascends_in_both_directions():
    assert plateau_distances(np.zeros(5))[0] == [0, 1, 2, 3, 4]
    assert plateau_distances(np.zeros(5), (True,))[0] == [0, 1, 2, 2, 1]
    assert plateau_order(np.zeros(5), (True,)) == [0, 1, 4, 2, 3]


def test_edges_of_cells_connect_the_points_of_a_mesh():
    cells = np.array([(0, 1, 2), (1, 2, 3), (2, 3, 4)])
    assert edge_neighbors(6, cells) == [[1, 2], [0, 2, 3], [0, 1, 3, 4], [1, 2, 4], [2, 3], []]
    values = np.array([0, 5, 5, 5, 9, 5])
    assert graph_distances(values.tolist(), edge_neighbors(6, cells)) == (
        [0, 0, 0, 1, 0, 0],
        [0, 1, 0, 0, 0, 0],
    )
    assert mesh_order(values, cells) == [0, 1, 2, 5, 3, 4]  # 2 low - high: -1, 0, 0, 2
