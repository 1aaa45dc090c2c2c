"""Voids and pockets of unions of balls: shells with islands, voxels, and each by the other."""

import numpy as np
import pytest

import separatrix as sx
from oracles.ball_union import voids_of_voxels


def shell(radius: float, n: int, center: tuple[float, float, float] = (0, 0, 0)) -> np.ndarray:
    """Points on a sphere, evenly along a spiral, whole multiples of 0.001."""
    k = np.arange(n) + 0.5
    z, turn = 1 - 2 * k / n, k * np.pi * (1 + 5**0.5)
    flat = np.sqrt(1 - z * z)
    points = np.column_stack([flat * np.cos(turn), flat * np.sin(turn), z])
    return (radius * points + center).round(3)


def volume_of(radius: float) -> float:
    """Volume of a ball."""
    return 4 / 3 * np.pi * radius**3


# === voids
def test_the_oracle_finds_the_void_of_a_cube_of_balls():
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    faces = np.array([[0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]])
    centers = np.vstack([corners, faces, 1 - faces]) * 2
    (volume,) = voids_of_voxels(centers, np.full(14, 0.95), 0.04)
    assert 0 < volume < 8


@pytest.mark.parametrize("poles", ["nothing", "an island", "an island on a chain", "two islands"])
def test_void_of_a_shell_equals_voxels(poles):
    wall = shell(4.0, 110)
    inside = {
        "nothing": np.empty((0, 3)),
        "an island": np.array([[0.3, 0.2, -0.4]]),
        "an island on a chain": np.array([[0, 0, z] for z in (-2.6, -1.2, 0.2)]),
        "two islands": np.array([[1.2, 0, 0], [1.3, 0.9, 0], [-1.4, 0, 0.2]]),
    }[poles]
    centers = np.vstack([wall, inside])
    radii = np.concatenate([np.full(110, 1.2), np.full(len(inside), 0.75)])
    complex = sx.alpha_complex(centers, radii)
    voids = complex.voids()
    assert complex.betti[2] == len(voids) == 1
    assert voids.n_islands.tolist() == [{"an island": 1, "two islands": 2}.get(poles, 0)]
    (expected,) = (v for v in voids_of_voxels(centers, radii, 0.08) if v > 0.01)
    assert voids.volume[0] == pytest.approx(expected, rel=0.01)
    assert set(range(110, len(centers))) <= set(voids.atoms_of(0).tolist())
    assert len(voids.facets_of(0)) > 100


def test_an_island_in_a_void_subtracts_its_volume_and_adds_its_area():
    wall = shell(4.0, 110)
    empty = sx.alpha_complex(wall, 1.2).voids()
    island = sx.alpha_complex(np.vstack([wall, [[0.1, 0.2, 0.3]]]), [1.2] * 110 + [1.0]).voids()
    assert island.volume[0] == pytest.approx(empty.volume[0] - volume_of(1.0), rel=1e-12)
    assert island.area[0] == pytest.approx(empty.area[0] + 4 * np.pi, rel=1e-12)
    assert island.atom_area[-1] == pytest.approx(4 * np.pi, rel=1e-12)


def test_nested_shells_have_separate_voids():
    """A shell in a shell with a ball inside: each void is its shell's, islands go inwards."""
    outer, inner = shell(9.0, 560), shell(4.0, 110)
    centers = np.vstack([outer, inner, [[0, 0, 0]], [[6.3, 0, 0]], [[30, 0, 0]]])
    radii = np.concatenate([np.full(560, 1.25), np.full(110, 1.2), [0.8, 0.6, 1.0]])
    complex = sx.alpha_complex(centers, radii)
    voids = complex.voids()
    assert complex.betti[0] == 5
    assert len(voids) == 2
    assert voids.n_islands.tolist() == [2, 1]
    between, within = voids.volume
    alone = [sx.alpha_complex(part, 1.25 if len(part) == 560 else 1.2) for part in (outer, inner)]
    void_of = [part.voids().volume[0] for part in alone]
    assert within == pytest.approx(void_of[1] - volume_of(0.8), rel=1e-11)
    filled = alone[1].volume() + void_of[1]
    assert between == pytest.approx(void_of[0] - filled - volume_of(0.6), rel=1e-11)


