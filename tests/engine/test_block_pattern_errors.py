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
        ({"n_rows": 4}, r"within the 4 rows; got blocks\[1\] = \[2, 5\)"),
        ({"blocks": [[-1, 2], [2, 5]]}, r"within the 5 rows; got blocks\[0\] = \[-1, 2\)"),
        ({"blocks": [[0, 2], [5, 3]]}, r"not end before they begin; got blocks\[1\] = \[5, 3\)"),
        ({"blocks": [[0, 3], [2, 5]]}, r"disjoint; got blocks\[1\] = \[2, 5\) after \[0, 3\)"),
        ({"blocks": [[2, 5], [0, 2]]}, r"ascending and disjoint; got blocks\[1\] = \[0, 2\)"),
        (
            {"blocks": [[0, 2, 3], [2, 5, 3]]},
            r"blocks must be an array of shape \(n, 2\); got shape \(2, 3\)",
        ),
        (
            {"blocks": [[0.0, 2.0], [2.0, 5.0]]},
            "blocks must be an array of integers; got dtype float64",
        ),
        ({"blocks": [[0, 2]]}, r"of shape \(2,\), one per block; got shape \(3,\)"),
        ({"offsets": [[0, 2, 3]]}, r"offsets must be an array of shape \(n,\); got shape \(1, 3\)"),
        ({"offsets": [0, 2, 4]}, "end at 3, the number of intervals; got 0 to 4"),
        ({"offsets": [1, 2, 3]}, "begin at 0 .*; got 1 to 3"),
        ({"offsets": [0, 4, 3]}, r"non-decreasing; got offsets\[2\] = 3 after 4"),
        ({"n_columns": 5}, r"within the 5 columns; got intervals\[2\] = \[2, 6\) in block 1"),
        (
            {"intervals": [[0, 1], [3, 10**8], [2, 6]]},
            r"6 columns; got intervals\[1\] = \[3, 100000000\) in block 0",
        ),
        (
            {"intervals": [[0, 1], [4, 3], [2, 6]]},
            r"not end before they begin; got intervals\[1\] = \[4, 3\) in block 0",
        ),
        (
            {"intervals": [[0, 3], [2, 4], [2, 6]]},
            r"disjoint; got intervals\[1\] = \[2, 4\) after \[0, 3\) in block 0",
        ),
        ({"intervals": [[3, 4], [0, 1], [2, 6]]}, r"intervals\[1\] = \[0, 1\) after .* in block 0"),
        ({"intervals": [[0, 1], [0, 1], [2, 6]]}, r"intervals\[1\] = \[0, 1\) after .* in block 0"),
        (
            {"intervals": np.zeros((3, 2), bool)},
            "intervals must be an array of integers; got dtype bool",
        ),
        ({"n_rows": -1}, "n_rows must be an integer from 0 to 4,611,686,018,427,387,904; got -1"),
        (
            {"n_columns": 2**70},
            "n_columns must be an integer from 0 to 4,611,686,018,427,387,904; got 1180",
        ),
        ({"radius": "wide"}, "radius must be a non-negative number; got 'wide'"),
        ({"n_columns": 2.5}, "n_columns must be an integer from 0 to .*; got 2.5"),
        (
            {"row_order": [0, 1, 2, 3]},
            r"row_order must be a permutation of 0 to 4; got an array of shape \(4,\)",
        ),
        ({"row_order": [0, 1, 2, 3, 3]}, "row_order must be a permutation of 0 to 4"),
        ({"column_order": [0, 1, 2, 3, 4, 6]}, "column_order must be a permutation of 0 to 5"),
        ({"radius": -1.0}, "radius must be a non-negative number; got -1.0"),
        ({"radius": np.nan}, "radius must be a non-negative number; got nan"),
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
        (
            (KEOPS[0].astype(float), *KEOPS[1:]),
            "ranges_i must be an array of integers; got dtype float64",
        ),
        ((KEOPS[0], KEOPS[1] + 1, *KEOPS[2:]), "got 0 to 4"),
        ((KEOPS[0], KEOPS[1][:1], *KEOPS[2:]), r"of shape \(3,\), one per block; got shape \(2,\)"),
        ((KEOPS[0][:, ::-1], *KEOPS[1:]), r"blocks\[0\] = "),
        (
            (*KEOPS[:3], *sx.BlockPattern.dense(5, 6).to_keops()[3:]),
            "the transpose of the first three; got 16 pairs by rows and 30 by columns",
        ),
        ((*KEOPS[:3], *OTHER_PAIRS), "got 16 pairs by rows and 16 by columns, which differ"),
        ((KEOPS[0][:, 0], *KEOPS[1:]), r"ranges_i must be an array of shape \(n, 2\)"),
    ],
)
def test_malformed_keops_arrays_are_refused_by_text(six: Any, text: str):
    with pytest.raises(sx.InputError, match=text):
        sx.BlockPattern.from_keops(six, n_rows=5, n_columns=6)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ([0, 2], [0, 3], np.ones((2, 1), bool)),
            r"of shape \(1, 1\), the numbers of groups; got shape \(2, 1\)",
        ),
        (([0, 2], [0, 3], np.ones((1, 1))), "keep must be an array of bools; got dtype float64"),
        (
            ([1, 2], [0, 3], np.ones((1, 1), bool)),
            r"row_offsets must be offsets that begin at 0; got 1 to 2",
        ),
        (
            ([0, 2], [0, 3, 2], np.ones((1, 2), bool)),
            r"column_offsets must be non-decreasing; .*\[2\] = 2 after 3",
        ),
        (([0.0, 2.0], [0, 3], np.ones((1, 1), bool)), "row_offsets must be an array of integers"),
        (
            ([], [0, 3], np.ones((0, 1), bool)),
            "row_offsets must be offsets that begin at 0; got an empty",
        ),
    ],
)
def test_malformed_masks_are_refused_by_text(arguments: Any, text: str):
    with pytest.raises(sx.InputError, match=text):
        sx.BlockPattern.from_mask(*arguments)


