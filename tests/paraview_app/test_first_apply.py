"""The Morse-Smale complex after the first Apply: its threshold, and a proposal."""

from __future__ import annotations

import re

import numpy as np
import pytest
from vtkmodules.util.vtkConstants import VTK_TRIANGLE
from vtkmodules.vtkCommonDataModel import (
    vtkCompositeDataSet,
    vtkMultiBlockDataSet,
    vtkRectilinearGrid,
    vtkUnstructuredGrid,
)

import separatrix as sx
import separatrix_vtk
from filters.images import image_with
from separatrix_vtk import io
from separatrix_vtk.base.computing import PANEL_WIDTH

SCRIPT = """
from paraview.simple import *
image = XMLImageDataReader(FileName=sys.argv[1:])
image.UpdatePipeline()
complex = SeparatrixMorseSmaleComplex(image)
found = {}
for name, settings in {
    "first": {},
    "fraction": dict(AutomaticThreshold=0, ThresholdMode=1, PersistenceThreshold=0.01),
    "all": dict(PersistenceThreshold=0),
    "chosen": dict(PersistenceThreshold=0.2),
    "chosen has priority": dict(AutomaticThreshold=1),
}.items():
    for key, value in settings.items():
        setattr(complex, key, value)
    complex.UpdatePipeline()
    found[name] = complex.GetDataInformation().GetNumberOfPoints()
complex.UpdatePropertyInformation()
report(text=complex.Result, **found)
"""


@pytest.mark.paraview
def test_the_threshold_of_few_pairs_is_1_percent_until_it_is_set(pvpython, sample_data):
    report = pvpython(SCRIPT, sample_data / "atomic_orbital.vti").report
    assert report["first"] == report["fraction"] < report["all"]
    assert report["chosen"] == report["chosen has priority"] < report["first"]
    lines = report["text"].splitlines()
    counts = [int(part.split()[0]) for line in lines[:2] for part in line.split(", ")]
    assert sum(counts) - int(lines[4].removesuffix(" saddles omitted")) == report["chosen"]
    assert lines[2] == "Threshold 0.42027"  # 0.2 of the range
    assert re.fullmatch(r"CPU, \d+\.\d\d s", lines[-1])
    assert max(map(len, lines)) <= PANEL_WIDTH


def waves(noise):
    z, y, x = np.mgrid[0:6:30j, 0:6:30j, 0:6:30j]
    values = np.cos(2 * x) * np.cos(2 * y) * np.cos(2 * z)
    return values + noise * np.random.default_rng(23).standard_normal(values.shape)


plane, corner = np.random.default_rng(24).random((1, 50, 60)), waves(0.01)[:9, :9, :9]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (waves(0.01), lambda pairs: pairs.suggested_threshold()),  # of 101 features, without noise
        (waves(0.2), lambda pairs: np.sort(pairs.persistence[~pairs.is_essential])[-24]),
        (plane, lambda pairs: np.sort(pairs.persistence[~pairs.is_essential])[-99]),
        (corner, lambda _: 0.01 * np.ptp(corner)),
    ],
)
def test_the_first_threshold_of_noisy_data_is_in_a_gap_or_leaves_few_pairs(values, expected):
    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    filter.SetAutomaticThreshold(1)
    filter.SetInputDataObject(image_with(values))
    filter.Update()
    pairs = sx.persistence_diagram(values, device="cpu")
    assert filter.report["persistence"] == pytest.approx(expected(pairs), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CriticalPoints", "2 minima, 1 saddle\n0 maxima\nCPU"),
        ("DiscreteGradient", "2 minima, 1 saddle\n0 maxima\nCPU"),
        ("PersistenceDiagram", "Pairs by dimension: 2\nCPU"),
        ("TopologicalSimplification", "2 minima, 0 maxima\nThreshold 0\nLargest"),
    ],
)
def test_the_panel_of_each_filter_of_a_field_shows_its_counts(name, expected):
    values = np.array([[0.0, 1.0, 2.0, 1.0, 0.5], [3.0, 4.0, 5.0, 6.0, 7.0]])
    assert result_of(
        getattr(separatrix_vtk, name)(device="cpu"), image_with(values[None])
    ).startswith(expected)


def result_of(filter, dataset):
    assert filter.GetResult() == ""
    filter.SetInputDataObject(dataset)
    filter.Update()
    assert filter.last_error == ""
    return filter.GetResult()


@pytest.mark.parametrize(
    ("name", "sample", "expected"),
    [
        (
            "RipsBarcodes",
            "linked_circles.csv",
            r"{n} points, .* edges\n{n} components, 1 essential\n",
        ),
        ("NeighborStatistics", "linked_circles.csv", r"{n} points\nNearest at [\d.]+ \(median\)"),
        (
            "Delaunay",
            "1crn.pdb",
            r"{n} points\n[\d,]+ tetrahedra\n\d+ hull facets\n0 hidden points",
        ),
        ("PointDensity", "linked_circles.csv", r"{n} points\n\d+ x \d+ x \d+ voxels"),
        (
            "AlphaComplex",
            "1crn.pdb",
            r"(?s){n} atoms, {n} vertices\n.* 0 voids\nBetti numbers 1, ",
        ),
        ("AlphaTimeSeries", "1crn.pdb", "1 time step\n"),
        ("MeshRelations", "ring.vtu", r"{n} points\n[\d,]+ tetrahedra"),
    ],
)
def test_the_panel_of_each_filter_of_points_and_meshes_shows_its_counts(
    sample_data, name, sample, expected
):
    dataset = io.read(sample_data / sample)
    n = f"{getattr(dataset, 'GetNumberOfPoints', getattr(dataset, 'GetNumberOfRows', None))():,}"
    text = result_of(getattr(separatrix_vtk, name)(device="cpu"), dataset)
    assert re.match(expected.format(n=n), text), text
    assert max(map(len, text.splitlines())) <= PANEL_WIDTH
    assert re.search(r"\nCPU, \d+\.\d\d s$", text)


