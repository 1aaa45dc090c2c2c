"""Input, work and results on one GPU of several, or on two at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import separatrix as sx
from oracles.everything import assert_same_bits, everything

pytestmark = pytest.mark.gpu
VALUES = np.random.default_rng(7).random((21, 22, 40), np.float32)


@pytest.fixture(scope="module")
def gpus() -> Any:
    """CuPy, where there are two GPUs or more."""
    cupy = pytest.importorskip("cupy")
    if sum(report.usable for report in sx.devices() if report.name != "cpu") < 2:
        pytest.skip("two GPUs are needed")
    return cupy


def on(cupy: Any, ordinal: int) -> Any:
    with cupy.cuda.Device(ordinal):
        return cupy.asarray(VALUES)


@pytest.mark.parametrize(
    ("where", "device", "expected"),
    [(1, None, 1), (0, "cuda:1", 1), (1, "cuda:0", 0), (None, "cuda:1", 1)],
)
def test_work_and_results_are_on_the_gpu_asked_for_or_else_the_inputs(
    gpus: Any, where: int | None, device: str | None, expected: int
) -> None:
    values = VALUES if where is None else on(gpus, where)
    found = sx.morse_smale(values, device=device)
    assert found.device == f"cuda:{expected}"
    assert found.segmentation("cells").device.id == expected
    assert found.critical.position.device.id == expected
    assert found.grid.positions(found.critical.cell_id).device.id == expected
    assert gpus.cuda.Device().id == 0
    assert_same_bits(everything(values, device=device), everything(VALUES, device="cpu"))


def test_several_threads_on_several_devices_find_the_same(gpus: Any) -> None:
    devices = ["cuda:0", "cuda:1", "cpu", "cuda:0"] * 2
    with ThreadPoolExecutor(len(devices)) as pool:
        found = list(pool.map(lambda device: everything(VALUES, device=device), devices))
    for other in found[1:]:
        assert_same_bits(found[0], other)
