"""Errors of malformed patterns name the block or the interval."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.rejections import assert_rejected

GOOD: dict[str, Any] = {
    "blocks": [[0, 2], [2, 5]],
    "offsets": [0, 2, 3],
    "intervals": [[0, 1], [3, 4], [2, 6]],
    "n_rows": 5,
    "n_columns": 6,
}


def test_the_good_one_is_good():
    assert sx.BlockPattern(**GOOD).n_pairs == 2 * 2 + 3 * 4


@pytest.mark.parametrize(
    ("fault", "named"),
    [
        ({"n_rows": 4}, "blocks[1]"),
        ({"blocks": [[-1, 2], [2, 5]]}, "blocks[0]"),
        ({"blocks": [[0, 2], [5, 3]]}, "blocks[1]"),
        ({"blocks": [[0, 3], [2, 5]]}, "blocks[1]"),
        ({"blocks": [[2, 5], [0, 2]]}, "blocks[1]"),
        ({"blocks": [[0, 2, 3], [2, 5, 3]]}, "blocks"),
        ({"blocks": [[0.0, 2.0], [2.0, 5.0]]}, "blocks"),
        ({"blocks": [[0, 2]]}, "offsets"),
        ({"offsets": [[0, 2, 3]]}, "offsets"),
        ({"offsets": [0, 2, 4]}, "offsets"),
        ({"offsets": [1, 2, 3]}, "offsets"),
        ({"offsets": [0, 4, 3]}, "offsets[2]"),
        ({"n_columns": 5}, "intervals[2]"),
        ({"intervals": [[0, 1], [3, 10**8], [2, 6]]}, "intervals[1]"),
        ({"intervals": [[0, 1], [4, 3], [2, 6]]}, "intervals[1]"),
        ({"intervals": [[0, 3], [2, 4], [2, 6]]}, "intervals[1]"),
        ({"intervals": [[3, 4], [0, 1], [2, 6]]}, "intervals[1]"),
        ({"intervals": [[0, 1], [0, 1], [2, 6]]}, "intervals[1]"),
        ({"intervals": np.zeros((3, 2), bool)}, "intervals"),
        ({"n_rows": -1}, "n_rows"),
        ({"n_columns": 2**70}, "n_columns"),
        ({"radius": "wide"}, "radius"),
        ({"n_columns": 2.5}, "n_columns"),
        ({"row_order": [0, 1, 2, 3]}, "row_order"),
        ({"row_order": [0, 1, 2, 3, 3]}, "row_order"),
        ({"column_order": [0, 1, 2, 3, 4, 6]}, "column_order"),
        ({"radius": -1.0}, "radius"),
        ({"radius": np.nan}, "radius"),
        ({"boxsize": [-1.0, 2.0]}, "boxsize"),
    ],
)
def test_a_malformed_pattern_is_rejected(fault, named):
    assert_rejected(named, sx.BlockPattern, **{**GOOD, **fault})


KEOPS = sx.BlockPattern(**GOOD).to_keops()
# As many pairs: the transpose of the pattern that is GOOD with its columns one further.
OTHER_PAIRS = sx.BlockPattern(**{**GOOD, "intervals": [[1, 2], [4, 5], [2, 6]]}).to_keops()[3:]


@pytest.mark.parametrize(
    ("six", "named"),
    [
        (KEOPS[:5], "ranges"),
        (KEOPS[0], "ranges"),
        ((KEOPS[0].astype(float), *KEOPS[1:]), "ranges_i"),
        ((KEOPS[0], KEOPS[1] + 1, *KEOPS[2:]), "offsets"),
        ((KEOPS[0], KEOPS[1][:1], *KEOPS[2:]), "offsets"),
        ((KEOPS[0][:, ::-1], *KEOPS[1:]), "blocks[0]"),
        ((*KEOPS[:3], *sx.BlockPattern.dense(5, 6).to_keops()[3:]), "ranges"),
        ((*KEOPS[:3], *OTHER_PAIRS), "ranges"),
        ((KEOPS[0][:, 0], *KEOPS[1:]), "ranges_i"),
    ],
)
def test_malformed_keops_arrays_are_rejected(six, named):
    assert_rejected(named, sx.BlockPattern.from_keops, six, n_rows=5, n_columns=6)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (([0, 2], [0, 3], np.ones((2, 1), bool)), "keep"),
        (([0, 2], [0, 3], np.ones((1, 1))), "keep"),
        (([1, 2], [0, 3], np.ones((1, 1), bool)), "rows"),
        (([0, 2], [0, 3, 2], np.ones((1, 2), bool)), "columns[2]"),
        (([0.0, 2.0], [0, 3], np.ones((1, 1), bool)), "rows"),
        (([], [0, 3], np.ones((0, 1), bool)), "rows"),
        (([0, 2], [0, 3], [[0, 1]]), "keep[:, 1]"),
        ((np.array([0, 2**63], np.uint64), [0, 3], [[0, 0]]), "rows"),
    ],
)
def test_malformed_masks_are_rejected(arguments, named):
    assert_rejected(named, sx.BlockPattern.from_mask, *arguments)


def test_more_than_three_dimensions_and_invalid_reaches_are_rejected():
    with pytest.raises(sx.InputError, match=r"d from 1 to 3; got shape \(5, 4\)"):
        sx.BlockPattern.from_cells(np.zeros((5, 4)), radius=1, device="cpu")
    for reach in (0, 17, 1.5, True):
        with pytest.raises(sx.InputError, match="reach must be an integer from 1 to 16"):
            sx.BlockPattern.from_cells(np.zeros((5, 3)), radius=1, reach=reach, device="cpu")
    with pytest.raises(sx.InputError, match="radius must be a non-negative number; got -1"):
        sx.BlockPattern.from_cells(np.zeros((5, 3)), radius=-1, device="cpu")
    for radius in (0.5, np.inf):
        with pytest.raises(sx.InputError, match="radius must be less than half of boxsize"):
            sx.BlockPattern.from_cells(np.zeros((5, 3)), radius=radius, boxsize=1.0, device="cpu")
    with pytest.raises(sx.InputError, match=r"y must be finite .*y\[1\]"):
        sx.BlockPattern.from_cells(np.zeros((5, 1)), [[0.0], [np.nan]], 1, device="cpu")


def test_malformed_boxes_are_rejected_by_text():
    ranges, boxes = np.array([[0, 2], [2, 3]]), np.zeros((2, 2, 3))
    good = (ranges, boxes)
    with pytest.raises(sx.InputError, match="y_blocks must be Clusters, or a pair"):
        sx.BlockPattern.from_boxes(good, ranges, 1)
    with pytest.raises(sx.InputError, match=r"shape \(2, 2, d\), one per range"):
        sx.BlockPattern.from_boxes((ranges, boxes[:1]), good, 1)
    with pytest.raises(
        sx.InputError, match="y_blocks must be boxes with 3 coordinates, as x_blocks are; got 2"
    ):
        sx.BlockPattern.from_boxes(good, (ranges, boxes[:, :, :2]), 1)
    wrong = boxes.copy()
    wrong[1, 0] = 5
    with pytest.raises(
        sx.InputError, match=r"x_blocks\[1\] must be boxes whose low corner .*x_blocks\[1\]\[1\] = "
    ):
        sx.BlockPattern.from_boxes((ranges, wrong), good, 1)
    with pytest.raises(
        sx.InputError, match=r"x_blocks\[0\] must be ascending and disjoint; got x_blocks\[0\]\[1\]"
    ):
        sx.BlockPattern.from_boxes((ranges[::-1], boxes), good, 1)


def test_a_triangle_has_no_transpose_and_no_form_in_keops():
    upper = sx.BlockPattern.upper_triangle(5)
    with pytest.raises(sx.InputError, match="A pattern of pairs i < j cannot be transposed"):
        upper.transpose()
    with pytest.raises(sx.InputError, match="KeOps does not support patterns of pairs i < j"):
        upper.to_keops()


def test_only_the_pairs_of_the_six_arrays_count_and_not_how_they_are_cut():
    blocks, offsets, intervals = [[0, 2], [2, 2], [2, 5]], [0, 3, 4, 5], [
        [0, 1], [2, 2], [3, 4], [1, 3], [2, 6],
    ]  # fmt: skip
    cut = sx.BlockPattern(blocks, offsets, intervals, 5, 6).to_keops()
    for six in ((*KEOPS[:3], *cut[3:]), (*cut[:3], *KEOPS[3:])):
        pattern = sx.BlockPattern.from_keops(six, n_rows=5, n_columns=6)
        assert (pattern.to_dense() == sx.BlockPattern(**GOOD).to_dense()).all()
        assert (pattern.transpose().to_dense() == pattern.to_dense().T).all()


def test_no_argument_disables_the_checks():
    with pytest.raises(TypeError, match="is_checked"):
        sx.BlockPattern(**{**GOOD, "n_rows": 1}, is_checked=True)


@pytest.mark.parametrize(
    ("runs", "named"),
    [
        ("abc", "column_blocks"),
        ([[0.0, 3.0]], "column_blocks"),
        ([[-1, 3]], "column_blocks[0]"),
        ([[0, 10**9]], "column_blocks[0]"),
        ([[3, 6], [0, 3]], "column_blocks[1]"),
        ([0, 3, 6], "column_blocks"),
    ],
)
def test_malformed_blocks_of_the_transpose_are_rejected(runs, named):
    assert_rejected(named, sx.BlockPattern(**GOOD).transpose, runs)


def test_no_array_of_a_pattern_can_be_written_to():
    orders = {"row_order": np.arange(5)[::-1], "column_order": np.arange(6)}
    pattern = sx.BlockPattern(**GOOD, **orders)
    clusters = sx.cluster(np.random.default_rng(1).random((20, 2)), 0.3, device="cpu")
    boxes = sx.BlockPattern.from_boxes(clusters, clusters, 1.0)
    for made in (pattern, pattern.transpose(), boxes):
        for name in ("blocks", "offsets", "intervals", "row_order", "column_order"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(made, name)[0] = 1


def test_patterns_of_too_many_points_are_rejected_by_text():
    with pytest.raises(sx.InputError, match="n_rows must be an integer from 0 to 4,611,686"):
        sx.BlockPattern.dense(2**70, 3)
    for make in (sx.BlockPattern.upper_triangle, lambda n: sx.BlockPattern.band(n, 1)):
        with pytest.raises(sx.InputError, match="n must be an integer from 0 to 2,147,483,583"):
            make(2**60)


@pytest.mark.parametrize("columns", [[0, 7], [0, 3, 6, 7]])
def test_batches_of_rows_and_columns_are_as_many(columns):
    assert_rejected("columns", sx.BlockPattern.block_diagonal, [0, 2, 5], columns)
