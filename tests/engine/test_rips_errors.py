"""What can't be a barcode says why; what goes on says how far it is, and stops when told to."""

from __future__ import annotations

import time

import numpy as np
import pytest

import separatrix as sx
from separatrix.device.host import HostDevice

SQUARE = np.array([[0.0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])


def changed(*entries: tuple[int, int, float]) -> np.ndarray:
    matrix = SQUARE.copy()
    for i, j, value in entries:
        matrix[i, j] = value
    return matrix


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({}, "give one of points, distances and sparse, got 0"),
        ({"points": np.zeros((3, 2)), "distances": SQUARE}, "got 2 of them"),
        ({"points": np.zeros((1, 2))}, "two points or more, got 1"),
        ({"points": np.zeros((0, 2))}, "two points or more, got 0"),
        ({"points": [[0.0, 1], [np.nan, 0]]}, r"points\[1\] is \(nan, 0\)"),
        ({"points": np.zeros((3, 2)), "metric": "of taxis"}, "metric 'of taxis' can't be computed"),
        ({"distances": np.zeros((2, 3))}, r"square matrix .* got shape \(2, 3\)"),
        ({"distances": np.zeros(5)}, "n .n - 1. / 2 entries, 1, 3, 6, 10, ...; got 5"),
        ({"distances": [[0, 1], [1]]}, "distances must be an array of numbers"),
        (
            {"distances": changed((0, 2, 3), (1, 3, 9))},
            r"symmetric: distances\[0, 2\] is 3.0 and distances\[2, 0\] is 2.0 \(2 such pairs\)",
        ),
        (
            {"distances": changed((0, 1, -1), (1, 0, -1))},
            r"at least 0, inf for no edge: distances\[0, 1\] is -1 \(2 such\)",
        ),
        ({"distances": changed((2, 3, np.nan))}, r"distances\[2, 3\] is nan"),
        ({"distances": changed((2, 2, 1))}, r"diagonal .* distances\[2, 2\] is 1 \(1 such\)"),
        ({"distances": SQUARE.astype(complex)}, "real numbers, got dtype complex128"),
        ({"sparse": (np.array([0]), np.array([5]), np.ones(1), 3)}, r"entry 0 is \(0, 5\)"),
        ({"sparse": (np.array([0, 1]), np.array([1, 0]), np.array([1.0, 2]))}, "1.0 and 2.0"),
        ({"sparse": (np.array([0]), np.array([1]), np.array([-1.0]))}, "at least 0"),
        ({"sparse": (np.array([0.5]), np.array([1]), np.array([1.0]))}, "whole numbers"),
        ({"sparse": 7}, "SciPy sparse matrix"),
        ({"distances": SQUARE, "max_dimension": -1}, "max_dimension must be 0 to"),
        ({"distances": SQUARE, "max_dimension": 1.5}, "whole number, got 1.5"),
        ({"distances": SQUARE, "threshold": -1}, "threshold must be a number, at least 0"),
        ({"distances": SQUARE, "threshold": float("nan")}, "threshold must be a number"),
        ({"distances": SQUARE, "field": 4}, "field must be a prime number up to 65521, not 4"),
        ({"distances": SQUARE, "field": 65537}, "not 65537"),
        ({"distances": SQUARE, "collapse": "perhaps"}, "collapse must be 'auto', True or False"),
        ({"distances": SQUARE, "representatives": "best"}, "representatives must be None"),
        ({"distances": SQUARE, "representatives": [99]}, "representatives must be of bars 0 to"),
        ({"distances": SQUARE, "cocycles": True, "collapse": True}, "cocycles of a collapsed"),
        ({"distances": SQUARE, "weights": "heavy"}, "or 'dtm', got 'heavy'"),
        ({"distances": SQUARE, "weights": np.ones(4), "epsilon": 0.1}, "neither epsilon nor"),
        ({"distances": SQUARE, "keep_zero": True, "collapse": True}, "leave collapse or keep_zero"),
        ({"distances": SQUARE, "work_limit": None}, "work_limit must be a positive number"),
        ({"distances": SQUARE, "work_limit": float("nan")}, "work_limit must be a positive number"),
        ({"distances": SQUARE, "epsilon": 1e-320}, "must be 0 or a number from 1e-15 on"),
        ({"sparse": (np.array([0]), np.array([-7]), np.ones(1))}, r"entry 0 is \(0, -7\)"),
        ({"sparse": ([0], [1], [1j])}, "d of sparse must be real numbers, got dtype complex128"),
        ({"sparse": ([0], [1], [1.0], 2.5)}, "n of sparse, .* must be whole, got 2.5"),
    ],
)
def test_what_cannot_be_a_barcode_says_why(given, text):
    with pytest.raises(sx.InputError, match=text):
        sx.rips_barcodes(**given, device="cpu")


def test_a_forecast_names_the_figure_and_the_parameters():
    points = np.random.default_rng(1).random((100, 2))
    with pytest.raises(sx.InputError, match=r"edges, where work_limit allows 1e\+03; lower max_di"):
        sx.rips_barcodes(points, max_dimension=5, work_limit=1000, collapse=False, device="cpu")


