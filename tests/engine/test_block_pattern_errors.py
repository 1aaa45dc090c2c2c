"""Every malformed pattern is refused by a sentence that names the block or the interval."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import separatrix as sx

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
    ("fault", "text"),
    [
        ({"n_rows": 4}, r"within the 4 rows: block 1 is \[2, 5\)"),
        ({"blocks": [[-1, 2], [2, 5]]}, r"within the 5 rows: block 0 is \[-1, 2\)"),
        ({"blocks": [[0, 2], [5, 3]]}, r"not end before it begins: block 1 is \[5, 3\)"),
        ({"blocks": [[0, 3], [2, 5]]}, r"disjoint: block 1 is \[2, 5\), after \[0, 3\)"),
        ({"blocks": [[2, 5], [0, 2]]}, r"ascend and be disjoint: block 1 is \[0, 2\)"),
        ({"blocks": [[0, 2, 3], [2, 5, 3]]}, r"blocks must have the shape \(n, 2\), got \(2, 3\)"),
        ({"blocks": [[0.0, 2.0], [2.0, 5.0]]}, "blocks must be whole numbers, got dtype float64"),
        ({"blocks": [[0, 2]]}, "1 blocks, 3 offsets"),
        ({"offsets": [[0, 2, 3]]}, r"offsets must have the shape \(n,\), got \(1, 3\)"),
        ({"offsets": [0, 2, 4]}, "number of intervals, 3: they go from 0 to 4"),
        ({"offsets": [1, 2, 3]}, "they go from 1 to 3"),
        ({"offsets": [0, 4, 3]}, "never fall: block 1 has the intervals from 4 to 3"),
        ({"n_columns": 5}, r"within the 5 columns: interval 2 \(of block 1\) is \[2, 6\)"),
        (
            {"intervals": [[0, 1], [3, 10**8], [2, 6]]},
            r"6 columns: interval 1 \(of block 0\) is \[3, 100000000\)",
        ),
        (
            {"intervals": [[0, 1], [4, 3], [2, 6]]},
            r"not end before it begins: interval 1 \(of block 0\) is \[4, 3\)",
        ),
        (
            {"intervals": [[0, 3], [2, 4], [2, 6]]},
            r"disjoint: interval 1 \(of block 0\) is \[2, 4\), after \[0, 3\)",
        ),
        ({"intervals": [[3, 4], [0, 1], [2, 6]]}, r"interval 1 \(of block 0\) is \[0, 1\)"),
        ({"intervals": [[0, 1], [0, 1], [2, 6]]}, r"interval 1 \(of block 0\) is \[0, 1\)"),
        ({"intervals": np.zeros((3, 2), bool)}, "intervals must be whole numbers, got dtype bool"),
        ({"n_rows": -1}, "n_rows must be a whole number from 0 on, got -1"),
        ({"n_columns": 2**70}, "n_columns must be at most 4,611,686,018,427,387,904, got 1,180,"),
        ({"radius": "wide"}, "radius must be a number, at least 0, got 'wide'"),
        ({"n_columns": 2.5}, "n_columns must be a whole number from 0 on, got 2.5"),
        ({"row_order": [0, 1, 2, 3]}, "row_order must be 5 whole numbers"),
        ({"row_order": [0, 1, 2, 3, 3]}, "row_order must hold each index from 0 to 4 once"),
        ({"column_order": [0, 1, 2, 3, 4, 6]}, "column_order must hold each index from 0 to 5"),
        ({"radius": -1.0}, "radius must be a number, at least 0, got -1.0"),
        ({"radius": np.nan}, "radius must be a number, at least 0, got nan"),
    ],
)
def test_a_malformed_pattern_is_refused_by_text(fault: dict[str, Any], text: str):
    with pytest.raises(sx.InputError, match=text):
        sx.BlockPattern(**{**GOOD, **fault})


KEOPS = sx.BlockPattern(**GOOD).to_keops()
# As many pairs: the transpose of the pattern that is GOOD with its columns one further.
OTHER_PAIRS = sx.BlockPattern(**{**GOOD, "intervals": [[1, 2], [4, 5], [2, 6]]}).to_keops()[3:]


@pytest.mark.parametrize(
    ("six", "text"),
    [
        (KEOPS[:5], "a tuple of six arrays ranges_i, slices_i.*; got 5"),
        (KEOPS[0], "a tuple of six arrays .*; got ndarray"),
        ((KEOPS[0].astype(float), *KEOPS[1:]), "ranges_i must be whole numbers, got dtype float64"),
        ((KEOPS[0], KEOPS[1] + 1, *KEOPS[2:]), "they go from 0 to 4"),
        ((KEOPS[0], KEOPS[1][:1], *KEOPS[2:]), "2 blocks, 2 offsets"),
        ((KEOPS[0][:, ::-1], *KEOPS[1:]), "block 0 is"),
        ((*KEOPS[:3], *sx.BlockPattern.dense(5, 6).to_keops()[3:]), "the six arrays disagree"),
        ((*KEOPS[:3], *OTHER_PAIRS), "by rows they have other pairs than by columns"),
        ((KEOPS[0][:, 0], *KEOPS[1:]), r"blocks must have the shape \(n, 2\)"),
    ],
)
def test_malformed_keops_arrays_are_refused_by_text(six: Any, text: str):
    with pytest.raises(sx.InputError, match=text):
        sx.BlockPattern.from_keops(six, n_rows=5, n_columns=6)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (([0, 2], [0, 3], np.ones((2, 1), bool)), r"shape \(1, 1\) of the groups, got \(2, 1\)"),
        (([0, 2], [0, 3], np.ones((1, 1))), "keep must be an array of bools, got dtype float64"),
        (([1, 2], [0, 3], np.ones((1, 1), bool)), r"row_offsets must start at 0 .*\[0\] is 1"),
        (([0, 2], [0, 3, 2], np.ones((1, 2), bool)), r"column_offsets .* never fall: .*\[2\] is 2"),
        (([0.0, 2.0], [0, 3], np.ones((1, 1), bool)), "row_offsets must be whole numbers"),
        (([], [0, 3], np.ones((0, 1), bool)), "row_offsets must be whole numbers"),
    ],
)
def test_malformed_masks_are_refused_by_text(arguments: Any, text: str):
    with pytest.raises(sx.InputError, match=text):
        sx.BlockPattern.from_mask(*arguments)


def test_cells_of_more_than_three_dimensions_and_odd_reaches_are_refused():
    with pytest.raises(sx.InputError, match="1 to 3 coordinates here, got 4"):
        sx.BlockPattern.from_cells(np.zeros((5, 4)), radius=1, device="cpu")
    for reach in (0, 17, 1.5, True):
        with pytest.raises(sx.InputError, match="reach must be a whole number from 1 to 16"):
            sx.BlockPattern.from_cells(np.zeros((5, 3)), radius=1, reach=reach, device="cpu")
    with pytest.raises(sx.InputError, match="radius must be a number, at least 0, got -1"):
        sx.BlockPattern.from_cells(np.zeros((5, 3)), radius=-1, device="cpu")
    with pytest.raises(sx.InputError, match=r"y must be finite .*y\[1\]"):
        sx.BlockPattern.from_cells(np.zeros((5, 1)), [[0.0], [np.nan]], 1, device="cpu")


def test_malformed_boxes_are_refused_by_text():
    ranges, boxes = np.array([[0, 2], [2, 3]]), np.zeros((2, 2, 3))
    good = (ranges, boxes)
    with pytest.raises(sx.InputError, match="y_blocks must be Clusters, or a pair"):
        sx.BlockPattern.from_boxes(good, ranges, 1)
    with pytest.raises(sx.InputError, match=r"shape \(2, 2, d\), one for each range"):
        sx.BlockPattern.from_boxes((ranges, boxes[:1]), good, 1)
    with pytest.raises(sx.InputError, match="x_blocks have 3, y_blocks 2"):
        sx.BlockPattern.from_boxes(good, (ranges, boxes[:, :, :2]), 1)
    wrong = boxes.copy()
    wrong[1, 0] = 5
    with pytest.raises(sx.InputError, match="nor be NaN: box 1 of x_blocks"):
        sx.BlockPattern.from_boxes((ranges, wrong), good, 1)
    with pytest.raises(sx.InputError, match="disjoint: block 1"):
        sx.BlockPattern.from_boxes((ranges[::-1], boxes), good, 1)


def test_a_triangle_has_no_transpose_and_no_form_in_keops():
    upper = sx.BlockPattern.upper_triangle(5)
    with pytest.raises(sx.InputError, match="the transpose of i < j has no form"):
        upper.transpose()
    with pytest.raises(sx.InputError, match="KeOps has no i < j"):
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


def test_no_argument_switches_the_checks_off():
    with pytest.raises(TypeError, match="is_checked"):
        sx.BlockPattern(**{**GOOD, "n_rows": 1}, is_checked=True)


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ("abc", "column_blocks"),
        ([[0.0, 3.0]], "column_blocks must be whole numbers, got dtype float64"),
        ([[-1, 3]], r"column_blocks must lie within the 6 columns: block 0 is \[-1, 3\)"),
        ([[0, 10**9]], r"column_blocks must lie within the 6 columns: .* \[0, 1000000000\)"),
        ([[3, 6], [0, 3]], "column_blocks must ascend and be disjoint"),
        ([0, 3, 6], r"column_blocks must have the shape \(n, 2\), got \(3,\)"),
    ],
)
def test_malformed_blocks_of_the_transpose_are_refused_by_text(runs: Any, text: str):
    with pytest.raises(sx.InputError, match=text):
        sx.BlockPattern(**GOOD).transpose(runs)


def test_no_array_of_a_pattern_can_be_written_to():
    orders = {"row_order": np.arange(5)[::-1], "column_order": np.arange(6)}
    pattern = sx.BlockPattern(**GOOD, **orders)
    clusters = sx.cluster(np.random.default_rng(1).random((20, 2)), 0.3, device="cpu")
    boxes = sx.BlockPattern.from_boxes(clusters, clusters, 1.0)
    for made in (pattern, pattern.transpose(), boxes):
        for name in ("blocks", "offsets", "intervals", "row_order", "column_order"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(made, name)[0] = 1


def test_patterns_of_too_many_points_are_refused_by_text():
    with pytest.raises(sx.InputError, match="n_rows must be at most 4,611,686"):
        sx.BlockPattern.dense(2**70, 3)
    for make in (sx.BlockPattern.upper_triangle, lambda n: sx.BlockPattern.band(n, 1)):
        with pytest.raises(sx.InputError, match="n must be at most 2,147,483,583"):
            make(2**60)
