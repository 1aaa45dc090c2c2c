"""Complexes of images and of their levels equal slow walks on the lower-star oracle's gradient."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from engine.image_complexes import (
    assert_complex_is_the_oracles,
    assert_gradient_is_the_oracles,
    assert_image_is_the_oracles,
)
from oracles.cancellation import at_level_of
from oracles.fields import (
    OPEN,
    TORUS,
    Field,
    any_small_fields,
    many,
    noise_fields,
    periodic_noise,
    rough_and_smooth,
)
from oracles.lower_star import image_gradient


@many(300)
@given(any_small_fields())
def test_drawn_fields_have_the_complex_of_the_oracle(device, values):
    assert_image_is_the_oracles(values, device)


LONG = pytest.mark.long


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=LONG) for n in (1, 2, 3))])
def test_noise_has_the_complex_of_the_oracle(device, seed):
    for values in noise_fields(100, seed):
        assert_image_is_the_oracles(values, device)
    for values, periodic in periodic_noise(35, 200 + seed):
        assert_image_is_the_oracles(values, device, periodic)


def test_more_noise_has_the_gradient_of_the_oracle(device):
    for values in noise_fields(600, seed=21):
        assert_gradient_is_the_oracles(values, device)


@pytest.mark.parametrize("shape", [(2, 2, 2), (1, 3, 3), (3, 1, 3), (3, 3, 1), (3, 3), (9,)])
def test_every_two_valued_field_of_few_points_has_the_gradient_of_the_oracle(device, shape):
    for bits in product((0, 1), repeat=int(np.prod(shape))):
        assert_gradient_is_the_oracles(np.array(bits, np.int8).reshape(shape), device)


AROUND_TILES = [(4, 4, 32), (5, 5, 33), (9, 8, 65), (3, 9, 64), (1, 9, 66), (9, 1, 34)]
AROUND_TILES += [(11, 9, 10), (3, 40, 2), (30, 31), (200,)]
SEAMS_AT_TILES = [(6, 4, 34), (3, 11, 35), (3, 3, 67), (4, 18, 3), (11, 3, 3)]


@pytest.mark.parametrize(
    ("shape", "periods"),
    [
        *((shape, [OPEN] * 3) for shape in AROUND_TILES),
        *((shape, [TORUS, (True, False, True), TORUS]) for shape in SEAMS_AT_TILES),
    ],
)
def test_noise_across_tiles_and_seams_has_the_gradient_of_the_oracle(device, shape, periods):
    random = np.random.default_rng(7)
    for levels, periodic in zip((2, 5, 30_000), periods, strict=True):
        values = random.integers(0, levels, shape, dtype=np.int16)
        assert_gradient_is_the_oracles(values, device, periodic)


LARGER = [(12, 11, 10), (2, 3, 50), (40, 41), (3, 100), (400,), (1, 30, 30), (30, 1, 30)]
LARGER += [(20, 20, 2), pytest.param((16, 16, 16), marks=LONG)]


@pytest.mark.parametrize("shape", LARGER)
def test_larger_fields_have_the_complex_of_the_oracle(device, shape):
    for values in rough_and_smooth(shape, 33, noise=0.02):
        connectors = values.size < 1500  # the oracle walks every V-path between two saddles
        assert_image_is_the_oracles(values, device, connectors=connectors)


@pytest.mark.parametrize("shape", [(5, 6, 34), (3, 9, 66)])
def test_long_paths_through_many_tiles_and_seams_end_where_the_walks_end(device, shape):
    _, y, x = np.indices(shape)
    values = np.sin(2 * np.pi * (x / shape[2] + y / shape[1]))
    values += 0.02 * np.random.default_rng(206).random(shape)
    assert_image_is_the_oracles(values, device, TORUS)


def test_every_order_of_a_center_and_its_neighborhood_has_the_gradient_of_the_oracle(device):
    # The center of 3x3x3 sees each of many sets of lower neighbors, in many orders.
    random = np.random.default_rng(11)
    for _ in range(400):
        values = random.permutation(27).reshape(3, 3, 3)
        values[1, 1, 1] = random.integers(5, 28)
        assert_gradient_is_the_oracles(values, device)


def test_each_result_is_the_same_when_it_is_the_only_one_requested(device):
    values = np.random.default_rng(34).integers(0, 5, (6, 7, 8))
    together = sx.morse_smale(values, device=device)
    calls = [
        lambda found: found.segmentation("descending"),
        lambda found: found.segmentation("ascending"),
        lambda found: found.segmentation("morse_smale"),
        lambda found: found.manifold_sizes(),
        lambda found: found.cell_labels(),
    ]
    kept = [sx.to_host(call(together)).copy() for call in calls]
    for call, expected in zip(calls, kept, strict=True):
        alone = call(sx.morse_smale(values, device=device))
        np.testing.assert_array_equal(sx.to_host(alone), expected)
        np.testing.assert_array_equal(sx.to_host(call(together)), expected)


# === levels
def assert_levels_are_reversals(values: Field, device: str, step: int = 3) -> None:
    """Just past every third of the pairs, and past all of them; no pair with an extremum stays."""
    gradient = image_gradient(values)
    raw = sx.morse_smale(values, device=device)
    finite = sx.to_host(raw.persistence_pairs.persistence)
    finite = np.unique(finite[np.isfinite(finite) & (finite > 0)])
    for level in {float(level) + 0.5 for level in [0.0, *finite[::step], *finite[-1:]]}:
        found = raw.simplify(level)
        expected = at_level_of(found, gradient, gradient.critical)
        assert_complex_is_the_oracles(found, expected, values, f"level {level} of {values!r}")
        kept = raw.persistence_pairs.above(level)
        dimension, is_essential = sx.to_host(kept.dimension), sx.to_host(kept.is_essential)
        n_minima, top = np.count_nonzero(dimension == 0), found.domain.dimension
        n_maxima = np.count_nonzero((dimension == top - 1) & ~is_essential)
        assert found.critical.counts[0] == n_minima
        assert top == 0 or found.critical.counts[top] == n_maxima


@many(60)
@given(any_small_fields())
def test_levels_of_drawn_fields_are_explicit_reversals(device, values):
    assert_levels_are_reversals(values, device)


@pytest.mark.parametrize("seed", [311, pytest.param(312, marks=LONG)])
def test_levels_of_noise_are_explicit_reversals(device, seed):
    for values in noise_fields(60, seed):
        assert_levels_are_reversals(values, device)


@pytest.mark.parametrize(
    ("shape", "levels"), [((9, 8, 7), 40), ((8, 8, 8), 5), ((17, 19), 30), ((60,), 20)]
)
def test_levels_of_larger_fields_are_explicit_reversals(device, shape, levels):
    values = np.random.default_rng(levels).integers(0, levels, shape)
    assert_levels_are_reversals(values, device, step=9)