def test_the_panel_shows_the_counts_of_each_block():
    blocks = vtkMultiBlockDataSet()
    for k in range(2):
        blocks.SetBlock(k, image_with(np.arange(6.0).reshape(1, 2, 3)))
        blocks.GetMetaData(k).Set(vtkCompositeDataSet.NAME(), f"part {k}")
    text = result_of(separatrix_vtk.CriticalPoints(device="cpu"), blocks)
    assert re.fullmatch(
        r"(block 'part \d':\n1 minimum, 0 saddles\n0 maxima\nCPU, .*\n?){2}", text
    ), text


def test_options_of_volumes_are_shown_for_inputs_of_three_dimensions(sample_data):
    ring = io.read(sample_data / "ring.vtu")
    surface = vtkUnstructuredGrid()  # triangles, in a type of dataset for tetrahedra, too
    surface.SetPoints(ring.GetPoints())
    surface.InsertNextCell(VTK_TRIANGLE, 3, [0, 1, 2])
    flat = vtkRectilinearGrid()
    flat.SetDimensions(4, 5, 1)
    terrain = io.read(sample_data / "terrain.vti")
    for dataset, is_volume in ((ring, 1), (surface, 0), (flat, 0), (terrain, 0)):
        filter = separatrix_vtk.MorseSmaleComplex()
        filter.SetInputDataObject(dataset)
        assert filter.GetIsVolume() == is_volume


@pytest.mark.paraview
def test_another_order_is_proposed_once_for_many_equal_values(pvpython, tmp_path):
    random = np.random.default_rng(4)
    image = image_with((random.random((8, 9, 10)) < 0.1).astype(np.uint8))
    io.write(tmp_path / "ties.vti", image)
    run = pvpython(SCRIPT, tmp_path / "ties.vti")
    n = run.report["all"]
    proposal = f" of the {n:,} critical points of the field are in pairs of equal values"
    assert run.text.count(proposal) == 1
    assert "Set Order to Plateau Aware" in run.text


HIDDEN = """
from paraview.simple import *
image = XMLImageDataReader(FileName=sys.argv[1:])
image.UpdatePipeline()
view = CreateView("RenderView", ViewSize=[60, 60])
complex = SeparatrixMorseSmaleComplex(image)
Show(OutputPort(complex, 0), view)
labels = lambda: complex.GetClientSideObject().GetOutput(3).GetPointData()
found = []
def step(threshold):
    complex.PersistenceThreshold = threshold
    Render(view)
    found.append(labels().HasArray("MorseSmaleManifold"))
step(0.0)
step(0.1)
segmentation = Show(OutputPort(complex, 3), view)
step(0.1)
step(0.2)
report(found=found, largest=labels().GetArray("MorseSmaleManifold").GetRange()[1])
"""


@pytest.mark.paraview
def test_steps_of_the_threshold_label_only_a_segmentation_that_was_shown(pvpython, sample_data):
    path = sample_data / "two_centers.vti"
    report = pvpython(HIDDEN, path).report
    assert report["found"] == [1, 0, 1, 1]
    whole = separatrix_vtk.MorseSmaleComplex(device="cpu", persistence=0.2).run(io.read(path))[3]
    labels = whole.GetPointData().GetArray("MorseSmaleManifold")
    assert report["largest"] == labels.GetRange()[1]


SLIDER = """
import resource
from paraview.simple import *
def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
image = XMLImageDataReader(FileName=sys.argv[1:])
image.UpdatePipeline()
view = CreateView("RenderView", ViewSize=[400, 300])
complex = SeparatrixMorseSmaleComplex(image)
seconds = []
for threshold in (0.0, 0.9, 0.8, 0.7):
    begin = cpu_seconds()
    complex.PersistenceThreshold = threshold
    displays = [Show(OutputPort(complex, port), view) for port in (0, 1)]
    Render(view)
    seconds.append(cpu_seconds() - begin)
stages = complex.GetClientSideObject().report["seconds"]
report(seconds=seconds, stages=list(stages), tubes=displays[1].RenderLinesAsTubes)
"""


@pytest.mark.paraview
def test_a_step_of_the_threshold_takes_a_fraction_of_the_first_apply(pvpython, tmp_path):
    values = np.random.default_rng(6).random((48, 48, 48)).astype(np.float32)
    io.write(tmp_path / "noise.vti", image_with(values))
    told = pvpython(SLIDER, tmp_path / "noise.vti").report
    first, *steps = told["seconds"]
    assert sorted(steps)[1] < first / 3
    assert not {"gradient", "hierarchy"} & set(told["stages"])
    assert told["tubes"] == 0  # which take a software renderer five times as long
