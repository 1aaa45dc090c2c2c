"""Clusters are the cells of a grid, and every level is a partition that the coarser ones refine."""

from __future__ import annotations

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
def test_points_share_a_cluster_iff_they_share_a_cell(name: str, dimension: int, device: str):
    points = SETS[name][:, :dimension]
    for size in (0.07, 0.3, 100.0):
        low = points.min(axis=0) if len(points) else 0
        cells = np.floor((points - low) / size)
        found = sx.cluster(points, size, device=device)
        labels = np.unique(cells, axis=0, return_inverse=True)[1].ravel()
        assert partition(sx.to_host(found.labels)) == partition(labels)


@pytest.mark.parametrize("name", list(SETS))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_level_describes_its_runs_of_sorted_points(name: str, dtype: str, device: str):
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


def test_clusters_lie_within_their_parents(device: str):
    finest = sx.cluster(SETS["uniform"], 0.1, levels=5, device=device)
    for level in finest.levels[:-1]:
        parents, coarser = sx.to_host(level.parents), level.coarser
        assert coarser is not None
        assert coarser.size == 2 * level.size
        assert (parents[sx.to_host(level.labels)] == sx.to_host(coarser.labels)).all()
    assert finest.levels[-1].parents is None
    assert finest.levels[-1].n == 1


def test_arrays_are_sorted_with_the_points(device: str):
    points = SETS["uniform"]
    found = sx.cluster(points, 0.2, device=device)
    names, weights = np.arange(300), np.random.default_rng(1).random((300, 2))
    one = found.sort(names)
    both = found.sort(names, weights)
    assert (sx.to_host(one) == sx.to_host(found.order)).all()
    assert (sx.to_host(both[1]) == weights[sx.to_host(found.order)]).all()
    with pytest.raises(sx.InputError, match=r"arrays\[1\] must be an array of 300 rows"):
        found.sort(names, weights[:7])


def test_sizes_that_make_too_many_cells_are_rejected_with_the_least_that_works(device: str):
    points = np.array([[0.0, 0], [1.0, 5]])
    with pytest.raises(
        sx.InputError, match=r"cells along axis 1, of extent 5, is 5e\+06"
    ) as caught:
        sx.cluster(points, 1e-6, device=device)
    least = float(str(caught.value).rsplit(maxsplit=1)[-1].removesuffix("."))
    assert sx.cluster(points, 1.01 * least, device=device).n == 2
