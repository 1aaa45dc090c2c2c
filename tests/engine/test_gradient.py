"""The discrete gradient equals the lower-star oracle, cell by cell, on thousands of images."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.cubical import CubicalGrid
from oracles.fields import Field, any_small_fields, many, noise_fields
from oracles.lower_star import lower_star_gradient


def assert_gradient_is_the_oracles(values: Field, device: str) -> None:
    expected = lower_star_gradient(CubicalGrid(values))
    gradient = sx.discrete_gradient(values, device=device)
    codes = sx.to_host(gradient.codes())
    assert codes.dtype == np.uint8
    assert codes.shape == gradient.grid.doubled_shape
    assert codes.ravel().tolist() == expected.codes(), f"{values!r}"
    critical = [expected.grid.cell_id(cell) for cell in expected.critical]
    assert sx.to_host(gradient.critical.cell_id).tolist() == critical, f"{values!r}"


@many(1000)
@given(any_small_fields())
def test_codes_and_critical_cells_equal_the_oracle_on_drawn_fields(
    device: str, values: Field
) -> None:
    assert_gradient_is_the_oracles(values, device)


@pytest.mark.parametrize("seed", range(4))
def test_codes_and_critical_cells_equal_the_oracle_on_noise(device: str, seed: int) -> None:
    for values in noise_fields(1000, seed):
        assert_gradient_is_the_oracles(values, device)


@pytest.mark.parametrize("shape", [(2, 2, 2), (1, 3, 3), (3, 1, 3), (3, 3, 1), (3, 3), (9,)])
def test_codes_equal_the_oracle_on_every_two_valued_field_of_few_points(
    device: str, shape: tuple[int, ...]
) -> None:
    n = int(np.prod(shape))
    for bits in product((0, 1), repeat=n):
        assert_gradient_is_the_oracles(np.array(bits, np.int8).reshape(shape), device)


AROUND_TILES = [(4, 4, 32), (5, 5, 33), (9, 8, 65), (3, 9, 64), (1, 9, 66), (9, 1, 34)]


@pytest.mark.parametrize("shape", [*AROUND_TILES, (11, 9, 10), (3, 40, 2), (30, 31), (200,)])
def test_codes_equal_the_oracle_on_larger_noise(device: str, shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(7)
    for levels in (2, 5, 30_000):
        values = random.integers(0, levels, shape, dtype=np.int16)
        assert_gradient_is_the_oracles(values, device)


def test_all_orders_of_a_center_and_its_neighborhood_are_paired_as_the_oracle_does(
    device: str,
) -> None:
    # The center of 3x3x3 sees each of many sets of lower neighbors, in many orders.
    random = np.random.default_rng(11)
    for _ in range(400):
        values = random.permutation(27).reshape(3, 3, 3)
        values[1, 1, 1] = random.integers(5, 28)
        assert_gradient_is_the_oracles(values, device)


def test_a_field_means_the_same_along_every_axis(device: str) -> None:
    # Without ties, exchanging axes exchanges the directions and nothing else.
    values = np.random.default_rng(3).permutation(5 * 6 * 7).reshape(5, 6, 7)
    straight = sx.to_host(sx.discrete_gradient(values, device=device).codes())
    turned = sx.to_host(sx.discrete_gradient(values.transpose(2, 1, 0), device=device).codes())
    exchange = np.array([0, 5, 6, 3, 4, 1, 2, 7], np.uint8)
    np.testing.assert_array_equal(exchange[turned.transpose(2, 1, 0)], straight)


@pytest.mark.parametrize("stride", [2, 3, 5, 50])
def test_arrows_with_a_stride_are_those_of_every_so_many_voxels(device: str, stride: int) -> None:
    gradient = sx.discrete_gradient(np.random.default_rng(4).random((6, 7, 8)), device=device)
    every, some = gradient.arrows(), gradient.arrows(stride)
    tails = sx.to_host(every.tail_cell_id)
    z, y, x = (axis // 2 for axis in np.unravel_index(tails, gradient.grid.doubled_shape))
    keep = (x % stride == 0) & (y % stride == 0) & (z % stride == 0)
    for column in ("tail", "vector", "tail_cell_id", "head_cell_id", "tail_dimension"):
        np.testing.assert_array_equal(
            sx.to_host(getattr(some, column)), sx.to_host(getattr(every, column))[keep]
        )
