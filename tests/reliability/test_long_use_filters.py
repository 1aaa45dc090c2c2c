"""Filters again and again, kept or made anew: no memory and no object of VTK's is left behind."""

from __future__ import annotations

import tempfile

import pytest

pytest.importorskip("vtkmodules.vtkCommonCore")

from reliability.filter_runs import FILTERS, make, update
from reliability.footprint import growth

pytestmark = pytest.mark.alone
FEW, MANY = 60, 1000
PERIOD = 6
ONE_A_FAMILY = (
    "CriticalPoints",
    "MeshRelations",
    "PointDensity",
    "RipsBarcodes",
    "AlphaTimeSeries",
)
KEPT = "executions of 11 filters, whose input and settings change"
NEW = "filters made, run and let go"


def assert_no_growth(name: str, n: int, is_kept: bool, monkeypatch, folder) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    kept = make(name)
    found = growth(lambda k: update(kept if is_kept else make(name), k), n, PERIOD)
    assert found.too_much == {}, (name, found.first, found.last)


@pytest.mark.parametrize("name", list(FILTERS))
def test_a_filter_leaves_nothing_behind(name, monkeypatch, tmp_path, tried):
    assert_no_growth(name, FEW, True, monkeypatch, tmp_path)
    tried(KEPT, FEW)


@pytest.mark.parametrize("name", ONE_A_FAMILY)
def test_filters_that_are_let_go_leave_nothing_behind(name, monkeypatch, tmp_path, tried):
    assert_no_growth(name, FEW, False, monkeypatch, tmp_path)
    tried(NEW, FEW)


@pytest.mark.long
@pytest.mark.parametrize("name", list(FILTERS))
def test_a_filter_leaves_nothing_behind_a_thousand_times(name, monkeypatch, tmp_path, tried):
    assert_no_growth(name, MANY, True, monkeypatch, tmp_path)
    tried(KEPT, MANY)


@pytest.mark.long
@pytest.mark.parametrize("name", list(FILTERS))
def test_a_thousand_filters_leave_nothing_behind(name, monkeypatch, tmp_path, tried):
    assert_no_growth(name, MANY, False, monkeypatch, tmp_path)
    tried(NEW, MANY)
