"""Filters as functions in all ways: arrays of points, progress bars, calls, examples, VTK's >>."""

import doctest
import io

import numpy as np
import pytest
from vtkmodules.numpy_interface import dataset_adapter
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkMultiBlockDataSet
from vtkmodules.vtkFiltersCore import vtkTubeFilter
from vtkmodules.vtkImagingCore import vtkRTAnalyticSource

import separatrix as sx
import separatrix_vtk
from filters.images import image_with, noise, point_array
from separatrix_vtk.base.function import progress_bar

POINTS = np.random.default_rng(18).random((40, 3))
FUNCTIONS = [
    name
    for name in separatrix_vtk.__all__
    if getattr(getattr(separatrix_vtk, name), "__doc__", "") and name.islower()
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_example_of_a_function_runs(name, sample_data, monkeypatch):
    pytest.importorskip("pyvista")
    monkeypatch.chdir(sample_data.parent)
    function = getattr(separatrix_vtk, name)
    (examples,) = doctest.DocTestFinder(recurse=False).find(function, name, globs={name: function})
    assert len(examples.examples) >= 2
    reported = io.StringIO()
    failed, _ = doctest.DocTestRunner().run(examples, out=reported.write)
    assert failed == 0, reported.getvalue()


# === points as arrays


def test_points_may_be_an_array_whose_memory_is_used():
    found = separatrix_vtk.neighbor_statistics(POINTS, POINTS[:5], device="cpu")
    assert np.shares_memory(vtk_to_numpy(found.GetPoints().GetData()), POINTS)
    distance, _ = sx.nearest(POINTS, POINTS[:5], k=1, device="cpu")
    np.testing.assert_array_equal(point_array(found, "DistanceToCriticalPoint"), distance[:, 0])
    plane = separatrix_vtk.point_density(POINTS[:, :2], sigma=0.1, device="cpu")
    assert sum(plane.GetBounds()[4:]) == pytest.approx(0.0)  # they are in the plane z = 0


def test_points_of_any_dimension_have_a_barcode():
    points = np.random.default_rng(19).random((30, 5))
    bars = separatrix_vtk.rips_barcodes(points, device="cpu").bars
    expected = sx.rips_barcodes(points, device="cpu")
    np.testing.assert_array_equal(vtk_to_numpy(bars.GetColumnByName("Birth")), expected.birth)
    with pytest.raises(
        separatrix_vtk.FilterError, match=r"\(n, 3\) or \(n, 2\); got shape \(30, 5\)"
    ):
        separatrix_vtk.alpha_complex(points)


def test_radii_and_weights_may_be_separate_arrays():
    numbers = np.random.default_rng(20).uniform(0.1, 0.2, 40)
    found = separatrix_vtk.alpha_complex(POINTS, radius=numbers, device="cpu")
    np.testing.assert_array_equal(point_array(found.atoms, "radius"), numbers)
    expected = sx.alpha_complex(POINTS, numbers, device="cpu").area()
    assert point_array(found.atoms, "Area").sum() == pytest.approx(expected)

    cloud = separatrix_vtk.neighbor_statistics(POINTS)  # a dataset of these points
    before = [cloud.GetPointData().GetArrayName(i) for i in range(3)]
    heavy = separatrix_vtk.point_density(cloud, numbers.tolist(), sigma=0.2, spacing=0.1)
    light = separatrix_vtk.point_density(POINTS, sigma=0.2, spacing=0.1)
    ratio = point_array(heavy, "Density").sum() / point_array(light, "Density").sum()
    assert ratio == pytest.approx(numbers.sum() / 40, rel=0.1)
    assert [cloud.GetPointData().GetArrayName(i) for i in range(3)] == before
    assert not cloud.GetPointData().HasArray("weight")

    births = separatrix_vtk.rips_barcodes(POINTS, numbers, device="cpu").bars
    weighted = sx.rips_barcodes(POINTS, weights=numbers, device="cpu")
    np.testing.assert_array_equal(vtk_to_numpy(births.GetColumnByName("Birth")), weighted.birth)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((POINTS[0],), r"points must be an array of shape \(n, 3\); got shape \(3,\)"),
        ((POINTS + 1j,), "points must be real numbers; got an array of complex128"),
        (([["a", "b", "c"]],), "points must be real numbers; got an array of <U1"),
        (
            (POINTS, POINTS[:7, 0]),
            r"weights must be of shape \(40,\), one number per point; got shape \(7,\)",
        ),
        ((vtkMultiBlockDataSet(), [1.0]), "got vtkMultiBlockDataSet. Add an array to each block"),
        ((None,), r"points must be points of VTK .* or an array of shape \(n, 3\); got NoneType"),
        ((np.empty((0, 3)),), "The input has no points"),
    ],
)
def test_invalid_arrays_of_points_are_rejected(arguments, text):
    with pytest.raises(separatrix_vtk.FilterError, match=text):
        separatrix_vtk.point_density(*arguments)


