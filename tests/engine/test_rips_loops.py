"""Loops by lunes and annotations, against cohomology, the boundary matrix, and plain Python."""

import time
from types import SimpleNamespace

import numpy as np
import pytest

import separatrix as sx
from oracles.annotations import bars_by_annotations
from oracles.rips import Bar, bars_of, random_values
from separatrix.rips import by_lunes, forecast, listed_loops, loops


@pytest.fixture(autouse=True)
def lunes_whatever_is_faster(monkeypatch):
    """Small or tied matrices would be left to cohomology."""
    monkeypatch.setattr(by_lunes, "LONG_COLUMNS", 0)
    monkeypatch.setattr(by_lunes, "DISTINCT", 0.0)
    monkeypatch.setattr(loops, "TRIANGLES_TO_SPARE", 10**8)


def lattice(rng: np.random.Generator) -> np.ndarray:
    """Distances of points with few coordinates, some of them equal."""
    return distances_of(rng.integers(0, 4, (int(rng.integers(3, 40)), 2)).astype(float))


def distances_of(points: np.ndarray) -> np.ndarray:
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def tied(rng: np.random.Generator, most: int) -> np.ndarray:
    """A matrix with few or many equal entries and, at times, missing edges."""
    if rng.random() < 0.3:
        return lattice(rng)
    kinds = (1, 2, 3, 6, 20, 100, 10**6)[rng.integers(7)]
    return random_values(rng, int(rng.integers(3, most)), kinds, (0.0, 0.0, 0.3)[rng.integers(3)])


def used_lunes(bars: sx.Barcodes) -> bool:
    return "loops" in bars.statistics["dimensions"][1]


def loops_in(bars: sx.Barcodes) -> list[Bar]:
    found = zip(
        *(bars.of_dimension(1).tolist(), bars.simplices("birth", 1).tolist()),
        bars.simplices("death", 1).tolist(),
        strict=True,
    )
    return sorted(
        (
            Bar(1, birth, death, tuple(born), tuple(died) if died[0] >= 0 else None)
            for (birth, death), born, died in found
        ),
        key=lambda bar: bar.born,
    )


