"""Neighbors, clusters, reductions and densities under stress: magnitudes, ties, orders.

Invariants: neighbors are determined by float64 squares summed from left to right. The pairs are
the same for any numbering, and for any symmetry or shift that keeps the coordinates exact. Ties go
to the lower index: after a renumbering another one of equally distant points may be listed, with
the same distance. Sums use fixed lanes of columns: another order of the columns may round
differently, but another order of the rows changes no bit.
"""

import numpy as np
import pytest

import separatrix as sx
from engine.test_neighbors import lists
from oracles.everything import assert_same_bits
from oracles.pairs import reduced
from oracles.point_sets import nearest_lists, neighbor_lists, squared_distances
from reliability.hard_inputs import (
    HARD_SETS,
    SYMMETRIES,
    moved,
    orders,
    pools,
    scaled_points,
    whole_points,
)
from reliability.whole_results import arrays_of


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_random_points_have_the_neighbors_of_all_pairs(device, seed):
    random = np.random.default_rng([7, seed])
    extremes = list(scaled_points().values())
    for k in range(400):
        pool = pools()[random.integers(10)] * 2.0 ** random.integers(-300, 300)
        pool = extremes[k % len(extremes)] if k % 2 else pool
        x = pool[random.integers(0, len(pool), random.integers(1, 60))]
        x = x[:, : random.integers(1, 4)] * random.choice([-1, 1])
        y = x if random.random() < 0.5 else x[::-1] + 0.0
        d2 = squared_distances(x, y)
        radius = float(np.sqrt(random.choice(d2.ravel())))
        radius = float(random.choice([radius, np.nextafter(radius, 0.0), 1.5 * radius, 0.0]))
        found = sx.neighbors(x, y, radius=radius, device=device)
        assert lists(found) == neighbor_lists(x, y, radius), f"{x!r} {radius!r}"
        near = nearest_lists(x, y, 4)
        got = sx.nearest(x, y, k=4, device=device)
        assert sx.to_host(got[0]).tobytes() == near[0].tobytes(), f"{x!r}"
        assert np.array_equal(sx.to_host(got[1]), near[1]), f"{x!r}"


def test_renumbering_and_symmetries_of_points_change_only_ids(device):
    for name, points in whole_points().items():
        points = points.astype(float)
        radius = 3.0
        plain = lists(sx.neighbors(points, radius=radius))
        distances = sx.nearest(points, k=4)[0]
        for order in orders(len(points)).values():
            for axes, signs in SYMMETRIES[::5]:
                x = moved(points, axes, signs)[order] + np.array([2.0**30, -5.0, 2.0**20])
                found = lists(sx.neighbors(x, radius=radius, device=device))
                assert [sorted(order[row]) for row in found] == [plain[i] for i in order], name
                near = sx.to_host(sx.nearest(x, k=4, device=device)[0])
                assert near.tobytes() == distances[order].tobytes(), name


def test_clusters_of_hard_points_are_the_occupied_cells(device):
    for name, points in HARD_SETS.items():
        extent = float(np.ptp(points, axis=0).max()) or 1.0
        for size in (extent / 7, extent / 1000, extent, 3 * extent):
            if size <= 0:
                continue
            found = sx.cluster(points, size, levels=2, device=device)
            cells = np.floor((points - points.min(axis=0)) / size)
            labels = sx.to_host(found.labels)
            _, expected = np.unique(cells, axis=0, return_inverse=True)
            assert_same_partition(labels, expected.ravel(), name)
            assert_same_bits(arrays_of(sx.cluster(points, size, levels=2)), arrays_of(found))
            order = orders(len(points))["bit-reversed"]
            other = sx.cluster(points[order], size, device=device)
            assert_same_partition(sx.to_host(other.labels), labels[order], name)
            assert np.array_equal(sx.to_host(other.boxes), sx.to_host(found.boxes)), name


def assert_same_partition(one: np.ndarray, other: np.ndarray, name: str) -> None:
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    assert len(pairs) == len(np.unique(one)) == len(np.unique(other)), name


CHOOSING = ["min", "max", "argmin", "argmax", "count", "kmin", "argkmin"]
IN_RANGE = [name for name, x in HARD_SETS.items() if 1e-30 < abs(x).max() < 1e100 or not x.any()]


@pytest.mark.parametrize("reduction", CHOOSING)
def test_selecting_reductions_equal_the_oracle_bit_for_bit(device, reduction):
    k = {"k": 3} if reduction.endswith("kmin") else {}
    for name in IN_RANGE:
        x, y = HARD_SETS[name], HARD_SETS[name][::-1]
        d2 = squared_distances(x, y)
        expected = reduced(d2, np.ones(d2.shape, bool), reduction, **k)
        found = sx.reduce("squared_distance", x, y, reduction=reduction, device=device, **k)
        assert np.array_equal(sx.to_host(found), expected), name


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_and_densities_of_hard_points_are_the_same_bits_on_every_device(device, dtype):
    for name in IN_RANGE:
        x = HARD_SETS[name]
        reach = float(np.ptp(x, axis=0).max()) or 1.0
        if dtype == "float32" and not 1e-15 < reach <= abs(x).max() * 2 < 1e15:
            continue
        x = x.astype(dtype)
        weights = np.where(np.arange(len(x)) % 2, -1, 1).astype(dtype)
        calls = [
            lambda d, x=x, w=weights: sx.reduce("squared_distance", x, x, w, device=d),
            lambda d, x=x, r=reach: sx.reduce("gaussian", x, x, sigma=r / 3, device=d),
            lambda d, x=x: sx.reduce("distance", x, x, reduction="logsumexp", device=d),
        ]
        if np.ptp(x, axis=0).max() > 1e-9 * abs(x).max():
            calls.append(
                lambda d, x=x, w=weights, r=reach, t=dtype: sx.density(
                    x, w, sigma=r / 4, dimensions=(7, 6, 5), gradient=True, dtype=t, device=d
                )
            )
        for call in calls:
            assert_same_bits(arrays_of(call("cpu")), arrays_of(call(device)))
        rows = orders(len(x))["zigzag"]
        plain = sx.reduce("squared_distance", x, x, weights, device=device)
        turned = sx.reduce("squared_distance", x[rows], x, weights, device=device)
        assert sx.to_host(turned).tobytes() == sx.to_host(plain)[rows].tobytes(), name


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int8", "uint8", "float16"])
def test_integer_and_float16_points_have_the_neighbors_of_their_float64_values(device, dtype):
    limits = np.finfo(dtype) if dtype == "float16" else np.iinfo(dtype)
    random = np.random.default_rng(3)
    points = random.choice(np.array([limits.min, limits.max, 0, 1, 2, 3], dtype), (30, 3))
    wide = points.astype(float)
    for radius in (0.0, 1.0, 2.0, float(limits.max), np.inf):
        found = sx.neighbors(points, radius=radius, device=device)
        assert lists(found) == neighbor_lists(wide, wide, radius)
