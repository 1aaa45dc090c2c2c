"""The oracle of Rips barcodes, on complexes whose bars are known."""

from math import comb, inf

import numpy as np
import pytest

from oracles.rips import (
    apparent_pairs,
    barcode,
    bars_of,
    boundary_of_chain,
    bounds,
    cross_polytope,
    enclosing_radius,
    filtered,
    n_cycle,
    projective_plane,
    random_values,
)


def test_a_square_has_a_hole_from_its_sides_to_its_diagonals():
    values = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0.0]])
    bars = bars_of(values, 1)
    assert barcode(bars) == [(0, 0, 1)] * 3 + [(0, 0, inf), (1, 1, 2)]
    assert len(bars[-1].born) == 2
    assert len(bars[-1].died or ()) == 3


def test_bars_neither_begin_nor_end_beyond_the_threshold():
    values = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0.0]])
    assert barcode(bars_of(values, 1, threshold=1))[-1] == (1, 1, inf)
    assert barcode(bars_of(values, 1, threshold=0.5)) == [(0, 0, inf)] * 4


def test_missing_edges_separate_components():
    values = np.array([[0, 3, inf], [3, 0, inf], [inf, inf, 0.0]])
    assert barcode(bars_of(values, 1)) == [(0, 0, 3), (0, 0, inf), (0, 0, inf)]


def test_weighted_vertices_are_born_late_and_the_older_component_survives():
    values = np.array([[0, 5.0], [5.0, 0]])
    assert barcode(bars_of(values, 0, births=np.array([1.0, 2.0]))) == [(0, 1, inf), (0, 2, 5)]


def test_the_cycle_of_nine_has_one_loop_and_then_two_spheres():
    found = [bar for bar in barcode(bars_of(n_cycle(9), 2)) if bar[0]]
    assert found == [(1, 1, 3), (2, 3, 4), (2, 3, 4)]


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_cross_polytope_is_a_sphere(k):
    bars = [bar for bar in barcode(bars_of(cross_polytope(k), k)) if bar[0]]
    assert bars == [(k - 1, 1, 2)]


def test_the_projective_plane_has_torsion_two():
    values = projective_plane()
    assert (values == 1).sum() == 2 * 36
    assert [b for b in barcode(bars_of(values, 2)) if b[0]] == [(1, 1, 2), (2, 1, 2)]
    assert [b for b in barcode(bars_of(values, 2, prime=3)) if b[0]] == []


@pytest.mark.parametrize(("n", "dimension"), [(4, 1), (6, 1), (6, 2), (7, 3)])
def test_all_equal_distances_reach_the_upper_bound_of_apparent_pairs(n, dimension):
    values = np.ones((n, n)) - np.eye(n)
    assert len(apparent_pairs(values, dimension)) == comb(n - 1, dimension + 1)


def test_apparent_pairs_are_bars_of_zero_length_over_any_field():
    rng = np.random.default_rng(4)
    for k in (1, 2, 3, 6, 1000):
        values = random_values(rng, 7, k)
        for prime in (2, 3):
            bars = {(bar.born, bar.died) for bar in bars_of(values, 2, prime=prime, keep_zero=True)}
            assert {*apparent_pairs(values, 1), *apparent_pairs(values, 2)} <= bars


def test_at_the_enclosing_radius_the_complex_is_a_cone():
    rng = np.random.default_rng(5)
    for k in (2, 6, 1000):
        values = random_values(rng, 7, k)
        at = enclosing_radius(values)
        assert barcode(bars_of(values, 2, threshold=at)) == barcode(bars_of(values, 2))
        assert max([bar.death for bar in bars_of(values, 2) if bar.dimension], default=0) <= at


def test_the_sides_of_a_triangle_are_a_boundary_once_it_is_born():
    chain = {(0, 1): 1, (1, 2): 1, (0, 2): -1}
    values = np.array([[0, 1, 1], [1, 0, 2], [1, 2, 0.0]])
    for prime in (2, 3, 5):
        assert boundary_of_chain(chain, prime) == {}
        assert bounds(chain, filtered(values, 2), prime)
        assert not bounds(chain, filtered(values, 1), prime)
