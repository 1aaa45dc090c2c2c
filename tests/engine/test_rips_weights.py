"""Weighted Rips filtrations: times by the formulas, births as ranks, distances to a measure."""

from __future__ import annotations

import numpy as np
import pytest

import separatrix as sx
from oracles import rips as oracle
from separatrix.device import Session
from separatrix.rips.distances import Distances
from separatrix.rips.ranks import ranked
from separatrix.rips.weights import (
    distance_to_measure,
    weighted,
    with_births,
)


def distances_of(points):
    return np.linalg.norm(points[:, None] - points, axis=2)


def on(device, data):
    """Work on a device, and arrays brought there."""
    session = Session(np.zeros(1), device)
    with session.device.current():
        return session, [session.upload(np.asarray(part)) for part in data]


def host(array):
    return array.get() if hasattr(array, "get") else array


def times(d, weights, power, device="cpu"):
    session, (matrix, births) = on(device, (np.asarray(d, float), np.asarray(weights, float)))
    with session.device.current():
        return host(weighted(session, Distances(len(d), matrix), births, power).matrix)


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


@pytest.mark.parametrize("power", [1, 2])
def test_an_edge_comes_when_its_balls_touch(power):
    rng = np.random.default_rng(power)
    for _ in range(300):
        d, a, b = rng.uniform(0, 3, 3) * rng.integers(0, 2, 3)
        got = times([[0, d], [d, 0]], [a, b], power)[0, 1]
        np.testing.assert_allclose(got, time_balls_touch(d, a, b, power), rtol=1e-9, atol=1e-9)


def test_with_the_power_infinity_an_edge_waits_for_its_ends_and_no_longer():
    got = times([[0, 2, 5], [2, 0, 1], [5, 1, 0]], [3, 0, 4], 0)
    assert got.tolist() == [[0, 3, 5], [3, 0, 4], [5, 4, 0]]


@pytest.mark.parametrize("power", [0, 1, 2])
def test_weights_of_zero_change_no_bit(power, device):
    d = distances_of(np.random.default_rng(8).normal(size=(40, 3)) * 1e-3)
    d[3, 5] = d[5, 3] = np.inf
    assert (times(d, np.zeros(40), power, device) == d).all()


@pytest.mark.parametrize("power", [0, 1, 2])
def test_no_edge_comes_before_its_ends_and_both_orders_agree(power, device):
    rng = np.random.default_rng(9)
    d = distances_of(rng.normal(size=(60, 2)))
    w = rng.uniform(0, 2, 60) * rng.integers(0, 2, 60)
    got = times(d, w, power, device)
    off = ~np.eye(60, dtype=bool)
    assert (got == got.T).all()
    assert (got >= np.maximum.outer(w, w))[off].all()
    assert (got >= d).all() or power != 1
    assert (got == times(d, w, power)).all()


def test_edges_get_the_times_of_the_matrix(device):
    rng = np.random.default_rng(10)
    d, w = distances_of(rng.normal(size=(30, 2))), rng.uniform(0, 2, 30)
    ends = np.stack(np.triu_indices(30, 1), 1).astype(np.int32)
    session, (pairs, values, births) = on(device, (ends, d[ends[:, 0], ends[:, 1]], w))
    with session.device.current():
        got = host(weighted(session, Distances(30, ends=pairs, values=values), births, 2).values)
    assert (got == times(d, w, 2)[ends[:, 0], ends[:, 1]]).all()


def test_births_and_edges_share_their_ranks():
    matrix = np.array([[0, 3, 4.0], [3, 0, 4], [4, 4, 0]])
    session = Session(np.zeros(1), "cpu")
    graph, of_vertices = with_births(
        ranked(session, Distances(3, matrix), np.inf), np.array([0.0, 2.0, 4.0])
    )
    assert graph.levels.tolist() == [0, 2, 3, 4]
    assert graph.rank.tolist() == [2, 3, 3]
    assert of_vertices.tolist() == [0, 1, 3]


def test_edges_of_length_zero_come_after_births_at_zero():
    session = Session(np.zeros(1), "cpu")
    graph, of_vertices = with_births(
        ranked(session, Distances(2, np.zeros((2, 2))), np.inf), np.zeros(2)
    )
    assert graph.levels.tolist() == [0, 0]
    assert (graph.rank.tolist(), of_vertices.tolist()) == ([1], [0, 0])


