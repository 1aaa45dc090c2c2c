"""What tests of the engine share beside the fixtures of all tests."""

from __future__ import annotations

import gc
import time

import pytest

from engine.relation_schedulers import n_workers_alive


@pytest.fixture(autouse=True)
def small_work_goes_to_the_device_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small filtrations would be looked at on the host, and a GPU's kernels never tested."""
    monkeypatch.setattr("separatrix.rips.by_dimension.ON_HOST_UP_TO", -1)


@pytest.fixture
def no_thread_is_left():
    """No worker of a machine, and no lane of a stream, is there when the test is over."""
    yield
    gc.collect()
    end = time.monotonic() + 10
    while n_workers_alive() and time.monotonic() < end:
        time.sleep(0.005)
    assert n_workers_alive() == 0


@pytest.fixture
def collected_late():
    """No garbage is collected but where the test says so."""
    gc.disable()
    yield
    gc.enable()
