"""Data that change with time: each step has its own result and its own time."""

from typing import Any

import numpy as np
from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase
from vtkmodules.vtkCommonDataModel import vtkDataObject
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkImagingCore import vtkRTAnalyticSource

import separatrix as sx
import separatrix_vtk
from filters.images import count_runs, image_with, noise, point_array

TIMES = [0.5, 1.5, 4.0]
FIELDS = [noise(6, 7, 8, seed=i) for i in range(3)]


class Series(VTKPythonAlgorithmBase):
    """A source of one dataset a time step, made by a function of its number."""

    def __init__(self, make: Any, kind: str, times: list[float] = TIMES) -> None:
        super().__init__(nInputPorts=0, nOutputPorts=1, outputType=kind)
        self.make, self.times = make, times

    def RequestInformation(self, request: Any, inputs: Any, outputs: Any) -> int:
        keys = vtkStreamingDemandDrivenPipeline
        info = outputs.GetInformationObject(0)
        info.Set(keys.TIME_STEPS(), self.times, len(self.times))
        info.Set(keys.TIME_RANGE(), [self.times[0], self.times[-1]], 2)
        info.Set(keys.WHOLE_EXTENT(), (0, 7, 0, 6, 0, 5), 6)
        return 1

    def RequestData(self, request: Any, inputs: Any, outputs: Any) -> int:
        key = vtkStreamingDemandDrivenPipeline.UPDATE_TIME_STEP()
        info = outputs.GetInformationObject(0)
        time = info.Get(key) if info.Has(key) else self.times[0]
        made = info.Get(vtkDataObject.DATA_OBJECT())
        made.ShallowCopy(self.make(self.times.index(time)))
        made.GetInformation().Set(vtkDataObject.DATA_TIME_STEP(), time)
        return 1


def time_of(dataset: Any) -> float:
    return dataset.GetInformation().Get(vtkDataObject.DATA_TIME_STEP())


def test_each_time_step_has_its_own_complex_and_every_output_its_time():
    source = Series(lambda i: image_with(FIELDS[i]), "vtkImageData")
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    filter.SetInputConnection(source.GetOutputPort())
    for i in (0, 1, 2, 1):
        filter.UpdateTimeStep(TIMES[i])
        expected = sx.morse_smale(FIELDS[i], device="cpu")
        np.testing.assert_array_equal(
            point_array(filter.GetOutput(0), "CellId"), expected.critical.cell_id
        )
        assert [time_of(filter.GetOutput(port)) for port in range(6)] == [TIMES[i]] * 6


def test_a_filter_runs_again_for_a_new_time_only():
    source = Series(lambda i: image_with(FIELDS[i]), "vtkImageData")
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    filter.SetInputConnection(source.GetOutputPort())
    runs = count_runs(filter)
    for time in (0.5, 0.5, 1.5, 1.5):
        filter.UpdateTimeStep(time)
    assert runs == [2]
    still = vtkRTAnalyticSource()
    still.SetWholeExtent(0, 5, 0, 5, 0, 5)
    filter.SetInputConnection(still.GetOutputPort())
    for time in (0.5, 1.5, 4.0):
        filter.UpdateTimeStep(time)
    assert runs == [3]
