"""Errors of invalid balls name the value, its place, and the remedy."""

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from separatrix.alpha import neighbors
from separatrix.device.host import HostDevice

CENTERS = np.arange(30.0).reshape(10, 3)
RADII = np.full(10, 1.5)


def message(centers: Any = CENTERS, radii: Any = RADII, alpha: Any = 0.0, **options: Any) -> str:
    with pytest.raises(sx.InputError) as raised:
        sx.alpha_complex(centers, radii, alpha, **options)
    text = str(raised.value)
    assert "\n" not in text
    return text


def changed(array: np.ndarray, **values: Any) -> np.ndarray:
    copy = array.copy()
    for at, value in values.items():
        copy.flat[int(at[1:])] = value
    return copy


@pytest.mark.parametrize("bad", [0.0, -0.1, np.nan, np.inf])
def test_a_radius_must_be_positive_and_finite(device, bad):
    text = message(radii=changed(RADII, _7=bad, _3=bad), device=device)
    assert f"radii must be positive and finite; got radii[3] = {bad} (2 invalid values)." in text
    assert text.endswith(" Remove these balls or assign a radius.")


def test_a_radius_may_be_0_if_alpha_is_not(device):
    text = message(radii=changed(RADII, _3=-0.1), alpha=1.0, device=device)
    assert "radii must be non-negative and finite; got radii[3] = -0.1" in text


def test_a_center_must_be_finite(device):
    text = message(changed(CENTERS, _16=np.inf), device=device)
    assert "finite; got centers[5] = (15.0, inf, 17.0) (1 invalid value). Remove these" in text


def test_centers_beyond_the_grid_are_rejected_with_a_suitable_resolution(device):
    far = changed(CENTERS, _2=1e6)
    text = message(far, device=device)
    assert "centers must be within 500000 of the origin at a resolution of 0.001; got c" in text
    assert "got centers[0] = (0.0, 1.0, 1000000.0) (1 invalid value). Shift them" in text
    assert "or choose a resolution of at least 0.0021 (it is 0.001)." in text
    assert sx.alpha_complex(far, RADII, resolution=0.0021, device=device).n_balls == 10


def test_large_radii_are_rejected_with_a_suitable_resolution(device):
    text = message(radii=30.0, device=device, method="local")
    assert "The largest grown radius is 30, or 30,000 steps of the fixed-point grid" in text
    assert "or choose a resolution of at least 0.0016 (it is 0.001)." in text
    assert sx.alpha_complex(CENTERS, 30.0, resolution=0.0016, device=device).n_balls == 10
    text = message(radii=1e30, device=device)
    assert "radii[0] = 1e+30 at a resolution of 0.001 with a probe of 0 (10 invalid v" in text
    assert text.endswith(" Choose a larger resolution.")


@pytest.mark.parametrize(
    ("centers", "alpha", "advice"),
    [
        ([[0, 0, 0], [1e9, 0, 0]], 0.0, "Shift them towards the origin; the required resolution"),
        ([[0, 0, 0], [1, 0, 0]], 1e9, "a smaller alpha or probe; the required resolution of 1.6"),
    ],
)
def test_no_resolution_is_recommended_that_is_too_coarse_for_the_radii(centers, alpha, advice):
    text = message(centers, 1.0, alpha=alpha, method="local")
    assert advice in text
    assert text.endswith(" is too coarse for radii of 1.")


def test_alpha_of_a_local_search_must_be_below_2_to_the_52_steps():
    assert message(alpha=-1e10).endswith("Choose a larger resolution.")
    assert "got 1e+300 at a resolution of 0.001." in message(alpha=1e300, method="local")
    assert sx.alpha_complex(CENTERS, RADII).at(-1.7e308).counts == (0, 0, 0, 0)


@pytest.mark.parametrize("resolution", [5e-324, 1e-200, 1e200, 1.7e308])
def test_a_resolution_without_a_finite_square_is_rejected(resolution):
    assert "resolution must be a length from 1e-100 to 1e+100; got" in message(
        resolution=resolution
    )


def test_radii_below_the_grid_are_rejected_with_a_suitable_resolution(device):
    text = message(CENTERS / 1e4, changed(RADII, _2=4e-4), device=device)
    assert "if alpha is 0; got radii[2] = 0.0004 at a resolution of 0.001 (1 invalid v" in text
    assert "Choose a resolution of about 4e-07" in text
    points = sx.alpha_complex(CENTERS, 1e-9, 10.0, device=device)  # the alpha complex of points
    assert points.counts == (10, 9, 0, 0)


