"""Gradients and critical cells of images equal the lower-star oracle, cell by cell."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import separatrix as sx
from oracles.cubical import cell_dimension
from oracles.fields import (
    OPEN,
    TORUS,
    Field,
    Periods,
    any_small_fields,
    many,
    noise_fields,
    periodic_noise,
)
from oracles.lower_link import critical_counts
from oracles.lower_star import image_gradient


def assert_gradient_is_the_oracles(values: Field, device: str, periodic: Periods = OPEN) -> None:
    expected = image_gradient(values, periodic)
    gradient = sx.discrete_gradient(values, periodic=periodic, device=device)
    codes = sx.to_host(gradient.codes())
    assert codes.dtype == np.uint8
    assert codes.shape == expected.grid.doubled[::-1] == gradient.grid.doubled_shape
    assert codes.ravel().tolist() == expected.codes(), f"{periodic} {values!r}"
    critical = [expected.grid.cell_id(cell) for cell in expected.critical]
    assert sx.to_host(gradient.critical.cell_id).tolist() == critical, f"{periodic} {values!r}"


@many(500)
@given(any_small_fields())
def test_codes_and_critical_cells_equal_the_oracle_on_drawn_fields(
    device: str, values: Field
) -> None:
    assert_gradient_is_the_oracles(values, device)


def test_codes_and_critical_cells_equal_the_oracle_on_noise(device: str) -> None:
    for values in noise_fields(1000, seed=0):
        assert_gradient_is_the_oracles(values, device)
    for values, periodic in periodic_noise(200, seed=201):
        assert_gradient_is_the_oracles(values, device, periodic)


@pytest.mark.parametrize("shape", [(2, 2, 2), (1, 3, 3), (3, 1, 3), (3, 3, 1), (3, 3), (9,)])
def test_codes_equal_the_oracle_on_every_two_valued_field_of_few_points(
    device: str, shape: tuple[int, ...]
) -> None:
    n = int(np.prod(shape))
    for bits in product((0, 1), repeat=n):
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
def test_codes_equal_the_oracle_on_larger_noise(
    device: str, shape: tuple[int, ...], periods: list[Periods]
) -> None:
    random = np.random.default_rng(7)
    for levels, periodic in zip((2, 5, 30_000), periods, strict=True):
        values = random.integers(0, levels, shape, dtype=np.int16)
        assert_gradient_is_the_oracles(values, device, periodic)


def test_all_orders_of_a_center_and_its_neighborhood_are_paired_as_the_oracle_does(
    device: str,
) -> None:
    # The center of 3x3x3 sees each of many sets of lower neighbors, in many orders.
    random = np.random.default_rng(11)
    for _ in range(400):
        values = random.permutation(27).reshape(3, 3, 3)
        values[1, 1, 1] = random.integers(5, 28)
        assert_gradient_is_the_oracles(values, device)


@pytest.mark.parametrize("stride", [2, 3, 5, 50])
def test_a_stride_keeps_the_arrows_of_every_nth_voxel_along_each_axis(
    device: str, stride: int
) -> None:
    gradient = sx.discrete_gradient(np.random.default_rng(4).random((6, 7, 8)), device=device)
    every, some = gradient.arrows(), gradient.arrows(stride)
    tails = sx.to_host(every.tail_cell_id)
    z, y, x = (axis // 2 for axis in np.unravel_index(tails, gradient.grid.doubled_shape))
    keep = (x % stride == 0) & (y % stride == 0) & (z % stride == 0)
    for column in ("tail", "vector", "tail_cell_id", "head_cell_id", "tail_dimension"):
        np.testing.assert_array_equal(
            sx.to_host(getattr(some, column)), sx.to_host(getattr(every, column))[keep]
        )


# === critical cells
def test_every_column_of_the_critical_cells_equals_the_oracle(device: str) -> None:
    images = [*((values, OPEN) for values in noise_fields(300, seed=21))]
    for values, periodic in [*images, *periodic_noise(120, seed=204)]:
        expected = image_gradient(values, periodic)
        grid, cells = expected.grid, expected.critical
        critical = sx.morse_smale(values, periodic=periodic, device=device).critical
        owners = [grid.point(grid.owner(c)) for c in cells]
        dimensions = [cell_dimension(c) for c in cells]
        assert len(critical) == len(cells)
        assert sx.to_host(critical.cell_id).tolist() == [grid.cell_id(c) for c in cells]
        assert sx.to_host(critical.index).tolist() == dimensions
        assert sx.to_host(critical.vertex).tolist() == owners
        assert sx.to_host(critical.value).tolist() == values.ravel()[owners].tolist()
        assert sx.to_host(critical.on_boundary).tolist() == [grid.on_boundary(c) for c in cells]
        np.testing.assert_array_equal(sx.to_host(critical.position), np.array(cells) / 2)
        assert critical.counts == tuple(dimensions.count(k) for k in range(4))


def test_counts_of_each_vertex_equal_the_closed_form_of_the_lower_link(device: str) -> None:
    random = np.random.default_rng(8)
    shapes = [(12, 12, 12), (40, 40), (300,)]
    larger = [random.integers(0, n, shape) for shape in shapes for n in (2, 10, 10**6)]
    for values in [*noise_fields(200, seed=22), *larger]:
        critical = sx.discrete_gradient(values, device=device).critical
        found = np.zeros((values.size, 4), int)
        np.add.at(found, (sx.to_host(critical.vertex), sx.to_host(critical.index)), 1)
        assert [tuple(row) for row in found.tolist()] == critical_counts(values)


def test_the_value_of_a_critical_cell_keeps_every_bit_of_a_wide_integer(device: str) -> None:
    values = np.array([2**63 + 3, 2**63 + 1, 2**63 + 2], np.uint64)
    critical = sx.morse_smale(values, device=device).critical
    assert sx.to_host(critical.value).tolist() == [2**63 + 1]


# === places
@pytest.mark.parametrize("shape", [(6, 5, 4), (7, 6), (9,)])
def test_positions_are_origin_plus_direction_times_spacing_times_index(
    device: str, shape: tuple[int, ...]
) -> None:
    values = np.random.default_rng(1).random(shape)
    c, s = np.cos(0.3), np.sin(0.3)
    direction = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    spacing, origin = (0.5, 2.0, 3.0), (10.0, -20.0, 5.0)
    plain = sx.morse_smale(values, device=device)
    placed = sx.morse_smale(
        values, spacing=spacing, origin=origin, direction=direction, device=device
    )
    expected = origin + (sx.to_host(plain.critical.position) * spacing) @ direction.T
    np.testing.assert_allclose(sx.to_host(placed.critical.position), expected, rtol=1e-14)
    np.testing.assert_array_equal(
        sx.to_host(placed.critical.cell_id), sx.to_host(plain.critical.cell_id)
    )
    assert (placed.domain.spacing, placed.domain.origin) == (spacing, origin)


def test_the_grid_places_and_measures_any_cell(device: str) -> None:
    grid = sx.discrete_gradient(np.zeros((3, 4, 5)), spacing=(2.0, 4.0, 6.0), device=device).grid
    assert (grid.dimensions, grid.dimension, grid.doubled_shape) == ((5, 4, 3), 3, (5, 7, 9))
    ids = np.arange(5 * 7 * 9)
    z, y, x = np.unravel_index(ids, grid.doubled_shape)
    np.testing.assert_array_equal(
        sx.to_host(grid.positions(ids)), np.stack([x * 1.0, y * 2.0, z * 3.0], axis=1)
    )
    np.testing.assert_array_equal(sx.to_host(grid.cell_dimensions(ids)), x % 2 + y % 2 + z % 2)


def test_the_dimension_of_a_grid_counts_the_axes_longer_than_one(device: str) -> None:
    shapes = {(1, 1, 1): 0, (1,): 0, (5,): 1, (1, 5): 1, (4, 1, 1): 1, (4, 1, 2): 2, (2, 2): 2}
    found = {s: sx.discrete_gradient(np.zeros(s), device=device).grid.dimension for s in shapes}
    assert found == shapes


def assert_far_corner_is_as_if_alone(shape: tuple[int, int, int], device: str) -> None:
    # Lower stars are local and the order of indices does not change when an image is cropped, so
    # only the first vertex of the margin, a minimum of the crop alone, is not one of the whole.
    corner = np.zeros((14,) * 3, np.uint8)
    corner[2:, 2:, 2:] = np.random.default_rng(9).integers(1, 9, (12, 12, 12))
    values = np.zeros(shape, np.uint8)
    values[-14:, -14:, -14:] = corner
    whole = sx.discrete_gradient(values, device=device)
    alone = sx.discrete_gradient(corner, device=device)
    places: list[Any] = []
    for found in (whole, alone):
        cells = sx.to_host(found.critical.cell_id)
        z, y, x = np.unravel_index(cells, found.domain.doubled_shape)
        place = np.stack([z, y, x], axis=1)
        keep = cells > 0
        np.testing.assert_array_equal(
            sx.to_host(found.critical.position)[keep], place[keep][:, ::-1] / 2
        )
        shift = np.array(found.domain.doubled_shape) - np.array(alone.grid.doubled_shape)
        places.append((place[keep] - shift).tolist())
    assert places[0] == places[1]
    assert whole.critical.euler_characteristic == 1


def test_the_far_corner_of_a_large_image_is_paired_as_if_alone(device: str) -> None:
    assert_far_corner_is_as_if_alone((60, 130, 200), device)


@pytest.mark.gpu
def test_cell_ids_past_32_bits_are_right(cuda: str) -> None:
    shape = (820, 820, 820)
    assert np.prod([2 * n - 1 for n in shape]) > 2**32
    assert_far_corner_is_as_if_alone(shape, cuda)
