"""Invalid input: a one-line error, empty outputs, and a pipeline that can run again."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.util.vtkConstants import VTK_STRING
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import (
    vtkImageData,
    vtkPolyData,
    vtkRectilinearGrid,
    vtkStructuredGrid,
    vtkUnstructuredGrid,
)
from vtkmodules.vtkFiltersCore import vtkContourFilter
from vtkmodules.vtkFiltersModeling import vtkOutlineFilter
from vtkmodules.vtkImagingCore import vtkImageShrink3D

import separatrix as sx
import separatrix_vtk
from filters.images import count_runs, failed, image_with, is_empty, message_window, noise, updated

FILTERS = ("MorseSmaleComplex", "CriticalPoints", "DiscreteGradient", "PersistenceDiagram")


def broken(problem: str) -> Any:
    """An input that no filter on images can work on."""
    if problem == "empty":
        return vtkImageData()
    if problem == "rectilinear":
        grid = vtkRectilinearGrid()
        grid.SetDimensions(3, 3, 3)
        for axis in "XYZ":
            getattr(grid, f"Set{axis}Coordinates")(numpy_to_vtk(np.arange(3.0) ** 2, deep=1))
        return grid
    if problem == "structured":
        grid = vtkStructuredGrid()
        grid.SetExtent(1, 3, 0, 2, 0, 2)
        return grid
    if problem == "unstructured":
        return vtkUnstructuredGrid()
    if problem == "polygons":
        return vtkPolyData()
    values = noise(4, 4, 4)
    if problem == "nan":
        values[1, 2, 3] = values[3, 3, 3] = np.nan
    if problem == "infinite":
        values[0, 0, 2] = np.inf
    image = image_with(values, first=(2, 0, 0))
    return image


SENTENCES = {
    "empty": "The input image has no points.",
    "rectilinear": "input must be an image, a mesh, or a grid with even steps along straight axes; "
    "got a vtkRectilinearGrid with other steps. Set resample=True or tetrahedralize=True.",
    "structured": "The input grid has no points.",
    "unstructured": "The input mesh has no points.",
    "polygons": "The input mesh has no points.",
    "nan": "values must be finite; got values[1, 2, 3] = nan (2 invalid values). Set nan='mask' "
    "to exclude NaN values.",
    "infinite": "values must be finite; got values[0, 0, 2] = inf (1 invalid value). Mask "
    "these points or replace their values.",
}


@pytest.mark.parametrize("problem", SENTENCES)
@pytest.mark.parametrize("name", FILTERS)
def test_invalid_input_is_rejected_with_one_sentence(name, problem):
    filter = getattr(separatrix_vtk, name)(device="cpu")
    said = failed(filter, broken(problem))
    assert filter.last_error == SENTENCES[problem]
    assert said.count("ERROR") == 1
    assert said.endswith(f"): {SENTENCES[problem]}\n\n\n")
    for port in range(len(filter.OUTPUTS)):
        assert is_empty(filter.GetOutput(port))


@pytest.mark.parametrize("problem", SENTENCES)
def test_a_failed_filter_runs_once_for_all_its_consumers(problem):
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    filter.SetInputDataObject(broken(problem))
    runs = count_runs(filter)
    contour, outline, shrink = vtkContourFilter(), vtkOutlineFilter(), vtkImageShrink3D()
    for viewer in (contour, outline, shrink):
        viewer.SetInputConnection(filter.GetOutputPort(3))
    with message_window() as window:
        for _ in range(3):
            for port in range(4):
                filter.Update(port)
            contour.Update()
            outline.Update()
            if isinstance(filter.GetOutput(3), vtkImageData) and problem != "empty":
                shrink.Update()  # VTK has its own trouble with the others
    assert runs == [1]
    assert window.GetOutput().count("ERROR") == 1


def test_a_failure_leaves_only_the_grid_and_the_next_run_works():
    filter = updated(separatrix_vtk.MorseSmaleComplex(device="cpu"), image_with(noise(4, 4, 4)))
    failed(filter, broken("nan"))
    assert all(is_empty(filter.GetOutput(port)) for port in range(4))
    assert filter.GetOutput(3).GetExtent() == (2, 5, 0, 3, 0, 3)  # it is not out of date
    assert dict(filter.report) == {}
    updated(filter, image_with(noise(4, 4, 4)))
    assert not any(is_empty(filter.GetOutput(port)) for port in (0, 1, 3))


def test_the_same_sentence_is_not_repeated_within_two_seconds():
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    filter.SetInputDataObject(broken("nan"))
    with message_window() as window:
        for _ in range(3):
            filter.Modified()
            filter.Update()
    assert window.GetOutput().count("ERROR") == 1
    assert filter.last_error


def test_an_observer_gets_the_sentence_instead_of_the_window():
    heard = []

    def hear(_caller, _event, text):
        heard.append(text)

    hear.CallDataType = VTK_STRING  # type: ignore[attr-defined]
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    filter.AddObserver("ErrorEvent", hear)
    filter.SetInputDataObject(broken("empty"))
    with message_window() as window:
        filter.Update()
    assert heard == [SENTENCES["empty"]]
    assert window.GetOutput() == ""


def test_a_strict_filter_makes_the_update_fail():
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    filter.STRICT = True
    filter.SetInputDataObject(broken("empty"))
    with message_window() as window:
        succeeded = filter.Update()
    assert succeeded in (False, None)  # VTK 9.2 returns nothing
    assert "returned failure" in window.GetOutput()
    filter.STRICT = False
    filter.Modified()
    with message_window():
        assert filter.Update() in (True, None)


def test_an_unavailable_gpu_is_rejected_with_the_reason():
    gpu = next((d for d in sx.devices() if d.name.startswith("cuda")), None)
    if gpu is None or gpu.usable:
        pytest.skip("there is a GPU")
    filter = separatrix_vtk.CriticalPoints(device="cuda")
    said = failed(filter, image_with(noise(3, 3, 3)))
    assert filter.last_error == f"cuda:0 cannot be used: {gpu.reason}"
    assert said.count("ERROR") == 1
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("raised", "sentence", "is_bug"),
    [
        (sx.DeviceMemoryError("needs 8 bytes, 4 are free"), "needs 8 bytes, 4 are free", False),
        (MemoryError("Unable to allocate 8 GiB"), "out of memory: Unable to allocate 8 GiB", False),
        (MemoryError(), "out of memory", False),
        (ZeroDivisionError("our mistake"), "", True),
    ],
)
def test_only_a_bug_is_reported_with_a_traceback(monkeypatch, raised, sentence, is_bug):
    def fail(*_, **__):
        raise raised

    monkeypatch.setattr(sx, "discrete_gradient", fail)
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    message = failed(filter, image_with(noise(3, 3, 3)))
    assert ("this is a bug in Separatrix" in message) == is_bug
    assert ("ZeroDivisionError: our mistake" in message) == is_bug
    assert is_bug or filter.last_error == sentence
    assert is_empty(filter.GetOutput())


@pytest.mark.parametrize("n", [0, 7, 30])
@pytest.mark.parametrize("cells", [True, False])
def test_an_array_of_the_wrong_length_is_rejected(n, cells):
    grid = vtkStructuredGrid()
    grid.SetDimensions(3, 3, 3)
    points = vtkPoints()
    points.SetData(numpy_to_vtk(np.stack(np.indices((3, 3, 3)), -1).reshape(-1, 3) * 1.0, deep=1))
    grid.SetPoints(points)
    array = numpy_to_vtk(np.zeros(n), deep=1)
    array.SetName("short")
    (grid.GetCellData() if cells else grid.GetPointData()).AddArray(array)
    filter = separatrix_vtk.CriticalPoints(device="cpu", tetrahedralize=True)
    failed(filter, grid)
    assert f"'short' has {n} values" in filter.last_error
    assert is_empty(filter.GetOutput())


def test_ghost_arrays_of_several_components_are_rejected():
    mesh = vtkUnstructuredGrid()
    points = vtkPoints()
    points.SetData(numpy_to_vtk(np.eye(4, 3), deep=1))
    mesh.SetPoints(points)
    mesh.InsertNextCell(10, 4, [0, 1, 2, 3])
    ghosts = numpy_to_vtk(np.zeros((1, 4), np.uint8), deep=1)
    ghosts.SetName("vtkGhostType")
    mesh.GetCellData().AddArray(ghosts)
    filter = separatrix_vtk.MeshRelations(device="cpu")
    failed(filter, mesh)
    assert "'vtkGhostType' must have one component; got 4." in filter.last_error


@pytest.mark.parametrize("spacing", [np.nan, np.inf, 1e200, 1e-200, 0.0])
def test_an_invalid_spacing_is_rejected_with_one_sentence(spacing):
    image = image_with(noise(4, 4, 4), first=(2, 0, 0), spacing=(spacing, 1.0, 1.0))
    filter = separatrix_vtk.CriticalPoints(device="cpu")
    failed(filter, image)
    assert "must be" in filter.last_error
    assert "bug" not in filter.last_error


@pytest.mark.parametrize("name", ["NeighborStatistics", "MorseSmaleComplex", "MeshRelations"])
def test_a_missing_input_raises_no_exception(name, capfd):
    filter = getattr(separatrix_vtk, name)(device="cpu")
    filter.AddObserver("ErrorEvent", lambda *_: None)
    with message_window():
        filter.Update()
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("value", [np.eye(3), np.array([]), np.array(2.0), [1], "1", object()])
@pytest.mark.parametrize("name", ["order", "device", "persistence", "keep_complex"])
def test_an_option_rejects_values_that_are_not_booleans(name, value):
    filter = separatrix_vtk.MorseSmaleComplex()
    if name == "persistence" and np.ndim(value) == 0 and isinstance(value, np.ndarray):
        return  # a number
    with pytest.raises(sx.InputError, match=name) as reported:
        setattr(filter, name, value)
    assert "\n" not in str(reported.value)
