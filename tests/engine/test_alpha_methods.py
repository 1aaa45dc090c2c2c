"""The complete triangulation gives the same alpha complex as the local search, bit for bit."""

import math
from fractions import Fraction

import numpy as np
import pytest

import separatrix as sx
from engine.test_alpha_complex import same_tables
from engine.test_delaunay import ADVERSARIAL
from oracles.alpha import size_of
from oracles.molecules import read_pdb

RANDOM = np.random.default_rng(19)


def same_both_ways(centers: np.ndarray, radii: np.ndarray, alpha: float, **options: float) -> int:
    """Assert that both ways give the same bits; return how many tetrahedra there are."""
    local = sx.alpha_complex(centers, radii, alpha, device="cpu", method="local", **options)
    whole = sx.alpha_complex(centers, radii, alpha, device="cpu", method="complete", **options)
    took_over = "candidate_triangles" not in whole.statistics
    assert took_over == (local.statistics["pairs"] > 0)
    assert same_tables(local, whole)
    assert np.array_equal(local.hidden, whole.hidden)
    return local.counts[3]


@pytest.mark.parametrize("seed", range(40))
def test_tied_and_hidden_balls_of_a_small_lattice(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    centers, radii = rng.integers(0, 4, (n, 3)) * 1.0, rng.integers(1, 4, n) / 2
    same_both_ways(centers, radii, float(rng.choice([-0.3, 0.0, 0.5, 2.0])), resolution=0.5)


def test_balls_of_a_cubic_lattice_all_tied():
    axes = np.meshgrid(*[np.arange(5.0)] * 3)
    assert same_both_ways(np.stack(axes, -1).reshape(-1, 3), np.full(125, 0.9), 0.0) == 384


def test_a_cloud_at_a_large_alpha():
    rng = np.random.default_rng(3)
    centers = rng.normal(0, 6, (400, 3))
    assert same_both_ways(centers, rng.uniform(1, 2, 400), 30.0) > 1000


def test_molecules_and_merged_models(shared_molecules):
    assert same_both_ways(*read_pdb(shared_molecules / "1BLU.pdb.gz"), 20.0) > 1500
    assert same_both_ways(*read_pdb(shared_molecules / "3SY7_opm.pdb.gz"), 0.0, probe=1.4) > 1000
    models = read_pdb(shared_molecules / "1L2Y_38models.pdb.gz", all_models=True)
    same_both_ways(models[0][:3648], models[1][:3648], 0.0)


def test_balls_on_a_line_and_in_a_plane():
    rng = np.random.default_rng(6)
    for flat in ([0, 1], [0]):
        centers = np.zeros((60, 3))
        centers[:, flat] = rng.integers(0, 9, (60, len(flat)))
        same_both_ways(centers, rng.uniform(0.5, 2, 60), 0.7)


# Points in steps of the grid: coordinates below 5e8, squared radii below 2^53.
UNBOUNDED = {name: points for name, points in ADVERSARIAL.items() if name != "long mantissas"}
UNBOUNDED["in a plane"] = RANDOM.integers(-(10**8), 10**8, (60, 3)) * [1, 1, 0]
UNBOUNDED["on a line"] = RANDOM.integers(-9, 9, (60, 1)) * [10**6, -(10**7), 3]


@pytest.mark.parametrize("name", UNBOUNDED)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_all_simplices_and_values_at_infinite_alpha_equal_gudhis(name, is_weighted):
    gudhi = pytest.importorskip("gudhi")
    points = np.asarray(UNBOUNDED[name], np.float64)
    points = np.rint((points - points.mean(0)) * (4e8 / np.ptp(points, axis=0).max()))
    points = np.unique(points, axis=0)
    radii = np.rint(RANDOM.uniform(0, 9e6 * is_weighted, len(points)))
    complex = sx.alpha_complex(points, radii, np.inf, resolution=1.0, device="cpu")
    assert complex.betti == (1, 0, 0)
    tables = (complex.vertices, complex.edges, complex.triangles, complex.tets)
    found = {
        tuple(simplex): value
        for table in tables
        for simplex, value in zip(table.simplices.tolist(), table.alpha_value, strict=True)
    }
    tree = gudhi.AlphaComplex(points=points, weights=radii**2, precision="exact")
    tree = tree.create_simplex_tree()
    expected = {tuple(sorted(simplex)): value for simplex, value in tree.get_simplices()}
    assert found.keys() == expected.keys()
    values = np.array([(found[simplex], expected[simplex]) for simplex in expected])
    np.testing.assert_allclose(*values.T, rtol=1e-14, atol=1e-9)
    for dimension in (1, 2, 3):
        own, below = tables[dimension].alpha_value, tables[dimension - 1].alpha_value
        assert (below[complex.facets(dimension)] <= own[:, None]).all()


def rounded_size(size: Fraction) -> float:
    """32 bits of the fraction, rounded once, but above the integer below it."""
    value, whole = float(Fraction(math.floor(size * 2**32), 2**32)), math.floor(size)
    if size != whole and value <= float(whole) and abs(whole) < 2**52:
        return math.nextafter(float(whole), math.inf)
    return value


@pytest.mark.parametrize("span", [6, 3_000, 10**6, 40_000_000, 400_000_000])
@pytest.mark.parametrize("largest_radius", [0, 40, 9 * 10**7])
def test_sizes_are_rational_numbers_that_are_rounded_once(device, span, largest_radius):
    random = np.random.default_rng([span, largest_radius])
    points = np.unique(random.integers(-span, span, (60, 3)), axis=0)
    points[: len(points) // 3, 2] = 5  # planes and right angles, where sizes are often whole
    points = np.unique(points, axis=0)
    radii = random.integers(0, largest_radius + 1, len(points))
    options = {"resolution": 1.0, "method": "complete", "device": device}
    complex = sx.alpha_complex(points.astype(float), radii.astype(float), np.inf, **options)
    known = points.tolist(), (radii.astype(object) ** 2).tolist()
    for table in (complex.vertices, complex.edges, complex.triangles, complex.tets):
        rows, sizes, gabriel = map(
            sx.to_host, (table.simplices, table.alpha_value, table.is_gabriel)
        )
        assert len(rows)
        expected = [rounded_size(size_of(tuple(row), *known)) for row in rows[gabriel].tolist()]
        assert sizes[gabriel].tolist() == expected


@pytest.mark.parametrize("alpha", [0.5, 1e4, 1e300, np.inf])
def test_a_larger_alpha_contains_the_same_complexes(alpha):
    centers, radii = RANDOM.uniform(0, 9, (300, 3)), RANDOM.uniform(1, 2, 300)
    whole = sx.alpha_complex(centers, radii, alpha, device="cpu")
    local = sx.alpha_complex(centers, radii, 0.5, device="cpu", method="local")
    assert same_tables(whole.at(0.5), local)
    assert np.array_equal(whole.at(0.5).hidden, local.hidden)
    assert (whole.at(0.2).volume(), whole.at(0.2).betti) == (
        local.at(0.2).volume(),
        local.at(0.2).betti,
    )
    assert len(whole.hidden) == 300 - whole.counts[0]
    frames = sx.alpha_complexes(np.stack([centers, centers + 1]), radii, alpha, device="cpu")
    assert all(same_tables(frame.at(0.5), local) for frame in frames)


def test_points_of_radius_zero_have_the_circumradii_of_their_simplices():
    complex = sx.alpha_complex([[0, 0, 0], [2, 0, 0], [0, 2, 0]], 0.0, np.inf)
    assert complex.edges.alpha_value.tolist() == [1.0, 1.0, 2.0]
    assert complex.triangles.alpha_value.tolist() == [2.0]
    diagram = complex.persistence_diagram()
    assert sorted(diagram.death.tolist()) == [1.0, 1.0, np.inf]


def test_each_frame_beyond_the_limit_uses_the_complete_triangulation():
    frames = np.random.default_rng(4).uniform(0, 3, (3, 40, 3))
    alone = [sx.alpha_complex(frame, 1.5, device="cpu") for frame in frames]
    limits = [complex.statistics["tests_estimated"] for complex in alone]
    for limit in (1, min(limits), max(limits)):  # none, some, all of them found locally
        together = list(sx.alpha_complexes(frames, 1.5, work_limit=limit, device="cpu"))
        assert all(map(same_tables, together, alone))
        assert [c.statistics["tests_estimated"] for c in together] == limits
    whole = list(sx.alpha_complexes(frames, 1.5, method="complete", device="cpu"))
    assert all(map(same_tables, whole, alone))
    with pytest.raises(sx.InputError, match="work_limit allows 1 test"):
        list(sx.alpha_complexes(frames, 1.5, work_limit=1, method="local", device="cpu"))


def test_the_complete_method_reports_progress_and_can_be_canceled():
    balls, seen = (np.random.default_rng(7).uniform(0, 9, (300, 3)), 1.0), []
    sx.alpha_complex(*balls, method="complete", progress=lambda part, _: seen.append(part))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0

    def cancel(part, stage):
        if stage == "agreement":
            raise sx.Canceled

    for compute in (
        lambda: sx.alpha_complex(*balls, method="complete", progress=cancel),
        lambda: sx.delaunay(balls[0], progress=cancel),
    ):
        with pytest.raises(sx.Canceled):
            compute()


@pytest.mark.gpu
@pytest.mark.parametrize("seed", range(10))
def test_the_complete_triangulation_of_a_gpu_gives_the_same_bits(seed):
    rng = np.random.default_rng(seed)
    centers, radii = rng.integers(0, 9, (300, 3)) * 1.0, rng.integers(1, 4, 300) / 2
    local = sx.alpha_complex(centers, radii, 1.0, device="cpu", method="local", resolution=0.5)
    for alpha in (1.0, np.inf):
        whole = sx.alpha_complex(
            centers, radii, alpha, device="cuda", method="complete", resolution=0.5
        )
        assert same_tables(local, whole.at(1.0))
    pockets = sx.alpha_complex(centers, radii, device="cuda").pockets(probe=0.1)
    on_host = sx.alpha_complex(centers, radii, device="cpu").pockets(probe=0.1)
    assert sx.to_host(pockets.volume).tobytes() == on_host.volume.tobytes()
