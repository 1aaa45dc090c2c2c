"""Volume and area of unions of balls: closed forms, slices, samples, and invariances."""

from pathlib import Path

import numpy as np
import pytest

import separatrix as sx
from oracles.ball_union import measures_by_slices, sampled_areas, sampled_volumes
from oracles.molecules import read_pdb

REPOSITORY = Path(__file__).resolve().parents[2]
MOLECULES = REPOSITORY.parent / "shared" / "data" / "molecules"


def sphere(r: float) -> tuple[float, float]:
    """Volume and area."""
    return 4 / 3 * np.pi * r**3, 4 * np.pi * r**2


def two_balls(a: float, b: float, d: float) -> tuple[float, float]:
    """Volume and area of the union of two balls that cut each other."""
    x = (d * d + a * a - b * b) / (2 * d)
    caps = [(a, a - x), (b, b - d + x)]
    lens = sum(np.pi * h * h * (3 * r - h) / 3 for r, h in caps)
    return (
        sphere(a)[0] + sphere(b)[0] - lens,
        sphere(a)[1] + sphere(b)[1] - sum(2 * np.pi * r * h for r, h in caps),
    )


def cloud(seed: int, n: int, side: float) -> tuple[np.ndarray, np.ndarray]:
    """Some balls of radii 0.8 to 2 in a cube, whole multiples of 0.001."""
    random = np.random.default_rng([seed, n])
    return random.uniform(0, side, (n, 3)).round(3), random.uniform(0.8, 2, n).round(3)


# === the oracle
def test_slices_of_one_ball_and_of_two_are_exact():
    one = measures_by_slices(np.array([[1.0, 2.0, 3.0]]), np.array([1.7]))
    assert (one[0], one[1][0]) == pytest.approx(sphere(1.7), rel=1e-11)
    centers = np.array([[0, 0, 0], [0.4, 1.2, -0.9]])
    two = measures_by_slices(centers, np.array([1.7, 1.2]))
    expected = two_balls(1.7, 1.2, float(np.linalg.norm(centers[1])))
    assert (two[0], two[1].sum()) == pytest.approx(expected, rel=1e-11)


# === closed forms
def test_one_ball(device):
    complex = sx.alpha_complex([[1.0, 2.0, 3.0]], 1.7, device=device)
    assert (complex.volume(), complex.area()) == pytest.approx(sphere(1.7), rel=1e-13)


@pytest.mark.parametrize(("a", "b", "d"), [(1.7, 1.55, 1.4), (2.0, 0.7, 1.5), (1.0, 1.0, 1e-3)])
def test_two_balls(a, b, d):
    complex = sx.alpha_complex([[0, 0, 0], [0, d, 0]], [a, b])
    assert (complex.volume(), complex.area()) == pytest.approx(two_balls(a, b, d), rel=1e-12)


def test_three_balls_that_meet_in_a_point_where_two_of_them_touch():
    centers = np.array([[3, 2, 2], [0, 2, 2], [1, 0, 2], [2, 0, 1]], float)
    radii = np.array([2.0, 1.0, 2.0, 2.0])
    volume, area = measures_by_slices(centers, radii)
    complex = sx.alpha_complex(centers, radii)
    assert complex.volume() == pytest.approx(volume, rel=1e-7)
    assert complex.per_ball().area == pytest.approx(area, rel=1e-7, abs=1e-6)


def test_balls_apart_touching_or_inside_one_another():
    r = np.array([1.5, 1.0])
    for d in (3.0, 2.5):
        both = sx.alpha_complex([[0, 0, 0], [d, 0, 0]], r)
        assert both.volume() == pytest.approx(sphere(1.5)[0] + sphere(1.0)[0], rel=1e-13)
        assert both.area() == pytest.approx(sphere(1.5)[1] + sphere(1.0)[1], rel=1e-13)
    inside = sx.alpha_complex([[0, 0, 0], [0.2, 0, 0]], r)
    measures = inside.per_ball()
    assert (inside.volume(), inside.area()) == pytest.approx(sphere(1.5), rel=1e-13)
    assert measures.volume[1] == measures.area[1] == 0


@pytest.mark.parametrize("n", [3, 4, 6])
def test_few_balls_equal_their_slices_to_a_billionth(n):
    for seed in range(3 if n < 6 else 1):
        centers, radii = cloud(seed, n, 2.5)
        complex = sx.alpha_complex(centers, radii)
        volume, area = measures_by_slices(centers, radii)
        assert complex.volume() == pytest.approx(volume, rel=1e-9)
        assert complex.per_ball().area == pytest.approx(area, rel=1e-9, abs=2e-9)


def test_flat_and_cospherical_balls_equal_their_slices():
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    turn = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]])
    for centers in (cube[:4], [[0, 0, 0], [1, 0, 0], [2, 0, 0]], cube[[0, 3, 5, 6]]):
        tilted = (centers @ turn).round(3)
        radii = np.full(len(centers), 0.87)
        complex = sx.alpha_complex(tilted, radii)
        volume, area = measures_by_slices(tilted, radii)
        assert complex.volume() == pytest.approx(volume, rel=1e-8)
        assert complex.area() == pytest.approx(area.sum(), rel=1e-8)


