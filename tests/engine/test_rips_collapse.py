"""The edge collapse preserves the bars for any schedule, and removes enough edges."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.rips_sets import distances_of
from oracles.rips import barcode, bars_of, cross_polytope, n_cycle, projective_plane, random_values
from separatrix.rips import edge_collapse

SCHEDULES: dict[str, tuple[str, Any]] = {
    "matrix": ("DENSE_BYTES", edge_collapse.DENSE_BYTES),
    "rows": ("DENSE_BYTES", 0),
    "one by one": ("wave_size", lambda n: 1),
    "threads": ("PARALLEL_FROM", 0),
    "device": ("GPU_FROM", 0),
}


DEFAULTS = {name: getattr(edge_collapse, name) for name, _ in SCHEDULES.values()}


@pytest.fixture(params=SCHEDULES)
def schedule(request, monkeypatch):
    """Each way through the code."""
    monkeypatch.setattr(edge_collapse, *SCHEDULES[request.param])
    return request.param


def collapsed(values: np.ndarray, device: str = "cpu", **options: Any) -> sx.Barcodes:
    options = {"max_dimension": 2, "threshold": values[np.isfinite(values)].max()} | options
    return sx.rips_barcodes(distances=values, collapse=True, device=device, **options)


def edges_left(values: np.ndarray, **options: Any) -> int:
    counted = collapsed(values, **options).statistics
    return counted["edges"] - counted["collapsed"]


def bars_in(found: sx.Barcodes) -> list[tuple[int, float, float]]:
    columns = (found.dimension, found.birth, found.death)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))


def on_torus(n: int) -> np.ndarray:
    """Distances of points on a flat torus, in thousandths."""
    a, b = np.random.default_rng(5).uniform(0, 2 * np.pi, (2, n))
    points = np.stack([np.cos(a), np.sin(a), np.cos(b), np.sin(b)], 1)
    return np.round(1000 * distances_of(points))


def test_bars_of_every_dimension_do_not_depend_on_the_schedule(device, schedule):
    rng = np.random.default_rng(71)
    for k in (1, 2, 3, 6, 1000):
        for n in (2, 5, 7, 8):
            for absent in (0.0, 0.3):
                values = random_values(rng, n, k, absent)
                if np.isfinite(values).sum() > n:
                    found = collapsed(values, device)
                    assert bars_in(found) == barcode(bars_of(values, 2))
    values = projective_plane()
    for prime in (2, 3):
        found = collapsed(values, device, field=prime)
        assert bars_in(found) == barcode(bars_of(values, 2, prime=prime))


@pytest.mark.parametrize(
    ("values", "left"),
    [
        (np.ones((9, 9)) - np.eye(9), 8),  # a full simplex becomes a tree
        (np.where(np.arange(20) * np.arange(20)[:, None] == 0, 1.0, 5) * (1 - np.eye(20)), 19),
        (n_cycle(9) + 9 * (n_cycle(9) > 1), None),
        (cross_polytope(4) + 9 * (cross_polytope(4) > 1), None),
    ],
    ids=["simplex", "cone", "cycle", "sphere"],
)
def test_edges_that_no_bar_needs_are_removed(values, left):
    if left is None:  # edges of a sphere stay while it is there
        values = np.where(values > 1, np.inf, values)
        left = int((values == 1).sum()) // 2
    assert edges_left(values) == left


def test_every_schedule_removes_the_same_edges(device, schedule):
    values = on_torus(120)
    values[values > 1800] = np.inf
    n_edges = np.isfinite(values[np.triu_indices(120, 1)]).sum()
    here = collapsed(values, device, max_dimension=1)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in DEFAULTS.items():
            patch.setattr(edge_collapse, name, value)
        in_waves = edges_left(values, max_dimension=1)
    left = here.statistics["edges"] - here.statistics["collapsed"]
    assert left < n_edges / 2
    if schedule == "one by one":
        assert left <= in_waves < 1.1 * left
    else:
        assert left == in_waves


def test_ranks_beyond_sixteen_bits_lose_as_many_edges():
    values = distances_of(np.random.default_rng(3).random((400, 3)))  # 79,800 different distances
    levels, place = np.unique(values, return_inverse=True)
    assert levels.size > 2**16
    few = place.reshape(values.shape).astype(float)
    options = {"max_dimension": 1, "threshold": None}
    found, same = (collapsed(one, **options) for one in (values, few))
    assert found.statistics["collapsed"] == same.statistics["collapsed"] > 0
    plain = sx.rips_barcodes(distances=values, collapse=False, device="cpu")
    assert bars_in(found) == bars_in(plain)


def test_automatic_collapse_of_edges_that_are_hardly_ever_dominated_changes_no_bar():
    values = random_values(np.random.default_rng(3), 40, 1000)
    values[cross_polytope(20) == 2] = np.inf  # each vertex lacks one, which no other does
    options = {"distances": values, "max_dimension": 3, "threshold": 1000, "device": "cpu"}
    found, plain = (sx.rips_barcodes(**options, collapse=c) for c in ("auto", False))
    assert bars_in(found) == bars_in(plain)
