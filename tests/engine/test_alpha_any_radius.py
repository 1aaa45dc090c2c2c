"""Measures, voids, and pockets at radii of up to 1e8 steps of the grid and any finite alpha."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.ball_union import measures_by_slices

FINE = 2.0**-26  # 2^16 times as fine as the multiples of 2^-10 below


def cage(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Balls around a void, with some inside, at multiples of 2^-10."""
    random = np.random.default_rng([seed, n])
    places = random.normal(0, 1, (n, 3))
    places *= 3 / np.linalg.norm(places, axis=1)[:, None]
    places = np.vstack([places, random.uniform(-1, 1, (n // 20, 3))])
    radii = random.uniform(0.9, 1.2, len(places))
    radii[n:] /= 4
    return np.rint(places * 1024) / 1024, np.rint(radii * 1024) / 1024


def arrays_of(complex: sx.AlphaComplex, pockets: Any) -> list[Any]:
    """All measures, on the host."""
    found = [complex.per_ball(), complex.gradients(), complex.voids(), pockets, pockets.mouths]
    values = [value for table in found for value in vars(table).values()]
    skipped = (pockets.mouths, pockets.facet_shifts)
    return [sx.to_host(value) for value in values if not any(value is s for s in skipped)]


@pytest.mark.parametrize("alpha", [0.0, 0.75, 2.0**24])
def test_measures_on_a_finer_grid_have_the_same_bits(device, alpha):
    """Scaling by a power of 2 changes no rounding, but the finer grid exceeds 64-bit products."""
    centers, radii = cage(240, 1)
    coarse, fine = (
        sx.alpha_complex(centers, radii, np.inf, resolution=step, device=device)
        for step in (2.0**-10, FINE)
    )
    for one, other in zip(
        arrays_of(coarse.at(alpha), coarse.at(alpha).pockets()),
        arrays_of(fine.at(alpha), fine.at(alpha).pockets()),
        strict=True,
    ):
        assert np.array_equal(one, other)
    assert coarse.at(alpha).betti == fine.at(alpha).betti
    if alpha == 0:
        assert len(fine.at(alpha).voids()) == 1


@pytest.mark.parametrize("alpha", [0.0, 0.4])
def test_measures_on_the_finest_grid_equal_slices(alpha):
    random = np.random.default_rng(4)
    centers, radii = random.uniform(0, 2.5, (5, 3)), random.uniform(0.8, 2, 5)
    complex = sx.alpha_complex(centers, radii, alpha, resolution=None)
    step = complex.resolution
    assert step < 1e-7 * radii.min()
    centers, radii = np.rint(centers / step) * step, np.rint(radii / step) * step
    volume, area = measures_by_slices(centers, np.sqrt(radii**2 + alpha))
    assert complex.volume() == pytest.approx(volume, rel=1e-9)
    assert complex.per_ball().area == pytest.approx(area, rel=1e-9, abs=2e-9)


def test_balls_much_larger_than_their_distances_approach_one_ball():
    centers = np.random.default_rng(5).uniform(-1, 1, (40, 3))
    complex = sx.alpha_complex(centers, 0.1, 1e14, resolution=None)
    assert complex.volume() == pytest.approx(4 / 3 * np.pi * 1e21, rel=1e-6)
    assert complex.area() == pytest.approx(4 * np.pi * 1e14, rel=1e-6)
    assert complex.betti == (1, 0, 0)


def determinant(corners: list[list[int]]) -> int:
    """Determinant of three whole vectors, exactly."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = corners
    return ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)


@pytest.mark.parametrize("spread", [1, 1000, 10**8])
def test_enclosed_volumes_equal_sums_of_python_integers(spread):
    random = np.random.default_rng([6, spread])
    lattice = np.stack(np.meshgrid(*[np.arange(5)] * 3), -1).reshape(-1, 3)[::2] * 10**8
    centers = (lattice + random.integers(-spread, spread + 1, lattice.shape)).astype(float)
    complex = sx.alpha_complex(centers, 1.0, 8e15, resolution=1.0)
    surface = complex.boundary_surface()
    volumes = [0] * (int(surface.component.max()) + 1)
    for triangle, component in zip(surface.triangles, surface.component, strict=True):
        corners = [list(map(int, centers[ball])) for ball in triangle]
        volumes[component] -= determinant(corners)
    boundary = complex._boundary()
    assert list(map(float, volumes)) == boundary.six_volumes[: len(volumes)].tolist()


@pytest.mark.parametrize("spread", [0, 1, 3])
def test_betti_numbers_of_almost_regular_points_equal_those_of_persistence(spread):
    """Almost coplanar and cospherical, up to the last of 29 bits."""
    random = np.random.default_rng([7, spread])
    lattice = np.stack(np.meshgrid(*[np.arange(-2, 3)] * 3), -1).reshape(-1, 3) * (2**27)
    centers = (lattice + random.integers(-spread, spread + 1, lattice.shape)).astype(float)
    centers = centers[random.permutation(125)[:80]]
    whole = sx.alpha_complex(centers, 1.0, np.inf, resolution=1.0)
    pairs = whole.persistence_diagram()
    for alpha in np.quantile(whole.tets.alpha_value, [0.0, 0.1, 0.3, 0.6, 0.9, 1.0]):
        alive = pairs.dimension[(pairs.birth <= alpha) & (pairs.death > alpha)]
        found = whole.at(float(alpha))
        assert found.betti == tuple(np.bincount(alive, minlength=3))
        assert len(found.voids()) == found.betti[2]
    assert whole.betti == (1, 0, 0)


def test_measures_of_infinite_balls_are_rejected():
    complex = sx.alpha_complex(*cage(60, 2), np.inf)
    for compute in (complex.volume, complex.gradients, complex.pockets):
        with pytest.raises(sx.InputError, match="alpha must be finite for measures"):
            compute()
    assert len(complex.voids()) == 0
    assert (complex.boundary_surface().component == 0).all()
