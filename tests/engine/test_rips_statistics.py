"""Counts of simplices, apparent pairs and cleared columns: theory, and published tables.

Zhang, Xiao, Wang 2020: table 1 counts apparent pairs without a threshold, table 5 the columns to
reduce, those beyond the enclosing radius and those cleared, summed over dimensions 1 on.
"""

from math import comb
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from engine.rips_sets import read_distances
from separatrix.device import Session
from separatrix.rips.filtration import Filtration
from separatrix.rips.survivors import survivors


def plain_filtration(session: Session, distances: np.ndarray) -> Filtration:
    """All edges in the caller's order."""
    n = len(distances)
    levels, rank = np.unique(distances[np.triu_indices(n, 1)], return_inverse=True)
    matrix = np.zeros((n, n), np.uint32)
    matrix[np.triu_indices(n, 1)] = rank.ravel() + 1
    return Filtration(n, session.upload(matrix + matrix.T), np.concatenate([[0.0], levels]))


def rounded(folder: Path, name: str) -> np.ndarray:
    """Distances of a shared file, as float32 rounds them."""
    return read_distances(folder, name).astype(np.float32).astype(np.float64)


SPHERE, CELEGANS, VICSEK = "sphere_3_192.lower", "celegans.distance", "Vicsek300_300_of_300"


@pytest.mark.parametrize(
    ("name", "percent"),
    [(SPHERE, (99.707909, 99.734764)), (CELEGANS, (99.661017, 99.962021))],
    ids=["sphere", "celegans"],
)
def test_the_number_of_apparent_pairs_equals_the_published_one(device, name, percent, shared_rips):
    distances = rounded(shared_rips, name)
    session, n = Session(np.empty(0), device), len(distances)
    filtration = plain_filtration(session, distances)
    for d, published in enumerate(percent, start=1):
        found = survivors(session, filtration, d)
        assert found.n_simplices == comb(n, d + 1)
        assert round(100 * found.n_births / comb(n - 1, d + 1), 6) == published


@pytest.mark.parametrize(
    ("name", "columns", "beyond", "cleared"),
    [
        (SPHERE, 46_817_416, 8_159_941, 1_072_739),
        (CELEGANS, 256_704_712, 61_576_563, 3_777_011),
        (VICSEK, 283_441_085, 47_803_132, 4_046_908),
    ],
    ids=["sphere", "celegans", "Vicsek"],
)
def test_the_numbers_of_columns_and_cleared_columns_equal_the_published_ones(
    name, columns, beyond, cleared, shared_rips
):
    distances = rounded(shared_rips, name)
    bars = sx.rips_barcodes(distances=distances, max_dimension=3, collapse=False, device="cpu")
    dimensions = bars.statistics["dimensions"][1:]
    simplices = sum(counts["simplices"] for counts in dimensions)
    n = len(distances)
    assert sum(counts["columns"] for counts in dimensions) == columns
    assert sum(counts["cleared"] for counts in dimensions) == cleared
    assert sum(comb(n, d + 1) for d in (1, 2, 3)) - simplices == beyond


def test_apparent_pairs_are_counted_without_a_reduction(device):
    points = np.random.default_rng(8).random((60, 2))
    options = {"max_dimension": 2, "device": device}
    bars = sx.rips_barcodes(points, method="cohomology", collapse=False, relabel=False, **options)
    found = sx.apparent_pairs(points, threshold=bars.enclosing_radius, **options)
    assert sx.apparent_pairs(points, threshold=None) == sx.apparent_pairs(points)
    for counts, expected in zip(found, bars.statistics["dimensions"][1:], strict=True):
        assert counts.simplices == expected["simplices"]
        assert counts.pairs == expected["apparent_pairs"]
        assert counts.survivors == expected["survivors"]
        assert counts.beyond == comb(60, counts.dimension + 1) - expected["simplices"]
    with pytest.raises(sx.InputError, match="Exactly one of points and distances must be given"):
        sx.apparent_pairs()


def test_distances_in_random_order_have_the_expected_fraction_of_apparent_pairs(device):
    order = np.random.default_rng(9).permutation(300 * 299 // 2).astype(float)
    (edges,) = sx.apparent_pairs(distances=order + 1, device=device)
    assert abs(edges.fraction - edges.expected) < 0.005
    assert edges.lower_bound == 1 / 3 < edges.fraction < edges.bound


@pytest.mark.parametrize("n", [4, 7, 12])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_equal_distances_reach_the_upper_bound_of_apparent_pairs(device, n, d):
    session = Session(np.empty(0), device)
    found = survivors(session, plain_filtration(session, 1.0 - np.eye(n)), d)
    assert found.n_births == comb(n - 1, d + 1)  # (n - d - 1) / n of all
    assert len(found.simplices) == (comb(n, d + 1) - comb(n - 1, d + 1) if d == 1 else 0)


def test_edges_that_survive_are_the_relative_neighborhood_graph(device):
    distances = np.zeros((40, 40))
    distances[np.tril_indices(40, -1)] = 1 + np.random.default_rng(4).permutation(780)
    distances += distances.T
    session = Session(np.empty(0), device)
    found = survivors(session, plain_filtration(session, distances), 1).simplices
    relative = {
        (u, v)
        for u in range(40)
        for v in range(u)
        if (np.maximum(distances[u], distances[v])[np.arange(40) != u] >= distances[u, v]).all()
    }
    assert {tuple(edge) for edge in found.vertices.tolist()} == relative


def test_pairs_columns_and_essential_classes_add_up(device):
    points = np.random.default_rng(6).random((40, 3))
    bars = sx.rips_barcodes(points, max_dimension=3, keep_zero=True, collapse=False, device=device)
    counted = bars.statistics["dimensions"]
    n = len(points)
    columns = n - 1
    assert counted[1]["cleared"] == columns
    for d in (1, 2, 3):
        columns = counted[d]["simplices"] - columns  # at the enclosing radius all of them pair
        assert counted[d]["columns"] == columns
        assert counted[d]["apparent_pairs"] + counted[d]["reduced"] == columns
        shortcut = counted[d]["shortcut_pairs"]  # zero length, by the same order of simplices
        of_zero_length = int(((bars.dimension == d) & (bars.persistence == 0)).sum())
        assert counted[d]["apparent_pairs"] <= shortcut <= of_zero_length
