"""Smoothing moves inner points of lines only, and what lines share stays shared."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import LINE_COLUMNS

VALUES = np.random.default_rng(61).random((11, 10, 9))


def slowly_smoothed(lines: Any, iterations: int) -> np.ndarray:
    """Point by point; a cell stays if it ends a line or has other than two neighbors."""
    cells, points = sx.to_host(lines.cell_id).tolist(), sx.to_host(lines.points).copy()
    ranges = list(pairwise(sx.to_host(lines.offsets).tolist()))
    around: dict[int, set[int]] = {}
    ends = set()
    for begin, end in ranges:
        for i in range(begin, end):
            around.setdefault(cells[i], set()).update(cells[max(i - 1, begin) : min(i + 2, end)])
        ends |= {cells[begin], cells[end - 1]} if end > begin else set()
    for _ in range(iterations):
        before = points.copy()
        for begin, end in ranges:
            for i in range(begin + 1, end - 1):
                if cells[i] not in ends and len(around[cells[i]]) == 3:
                    points[i] = before[i] / 2 + (before[i - 1] + before[i + 1]) / 4
    return points


@pytest.mark.parametrize("kind", ["descending", "ascending"])
@pytest.mark.parametrize("iterations", [0, 1, 5])
def test_smoothing_equals_moving_points_one_by_one(device, kind, iterations):
    lines = sx.morse_smale(VALUES, persistence=0.1, device=device).separatrices(1, kind)
    smoothed = sx.smooth(lines, iterations)
    expected = slowly_smoothed(lines, iterations)
    np.testing.assert_allclose(sx.to_host(smoothed.points), expected, rtol=0, atol=1e-12)
    for column in LINE_COLUMNS[1:]:
        assert getattr(smoothed, column) is getattr(lines, column)
    moved = (sx.to_host(smoothed.points) != sx.to_host(lines.points)).any()
    assert moved == (iterations > 0)


def test_smoothing_preserves_straight_lines_and_cuts_corners(device):
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0], [2, 2, 0]], float)
    found = sx.morse_smale(VALUES, device=device).separatrices(1, "descending")
    one = type(found)(
        **{name: getattr(found, name) for name in found.__dataclass_fields__}
        | {"points": points, "cell_id": np.arange(5), "cell_dimension": np.arange(5) % 2}
        | {"offsets": np.array([0, 5])}
    )
    expected = [[0, 0, 0], [1, 0, 0], [1.75, 0.25, 0], [2, 1, 0], [2, 2, 0]]
    np.testing.assert_array_equal(sx.smooth(one, 1).points, expected)


def test_no_lines_are_smoothed_to_no_lines(device):
    lines = sx.morse_smale(np.zeros((3, 3)), device=device).separatrices(1, "descending")
    assert sx.smooth(lines, 3).points.shape == (0, 3)


@pytest.mark.parametrize("iterations", [-1, 1.5, True, "2"])
def test_an_invalid_number_of_iterations_is_rejected(iterations):
    lines = sx.morse_smale(VALUES, device="cpu").separatrices(1, "descending")
    with pytest.raises(sx.InputError, match="iterations must be an integer from 0 to 100,000; got"):
        sx.smooth(lines, iterations)
    with pytest.raises(sx.InputError, match="lines must be Separatrices; got ndarray"):
        sx.smooth(VALUES, 1)  # type: ignore[arg-type]


def test_cells_of_different_dimensions_differ_even_if_their_ids_are_equal():
    """A mesh numbers its simplices of each dimension apart."""
    lines = sx.morse_smale(VALUES, device="cpu").separatrices(1, "descending")
    ranks = np.zeros_like(lines.cell_id)
    for d in np.unique(lines.cell_dimension):
        own = lines.cell_dimension == d
        ranks[own] = np.unique(lines.cell_id[own], return_inverse=True)[1]
    assert len(np.unique(ranks)) < len(np.unique(lines.cell_id))
    moved, wanted = sx.smooth(replace(lines, cell_id=ranks), 3), sx.smooth(lines, 3)
    assert np.array_equal(moved.points, wanted.points)
