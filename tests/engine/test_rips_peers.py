"""Barcodes equal those of ripser.py and GUDHI, bar for bar.

The peers work on float32 or on their own distances, so they are given ranks: integers in
the order of the distances, which float32 holds exactly. Equal barcodes of ranks are equal barcodes.
"""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.rips_sets import GENERATED, read_distances

LARGEST_FLOAT32_COUNT = 2**24

# name of the file, highest dimension, threshold, primes
SHARED = [
    ("random16", 4, None, (2, 3, 5)),
    ("projective_plane", 2, None, (2, 3, 5)),
    ("random_50_16", 3, None, (2, 3)),
    ("senate104", 2, None, (2, 3)),
    ("gcycle", 2, None, (2, 5)),
    ("house104", 1, None, (2,)),
    ("network379", 1, None, (2, 3)),
    ("klein400", 1, None, (2, 3)),
    ("celegans", 1, None, (2, 5)),
    ("Vicsek300", 1, None, (2,)),
    ("sphere_3_192", 2, None, (2,)),
    ("sphere_3_192", 1, 1.0, (3,)),
    ("fractal_r", 1, None, (2,)),
    ("rp2_600", 1, 1.2, (2, 3)),
    ("klein900", 1, 2.0, (2,)),
    ("dragon1000", 1, None, (2,)),
    ("hiv_like", 1, None, (2,)),
    ("o3_1024", 2, 1.4, (2, 3)),
]


def ranks_of(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(ranks (n, n) float64 with 0 on the diagonal, the distances of all ranks)."""
    levels, place = np.unique(distances, return_inverse=True)
    assert levels[0] == 0
    assert levels.size < LARGEST_FLOAT32_COUNT
    return place.reshape(distances.shape).astype(float), levels


def bars_of_ranks(bars: sx.Barcodes, levels: np.ndarray, dimension: int) -> np.ndarray:
    """Our bars with ranks in the place of distances: each end is one of them."""
    ends = bars.of_dimension(dimension)
    finite = np.isfinite(ends)
    place = np.searchsorted(levels, ends[finite])
    assert (levels[place] == ends[finite]).all()
    ranks = np.full(ends.shape, np.inf)
    ranks[finite] = place
    return by_ends(ranks)


def by_ends(bars: np.ndarray) -> np.ndarray:
    bars = np.asarray(bars, float).reshape(-1, 2)
    return bars[np.lexsort(bars.T)]


def by_ripser(ranks: np.ndarray, top: int, limit: float, prime: int) -> list[np.ndarray]:
    ripser: Any = pytest.importorskip("ripser")
    found = ripser.ripser(ranks, maxdim=top, thresh=limit, coeff=prime, distance_matrix=True)
    return [by_ends(bars) for bars in found["dgms"]]


def by_gudhi(ranks: np.ndarray, top: int, limit: float, prime: int) -> list[np.ndarray]:
    gudhi: Any = pytest.importorskip("gudhi")
    complex_ = gudhi.RipsComplex(distance_matrix=ranks, max_edge_length=limit)
    tree = complex_.create_simplex_tree(max_dimension=top + 1)
    tree.compute_persistence(homology_coeff_field=prime, min_persistence=0)
    return [by_ends(tree.persistence_intervals_in_dimension(d)) for d in range(top + 1)]


def check(
    distances: np.ndarray, top: int, threshold: float | None, prime: int, peer: Any, **options: Any
) -> None:
    ranks, levels = ranks_of(distances)
    limit = np.inf if threshold is None else np.searchsorted(levels, threshold, "right") - 1
    bars = sx.rips_barcodes(
        distances=distances, max_dimension=top, threshold=threshold, field=prime, **options
    )
    for d, expected in enumerate(peer(ranks, top, limit, prime)):
        np.testing.assert_array_equal(bars_of_ranks(bars, levels, d), expected, f"dimension {d}")


@pytest.mark.parametrize("collapse", [False, True], ids=["plain", "collapsed"])
@pytest.mark.parametrize("prime", [2, 3, 5])
@pytest.mark.parametrize("name", list(GENERATED))
def test_generated_sets_have_the_bars_of_ripser(name, prime, collapse, device):
    distances, top = GENERATED[name]
    check(distances, top, None, prime, by_ripser, collapse=collapse, device=device)


@pytest.mark.parametrize("prime", [2, 3, 5])
@pytest.mark.parametrize("name", ["linked circles", "cycle of 9", "projective plane", "all equal"])
def test_generated_sets_have_the_bars_of_gudhi(name, prime, device):
    distances, top = GENERATED[name]
    check(distances, min(top, 2), None, prime, by_gudhi, device=device)


@pytest.mark.parametrize("share", [0.1, 0.4])
@pytest.mark.parametrize("name", list(GENERATED))
def test_generated_sets_have_the_bars_of_ripser_up_to_a_threshold(name, share, device):
    distances, top = GENERATED[name]
    threshold = float(np.quantile(distances, share))
    check(distances, min(top, 2), threshold, 2, by_ripser, device=device)


@pytest.mark.parametrize(
    ("name", "top", "threshold", "prime"),
    [(name, top, at, prime) for name, top, at, primes in SHARED for prime in primes],
)
def test_shared_sets_have_the_bars_of_ripser(name, top, threshold, prime, device, shared_rips):
    distances = read_distances(shared_rips, name)
    check(distances, top, threshold, prime, by_ripser, device=device)


@pytest.mark.parametrize("name", ["random_50_16", "senate104"])
def test_collapsed_shared_sets_have_the_bars_of_ripser(name, device, shared_rips):
    distances = read_distances(shared_rips, name)
    check(distances, 2, None, 2, by_ripser, device=device, collapse=True)


def test_the_collapse_removes_nearly_as_many_edges_as_that_of_gudhi(shared_rips):
    gudhi = pytest.importorskip("gudhi")
    distances = read_distances(shared_rips, "senate104")
    bars = sx.rips_barcodes(distances=distances, max_dimension=1, collapse=True, device="cpu")
    tree = gudhi.SimplexTree()
    ranks, levels = ranks_of(distances)
    limit = np.searchsorted(levels, bars.enclosing_radius)
    for v in range(len(ranks)):
        tree.insert([v], 0)
    for u, v in np.argwhere(np.triu(ranks <= limit, 1)):
        tree.insert([int(u), int(v)], ranks[u, v])
    tree.collapse_edges()
    left = bars.statistics["edges"] - bars.statistics["collapsed"]
    assert left < 1.15 * (tree.num_simplices() - len(ranks))
