"""The filters in pvpython, as a script of a user's has them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx

pytestmark = pytest.mark.paraview

REPOSITORY = Path(__file__).resolve().parents[2]
FILTERS = {
    "morse_smale_complex": "SeparatrixMorseSmaleComplex",
    "critical_points": "SeparatrixCriticalPoints",
    "discrete_gradient": "SeparatrixDiscreteGradient",
    "persistence_diagram": "SeparatrixPersistenceDiagram",
}
N_PAIRS = 8  # of nonzero persistence, in two_centers.vti

READ = """
from paraview.simple import *
def read(path):
    image = XMLImageDataReader(FileName=[path])
    image.UpdatePipeline()
    return image
"""


def test_each_xml_file_is_a_separate_plugin(pvpython, sample_data):
    script = """
from paraview.simple import *
image = XMLImageDataReader(FileName=[sys.argv[1]])
image.UpdatePipeline()
points, known = {}, set()
for path, name in json.loads(sys.argv[2]).items():
    LoadPlugin(path, ns=globals())
    added = {name for name in dir() if name.startswith("Separatrix")} - known
    assert added == {name}, added
    known |= added
    output = globals()[name](image)
    output.UpdatePipeline()
    points[name] = output.GetDataInformation().GetNumberOfPoints()
report(points=points)
"""
    paths = {str(REPOSITORY / "xml" / f"{file}.xml"): name for file, name in FILTERS.items()}
    path = sample_data / "two_centers.vti"
    found = pvpython(script, path, json.dumps(paths), PV_PLUGIN_PATH=None).report["points"]
    assert found.pop("SeparatrixPersistenceDiagram") == 2 * (N_PAIRS + 1)
    assert set(found.values()) == {15}


def test_help_describes_a_filter_and_its_properties(pvpython):
    script = """
import pydoc
from paraview.simple import *
complex = SeparatrixMorseSmaleComplex(Wavelet())
report(of_filter=pydoc.plain(pydoc.render_doc(SeparatrixMorseSmaleComplex)),
       of_properties=pydoc.plain(pydoc.render_doc(complex)))
"""
    texts = {name: " ".join(text.split()) for name, text in pvpython(script).report.items()}
    assert "Computes the Morse-Smale complex of a scalar field" in texts["of_filter"]
    assert "PersistenceThreshold" in texts["of_properties"]
    assert "Cancel pairs of critical points whose values differ" in texts["of_properties"]


def test_every_filter_runs_on_every_sample(pvpython, sample_data):
    script = """
import glob
from paraview import servermanager
from vtkmodules.util.numpy_support import vtk_to_numpy
found = {}
for path in sorted(glob.glob(sys.argv[1] + "/*.vti")):
    image = read(path)
    for make in (SeparatrixMorseSmaleComplex, SeparatrixCriticalPoints, SeparatrixDiscreteGradient):
        output = make(image)
        if make is SeparatrixMorseSmaleComplex:
            output.AutomaticThreshold = 0
        output.UpdatePipeline()
        points = servermanager.Fetch(output["Critical Points"])
        index = vtk_to_numpy(points.GetPointData().GetArray("CellDimension"))
        cell_id = vtk_to_numpy(points.GetPointData().GetArray("CellId"))
        counts = [int((index == k).sum()) for k in range(4)]
        found.setdefault(path.split("/")[-1], []).append([counts, int(cell_id.sum())])
        Delete(output)
report(found=found)
"""
    found = pvpython(READ + script, sample_data).report["found"]
    assert len(found) >= 5
    for name, answers in found.items():
        values, spacing = image_values(sample_data / name)
        critical = sx.discrete_gradient(values, spacing=spacing, device="cpu").critical
        expected = [list(map(int, critical.counts)), int(critical.cell_id.sum())]
        assert answers == [expected] * 3, name


def image_values(path: Path) -> tuple[np.ndarray, tuple[float, ...]]:
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOXML import vtkXMLImageDataReader

    reader = vtkXMLImageDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    image = reader.GetOutput()
    values = vtk_to_numpy(image.GetPointData().GetScalars())
    return values.reshape(image.GetDimensions()[::-1]), image.GetSpacing()


def test_a_source_that_was_never_updated_gives_its_active_scalars(pvpython, sample_data):
    script = """
image = XMLImageDataReader(FileName=[sys.argv[1]])   # no UpdatePipeline
output = SeparatrixCriticalPoints(image)
output.UpdatePipeline()
report(points=output.GetDataInformation().GetNumberOfPoints())
"""
    run = pvpython(READ + script, sample_data / "two_centers.vti")
    assert run.report == {"points": 15}
    assert "ERROR" not in run.text


def test_cell_data_composite_data_and_higher_filters_work(pvpython, sample_data):
    script = """
image = read(sys.argv[1])
cells = PointDatatoCellData(image)
cells.UpdatePipeline()
output = SeparatrixMorseSmaleComplex(cells)
output.ScalarField = ["CELLS", "potential"]
output.UpdatePipeline()
data = output["Segmentation"].CellData
names = [data.GetArray(i).Name for i in range(data.GetNumberOfArrays())]
group = GroupDatasets(Input=[image, image])
group.UpdatePipeline()
both = SeparatrixMorseSmaleComplex(group)
both.UpdatePipeline()
picked = Threshold(Input=OutputPort(both, "Critical Points"), Scalars=["POINTS", "CellDimension"],
                   LowerThreshold=1, UpperThreshold=2)
