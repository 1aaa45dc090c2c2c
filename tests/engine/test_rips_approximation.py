"""The sparse Rips filtration: a greedy permutation, few edges, bars within 1 + epsilon."""

import numpy as np
import pytest

import separatrix as sx
from engine.rips_sets import distances_of


def circle(n, noise=0.0, seed=1):
    rng = np.random.default_rng(seed)
    turn = rng.uniform(0, 2 * np.pi, n)
    return np.stack([np.cos(turn), np.sin(turn)], 1) + noise * rng.normal(size=(n, 2))


def sparse_times(d, first, epsilon):
    """Times (n, n) at which growing balls touch, inf where never, by the definition."""
    order, radii = [first], [np.inf]
    while len(order) < len(d):
        to_all = d[order].min(axis=0)
        to_all[order] = -1
        order.append(int(to_all.argmax()))
        radii.append(to_all.max())
    last = np.empty(len(d))
    last[order] = np.array(radii) * (1 + epsilon) / epsilon
    smaller, larger = np.minimum.outer(last, last), np.maximum.outer(last, last)
    times = d.copy()  # radii are half of the time until they are last, and add up to the distance
    one_stopped = d > 2 * smaller
    times[one_stopped] = 2 * (d - smaller)[one_stopped]
    times[d > smaller + larger] = np.inf
    np.fill_diagonal(times, 0)
    return times


@pytest.mark.parametrize("epsilon", [1e-3, 0.4, 1.0, 3.0])
@pytest.mark.parametrize("kind", ["circle", "ties and duplicates"])
def test_bars_are_those_of_the_edges_whose_balls_touch(device, kind, epsilon):
    points = circle(80, 0.2)
    if kind == "ties and duplicates":
        points = np.random.default_rng(2).integers(0, 9, (60, 2)).astype(float)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    d = distances_of(points)
    starts = (int(((points - middle) ** 2).sum(axis=1).argmin()), int(d.max(axis=1).argmin()))
    for given, first in zip(({"points": points}, {"distances": d}), starts, strict=True):
        times = sparse_times(d, first, epsilon)
        for threshold in (None, 0.7 * d.max()):
            options = {"threshold": threshold, "collapse": False, "device": device}
            found = sx.rips_barcodes(**given, epsilon=epsilon, **options)
            expected = sx.rips_barcodes(distances=times, **options)
            limit = found.threshold if threshold is None else threshold
            n_edges = np.count_nonzero(times[np.triu_indices(len(d), 1)] <= limit * (1 + 1e-12))
            assert found.statistics["edges"] == expected.statistics["edges"] <= n_edges
            for k in (0, 1):
                np.testing.assert_allclose(
                    found.of_dimension(k), expected.of_dimension(k), rtol=1e-9
                )


def test_edges_grow_with_the_points_and_not_with_their_pairs():
    few, many = (
        sx.rips_barcodes(
            np.random.default_rng(2).uniform(size=(n, 2)), max_dimension=0, epsilon=1.0
        ).statistics["edges"]
        for n in (500, 2000)
    )
    assert many < 7 * few
    assert many < 2000 * 1999 / 2 / 10


def test_every_device_gives_the_same_bars(device):
    points = np.random.default_rng(6).normal(size=(400, 3))
    found, expected = (sx.rips_barcodes(points, epsilon=0.7, device=d) for d in (device, "cpu"))
    np.testing.assert_array_equal(found.birth, expected.birth)
    np.testing.assert_array_equal(found.death, expected.death)


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
    for epsilon in (-1, np.nan, np.inf, "half", True):
        with pytest.raises(sx.InputError, match="epsilon must be 0 or a finite number of at least"):
            sx.rips_barcodes(np.eye(3), epsilon=epsilon)
    with pytest.raises(sx.InputError, match="epsilon requires the distances of all pairs"):
        sx.rips_barcodes(sparse=([0], [1], [1.0], 3), epsilon=0.5)
