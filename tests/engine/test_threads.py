"""The same bits with any number of threads, in every run, and from several threads at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import assert_same_bits, everything
from oracles.fields import Field, noise_fields


def fields() -> dict[str, Field]:
    random = np.random.default_rng(81)
    z, y, x = np.mgrid[-1:1:64j, -1:1:64j, -1:1:64j]
    smooth = np.sin(6 * x) * np.cos(5 * y) * np.sin(4 * z + 1)
    return {
        "noise": random.random((64, 64, 64), np.float32),
        "smooth": (smooth + 0.01 * random.random(smooth.shape)).astype(np.float32),
        "plateaus": random.integers(0, 3, (48, 48, 48), dtype=np.uint8),
        "picture": random.integers(0, 9, (512, 700), dtype=np.int16),
        "line": random.integers(0, 9, 100_003),
    }


@pytest.mark.parametrize("name", list(fields()))
def test_any_number_of_threads_gives_the_same_bits(name: str) -> None:
    values = fields()[name]
    one = everything(values, device="cpu", threads=1)
    for threads in (2, 3, 8):
        assert_same_bits(one, everything(values, device="cpu", threads=threads))


def test_any_number_of_threads_gives_the_same_bits_on_small_fields() -> None:
    for values in noise_fields(100, seed=82):
        one = everything(values, device="cpu", threads=1)
        assert_same_bits(one, everything(values, device="cpu", threads=5))


def test_repeated_runs_give_the_same_bits(device: str) -> None:
    values = fields()["plateaus"]
    first = everything(values, device=device)
    for _ in range(3):
        assert_same_bits(first, everything(values, device=device))


def test_the_environment_may_say_how_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(83).random((20, 20, 20))
    expected = everything(values, device="cpu", threads=1)
    monkeypatch.setenv("SEPARATRIX_NUM_THREADS", "3")
    assert_same_bits(expected, everything(values, device="cpu"))


def test_several_python_threads_may_compute_at_once(device: str) -> None:
    images = [values[:20, :22, :24] for name, values in fields().items() if values.ndim == 3]
    expected = [everything(values, device=device, threads=2) for values in images]
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda k: everything(images[k % 3], device=device, threads=2), range(24))
        )
    for k, arrays in enumerate(found):
        assert_same_bits(expected[k % 3], arrays)


def test_a_result_does_not_change_when_the_callers_values_do(device: str) -> None:
    # Segmentations and lines are computed on demand, long after the call.
    values = np.random.default_rng(84).random((12, 12, 12))
    expected = everything(values.copy(), device=device)
    found = sx.morse_smale(values, device=device)
    values[...] = 0
    np.testing.assert_array_equal(
        sx.to_host(found.segmentation("ascending")), expected["ascending"]
    )
