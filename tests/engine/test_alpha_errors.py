"""Bad balls get one sentence that says what came, where it is and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import separatrix as sx
from separatrix.alpha import stars
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
def test_a_radius_must_be_positive_and_finite(device: str, bad: float):
    text = message(radii=changed(RADII, _7=bad, _3=bad), device=device)
    assert f"radii[3] is {bad:g} (2 such balls)" in text
    assert "drop those balls or give them a radius" in text


def test_a_center_must_be_finite(device: str):
    text = message(changed(CENTERS, _16=np.inf), device=device)
    assert "centers[5] is (15, inf, 17) (1 such ball)" in text


def test_a_center_beyond_the_grid_is_refused_with_the_grid_to_choose(device: str):
    far = changed(CENTERS, _2=1e6)
    text = message(far, device=device)
    assert "centers[0] is (0, 1, 1e+06)" in text
    assert "resolution of 0.0021 or more" in text
    assert sx.alpha_complex(far, RADII, resolution=0.0021, device=device).n_balls == 10


def test_a_radius_beyond_exact_signs_is_refused_with_the_grid_to_choose(device: str):
    text = message(radii=30.0, device=device)
    assert "largest grown radius is 30, 30,000 steps" in text
    assert "resolution of 0.0016 or more" in text
    assert sx.alpha_complex(CENTERS, 30.0, resolution=0.0016, device=device).n_balls == 10
    assert "radii[0] is 1e+30" in message(radii=1e30, device=device)


@pytest.mark.parametrize(
    ("centers", "alpha", "advice"),
    [
        ([[0, 0, 0], [1e9, 0, 0]], 0.0, "shift them towards the origin; the resolution of 2.1"),
        ([[0, 0, 0], [1, 0, 0]], 1e9, "a smaller alpha or probe; the resolution of 1.6"),
    ],
)
def test_no_resolution_is_recommended_that_would_not_show_the_radii(
    centers: Any, alpha: float, advice: str
):
    text = message(centers, 1.0, alpha=alpha)
    assert text.endswith(f"{advice} that it needs is too coarse for radii of 1")


def test_alpha_beyond_whole_numbers_is_refused():
    assert "choose a larger resolution" in message(alpha=-1e10)
    assert "it is 1e+300, the resolution 0.001" in message(alpha=1e300)
    assert sx.alpha_complex(CENTERS, RADII).at(-1.7e308).counts == (0, 0, 0, 0)


@pytest.mark.parametrize("resolution", [5e-324, 1e-200, 1e200, 1.7e308])
def test_a_resolution_without_a_square_is_refused(resolution: float):
    assert "between 1e-100 and 1e+100" in message(resolution=resolution)


def test_radii_that_the_grid_does_not_show_are_refused_with_the_grid_to_choose(device: str):
    text = message(CENTERS / 1e4, changed(RADII, _2=4e-4), device=device)
    assert "radii[2] is 0.0004, the resolution 0.001 (1 such ball)" in text
    assert "choose a resolution of about 4e-07" in text
    points = sx.alpha_complex(CENTERS, 1e-9, 10.0, device=device)  # the alpha complex of points
    assert points.counts == (10, 9, 0, 0)


def test_memory_that_the_host_has_not_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stars, "SMALL_BYTES", 100)
    monkeypatch.setattr(HostDevice, "free_memory", lambda self: 1000)
    with pytest.raises(sx.DeviceMemoryError, match="choose a smaller alpha or probe"):
        sx.alpha_complex(CENTERS, 5.0, device="cpu")


@pytest.mark.parametrize(
    ("centers", "radii", "part"),
    [
        (np.zeros((4, 2)), 1.0, "shape (n, 3), not (4, 2)"),
        (np.zeros(3), 1.0, "shape (n, 3), not (3,)"),
        (np.zeros((4, 3), complex), 1.0, "real numbers, not complex128"),
        (np.zeros((4, 3)), np.ones(3), "of shape (4,), or one number for all, not of shape (3,)"),
        (np.zeros((4, 3)), None, "radii must be real numbers, one a center, not object"),
        (np.zeros((4, 3)), ["C"] * 4, "radii must be real numbers"),
    ],
)
def test_shapes_and_types_are_checked(centers: Any, radii: Any, part: str):
    assert part in message(centers, radii)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("probe", -1.4), ("probe", np.nan), ("probe", "water"), ("resolution", 0.0),
        ("resolution", np.inf), ("alpha", np.nan), ("alpha", []), ("alpha", "0"),
        ("alpha", [1.0, None]), ("work_limit", 0), ("work_limit", "much"),
    ],
)  # fmt: skip
def test_numbers_are_checked_and_named(name: str, value: Any):
    text = message(**{name: value})
    assert text.startswith(name)
    assert repr(value) in text


def test_a_larger_alpha_than_computed_is_refused():
    complex = sx.alpha_complex(CENTERS, RADII, 1.0)
    with pytest.raises(sx.InputError, match=r"alpha up to 1, .* not 2"):
        complex.at(2.0)
    with pytest.raises(sx.InputError, match="dimension must be a whole number from 1 to 3, not 0"):
        complex.facets(0)


def test_too_much_work_is_refused_with_what_it_would_cost(device: str):
    rng = np.random.default_rng(0)
    centers = rng.uniform(0, 3, (400, 3))
    text = message(centers, 2.0, device=device, work_limit=1e6)
    assert "neighbors" in text
    assert "seconds" in text
    assert "work_limit=1e+06" in text
    assert "raise work_limit" in text


def test_an_unknown_fallback_is_named():
    assert "fallback must be 'gudhi' or None, not 'regular'" in message(fallback="regular")


def test_frames_are_checked():
    frames = np.zeros((2, 4, 3))
    for given, options, part in (
        (frames[0], {}, "shape (f, n, 3), not (4, 3)"),
        (frames, {"batch": 0}, "batch must be a positive number of frames or None, not 0"),
        (frames.astype(complex), {}, "real numbers"),
    ):
        with pytest.raises(sx.InputError) as raised:
            sx.alpha_complexes(given, 1.0, **options)
        assert part in str(raised.value)
    wide = np.array([[[0, 0, 0], [3e5, 0, 0.0]]] * 4)
    with pytest.raises(sx.InputError, match="choose batch="):
        list(sx.alpha_complexes(wide, 1.0, batch=4))


def test_canceling_stops_the_call():
    def stop(part: float, stage: str) -> None:
        raise sx.Cancelled(stage)

    with pytest.raises(sx.Cancelled, match="snapping"):
        sx.alpha_complex(CENTERS, RADII, progress=stop)
