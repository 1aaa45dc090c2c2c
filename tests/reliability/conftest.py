"""Settings of all stress tests."""

import pytest


@pytest.fixture(autouse=True)
def small_work_goes_to_the_device_too(monkeypatch):
    """Use the kernels of the GPU also for small filtrations, which the host would process."""
    monkeypatch.setattr("separatrix.rips.forecast.Forecast.suits_host", lambda *_: False)
    monkeypatch.setattr("separatrix.rips.forecast.FEW_POINTS", 0)
