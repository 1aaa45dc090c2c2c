"""AlphaTimeSeries with more frames than it gathers, and frames that are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy

import separatrix as sx
import separatrix_vtk
from filters.images import message_window
from filters.point_sets import polydata_of
from filters.test_alpha_inputs import breathing, frames
from separatrix_vtk.filters.molecules import alpha_time_series


def with_an_atom_nowhere(i: int) -> Any:
    """The same, but with an atom that is nowhere at time 1."""
    made = breathing(i)
    if i == 1:
        vtk_to_numpy(made.GetPoints().GetData())[5, 1] = np.nan
    return made


def columns(series: Any) -> dict[str, list[float]]:
    rows = series.GetOutput().GetRowData()
    arrays = (rows.GetArray(i) for i in range(rows.GetNumberOfArrays()))
    return {array.GetName(): vtk_to_numpy(array).tolist() for array in arrays}


def test_frames_are_let_go_when_many_have_come(monkeypatch: pytest.MonkeyPatch):
    series, source = separatrix_vtk.AlphaTimeSeries(device="cpu"), frames()
    series.SetInputConnection(source.GetOutputPort())
    series.Update()
    together = columns(series)
    sizes: list[int] = []
    engine = sx.alpha_complexes

    def counted(frames: np.ndarray, *arguments: Any, **options: Any) -> Any:
        sizes.append(len(frames))
        return engine(frames, *arguments, **options)

    monkeypatch.setattr(sx, "alpha_complexes", counted)
    for most, expected in ((1, [1, 1, 1]), (61, [2, 1]), (1000, [3])):
        monkeypatch.setattr(alpha_time_series, "MOST_GATHERED", most)
        sizes.clear()
        series.Modified()
        series.Update()
        assert series.last_error == ""
        assert sizes == expected
        assert columns(series) == together


@pytest.mark.parametrize("most", [1, 1000])
def test_an_invalid_frame_is_reported_with_its_time(monkeypatch: pytest.MonkeyPatch, most: int):
    monkeypatch.setattr(alpha_time_series, "MOST_GATHERED", most)
    series, source = separatrix_vtk.AlphaTimeSeries(device="cpu"), frames(with_an_atom_nowhere)
    series.SetInputConnection(source.GetOutputPort())
    with message_window():
        series.Update()
    assert series.last_error.startswith("time 1: positions must be finite; got positions[5] = (")
    assert series.GetOutput().GetNumberOfRows() == 0
    series.alpha, series.work_limit, series.method = 0.5, 1.0, "local"
    series.SetInputDataObject(polydata_of(np.eye(3), radius=np.ones(3)))
    with message_window():
        series.Update()
    assert "work_limit allows 1 test" in series.last_error
    series.work_limit = 1e9
    series.Update()
    assert series.last_error == ""
    assert columns(series)["Time"] == [0.0]