@pytest.mark.parametrize("k", [1, 2, 7])
def test_the_distance_to_a_measure_is_the_root_mean_square_of_the_nearest(k, device):
    points = np.random.default_rng(11).normal(size=(50, 3))
    session, (matrix,) = on(device, (distances_of(points),))
    near = np.sort(distances_of(points), axis=1)[:, :k]
    with session.device.current():
        by_points = host(distance_to_measure(session, k, points))
        by_matrix = host(distance_to_measure(session, k, distances=Distances(50, matrix)))
    np.testing.assert_allclose(by_points, 2 * np.sqrt((near**2).mean(axis=1)), rtol=1e-12)
    np.testing.assert_allclose(by_points, by_matrix, rtol=1e-12)
    cpu = distance_to_measure(Session(np.zeros(1), "cpu"), k, points)
    assert (by_points == cpu).all()


def test_an_outlier_is_born_late():
    points = np.random.default_rng(12).normal(size=(40, 2))
    points[7] = 30
    births = distance_to_measure(Session(np.zeros(1), "cpu"), 5, points)
    assert births.argmax() == 7
    assert births[7] > 20 * np.median(births)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"weights": np.zeros(3)}, r"'dtm' or an array of 4 real numbers; got shape \(3,\) and"),
        (
            {"weights": np.array([0, 1, -2, 0.0])},
            r"weights must be finite and non-negative; got weights\[2\] = -2.0 \(1 invalid value\)",
        ),
        ({"weights": np.array([0, np.nan, np.inf, 0])}, r"weights\[1\] = nan \(2 invalid values\)"),
        ({"weights": "dtm", "dtm_neighbors": 5}, "dtm_neighbors must be .* from 1 to 4.*5"),
        (
            {"weights": "dtm", "dtm_neighbors": 2, "distances": np.where(np.eye(4), 0, np.inf)},
            "Point 0 has fewer, including itself .4 such points",
        ),
        (
            {"weights": "dtm", "sparse": ([0], [3], [1.0])},
            "Weights by the distance to a measure require the distances of all pairs.",
        ),
    ],
)
def test_invalid_weights_are_rejected(given, text):
    points = {} if {"distances", "sparse"} & given.keys() else {"points": np.zeros((4, 2))}
    with pytest.raises(sx.InputError, match=text):
        sx.rips_barcodes(**points, **given, device="cpu")


def bars_of(values, births, **options):
    found = oracle.bars_of(values, 2, births=births, **options)
    return oracle.barcode([bar for bar in found if bar.birth <= options.get("threshold", np.inf)])


def barcode(bars):
    columns = (bars.dimension, bars.birth, bars.death)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize(("power", "code"), [(1, 1), (2, 2), (np.inf, 0)])
def test_weighted_bars_are_those_of_the_whole_boundary_matrix(power, code, device):
    rng = np.random.default_rng(30 + code)
    for k in (1, 2, 3, 6, 1000) * 6:
        n = int(rng.integers(2, 8))
        values = oracle.random_values(rng, n, k, absent=0.2 * (k == 3))
        births = rng.integers(0, k + 1, n).astype(float)
        threshold = float(rng.choice([np.inf, k, k / 2]))
        prime = int(rng.choice([2, 3]))
        bars = sx.rips_barcodes(
            distances=values,
            weights=births,
            weight_power=power,
            max_dimension=2,
            threshold=None if threshold == np.inf else threshold,
            field=prime,
            device=device,
        )
        later = times(values, births, code)
        assert barcode(bars) == bars_of(later, births, threshold=threshold, prime=prime)


def test_weights_of_zero_give_the_plain_bars_bit_for_bit(device):
    points = np.random.default_rng(31).normal(size=(60, 2))
    plain = sx.rips_barcodes(points, device=device)
    for power in (1, 2, np.inf):
        zero = sx.rips_barcodes(points, weights=np.zeros(60), weight_power=power, device=device)
        assert barcode(zero) == barcode(plain)


def test_a_circle_with_outliers_in_it_keeps_its_loop_by_distances_to_a_measure(device):
    turn = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    inside = np.random.default_rng(32).uniform(-0.4, 0.4, (4, 2))
    points = np.concatenate([np.stack([np.cos(turn), np.sin(turn)], 1), inside])
    loops = {}
    for weights, neighbors in ((None, None), ("dtm", 8)):
        bars = sx.rips_barcodes(points, weights=weights, dtm_neighbors=neighbors, device=device)
        loops[weights] = max(death - birth for birth, death in bars.of_dimension(1))
    assert loops["dtm"] > loops[None]