# === samples
@pytest.mark.parametrize("n", [12, 60])
def test_parts_of_balls_agree_with_samples(n):
    centers, radii = cloud(1, n, 2.0 * n ** (1 / 3))
    measures = sx.alpha_complex(centers, radii).per_ball()
    volume, error = sampled_volumes(centers, radii, 200_000, np.random.default_rng(n))
    assert np.all(np.abs(measures.volume - volume) < 5 * error + 1e-3)
    area, whole = sampled_areas(centers, radii, 4000)
    assert np.all(np.abs(measures.area - area) < 0.01 * whole)


def test_alpha_and_probe_grow_the_balls():
    centers, radii = cloud(2, 5, 4)
    grown = sx.alpha_complex(centers, radii, 1.5)
    volume, _ = measures_by_slices(centers, np.sqrt(radii**2 + 1.5))
    assert grown.volume() == pytest.approx(volume, rel=1e-9)
    probed = sx.alpha_complex(centers, radii, probe=0.5)
    volume, area = measures_by_slices(centers, radii + 0.5)
    assert (probed.volume(), probed.area()) == pytest.approx((volume, area.sum()), rel=1e-9)


# === derivatives
@pytest.mark.parametrize(("n", "side", "alpha"), [(3, 2, 0), (12, 3, 0), (40, 5, 0), (30, 3, 1.0)])
def test_derivatives_equal_finite_differences(device, n, side, alpha):
    centers, radii = cloud(8, n, side)
    options = {"resolution": 2e-4, "device": device}
    found = sx.alpha_complex(centers, radii, alpha, **options).gradients()
    by_volume, by_area = sx.to_host(found.volume), sx.to_host(found.area)
    step = 0.0006
    for ball, axis in np.argwhere(np.ones((n, 3)))[:: max(n // 5, 1)]:
        ends = []
        for sign in (-1, 1):
            moved = centers.copy()
            moved[ball, axis] += sign * step
            complex = sx.alpha_complex(moved, radii, alpha, **options)
            ends.append((complex.volume(), complex.area()))
        slopes = (np.array(ends[1]) - ends[0]) / (2 * step)
        assert slopes[0] == pytest.approx(by_volume[ball, axis], abs=1e-4)
        assert slopes[1] == pytest.approx(by_area[ball, axis], abs=5e-3)


def test_derivatives_obey_translations_rotations_and_scaling():
    centers, radii = cloud(9, 300, 11)
    complex = sx.alpha_complex(centers, radii, 0.3)
    found, grown = complex.gradients(), np.sqrt(radii**2 + 0.3)
    for slopes in (found.volume, found.area):
        assert abs(slopes.sum(axis=0)).max() < 1e-10
        assert abs(np.cross(centers, slopes).sum(axis=0)).max() < 1e-9
    scaled = (found.volume * centers).sum() + (grown * complex.per_ball().area).sum()
    assert scaled == pytest.approx(3 * complex.volume(), rel=1e-11)
    assert not found.volume[complex.hidden].any()


# === what must hold
def test_totals_are_the_sums_of_the_balls():
    complex = sx.alpha_complex(*cloud(3, 400, 14))
    measures = complex.per_ball()
    assert complex.volume() == pytest.approx(float(measures.volume.sum()), rel=1e-14)
    assert complex.area() == pytest.approx(float(measures.area.sum()), rel=1e-14)
    covered = np.setdiff1d(np.arange(400), complex.vertices.simplices.ravel())
    assert covered.size
    assert not measures.volume[covered].any()
    assert not measures.area[covered].any()


def test_measures_of_a_smaller_alpha_need_no_new_complex(device):
    centers, radii = cloud(5, 300, 12)
    large = sx.alpha_complex(centers, radii, 3.0, device=device)
    for alpha in (2.0, 0.0, -1.0):
        at, direct = large.at(alpha), sx.alpha_complex(centers, radii, alpha, device=device)
        assert (at.volume(), at.area()) == pytest.approx(
            (direct.volume(), direct.area()), rel=1e-13
        )


def test_measures_are_timed_once_and_kept():
    complex = sx.alpha_complex(*cloud(6, 50, 8))
    assert "measures" not in complex.timings
    assert complex.per_ball() is complex.per_ball()
    assert complex.timings["measures"] >= 0


def test_without_balls_all_measures_are_zero():
    complex = sx.alpha_complex([[0, 0, 0], [1, 0, 0]], 1.0, alpha=-2.0)
    assert complex.volume() == complex.area() == 0
    assert complex.per_ball().volume.tolist() == [0, 0]


@pytest.mark.skipif(not MOLECULES.is_dir(), reason="no molecules beside the repository")
def test_surface_of_a_protein_in_water_equals_that_of_rolled_points():
    centers, radii = read_pdb(MOLECULES / "1L2Y_38models.pdb.gz")
    complex = sx.alpha_complex(centers, radii, probe=1.4)
    area, whole = sampled_areas(centers, radii + 1.4, 1500)
    assert np.all(np.abs(complex.per_ball().area - area) < 0.02 * whole)
    assert complex.area() == pytest.approx(float(area.sum()), rel=5e-3)