def assert_same(first: sx.Barcodes, second: sx.Barcodes) -> None:
    for name in ("dimension", "birth", "death", "birth_edge", "death_edge"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), name)
    for name in ("threshold", "enclosing_radius", "n_points", "prime"):
        assert getattr(first, name) == getattr(second, name)
    assert first.statistics["edges"] == second.statistics["edges"]
    for one, other in zip(
        first.birth_simplex + first.death_simplex,
        second.birth_simplex + second.death_simplex,
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(first.representatives, second.representatives, strict=True):
        assert one.bar == other.bar
        np.testing.assert_array_equal(one.simplices, other.simplices)
        np.testing.assert_array_equal(one.coefficients, other.coefficients)


@pytest.mark.parametrize("seed", range(4))
def test_loops_are_those_of_the_boundary_matrix(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        values = tied(rng, 10)[:9, :9]
        threshold = float(rng.choice(values[np.isfinite(values)])) if rng.random() < 0.3 else np.inf
        expected = [b for b in bars_of(values, 1, threshold=threshold) if b.dimension == 1]
        expected.sort(key=lambda bar: bar.born)
        assert bars_by_annotations(values, threshold) == expected
        found = sx.rips_barcodes(distances=values, threshold=threshold, device="cpu")
        assert loops_in(found) == expected


@pytest.mark.parametrize("seed", range(3))
def test_loops_of_more_points_are_those_of_annotations_in_plain_python(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(4):
        values = tied(rng, 30)
        assert loops_in(sx.rips_barcodes(distances=values)) == bars_by_annotations(values)


@pytest.mark.parametrize("seed", range(4))
def test_both_methods_give_the_same_bars_simplices_and_cycles(device, seed):
    rng = np.random.default_rng(200 + seed)
    n_by_lunes = 0
    for _ in range(40):
        values = tied(rng, 40)
        options = {
            "max_dimension": int(rng.integers(0, 3)),
            "threshold": float(values.max()) / 2 if rng.random() < 0.3 else None,
            "representatives": 1000 if rng.random() < 0.7 else None,
            "collapse": False,
            "device": device,
        }
        found = sx.rips_barcodes(distances=values, **options)
        assert_same(found, sx.rips_barcodes(distances=values, method="cohomology", **options))
        n_by_lunes += options["max_dimension"] > 0 and used_lunes(found)
    assert n_by_lunes > 10


@pytest.mark.parametrize("seed", range(3))
def test_open_edges_that_kernels_list_have_the_same_loops(seed, monkeypatch):
    rng = np.random.default_rng(300 + seed)
    monkeypatch.setattr(listed_loops, "ROOM", 4)  # tables grow
    inputs = [tied(rng, 40) for _ in range(25)] + [distances_of(rng.random((150, 2)))]
    for values in inputs:
        options = {
            "threshold": float(values[np.isfinite(values)].max()) / 2
            if rng.random() < 0.3
            else None,
            "representatives": 1000 if rng.random() < 0.7 else None,
            "field": (2, 2, 3)[rng.integers(3)],
            "device": "cpu",
        }
        expected = sx.rips_barcodes(distances=values, **options)
        with monkeypatch.context() as patched:
            patched.setattr(by_lunes, "lists_on_device", lambda session: True)
            found = sx.rips_barcodes(distances=values, **options)
        assert used_lunes(found)
        assert_same(found, expected)


@pytest.mark.parametrize("seed", range(2))
def test_listed_edges_of_rounded_points_have_the_same_loops(seed, monkeypatch):
    rng = np.random.default_rng(400 + seed)
    for _ in range(20):
        d, options = int(rng.integers(1, 6)), {"representatives": 1000, "device": "cpu"}
        points = (rng.random((60, d)) * rng.integers(8, 60)).round(int(rng.integers(0, 2)))
        expected = sx.rips_barcodes(points, method="cohomology", **options)
        with monkeypatch.context() as patched:
            patched.setattr(by_lunes, "lists_on_device", lambda session: True)
            patched.setattr(by_lunes, "DISTINCT", 0)
            assert_same(sx.rips_barcodes(points, **options), expected)


def test_kernels_list_few_of_the_edges(device, monkeypatch):
    monkeypatch.setattr(by_lunes, "lists_on_device", lambda session: True)
    bars = sx.rips_barcodes(np.random.default_rng(20).random((500, 3)), device=device)
    counted = bars.statistics["dimensions"][1]
    assert counted["visited_edges"] < 0.02 * counted["simplices"]
    assert len(bars.of_dimension(1)) == counted["loops"] <= counted["divided_lunes"]


@pytest.mark.parametrize("threads", [1, 3])
def test_points_and_random_matrices_have_the_bars_of_cohomology(threads):
    rng = np.random.default_rng(7)
    angle = rng.random(400) * 2 * np.pi
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1) + rng.normal(0, 0.1, (400, 2))
    for given in (
        {"points": ring},
        {"points": ring.round(1)},
        {"points": rng.random((300, 3))},
        {"distances": random_values(rng, 100, 10**9)},
    ):
        options = {"representatives": "longest", "device": "cpu", "threads": threads}
        found = sx.rips_barcodes(**given, **options)
        assert used_lunes(found)
        assert_same(found, sx.rips_barcodes(**given, method="cohomology", **options))


@pytest.mark.parametrize("threads", [1, 3])
def test_graphs_with_few_edges_have_the_bars_of_cohomology(threads, monkeypatch):
    from separatrix.rips import distances

    monkeypatch.setattr(distances, "MANY_POINTS", 100)
    rng = np.random.default_rng(14)
    points = rng.random((500, 2))
    i, j = rng.integers(0, 60, (2, 600))
    few = np.where(i != j, rng.integers(1, 50, 600), 0).astype(float)
    rows = np.full((60, 60), np.inf)
    rows[i, j] = few
    rows = np.minimum(rows, rows.T)
    np.fill_diagonal(rows, 0)
    for given in (
        {"points": points, "threshold": 0.12},
        {"points": points.round(2), "threshold": 0.12},
        {"points": points, "threshold": 1e-9},
        {"sparse": (*np.nonzero(np.isfinite(rows)), rows[np.isfinite(rows)], 70)},
        {"distances": rows},
        {"points": points[:, :1], "threshold": 0.5, "epsilon": 0.5},
    ):
        options = {"representatives": "longest", "device": "cpu", "threads": threads}
        found = sx.rips_barcodes(**given, **options)
        assert used_lunes(found)
        assert_same(found, sx.rips_barcodes(**given, method="cohomology", **options))


def test_loops_are_counted_before_they_end():
    points = np.random.default_rng(8).random((200, 2))
    bars = sx.rips_barcodes(points, device="cpu")
    counted = bars.statistics["dimensions"][1]
    assert counted["loops"] == len(bars.of_dimension(1)) == counted["links"] - 199
    assert counted["visited_edges"] < counted["simplices"] == bars.statistics["edges"]


def test_many_equal_edges_leave_the_work_to_cohomology(monkeypatch):
    values = random_values(np.random.default_rng(9), 20, 3)
    expected = sx.rips_barcodes(distances=values, representatives=5, device="cpu")
    assert used_lunes(expected)
    monkeypatch.setattr(loops, "TRIANGLES_TO_SPARE", -400)
    for d in (1, 2):
        found = sx.rips_barcodes(distances=values, max_dimension=d, device="cpu")
        assert not used_lunes(found)
    assert_same(expected, sx.rips_barcodes(distances=values, representatives=5, device="cpu"))


def test_some_equal_edges_among_many_do_not_leave_the_work_to_cohomology(monkeypatch):
    monkeypatch.setattr(loops, "TRIANGLES_TO_SPARE", 10_000)
    monkeypatch.setattr(by_lunes, "DISTINCT", 0.5)
    rng = np.random.default_rng(21)
    turn, radius = 2 * np.pi * rng.random(700), np.sqrt(0.25 + 0.75 * rng.random(700))
    ring = np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)
    values = distances_of(ring).round(5)  # as in float32 with more points
    found = sx.rips_barcodes(distances=values, device="cpu")
    assert used_lunes(found)
    assert_same(found, sx.rips_barcodes(distances=values, method="cohomology", device="cpu"))


def test_lattices_are_left_to_cohomology(monkeypatch):
    monkeypatch.setattr(by_lunes, "DISTINCT", 0.5)
    points = np.stack(np.meshgrid(np.arange(8.0), np.arange(8.0)), axis=-1).reshape(-1, 2)
    bars = sx.rips_barcodes(points, device="cpu")
    assert not used_lunes(bars)
    assert len(bars.of_dimension(1)) == 49


def test_a_hard_matrix_warns_before_it_starts(monkeypatch):
    values = random_values(np.random.default_rng(10), 150, 10**9)
    monkeypatch.setattr(loops, "SECONDS_PER_CUBE", 1e-6)
    about = r"may take about \d+ minutes, because 150 points have \d+ loops. To shorten it, lower"
    with pytest.warns(sx.LongRunWarning, match=about) as warned:
        sx.rips_barcodes(distances=values, device="cpu")
    assert [str(w.filename) for w in warned] == [__file__]


def test_the_warning_is_repeated_when_the_estimate_doubles(monkeypatch):
    now, parts = [0.0], []
    monkeypatch.setattr(forecast.time, "perf_counter", lambda: now[0])
    session = SimpleNamespace(progressed=parts.append)
    outlook = forecast.Outlook(session, 2000, "1,000 points have 2,000 loops")
    reported = []
    monkeypatch.setattr(forecast, "warn_caller", lambda text, kind: reported.append(text))
    for seconds, n_ended in (
        (1.0, 1000),
        (2.0, 1100),
        (62.0, 1200),
        (100.0, 1250),
        (500.0, 1280),
        (9e3, 1280),
    ):
        now[0] = seconds
        outlook.look(n_ended)
    assert [text.split(",")[0] for text in reported] == [
        "This computation may take about 8 minutes",
        "This computation may take about 33 minutes",
        "This computation may take about 10 hours",
    ]
    assert parts[:2] == [0.5, pytest.approx(2 / 11)]  # of the time, not of the loops


def test_the_first_deaths_alone_predict_nothing(monkeypatch):
    now, reported = [0.0], []
    monkeypatch.setattr(forecast.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(forecast, "warn_caller", lambda text, kind: reported.append(text))
    session = SimpleNamespace(progressed=lambda part: None)
    outlook = forecast.Outlook(session, 600_000, "there are many points", about=50.0)
    for seconds, n_ended in ((15.0, 1000), (18.0, 29_000), (20.0, 200_000), (40.0, 600_000)):
        now[0] = seconds
        outlook.look(n_ended)
    assert reported == []


@pytest.mark.filterwarnings("error")
def test_a_hard_matrix_is_announced_within_two_seconds_of_the_processor():
    values = random_values(np.random.default_rng(18), 2000, 10**9)
    begin = time.process_time()
    with pytest.raises(sx.LongRunWarning, match=r"about \d+ minutes, "):
        sx.rips_barcodes(distances=values, device="cpu", threads=1)
    assert time.process_time() - begin < 2


def test_a_long_reduction_is_announced_while_it_runs(monkeypatch):
    monkeypatch.setattr(forecast, "LONG", 0.02)
    values = random_values(np.random.default_rng(19), 300, 10**9)
    about = r"because [\d,]+ simplices of dimension 1 are reduced. To shorten it, lower threshold"
    with pytest.warns(sx.LongRunWarning, match=about):
        sx.rips_barcodes(distances=values, method="cohomology", device="cpu", threads=1)


def test_the_time_of_a_hard_matrix_is_estimated_while_it_runs(monkeypatch):
    seen = []
    monkeypatch.setattr(forecast.Outlook, "look", lambda outlook, n_ended: seen.append(n_ended))
    values = random_values(np.random.default_rng(15), 450, 10**9)
    sx.rips_barcodes(distances=values, device="cpu", threads=1)
    assert seen
    assert seen == sorted(seen)


def test_work_beyond_the_limit_is_rejected_while_it_runs():
    values = random_values(np.random.default_rng(11), 250, 10**9)
    text = r"The number of steps is .* of [\d,]+ loops; work_limit allows 4e\+04. Lower threshold"
    with pytest.raises(sx.InputError, match=text):
        sx.rips_barcodes(distances=values, work_limit=4e4, device="cpu")


@pytest.mark.parametrize("d", [1, 2])
def test_reductions_beyond_the_work_limit_are_rejected_while_they_run(d):
    values = random_values(np.random.default_rng(12), (200, 60)[d - 1], 10**9)
    text = (
        rf"^The number of steps is .* after [\d,]+ of [\d,]+ simplices of dimension {d}; "
        r"work_limit allows 3e\+04. Lower threshold, use fewer points, or raise work_limit.$"
    )
    options = {"max_dimension": d, "method": "cohomology", "collapse": False, "device": "cpu"}
    for threads in (1, 3):
        with pytest.raises(sx.InputError, match=text):
            sx.rips_barcodes(distances=values, work_limit=3e4, threads=threads, **options)
    counted = sx.rips_barcodes(distances=values, **options).statistics["dimensions"][d]
    assert counted["cofacets"] > 3e4


def test_triangles_that_differ_by_rounding_are_accepted_with_a_warning(device):
    points = np.random.default_rng(12).random((30, 2))
    lower = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    near = lower.copy()
    near[3, 7] += 1e-7
    near[np.triu_indices(30, 1)] *= 1 + 1e-12
    about = r"symmetric only up to rounding: 435 pairs .* at most \[7, 3\] = .* and \[3, 7\] = "
    with pytest.warns(RuntimeWarning, match=about):
        found = sx.rips_barcodes(distances=near, device=device)
    assert_same(found, sx.rips_barcodes(distances=lower, device=device))


def test_a_condensed_matrix_with_a_threshold_is_never_expanded(monkeypatch):
    from scipy.spatial.distance import pdist, squareform

    from separatrix.rips import distances

    condensed = pdist(np.random.default_rng(13).random((300, 2)))
    options = {"threshold": 0.1, "device": "cpu"}
    expected = sx.rips_barcodes(distances=squareform(condensed), **options)
    monkeypatch.setattr(distances, "MANY_POINTS", 100)
    monkeypatch.setattr(distances, "_require_matrix", None)
    found = sx.rips_barcodes(distances=condensed, **options)
    for name in ("dimension", "birth", "death", "birth_edge", "death_edge"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
