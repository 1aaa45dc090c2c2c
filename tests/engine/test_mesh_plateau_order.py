"""The plateau-aware order of points of a mesh equals the oracle's and changes ties only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.mesh_complexes import mesh_of
from oracles.mesh_fields import delaunay, mesh_fields
from oracles.meshes import split_grid
from oracles.plateau_order import mesh_order


def order_of(found: sx.DiscreteGradient) -> list[int]:
    """The points as the engine compares them, lowest first."""
    compared = sx.to_host(found.field.values)
    return np.argsort(compared, kind="stable").tolist()


def ranks(values: Any, cells: Any) -> Any:
    """Place of each point in the oracle's order."""
    rank = np.empty(len(values), np.int64)
    rank[mesh_order(values, cells)] = np.arange(len(values))
    return rank


def assert_order_is_the_oracles(points: Any, cells: Any, values: Any, device: str) -> None:
    mesh = mesh_of(points, cells, device=device)
    found = mesh.discrete_gradient(values, order="plateau")
    expected = mesh.discrete_gradient(ranks(values, cells))
    assert order_of(found) == mesh_order(values, cells), f"{values!r}"
    for mine, theirs in zip(found.codes(), expected.codes(), strict=True):
        np.testing.assert_array_equal(sx.to_host(mine), sx.to_host(theirs))
    owners = sx.to_host(found.critical.vertex)
    assert sx.to_host(found.critical.value).tolist() == values[owners].tolist()
    assert found.critical.value.dtype == values.dtype


def test_the_order_equals_the_oracles_on_small_meshes(device: str) -> None:
    for _, points, cells, values in mesh_fields(241, 40, 30):
        assert_order_is_the_oracles(points, cells, values, device)


@pytest.mark.parametrize("dimension", [2, 3])
def test_the_order_equals_the_oracles_where_most_points_are_tied(
    device: str, dimension: int
) -> None:
    random = np.random.default_rng([242, dimension])
    for kept in (1.0, 0.6):
        points, cells = delaunay(random, 300, dimension, kept)
        for n_values in (1, 2, 3, 8):
            values = random.integers(0, n_values, len(points))
            assert_order_is_the_oracles(points, cells, values, device)


def test_a_way_of_hundreds_of_steps_is_measured_to_its_end(device: str) -> None:
    n = 400
    points = np.stack([np.arange(2 * n) // 2, np.arange(2 * n) % 2], axis=1).astype(float)
    at = np.arange(2 * n - 2)
    cells = np.stack([at, at + 1, at + 2], axis=1)
    for values in (np.zeros(2 * n), np.r_[np.ones(2 * n - 1), 0.0], np.r_[2.0, np.ones(2 * n - 1)]):
        shuffled = np.random.default_rng(243).permutation(2 * n)
        moved, given = np.empty_like(points), np.empty_like(values)
        moved[shuffled], given[shuffled] = points, values
        assert_order_is_the_oracles(moved, shuffled[cells], given, device)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float16, np.float32, np.longdouble])
def test_every_dtype_is_ordered_alike(device: str, dtype: Any) -> None:
    mesh = split_grid((4, 5, 6))
    values = np.random.default_rng(244).integers(0, 2, len(mesh.points)).astype(dtype)
    if np.dtype(dtype).kind == "f":
        values[::7] = -0.0
    assert_order_is_the_oracles(mesh.points, mesh.cells, values, device)


def test_values_that_leave_no_bit_for_distances_are_ordered_too(device: str) -> None:
    mesh, limits = split_grid((4, 5, 6)), np.iinfo(np.int64)
    pool = np.array([limits.min, limits.max, 0, 1])
    values = np.random.default_rng(245).choice(pool, len(mesh.points))
    assert_order_is_the_oracles(mesh.points, mesh.cells, values, device)


def test_without_ties_the_gradient_is_that_of_the_index_order(device: str) -> None:
    points, cells = delaunay(np.random.default_rng(246), 200, 3, 1.0)
    mesh, values = mesh_of(points, cells, device=device), np.random.default_rng(247).random(200)
    both = [mesh.discrete_gradient(values, order=order).codes() for order in ("index", "plateau")]
    for mine, theirs in zip(*both, strict=True):
        np.testing.assert_array_equal(sx.to_host(mine), sx.to_host(theirs))


@pytest.mark.parametrize("dimension", [2, 3])
def test_pairs_of_nonzero_persistence_stay(device: str, dimension: int) -> None:
    random = np.random.default_rng([248, dimension])
    points, cells = delaunay(random, 500, dimension, 1.0)
    mesh, values = mesh_of(points, cells, device=device), random.integers(0, 6, 500)

    def bars(order: str) -> list[tuple[int, float, float]]:
        found = mesh.persistence_diagram(values, order=order)
        columns = (found.dimension, found.birth, found.death)
        return sorted(zip(*(sx.to_host(column).tolist() for column in columns), strict=True))

    assert bars("plateau") == bars("index")


def test_quantized_fields_keep_far_fewer_critical_cells(device: str) -> None:
    mesh = split_grid((40, 40, 40))
    x, y, z = mesh.points.T * 0.15
    values = np.round(6 * np.sin(x) * np.cos(y) * np.sin(z + 1)).astype(np.int8)
    whole = mesh_of(mesh.points, mesh.cells, device=device)
    index, plateau = (
        sx.morse_smale(values, domain=whole, order=order).critical for order in ("index", "plateau")
    )
    assert len(index) > 3 * len(plateau)
    assert plateau.euler_characteristic == 1


def test_a_level_and_its_values_are_in_the_callers_dtype(device: str) -> None:
    mesh = split_grid((6, 6, 6))
    values = np.random.default_rng(249).integers(0, 5, len(mesh.points)).astype(np.uint8)
    found = mesh_of(mesh.points, mesh.cells, device=device).morse_smale(values, order="plateau")
    simple = found.simplify(2.0)
    flooded = sx.to_host(simple.simplified_values())
    assert flooded.dtype == np.uint8
    assert np.abs(flooded.astype(int) - values).max() < 2
    np.testing.assert_array_equal(sx.to_host(found.simplified_values()), values)


def test_an_unknown_order_is_refused(device: str) -> None:
    mesh = mesh_of(np.eye(3), np.array([[0, 1, 2]]), device=device)
    with pytest.raises(sx.InputError, match="order must be 'index' or 'plateau'; got"):
        mesh.morse_smale(np.zeros(3), order="value")
