"""Neighbors within a radius equal those found by comparing all pairs, and SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

import separatrix as sx
from oracles.point_sets import (
    lattice,
    neighbor_lists,
    point_sets,
    radii_of,
    squared_distances,
)
from reliability.hard_inputs import HARD_SETS

SETS = point_sets() | HARD_SETS
NAMES = list(SETS)


def radii(name: str) -> list[float]:
    """Radii to try on a set; of hard sets 0, distances and the numbers beside them, beyond all."""
    if name not in HARD_SETS:
        return list(radii_of(name))
    d2 = np.unique(squared_distances(SETS[name][:40], SETS[name][:40]))
    chosen = np.sqrt(d2[np.linspace(0, len(d2) - 1, 3).astype(int)])
    near = [np.nextafter(r, end) for r in chosen for end in (0.0, np.inf)]
    return [0.0, *chosen.tolist(), *near, np.inf]


def lists(found: sx.Neighbors) -> list[list[int]]:
    """Rows as Python lists."""
    items, offsets = sx.to_host(found.items), sx.to_host(found.offsets)
    return [row.tolist() for row in np.split(items, offsets[1:-1])] if len(found) else []


def only(keep: Any, rows: list[list[int]]) -> list[list[int]]:
    return [[j for j in row if keep(i, j)] for i, row in enumerate(rows)]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", NAMES)
def test_each_row_lists_the_points_within_the_closed_radius(name: str, dtype: str, device: str):
    if dtype == "float32" and abs(SETS[name]).max(initial=0) > 1e38:
        pytest.skip("beyond the range of float32")
    points = SETS[name].astype(dtype)
    for radius in radii(name):
        found = sx.neighbors(points, radius=radius, device=device, distances=True)
        wanted = neighbor_lists(points, points, radius)
        assert lists(found) == wanted, radius
        d2 = squared_distances(points, points)
        rows = np.repeat(np.arange(len(points)), np.diff(sx.to_host(found.offsets)))
        exact = np.sqrt(d2[rows, sx.to_host(found.items)])
        np.testing.assert_array_equal(sx.to_host(found.distances), exact)
        counts = sx.count_neighbors(points, radius=radius, device=device)
        assert sx.to_host(counts).tolist() == [len(row) for row in wanted]


@pytest.mark.parametrize("name", NAMES)
def test_a_point_and_pairs_of_higher_index_can_be_excluded(name: str, device: str):
    points = SETS[name]
    for radius in radii(name):
        every = neighbor_lists(points, points, radius)
        others = sx.neighbors(points, radius=radius, include_self=False, device=device)
        assert lists(others) == only(lambda i, j: i != j, every), radius
        pairs = sx.neighbors(points, radius=radius, pairs=True, device=device)
        assert lists(pairs) == only(lambda i, j: i < j, every), radius
        i, j, d = map(sx.to_host, sx.sparse_distances(points, radius, device=device))
        assert list(zip(i.tolist(), j.tolist(), strict=True)) == [
            (row, item) for row, items in enumerate(lists(pairs)) for item in items
        ]
        np.testing.assert_array_equal(d, np.sqrt(squared_distances(points, points)[i, j]))


@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_points_of_any_dimension_are_found_among_others(dimension: int, dtype: str, device: str):
    random = np.random.default_rng(11)
    x = (3 * random.random((120, dimension)) - 1).astype(dtype)
    y = random.random((150, dimension)).astype(dtype)
    for radius in (0.0, 0.1, 0.4, 1.0, np.inf):
        found = sx.neighbors(x, y, radius=radius, device=device)
        assert lists(found) == neighbor_lists(x, y, radius)


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_on_a_lattice_the_ends_of_right_triangles_count(dimension: int, device: str):
    points = lattice(9, dimension)
    for radius in (1.0, 5.0, 2 * 5.0, np.sqrt(2.0)):
        found = sx.neighbors(points.astype(np.float32), radius=radius, device=device)
        assert lists(found) == neighbor_lists(points, points, radius)


def test_scipy_finds_the_same(device: str):
    random = np.random.default_rng(12)
    points = random.random((4000, 3))
    tree = cKDTree(points)
    for radius in (0.02, 0.1):
        pairs = tree.query_pairs(radius, output_type="ndarray")
        i, j, d = map(sx.to_host, sx.sparse_distances(points, radius, device=device))
        assert sorted(map(tuple, pairs.tolist())) == list(zip(i.tolist(), j.tolist(), strict=True))
        theirs = tree.sparse_distance_matrix(tree, radius, output_type="coo_matrix").tocsr()
        np.testing.assert_allclose(np.asarray(theirs[i, j]).ravel(), d, rtol=1e-14)
        found = sx.neighbors(points, radius=radius, device=device)
        assert lists(found) == [sorted(row) for row in tree.query_ball_point(points, radius)]


def test_rows_of_thousands_ascend(device: str):
    points = np.random.default_rng(15).random((3000, 2)).astype(np.float32)
    found = sx.neighbors(points, radius=0.7, device=device)
    assert lists(found) == neighbor_lists(points, points, 0.7)


def test_a_few_points_in_many_cells_are_searched_quickly(device: str):
    """If the radius is far below the spacing, the grid follows the density, not the radius."""
    points = np.random.default_rng(16).random((30_000, 3))
    points[1] = points[0] + 1e-9
    i, j, d = map(sx.to_host, sx.sparse_distances(points, 2e-9, device=device))
    assert (i.tolist(), j.tolist()) == ([0], [1])
    assert d == pytest.approx([np.sqrt(3) * 1e-9], rel=1e-6)


def test_more_pairs_than_the_limit_are_rejected_with_their_number():
    points = np.zeros((1000, 3))
    with pytest.raises(sx.DeviceMemoryError, match=r"1,000,000 pairs requires .* allows 1,000"):
        sx.neighbors(points, radius=1, device="cpu", memory_limit=1000)


def test_points_that_cannot_be_used_are_rejected_with_the_first_and_the_count(device: str):
    points = np.zeros((500, 3), np.float32)
    points[[77, 400], 1] = np.nan
    text = r"x must be finite .*; got x\[77\] = \(0, nan, 0\) \(2 invalid values\)"
    with pytest.raises(sx.InputError, match=text):
        sx.neighbors(points, radius=1, device=device)
    for value in (np.inf, -np.inf, 1e151):
        y = np.zeros((3, 3))
        y[2, 2] = value
        with pytest.raises(sx.InputError, match=r"y\[2\] = .*\(1 invalid value\)"):
            sx.neighbors(points[:5], y, radius=1, device=device)


@pytest.mark.parametrize(
    ("points", "text"),
    [
        (np.zeros(3), r"got shape \(3,\)"),
        (np.zeros((3, 0)), r"got shape \(3, 0\)"),
        (np.zeros((3, 3, 3)), r"got shape \(3, 3, 3\)"),
        (np.zeros((3, 3), complex), "got dtype complex128"),
        (np.zeros((3, 3), bool), "got dtype bool"),
        (np.zeros((3, 3), np.longdouble), "got dtype"),
        ([["a", "b"]], "got dtype"),
    ],
)
def test_arrays_that_are_not_points_are_rejected(points: Any, text: str):
    with pytest.raises(sx.InputError, match=text):
        sx.neighbors(points, radius=1, device="cpu")


def test_sets_of_different_dimension_and_options_that_need_one_set_are_rejected():
    x, y = np.zeros((3, 3)), np.zeros((4, 2))
    with pytest.raises(
        sx.InputError, match=r"y must be an array of shape \(n, 3\), like x; got shape \(4, 2\)"
    ):
        sx.neighbors(x, y, radius=1, device="cpu")
    with pytest.raises(sx.InputError, match="y must be None if"):
        sx.neighbors(x, x, radius=1, pairs=True, device="cpu")
    with pytest.raises(sx.InputError, match="y must be None if"):
        sx.count_neighbors(x, x, radius=1, include_self=False, device="cpu")


def test_rows_can_be_taken_by_their_numbers_also_from_the_end(device: str):
    found = sx.neighbors(np.array([[0.0], [1.0], [3.0]]), radius=2, device=device)
    assert len(found) == len(list(found)) == 3
    assert sx.to_host(found[2]).tolist() == sx.to_host(found[-1]).tolist() == [1, 2]
    assert sx.to_host(found[-3]).tolist() == [0, 1]
    for row in (3, -4):
        with pytest.raises(IndexError, match=f"row {row} of a table of 3 rows"):
            found[row]


@pytest.mark.gpu
def test_memory_limits_of_all_searches_are_heeded_on_a_gpu():
    x = np.random.default_rng(0).random((5000, 3))
    options: dict[str, Any] = {"device": "cuda", "memory_limit": 100_000}
    calls = (
        lambda: sx.nearest(x, k=1, **options),
        lambda: sx.count_neighbors(x, radius=0.1, **options),
        lambda: sx.cluster(x, 0.1, **options),
    )
    for call in calls:
        with pytest.raises(sx.DeviceMemoryError, match=r"5,000 points .*memory_limit allows"):
            call()


@pytest.mark.parametrize("boxsize", [1.0, (1.0, 0, 2.0), (5, 5, 5)])
@pytest.mark.parametrize("n", [0, 1, 3, 200])
def test_points_of_a_periodic_box_have_neighbors_across_its_faces(n: int, boxsize, device: str):
    random = np.random.default_rng(8)
    box = np.broadcast_to(np.asarray(boxsize, float), 3)
    x, y = (np.round(random.random((m, 3)) * 6 * box.max()) / 6 - 0.5 for m in (n, 70))
    for a, b in ((x, x), (x, y)):
        along = a[:, None] - b[None]
        wide = np.where(box > 0, box, np.inf)
        along = along - np.where(box > 0, box, 0) * np.round(along / wide)
        d2 = (along**2).sum(axis=-1)
        radius = 0.41 * box[box > 0].min()
        given = {} if a is b else {"y": b}
        options = {"radius": radius, "boxsize": boxsize, "device": device, **given}
        expected = [np.flatnonzero(row).tolist() for row in d2 <= radius**2 + 1e-9]
        found = sx.neighbors(a, distances=True, **options)
        assert lists(found) == expected
        rows = np.repeat(np.arange(n), [len(row) for row in expected])
        items = sx.to_host(found.items)
        np.testing.assert_allclose(sx.to_host(found.distances) ** 2, d2[rows, items], atol=1e-12)
        counts = sx.to_host(sx.count_neighbors(a, **options)).tolist()
        assert counts == [len(row) for row in expected]
        nearest, indices = sx.nearest(a, k=4, boxsize=boxsize, device=device, **given)
        best = np.sort(np.pad(d2, ((0, 0), (0, 4)), constant_values=np.inf), axis=1)[:, :4]
        np.testing.assert_allclose(sx.to_host(nearest) ** 2, best, atol=1e-12)
        some = sx.to_host(indices) >= 0
        row = np.nonzero(some)[0]
        at = d2[row, sx.to_host(indices)[some]]
        np.testing.assert_allclose(at, sx.to_host(nearest)[some] ** 2, atol=1e-12)
        if a is b:
            once = lists(sx.neighbors(a, pairs=True, **options))
            assert once == [[j for j in row if j > i] for i, row in enumerate(expected)]
            others = sx.nearest(a, k=2, include_self=False, boxsize=boxsize, device=device)[1]
            assert not (sx.to_host(others) == np.arange(n)[:, None]).any()


def test_radii_of_half_a_periodic_box_are_rejected():
    with pytest.raises(sx.InputError, match=r"less than half of boxsize; got 0\.5"):
        sx.neighbors(np.zeros((2, 3)), radius=0.5, boxsize=1.0)
    for boxsize in (-1.0, (1.0, 2.0), "a", np.nan):
        with pytest.raises(sx.InputError, match="boxsize must be a length, or 3 lengths by axis"):
            sx.nearest(np.zeros((2, 3)), k=1, boxsize=boxsize)


@pytest.mark.gpu
def test_cpu_and_gpu_find_the_same_neighbors_in_a_periodic_box(cuda: str):
    points = np.random.default_rng(9).random((4000, 3)) * 3
    for call in (
        lambda d: sx.neighbors(points, radius=0.2, boxsize=2.5, device=d).items,
        lambda d: sx.count_neighbors(points, radius=0.2, boxsize=(2.5, 0, 1), device=d),
        lambda d: sx.nearest(points, k=9, boxsize=2.5, device=d)[0],
        lambda d: sx.nearest(points, k=9, boxsize=2.5, include_self=False, device=d)[1],
    ):
        assert sx.to_host(call("cpu")).tobytes() == sx.to_host(call(cuda)).tobytes()