def test_cells_of_more_than_three_dimensions_and_odd_reaches_are_refused():
    with pytest.raises(sx.InputError, match=r"d from 1 to 3; got shape \(5, 4\)"):
        sx.BlockPattern.from_cells(np.zeros((5, 4)), radius=1, device="cpu")
    for reach in (0, 17, 1.5, True):
        with pytest.raises(sx.InputError, match="reach must be an integer from 1 to 16"):
            sx.BlockPattern.from_cells(np.zeros((5, 3)), radius=1, reach=reach, device="cpu")
    with pytest.raises(sx.InputError, match="radius must be a non-negative number; got -1"):
        sx.BlockPattern.from_cells(np.zeros((5, 3)), radius=-1, device="cpu")
    with pytest.raises(sx.InputError, match=r"y must be finite .*y\[1\]"):
        sx.BlockPattern.from_cells(np.zeros((5, 1)), [[0.0], [np.nan]], 1, device="cpu")


def test_malformed_boxes_are_refused_by_text():
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


def test_no_argument_switches_the_checks_off():
    with pytest.raises(TypeError, match="is_checked"):
        sx.BlockPattern(**{**GOOD, "n_rows": 1}, is_checked=True)


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        ("abc", "column_blocks"),
        ([[0.0, 3.0]], "column_blocks must be an array of integers; got dtype float64"),
        (
            [[-1, 3]],
            r"column_blocks must be within the 6 columns; got column_blocks\[0\] = \[-1, 3\)",
        ),
        ([[0, 10**9]], r"column_blocks must be within the 6 columns; .* \[0, 1000000000\)"),
        ([[3, 6], [0, 3]], "column_blocks must be ascending and disjoint"),
        ([0, 3, 6], r"column_blocks must be an array of shape \(n, 2\); got shape \(3,\)"),
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
    with pytest.raises(sx.InputError, match="n_rows must be an integer from 0 to 4,611,686"):
        sx.BlockPattern.dense(2**70, 3)
    for make in (sx.BlockPattern.upper_triangle, lambda n: sx.BlockPattern.band(n, 1)):
        with pytest.raises(sx.InputError, match="n must be an integer from 0 to 2,147,483,583"):
            make(2**60)
