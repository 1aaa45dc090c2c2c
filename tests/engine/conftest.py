"""Fixtures of the tests of the engine."""

import pytest


@pytest.fixture(autouse=True)
def small_work_goes_to_the_device_too(monkeypatch):
    """Otherwise the host processes small filtrations, and no test runs the kernels of a GPU."""
    monkeypatch.setattr("separatrix.rips.forecast.Forecast.suits_host", lambda *_: False)
    monkeypatch.setattr("separatrix.rips.forecast.FEW_POINTS", 0)
    monkeypatch.setattr("separatrix.morse.graph.FEW_CELLS", 100)
