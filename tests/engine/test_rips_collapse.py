"""Edge collapse leaves the bars as they are, whatever the schedule, and takes what it can."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.rips import (
    barcode,
    bars_of,
    cross_polytope,
    n_cycle,
    projective_plane,
    random_values,
)
from separatrix.device import Session
from separatrix.rips import edge_collapse
from separatrix.rips.edge_collapse import collapse_edges


def graph_of(values):
    """(edges, ranks) of a matrix whose values are whole numbers."""
    i, j = np.nonzero(np.triu(np.isfinite(values), 1))
    return np.stack([i, j], 1).astype(np.int32), values[i, j].astype(np.uint32)


def collapsed(values, device="cpu", **options):
    """The matrix after collapse."""
    session = Session(values, device)
    with session.device.current():
        given = [session.upload(part) for part in graph_of(values)]
        edges, rank = (
            session.device.xp.asarray(part)
            for part in collapse_edges(session, len(values), *given, **options)
        )
        edges, rank = (part.get() if hasattr(part, "get") else part for part in (edges, rank))
    left = np.full(values.shape, np.inf)
    left[edges[:, 0], edges[:, 1]] = left[edges[:, 1], edges[:, 0]] = rank
    np.fill_diagonal(left, 0)
    return left


def many_tied_matrices():
    rng = np.random.default_rng(71)
    for k in (1, 2, 3, 6, 1000):
        for n in (2, 5, 7, 8):
            for absent in (0.0, 0.3):
                yield random_values(rng, n, k, absent)


def points_on_a_torus(n, seed=5):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0, 2 * np.pi, (2, n))
    points = np.stack([np.cos(a), np.sin(a), np.cos(b), np.sin(b)], 1)
    return np.round(1000 * np.linalg.norm(points[:, None] - points, axis=2))


def test_bars_stay_in_every_dimension():
    for values in many_tied_matrices():
        assert barcode(bars_of(collapsed(values), 2)) == barcode(bars_of(values, 2))


def test_bars_stay_over_the_integers_mod_three():
    values = projective_plane()
    for prime in (2, 3):
        assert barcode(bars_of(collapsed(values), 2, prime=prime)) == barcode(
            bars_of(values, 2, prime=prime)
        )


def test_edges_only_get_later_and_no_time_is_new():
    for values in many_tied_matrices():
        left = collapsed(values)
        assert (left >= values).all()
        assert set(left[np.isfinite(left)]) <= set(values[np.isfinite(values)])


def test_a_full_simplex_collapses_to_a_tree():
    left = collapsed(np.ones((9, 9)) - np.eye(9))
    assert (left == 1).sum() == 2 * 8


def test_a_cone_that_is_complete_early_loses_all_later_edges():
    values = np.full((20, 20), 5.0)
    values[7] = values[:, 7] = 1
    np.fill_diagonal(values, 0)
    assert (collapsed(values) == 1).sum() == 2 * 19
    assert (collapsed(values) == 5).sum() == 0


@pytest.mark.parametrize("values", [cross_polytope(4), n_cycle(9)], ids=["cross", "cycle"])
def test_edges_of_a_sphere_stay_while_it_is_there(values):
    left = collapsed(values)
    assert ((left == 1) == (values == 1)).all()


def test_isolated_vertices_and_no_edges_at_all_are_fine():
    assert np.isinf(collapsed(np.full((3, 3), np.inf))[0, 1])
    values = np.full((4, 4), np.inf)
    values[1, 2] = values[2, 1] = 3
    assert collapsed(values)[1, 2] == 3


@pytest.fixture(params=["matrix", "rows", "one by one", "threads"])
def schedule(request, monkeypatch):
    """Each way through the code, and the options of the work."""
    if request.param == "rows":
        monkeypatch.setattr(edge_collapse, "DENSE_BYTES", 0)
    if request.param == "one by one":
        monkeypatch.setattr(edge_collapse, "wave_size", lambda n: 1)
    if request.param == "threads":
        monkeypatch.setattr(edge_collapse, "PARALLEL_FROM", 0)
    return request.param


def test_bars_stay_on_any_schedule(schedule):
    for values in many_tied_matrices():
        assert barcode(bars_of(collapsed(values), 1)) == barcode(bars_of(values, 1))


def test_rows_threads_and_the_matrix_give_the_same(schedule, monkeypatch):
    values = points_on_a_torus(120)
    values[values > 1800] = np.inf
    here = collapsed(values)
    monkeypatch.undo()
    if schedule == "one by one":
        assert np.isfinite(here).sum() < np.isfinite(values).sum() / 2
    else:
        np.testing.assert_array_equal(here, collapsed(values))


def test_many_waves_leave_nearly_what_single_edges_leave(monkeypatch):
    values = points_on_a_torus(150)
    in_waves = np.isfinite(collapsed(values)).sum()
    monkeypatch.setattr(edge_collapse, "wave_size", lambda n: 1)
    assert in_waves < 1.1 * np.isfinite(collapsed(values)).sum()


def test_ranks_beyond_sixteen_bits_are_as_good():
    values = points_on_a_torus(60)
    scaled = np.where(values > 0, values + 100_000, 0)
    left = collapsed(scaled)
    np.testing.assert_array_equal(np.where(left > 0, left - 100_000, 0), collapsed(values))


def test_collapse_gives_up_where_hardly_any_edge_is_dominated():
    rng = np.random.default_rng(3)
    values = random_values(rng, 60, 1000)
    values[cross_polytope(30) == 2] = np.inf  # each vertex lacks one, which no other does
    given_up = collapsed(values, may_give_up=True)
    short = values <= np.quantile(values[np.isfinite(values)], 0.9)
    assert (given_up[short] == values[short]).all()
    assert (collapsed(values)[short] != values[short]).any()
    torus = points_on_a_torus(100)
    np.testing.assert_array_equal(collapsed(torus, may_give_up=True), collapsed(torus))


def test_every_device_gives_the_same_bits(device, monkeypatch):
    monkeypatch.setattr(edge_collapse, "GPU_FROM", 0)
    for values in [*many_tied_matrices(), points_on_a_torus(300), n_cycle(40)]:
        np.testing.assert_array_equal(collapsed(values, device), collapsed(values))


def test_progress_is_told_and_ascends():
    seen = []
    session = Session(np.zeros(1), "cpu")
    call = session.call(lambda part, stage: seen.append(part), {"collapse": 1.0})
    with call, session.stage("collapse"):
        collapse_edges(session, 200, *graph_of(points_on_a_torus(200)))
    assert len(seen) > 3
    assert seen == sorted(seen)
