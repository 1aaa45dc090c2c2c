"""Reduction of surviving Rips columns, against the textbook's reduction of every simplex."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.rips import (
    apparent_pairs,
    bars_of,
    cross_polytope,
    n_cycle,
    projective_plane,
    random_values,
)

from engine.rips_survivors import filtration_of, forest_edges, survivors_of
from separatrix.device.work import Work
from separatrix.errors import InputError
from separatrix.rips.filtration import ABSENT, Simplices
from separatrix.rips.reduction import Reduction, reduce_survivors


def reduced(values, top, *, prime=2, threads=2, sparse=False, wide=False, keep_columns=False):
    """(survivors, reduction) of each dimension from 1 to `top`, each cleared by the one below."""
    filtration = filtration_of(values, sparse=sparse, wide=wide)
    work = Work(values, "cpu", threads)
    cleared = forest_edges(values)
    found: list[tuple[Simplices, Reduction]] = []
    for dimension in range(1, top + 1):
        survivors = survivors_of(values, dimension, cleared)
        result = reduce_survivors(
            work, filtration, survivors, prime=prime, keep_columns=keep_columns
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
    for trial in range(24):
        values = random_values(rng, 7, (1, 2, 3, 6)[trial % 4], absent=0.2 * (trial % 3))
        _, found = reduced(values, 3, prime=prime, **form)
        assert pairs_of(found) == expected_pairs(values, 3, prime)


def test_ranks_of_deaths_are_their_diameters():
    values = random_values(np.random.default_rng(1), 8, 6)
    filtration, found = reduced(values, 2)
    for _, result in found:
        for t, rank in zip(result.death, result.death_rank, strict=True):
            assert rank == (filtration.rank[np.ix_(t, t)].max() if t[0] >= 0 else ABSENT)
