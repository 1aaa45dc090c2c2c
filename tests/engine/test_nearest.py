"""The k nearest points equal those by comparing all pairs, ties to the lower index, and SciPy's."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

import separatrix as sx
from oracles.point_sets import lattice, nearest_lists, point_sets
from reliability.hard_inputs import HARD_SETS

SETS = point_sets() | HARD_SETS


def assert_nearest(found: Any, wanted: Any) -> None:
    """Distances and indices, to the bit."""
    distances, indices = map(sx.to_host, found)
    np.testing.assert_array_equal(indices, wanted[1])
    np.testing.assert_array_equal(distances, wanted[0])
    assert (distances.dtype, indices.dtype) == (np.float64, np.int64)


@pytest.mark.parametrize("name", list(SETS))
@pytest.mark.parametrize("k", [1, 3, 8, 9, 17, 40, 400])
def test_the_nearest_are_found_wherever_the_points_lie(name, k, device):
    points = SETS[name]
    assert_nearest(sx.nearest(points, k=k, device=device), nearest_lists(points, points, k))


ONE_SET = ["uniform", "lattice", "duplicates", "one place", "one point", *HARD_SETS]


@pytest.mark.parametrize("name", ONE_SET)
def test_a_point_can_be_excluded_from_its_own_neighbors(name, device):
    points = SETS[name]
    for k in (1, 9, 20):
        found = sx.nearest(points, k=k, include_self=False, device=device)
        assert_nearest(found, nearest_lists(points, points, k, include_self=False))


@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_nearest_among_others_are_found_in_any_dimension(dimension, dtype, device):
    random = np.random.default_rng(21)
    x = (4 * random.random((200, dimension)) - 2).astype(dtype)
    y = random.random((170, dimension)).astype(dtype)
    for k in (1, 5, 200):
        assert_nearest(sx.nearest(x, y, k=k, device=device), nearest_lists(x, y, k))


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_on_a_lattice_ties_go_to_the_lower_index(dimension, device):
    random = np.random.default_rng(22)
    points = random.permutation(lattice(8 if dimension == 3 else 15, dimension))
    for k in (2, 7, 12, 30):
        assert_nearest(sx.nearest(points, k=k, device=device), nearest_lists(points, points, k))


def test_queries_far_outside_find_the_nearest_points(device):
    random = np.random.default_rng(23)
    points = random.random((5000, 3))
    queries = 100 * random.normal(size=(50, 3))
    assert_nearest(
        sx.nearest(queries, points, k=6, device=device), nearest_lists(queries, points, 6)
    )


def test_scipy_finds_the_same_among_many(device):
    random = np.random.default_rng(24)
    points = np.concatenate(
        [random.random((8000, 3)), 0.1 + 1e-4 * random.normal(size=(8000, 3)), [[50.0, 0, 0]]]
    )
    distances, indices = map(sx.to_host, sx.nearest(points, k=9, device=device))
    theirs, their_indices = cKDTree(points).query(points, k=9)
    np.testing.assert_allclose(distances, theirs, rtol=1e-14)
    np.testing.assert_array_equal(indices, their_indices)


def test_thousands_of_points_at_one_place_are_searched_fast(device):
    random = np.random.default_rng(25)
    points = np.concatenate([random.random((20_000, 3)), np.full((30_000, 3), 0.5)])
    distances, indices = map(sx.to_host, sx.nearest(points, k=5, device=device))
    assert (distances[20_000:] == 0).all()
    assert (indices[20_000:] == np.arange(20_000, 20_005)).all()
    theirs, _ = cKDTree(points).query(points[:20_000], k=5)
    np.testing.assert_allclose(distances[:20_000], theirs, rtol=1e-14)


def test_a_core_and_outliers_a_billion_cells_away_are_searched_fast(device):
    """Cells of the core's size can't cover the outliers: they count as points of the faces."""
    random = np.random.default_rng(28)
    away = 1e8 * random.normal(size=(30, 3))
    points = random.permutation(np.concatenate([random.random((40_000, 3)), away]))
    distances, indices = map(sx.to_host, sx.nearest(points, k=6, device=device))
    theirs, their_indices = cKDTree(points).query(points, k=6)
    np.testing.assert_allclose(distances, theirs, rtol=1e-14)
    np.testing.assert_array_equal(indices, their_indices)
    i, j, _ = map(sx.to_host, sx.sparse_distances(points, 0.02, device=device))
    pairs = cKDTree(points).query_pairs(0.02, output_type="ndarray")
    assert sorted(map(tuple, pairs.tolist())) == list(zip(i.tolist(), j.tolist(), strict=True))


def test_no_points_give_padding_and_no_queries_give_no_rows(device):
    some, none = np.zeros((2, 3)), np.zeros((0, 3))
    assert_nearest(sx.nearest(some, none, k=2, device=device), nearest_lists(some, none, 2))
    assert_nearest(sx.nearest(none, some, k=2, device=device), nearest_lists(none, some, 2))


def test_tables_beyond_the_memory_are_rejected():
    with pytest.raises(sx.DeviceMemoryError, match="1,000,000,000 neighbors of 5,000 points"):
        sx.nearest(np.zeros((5000, 3)), k=10**9, device="cpu")
