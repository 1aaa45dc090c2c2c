"""Edges are sorted as by NumPy, and the order of the vertices does not change the bars."""

import sys

import numpy as np
import pytest

import separatrix as sx
from engine.rips_sets import distances_of, whole_barcode
from oracles.everything import assert_same_bits
from oracles.point_sets import lattice
from separatrix.device.host import HostDevice


def sphere(n: int) -> np.ndarray:
    points = np.random.default_rng(n).standard_normal((n, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


@pytest.mark.parametrize(
    "values",
    [
        np.zeros(0),
        np.zeros(3),
        np.array([0.0, -0.0, 0.0, 5e-324, 1.7e308, 1.0]),
        np.random.default_rng(0).integers(0, 5, 1000).astype(np.float64),
        np.random.default_rng(1).random(5000),
        np.random.default_rng(2).random(5000).astype(np.float32).astype(np.float64),
        10 ** (np.random.default_rng(3).random(9000) * 600 - 300),
        1 + np.random.default_rng(4).integers(0, 3, 3000) * 2.0**-52,
    ],
)
@pytest.mark.parametrize("most_sorted", [None, -1])
def test_edges_are_in_the_order_of_a_stable_sort(values, most_sorted, device, monkeypatch):
    # All edges of a path end bars, in the order of their lengths; both zeros are one length.
    if most_sorted is not None:
        monkeypatch.setattr("separatrix.rips.ranks.MOST_SORTED", most_sorted)
    n = len(values)
    path = (np.arange(n), np.arange(n) + 1, values, n + 2)
    found = sx.rips_barcodes(sparse=path, max_dimension=0, keep_zero=True, device=device)
    ends = np.isfinite(found.death)
    order = np.argsort(values, kind="stable")
    np.testing.assert_array_equal(found.death[ends], values[order])
    assert not np.signbit(found.death).any()
    lengths = values[found.death_edge[ends].min(axis=1)]
    np.testing.assert_array_equal(lengths, found.death[ends])


@pytest.mark.parametrize("threads", [1, 3])
def test_one_bad_entry_anywhere_in_a_large_matrix_is_found(threads):
    good = distances_of(np.random.default_rng(5).random((101, 2)))
    assert len(sx.rips_barcodes(distances=good, device="cpu", threads=threads)) > 0
    for i, j in ((0, 1), (1, 0), (31, 32), (32, 31), (100, 0), (0, 100), (99, 100), (64, 63)):
        bad = good.copy()
        bad[i, j] += 1
        with pytest.raises(sx.InputError, match="must be symmetric"):
            sx.rips_barcodes(distances=bad, device="cpu", threads=threads)
    for i in (0, 31, 32, 100):
        bad = good.copy()
        bad[i, i] = 1e-300
        with pytest.raises(sx.InputError, match="distances must be 0 on the diagonal"):
            sx.rips_barcodes(distances=bad, device="cpu", threads=threads)


def test_bars_do_not_depend_on_the_order_that_is_chosen():
    points = sphere(90)  # 2.5 million simplices: the order is tried
    chosen, given = (
        sx.rips_barcodes(points, max_dimension=3, collapse=False, relabel=relabel, device="cpu")
        for relabel in (True, False)
    )
    np.testing.assert_array_equal(chosen.birth, given.birth)
    np.testing.assert_array_equal(chosen.death, given.death)
    assert chosen.statistics["dimensions"][3]["apparent_pairs"] > 0


def test_the_enclosing_radius_does_not_depend_on_a_larger_threshold(monkeypatch):
    monkeypatch.setattr("separatrix.rips.distances.MANY_POINTS", 100)
    points = np.random.default_rng(7).random((150, 2)) * 0.01
    points[0] = 0.005  # joined to all others
    found = sx.rips_barcodes(points, max_dimension=0, threshold=0.02, device="cpu")
    expected = distances_of(points).max(axis=1).min()
    assert found.enclosing_radius == pytest.approx(expected, rel=1e-12)
    assert found.threshold == found.enclosing_radius


def test_triangles_of_a_dense_graph_take_at_most_the_time_of_its_collapse():
    points = np.random.default_rng(9).random((200, 3))
    found = sx.rips_barcodes(points, max_dimension=2, device="cpu")
    assert found.statistics["collapsed"] == 0
    assert sx.rips_barcodes(points[:80], max_dimension=3).statistics["collapsed"] > 0


CHOICES = {f"separatrix.rips.{name}" for name in ("barcodes", "forecast", "order")}
"""The modules that choose how a barcode is computed."""


def is_cuda_to_choices(device: HostDevice) -> bool:
    """Whether the caller is one of the modules that choose: only they see a GPU."""
    return sys._getframe(1).f_globals["__name__"] in CHOICES


@pytest.mark.parametrize("max_dimension", [1, 2, 3])
@pytest.mark.parametrize(
    ("points", "threshold"),
    [
        *((lattice(n, 3), t) for n in (2, 3, 4, 5, 6) for t in (2.0, None) if t or n < 5),
        *((lattice(n, 2), t) for n in (3, 9) for t in (2.0, None)),
        (sphere(100), None),
    ],
)
def test_a_gpu_and_a_cpu_make_the_same_choices(monkeypatch, points, threshold, max_dimension):
    if len(points) > 90 and max_dimension == 3 and threshold is None:
        points = points[:90]
    options = {"max_dimension": max_dimension, "threshold": threshold, "device": "cpu"}
    expected = whole_barcode(points, **options)
    monkeypatch.setattr(HostDevice, "is_cuda", property(is_cuda_to_choices))
    assert_same_bits(expected, whole_barcode(points, **options))


def test_bars_of_zero_length_are_those_of_the_given_graph():
    points = np.random.default_rng(8).random((100, 2))
    found, whole = (
        sx.rips_barcodes(
            points,
            max_dimension=3,
            threshold=0.22,
            keep_zero=True,
            collapse=collapse,
            device="cpu",
        )
        for collapse in ("auto", False)
    )
    assert sx.rips_barcodes(points, max_dimension=3, threshold=0.22).statistics["collapsed"] > 0
    np.testing.assert_array_equal(found.birth, whole.birth)
    np.testing.assert_array_equal(found.death, whole.death)
