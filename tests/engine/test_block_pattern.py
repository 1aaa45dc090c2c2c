"""Block patterns cover what they should, and transpose, count and convert exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import separatrix as sx
from oracles.point_sets import lattice, point_sets, radii_of, squared_distances

SETS = point_sets()


def on_host(pattern: sx.BlockPattern) -> sx.BlockPattern:
    return pattern.on(sx.to_host)


def on_device(device: str, array: np.ndarray) -> Any:
    """The array where the pattern is to live."""
    if device == "cpu":
        return array
    import cupy

    return cupy.asarray(array)


def checked_again(pattern: sx.BlockPattern) -> None:
    """Assert that a computed pattern passes the checks of a given one."""
    names = ("blocks", "offsets", "intervals", "n_rows", "n_columns", "row_order", "column_order")
    given = {name: getattr(pattern, name) for name in (*names, "radius", "boxsize")}
    assert sx.BlockPattern(**given).n_pairs == pattern.n_pairs


def random_pattern(random: np.random.Generator) -> sx.BlockPattern:
    """A pattern of random groups and a random mask, empty groups among them."""
    rows = np.cumsum([0, *random.integers(0, 5, random.integers(0, 8))])
    columns = np.cumsum([0, *random.integers(0, 5, random.integers(0, 8))])
    keep = random.random((len(rows) - 1, len(columns) - 1)) < random.random()
    return sx.BlockPattern.from_mask(rows, columns, keep)


@pytest.mark.parametrize("name", list(SETS))
@pytest.mark.parametrize("reach", [1, 2, 5])
def test_tiles_of_cells_cover_every_pair_within_the_radius(name: str, reach: int, device: str):
    points = SETS[name]
    for radius in radii_of(name):
        given = sx.BlockPattern.from_cells(points, radius=radius, reach=reach, device=device)
        pattern = on_host(given)
        checked_again(pattern)
        rows, columns = points[pattern.row_order], points[pattern.column_order]
        near = squared_distances(rows, columns) <= radius * radius
        dense = pattern.to_dense()
        assert not (near & ~dense).any(), radius
        assert dense.sum() == pattern.n_pairs
        assert pattern.radius == radius


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_rows_and_columns_may_be_different_sets(dimension: int, device: str):
    random = np.random.default_rng(31)
    x, y = 2 * random.random((130, dimension)) - 1, random.random((70, dimension))
    for radius in (0.0, 0.1, 0.5, 9.0):
        pattern = on_host(sx.BlockPattern.from_cells(x, y, radius, reach=2, device=device))
        near = squared_distances(x[pattern.row_order], y[pattern.column_order]) <= radius**2
        assert not (near & ~pattern.to_dense()).any()
        none = sx.BlockPattern.from_cells(x, y[:0], radius, device=device)
        assert (none.n_pairs, none.n_columns) == (0, 0)
        assert sx.BlockPattern.from_cells(x[:0], y, radius, device=device).n_pairs == 0


@pytest.mark.parametrize("boxsize", [1.0, (0, 1.0, 0.7)])
@pytest.mark.parametrize("n", [1, 40, 9000])
def test_tiles_of_a_periodic_box_cover_nearest_images(n: int, boxsize: Any, device: str):
    random = np.random.default_rng(37)
    x, y = 3 * random.random((n, 3)) - 1, 3 * random.random((60, 3)) - 1
    box = np.broadcast_to(boxsize, 3)
    for radius, reach in ((0.02, 1), (0.1, 3), (0.34, 1)):
        for columns in (y, None) if n < 100 else (y,):
            given = {"radius": radius, "reach": reach, "boxsize": boxsize, "device": device}
            pattern = on_host(sx.BlockPattern.from_cells(x, columns, **given))
            checked_again(pattern)
            dx = x[pattern.row_order][:, None] - (x if columns is None else y)[pattern.column_order]
            dx -= np.where(box, box * np.round(dx / np.where(box, box, 1)), 0)
            assert not ((dx**2).sum(2) <= radius**2)[~pattern.to_dense()].any()
            assert pattern.transpose().boxsize == pattern.boxsize == tuple(box)
            assert f"radius {radius}, boxsize {tuple(box.tolist())}" in repr(pattern)
    if n == 9000:
        assert on_host(sx.BlockPattern.from_cells(x, y, 0.02, boxsize=boxsize)).fill < 0.02


def test_few_pairs_are_in_tiles_that_need_not_be(device: str):
    """Cells at reach 1, 2, 3 have about 6.4, 3.7, 3.0 pairs for one within the radius."""
    points = np.random.default_rng(32).random((20_000, 3))
    needed = int(sx.to_host(sx.count_neighbors(points, radius=0.1, device=device)).sum())
    for reach, most in ((1, 6.5), (2, 3.8), (3, 3.1)):
        pattern = sx.BlockPattern.from_cells(points, radius=0.1, reach=reach, device=device)
        assert needed < pattern.n_pairs < most * needed


def test_the_numbers_of_blocks_and_intervals_are_minimal_for_the_cells(device: str):
    points = lattice(8, 3)
    pattern = sx.BlockPattern.from_cells(points, radius=1.0, device=device)
    assert pattern.n_blocks <= 8**3
    assert pattern.intervals.shape[0] <= 9 * pattern.n_blocks
    assert repr(pattern) == (
        f"<BlockPattern of 512 x 512: {pattern.n_blocks} blocks, {pattern.intervals.shape[0]:,} "
        f"intervals, {pattern.n_pairs:,} pairs, fill {pattern.fill:.3g}, radius 1>"
    )


def test_boxes_within_the_radius_are_paired(device: str):
    random = np.random.default_rng(33)
    x, y = random.random((400, 3)), random.random((300, 3)) + 0.3
    a, b = (sx.cluster(points, 0.15, device=device) for points in (x, y))
    for radius in (0.0, 0.1, 1.0, np.inf):
        pattern = on_host(sx.BlockPattern.from_boxes(a, b, radius))
        checked_again(pattern)
        near = squared_distances(x[pattern.row_order], y[pattern.column_order]) <= radius**2
        assert not (near & ~pattern.to_dense()).any()
    by_hand = sx.BlockPattern.from_boxes((a.ranges, a.boxes), (b.ranges, b.boxes), 0.1)
    assert by_hand.n_pairs == sx.BlockPattern.from_boxes(a, b, 0.1).n_pairs
    assert by_hand.row_order is None


def test_a_mask_is_expanded_by_its_groups(device: str):
    keep = np.array([[1, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0]], bool)
    rows, columns = np.array([0, 2, 5, 6]), np.array([0, 3, 4, 4, 7])
    wanted = np.repeat(np.repeat(keep, [2, 3, 1], axis=0), [3, 1, 0, 3], axis=1)
    dense = sx.BlockPattern.from_mask(
        on_device(device, rows), on_device(device, columns), on_device(device, keep)
    )
    assert (on_host(dense).to_dense() == wanted).all()
    assert sx.to_host(dense.intervals).tolist() == [[0, 7], [3, 4]]  # neighbors are joined
    for form in (sparse.csr_matrix, sparse.coo_array, sparse.csc_matrix):
        thin = sx.BlockPattern.from_mask(rows, columns, form(keep))
        assert (thin.to_dense() == wanted).all()


def test_pairs_of_clusters_and_batches_are_patterns_with_their_orders(device: str):
    random = np.random.default_rng(35)
    x, labels = random.random((90, 5)), random.integers(0, 4, 90)
    y, others = random.random((60, 5)), random.integers(0, 3, 60)
    rows, columns = (sx.cluster(p, labels=c, device=device) for p, c in ((x, labels), (y, others)))
    keep = np.array([[3, 0], [0, 2], [1, 1], [0, 2]])
    mask = np.zeros((4, 3), bool)
    mask[tuple(keep.T)] = True
    for chosen in (keep, mask, sparse.coo_array(mask)):
        pattern = on_host(sx.BlockPattern.from_mask(rows, columns, chosen))
        expected = mask[labels[pattern.row_order]][:, others[pattern.column_order]]
        assert (pattern.to_dense() == expected).all()
    batches = on_host(sx.BlockPattern.block_diagonal(rows))
    sorted_labels = np.sort(labels)
    assert (batches.to_dense() == (sorted_labels[:, None] == sorted_labels)).all()
    uneven = sx.BlockPattern.block_diagonal([0, 2, 2, 5], [0, 1, 3, 4]).to_dense()
    assert uneven.sum(axis=1).tolist() == [1, 1, 1, 1, 1]


def test_named_shapes_match_their_names():
    i, j = np.indices((700, 700))
    dense = sx.BlockPattern.dense(3, 5)
    assert dense.to_dense().shape == (3, 5)
    assert dense.to_dense().all()
    assert dense.fill == 1.0
    for width in (0, 3, 1000):
        band = sx.BlockPattern.band(700, width)
        assert (band.to_dense() == (abs(i - j) <= width)).all()
        assert band.n_pairs == band.to_dense().sum()
    upper = sx.BlockPattern.upper_triangle(700)
    assert (upper.to_dense() == (i < j)).all()
    assert upper.n_pairs == 700 * 699 // 2
    for empty in (sx.BlockPattern.dense(0, 5), sx.BlockPattern.band(0, 2)):
        assert empty.n_pairs == 0
        assert empty.fill == 0
        assert empty.transpose().n_pairs == 0


def test_pairs_are_counted_beyond_64_bits():
    assert sx.BlockPattern.dense(10**10, 10**10).n_pairs == 10**20
    assert sx.BlockPattern.upper_triangle(3 * 10**6).n_pairs == 3 * 10**6 * (3 * 10**6 - 1) // 2


@pytest.mark.parametrize("seed", range(40))
def test_a_transpose_has_the_pairs_the_other_way_round(seed: int, device: str):
    random = np.random.default_rng(seed)
    pattern = random_pattern(random).on(lambda array: on_device(device, array))
    dense = on_host(pattern).to_dense()
    transposed = pattern.transpose()
    checked_again(on_host(transposed))
    assert (on_host(transposed).to_dense() == dense.T).all()
    assert transposed.n_pairs == pattern.n_pairs == dense.sum()
    assert transposed.transpose() is pattern
    again = on_host(transposed).on(np.copy).transpose()
    assert (again.to_dense() == dense).all()
    assert pattern.transpose() is transposed


def test_a_transpose_is_cut_at_the_given_blocks():
    pattern = sx.BlockPattern([[0, 2], [3, 4]], [0, 1, 2], [[0, 6], [4, 8]], 4, 9)
    cut = pattern.transpose([[0, 3], [3, 6], [6, 9]])
    assert cut.blocks.tolist() == [[0, 3], [3, 4], [4, 6], [6, 8]]
    assert (cut.to_dense() == pattern.to_dense().T).all()


def test_orders_and_radius_go_with_the_transpose(device: str):
    random = np.random.default_rng(35)
    x, y = random.random((50, 2)), random.random((40, 2))
    pattern = sx.BlockPattern.from_cells(x, y, 0.2, device=device)
    transposed = pattern.transpose()
    assert transposed.radius == 0.2
    assert (transposed.row_order == pattern.column_order).all()
    assert (transposed.column_order == pattern.row_order).all()
    assert (transposed.n_rows, transposed.n_columns) == (40, 50)


@pytest.mark.parametrize("seed", range(10))
def test_keops_arrays_round_trip_to_the_same_pattern(seed: int):
    pattern = random_pattern(np.random.default_rng(100 + seed))
    six = pattern.to_keops()
    back = sx.BlockPattern.from_keops(six, n_rows=pattern.n_rows, n_columns=pattern.n_columns)
    assert (back.to_dense() == pattern.to_dense()).all()
    assert (back.transpose().to_dense() == pattern.to_dense().T).all()


def test_the_example_of_keops_documentation_is_read():
    ranges_i, ranges_j = [[2, 5], [7, 12]], [[1, 4], [4, 9], [20, 30]]
    six = (
        ranges_i, [2, 3], [[1, 4], [4, 9], [4, 9]],
        ranges_j, [1, 3, 3], [[2, 5], [2, 5], [7, 12]],
    )  # fmt: skip
    pattern = sx.BlockPattern.from_keops(tuple(np.array(part) for part in six))
    dense = np.zeros((12, 30), bool)
    dense[2:5, 1:9] = dense[7:12, 4:9] = True
    assert (pattern.to_dense() == dense).all()


def test_the_callers_arrays_may_change_afterwards_and_the_patterns_may_not():
    blocks = np.array([[0, 2]])
    pattern = sx.BlockPattern(blocks, [0, 1], [[0, 3]], 2, 3)
    blocks[:] = 9
    assert pattern.blocks.tolist() == [[0, 2]]
    with pytest.raises(ValueError, match="read-only"):
        pattern.intervals[0, 0] = 1


def test_one_thread_and_two_return_the_same_pattern():
    points = np.random.default_rng(36).random((50_000, 3)).astype(np.float32)
    one, two = (
        sx.BlockPattern.from_cells(points, radius=0.05, device="cpu", threads=t) for t in (1, 2)
    )
    for name in ("blocks", "offsets", "intervals", "row_order"):
        assert getattr(one, name).tobytes() == getattr(two, name).tobytes()


@pytest.mark.gpu
def test_cpu_and_gpu_return_the_same_pattern(cuda: str):
    for name, points in SETS.items():
        for radius in radii_of(name):
            a, b = (
                on_host(sx.BlockPattern.from_cells(points, radius=radius, reach=2, device=where))
                for where in ("cpu", cuda)
            )
            for field in ("blocks", "offsets", "intervals", "row_order"):
                np.testing.assert_array_equal(getattr(a, field), getattr(b, field), name)
