"""Errors, progress, and cancellation of Rips barcodes."""

import time
import warnings

import numpy as np
import pytest

import separatrix as sx
from engine.rejections import assert_rejected
from separatrix.device.host import HostDevice

SQUARE = np.array([[0.0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])


def changed(*entries: tuple[int, int, float]) -> np.ndarray:
    matrix = SQUARE.copy()
    for i, j, value in entries:
        matrix[i, j] = value
    return matrix


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "Exactly one of points, distances, and sparse must be given; got 0."),
        ({"points": np.zeros((3, 2)), "distances": SQUARE}, "must be given; got 2."),
        ({"points": np.zeros((1, 2))}, "points must contain at least 2 points; got 1."),
        ({"points": np.zeros((0, 2))}, "points must contain at least 2 points; got 0."),
        ({"points": [[0.0, 1], [np.nan, 0]]}, "points[1]"),
        (
            {"points": np.zeros((3, 2)), "metric": "of taxis"},
            "metric 'of taxis' could not be computed",
        ),
        (
            {"points": np.array([[0.0, 0], [1, 2], [0, 0]]), "metric": "cosine"},
            "metric 'cosine' is nan for points 0 and 1",
        ),
        ({"points": np.zeros((3, 2)), "metric": 2}, "metric"),
        ({"distances": np.zeros((2, 3))}, "distances"),
        ({"distances": np.zeros(5)}, "distances"),
        ({"distances": [0, 1, -2.0]}, "distances[2] (points 1 and 2)"),
        ({"distances": [[0, 1], [1]]}, "distances"),
        ({"distances": changed((0, 2, 3), (1, 3, 9))}, "distances[0, 2]"),
        ({"distances": changed((0, 1, -1), (1, 0, -1))}, "distances[0, 1]"),
        ({"distances": changed((2, 3, np.nan))}, "distances[2, 3]"),
        ({"distances": changed((2, 2, 1))}, "distances[2, 2]"),
        ({"distances": SQUARE.astype(complex)}, "distances"),
        ({"sparse": (np.array([0]), np.array([5]), np.ones(1), 3)}, "sparse entry 0"),
        ({"sparse": (np.array([0, 1]), np.array([1, 0]), np.array([1.0, 2]))}, "sparse[0, 1]"),
        ({"sparse": (np.array([0]), np.array([1]), np.array([-1.0]))}, "sparse[0, 1]"),
        ({"sparse": ([1], [1], [2.0])}, "sparse[1, 1]"),
        ({"sparse": (np.array([0.5]), np.array([1]), np.array([1.0]))}, "sparse"),
        ({"sparse": ([0], [1], [1j])}, "sparse"),
        ({"sparse": ([0, 1], [1], [1.0])}, "sparse"),
        ({"sparse": 7}, "sparse"),
        ({"sparse": "abc"}, "sparse"),
        ({"sparse": np.eye(3)}, "sparse"),
        ({"sparse": ([0], [1])}, "sparse"),
        ({"points": "file.csv"}, "points"),
        ({"points": {}}, "points"),
        ({"distances": SQUARE, "metric": "nonsense"}, "metric"),
        ({"distances": SQUARE, "metric": "cityblock"}, "metric"),
        ({"distances": SQUARE, "max_dimension": -1}, "max_dimension"),
        ({"distances": SQUARE, "max_dimension": 1.5}, "max_dimension"),
        ({"distances": SQUARE, "threshold": -1}, "threshold"),
        ({"distances": SQUARE, "threshold": float("nan")}, "threshold"),
        ({"distances": SQUARE, "field": 4}, "field"),
        ({"distances": SQUARE, "field": 65537}, "field"),
        ({"distances": SQUARE, "collapse": "perhaps"}, "collapse"),
        ({"distances": SQUARE, "representatives": "best"}, "representatives"),
        ({"distances": SQUARE, "representatives": True}, "representatives"),
        ({"distances": SQUARE, "representatives": -1}, "representatives"),
        ({"distances": SQUARE, "representatives": [0.5]}, "representatives"),
        ({"distances": SQUARE, "representatives": [99]}, "representatives"),
        (
            {"distances": SQUARE, "cocycles": True, "collapse": True},
            "cocycles cannot be combined",
        ),
        (
            {"distances": SQUARE, "keep_zero": True, "collapse": True},
            "keep_zero cannot be combined",
        ),
        ({"distances": SQUARE, "weights": "heavy"}, "weights"),
        (
            {"distances": SQUARE, "weights": np.ones(4), "epsilon": 0.1},
            "weights cannot be combined",
        ),
        ({"distances": SQUARE, "weights": np.ones(4), "collapse": True}, "Remove these options."),
        ({"distances": SQUARE, "weight_power": 3}, "weight_power"),
        ({"distances": SQUARE, "weight_power": 2}, "weight_power"),
        ({"distances": SQUARE, "dtm_neighbors": "x"}, "dtm_neighbors"),
        ({"distances": SQUARE, "dtm_neighbors": 2, "weights": np.ones(4)}, "dtm_neighbors"),
        ({"distances": SQUARE, "work_limit": None}, "work_limit"),
        ({"distances": SQUARE, "work_limit": float("nan")}, "work_limit"),
        ({"distances": SQUARE, "epsilon": 1e-320}, "epsilon"),
        ({"sparse": (np.array([0]), np.array([-7]), np.ones(1))}, "sparse entry 0"),
        ({"sparse": ([0], [1], [1.0], 2.5)}, "n of sparse"),
    ],
)
def test_invalid_input_is_rejected(given, named):
    assert_rejected(named, sx.rips_barcodes, **given, device="cpu")


