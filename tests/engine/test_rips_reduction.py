"""Reduction of surviving Rips columns, against the textbook's reduction of every simplex."""

from __future__ import annotations

import numpy as np
import pytest

from engine.rips_survivors import filtration_of, forest_edges, survivors_of
from oracles.rips import (
    apparent_pairs,
    bars_of,
    cross_polytope,
    n_cycle,
    projective_plane,
    random_values,
)
from separatrix.device.session import Session
from separatrix.errors import Cancelled, InputError
from separatrix.rips.filtration import ABSENT, Adjacency, Filtration, Simplices
from separatrix.rips.reduction import Reduction, reduce_survivors


def reduced(values, top, *, prime=2, threads=2, sparse=False, wide=False, keep_columns=False):
    """(survivors, reduction) of each dimension from 1 to `top`, each cleared by the one below."""
    filtration = filtration_of(values, sparse=sparse, wide=wide)
    session = Session(values, "cpu", threads)
    cleared = forest_edges(values)
    found: list[tuple[Simplices, Reduction]] = []
    for dimension in range(1, top + 1):
        survivors = survivors_of(values, dimension, cleared)
        result = reduce_survivors(
            session, filtration, survivors, prime=prime, keep_columns=keep_columns
        )
        found.append((survivors, result))
        cleared = {tuple(t[::-1]) for t in result.death.tolist() if t[0] >= 0}
    return filtration, found


def pairs_of(found):
    return {
        (tuple(s[::-1]), tuple(t[::-1]) if t[0] >= 0 else None)
        for survivors, result in found
        for s, t in zip(survivors.vertices.tolist(), result.death.tolist(), strict=True)
    }


def expected_pairs(values, top, prime):
    bars = bars_of(values, top, prime=prime, keep_zero=True)
    apparent = {pair for d in range(1, top + 1) for pair in apparent_pairs(values, d)}
    return {(b.born, b.died) for b in bars if b.dimension >= 1} - apparent


@pytest.mark.parametrize("prime", [2, 3, 5])
@pytest.mark.parametrize("form", [{}, {"sparse": True}, {"wide": True}])
def test_pairs_are_those_of_the_boundary_matrix(prime, form):
    rng = np.random.default_rng(7 * prime + len(form))
    for trial in range(25):
        values = random_values(rng, 7, (1, 2, 3, 6, 10**6)[trial % 5], absent=0.2 * (trial % 3))
        _, found = reduced(values, 3, prime=prime, **form)
        assert pairs_of(found) == expected_pairs(values, 3, prime)


def test_ranks_of_deaths_are_their_diameters():
    values = random_values(np.random.default_rng(1), 8, 6)
    filtration, found = reduced(values, 2)
    for _, result in found:
        for t, rank in zip(result.death, result.death_rank, strict=True):
            assert rank == (filtration.rank[np.ix_(t, t)].max() if t[0] >= 0 else ABSENT)


@pytest.mark.parametrize("form", [{}, {"sparse": True}, {"prime": 3}])
def test_pairs_are_the_same_for_any_number_of_threads(form, monkeypatch):
    monkeypatch.setattr("separatrix.rips.reduction.COLUMNS_PER_THREAD", 1)
    values = random_values(np.random.default_rng(5), 14, 40)
    filtration, found = reduced(values, 2, threads=1, **form)
    for survivors, alone in found:
        for threads in (2, 3, 5, 16) * 5:
            session = Session(values, "cpu", threads)
            result = reduce_survivors(session, filtration, survivors, prime=form.get("prime", 2))
            assert np.array_equal(result.death, alone.death)


def bars_with_length(values, found):
    return sorted(
        (survivors.dimension, values_of[s], values_of[t] if t != ABSENT else np.inf)
        for survivors, result in found
        for values_of in [filtration_of(values).levels]
        for s, t in zip(survivors.rank, result.death_rank, strict=True)
        if s != t
    )


def test_bars_of_cycles_spheres_and_the_projective_plane():
    assert bars_with_length(n_cycle(9), reduced(n_cycle(9), 2)[1]) == [
        (1, 1, 3),
        (2, 3, 4),
        (2, 3, 4),
    ]
    assert bars_with_length(cross_polytope(4), reduced(cross_polytope(4), 3)[1]) == [(3, 1, 2)]
    plane = projective_plane()
    assert bars_with_length(plane, reduced(plane, 2)[1]) == [(1, 1, 2), (2, 1, 2)]
    assert bars_with_length(plane, reduced(plane, 2, prime=3)[1]) == []


def test_keys_of_two_words_give_the_pairs_of_one():
    values = random_values(np.random.default_rng(2), 8, 4)
    _, found = reduced(values, 3, sparse=True)
    # Many points without an edge before these: their numbers take 17 bits each, five of them 85.
    shift = 100_000
    rows = filtration_of(values, sparse=True).adjacency
    offsets = np.append(np.zeros(shift, np.int64), rows.offsets)
    moved = Adjacency(offsets, rows.items + np.int32(shift), rows.ranks)
    levels = filtration_of(values).levels
    filtration = Filtration(shift + len(values), None, levels, adjacency=moved)
    for survivors, expected in found:
        far = Simplices(survivors.vertices + np.int32(shift), survivors.rank)
        result = reduce_survivors(Session(values, "cpu"), filtration, far, keep_columns=True)
        assert np.array_equal(result.death_rank, expected.death_rank)
        essential = expected.death < 0
        assert np.array_equal(result.death, np.where(essential, -1, expected.death + shift))


def test_no_survivors_are_no_bars():
    filtration = filtration_of(cross_polytope(2))
    nothing = Simplices(np.empty((0, 3), np.int32), np.empty(0, np.uint32))
    result = reduce_survivors(Session(np.zeros(1), "cpu"), filtration, nothing, keep_columns=True)
    assert result.death.shape == (0, 4)
    assert result.columns.offsets.tolist() == [0]


@pytest.mark.parametrize("prime", [0, 1, 4, 65_537])
def test_a_field_has_a_prime_number_of_elements(prime):
    values = cross_polytope(2)
    survivors = survivors_of(values, 1, set())
    with pytest.raises(InputError, match=f"field must be a prime number up to 65,521; got {prime}"):
        reduce_survivors(Session(values, "cpu"), filtration_of(values), survivors, prime=prime)


def test_simplices_beyond_128_bits_are_rejected():
    values = cross_polytope(2)
    survivors = Simplices(np.zeros((1, 30), np.int32), np.ones(1, np.uint32))
    wide = filtration_of(np.pad(values, (0, 60)))
    with pytest.raises(InputError, match=r"is 186 \(31 vertices of 6 bits, for 64 points\); the m"):
        reduce_survivors(Session(values, "cpu"), wide, survivors)


def test_a_caller_may_stop_it():
    points = np.random.default_rng(5).normal(size=(20, 3))
    values = np.linalg.norm(points[:, None] - points[None], axis=2)
    session = Session(values, "cpu")
    survivors = survivors_of(values, 1, set())

    def cancel(fraction, stage):
        raise Cancelled

    with pytest.raises(Cancelled), session.call(cancel, {"x": 1.0}), session.stage("x"):
        reduce_survivors(session, filtration_of(values), survivors)