def test_voids_of_random_shells_equal_voxels():
    """Some leak, some have islands."""
    n_voids = []
    for seed in range(9):
        random = np.random.default_rng([8, seed])
        wall = shell(3.0, 80) + random.uniform(-0.35, 0.35, (80, 3))
        centers = np.vstack([wall, random.uniform(-1.5, 1.5, (2 * (seed % 4), 3))]).round(3)
        radii = random.uniform(0.95, 1.3, len(centers)).round(3)
        voids = sx.alpha_complex(centers, radii).voids()
        expected = [v for v in voids_of_voxels(centers, radii, 0.08) if v > 0.1]
        found = voids.volume[voids.volume > 0.1]
        assert found == pytest.approx(expected, rel=0.05, abs=0.05), seed
        n_voids.append(len(found))
    assert set(n_voids) == {0, 1}


def test_walls_look_into_their_void_and_close():
    complex = sx.alpha_complex(np.vstack([shell(4.0, 110), [[0, 0, 0]]]), [1.2] * 110 + [0.7])
    facets = complex.voids().facets_of(0)
    points = np.vstack([shell(4.0, 110), [[0, 0, 0]]])
    corners = points[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (np.einsum("ij,ij->i", normals, corners.mean(1)) < 0).all()
    edges = np.vstack([facets[:, [0, 1]], facets[:, [1, 2]], facets[:, [2, 0]]])
    assert sorted(map(tuple, edges)) == sorted(map(tuple, edges[:, ::-1]))
    surface = complex.boundary_surface()
    assert np.array_equal(surface.triangles[surface.void == 0], facets)
    assert sorted(set(surface.void.tolist())) == [-1, 0]


def test_no_void():
    voids = sx.alpha_complex([[0, 0, 0], [1, 0, 0]], 1.0).voids()
    assert (len(voids), voids.atoms.size, voids.atom_offsets.tolist()) == (0, 0, [0])
    assert len(sx.alpha_complex([[0, 0, 0]], 1.0, -2.0).voids()) == 0


# === pockets
def opened_shell(gap: float) -> tuple[np.ndarray, np.ndarray]:
    """A shell of radius 4 without the balls nearer than `gap` to its pole."""
    wall = shell(4.0, 110)
    wall = wall[np.linalg.norm(wall - [0, 0, 4], axis=1) > gap]
    return wall, np.full(len(wall), 1.2)


def test_a_closed_shell_is_a_pocket_without_mouth():
    centers, radii = opened_shell(0.0)
    large = sx.alpha_complex(centers, radii, 20.0)
    pockets, voids = large.at(0).pockets(), large.at(0).voids()
    assert pockets.n_mouths.tolist() == [0]
    assert len(pockets.mouths) == 0
    assert pockets.volume == pytest.approx(voids.volume, rel=1e-11)
    assert pockets.area == pytest.approx(voids.area, rel=1e-11)
    assert pockets.atoms.tolist() == voids.atoms.tolist()
    assert pockets.atom_area == pytest.approx(voids.atom_area, rel=1e-9, abs=1e-9)
    assert {*map(frozenset, pockets.facets.tolist())} == {*map(frozenset, voids.facets.tolist())}


def test_a_shell_with_a_hole_is_a_pocket_with_a_mouth():
    centers, radii = opened_shell(1.6)
    complex = sx.alpha_complex(centers, radii, 20.0).at(0)
    pockets = complex.pockets()
    assert complex.betti == (1, 0, 0)
    assert len(complex.voids()) == 0
    assert pockets.n_mouths.tolist() == [1]
    closed = sx.alpha_complex(*opened_shell(0.0)).voids()
    assert pockets.volume[0] == pytest.approx(closed.volume[0], rel=0.1)
    assert pockets.mouths.pocket.tolist() == [0]
    assert (centers[pockets.mouths.triangles].mean(1)[:, 2] > 2).all()
    assert pockets.largest_alpha == 20.0


def test_depth_is_the_distance_of_the_far_wall_from_the_nearest_mouth():
    centers, radii = opened_shell(1.6)
    one, closed = (sx.alpha_complex(c, r) for c, r in ((centers, radii), opened_shell(0.0)))
    assert one.pockets().depth[0] == pytest.approx(7.5, abs=0.7)  # from pole to pole: 8
    kept = np.linalg.norm(centers - [0, 0, -4], axis=1) > 1.6
    two = sx.alpha_complex(centers[kept], radii[kept])
    assert two.pockets().depth[0] < one.pockets().depth[0]  # from the nearest mouth
    assert closed.pockets().depth.tolist() == [0.0]


def test_two_holes_are_two_mouths():
    centers, radii = opened_shell(1.6)
    kept = np.linalg.norm(centers - [0, 0, -4], axis=1) > 1.6
    pockets = sx.alpha_complex(centers[kept], radii[kept], 20.0).at(0).pockets()
    assert pockets.n_mouths.tolist() == [2]
    assert pockets.mouths.pocket.tolist() == [0, 0]


def test_a_bowl_is_not_a_pocket():
    centers, radii = opened_shell(5.7)
    assert len(sx.alpha_complex(centers, radii, 20.0).at(0).pockets()) == 0


def test_a_pocket_needs_a_large_enough_alpha():
    """At alpha 5 the flow of the shell's inside ends beyond it: the inside counts as outside."""
    centers, radii = opened_shell(1.6)
    assert len(sx.alpha_complex(centers, radii, 5.0).at(0).pockets()) == 0


def test_pockets_without_mouths_are_the_voids():
    for seed in range(12):
        random = np.random.default_rng([5, seed])
        n = 150
        centers = random.uniform(0, 9, (n, 3)).round(0 if seed % 3 == 0 else 3)
        radii = random.uniform(0.9, 1.4, n).round(3)
        complex = sx.alpha_complex(centers, radii, 12.0).at(0)
        pockets, voids = complex.pockets(), complex.voids()
        closed = sx.to_host(pockets.n_mouths) == 0
        assert pockets.volume[closed] == pytest.approx(voids.volume, rel=1e-6, abs=1e-9), seed
        assert pockets.area[closed] == pytest.approx(voids.area, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("probe", [None, 0.2])
def test_pockets_of_the_largest_alpha_are_those_of_the_complete_triangulation(probe):
    centers, radii = opened_shell(1.6)
    given = radii.copy()
    complex = sx.alpha_complex(centers, given)
    given[:] = 0  # the complex has its own
    found = complex.pockets(probe=probe)
    probed = sx.alpha_complex(centers, radii, np.inf, probe=probe or 0.0, device="cpu")
    expected = probed.at(0.0).pockets()
    assert found.n_mouths.tolist() == [1]
    assert found.largest_alpha == np.inf
    assert all(
        np.array_equal(value, getattr(wanted, name))
        for own, wanted in ((found, expected), (found.mouths, expected.mouths))
        for name, value in vars(own).items()
        if name != "mouths"
    )
    assert complex.pockets(probe=probe) is found
    with pytest.raises(sx.InputError, match="probe must be a non-negative length"):
        complex.pockets(probe=-1.0)


def test_each_frame_of_a_trajectory_has_its_own_measures_voids_and_pockets():
    centers, radii = opened_shell(1.6)
    frames = np.array([centers, centers * 0.98, centers + 5])
    for centers_of, complex in zip(frames, sx.alpha_complexes(frames, radii, 20.0), strict=True):
        alone = sx.alpha_complex(centers_of, radii, 20.0)
        assert complex.volume() == alone.volume()
        assert complex.betti == alone.betti
        here, there = complex.at(0).pockets(), alone.at(0).pockets()
        assert here.volume.tobytes() == there.volume.tobytes()
        assert here.mouths.triangles.tobytes() == there.mouths.triangles.tobytes()
