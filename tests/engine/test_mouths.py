"""Mouths of pockets: openings of known shape, and random ones that random points sample."""

import numpy as np
import pytest

import separatrix as sx
from oracles.ball_union import in_polygon


def flask(rim: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A round flask whose opening is the ring of balls `rim` (n, 2) in the plane z = 0."""
    k = np.arange(240) + 0.5
    z, turn = 1 - 2 * k / 240, k * np.pi * (1 + 5**0.5)
    flat = np.sqrt(1 - z * z)
    wall = 5.0 * np.column_stack([flat * np.cos(turn), flat * np.sin(turn), z]) - [0, 0, 3.6]
    wall = wall[wall[:, 2] < -0.7]
    centers = np.vstack([np.column_stack([rim, 0 * rim[:, 0]]), wall]).round(3)
    return centers, np.concatenate([radii, np.full(len(wall), 1.15)]).round(3)


def ring(n: int, radius: float) -> np.ndarray:
    turn = 2 * np.pi * np.arange(n) / n
    return radius * np.column_stack([np.cos(turn), np.sin(turn)])


def lens(radius: float, distance: float) -> float:
    """Area of the intersection of two equal discs."""
    half = np.arccos(distance / 2 / radius)
    return 2 * radius**2 * half - distance * np.sqrt(radius**2 - distance**2 / 4)


def test_mouths_of_an_octahedron_are_triangles_without_three_discs():
    ends, radius, edge = np.vstack([2 * np.eye(3), -2 * np.eye(3)]), 1.5, np.sqrt(8)
    pockets = sx.alpha_complex(ends, radius).pockets()
    mouths = pockets.mouths
    assert mouths.pocket.tolist() == [0] * 8
    area = np.sqrt(3) / 4 * edge**2 - np.pi / 2 * radius**2 + 1.5 * lens(radius, edge)
    assert mouths.area == pytest.approx(8 * [area], rel=1e-12)
    arcs = 3 * radius * (np.pi / 3 - 2 * np.arccos(edge / 2 / radius))
    assert mouths.circumference == pytest.approx(8 * [arcs], rel=1e-12)
    assert np.diff(mouths.atom_offsets).tolist() == [3] * 8
    corners = ends[mouths.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", normals, corners.mean(1)) < 0).all()  # inwards


def test_a_polygonal_mouth_is_the_polygon_without_its_discs():
    """Its triangles share edges outside of the solid."""
    n, radius, size = 12, 1.15, 3.6
    rim = ring(n, size)
    pockets = sx.alpha_complex(*flask(rim, np.full(n, radius))).pockets()
    mouths, edge = pockets.mouths, 2 * size * np.sin(np.pi / n)
    assert len(mouths) == len(pockets) == 1
    assert len(mouths.triangles) == n - 2
    assert mouths.atoms.tolist() == list(range(n))
    polygon = n / 2 * size**2 * np.sin(2 * np.pi / n)
    discs = (n - 2) * np.pi / 2 * radius**2 - n / 2 * lens(radius, edge)
    assert mouths.area[0] == pytest.approx(polygon - discs, rel=5e-4)  # centers are rounded
    arcs = radius * ((n - 2) * np.pi - 2 * n * np.arccos(edge / 2 / radius))
    assert mouths.circumference[0] == pytest.approx(arcs, rel=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_area_of_a_random_mouth_equals_random_points(seed):
    random, n = np.random.default_rng([7, seed]), 13
    rim = ring(n, 3.6) + random.uniform(-0.3, 0.3, (n, 2))
    centers, radii = flask(rim, random.uniform(1.0, 1.5, n))
    complex = sx.alpha_complex(centers, radii)
    mouths = complex.pockets().mouths
    assert len(mouths) == 1
    points = np.column_stack([random.uniform(-4.5, 4.5, (200_000, 2)), np.zeros(200_000)])
    points = points[in_polygon(points[:, :2], centers[:n, :2])]
    is_open = np.ones(len(points), bool)
    for center, radius in zip(centers, radii, strict=True):
        is_open &= ((points - center) ** 2).sum(1) > radius**2
    expected = is_open.sum() * 81 / 200_000
    error = np.sqrt(is_open.sum()) * 81 / 200_000
    assert abs(mouths.area[0] - expected) < 4 * error

    # the circumference is the derivative of the area by the radii
    grown = complex.pockets(probe=0.002).mouths
    between = complex.pockets(probe=0.001).mouths
    assert (mouths.area[0] - grown.area[0]) / 0.002 == pytest.approx(
        between.circumference[0], rel=1e-4
    )


def test_mouths_are_sorted_by_pocket_then_area():
    centers, radii = flask(ring(12, 3.6), np.full(12, 1.15))
    kept = np.linalg.norm(centers - [0, 0, -8.6], axis=1) > 2.0
    kept &= np.linalg.norm(centers - [5, 0, -3.6], axis=1) > 1.7
    centers, radii = centers[kept], radii[kept]
    twins = np.vstack([centers, centers * 0.99 + [40, 0, 0]])
    pockets = sx.alpha_complex(twins, np.tile(radii, 2)).pockets()
    mouths = pockets.mouths
    assert pockets.n_mouths.tolist() == [3, 3]
    assert mouths.pocket.tolist() == [0, 0, 0, 1, 1, 1]
    assert (np.diff(mouths.area)[[0, 1, 3, 4]] < 0).all()
    for m in range(6):
        triangles = mouths.triangles[mouths.triangle_offsets[m] : mouths.triangle_offsets[m + 1]]
        atoms = mouths.atoms[mouths.atom_offsets[m] : mouths.atom_offsets[m + 1]]
        assert np.array_equal(np.unique(triangles), atoms)
    assert len(mouths.to_pandas()) == 6


def test_a_void_has_no_mouth():
    ends = np.vstack([2 * np.eye(3), -2 * np.eye(3)])
    pockets = sx.alpha_complex(ends, 1.7).pockets()
    assert (len(pockets), len(pockets.mouths)) == (1, 0)
    assert pockets.mouths.atom_offsets.tolist() == [0]