def test_a_lack_of_host_memory_suggests_a_smaller_alpha(monkeypatch):
    monkeypatch.setattr(neighbors, "SMALL_BYTES", 100)
    monkeypatch.setattr(HostDevice, "free_memory", lambda self: 1000)
    with pytest.raises(sx.DeviceMemoryError, match="Choose a smaller alpha or probe"):
        sx.alpha_complex(CENTERS, 5.0, device="cpu")


@pytest.mark.parametrize(
    ("centers", "radii", "part"),
    [
        (np.zeros((4, 2)), 1.0, "an array of shape (n, 3); got shape (4, 2)."),
        (np.zeros(3), 1.0, "an array of shape (n, 3); got shape (3,)."),
        ("a", 1.0, "an array of shape (n, 3); got 'a'."),
        (iter(np.zeros((4, 3))), 1.0, "shape (n, 3); got an object of type iterator."),
        (np.zeros((4, 3), complex), 1.0, "an array of real numbers; got dtype complex128."),
        (np.zeros((4, 3)), np.ones(3), "of shape (4,), one radius per center; got shape (3,)."),
        (np.zeros((4, 3)), None, "radii must be real numbers; got None."),
        (np.zeros((4, 3)), ["C"] * 4, "radii must be real numbers; got dtype <U1."),
    ],
)
def test_invalid_shapes_and_types_are_rejected(centers, radii, part):
    assert part in message(centers, radii)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("probe", -1.4), ("probe", np.nan), ("probe", "water"), ("resolution", 0.0),
        ("resolution", np.inf), ("alpha", np.nan), ("alpha", []), ("alpha", "0"),
        ("alpha", [1.0, None]), ("work_limit", 0), ("work_limit", "much"),
    ],
)  # fmt: skip
def test_invalid_numbers_are_rejected(name, value):
    text = message(**{name: value})
    assert text.startswith(name)
    assert repr(value) in text


def test_methods_reject_values_outside_the_complex():
    complex = sx.alpha_complex(CENTERS, RADII, 1.0)
    with pytest.raises(sx.InputError, match=r"alpha must be at most 1, .*; got 2.0\. Compute the"):
        complex.at(2.0)
    for alpha in ("x", [0.5]):
        with pytest.raises(
            sx.InputError, match="alpha must be a squared length, which may be inf; got"
        ):
            complex.at(alpha)
    with pytest.raises(sx.InputError, match=r"the index of a void; got 99\. The union .* no voids"):
        complex.at(0.0).voids().atoms_of(99)
    with pytest.raises(sx.InputError, match=r"dimension must be .* from 1 to 3.*0"):
        complex.facets(0)


def test_an_estimate_above_the_work_limit_raises_an_error(device):
    rng = np.random.default_rng(0)
    centers = rng.uniform(0, 3, (400, 3))
    text = message(centers, 2.0, device=device, method="local", work_limit=1e6)
    assert text.startswith("The estimated number of tests is ")
    assert "seconds), because balls meet" in text
    assert "work_limit allows 1e+06 tests and 2,147,483,647 neighbors." in text
    assert text.endswith("raise work_limit, or set method='auto'.")
    options = {"device": device, "method": "local", "work_limit": 1}
    assert "work_limit allows 1 test and" in message(centers, 2.0, **options)


def test_an_unknown_method_is_rejected():
    expected = "method must be one of auto, local, complete; got 'regular'."
    assert message(method="regular") == expected


def test_invalid_frames_are_rejected():
    frames = np.zeros((2, 4, 3))
    for given, options, part in (
        (frames[0], {}, "an array of shape (f, n, 3); got shape (4, 3)."),
        (iter(frames), {}, "of shape (f, n, 3); got an object of type iterator."),
        (frames, {"batch": 0}, "batch must be a positive integer; got 0."),
        (frames.astype(complex), {}, "an array of real numbers; got dtype complex128."),
    ):
        with pytest.raises(sx.InputError) as raised:
            sx.alpha_complexes(given, 1.0, **options)
        assert part in str(raised.value)
    frames[1, 2] = np.nan
    with pytest.raises(sx.InputError, match=r"frames must be finite; got frames\[1, 2\] = \(nan"):
        list(sx.alpha_complexes(frames, 1.0))
    wide = np.array([[[0, 0, 0], [3e5, 0, 0.0]]] * 4)
    with pytest.raises(sx.InputError, match=r"batch must be at most \d+ for frames of this ext"):
        list(sx.alpha_complexes(wide, 1.0, batch=4))