def test_progress_rises_through_all_dimensions(device):
    told: list[tuple[float, str]] = []
    sx.rips_barcodes(
        np.random.default_rng(2).random((40, 3)),
        max_dimension=2,
        device=device,
        progress=lambda part, stage: told.append((part, stage)),
    )
    parts = [part for part, _ in told]
    assert parts == sorted(parts)
    assert {"distances", "ranks", "simplices of dimension 2", "reduction of dimension 2"} <= {
        stage for _, stage in told
    }


def test_a_call_can_be_canceled_in_each_stage(device):
    points = np.random.default_rng(3).random((40, 3))
    for last in ("ranks", "simplices of dimension 1", "reduction of dimension 2"):

        def stop(part: float, stage: str, last: str = last) -> None:
            if stage == last:
                raise sx.Cancelled

        with pytest.raises(sx.Cancelled):
            sx.rips_barcodes(points, max_dimension=2, device=device, progress=stop)


def test_a_giant_stream_is_stopped_at_once():
    begin = time.perf_counter()

    def stop(part: float, stage: str) -> None:
        if time.perf_counter() - begin > 0.5:
            raise sx.Cancelled

    points = np.random.default_rng(5).random((300, 8))  # 10^12 simplices of dimension 5
    about = r"dimensions up to 5 have up to .* simplices, about .* minutes on the CPU with 1 th"
    with pytest.raises(sx.Cancelled), pytest.warns(sx.LongRunWarning, match=about):
        sx.rips_barcodes(
            points, max_dimension=5, collapse=False, device="cpu", threads=1, progress=stop
        )
    assert time.perf_counter() - begin < 10


def test_simplices_of_all_dimensions_are_forecast():
    """Of 20 points there are more edges and triangles than simplices of dimension 16."""
    bars = sx.rips_barcodes(
        distances=1 - np.eye(20), max_dimension=16, collapse=False, device="cpu"
    )
    counted = [of_dimension["simplices"] for of_dimension in bars.statistics["dimensions"]]
    assert sum(counted[1:]) > 100 * counted[16] > 0
    assert bars.statistics["forecast"]["simplices"] == pytest.approx(sum(counted[1:]), rel=1e-9)


def test_a_collapse_tells_of_each_few_waves():
    told = []
    collapsed = sx.rips_barcodes(
        np.random.default_rng(6).random((300, 2)),
        max_dimension=2,
        collapse=True,
        device="cpu",
        progress=lambda part, stage: told.append(stage),
    )
    assert collapsed.statistics["collapsed"] > 0
    assert told.count("collapse") > 5  # begin and end, and in between


def test_distances_beyond_memory_name_the_threshold(monkeypatch):
    monkeypatch.setattr(HostDevice, "free_memory", lambda self: 1 << 20)
    with pytest.raises(sx.DeviceMemoryError, match="; lower threshold or take fewer points"):
        sx.rips_barcodes(np.random.default_rng(7).random((4000, 2)), threshold=0.5, device="cpu")


@pytest.mark.parametrize("n", [2, 3])
def test_fewer_points_than_a_simplex_has_are_no_error(device, n):
    bars = sx.rips_barcodes(np.eye(n), max_dimension=4, device=device)
    assert bars.dimension.tolist() == [0] * n


def test_no_edges_at_all_leave_every_point_alive(device):
    apart = np.where(np.eye(4), 0, np.inf)
    for bars in (
        sx.rips_barcodes(distances=apart, max_dimension=2, device=device),
        sx.rips_barcodes(distances=SQUARE, max_dimension=2, threshold=0.5, device=device),
        sx.rips_barcodes(distances=SQUARE, max_dimension=2, threshold=0, device=device),
        sx.rips_barcodes(
            sparse=(np.empty(0, int), np.empty(0, int), np.empty(0), 4), device=device
        ),
    ):
        assert bars.is_essential.tolist() == [True] * 4


@pytest.mark.parametrize("p", [2, 3])
def test_representatives_are_of_the_callers_points_and_closed(device, p):
    turn = np.random.default_rng(4).permutation(24) * 2 * np.pi / 24
    points = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    bars = sx.rips_barcodes(points, field=p, representatives=2, cocycles=True, device=device)
    found = [r for r in bars.representatives if r.dimension == 1]
    assert len(found) == 1
    assert len(found[0].simplices) == 24
    step = np.linalg.norm(np.diff(points[found[0].simplices], axis=1), axis=2)
    np.testing.assert_allclose(step, bars.birth[found[0].bar])
    boundary = np.zeros(24, np.int64)
    np.add.at(boundary, found[0].simplices[:, 1], found[0].coefficients)
    np.add.at(boundary, found[0].simplices[:, 0], -found[0].coefficients)
    assert (boundary % p == 0).all()
    cocycle = next(r for r in bars.cocycles if r.dimension == 1)
    at = dict(zip(map(tuple, cocycle.simplices.tolist()), cocycle.coefficients, strict=True))
    product = sum(
        at.get(tuple(s), 0) * c
        for s, c in zip(found[0].simplices.tolist(), found[0].coefficients.tolist(), strict=True)
    )
    assert product % p != 0
