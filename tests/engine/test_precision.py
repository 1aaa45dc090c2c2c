"""Conversions between float32 and float64 are NumPy's bit for bit, denormals included."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import assert_same_bits
from separatrix.device.choice import select
from separatrix.device.host import HostDevice
from separatrix.primitives import converted

LEAST = np.float32(1e-45)  # the least denormal


def float32_of_every_exponent() -> np.ndarray:
    """All exponents with fractions at both ends and between, both signs, no infinities."""
    random = np.random.default_rng(1)
    exponent = np.repeat(np.arange(255, dtype=np.uint32) << 23, 40)
    fraction = random.integers(0, 2**23, exponent.size, dtype=np.uint32)
    fraction[::40], fraction[1::40], fraction[2::40] = 0, 1, 2**23 - 1
    sign = random.integers(0, 2, exponent.size, dtype=np.uint32) << 31
    return (exponent | fraction | sign).view(np.float32)


def float64_about_float32() -> np.ndarray:
    """Those, midpoints of neighbors, what is next to the midpoints, and what leaves float32."""
    near = float32_of_every_exponent()
    with np.errstate(over="ignore"):
        beside = np.nextafter(near, np.float32(np.inf)).astype(float)
    middle = np.where(np.isinf(beside), near, (near.astype(float) + beside) / 2)
    ends = [0.0, -0.0, 1e-46, -1e-46, 5e-324, 1e-300, 3.4028236e38, 1e39, -1e300, np.inf, -np.inf]
    around = [np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)]
    return np.concatenate([near, middle, *around, ends])


def assert_kernels_are_numpys(device: Any) -> None:
    given, xp = float32_of_every_exponent(), device.xp
    wide = device.empty(given.shape, np.float64)
    device.launch("widen_floats", given.size, xp.asarray(given.view(np.uint32)), wide)
    assert sx.to_host(wide).tobytes() == given.astype(np.float64).tobytes()
    reals = float64_about_float32()
    narrow = device.empty(reals.shape, np.uint32)
    device.launch("narrow_reals", reals.size, xp.asarray(reals), narrow)
    with np.errstate(over="ignore"):
        assert sx.to_host(narrow).tobytes() == reals.astype(np.float32).tobytes()


def test_infinities_and_nan_are_preserved():
    device = HostDevice()
    given = np.array([np.inf, -np.inf, np.nan], np.float32)
    wide, narrow = np.empty(3), np.empty(3, np.uint32)
    device.launch("widen_floats", 3, given.view(np.uint32), wide)
    np.testing.assert_array_equal(wide, given.astype(np.float64))
    device.launch("narrow_reals", 3, wide, narrow)
    np.testing.assert_array_equal(narrow.view(np.float32), given)


def test_kernels_convert_as_ieee_754_has_it():
    assert_kernels_are_numpys(HostDevice())


@pytest.mark.gpu
def test_kernels_convert_as_ieee_754_has_it_on_a_gpu(cuda):
    device = select(cuda)
    with device.current():
        assert_kernels_are_numpys(device)
        given = device.xp.asarray(float32_of_every_exponent().reshape(-1, 3))
        wide = converted(device, given, np.float64)
        assert sx.to_host(wide).tobytes() == sx.to_host(given).astype(float).tobytes()
        assert sx.to_host(converted(device, wide, np.float32)).tobytes() == (
            sx.to_host(given).tobytes()
        )


def test_denormal_float32_points_and_distances_are_themselves(device):
    random = np.random.default_rng(2)
    points = LEAST * random.integers(-5, 6, (40, 3)).astype(np.float32)
    wide = points.astype(float)
    for radius in (0.0, float(LEAST), 3 * float(LEAST)):
        found = sx.neighbors(points, radius=radius, distances=True, device=device)
        expected = sx.neighbors(wide, radius=radius, distances=True, device="cpu")
        for column in ("offsets", "items", "distances"):
            np.testing.assert_array_equal(
                sx.to_host(getattr(found, column)), getattr(expected, column)
            )
    upper = np.triu(LEAST * random.integers(1, 9, (12, 12)).astype(np.float32), 1)
    bars = sx.rips_barcodes(distances=upper + upper.T, device=device)
    exact = sx.rips_barcodes(distances=(upper + upper.T).astype(float), device="cpu")
    assert_same_bits(
        {"birth": exact.birth, "death": exact.death}, {"birth": bars.birth, "death": bars.death}
    )
    assert exact.death[np.isfinite(exact.death)].max() > 0


def test_the_range_of_denormal_float32_values_is_exact(device):
    steps = np.array([[3, 0, 9, 2, -7, 0, 1, 0, 5]], np.float32)
    for values in (LEAST * steps, LEAST * abs(steps), -LEAST * (abs(steps) + 1), -0.0 * steps):
        raw = sx.morse_smale(values, device=device)
        plain = sx.morse_smale(values.astype(np.float64), device="cpu")
        for fraction in (0.1, 0.4, 1.0):
            found = raw.simplify(fraction, relative=True)
            expected = plain.simplify(fraction, relative=True)
            assert found.persistence == expected.persistence
            assert found.critical.counts == expected.critical.counts


def test_denormal_minima_of_float32_values_are_returned_exactly(device):
    x = np.array([[0.0], [1e-18], [1e-18 + 3e-21]], np.float32)
    for reduction, options in (("min", {}), ("max", {}), ("kmin", {"k": 3})):
        found = sx.reduce(
            "squared_distance", x, x[1:], reduction=reduction, device=device, **options
        )
        d2 = ((x[:, None].astype(float) - x[1:].astype(float)) ** 2).sum(-1)
        expected = np.sort(d2, axis=1).astype(np.float32)
        wanted = {"min": expected[:, 0], "max": expected[:, 1]}.get(reduction, expected)
        found = sx.to_host(found)
        np.testing.assert_array_equal(found[..., : wanted.shape[-1]], wanted)
    assert 0 < expected[2, 1] < np.finfo(np.float32).tiny


def test_points_that_are_all_denormal_are_rejected_by_reductions_everywhere(device):
    x = np.full((3, 3), LEAST)
    with pytest.raises(sx.InputError, match="the largest coordinate of x must be from 1e-18"):
        sx.reduce("squared_distance", x, x, device=device)


def test_densities_below_the_normal_float32_numbers_are_the_same_everywhere(device):
    points = 1e12 * np.random.default_rng(0).random((60, 3))
    options = {"sigma": 1e12, "spacing": 4e11, "dtype": np.float32}
    found = sx.to_host(sx.density(points, **options, device=device).values)
    assert found.tobytes() == sx.density(points, **options, device="cpu").values.tobytes()
    assert ((found > 0) & (found < np.finfo(np.float32).tiny)).any()


def test_denormal_points_of_a_mesh_are_returned_exactly(device):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32) * LEAST
    mesh = sx.TetMesh(points, [[0, 1, 2, 3]], device=device)
    assert sx.to_host(mesh.points).tobytes() == points.tobytes()
