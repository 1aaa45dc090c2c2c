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


def test_each_xml_file_is_a_plugin_by_itself(pvpython, sample_data):
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


def test_ports_and_arrays_have_the_names_that_they_are_documented_with(pvpython, sample_data):
    script = """
output = SeparatrixMorseSmaleComplex(read(sys.argv[1]))
output.UpdatePipeline()
arrays, sizes = {}, {}
for name in ("Critical Points", "1-Separatrices", "2-Separatrices", "Segmentation", "Graph"):
    port = output[name]
    assert port.SMProxy == OutputPort(output, name).SMProxy
    arrays[name] = [
        [data.GetArray(i).Name for i in range(data.GetNumberOfArrays())]
        for data in (port.PointData, port.CellData)
    ]
    sizes[name] = port.GetDataInformation().GetNumberOfCells()
gradient = SeparatrixDiscreteGradient(read(sys.argv[1]), Stride=7)
gradient.UpdatePipeline()
for name in ("Gradient", "Gradient Arrows"):
    sizes[name] = gradient[name].GetDataInformation().GetNumberOfCells()
made = output.GetClientSideObject()
report(arrays=arrays, sizes=sizes, instance=type(made).__name__, device=made.report["device"])
"""
    report = pvpython(READ + script, sample_data / "two_centers.vti").report
    points, cells = report["arrays"]["Critical Points"]
    assert {"potential", "CellDimension", "CellId", "IsOnBoundary", "ManifoldSize"} <= set(points)
    assert "ttkVertexScalarField" in points
    assert cells == []
    points, cells = report["arrays"]["1-Separatrices"]
    assert points == ["CellDimension", "CellId", "ttkMaskScalarField"]
    assert {"SourceId", "DestinationId", "SeparatrixId", "SeparatrixType"} <= set(cells)
    assert "Multiplicity" in cells
    points, cells = report["arrays"]["Graph"]
    assert {"CellId", "Persistence", "PairedId"} <= set(points)
    assert {"SourceId", "DestinationId", "Multiplicity", "Persistence"} <= set(cells)
    assert report["sizes"]["Graph"] > 0
    assert report["arrays"]["2-Separatrices"] == [[], []]
    assert report["arrays"]["Segmentation"] == [
        ["AscendingManifold", "DescendingManifold", "MorseSmaleManifold", "potential"], []
    ]  # fmt: skip
    assert report["sizes"]["Critical Points"] == 15
    assert report["sizes"]["1-Separatrices"] > 0
    assert report["sizes"]["Gradient"] == report["sizes"]["Gradient Arrows"] > 0
    assert (report["instance"], report["device"]) == ("MorseSmaleComplex", "cpu")


def test_properties_have_defaults_texts_and_help(pvpython, sample_data):
    script = """
output = SeparatrixMorseSmaleComplex(read(sys.argv[1]))
defaults = {name: str(output.GetPropertyValue(name)).strip("'") for name in output.ListProperties()}
output.Device = "CPU"
chosen = str(output.Device).strip("'")
output.UpdatePipeline()
refused = ""
try:
    output.Device = "Abacus"
except ValueError as error:
    refused = str(error)
help = {
    name: output.SMProxy.GetProperty(name).GetDocumentation().GetDescription() or ""
    for name in output.ListProperties()
}
output.AscendingSegmentation = 0
output.TopCellLabels = 1
output.UpdatePipeline()
def names(data):
    return [data.GetArray(i).Name for i in range(data.GetNumberOfArrays())]
report(defaults=defaults, chosen=chosen, refused=refused,
       undocumented=[name for name, text in help.items() if len(text) < 60], doc=output.__doc__,
       points=names(output["Segmentation"].PointData), cells=names(output["Segmentation"].CellData))
"""
    report = pvpython(READ + script, sample_data / "two_centers.vti").report
    assert report["defaults"]["ScalarField"] == "['POINTS', 'potential']"
    assert report["defaults"]["Device"] == "Auto"
    assert report["defaults"]["CriticalPoints"] == "1"
    assert report["defaults"]["Descending2Separatrices"] == "0"
    assert report["defaults"]["SaddleConnectors"] == "1"
    assert report["defaults"]["PersistenceThreshold"] == "0.0"
    assert report["defaults"]["ThresholdMode"] == "Absolute"
    assert report["defaults"]["Order"] == "Index"
    assert report["defaults"]["RegionTable"] == "None"
    assert report["chosen"] == "CPU"
    assert "Abacus" in report["refused"]
    assert report["undocumented"] == []
    assert "Outputs:" in report["doc"]
    assert report["points"] == ["DescendingManifold", "MorseSmaleManifold", "potential"]
    assert report["cells"] == ["AscendingManifold"]


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


def test_the_menu_is_gray_for_what_is_no_image(pvpython, sample_data):
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


