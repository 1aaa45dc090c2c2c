"""Critical cells: which, in what order, with which value, vertex, place and flag."""

from __future__ import annotations

import numpy as np
import pytest

import separatrix as sx
from oracles.cubical import CubicalGrid, cell_dimension
from oracles.fields import Field, noise_fields
from oracles.lower_link import critical_counts
from oracles.lower_star import lower_star_gradient


def rotation_about_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def test_every_column_of_the_critical_cells_equals_the_oracle(device: str) -> None:
    for values in noise_fields(500, seed=21):
        expected = lower_star_gradient(CubicalGrid(values))
        grid, cells = expected.grid, expected.critical
        critical = sx.morse_smale(values, device=device).critical
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


def test_the_columns_have_the_promised_dtypes(device: str) -> None:
    values = np.random.default_rng(0).random((4, 4, 4)).astype(np.float32)
    critical = sx.morse_smale(values, device=device).critical
    dtypes = {
        name: getattr(critical, name).dtype
        for name in ("cell_id", "index", "value", "vertex", "position", "on_boundary")
    }
    assert dtypes == {
        "cell_id": np.int64,
        "index": np.int8,
        "value": np.float32,
        "vertex": np.int64,
        "position": np.float64,
        "on_boundary": np.bool_,
    }
    assert all(type(count) is int for count in critical.counts)


def test_critical_cells_are_sorted_by_index_then_by_cell_id(device: str) -> None:
    values = np.random.default_rng(5).integers(0, 9, (14, 9, 12))
    critical = sx.morse_smale(values, device=device).critical
    rows = list(zip(critical.index.tolist(), critical.cell_id.tolist(), strict=True))
    assert rows == sorted(rows)
    assert len(set(rows)) == len(rows)


def test_counts_of_each_vertex_equal_the_closed_form_of_the_lower_link(device: str) -> None:
    for values in [*noise_fields(1500, seed=22), *larger_noise()]:
        critical = sx.discrete_gradient(values, device=device).critical
        found = np.zeros((values.size, 4), int)
        np.add.at(found, (sx.to_host(critical.vertex), sx.to_host(critical.index)), 1)
        assert [tuple(row) for row in found.tolist()] == critical_counts(values)


def larger_noise() -> list[Field]:
    random = np.random.default_rng(8)
    shapes = [(20, 20, 20), (40, 40), (300,)]
    return [random.integers(0, n, shape) for shape in shapes for n in (2, 10, 10**6)]


@pytest.mark.parametrize("shape", [(6, 5, 4), (7, 6), (9,)])
def test_positions_are_origin_plus_direction_times_spacing_times_index(
    device: str, shape: tuple[int, ...]
) -> None:
    values = np.random.default_rng(1).random(shape)
    spacing, origin, direction = (0.5, 2.0, 3.0), (10.0, -20.0, 5.0), rotation_about_z(0.3)
    plain = sx.morse_smale(values, device=device)
    placed = sx.morse_smale(
        values, spacing=spacing, origin=origin, direction=direction, device=device
    )
    expected = origin + (sx.to_host(plain.critical.position) * spacing) @ direction.T
    np.testing.assert_allclose(sx.to_host(placed.critical.position), expected, rtol=1e-14)
    np.testing.assert_array_equal(
        sx.to_host(placed.critical.cell_id), sx.to_host(plain.critical.cell_id)
    )
    assert placed.domain.spacing == spacing
    assert placed.domain.origin == origin


def test_the_grid_places_and_measures_any_cell(device: str) -> None:
    grid = sx.discrete_gradient(np.zeros((3, 4, 5)), spacing=(2.0, 4.0, 6.0), device=device).grid
    assert grid.dimensions == (5, 4, 3)
    assert grid.dimension == 3
    assert grid.doubled_shape == (5, 7, 9)
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


def test_the_value_of_a_critical_cell_keeps_every_bit_of_a_wide_integer(device: str) -> None:
    values = np.array([2**63 + 3, 2**63 + 1, 2**63 + 2], np.uint64)
    critical = sx.morse_smale(values, device=device).critical
    assert sx.to_host(critical.value).tolist() == [2**63 + 1]


def far_corner(shape: tuple[int, int, int], n: int) -> tuple[Field, Field]:
    """A large constant image with noise in its last corner, and the corner with a margin alone."""
    corner = np.zeros((n + 2,) * 3, np.uint8)
    corner[2:, 2:, 2:] = np.random.default_rng(9).integers(1, 9, (n, n, n))
    values = np.zeros(shape, np.uint8)
    values[-n - 2 :, -n - 2 :, -n - 2 :] = corner
    return values, corner


def assert_far_corner_is_as_if_alone(shape: tuple[int, int, int], device: str) -> None:
    # Lower stars are local and the order of indices does not change when an image is cropped, so
    # only the first vertex of the margin, a minimum of the crop alone, is not one of the whole.
    values, corner = far_corner(shape, 12)
    whole = sx.discrete_gradient(values, device=device)
    alone = sx.discrete_gradient(corner, device=device)
    places = []
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
