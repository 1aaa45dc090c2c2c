"""Fixtures of the tests of the engine."""

import pytest


@pytest.fixture(autouse=True)
def small_work_goes_to_the_device_too(monkeypatch):
    """Small filtrations would be looked at on the host, and a GPU's kernels never tested."""
    monkeypatch.setattr("separatrix.rips.by_dimension.ON_HOST_UP_TO", -1)
    monkeypatch.setattr("separatrix.morse.graph.FEW_CELLS", 100)
