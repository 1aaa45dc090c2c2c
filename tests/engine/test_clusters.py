"""Clusters by cells of a grid, whose levels refine each other, and by labels."""

import re

import numpy as np
import pytest

import separatrix as sx
from oracles.point_sets import point_sets

SETS = {name: points for name, points in point_sets().items() if np.ptp([0.0, *points.flat]) < 1e4}


def partition(labels: np.ndarray) -> set[tuple[int, ...]]:
    """The groups of indices with one label."""
    return {tuple(np.flatnonzero(labels == label)) for label in np.unique(labels)}


@pytest.mark.parametrize("name", list(SETS))
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_points_share_a_cluster_iff_they_share_a_cell(name, dimension, device):
    points = SETS[name][:, :dimension]
    for size in (0.07, 0.3, 100.0):
        low = points.min(axis=0) if len(points) else 0
        cells = np.floor((points - low) / size)
        found = sx.cluster(points, size, device=device)
        labels = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
        assert partition(sx.to_host(found.labels)) == partition(labels)


@pytest.mark.parametrize("name", list(SETS))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_level_describes_its_runs_of_sorted_points(name, dtype, device):
    points = SETS[name].astype(dtype)
    finest = sx.cluster(points, 0.05, levels=4, device=device)
    assert len(finest.levels) == 4
    for level in finest.levels:
        ranges, order = sx.to_host(level.ranges), sx.to_host(level.order)
        labels, inverse = sx.to_host(level.labels), sx.to_host(level.inverse)
        assert ranges.ravel().tolist() == sorted(ranges.ravel().tolist())
        assert (np.diff(ranges) > 0).all()
        assert (order[inverse] == np.arange(len(points))).all()
        assert sx.to_host(level.points).dtype == dtype
        assert (sx.to_host(level.points) == points[order]).all()
        for c, (begin, end) in enumerate(ranges):
            held = points[order[begin:end]].astype(float)
            assert (labels[order[begin:end]] == c).all()
            box = sx.to_host(level.boxes)[c]
            assert (box == [held.min(axis=0), held.max(axis=0)]).all()
            np.testing.assert_allclose(
                sx.to_host(level.centroids)[c], held.mean(axis=0), rtol=1e-12
            )


def test_clusters_lie_within_their_parents(device):
    finest = sx.cluster(SETS["uniform"], 0.1, levels=5, device=device)
    for level in finest.levels[:-1]:
        parents, coarser = sx.to_host(level.parents), level.coarser
        assert coarser is not None
        assert coarser.size == 2 * level.size
        assert (parents[sx.to_host(level.labels)] == sx.to_host(coarser.labels)).all()
    assert finest.levels[-1].parents is None
    assert finest.levels[-1].n == 1


def test_arrays_are_sorted_with_the_points(device):
    points = SETS["uniform"]
    found = sx.cluster(points, 0.2, device=device)
    names, weights = np.arange(300), np.random.default_rng(1).random((300, 2))
    one = found.sort(names)
    both = found.sort(names, weights)
    assert (sx.to_host(one) == sx.to_host(found.order)).all()
    assert (sx.to_host(both[1]) == weights[sx.to_host(found.order)]).all()
    with pytest.raises(sx.InputError, match=r"arrays\[1\] must be an array of 300 rows"):
        found.sort(names, weights[:7])


def test_sizes_with_too_many_cells_are_rejected_with_the_smallest_valid_size(device):
    points = np.array([[0.0, 0], [1.0, 5]])
    with pytest.raises(
        sx.InputError, match=r"cells along axis 1, of extent 5, is 5e\+06"
    ) as caught:
        sx.cluster(points, 1e-6, device=device)
    least = float(str(caught.value).rsplit(maxsplit=1)[-1].removesuffix("."))
    assert sx.cluster(points, 1.01 * least, device=device).n == 2


@pytest.mark.parametrize("dimension", [1, 4, 9, 31])
def test_cells_divide_points_of_any_dimension(dimension, device):
    points = np.random.default_rng(3).random((200, dimension))
    found = sx.cluster(points, 0.55, levels=2, device=device)
    for level in found.levels:
        cells = np.floor((points - points.min(axis=0)) / level.size)
        labels = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
        assert partition(sx.to_host(level.labels)) == partition(labels)


@pytest.mark.parametrize("dimension", [1, 3, 70])
def test_labels_and_weights_give_runs_centroids_and_radii(dimension, device):
    random = np.random.default_rng(4)
    points, labels = random.random((300, dimension)), random.choice([-5, 2, 40, 41], 300)
    weights = random.random(300) * (labels != 2)
    found = sx.cluster(points, labels=labels, weights=weights, device=device)
    order = sx.to_host(found.order)
    assert order.tolist() == np.argsort(labels, kind="stable").tolist()
    for c, label in enumerate([-5, 2, 40, 41]):
        begin, end = sx.to_host(found.ranges)[c]
        assert (labels[order[begin:end]] == label).all()
        held, weight = points[labels == label], weights[labels == label]
        center = np.average(held, axis=0, weights=weight if weight.any() else None)
        np.testing.assert_allclose(sx.to_host(found.centroids)[c], center, rtol=1e-12)
        farthest = np.linalg.norm(held - center, axis=1).max()
        assert float(found.radii[c]) == pytest.approx(farthest)
        assert float(found.weights[c]) == pytest.approx(weight.sum())
    plain = sx.cluster(points, labels=labels, device=device)
    assert sx.to_host(plain.weights).tolist() == np.unique(labels, return_counts=True)[1].tolist()
    assert sx.cluster(points[:0], labels=[], device=device).n == 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({}, "size must be given, or labels, but not both; got neither"),
        ({"size": 1, "labels": [0] * 4}, "but not both; got both"),
        ({"labels": [0] * 3}, "labels must be an array of shape (4,)"),
        ({"labels": [0.5] * 4}, "labels must be an array of integers"),
        ({"labels": [0] * 4, "levels": 2}, "levels must be 1 for clusters by labels"),
        ({"size": 1, "weights": [1, 2, -3, 4]}, "weights must be non-negative; got -3"),
        ({"size": 1, "weights": [1, 2, np.nan, 4]}, "weights must be finite"),
    ],
)
def test_invalid_labels_and_weights_are_rejected(options, named, device):
    with pytest.raises(sx.InputError, match=re.escape(named)):
        sx.cluster(np.zeros((4, 2)), device=device, **options)


@pytest.mark.gpu
def test_cpu_and_gpu_describe_the_same_clusters(cuda):
    random = np.random.default_rng(5)
    points, weights = random.random((5000, 5)), random.random(5000)
    for how in ({"size": 0.4}, {"labels": random.integers(0, 30, 5000)}):
        one, two = (sx.cluster(points, weights=weights, device=d, **how) for d in ("cpu", cuda))
        for name in ("order", "ranges", "centroids", "radii", "weights", "boxes"):
            assert getattr(one, name).tobytes() == sx.to_host(getattr(two, name)).tobytes()
