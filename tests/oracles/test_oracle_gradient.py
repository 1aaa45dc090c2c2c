"""The lower-star oracle, and the lower link, on cases worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.cubical import CubicalGrid
from oracles.lower_link import counts_of_lower_link
from oracles.lower_star import Gradient, lower_star_gradient


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
def test_lines_and_a_square_have_the_codes_worked_out(values: object, codes: list[int]) -> None:
    assert gradient_of(values).codes() == codes


def test_a_point_whose_lower_neighbors_are_all_diagonal_is_a_minimum() -> None:
    gradient = gradient_of([[0, 2], [3, 1]])
    assert gradient.critical == [(0, 0, 0), (2, 2, 0), (2, 1, 0)]


def test_the_critical_square_of_a_peak_is_its_last_in_g_order() -> None:
    gradient = gradient_of([[0, 1, 2], [3, 8, 4], [5, 6, 7]])
    assert gradient.critical == [(0, 0, 0), (3, 4, 0), (3, 3, 0)]  # the edge 7-6 closes the ring
    assert gradient.partner[2, 2, 0] == (2, 1, 0)
    assert gradient.partner[1, 2, 0] == (1, 1, 0)
    assert gradient.partner[3, 2, 0] == (3, 1, 0)
    assert gradient.partner[2, 3, 0] == (1, 3, 0)


def test_a_monotone_cube_has_one_critical_cell_and_leaves_the_box() -> None:
    gradient = gradient_of(np.arange(8).reshape(2, 2, 2))
    assert gradient.critical == [(0, 0, 0)]
    assert gradient.partner[1, 1, 1] == (1, 1, 2)


def test_a_line_is_the_same_along_every_axis() -> None:
    values = np.array([2, 0, 3, 3, 1, 4])
    along_x = gradient_of(values).codes()
    along_y = gradient_of(values[:, None]).codes()
    along_z = gradient_of(values[:, None, None]).codes()
    assert along_y == [{1: 3, 2: 4}.get(c, c) for c in along_x]
    assert along_z == [{1: 5, 2: 6}.get(c, c) for c in along_x]


def test_the_lower_link_knows_minimum_saddles_maximum_and_regular_point() -> None:
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


def test_a_circle_has_a_minimum_and_the_edge_that_closes_it() -> None:
    # v0 e0 v1 e1 v2 e2, e2 from v2 back to v0: v2 leaves by e2, the steepest, and e1 stays.
    gradient = lower_star_gradient(CubicalGrid(np.array([0, 1, 2]), (True,)))
    assert gradient.codes() == [7, 1, 2, 7, 1, 2]
    assert gradient.critical == [(0, 0, 0), (3, 0, 0)]
    assert gradient.partner[4, 0, 0] == (5, 0, 0)
    assert gradient.grid.vertices((5, 0, 0)) == [(4, 0, 0), (0, 0, 0)]
    assert gradient.grid.star((0, 0, 0)) == [(5, 0, 0), (0, 0, 0), (1, 0, 0)]


def test_ties_across_the_seam_of_a_circle_break_by_the_linear_index() -> None:
    gradient = lower_star_gradient(CubicalGrid(np.zeros(4), (True,)))
    assert gradient.critical == [(0, 0, 0), (5, 0, 0)]  # the last point falls over the seam to 0
    assert gradient.partner[6, 0, 0] == (7, 0, 0)


def test_a_torus_has_no_boundary_and_a_cylinder_two_ends() -> None:
    torus, cylinder = (CubicalGrid(np.zeros((3, 4)), p) for p in ((True, True), (True, False)))
    assert not any(map(torus.on_boundary, torus.cells()))
    ends = {c[1] for c in filter(cylinder.on_boundary, cylinder.cells())}
    assert ends == {0, 4}
    assert [len(torus.cells()), len(cylinder.cells())] == [8 * 6, 8 * 5]
    assert all(len(torus.cofacets(c)) + len(torus.facets(c)) == 4 for c in torus.cells())
