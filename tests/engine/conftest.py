"""Fixtures of the tests of the engine."""

import pytest


@pytest.fixture(autouse=True)
def small_work_goes_to_the_device_too(monkeypatch):
    """Small filtrations would be looked at on the host, and a GPU's kernels never tested."""
    monkeypatch.setattr("separatrix.rips.forecast.Forecast.suits_host", lambda *_: False)
    monkeypatch.setattr("separatrix.morse.graph.FEW_CELLS", 100)
