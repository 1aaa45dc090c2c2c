"""Filters in VTK pipelines: sharing memory, running only when needed, progress, abort, blocks."""

import gc
import weakref
from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkFiltersCore import vtkContourFilter, vtkThreshold
from vtkmodules.vtkImagingCore import vtkRTAnalyticSource

import separatrix as sx
import separatrix_vtk
from filters.images import (
    array_names,
    count_runs,
    image_with,
    is_empty,
    message_window,
    noise,
    point_array,
)
from separatrix_vtk.base.arrays import from_vtk, to_vtk


def source() -> vtkRTAnalyticSource:
    made = vtkRTAnalyticSource()
    made.SetWholeExtent(0, 9, 0, 9, 0, 9)
    return made


def complex_of(upstream: Any, **settings: Any) -> Any:
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu", **settings)
    if upstream.IsA("vtkDataObject"):
        filter.SetInputDataObject(upstream)
    else:
        filter.SetInputConnection(upstream.GetOutputPort())
    return filter


def test_the_engine_reads_the_memory_of_the_image(monkeypatch):
    seen = []
    whole = sx.morse_smale

    def noted(values, **how):
        seen.append(values)
        return whole(values, **how)

    monkeypatch.setattr(sx, "morse_smale", noted)
    values = noise(4, 5, 6)
    complex_of(image_with(values)).Update()
    assert np.shares_memory(seen[0], values)
    assert seen[0].shape == values.shape


def test_results_are_returned_without_a_copy(monkeypatch):
    made = []
    whole = sx.MorseSmaleComplex.segmentation

    def noted(self, *given, **how):
        made.append(whole(self, *given, **how))
        return made[-1]

    monkeypatch.setattr(sx.MorseSmaleComplex, "segmentation", noted)
    filter = complex_of(image_with(noise(4, 5, 6)), keep_complex=False)
    filter.Update()
    labels = point_array(filter.GetOutput(3), "DescendingManifold")
    assert np.shares_memory(labels, made[0])


def test_the_field_of_the_segmentation_is_the_inputs_own_array():
    image = image_with(noise(4, 5, 6))
    filter = complex_of(image)
    filter.Update()
    output = filter.GetOutput(3)
    assert output.GetPointData().GetArray("field") is image.GetPointData().GetArray("field")


def test_the_input_is_not_changed():
    image = image_with(noise(4, 5, 6))
    before = noise(4, 5, 6)
    complex_of(image, compute_top_cell_labels=True).Update()
    assert array_names(image.GetPointData()) == ["field"]
    assert image.GetCellData().GetNumberOfArrays() == 0
    np.testing.assert_array_equal(point_array(image, "field"), before.reshape(-1))


def test_a_second_complex_of_a_segmentation_replaces_labels_in_its_own_output_only():
    first = complex_of(source())
    first.Update()
    labels = point_array(first.GetOutput(3), "DescendingManifold").copy()
    second = separatrix_vtk.MorseSmaleComplex(device="cpu")
    second.SetInputConnection(first.GetOutputPort(3))
    second.SetInputArrayToProcess(0, 0, 0, 0, "AscendingManifold")
    second.Update()
    assert second.last_error == ""
    np.testing.assert_array_equal(point_array(first.GetOutput(3), "DescendingManifold"), labels)


def test_an_array_with_strides_is_copied():
    from vtkmodules.vtkCommonCore import vtkDataArray

    values = noise(3, 3, 3).reshape(-1)
    np.testing.assert_array_equal(from_vtk(to_vtk(values[::2], "every other")), values[::2])
    array = to_vtk(values, "plain")
    assert isinstance(array, vtkDataArray)
    assert np.shares_memory(vtk_to_numpy(array), values)


def test_vtk_keeps_the_memory_of_an_array_alive():
    array = to_vtk(noise(3, 3, 3).reshape(-1), "field")
    gc.collect()
    np.testing.assert_array_equal(vtk_to_numpy(array), noise(3, 3, 3).reshape(-1))


def test_outputs_outlive_their_filter():
    values = noise(12, 12, 12)
    filter = complex_of(image_with(values))
    filter.Update()
    kept = [filter.GetOutput(port).NewInstance() for port in (0, 1, 3, 4)]
    for copy, port in zip(kept, (0, 1, 3, 4), strict=True):
        copy.ShallowCopy(filter.GetOutput(port))
    before = [everything_in(copy) for copy in kept]
    filter.compute_critical_points = False  # new outputs; the memory of earlier ones is freed
    filter.SetInputDataObject(image_with(noise(3, 3, 3)))
    filter.Update()
    del filter
    gc.collect()
    overwritten = [np.full(copy.GetNumberOfPoints(), 7) for copy in kept for _ in range(20)]
    assert overwritten
    assert [everything_in(copy) for copy in kept] == before


