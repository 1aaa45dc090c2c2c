"""Boundary, voids, and gradients of balls in periodic boxes."""

from collections import Counter
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import separatrix as sx

AROUND = np.array(list(product((-1, 0, 1), repeat=3)))
TRICLINIC = np.array([[8.0, 0, 0], [-2.5, 7.5, 0], [1.75, 3.0, 8.25]])
BOXES = [np.diag([8.0, 9.0, 10.0]), TRICLINIC]
STEP = 2.0**-10
FEW = [(n, alpha) for n in (1, 2, 5, 12) for alpha in (6.0, 12.0, 16.0, 25.0, 28.0)]


def balls_in(box: Any, n: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Balls at multiples of 2^-10, some of which are outside the box."""
    random = np.random.default_rng([seed, n])
    places = random.uniform(-0.3, 1.2, (n, 3)) @ np.asarray(box)
    return np.rint(places / STEP) * STEP, np.rint(random.uniform(0.2, 0.9, n) / STEP) * STEP


def cavities_of(complex: sx.AlphaComplex) -> tuple[np.ndarray, ...]:
    """Volumes, areas, and numbers of atoms of the pockets that do not repeat, from tetrahedra."""
    pockets = complex.pockets()
    chosen = sx.to_host(pockets.periodicity) == 0
    offsets = sx.to_host(pockets.atom_offsets)
    columns = (sx.to_host(pockets.volume), sx.to_host(pockets.area), np.diff(offsets))
    return tuple(column[chosen] for column in columns)


def require_cavities(complex: sx.AlphaComplex) -> sx.Voids:
    voids = complex.voids()
    volume, area, _ = cavities_of(complex)
    np.testing.assert_allclose(sx.to_host(voids.volume), volume, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(sx.to_host(voids.area), area, rtol=1e-9, atol=1e-9)
    return voids


def require_closed(complex: sx.AlphaComplex, centers: np.ndarray) -> np.ndarray:
    """Check the sides of the boundary; return the volumes that its closed components enclose."""
    surface = complex.boundary_surface()
    triangles, shifts, component = (
        sx.to_host(array) for array in (surface.triangles, surface.shifts, surface.component)
    )
    everywhere, in_one_piece = Counter(), Counter()
    for balls, at, c in zip(triangles.tolist(), shifts, component.tolist(), strict=True):
        for m in range(3):
            a, b = m, (m + 1) % 3
            apart = at[b] - at[a]
            everywhere[balls[a], balls[b], tuple(apart)] += 1
            everywhere[balls[b], balls[a], tuple(-apart)] -= 1
            ends = [(balls[k], tuple(at[k])) for k in (a, b)]
            in_one_piece[c, ends[0], ends[1]] += 1
            in_one_piece[c, ends[1], ends[0]] -= 1
    assert not any(everywhere.values())
    is_open = {key[0] for key, number in in_one_piece.items() if number}
    corners = centers[triangles] + shifts @ complex.box
    enclosed = np.zeros(int(component.max(initial=-1)) + 1)
    np.add.at(enclosed, component, -np.linalg.det(corners) / 6)
    return np.delete(enclosed, sorted(is_open))


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize(("n", "alpha"), [(150, 0.6), (300, 0.0), (300, 0.6), (300, 1.5)])
def test_voids_are_the_cavities(device, box, n, alpha):
    centers, radii = balls_in(box, n, 5)
    complex = sx.alpha_complex(centers, radii, alpha, box=box, resolution=STEP, device=device)
    voids = require_cavities(complex)
    volume, _, n_atoms = cavities_of(complex)
    assert np.array_equal(np.diff(sx.to_host(voids.atom_offsets)), n_atoms)
    enclosed = require_closed(complex, centers)
    assert (enclosed > 0).sum() == len(voids)
    at = centers[sx.to_host(voids.facets)] + sx.to_host(voids.facet_shifts) @ box
    for number in range(len(voids)):
        corners = at[slice(*sx.to_host(voids.facet_offsets)[number : number + 2])]
        assert -np.linalg.det(corners - corners[0, 0]).sum() / 6 >= volume[number]


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize(("n", "alpha"), FEW)
def test_cells_that_meet_their_copies_have_a_boundary(box, n, alpha):
    centers, radii = balls_in(box, n, 8)
    complex = sx.alpha_complex(centers, radii, alpha, box=box, resolution=STEP)
    voids = require_cavities(complex)
    assert (require_closed(complex, centers) > 0).sum() == len(voids)


@pytest.mark.parametrize("box", BOXES)
def test_voids_and_sides_are_those_of_copies_around(device, box):
    n, alpha = 250, 0.9
    centers, radii = balls_in(box, n, 6)
    options = {"alpha": alpha, "resolution": STEP, "device": device}
    complex = sx.alpha_complex(centers, radii, box=box, **options)
    copies = (centers + (AROUND @ box)[:, None]).reshape(-1, 3)
    whole = sx.alpha_complex(copies, np.tile(radii, 27), **options)
    found, known = complex.voids(), whole.voids()
    offsets, atoms = sx.to_host(known.atom_offsets), sx.to_host(known.atoms)
    names = {}  # of the voids that balls of the middle copy line
    for number, (a, b) in enumerate(pairwise(offsets)):
        if (atoms[a:b] // n == 13).any():
            names.setdefault(tuple(sorted(atoms[a:b] % n)), number)
    own = sx.to_host(found.atom_offsets)
    lining = [tuple(sx.to_host(found.atoms)[a:b]) for a, b in pairwise(own)]
    assert set(lining) <= set(names)
    assert len(lining) > 5
    rows = [names[key] for key in lining]
    for name in ("volume", "area", "n_islands"):
        pair = [sx.to_host(getattr(voids, name)) for voids in (found, known)]
        np.testing.assert_allclose(pair[0], pair[1][rows], rtol=1e-9, atol=1e-12)
    middle = (sx.to_host(whole.boundary_surface().triangles) // n == 13).all(axis=1)
    inside = sx.to_host(whole.boundary_surface().triangles)[middle] % n
    shifts = sx.to_host(complex.boundary_surface().shifts)
    still = (shifts == shifts[:, :1]).all(axis=(1, 2))
    own = sx.to_host(complex.boundary_surface().triangles)[still]
    assert Counter(map(named, inside.tolist())) == Counter(map(named, own.tolist()))


def named(triangle: list[int]) -> tuple[int, ...]:
    first = triangle.index(min(triangle))
    return (*triangle[first:], *triangle[:first])


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize(("n", "alpha"), [(60, 0.3), (60, 2.0), (5, 20.0), (2, 28.0)])
def test_gradients_agree_with_differences(device, box, n, alpha):
    centers, radii = balls_in(box, n, 9)

    def measures(moved: np.ndarray) -> np.ndarray:
        own = sx.alpha_complex(moved, radii, alpha, box=box, resolution=2.0**-20)
        return np.array([own.volume(), own.area()])

    complex = sx.alpha_complex(centers, radii, alpha, box=box, resolution=STEP, device=device)
    found = complex.gradients()
    gradients = np.stack([sx.to_host(found.volume), sx.to_host(found.area)])
    assert abs(gradients.sum(axis=1)).max() < 1e-7  # nothing depends on a common translation
    step = 2.0**-13
    for ball, axis in [(0, 0), (n // 2, 1), (n - 1, 2), (n // 3, 0)]:
        by = np.zeros_like(centers)
        by[ball, axis] = step
        difference = (measures(centers + by) - measures(centers - by)) / (2 * step)
        np.testing.assert_allclose(gradients[:, ball, axis], difference, rtol=2e-5, atol=2e-4)


def test_gradients_are_those_of_copies_around(device):
    centers, radii = balls_in(TRICLINIC, 120, 4)
    options = {"alpha": 0.3, "resolution": STEP, "device": device}
    found = sx.alpha_complex(centers, radii, box=TRICLINIC, **options).gradients()
    moved = np.floor(centers @ np.linalg.inv(TRICLINIC) + 1e-12)
    copies = (centers - moved @ TRICLINIC + (AROUND @ TRICLINIC)[:, None]).reshape(-1, 3)
    whole = sx.alpha_complex(copies, np.tile(radii, 27), **options).gradients()
    for name in ("volume", "area"):
        own, known = (sx.to_host(getattr(part, name)) for part in (found, whole))
        np.testing.assert_allclose(own, known[13 * 120 : 14 * 120], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("corner", [(0, 0, 0), (9, 9, 9), (5, 10, 1)])
def test_a_void_across_the_box_has_its_island_and_is_drawn_in_one_piece(corner):
    grid = np.stack(np.meshgrid(*[np.arange(12)] * 3, indexing="ij"), -1).reshape(-1, 3)
    from_center = abs((grid - corner + 6) % 12 - 6).max(axis=1)
    balls = grid[(from_center > 2) | (from_center == 0)].astype(float)
    complex = sx.alpha_complex(balls, 0.9, box=[12.0] * 3)
    voids = complex.voids()
    assert (len(voids), voids.n_islands.tolist()) == (1, [1])
    assert voids.volume[0] == pytest.approx(complex.pockets().volume[0], rel=1e-12)
    places = balls[voids.facets] + voids.facet_shifts * 12.0
    assert np.ptp(places.reshape(-1, 3), axis=0).tolist() == [6.0] * 3


def test_a_foam_is_one_void_whose_walls_face_it_from_both_sides():
    """Balls on the faces of the box cover walls around a single cavity, in all its copies."""
    grid = np.stack(np.meshgrid(*[np.arange(6)] * 3, indexing="ij"), -1).reshape(-1, 3)
    walls = grid[(grid == 0).any(axis=1)].astype(float)
    complex = sx.alpha_complex(walls, 0.75, box=[6.0] * 3)
    assert complex.betti == (1, 3, 3, 0)
    voids = require_cavities(complex)
    assert len(voids) == 1
    surface = complex.boundary_surface()
    assert not surface.void.any()
    assert (complex.triangles.kind == 0).all()
    corners = walls[surface.triangles] + surface.shifts * 6.0
    assert -np.linalg.det(corners - 3.0).sum() / 6 == pytest.approx(216.0, rel=1e-12)
    assert complex.volume() + voids.volume[0] == pytest.approx(216.0, rel=1e-12)


def euler_characteristic(surface: sx.BoundarySurface) -> int:
    """Of a closed surface in a box; each edge has two sides, and a pinched vertex counts twice."""
    triangles, shifts = sx.to_host(surface.triangles).tolist(), sx.to_host(surface.shifts)
    sides = {}
    for row, (balls, at) in enumerate(zip(triangles, shifts, strict=True)):
        for m, n in ((0, 1), (1, 2), (2, 0)):
            ends = (balls[m], balls[n], *(at[n] - at[m])), (balls[n], balls[m], *(at[m] - at[n]))
            sides.setdefault(min(ends), []).append((3 * row + m, 3 * row + n))
    corner = list(range(3 * len(triangles)))  # corners of triangles around a vertex have one name

    def name(of: int) -> int:
        while corner[of] != of:
            corner[of] = of = corner[corner[of]]
        return of

    for (a, b), (c, d) in sides.values():  # oppositely oriented
        corner[name(a)], corner[name(b)] = name(d), name(c)
    return len(set(map(name, corner))) - len(sides) + len(triangles)


@pytest.mark.parametrize(("n", "level", "seed"), [(12, 0.3, 1), (14, 0.2, 0), (16, -0.2, 2)])
def test_the_euler_characteristic_of_the_boundary_is_twice_that_of_the_solid(n, level, seed):
    """Balls on one side of a gyroid, a surface of genus 5 in its box."""
    grid = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3)
    x, y, z = 2 * np.pi * grid.T / n
    is_inside = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x) > level
    moved = np.random.default_rng(seed).uniform(-0.05, 0.05, (is_inside.sum(), 3))
    solid = sx.alpha_complex(grid[is_inside] + moved, 0.9, box=[float(n)] * 3)
    assert solid.betti == (1, 5, 0, 0)
    assert euler_characteristic(solid.boundary_surface()) == 2 * solid.euler_characteristic == -8


@pytest.mark.parametrize("axes", ["xy", "xyz"])
def test_walls_of_channels_belong_to_no_void(axes):
    """A slab or a small cube in a box: one component that repeats, or an island of a channel."""
    extent = [6 if axis in axes[: 4 - len(axes)] else 2 for axis in "xyz"]
    grid = np.stack(np.meshgrid(*[np.arange(n) for n in extent], indexing="ij"), -1)
    complex = sx.alpha_complex(grid.reshape(-1, 3).astype(float), 0.9, box=[6.0] * 3)
    surface = complex.boundary_surface()
    assert len(surface)
    assert (surface.void == -1).all()
    assert len(complex.voids()) == 0
    assert (surface.shifts[:, 0] == 0).all() or len(axes) == 3