picked.UpdatePipeline()
report(names=names, of_cells=output.GetDataInformation().GetNumberOfPoints(),
       both=both[0].GetDataInformation().GetNumberOfPoints(),
       saddles=picked.GetDataInformation().GetNumberOfPoints())
"""
    report = pvpython(READ + script, sample_data / "two_centers.vti").report
    assert set(report["names"]) >= {"AscendingManifold", "DescendingManifold", "MorseSmaleManifold"}
    assert report["of_cells"] > 0
    assert (report["both"], report["saddles"]) == (30, 18)


def test_the_menu_is_disabled_for_invalid_input(pvpython, sample_data):
    script = """
from paraview import servermanager
sphere = Sphere()
sphere.UpdatePipeline()
manager = servermanager.ProxyManager().SMProxyManager
fits = {}
for name in sys.argv[2:]:
    input = manager.GetPrototypeProxy("filters", name).GetProperty("Input")
    fits[name] = []
    for source in (read(sys.argv[1]), sphere):
        input.SetUncheckedInputConnection(0, source.SMProxy, 0)
        fits[name].append(input.IsInDomains())
report(fits=list(fits.values()))
"""
    run = pvpython(READ + script, sample_data / "two_centers.vti", *FILTERS.values())
    assert run.report["fits"] == [[1, 0]] * len(FILTERS)


def test_the_threshold_has_a_slider_over_the_range_of_the_field(pvpython, sample_data):
    script = """
def slider():
    domain = output.SMProxy.GetProperty("PersistenceThreshold").GetDomain("range")
    return [domain.GetMinimum(0), domain.GetMaximum(0)]
image = read(sys.argv[1])
output = SeparatrixMorseSmaleComplex(image)
absolute = slider()
low, high = image.PointData["potential"].GetRange()
output.ThresholdMode = "Fraction Of Range"
output.UpdatePipeline()
output.UpdatePipelineInformation()
fraction = slider()
output.PersistenceThreshold = 2.5  # as it was typed in the unit of the values
output.UpdatePipeline()
points = output["Critical Points"].GetDataInformation().GetNumberOfPoints()
report(absolute=absolute, range=high - low, fraction=fraction, points=points)
"""
    run = pvpython(READ + script, sample_data / "two_centers.vti")
    report = run.report
    assert report["absolute"] == pytest.approx([0.0, report["range"]])
    assert report["fraction"] == [0.0, 1.0]
    assert report["points"] > 0
    assert "Persistence Threshold 2.5 was interpreted as absolute" in run.text
    assert "ERR" not in run.text


CHARTS = """
from paraview.simple import *
told = {}
for name, source, port, view in (
    ("PersistenceDiagram", XMLImageDataReader(FileName=[sys.argv[1]]), 1, "PersistenceCurves"),
    ("RipsBarcodes", CSVReader(FileName=[sys.argv[2]]), 4, "BettiCurves"),
    ("AlphaTimeSeries", PDBReader(FileName=sys.argv[3]), 0, "AlphaTimeSeries"),
):
    source.UpdatePipeline()
    made = globals()["Separatrix" + name](source)
    made.UpdatePipeline()
    chart = CreateView(f"Separatrix{view}View", ViewSize=[600, 400])
    display = Show(OutputPort(made, port), chart)
    Render(chart)
    table = made.GetClientSideObject().GetOutputDataObject(port)
    columns = [table.GetColumnName(i) for i in range(table.GetNumberOfColumns())]
    shown = [column for column in columns if column in display.SeriesVisibility]
    colors = list(display.SeriesColor)
    told[name] = dict(
        x=[str(display.XArrayName.GetData()), int(display.UseIndexForXAxis)], shown=shown,
        colors=[colors[4 * i + 1 : 4 * i + 4] for i, n in enumerate(colors[::4]) if n in shown],
        titles=[chart.BottomAxisTitle, chart.LeftAxisTitle, chart.RightAxisTitle],
        right=list(display.SeriesPlotCorner)[::2] if name == "AlphaTimeSeries" else [],
    )
report(told=told)
"""


def test_charts_have_the_right_series_titles_and_colors(pvpython, sample_data):
    samples = ("noisy_field.vti", "torus.csv", "1crn.pdb")
    run = pvpython(CHARTS, *(sample_data / name for name in samples))
    expected = {
        "PersistenceDiagram": (
            "Persistence",
            [f"Number Of Pairs ({name} pairs)" for name in
             ("all", "minimum-saddle", "saddle-saddle", "saddle-maximum")],
            ["Persistence", "Number of pairs", ""],
        ),
        "RipsBarcodes": (
            "Distance", ["Betti0", "Betti1"], ["Distance", "Number of bars", ""]
        ),
        "AlphaTimeSeries": (
            "Time", ["TotalVolume", "TotalArea", "Betti0", "Betti1", "Betti2"],
            ["Time", "Volume and area", "Betti numbers"],
        ),
    }  # fmt: skip
    for name, (x, shown, titles) in expected.items():
        told = run.report["told"][name]
        assert (told["x"], told["shown"], told["titles"]) == ([x, 0], shown, titles)
        assert len({tuple(color) for color in told["colors"]}) == len(shown)
    assert "Betti1" in run.report["told"]["AlphaTimeSeries"]["right"]
    assert "ERR|" not in run.text  # a chart of one time step draws no line
