"""The next Update() after an abort, Ctrl-C, or an error."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("vtkmodules")

from vtkmodules.vtkCommonDataModel import vtkMultiBlockDataSet
from vtkmodules.vtkFiltersCore import vtkElevationFilter
from vtkmodules.vtkImagingCore import vtkRTAnalyticSource

import separatrix as sx
import separatrix_vtk
from filters.images import image_with, is_empty, message_window, noise

SHAPE = 6, 5, 4


class Counted(separatrix_vtk.MorseSmaleComplex):
    """The filter, which counts its runs."""

    def __init__(self, **settings: Any) -> None:
        self._n_runs = 0
        super().__init__(device="cpu", **settings)

    def execute(self, inputs: list[Any], outputs: list[Any]) -> None:
        """Count, and run."""
        self._n_runs += 1
        super().execute(inputs, outputs)


def complex_of_noise() -> Any:
    filter = Counted()
    filter.SetInputDataObject(image_with(noise(*SHAPE)))
    return filter


def blocks_of_noise() -> vtkMultiBlockDataSet:
    blocks = vtkMultiBlockDataSet()
    for i in range(2):
        blocks.SetBlock(i, image_with(noise(*SHAPE, seed=i)))
    return blocks


def expected() -> np.ndarray[Any, Any]:
    return sx.morse_smale(noise(*SHAPE), device="cpu").critical.cell_id


def n_points(filter: Any) -> int:
    return filter.GetOutputDataObject(0).GetNumberOfPoints()


def failing_once(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    real = sx.morse_smale

    def fails(*_: Any, **__: Any) -> Any:
        monkeypatch.setattr(sx, "morse_smale", real)
        raise error

    monkeypatch.setattr(sx, "morse_smale", fails)


def test_an_abort_reset_in_the_same_run_leaves_the_output_out_of_date():
    filter = complex_of_noise()
    observers = [
        filter.AddObserver("ProgressEvent", lambda *_: filter.SetAbortExecute(1)),
        filter.AddObserver("EndEvent", lambda *_: filter.SetAbortExecute(0)),
    ]
    filter.Update()
    for observer in observers:
        filter.RemoveObserver(observer)
    assert n_points(filter) == 0
    after = vtkElevationFilter()
    after.SetInputConnection(filter.GetOutputPort(0))
    after.Update()  # without Modified() or an Update() of the filter itself
    assert after.GetOutput().GetNumberOfPoints() == len(expected())


def test_a_filter_after_an_aborted_one_is_empty_and_runs_with_it():
    first = separatrix_vtk.DiscreteGradient(device="cpu")
    first.SetInputDataObject(image_with(noise(*SHAPE)))
    second = separatrix_vtk.NeighborStatistics(device="cpu", radius=1.5)
    second.SetInputConnection(first.GetOutputPort())
    observer = first.AddObserver("ProgressEvent", lambda *_: first.SetAbortExecute(1))
    with message_window() as window:
        second.Update()
    assert "ERROR" not in window.GetOutput()
    assert second.last_error == ""
    assert is_empty(second.GetOutput())
    first.RemoveObserver(observer)
    first.SetAbortExecute(0)
    second.Update()
    assert second.last_error == ""
    assert not is_empty(second.GetOutput())


@pytest.mark.parametrize("ask_behind", [False, True])
def test_after_ctrl_c_only_the_requested_port_runs_again(monkeypatch, ask_behind):
    filter = complex_of_noise()
    after = vtkElevationFilter()
    after.SetInputConnection(filter.GetOutputPort(0))
    failing_once(monkeypatch, KeyboardInterrupt())
    asked = after.Update if ask_behind else filter.Update
    with message_window() as window:
        asked()
    assert "The next Update() runs the filter again." in window.GetOutput()
    assert filter._n_runs == 1
    for port in range(1, 5):  # as a picture of all outputs asks for them
        filter.GetExecutive().Update(port)
    assert filter._n_runs == 1
    asked()
    assert filter._n_runs == 2
    assert filter.last_error == ""
    assert n_points(filter) == len(expected())
    asked()
    assert filter._n_runs == 2


@pytest.mark.parametrize("error", [sx.DeviceMemoryError("no room"), MemoryError()])
def test_a_failed_filter_runs_again_on_its_own_update_only(monkeypatch, error):
    filter = complex_of_noise()
    after = vtkElevationFilter()
    after.SetInputConnection(filter.GetOutputPort(0))
    failing_once(monkeypatch, error)
    with message_window():
        after.Update()
    for _ in range(3):
        after.Update()
    assert filter._n_runs == 1
    assert filter.last_error != ""
    filter.Update(1)
    assert filter._n_runs == 1  # requests of all ports in turn run the filter once
    filter.Update()
    assert filter._n_runs == 2
    assert filter.last_error == ""
    assert n_points(filter) == len(expected())
    filter.Update()
    assert filter._n_runs == 2


def test_a_block_that_ran_out_of_memory_is_computed_again(monkeypatch):
    filter = Counted()
    filter.SetInputDataObject(blocks_of_noise())
    failing_once(monkeypatch, MemoryError())
    with message_window():
        filter.Update()
    assert filter._n_runs == 2
    assert is_empty(filter.GetOutput().GetBlock(0))
    filter.Update()
    assert filter._n_runs == 4
    assert filter.last_error == ""
    assert not is_empty(filter.GetOutput().GetBlock(0))


def test_a_filter_with_invalid_input_waits_for_a_change(monkeypatch):
    filter = complex_of_noise()
    failing_once(monkeypatch, sx.InputError("refused"))
    with message_window():
        filter.Update()
    filter.Update()
    assert (filter._n_runs, filter.last_error) == (1, "refused")
    filter.persistence = 1.0
    filter.Update()
    assert (filter._n_runs, filter.last_error) == (2, "")


def test_a_canceled_call_leaves_the_output_out_of_date():
    filter = complex_of_noise()

    def stop(fraction, stage):
        raise sx.Canceled("enough")

    with pytest.raises(sx.Canceled):
        filter.run(image_with(noise(*SHAPE)), stop)
    filter.GetExecutive().Update(0)
    assert n_points(filter) == len(expected())


def test_the_next_update_makes_an_image_that_was_interrupted(monkeypatch):
    source = vtkRTAnalyticSource()
    source.SetWholeExtent(-4, 4, -4, 4, -4, 4)
    filter = Counted()
    filter.SetInputConnection(source.GetOutputPort())
    failing_once(monkeypatch, KeyboardInterrupt())
    with message_window():
        filter.Update(3)
    filter.GetExecutive().Update(0)
    assert filter._n_runs == 1
    filter.GetExecutive().Update(3)
    assert filter._n_runs == 2
    assert filter.GetOutput(3).GetPointData().GetNumberOfArrays() > 0