def everything_in(dataset: Any) -> list[bytes]:
    """The names and bytes of all arrays of a dataset, its points and its cells."""
    if dataset.IsA("vtkTable"):
        places = [dataset.GetRowData()]
    else:
        places = [dataset.GetPointData(), dataset.GetCellData()]
    arrays = [
        attributes.GetArray(i)
        for attributes in (*places, dataset.GetFieldData())
        for i in range(attributes.GetNumberOfArrays())
    ]
    names = [array.GetName().encode() for array in arrays]
    if dataset.IsA("vtkPolyData"):
        arrays.append(dataset.GetPoints().GetData())
        for cells in (dataset.GetVerts(), dataset.GetLines()):
            arrays += [cells.GetOffsetsArray(), cells.GetConnectivityArray()]
    return names + [vtk_to_numpy(array).tobytes() for array in arrays if array.GetNumberOfValues()]


def test_a_downstream_filter_accepts_the_output_of_a_port():
    filter = complex_of(source())
    minima = vtkThreshold()
    minima.SetInputConnection(filter.GetOutputPort(0))
    minima.SetInputArrayToProcess(0, 0, 0, 0, "CellDimension")
    minima.SetThresholdFunction(vtkThreshold.THRESHOLD_LOWER)
    minima.SetLowerThreshold(0)
    minima.Update()
    counts = filter.report["critical_cells"]
    assert minima.GetOutput().GetNumberOfPoints() == counts[0]
    contour = vtkContourFilter()
    contour.SetInputConnection(filter.GetOutputPort(3))
    contour.SetInputArrayToProcess(0, 0, 0, 0, "DescendingManifold")
    contour.SetValue(0, 0.5)
    contour.Update()
    assert contour.GetOutput().GetNumberOfPoints() > 0


def test_a_filter_runs_again_only_if_something_changed():
    upstream = source()
    filter = complex_of(upstream)
    runs = count_runs(filter)
    for port in (0, 3, 1, 2, 0):
        filter.Update(port)
    assert runs == [1]
    filter.SetComputeCriticalPoints(1)
    filter.device = "cpu"
    filter.SetNumberOfThreads(0)
    filter.Update()
    assert runs == [1]
    filter.SetComputeCriticalPoints(0)
    filter.Update()
    assert runs == [2]
    upstream.SetWholeExtent(0, 5, 0, 5, 0, 5)
    filter.Update()
    assert runs == [3]
    assert filter.report["dimensions"] == (6, 6, 6)


def test_progress_rises_to_one_and_names_its_stages():
    seen = []
    filter = complex_of(source(), compute_top_cell_labels=True)
    filter.AddObserver(
        "ProgressEvent", lambda *_: seen.append((filter.GetProgress(), filter.GetProgressText()))
    )
    filter.Update()
    fractions = [fraction for fraction, _ in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert len(set(fractions)) > 5
    assert "gradient" in {text for _, text in seen}


def test_a_keyboard_interrupt_in_an_observer_stops_as_an_abort_does(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(sx, "morse_smale", interrupted)
    filter = complex_of(source())
    reported = []
    filter.AddObserver("ErrorEvent", lambda *_: reported.append(filter.last_error))
    filter.Update()
    assert len(reported) == 1
    assert reported[0].startswith("Stopped by Ctrl-C; the outputs are empty.")
    assert all(is_empty(filter.GetOutput(port)) for port in range(4))
    with pytest.raises(KeyboardInterrupt):
        separatrix_vtk.morse_smale_complex(image_with(noise(3, 3, 3)))


def test_filters_and_their_data_are_freed():
    filter = complex_of(image_with(noise(4, 4, 4)))
    filter.Update()
    gone = [weakref.ref(filter), weakref.ref(filter.GetOutput(3))]
    del filter
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


def test_a_failed_run_does_not_keep_its_data():
    values = noise(4, 4, 4)
    values[0, 0, 0] = np.nan
    filter = complex_of(image_with(values))
    with message_window():
        filter.Update()
    seen = weakref.ref(filter.GetInputDataObject(0, 0))
    filter.RemoveAllInputs()
    gc.collect()
    assert seen() is None
