"""Loops of points without a list of edges, and loops over Z/p, against cohomology."""

import numpy as np
import pytest

import separatrix as sx
from separatrix.rips import by_lunes, distances, listed_loops, listed_points, loops


@pytest.fixture(autouse=True)
def lunes_of_few_points(monkeypatch):
    monkeypatch.setattr(distances, "UNLISTED", 2)
    monkeypatch.setattr(distances, "UNLISTED_ON_GPU", 2)
    monkeypatch.setattr(by_lunes, "DISTINCT", 0.0)
    monkeypatch.setattr(by_lunes, "LONG_COLUMNS", 0)
    monkeypatch.setattr(loops, "TRIANGLES_TO_SPARE", 10**8)


@pytest.fixture(params=["tree", "kernels"])
def search(request, monkeypatch):
    """Whether the tree of points or kernels for a GPU find the open edges."""
    is_listed = request.param == "kernels"
    monkeypatch.setattr(by_lunes, "lists_on_device", lambda session: is_listed)


def ring(rng: np.random.Generator, n: int, width: float) -> np.ndarray:
    angle, radius = rng.random(n) * 2 * np.pi, 1 + width * rng.random(n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def drawn(rng: np.random.Generator) -> np.ndarray:
    """Points in any position, with equal distances, or with duplicates."""
    n, d = int(rng.integers(3, 60)), int(rng.integers(1, 5))
    points = (
        rng.random((n, d)),
        rng.random((n, d)).round(2),
        rng.integers(0, 4, (n, d)).astype(float),
        np.repeat(rng.random((n // 2 + 1, d)), 2, axis=0),
        ring(rng, n, 0.3).round(1),
    )[rng.integers(5)]
    return points + (0.0, 1e6)[rng.integers(2)]


def assert_same(found: sx.Barcodes, expected: sx.Barcodes) -> None:
    assert "loops" in found.statistics["dimensions"][1]
    for name in ("dimension", "birth", "death", "birth_edge", "death_edge"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    for end in ("birth", "death"):
        np.testing.assert_array_equal(found.simplices(end, 1), expected.simplices(end, 1))
    for name in ("threshold", "enclosing_radius", "prime"):
        assert getattr(found, name) == getattr(expected, name)
    for one, other in zip(found.representatives, expected.representatives, strict=True):
        np.testing.assert_array_equal(one.simplices, other.simplices)
        np.testing.assert_array_equal(one.coefficients, other.coefficients)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("form", ["points", "distances", "sparse"])
def test_loops_over_any_field_are_those_of_cohomology(form, seed, monkeypatch):
    rng = np.random.default_rng(seed)
    for _ in range(20):
        points, options = drawn(rng), {"device": "cpu", "representatives": 3}
        matrix = np.sqrt(sum((axis[:, None] - axis) ** 2 for axis in points.T))
        given = {
            "points": {"points": points},
            "distances": {"distances": matrix},
            "sparse": {
                "sparse": (
                    *np.triu_indices(len(points), 1),
                    matrix[np.triu_indices(len(points), 1)],
                )
            },
        }[form]
        options["threshold"] = (None, 0.5, 1.0)[rng.integers(3)]
        options["field"] = (2, 3, 5, 65521)[rng.integers(4)]
        options["threads"] = int(rng.integers(1, 3))
        monkeypatch.setattr(loops, "MANY_LOOPS", (-1, 20_000)[rng.integers(2)])
        found = sx.rips_barcodes(**given, **options)
        assert_same(found, sx.rips_barcodes(**given, method="cohomology", **options))


@pytest.mark.parametrize("seed", range(3))
def test_loops_of_large_holes_are_those_of_the_matrix(seed, search, monkeypatch):
    rng = np.random.default_rng(seed)
    angles = rng.random((700, 2)) * 2 * np.pi
    torus = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    cluster = np.concatenate([ring(rng, 300, 0.5), rng.normal(0, 0.01, (500, 2))])
    for points in (ring(rng, 900, 0.5), ring(rng, 600, 0.1).round(2), torus, cluster):
        found = sx.rips_barcodes(points, device="cpu")
        with monkeypatch.context() as listed:
            listed.setattr(distances, "UNLISTED", 10**9)
            assert_same(found, sx.rips_barcodes(points, device="cpu"))


def sampled(name: str, rng: np.random.Generator) -> np.ndarray:
    """Points with large holes, of which a sample shows when their loops die."""
    if name == "two holes":
        points = np.concatenate([ring(rng, 1800, 0.2), 3 * ring(rng, 1500, 0.5) + [5.5, 0]])
    elif name == "ties":
        points = np.unique(ring(rng, 2500, 0.4).round(2), axis=0)
    elif name == "torus":
        u, v = rng.random((2, 2500)) * 2 * np.pi
        points = np.stack([(2 + np.cos(v)) * np.cos(u), (2 + np.cos(v)) * np.sin(u), np.sin(v)], 1)
    else:
        points = np.concatenate([ring(rng, 2000, 0.3), rng.normal(0, 0.05, (600, 2))])
        points = np.concatenate([points, rng.normal(0, 0.001, (len(points), 2))], axis=1)
    return rng.permutation(points)


@pytest.mark.parametrize("name", ["two holes", "ties", "torus", "four coordinates"])
@pytest.mark.parametrize("threshold", [None, 0.9])
def test_loops_of_many_points_with_large_holes_are_those_of_the_matrix(
    name, threshold, monkeypatch
):
    points = sampled(name, np.random.default_rng(8))
    found = sx.rips_barcodes(points, device="cpu", threads=1, threshold=threshold)
    shared = sx.rips_barcodes(points, device="cpu", threads=3, threshold=threshold)
    assert found.statistics == shared.statistics
    for name in ("UNLISTED", "MANY_POINTS"):
        monkeypatch.setattr(distances, name, 10**9)
    expected = sx.rips_barcodes(points, device="cpu", threshold=threshold)
    for one in (found, shared):
        assert_same(one, expected)


def test_late_loops_of_listed_points_are_found_on_the_cpu(monkeypatch):
    monkeypatch.setattr(by_lunes, "lists_on_device", lambda session: True)
    points, searches = ring(np.random.default_rng(9), 1500, 0.4), []
    search = loops.loops_of
    monkeypatch.setattr(loops, "loops_of", lambda *a, **k: searches.append(a) or search(*a, **k))
    found = sx.rips_barcodes(points, device="cpu")
    assert len(searches) == 1
    monkeypatch.setattr(distances, "UNLISTED", 10**9)
    assert_same(found, sx.rips_barcodes(points, device="cpu"))


@pytest.mark.parametrize("seed", range(4))
def test_loops_of_listed_points_are_those_of_cohomology(seed, monkeypatch):
    monkeypatch.setattr(by_lunes, "lists_on_device", lambda session: True)
    monkeypatch.setattr(listed_loops, "ROOM", 4)  # tables grow
    rng = np.random.default_rng(10 + seed)
    for _ in range(30):
        monkeypatch.setattr(listed_points, "FIRST", (0.5, 4.0)[rng.integers(2)])
        points, options = drawn(rng), {"device": "cpu", "representatives": 3}
        options["threshold"] = (None, 0.5, 1.0)[rng.integers(3)]
        options["threads"] = int(rng.integers(1, 3))
        found = sx.rips_barcodes(points, **options)
        assert_same(found, sx.rips_barcodes(points, method="cohomology", **options))


@pytest.mark.parametrize("exponent", [-300, 0, 300])
@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_loops_of_filled_regions_are_those_of_the_matrix(d, exponent, search, monkeypatch):
    points = np.random.default_rng(d).random((800, d)) * 2.0**exponent
    found = sx.rips_barcodes(points, device="cpu")
    monkeypatch.setattr(distances, "UNLISTED", 10**9)
    assert_same(found, sx.rips_barcodes(points, device="cpu"))


def test_torsion_is_found_over_the_field_that_has_it():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(150, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    lines = np.arccos(np.minimum(np.abs(points @ points.T), 1))  # of the projective plane
    np.fill_diagonal(lines, 0)
    lines = np.maximum(lines, lines.T)
    lengths = {}
    for field in (2, 3):
        bars = sx.rips_barcodes(distances=lines, field=field, device="cpu")
        assert_same(bars, sx.rips_barcodes(distances=lines, field=field, method="cohomology"))
        lengths[field] = np.diff(bars.of_dimension(1)).max()
    assert lengths[2] > 2 * lengths[3]


def test_many_points_need_no_threshold(device, monkeypatch):
    monkeypatch.setattr(distances, "_require_matrix", None)
    points = np.random.default_rng(6).random((12_000, 3))
    bars = sx.rips_barcodes(points, device=device)
    counted = bars.statistics["dimensions"][1]
    assert len(bars.of_dimension(1)) == counted["loops"] == counted["links"] - 11_999
    assert np.isfinite(bars.of_dimension(1)).all()
    center = np.linalg.norm(points - 0.5, axis=1).argmin()
    assert bars.enclosing_radius <= np.linalg.norm(points - points[center], axis=1).max()


def test_very_many_points_are_announced_before_they_are_searched(monkeypatch):
    monkeypatch.setattr(by_lunes, "SECONDS_PER_POINT", 0.5)
    about = (
        r"may take about 7 minutes, because there are 200 points. To shorten it, lower threshold"
    )
    with pytest.warns(sx.LongRunWarning, match=about) as warned:
        sx.rips_barcodes(np.random.default_rng(20).random((200, 2)), device="cpu")
    assert len(warned) == 1
