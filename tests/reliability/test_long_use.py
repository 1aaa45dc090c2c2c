"""Repeated calls and filter runs leave no memory, thread, file, or VTK object behind."""

import os
import tempfile

import pytest

pytest.importorskip("vtkmodules.vtkCommonCore")

from reliability.filter_runs import FILTERS, make, update
from reliability.footprint import growth
from reliability.workloads import FAMILIES

pytestmark = [pytest.mark.alone, pytest.mark.long]
# Bytes per run that calls with their own threads leave in malloc on a GPU: docs/reliability.md.
OF_THREADS, WITH_THREADS = 2000.0, ("stream",)


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    """Use a folder of temporary files of the test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.parametrize("name", list(FAMILIES))
def test_a_thousand_calls_do_not_leak(name, device):
    call = FAMILIES[name]
    found = growth(lambda k: call(k, {"device": device, "threads": 1 + k % 2}), 1000, 10, device)
    grown = found.too_much
    if device != "cpu" and name in WITH_THREADS and found.slopes["malloc bytes"] < OF_THREADS:
        grown.pop("malloc bytes", None)
    assert grown == {}, (name, found.first, found.last)


@pytest.mark.parametrize("is_kept", [True, False], ids=["one filter", "new filters"])
@pytest.mark.parametrize("name", list(FILTERS))
def test_a_thousand_runs_of_a_filter_do_not_leak(name, is_kept):
    kept = make(name)
    found = growth(lambda k: update(kept if is_kept else make(name), k), 1000, 6)
    assert found.too_much == {}, (found.first, found.last)


LEAKS = {
    "malloc bytes": lambda kept: kept.append(bytearray(1000)),
    "python blocks": lambda kept: kept.extend((1, i) for i in range(8)),
    "open files": lambda kept: kept.append(os.open(os.devnull, os.O_RDONLY)),
    "temporary files": lambda kept: kept.append(tempfile.mkstemp()),
}


@pytest.mark.parametrize("what", list(LEAKS))
def test_a_leak_is_detected(what):
    kept = []
    try:
        found = growth(lambda _: LEAKS[what](kept), 90, 5)
        assert what in found.too_much
    finally:
        for item in kept:
            if isinstance(item, int):
                os.close(item)
            elif isinstance(item, tuple) and isinstance(item[1], str):
                os.close(item[0])


def test_memory_that_varies_with_a_period_is_not_a_leak():
    kept = {}
    found = growth(lambda k: kept.update({k: bytearray(1000 * k)}), 90, 5)
    assert found.too_much == {}


def test_memory_that_is_retained_once_is_not_a_leak():
    kept = []
    runs = iter(range(1000))
    found = growth(lambda _: kept.append(bytearray(10**5 * (next(runs) == 60))), 90, 5)
    assert len(kept) > 90, "the step was not seen, so nothing was measured again"
    assert found.too_much == {}
