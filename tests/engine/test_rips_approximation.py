"""The sparse Rips filtration: a greedy permutation, few edges, bars within 1 + epsilon."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import separatrix as sx
from oracles.rips import enclosing_radius
from separatrix.device import Session
from separatrix.rips.distances import Distances
from separatrix.rips.sparse_approximation import (
    checked_epsilon,
    sparse_edges_of_matrix,
    sparse_edges_of_points,
)


def distances_of(points):
    return np.linalg.norm(points[:, None] - points, axis=2)


def circle(n, noise=0.0, seed=1):
    rng = np.random.default_rng(seed)
    turn = rng.uniform(0, 2 * np.pi, n)
    return np.stack([np.cos(turn), np.sin(turn)], 1) + noise * rng.normal(size=(n, 2))


def edges_of(points, epsilon, device="cpu", **options):
    """{(u, v): time} of the sparse filtration of points."""
    session = Session(np.zeros(1), device)
    with session.device.current():
        found = sparse_edges_of_points(session, points, epsilon, **options)
        ends, values = (a.get() if hasattr(a, "get") else a for a in (found.ends, found.values))
    return dict(zip(map(tuple, ends.tolist()), values.tolist(), strict=True))


def greedy(d, first):
    """(order, insertion radii) by the definition."""
    order, radii = [first], [np.inf]
    while len(order) < len(d):
        to_all = d[order].min(axis=0)
        to_all[order] = -1
        order.append(int(to_all.argmax()))
        radii.append(to_all.max())
    return order, np.array(radii)


def permutation(points):
    host, n = Session(np.zeros(1), "cpu").host, len(points)
    order, squared = np.empty(n, np.int32), np.empty(n)
    columns = np.ascontiguousarray(points.T).reshape(-1)
    host.run("greedy_points", columns, n, points.shape[1], 0, order, squared)
    return order.tolist(), np.sqrt(squared)


@pytest.mark.parametrize("n", [1, 2, 30, 700])
def test_each_next_point_is_the_farthest_from_all_before(n):
    points = np.random.default_rng(n).integers(0, 40, (n, 2)).astype(float)  # ties, duplicates
    order, radii = permutation(points)
    wanted_order, wanted = greedy(distances_of(points), 0)
    assert order == wanted_order
    np.testing.assert_allclose(radii, wanted)


def test_each_edge_comes_when_its_balls_touch():
    points, epsilon = circle(60, 0.1), 0.5
    d = distances_of(points)
    got = edges_of(points, epsilon)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    order, radii = greedy(d, int(((points - middle) ** 2).sum(axis=1).argmin()))
    last = np.empty(60)
    last[order] = radii * (1 + epsilon) / epsilon
    assert len(got) < 60 * 59 / 2
    for (u, v), time in got.items():
        # radii grow with time / 2 until they are last: together they are the distance
        assert min(time / 2, last[u]) + min(time / 2, last[v]) == pytest.approx(d[u, v])
    for u, v in set(combinations(range(60), 2)) - set(got):
        assert last[u] + last[v] < d[u, v] * (1 + 1e-12)


def test_points_and_their_matrix_give_the_same_edges_up_to_the_first_point():
    points = circle(80, 0.2)
    points[0] = 0
    d = distances_of(points)
    assert enclosing_radius(d) == d[0].max()
    session = Session(np.zeros(1), "cpu")
    found = sparse_edges_of_matrix(session, Distances(80, d), 0.4)
    assert len(found.ends) < 80 * 79 / 2
    for (u, v), time in zip(found.ends.tolist(), found.values.tolist(), strict=True):
        assert d[u, v] <= time <= 2 * d[u, v]


def test_a_tiny_epsilon_gives_every_edge_its_distance():
    points = circle(40)
    got = edges_of(points, 1e-3)
    d = distances_of(points)
    assert len(got) == 40 * 39 / 2
    np.testing.assert_allclose([d[pair] for pair in got], list(got.values()), rtol=1e-12)


def test_edges_beyond_the_threshold_are_left_out():
    points = circle(50)
    whole = edges_of(points, 0.5)
    assert edges_of(points, 0.5, threshold=0.7) == {e: t for e, t in whole.items() if t <= 0.7}


def test_edges_grow_with_the_points_and_not_with_their_pairs():
    few, many = (
        len(edges_of(np.random.default_rng(2).uniform(size=(n, 2)), 1.0)) for n in (500, 2000)
    )
    assert many < 7 * few
    assert many < 2000 * 1999 / 2 / 10


def test_duplicates_of_a_point_are_joined_at_once():
    points = np.repeat(circle(10), 3, axis=0)
    got = edges_of(points, 0.5)
    assert all(
        got[3 * k + a, 3 * k + b] == 0 for k in range(10) for a, b in ((0, 1), (0, 2), (1, 2))
    )


def test_every_device_gives_the_same_edges(device):
    points = np.random.default_rng(6).normal(size=(400, 3))
    assert edges_of(points, 0.7, device) == edges_of(points, 0.7)


def can_be_matched(exact, sparse, factor):
    """Whether bars can be matched with ends 1 to `factor` times as late, all but short ones."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import maximum_bipartite_matching

    slack = 1 + 1e-9
    fits = np.array(
        [
            [
                all(x <= y * slack and y <= factor * x * slack for x, y in zip(a, b, strict=True))
                for b in sparse
            ]
            for a in exact
        ]
    ).reshape(len(exact), len(sparse))

    def is_long(bars):
        return np.array([death > factor * birth * slack for birth, death in bars], bool)

    # Long bars of one side and all of the other: if both can be matched, so can both at once.
    for rows, table in ((is_long(exact), fits), (is_long(sparse), fits.T)):
        wanted = table[rows]
        if not len(wanted):
            continue
        matched = maximum_bipartite_matching(csr_matrix(wanted), perm_type="column")
        if (matched < 0).any():
            return False
    return True