def test_show_follows_the_hints(pvpython, sample_data):
    script = """
output = SeparatrixMorseSmaleComplex(read(sys.argv[1]))
view = CreateView("RenderView", ViewSize=[60, 60])
displays = [Show(OutputPort(output, port), view) for port in range(3)]
Render(view)
kinds = [d.SMProxy.GetProperty("Representation").GetElement(0) for d in displays[:2]]
report(representations=kinds,
       colors=[list(d.ColorArrayName) for d in displays[:2]])
"""
    report = pvpython(READ + script, sample_data / "two_centers.vti").report
    assert report["representations"] == ["Spheres", "Tubes"]
    assert report["colors"] == [["POINTS", "CriticalType"], ["CELLS", "DestinationType"]]


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


def test_a_new_threshold_simplifies_every_port_without_touching_the_image(pvpython, sample_data):
    script = """
import separatrix
calls, whole = [], separatrix.morse_smale
def noted(*given, **how):
    calls.append(1)
    return whole(*given, **how)
separatrix.morse_smale = noted
output = SeparatrixMorseSmaleComplex(read(sys.argv[1]))
found = []
for threshold in (0.0, 0.01, 0.2):
    output.PersistenceThreshold = threshold
    output.UpdatePipeline()
    ports = [output[i].GetDataInformation().GetNumberOfCells() for i in (0, 1, 4)]
    labels = output["Segmentation"].PointData["MorseSmaleManifold"].GetRange()[1]
    told = output.GetClientSideObject().report
    found.append([*ports, labels, told["cancelled_pairs"], sum(told["critical_cells"])])
field = output["Critical Points"].FieldData
output.RegionTable = "Morse-Smale"
output.UpdatePipeline()
rows = output["Regions"].GetDataInformation().GetNumberOfRows()
report(found=found, calls=len(calls), rows=rows,
       told=[field.GetArray(i).Name for i in range(field.GetNumberOfArrays())])
"""
    report = pvpython(READ + script, sample_data / "noisy_field.vti").report
    assert report["calls"] == 1
    first, second, third = report["found"]
    for column in (0, 1, 2, 3, 5):
        assert first[column] > second[column] > third[column] > 0
    assert first[4] == 0
    assert third[0] == first[0] - 2 * third[4] == third[5]
    assert report["rows"] == third[3] + 1
    assert {"CancelledPairs", "SkippedPairs", "ZeroPersistencePoints"} <= set(report["told"])


def test_the_diagram_is_the_engines_in_the_plane_and_in_the_domain(pvpython, sample_data):
    script = """
image = read(sys.argv[1])
output = SeparatrixPersistenceDiagram(image)
output.UpdatePipeline()
diagram = output["Persistence Diagram"]
ranges = {name: list(diagram.CellData[name].GetRange()) for name in
          ("PairIdentifier", "PairType", "Persistence", "Birth", "IsFinite")}
bounds = [list(diagram.GetDataInformation().GetBounds())]
output.ShowInsideDomain = 1
output.Dimension1Pairs = 0
output.UpdatePipeline()
bounds.append(list(output[0].GetDataInformation().GetBounds()))
kinds = list(output[0].CellData["PairType"].GetRange())
image_bounds = list(image.GetDataInformation().GetBounds())
report(ranges=ranges, bounds=bounds, kinds=kinds, image=image_bounds,
       rows=output[1].GetDataInformation().GetNumberOfRows())
"""
    report = pvpython(READ + script, sample_data / "two_centers.vti").report
    values, _ = image_values(sample_data / "two_centers.vti")
    pairs = sx.persistence_diagram(values, device="cpu")
    low, high = float(values.min()), float(values.max())
    assert len(pairs) == N_PAIRS
    assert report["ranges"]["PairIdentifier"] == [-1, len(pairs) - 1]
    assert report["ranges"]["PairType"] == [-1, int(pairs.dimension.max())]
    assert report["ranges"]["Persistence"][1] == pytest.approx(high - low)
    assert report["ranges"]["IsFinite"] == [0, 1]
    assert report["bounds"][0] == pytest.approx([low, high, low, high, 0, 0])
    assert report["kinds"] == [0, int(pairs.dimension[pairs.dimension != 1].max())]
    for axis in range(3):
        assert report["image"][2 * axis] <= report["bounds"][1][2 * axis]
        assert report["bounds"][1][2 * axis + 1] <= report["image"][2 * axis + 1]
    assert report["rows"] > 0


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
            "Distance", ["Betti Number 0", "Betti Number 1"], ["Distance", "Number of bars", ""]
        ),
        "AlphaTimeSeries": (
            "Time", ["Volume", "Area", "Betti0", "Betti1", "Betti2"],
            ["Time", "Volume and area", "Betti numbers"],
        ),
    }  # fmt: skip
    for name, (x, shown, titles) in expected.items():
        told = run.report["told"][name]
        assert (told["x"], told["shown"], told["titles"]) == ([x, 0], shown, titles)
        assert len({tuple(color) for color in told["colors"]}) == len(shown)
    assert "Betti1" in run.report["told"]["AlphaTimeSeries"]["right"]
    assert "ERR|" not in run.text  # a chart of one time step draws no line
