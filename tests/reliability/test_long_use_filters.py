"""Filters again and again, kept or made anew: no memory and no object of VTK's is left behind."""

from __future__ import annotations

import tempfile

import pytest

pytest.importorskip("vtkmodules.vtkCommonCore")

from reliability.filter_runs import FILTERS, make, update
from reliability.footprint import growth

pytestmark = [pytest.mark.alone, pytest.mark.long]


@pytest.mark.parametrize("is_kept", [True, False], ids=["one filter", "new filters"])
@pytest.mark.parametrize("name", list(FILTERS))
def test_a_thousand_runs_of_a_filter_leave_nothing_behind(name, is_kept, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept = make(name)
    found = growth(lambda k: update(kept if is_kept else make(name), k), 1000, 6)
    assert found.too_much == {}, (found.first, found.last)