def test_dimensions_that_were_not_computed_are_rejected():
    bars = sx.rips_barcodes(distances=SQUARE, device="cpu")
    for call in (bars.of_dimension, lambda d: bars.simplices("birth", d)):
        with pytest.raises(sx.InputError, match="dimension must be at most 1, the max_dimension"):
            call(2)


def test_an_estimate_above_the_work_limit_raises_an_error():
    points = np.random.default_rng(1).random((100, 2))
    text = (
        r"The estimated number of simplices is .*\(100 points, [\d,]+ edges, dimension 5\); "
        r"work_limit allows 1e\+03\. Lower max_dimension or threshold, use fewer points, or raise"
    )
    with pytest.raises(sx.InputError, match=text):
        sx.rips_barcodes(points, max_dimension=5, work_limit=1000, collapse=False, device="cpu")


def test_a_long_computation_warns_and_can_be_canceled_immediately():
    begin = time.perf_counter()

    def stop(part, stage):
        if time.perf_counter() - begin > 0.5:
            raise sx.Canceled

    points = np.random.default_rng(5).random((300, 8))  # 10^12 simplices of dimension 5
    about = r"may take about .* minutes on 1 CPU thread, because it has up to .* \(dimension 5\)"
    with pytest.raises(sx.Canceled), pytest.warns(sx.LongRunWarning, match=about) as warned:
        sx.rips_barcodes(
            points, max_dimension=5, collapse=False, device="cpu", threads=1, progress=stop
        )
    assert warned[0].filename == __file__
    assert time.perf_counter() - begin < 10


def test_the_estimate_counts_simplices_of_all_dimensions():
    # 20 points have more edges and triangles than simplices of dimension 16.
    bars = sx.rips_barcodes(
        distances=1 - np.eye(20), max_dimension=16, collapse=False, device="cpu"
    )
    counted = [of_dimension["simplices"] for of_dimension in bars.statistics["dimensions"]]
    assert sum(counted[1:]) > 100 * counted[16] > 0
    assert bars.statistics["forecast"]["simplices"] == pytest.approx(sum(counted[1:]), rel=1e-9)


def test_an_edge_collapse_reports_progress_between_waves():
    stages = []
    collapsed = sx.rips_barcodes(
        np.random.default_rng(6).random((300, 2)),
        max_dimension=2,
        collapse=True,
        device="cpu",
        progress=lambda part, stage: stages.append(stage),
    )
    assert collapsed.statistics["collapsed"] > 0
    assert stages.count("collapse") > 5  # the begin, the end, and some in between


def test_a_lack_of_memory_for_distances_suggests_a_lower_threshold(monkeypatch):
    monkeypatch.setattr(HostDevice, "free_memory", lambda self: 1 << 20)
    points = np.random.default_rng(7).random((4000, 5))
    with pytest.raises(sx.DeviceMemoryError, match=r"\. Lower threshold or use fewer points\."):
        sx.rips_barcodes(points, threshold=0.5, device="cpu")
    with pytest.raises(sx.DeviceMemoryError, match="The distance matrix of 4,000 points requires"):
        sx.rips_barcodes(points, device="cpu")


@pytest.mark.parametrize("n", [2, 3])
def test_fewer_points_than_a_simplex_has_are_valid(device, n):
    bars = sx.rips_barcodes(np.eye(n), max_dimension=4, device=device)
    assert bars.dimension.tolist() == [0] * n


def test_without_edges_every_point_is_essential(device):
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


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_points_that_look_like_distances_are_used_with_a_warning(metric):
    with pytest.warns(UserWarning, match="pass distances=D instead") as warned:
        bars = sx.rips_barcodes(SQUARE, metric=metric)
    assert len(warned) == 1
    assert warned[0].filename == __file__
    apart = abs(SQUARE[:, None] - SQUARE)
    lengths = np.sqrt((apart**2).sum(axis=2)) if metric == "euclidean" else apart.sum(axis=2)
    np.testing.assert_array_equal(bars.death, sx.rips_barcodes(distances=lengths).death)
    rounded = SQUARE * (1 + 1e-7 * np.tri(4))
    with pytest.warns(UserWarning, match="The input matrix is square and symmetric"):
        sx.rips_barcodes(rounded.tolist())
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The input matrix")
        sx.rips_barcodes(SQUARE)
    for points in (SQUARE[:3, :3], SQUARE + np.eye(4), -SQUARE, np.triu(SQUARE), SQUARE[:, :3]):
        sx.rips_barcodes(points)


@pytest.mark.gpu
def test_the_limit_of_gpu_memory_holds_for_few_points(cuda):
    points = np.random.default_rng(0).normal(size=(192, 4))
    points /= np.linalg.norm(points, axis=1)[:, None]
    with pytest.raises(sx.DeviceMemoryError, match="ranks of 192 points with a list of"):
        sx.rips_barcodes(points, max_dimension=3, device=cuda, memory_limit=1_400_000)
