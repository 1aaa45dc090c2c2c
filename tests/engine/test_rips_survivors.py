"""Survivors of one dimension or of all at once, and their order, compared with slow code."""

from itertools import combinations

import numpy as np
import pytest

from separatrix.device import Session
from separatrix.rips import survivors as module
from separatrix.rips.filtration import ABSENT, Filtration, Simplices
from separatrix.rips.survivors import RankRows, adjacency_of, in_processing_order, listed


def graph_of(seed: int, n: int, part: float, kinds: int) -> np.ndarray:
    """Ranks (n, n) uint32 of random edges with ties; ABSENT for other pairs."""
    rng = np.random.default_rng(seed)
    rank = np.triu(rng.integers(1, kinds + 1, (n, n)), 1).astype(np.uint32)
    rank[np.triu(rng.random((n, n)) >= part, 1)] = ABSENT
    return np.maximum(rank, rank.T)


def as_rows(session: Session, rank: np.ndarray, kinds: int, form: str) -> RankRows:
    filtration = Filtration(len(rank), rank, np.arange(kinds + 1.0))
    if form == "rows":
        return RankRows(len(rank), kinds, None, adjacency_of(rank))
    return RankRows.of(session, filtration)


def sorted_rows(found: module.Listed) -> list[tuple[int, ...]]:
    vertices, rank = found.simplices.vertices, found.simplices.rank
    return sorted((*v, r) for v, r in zip(vertices.tolist(), rank.tolist(), strict=True))


@pytest.mark.parametrize("form", ["matrix", "rows"])
@pytest.mark.parametrize(("n", "part"), [(9, 1.0), (30, 0.6), (90, 0.2), (200, 0.06)])
def test_all_dimensions_at_once_have_the_survivors_of_each(n, part, form, monkeypatch):
    monkeypatch.setattr(module, "DENSE", 0.0)
    session = Session(np.empty(0), "cpu", threads=2)
    for seed, kinds in enumerate((4, 60, 3000)):
        rows = as_rows(session, graph_of(seed, n, part, kinds), kinds, form)
        found = listed(session, rows, range(1, 5))
        for d, of_dimension in enumerate(found, start=1):
            (alone,) = listed(session, rows, range(d, d + 1))
            assert sorted_rows(of_dimension) == sorted_rows(alone)
            assert of_dimension.counts == alone.counts
        with monkeypatch.context() as changed:
            changed.setattr(module, "FIRST_CAPACITY", 3)  # all of them in a second pass
            again = listed(session, rows, range(1, 5))
        assert list(map(sorted_rows, again)) == list(map(sorted_rows, found))


def test_counts_are_those_of_all_sets_of_vertices():
    session, n, kinds = Session(np.empty(0), "cpu"), 14, 50
    rank = graph_of(5, n, 0.7, kinds)
    for d, found in enumerate(
        listed(session, as_rows(session, rank, kinds, "rows"), range(1, 5)), start=1
    ):
        cliques = [
            s
            for s in combinations(range(n), d + 1)
            if all(rank[i, j] != ABSENT for i, j in combinations(s, 2))
        ]
        n_simplices, n_births, n_deaths, n_left = found.counts
        assert n_simplices == len(cliques) == n_births + n_deaths + n_left


@pytest.mark.parametrize("n", [50, 70_000], ids=["one word", "two words"])
@pytest.mark.parametrize("m", [0, 1, 700, 5000])
def test_columns_are_in_processing_order_and_not_cleared(device, n, m):
    rng = np.random.default_rng(m)
    vertices = np.sort(rng.integers(0, n - 4, (m, 5)), axis=1)[:, ::-1] + np.arange(4, -1, -1)
    vertices = np.unique(vertices, axis=0)[::-1].astype(np.int32).copy()
    vertices = vertices[rng.permutation(len(vertices))]
    rank = rng.integers(0, 40, len(vertices)).astype(np.uint32)
    is_cleared = rng.random(len(vertices)) < 0.3
    others = vertices[: m // 3] // 2 * 2 + np.array([4, 3, 2, 1, 0], np.int32)
    cleared = np.concatenate([vertices[is_cleared], others])
    given = {tuple(row) for row in cleared.tolist()}
    left = [k for k, row in enumerate(vertices.tolist()) if tuple(row) not in given]
    left.sort(key=lambda k: (-int(rank[k]), vertices[k].tolist()))
    filtration = Filtration(n, None, np.arange(40.0), adjacency=None)
    session = Session(np.empty(0), device)
    simplices = Simplices(session.upload(vertices), session.upload(rank))
    found = in_processing_order(session, simplices, filtration, cleared)
    assert np.array_equal(found.vertices, vertices[left])
    assert np.array_equal(found.rank, rank[left])
    every = in_processing_order(session, simplices, filtration)
    assert len(every) == len(vertices)
