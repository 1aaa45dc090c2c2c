"""The oracle of mesh gradients on cases worked out by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

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

OCTAHEDRON = [(a, b, c, 6) for a in (0, 1) for b in (2, 3) for c in (4, 5)]
"""Eight tetrahedra round point 6; 0 and 1, 2 and 3, 4 and 5 are opposite."""


def octahedron(*lower: int) -> SimplicialComplex:
    """The octahedron with the named corners below its center."""
    values = np.array([-1 if v in lower else 1 for v in range(6)] + [0])
    return SimplicialComplex(OCTAHEDRON, values)


def test_a_tetrahedron_leaves_its_lowest_point_alone() -> None:
    gradient = mesh_gradient(SimplicialComplex([(0, 1, 2, 3)], np.arange(4)))
    assert gradient.critical == [(0,)]
    assert gradient.partner[1,] == (0, 1)
    assert gradient.partner[2,] == (0, 2)  # the steepest edge of 2
    assert gradient.partner[1, 2] == (0, 1, 2)
    assert gradient.partner[3,] == (0, 3)
    assert gradient.partner[1, 3] == (0, 1, 3)
    assert gradient.partner[2, 3] == (0, 2, 3)
    assert gradient.partner[1, 2, 3] == (0, 1, 2, 3)


def test_codes_number_the_facets_by_the_order_of_the_corners() -> None:
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
def test_the_center_of_an_octahedron_is_what_its_lower_corners_make_it(
    lower: tuple[int, ...], vector: tuple[int, ...], kind: int
) -> None:
    mesh = octahedron(*lower)
    assert critical_vector(mesh, 6) == vector
    assert point_type(mesh, 6, mesh.boundary_points()) == kind
    owned = [s for s in mesh_gradient(mesh).critical if mesh.owner(s) == 6]
    assert tuple(sum(len(s) == d + 1 for s in owned) for d in range(4)) == vector


def test_a_sphere_a_disk_and_two_points_have_their_betti_numbers() -> None:
    tetrahedron = [s for d in (1, 2, 3) for s in combinations(range(4), d)]
    assert betti_numbers(tetrahedron) == (1, 0, 1)
    assert betti_numbers(tetrahedron[:-1]) == (1, 0, 0)
    assert betti_numbers(tetrahedron[:-4]) == (1, 3, 0)
    assert betti_numbers([(0,), (5,)]) == (2, 0, 0)


def test_the_tip_of_two_tetrahedra_is_degenerate_when_it_is_lowest() -> None:
    mesh = SimplicialComplex([(0, 1, 2, 3), (0, 4, 5, 6)], np.arange(7))
    boundary = mesh.boundary_points()
    assert boundary == set(range(7))
    assert point_type(mesh, 0, boundary) == DEGENERATE  # no lower piece, two upper ones
    assert critical_vector(mesh, 0) == (1, 0, 0, 0)
    raised = SimplicialComplex([(0, 1, 2, 3), (0, 4, 5, 6)], np.array([9, 1, 2, 3, 4, 5, 6]))
    assert point_type(raised, 0, boundary) == DEGENERATE
    assert critical_vector(raised, 0) == (0, 1, 0, 0)


def test_in_a_triangle_mesh_a_saddle_has_two_pieces_on_both_sides() -> None:
    fan = [(6, k, (k + 1) % 6) for k in range(6)]
    saddle = SimplicialComplex(fan, np.array([-1, 1, 1, -1, 1, 1, 0]))
    assert point_type(saddle, 6, saddle.boundary_points()) == SADDLE_1
    assert critical_vector(saddle, 6) == (0, 1, 0, 0)
    peak = SimplicialComplex(fan, np.array([-1, -1, -1, -1, -1, -1, 0]))
    assert point_type(peak, 6, peak.boundary_points()) == MAXIMUM
    assert critical_vector(peak, 6) == (0, 0, 1, 0)
