"""Alpha complexes under stress: lattices, common spheres, equal centers, extreme units of length.

Invariants: ties are broken by position. Renumbering the balls changes only the numbers, except for
balls with equal centers, of which the first counts. Shifts by whole steps change nothing. Mirror
images and rotations break ties differently, but keep values, pairs of nonzero persistence, Betti
numbers, and measures. A unit of length that is a power of two scales every value exactly.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from engine.test_alpha_complex import check, found_by_engine
from engine.test_alpha_persistence import assert_topology_is_the_textbooks
from oracles.everything import assert_same_bits, bars_of
from oracles.point_sets import squared_distances
from reliability.hard_inputs import (
    SOURCES,
    SYMMETRIES,
    body_centered,
    drawn_points,
    face_centered,
    icosahedron,
    lattice,
    moved,
    on_sphere,
    orders,
    scaled_points,
    whole_points,
)
from reliability.whole_results import TABLES, of_balls, of_union

ALPHAS = {"icosahedron": 95, "circle": 630, "sphere": 16, "two magnitudes": 5}
"""Squared lengths at which ties are decided: near that of the common sphere."""
LARGE = {
    "cubic": (lattice(4), 2),
    "face-centered": (face_centered(5), 2),
    "body-centered": (body_centered(6), 3),
    "sphere of 26": (on_sphere(26), 30),
    "icosahedra": (np.concatenate([icosahedron() + [20 * k, 0, 0] for k in range(3)]), 100),
}
"""Points, and an alpha at which the complex contains all cells of the lattice or sphere."""


def cases(source: Any) -> Iterator[tuple[np.ndarray, Any, int]]:
    """Integer points, radii, and alphas: of the hard sets, or random ones near a critical value."""
    if source == "hard":
        for name, points in whole_points().items():
            points, near = points[:12], ALPHAS.get(name, 3)
            for radii in (np.ones(len(points), int), 1 + np.arange(len(points)) % 3):
                yield from ((points, radii, alpha) for alpha in {near, near - 1, -1})
        return
    random, count = np.random.default_rng([4, source]), 0
    while count < 500:
        points = drawn_points(random, 1, 10)
        radii = random.integers(1, 4, len(points))
        radii = radii if random.random() < 0.4 else np.full_like(radii, radii[0])
        near = int(random.choice(squared_distances(points, points).ravel()))
        alpha = near // int(random.integers(1, 5)) + int(random.integers(-1, 2))
        alpha -= int(radii[0]) ** 2 * int(random.random() < 0.7)
        step = int(random.choice([1, 1, 7, 100]))
        if (max(radii) ** 2 + alpha) * step**2 <= 19_000**2:
            yield points * step, radii * step, alpha * step**2
            count += 1


@pytest.mark.parametrize("source", SOURCES)
def test_the_complex_diagram_and_voids_are_those_of_the_definition(device, source):
    for points, radii, alpha in cases(source):
        check([tuple(p) for p in points.tolist()], radii.tolist(), alpha, device=device)
        found = sx.alpha_complex(points.astype(float), radii, alpha, resolution=1, device=device)
        assert_topology_is_the_textbooks(found, f"{points!r} {radii!r} {alpha}")


def named_by_position(points: np.ndarray, found: dict[tuple, tuple]) -> Counter[Any]:
    places = [tuple(p) for p in points.tolist()]
    return Counter((tuple(sorted(places[v] for v in s)), *of) for s, of in found.items())


def test_renumbering_the_balls_changes_only_ids(device):
    for name, (points, alpha) in LARGE.items():
        expected = named_by_position(points, found_by_engine(points, np.ones(len(points)), alpha))
        plain = sx.alpha_complex(points.astype(float), 1.0, alpha, resolution=1)
        for order in orders(len(points)).values():
            found = found_by_engine(points[order], np.ones(len(points)), alpha, device=device)
            assert named_by_position(points[order], found) == expected, name
            other = sx.alpha_complex(
                points[order].astype(float), 1.0, alpha, resolution=1, device=device
            )
            assert sx.to_host(other.per_ball().volume).tobytes() == (
                plain.per_ball().volume[order].tobytes()
            )
            assert other.area() == plain.area()
            assert other.betti == plain.betti
            assert np.array_equal(sx.to_host(other.voids().volume), plain.voids().volume)
            assert bars_of(other.persistence_diagram()) == bars_of(plain.persistence_diagram())


def test_shifts_by_whole_steps_change_no_bit(device):
    for points, alpha in LARGE.values():
        plain = of_balls(points.astype(float), 1.0, alpha, resolution=1, device="cpu")
        for shift in ([5, -7, 11], [2**28, -(2**28), 3], [-400_000_000, 0, 499_000_000]):
            centers = (points + np.array(shift)).astype(float)
            found = of_balls(centers, 1.0, alpha, resolution=1, device=device)
            assert_same_bits(plain, found)


def test_symmetries_keep_values_pairs_and_measures(device):
    for name, (points, alpha) in LARGE.items():
        plain = sx.alpha_complex(points.astype(float), 1.0, alpha, resolution=1, device="cpu")
        for axes, signs in SYMMETRIES[1::6]:
            turned = moved(points, axes, signs).astype(float)
            found = sx.alpha_complex(turned, 1.0, alpha, resolution=1, device=device)
            assert found.betti == plain.betti, name
            assert bars_of(found.persistence_diagram()) == bars_of(plain.persistence_diagram()), (
                name
            )
            assert found.volume() == pytest.approx(plain.volume(), rel=1e-12)
            assert found.area() == pytest.approx(plain.area(), rel=1e-12)
            volume = sx.to_host(found.per_ball().volume)
            np.testing.assert_allclose(volume, plain.per_ball().volume, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("power", [-100, -30, -3, 40, 100])
def test_the_unit_of_length_scales_values_exactly(device, power):
    unit = 2.0**power
    for points, alpha in LARGE.values():
        plain = of_union(sx.alpha_complex(points.astype(float), 1.0, alpha, resolution=1))
        found = of_union(
            sx.alpha_complex(points * unit, unit, alpha * unit**2, resolution=unit, device=device)
        )
        for column, values in plain.items():
            if column.endswith(("alpha_value", "birth", "death", "persistence")):
                np.testing.assert_array_equal(found[column], values * unit**2, column)
            elif values.dtype.kind == "f":
                by = unit**3 if "volume" in column else unit**2
                np.testing.assert_allclose(found[column], values * by, rtol=1e-14)
            else:
                assert found[column].tobytes() == values.tobytes(), column


def test_only_the_largest_of_balls_with_equal_centers_is_used(device):
    random = np.random.default_rng(3)
    for name, (points, alpha) in LARGE.items():
        radii = random.integers(1, 4, len(points))
        alone = sx.alpha_complex(points.astype(float), radii, alpha, resolution=1)
        twice = np.concatenate([points, points, points]).astype(float)
        smaller = np.concatenate([radii, np.maximum(radii - 1, 1), radii])
        found = sx.alpha_complex(twice, smaller, alpha, resolution=1, device=device)
        for table in TABLES:
            own, other = getattr(alone, table), getattr(found, table)
            assert np.array_equal(own.simplices, sx.to_host(other.simplices)), name
            assert np.array_equal(own.alpha_value, sx.to_host(other.alpha_value)), name
        assert found.volume() == alone.volume()


def test_frames_of_hard_sets_equal_separate_complexes(device):
    same_size = [points[:8] for points in whole_points().values() if len(points) >= 8]
    frames = np.array(same_size, float)
    for alpha in (3.0, 16.0, 95.0):
        together = sx.alpha_complexes(frames, 1.0, alpha, resolution=1, device=device)
        for points, found in zip(frames, together, strict=True):
            own = sx.alpha_complex(points, 1.0, alpha, resolution=1, device="cpu")
            assert_same_bits(of_union(own), of_union(found))


def test_points_of_any_magnitude_are_computed_or_rejected(device):
    for name, points in scaled_points().items():
        reach = float(abs(points).max()) or 1.0
        if not 1e-60 < reach < 1e60:
            continue
        found = []
        for where in ("cpu", device):
            options = {"resolution": reach / 5000, "device": where}
            found.append(of_union(sx.alpha_complex(points, reach / 10, 0.0, **options)))
        assert_same_bits(*found)
        assert len(found[0]["balls.volume"]) == len(points), name
        with pytest.raises(sx.InputError, match=r"resolution|radii|centers"):
            sx.alpha_complex(points, reach / 10, 0.0, resolution=reach / 1e12, device=device)