def test_a_dataset_in_vtks_adapter_is_accepted():
    image = image_with(noise(3, 4, 5))
    found = separatrix_vtk.critical_points(dataset_adapter.WrapDataObject(image))
    expected = separatrix_vtk.critical_points(image)
    np.testing.assert_array_equal(point_array(found, "CellId"), point_array(expected, "CellId"))


# === progress


def test_a_progress_bar_shows_stages_and_ends_full(capsys):
    reported = []
    separatrix_vtk.critical_points(
        image_with(noise(4, 4, 4)), progress_bar=True, progress=lambda *now: reported.append(now)
    )
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.split("\r")[1:]
    assert all(line.startswith("critical_points: ") for line in lines)
    assert "100% |" + "#" * 24 + "|" in lines[-1]
    assert err.endswith("\n")
    assert len(reported) >= len(lines) - 1 > 1
    separatrix_vtk.critical_points(image_with(noise(4, 4, 4)), progress_bar=False)
    assert capsys.readouterr().err == ""


def test_a_progress_bar_overwrites_its_line_and_remains_after_cancellation():
    stream = io.StringIO()

    def stopped():
        with progress_bar("work", None, stream) as bar:
            bar(0.25, "a long stage")
            bar(0.25, "a long stage")
            bar(0.5, "short")
            raise sx.Canceled

    with pytest.raises(sx.Canceled):
        stopped()
    first, second = stream.getvalue().rstrip("\n").split("\r")[1:]
    assert first == "work:  25% |" + "#" * 6 + " " * 18 + "| a long stage"
    assert second.rstrip() == "work:  50% |" + "#" * 12 + " " * 12 + "| short"
    assert len(second) == len(first)


# === VTK's ways


def test_pipelines_by_the_operator_and_by_ports():
    model = pytest.importorskip("vtkmodules.util.execution_model")
    source = vtkRTAnalyticSource()
    source.SetWholeExtent(0, 5, 0, 5, 0, 5)
    source.Update()
    critical = (source >> separatrix_vtk.CriticalPoints(device="cpu")).update().output
    expected = separatrix_vtk.critical_points(source.GetOutput(), device="cpu")
    assert critical.GetNumberOfPoints() == expected.GetNumberOfPoints() > 0

    image = image_with(noise(4, 5, 6))
    complex = separatrix_vtk.MorseSmaleComplex(device="cpu")
    image >> complex
    tubes = (model.select_ports(complex, 1) >> vtkTubeFilter()).update().output
    assert tubes.GetNumberOfPoints() > complex.GetOutput(1).GetNumberOfPoints() > 0

    near = separatrix_vtk.NeighborStatistics(device="cpu")
    critical >> model.select_ports(0, near)
    complex >> model.select_ports(1, near)
    found = near.update().output
    distances = point_array(found, "DistanceToCriticalPoint")
    assert len(distances) == critical.GetNumberOfPoints()
    assert np.isfinite(distances).all()
