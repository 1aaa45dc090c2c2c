"""Weighted Rips filtrations: times by the formulas, births as ranks, distances to a measure."""

import numpy as np
import pytest

import separatrix as sx
from engine.rejections import assert_rejected
from engine.rips_sets import barcode, distances_of
from oracles import rips as oracle


def time_balls_touch(d, a, b, p):
    """The scale at which two growing balls touch, by bisection: radii (t^p - w^p)^(1/p)."""

    def radius(t, w):
        return max(t**p - w**p, 0.0) ** (1 / p) if t >= w else -np.inf

    low, high = max(a, b), 10 * (d + a + b) + 1
    if radius(low, a) + radius(low, b) >= 2 * d:
        return low
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if radius(middle, a) + radius(middle, b) >= 2 * d else (middle, high)
        )
    return high


def times_of(values, births, power):
    """Matrix (n, n) of the times of edges; at infinity an edge waits for its ends only."""
    later = values.copy()
    for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
        a, b = births[i], births[j]
        if i != j:
            later[i, j] = (
                max(values[i, j], a, b)
                if power == np.inf
                else time_balls_touch(values[i, j], a, b, power)
            )
    return later


@pytest.mark.parametrize("k", [1, 2, 7])
def test_the_distance_to_a_measure_is_the_root_mean_square_of_the_nearest(k, device):
    points = np.random.default_rng(11).normal(size=(50, 3))
    d = distances_of(points)
    births = 2 * np.sqrt((np.sort(d, axis=1)[:, :k] ** 2).mean(axis=1))
    options = {"max_dimension": 1, "collapse": False, "device": device}
    expected = sx.rips_barcodes(points, weights=births, **options)
    for given in ({"points": points}, {"distances": d}):
        found = sx.rips_barcodes(**given, weights="dtm", dtm_neighbors=k, **options)
        assert found.birth[found.dimension == 0].max() > 0 or k == 1
        np.testing.assert_allclose(sorted(barcode(found)), sorted(barcode(expected)), rtol=1e-9)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"weights": np.zeros(3)}, "weights"),
        ({"weights": np.array([0, 1, -2, 0.0])}, "weights[2]"),
        ({"weights": np.array([0, np.nan, np.inf, 0])}, "weights[1]"),
        ({"weights": "dtm", "dtm_neighbors": 5}, "dtm_neighbors"),
        (
            {"weights": "dtm", "dtm_neighbors": 2, "distances": np.where(np.eye(4), 0, np.inf)},
            "dtm_neighbors",
        ),
        (
            {"weights": "dtm", "sparse": ([0], [3], [1.0])},
            "require the distances of all pairs",
        ),
    ],
)
def test_invalid_weights_are_rejected(given, named):
    points = {} if {"distances", "sparse"} & given.keys() else {"points": np.zeros((4, 2))}
    assert_rejected(named, sx.rips_barcodes, **points, **given, device="cpu")


@pytest.mark.parametrize("power", [1, 2, np.inf])
@pytest.mark.parametrize("form", ["matrix", "sparse"])
def test_weighted_bars_are_those_of_the_whole_boundary_matrix(power, form, device):
    rng = np.random.default_rng(30)
    for k in (1, 2, 3, 6, 1000) * 6:
        n = int(rng.integers(2, 8))
        values = oracle.random_values(rng, n, k, absent=0.2 * (k == 3))
        values[values == k] *= rng.integers(0, 2)  # at times edges of length 0
        births = rng.integers(0, k + 1, n).astype(float)
        threshold = float(rng.choice([np.inf, k, k / 2]))
        prime = int(rng.choice([2, 3]))
        i, j = np.nonzero(np.isfinite(values) & ~np.eye(n, dtype=bool))
        bars = sx.rips_barcodes(
            **{"distances": values} if form == "matrix" else {"sparse": (i, j, values[i, j], n)},
            weights=births,
            weight_power=power,
            max_dimension=2,
            threshold=None if threshold == np.inf else threshold,
            field=prime,
            device=device,
        )
        later = times_of(values, births, power)
        cut = {"births": births, "threshold": threshold, "prime": prime}
        expected = [
            bar
            for bar in oracle.barcode(oracle.bars_of(later, 2, **cut))
            if bar[2] > bar[1] + 1e-9 and bar[1] <= threshold
        ]
        found = [bar for bar in sorted(barcode(bars)) if bar[2] > bar[1] + 1e-9]
        np.testing.assert_allclose(np.round(found, 9), np.round(expected, 9), rtol=1e-8)


def test_weighting_by_distance_to_a_measure_preserves_the_loop_of_a_circle_with_outliers(device):
    turn = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    inside = np.random.default_rng(32).uniform(-0.4, 0.4, (4, 2))
    points = np.concatenate([np.stack([np.cos(turn), np.sin(turn)], 1), inside])
    loops = {}
    for weights, neighbors in ((None, None), ("dtm", 8)):
        bars = sx.rips_barcodes(points, weights=weights, dtm_neighbors=neighbors, device=device)
        loops[weights] = max(death - birth for birth, death in bars.of_dimension(1))
    assert loops["dtm"] > loops[None]
