"""Barcodes equal the oracle's, on hundreds of small inputs full of ties; known shapes."""

import numpy as np
import pytest

import separatrix as sx
from engine.rips_sets import barcode
from oracles import rips as oracle
from reliability.whole_results import digest
from separatrix.rips import forecast, ranks, survivors, uploads

KINDS = ((1, False), (2, False), (3, True), (6, True), (1000, False))


def weights(rng: np.random.Generator, n: int, kinds: int, holes: bool) -> np.ndarray:
    """Symmetric integers 0 .. kinds; with `holes` a third of the pairs are not edges."""
    upper = np.triu(rng.integers(0 if holes else 1, kinds + 1, (n, n)), 1).astype(float)
    if holes:
        upper[np.triu(rng.random((n, n)) < 0.3, 1)] = np.inf
    return upper + upper.T


@pytest.mark.parametrize("rows", [False, True], ids=["matrix", "rows of neighbors"])
@pytest.mark.parametrize("prime", [2, 3, 5])
def test_pairs_of_simplices_are_those_of_the_total_order(device, prime, rows, monkeypatch):
    if rows:
        monkeypatch.setattr(ranks, "SMALL", 0)
        monkeypatch.setattr(ranks, "DENSE", 2.0)
    rng = np.random.default_rng(100 + prime)
    for kinds, holes in KINDS * 3:
        values = weights(rng, int(rng.integers(2, 8)), kinds, holes)
        keep_zero = bool(np.isfinite(values).all())  # one enclosing radius, where bars end
        bars = sx.rips_barcodes(
            distances=values,
            max_dimension=3,
            field=prime,
            keep_zero=keep_zero,
            collapse=False,
            relabel=False,
            device=device,
        )
        born = [tuple(s) for table in bars.birth_simplex for s in table.tolist()]
        died = [
            tuple(s) if s[0] >= 0 else None for table in bars.death_simplex for s in table.tolist()
        ]
        found = zip(barcode(bars), born, died, strict=True)
        limit = bars.threshold if keep_zero else np.inf
        expected = oracle.bars_of(values, 3, prime=prime, keep_zero=keep_zero)
        pairs = [((b.dimension, b.birth, b.death), b.born, b.died) for b in expected]
        kept = [[p for p in some if p[0][1] < limit] for some in (found, pairs)]
        assert sorted(kept[0], key=str) == sorted(kept[1], key=str)
        for d in (1, 2, 3) if keep_zero else ():
            counted = bars.statistics["dimensions"][d]["apparent_pairs"]
            assert counted == len(oracle.apparent_pairs(values, d, limit))


@pytest.mark.parametrize("form", ["matrix", "rows", "weights", "loops"])
def test_edges_that_the_cpu_ranks_have_the_same_results(device, form, monkeypatch):
    points = np.random.default_rng(8).random((90, 3))
    options = {"max_dimension": 1 if form == "loops" else 2, "device": device, "collapse": "auto"}
    if form == "rows":
        monkeypatch.setattr(ranks, "SMALL", 0)
        options["threshold"] = 0.3
    if form == "weights":
        options["weights"] = "dtm"
    found = []
    for few in (0, 10**6):
        monkeypatch.setattr(forecast, "FEW_POINTS", few)
        found.append(digest(sx.rips_barcodes(points, representatives=3, **options)))
    assert found[0] == found[1]


def test_large_matrices_are_copied_in_parts(device, monkeypatch):
    values = weights(np.random.default_rng(5), 90, 1000, True)
    found = []
    for staged in (10**9, 1000, 777):
        monkeypatch.setattr(uploads, "STAGED", staged)
        found.append(digest(sx.rips_barcodes(distances=values, max_dimension=2, device=device)))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("reach", [0.16, 0.22, 0.35])  # 16, 30, and 70 neighbors per point
def test_rows_of_neighbors_have_the_simplices_of_a_matrix(device, reach, monkeypatch):
    points = np.random.default_rng(3).random((200, 2))
    options = {"max_dimension": 2, "threshold": reach, "method": "cohomology", "device": device}
    found = []
    for dense in (0.0, 2.0):
        monkeypatch.setattr(ranks, "SMALL", 0)
        monkeypatch.setattr(ranks, "DENSE", dense)
        monkeypatch.setattr(survivors, "DENSE", dense)
        for collapse in (False, True):
            bars = sx.rips_barcodes(points, collapse=collapse, **options)
            found.append((bars, [t.tolist() for t in (*bars.birth_simplex, *bars.death_simplex)]))
    for (matrix, listed), (rows, listed_by_rows) in (found[0::2], found[1::2]):
        assert barcode(matrix) == barcode(rows)
        assert listed == listed_by_rows
        for d in (1, 2):
            counts = [bars.statistics["dimensions"][d] for bars in (matrix, rows)]
            assert counts[0]["simplices"] == counts[1]["simplices"] > 0
            assert counts[0]["apparent_pairs"] == counts[1]["apparent_pairs"] > 0


def test_many_points_outside_a_small_complex_do_not_change_its_bars(device):
    # Numbers of 17 bits make keys of two words, and lengths of a path more ranks than two bytes.
    rng = np.random.default_rng(12)
    for prime in (2, 3):
        values = weights(rng, 8, 4, True)
        alone = sx.rips_barcodes(
            distances=values, max_dimension=3, field=prime, threshold=9, device=device
        )
        i, j = np.nonzero(np.isfinite(values) & ~np.eye(8, dtype=bool))
        path = np.arange(70_000)
        ends = (np.append(i + 100_000, path), np.append(j + 100_000, path + 1))
        lengths = np.append(values[i, j], 9 * (path + 1.5) / 70_002)
        for order in (1, -1):  # the small complex behind the others, or before them
            sparse = (*(e if order > 0 else 100_007 - e for e in ends), lengths, 100_008)
            bars = sx.rips_barcodes(
                sparse=sparse, max_dimension=3, field=prime, threshold=9, device=device
            )
            for d in (1, 2, 3):
                assert bars.of_dimension(d).tolist() == alone.of_dimension(d).tolist()


