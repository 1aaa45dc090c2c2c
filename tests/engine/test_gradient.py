"""Gradients and critical cells of images equal the lower-star oracle, cell by cell."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.fields import (
    noise_fields,
)
from oracles.lower_link import critical_counts


@pytest.mark.parametrize("stride", [2, 3, 5, 50])
def test_a_stride_selects_the_arrows_of_every_nth_voxel_along_each_axis(device, stride):
    gradient = sx.discrete_gradient(np.random.default_rng(4).random((6, 7, 8)), device=device)
    every, some = gradient.arrows(), gradient.arrows(stride)
    tails = sx.to_host(every.tail_cell_id)
    z, y, x = (axis // 2 for axis in np.unravel_index(tails, gradient.domain.doubled_shape))
    keep = (x % stride == 0) & (y % stride == 0) & (z % stride == 0)
    for column in ("tail", "vector", "tail_cell_id", "head_cell_id", "tail_dimension"):
        np.testing.assert_array_equal(
            sx.to_host(getattr(some, column)), sx.to_host(getattr(every, column))[keep]
        )


# === critical cells
def test_counts_of_each_vertex_equal_the_closed_form_of_the_lower_link(device):
    random = np.random.default_rng(8)
    shapes = [(12, 12, 12), (40, 40), (300,)]
    larger = [random.integers(0, n, shape) for shape in shapes for n in (2, 10, 10**6)]
    for values in [*noise_fields(200, seed=22), *larger]:
        critical = sx.discrete_gradient(values, device=device).critical
        found = np.zeros((values.size, 4), int)
        np.add.at(found, (sx.to_host(critical.vertex), sx.to_host(critical.index)), 1)
        assert [tuple(row) for row in found.tolist()] == critical_counts(values)


def test_the_value_of_a_critical_cell_preserves_every_bit_of_a_wide_integer(device):
    values = np.array([2**63 + 3, 2**63 + 1, 2**63 + 2], np.uint64)
    critical = sx.morse_smale(values, device=device).critical
    assert sx.to_host(critical.value).tolist() == [2**63 + 1]


# === places
@pytest.mark.parametrize("shape", [(6, 5, 4), (7, 6), (9,)])
def test_positions_are_origin_plus_direction_times_spacing_times_index(device, shape):
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


def test_the_grid_places_and_measures_any_cell(device):
    grid = sx.discrete_gradient(np.zeros((3, 4, 5)), spacing=(2.0, 4.0, 6.0), device=device).domain
    assert (grid.dimensions, grid.dimension, grid.doubled_shape) == ((5, 4, 3), 3, (5, 7, 9))
    ids = np.arange(5 * 7 * 9)
    z, y, x = np.unravel_index(ids, grid.doubled_shape)
    np.testing.assert_array_equal(
        sx.to_host(grid.positions(ids)), np.stack([x * 1.0, y * 2.0, z * 3.0], axis=1)
    )
    np.testing.assert_array_equal(sx.to_host(grid.cell_dimensions(ids)), x % 2 + y % 2 + z % 2)


def test_the_dimension_of_a_grid_counts_the_axes_longer_than_one(device):
    shapes = {(1, 1, 1): 0, (1,): 0, (5,): 1, (1, 5): 1, (4, 1, 1): 1, (4, 1, 2): 2, (2, 2): 2}
    found = {s: sx.discrete_gradient(np.zeros(s), device=device).domain.dimension for s in shapes}
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
        shift = np.array(found.domain.doubled_shape) - np.array(alone.domain.doubled_shape)
        places.append((place[keep] - shift).tolist())
    assert places[0] == places[1]
    assert whole.critical.euler_characteristic == 1


def test_the_far_corner_of_a_large_image_is_paired_as_in_a_crop(device):
    assert_far_corner_is_as_if_alone((60, 130, 200), device)


@pytest.mark.gpu
def test_cell_ids_past_32_bits_are_right(cuda):
    shape = (820, 820, 820)
    assert np.prod([2 * n - 1 for n in shape]) > 2**32
    assert_far_corner_is_as_if_alone(shape, cuda)
