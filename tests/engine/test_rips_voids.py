"""Voids by the apexes of lunes, against cohomology."""

import numpy as np
import pytest

import separatrix as sx
from oracles.rips import random_values
from separatrix.rips import by_lunes


def apart(points: np.ndarray) -> np.ndarray:
    return np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))


def torus(rng: np.random.Generator, n: int) -> np.ndarray:
    u, v = rng.random((2, n)) * 2 * np.pi
    return np.stack([(2 + np.cos(v)) * np.cos(u), (2 + np.cos(v)) * np.sin(u), np.sin(v)], axis=1)


def given(rng: np.random.Generator) -> np.ndarray:
    """Distances in space or at random, some of them rounded so that a few are equal."""
    if rng.random() < 0.3:
        return random_values(rng, int(rng.integers(4, 30)), (20, 1000, 10**6)[rng.integers(3)], 0.1)
    n = int(rng.integers(20, 80))
    points = torus(rng, n) if rng.random() < 0.5 else rng.standard_normal((n, 3))
    digits = (None, 3, 4, 6)[rng.integers(4)]
    return apart(points) if digits is None else np.round(apart(points), digits)


def used_apexes(bars: sx.Barcodes) -> bool:
    return "open_edges" in bars.statistics["dimensions"][2]


def assert_same(first: sx.Barcodes, second: sx.Barcodes) -> None:
    for name in ("dimension", "birth", "death", "birth_edge", "death_edge"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name), name)
    for end in ("birth", "death"):
        np.testing.assert_array_equal(first.simplices(end, 2), second.simplices(end, 2))
    counts = [bars.statistics["dimensions"][2] for bars in (first, second)]
    for name in ("simplices", "cleared", "columns"):
        assert counts[0][name] == counts[1][name], name


@pytest.mark.parametrize("seed", range(4))
def test_apexes_give_the_bars_and_simplices_of_cohomology(seed, monkeypatch):
    monkeypatch.setattr(by_lunes, "EDGES_PER_OPEN", 0)
    monkeypatch.setattr(by_lunes, "DISTINCT_FOR_VOIDS", 0.0)
    rng, n_used, n_voids = np.random.default_rng([24, seed]), 0, 0
    for _ in range(20):
        distances = given(rng)
        options = {"max_dimension": 2, "relabel": bool(rng.integers(2)), "device": "cpu"}
        if rng.random() < 0.3:
            options["threshold"] = float(np.median(distances[np.isfinite(distances)]))
        bars = sx.rips_barcodes(distances=distances, threads=1 + seed % 2, **options)
        assert_same(bars, sx.rips_barcodes(distances=distances, method="cohomology", **options))
        n_used += used_apexes(bars)
        n_voids += used_apexes(bars) * len(bars.of_dimension(2))
    assert n_used >= 6
    assert n_voids > 10


def test_points_of_a_cube_use_apexes_unless_cohomology_is_required_or_faster():
    rng = np.random.default_rng(5)
    distances = apart(rng.random((300, 3)))
    of = lambda d=distances, **options: sx.rips_barcodes(  # noqa: E731
        distances=d, max_dimension=2, device="cpu", **options
    )
    bars = of()
    assert used_apexes(bars)
    assert_same(bars, of(method="cohomology"))
    values = np.triu(rng.random((60, 60)), 1)
    rounded = np.ceil(9 * distances)
    for other in (of(field=3), of(representatives=1), of(values + values.T), of(rounded)):
        assert not used_apexes(other)