def test_longest_edges_have_the_lengths_of_births_and_deaths(device):
    points = np.random.default_rng(5).random((60, 3))
    bars = sx.rips_barcodes(points, max_dimension=2, collapse=False, device=device)
    for edges, values in ((bars.birth_edge, bars.birth), (bars.death_edge, bars.death)):
        is_there = edges[:, 0] >= 0
        u, v = points[edges[is_there, 0]], points[edges[is_there, 1]]
        np.testing.assert_allclose(np.linalg.norm(u - v, axis=1), values[is_there], rtol=1e-14)
        assert (values[~is_there] == 0).all() or np.isinf(values[~is_there]).any()


@pytest.mark.parametrize(
    ("n", "expected"),
    [(9, {1: [[1, 3]], 2: [[3, 4], [3, 4]]}), (40, {1: [[1, 14]], 2: [], 3: [[14, 16]]})],
)
def test_a_cycle_has_the_bars_of_adamaszek(device, n, expected):
    bars = sx.rips_barcodes(distances=oracle.n_cycle(n), max_dimension=max(expected), device=device)
    for d, wanted in expected.items():
        assert bars.of_dimension(d).tolist() == wanted


@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_cross_polytope_has_one_bar(device, k):
    bars = sx.rips_barcodes(distances=oracle.cross_polytope(k), max_dimension=k - 1, device=device)
    assert barcode(bars)[2 * k :] == [(k - 1, 1.0, 2.0)]


def test_the_projective_plane_has_bars_over_z2_but_not_over_z3(device):
    values = oracle.projective_plane()
    over = {
        p: sx.rips_barcodes(distances=values, max_dimension=2, field=p, device=device)
        for p in (2, 3)
    }
    assert over[2].of_dimension(1).tolist() == over[2].of_dimension(2).tolist() == [[1, 2]]
    assert len(over[3].of_dimension(1)) == len(over[3].of_dimension(2)) == 0


def test_bars_at_a_threshold_are_bars_cut_there(device):
    points = np.random.default_rng(8).random((50, 3))
    bars = sx.rips_barcodes(points, max_dimension=2, device=device)
    at = float(np.median(bars.birth[bars.dimension == 1]))  # a distance: the threshold is closed
    cut = [
        (d, birth, death if death <= at else np.inf)
        for d, birth, death in barcode(bars)
        if birth <= at
    ]
    below = sx.rips_barcodes(points, max_dimension=2, threshold=at, device=device)
    assert sorted(barcode(below)) == sorted(cut)
    assert below.threshold == at < below.enclosing_radius


def test_a_neighbor_search_gives_the_same_bars_as_a_matrix(device, monkeypatch):
    from separatrix.rips import distances

    points = np.random.default_rng(10).random((400, 2))
    by_matrix = sx.rips_barcodes(points, threshold=0.1, device=device)
    monkeypatch.setattr(distances, "MANY_POINTS", 100)
    monkeypatch.setattr(ranks, "SMALL", 0)
    by_search = sx.rips_barcodes(points, threshold=0.1, device=device)
    assert barcode(by_search) == barcode(by_matrix)


def test_each_component_has_its_own_enclosing_radius(device):
    values = np.full((8, 8), np.inf)
    values[:4, :4] = oracle.cross_polytope(2)
    values[4:, 4:] = 5 * oracle.cross_polytope(2)
    bars = sx.rips_barcodes(distances=values, device=device)
    assert bars.of_dimension(1).tolist() == [[1, 2], [5, 10]]
    assert np.isinf(bars.of_dimension(0)).any(axis=1).sum() == 2
    assert bars.enclosing_radius == 10


def test_reduced_homology_omits_one_bar(device):
    points = np.random.default_rng(11).random((9, 2))
    bars = sx.rips_barcodes(points, max_dimension=0, device=device)
    without = sx.rips_barcodes(points, max_dimension=0, reduced=True, device=device)
    assert len(bars) == 9
    assert bars.is_essential.sum() == 1
    assert barcode(without) == barcode(bars)[:-1]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_equal_points_have_one_bar(device, n):
    bars = sx.rips_barcodes(np.zeros((n, 2)), max_dimension=3, device=device)
    assert barcode(bars) == [(0, 0.0, np.inf)]


def test_a_diagram_has_the_indices_of_the_simplices(device):
    bars = sx.rips_barcodes(distances=oracle.cross_polytope(2), device=device)
    diagram = bars.diagram()
    assert sorted(diagram.birth_cell[:4].tolist()) == [0, 1, 2, 3]
    assert (diagram.is_essential == bars.is_essential).all()
    assert (diagram.birth == bars.birth).all()
    assert (diagram.death == bars.death).all()


def test_bars_and_pairs_are_shown_in_one_line():
    bars = sx.rips_barcodes([[0, 0], [1, 0], [1, 1], [0, 1]], device="cpu")
    assert repr(bars) == "<Barcodes of 4 points up to 1.41421: bars (4, 1)>"
    pairs = sx.persistence_diagram(np.array([1.0, 0, 3, 1, 2]), device="cpu")
    assert repr(pairs) == "<PersistenceDiagram of 2 pairs: (2,) by dimension>"
    assert (
        repr(pairs.where(pairs.dimension > 0)) == "<PersistenceDiagram of 0 pairs: () by dimension>"
    )