def test_matching_of_bars_is_judged_right():
    assert can_be_matched([(1, 2)], [(1.1, 2.1)], 1.2)
    assert not can_be_matched([(1, 2)], [(1.1, 1.9)], 1.2)
    assert not can_be_matched([(1, 2)], [(1.3, 2)], 1.2)
    assert not can_be_matched([(1, 2), (1, 2)], [(1, 2)], 1.2)
    assert can_be_matched([(1, 1.1)], [], 1.2)
    assert not can_be_matched([], [(1, 1.3)], 1.2)


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("kind", ["circle", "noise", "torus", "tree"])
def test_bars_are_exact_ones_up_to_the_factor(epsilon, kind):
    rng = np.random.default_rng(17)
    a, b = rng.uniform(0, 2 * np.pi, (2, 120))
    points = {
        "circle": circle(100, 0.05),
        "noise": rng.normal(size=(80, 3)),
        "torus": np.stack([np.cos(a), np.sin(a), 0.5 * np.cos(b), 0.5 * np.sin(b)], 1),
        "tree": 2.0 ** rng.integers(0, 12, (60, 2)),
    }[kind]
    exact = sx.rips_barcodes(points)
    sparse = sx.rips_barcodes(points, epsilon=epsilon)
    by_matrix = sx.rips_barcodes(distances=distances_of(points), epsilon=epsilon, collapse=True)
    for d in (0, 1):
        assert can_be_matched(exact.of_dimension(d), sparse.of_dimension(d), 1 + epsilon)
        assert can_be_matched(exact.of_dimension(d), by_matrix.of_dimension(d), 1 + epsilon)


def test_invalid_values_of_epsilon_are_rejected():
    assert checked_epsilon(0) == 0
    for epsilon in (-1, np.nan, np.inf, "half", True):
        with pytest.raises(sx.InputError, match="epsilon must be 0 or a finite number of at least"):
            checked_epsilon(epsilon)
    with pytest.raises(sx.InputError, match="epsilon requires the distances of all pairs"):
        sparse_edges_of_matrix(
            Session(np.zeros(1), "cpu"), Distances(3, ends=np.zeros((0, 2))), 0.5
        )
