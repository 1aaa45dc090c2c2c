"""The palette, and what color_outputs makes of a display."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from paraview_app.pictures import pixels_of
from paraview_app.without_display import REPOSITORY
from separatrix_vtk.paraview import palette

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
COLOR_BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
JUST_NOTICEABLE = 2.3  # difference in CIELAB, Mahy et al. 1994


def cielab(linear: np.ndarray) -> np.ndarray:
    """CIELAB (D65) of linear sRGB (3,)."""
    xyz = (
        np.array(
            [
                [0.4124564, 0.3575761, 0.1804375],
                [0.2126729, 0.7151522, 0.0721750],
                [0.0193339, 0.1191920, 0.9503041],
            ]
        )
        @ np.clip(linear, 0.0, 1.0)
        / [0.95047, 1.0, 1.08883]
    )
    f = np.where(xyz > 0.008856, np.cbrt(xyz), xyz * 7.787 + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eyes", COLOR_BLINDNESS)
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_kinds_of_critical_points_stay_apart_for_every_eye(eyes, dimension):
    seen = []
    for category in palette.critical_categories(dimension):
        linear = (np.array(category.color) + 0.055) ** 2.4 / 1.055**2.4
        seen.append(cielab(np.array(COLOR_BLINDNESS[eyes]) @ linear))
    distances = [np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)]
    assert min(distances) > 6 * JUST_NOTICEABLE


@pytest.mark.parametrize(
    ("dimension", "names"),
    [
        (1, ["minimum", "maximum"]),
        (2, ["minimum", "saddle", "maximum"]),
        (3, ["minimum", "1-saddle", "2-saddle", "maximum"]),
    ],
)
def test_the_last_index_of_every_dimension_is_the_maximum(dimension, names):
    categories = palette.critical_categories(dimension)
    assert [(c.value, c.name) for c in categories] == list(enumerate(names))
    assert categories[-1].color == palette.VERMILION


@pytest.mark.parametrize(
    ("dimension", "kinds"),
    [
        (1, {0: ("minimum", palette.BLUE), 3: ("maximum", palette.VERMILION)}),
        (
            2,
            {
                0: ("minimum", palette.BLUE),
                1: ("saddle", palette.ORANGE),
                3: ("maximum", palette.VERMILION),
            },
        ),
        (
            3,
            {
                0: ("minimum", palette.BLUE),
                1: ("1-saddle", palette.SKY_BLUE),
                2: ("2-saddle", palette.ORANGE),
                3: ("maximum", palette.VERMILION),
            },
        ),
    ],
)
def test_critical_types_are_those_that_occur_in_the_dimension(dimension, kinds):
    categories = palette.critical_type_categories(dimension)
    assert {c.value: (c.name, c.color) for c in categories} == kinds


def test_a_lookup_table_gives_the_color_and_the_name_of_each_value():
    categories = palette.separatrix_categories(3)
    table = palette.lookup_table(categories)
    for category in categories:
        color = [0.0] * 3
        table.GetColor(category.value, color)
        assert color == pytest.approx(category.color, abs=1 / 255)
        assert table.GetAnnotation(table.GetAnnotatedValueIndex(category.value)) == category.name


def test_a_label_table_gives_each_region_a_color_and_the_outside_gray():
    table, colors = palette.label_lookup_table(7), palette.label_colors(7)
    for label, expected in zip(range(-1, 7), [palette.GRAY, *colors], strict=True):
        color = [0.0] * 3
        table.GetColor(label, color)
        assert color == pytest.approx(expected, abs=1 / 255)
    assert len({tuple(color) for color in palette.label_colors(500)}) == 500


def test_points_are_sized_by_the_image_and_never_vanish():
    assert palette.point_radius((0, 3, 0, 4, 0, 0), 0.1) == pytest.approx(0.5)
    assert palette.point_radius((1, 1, 1, 1, 1, 1)) > 0
    assert palette.point_radius((1, -1, 1, -1, 1, -1)) > 0  # VTK's bounds of nothing


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_many_points_are_smaller_than_few(dimension):
    box = (0, 3, 0, 4, 0, 0)
    radii = [palette.point_radius(box, 0.1, n, dimension) for n in (0, 50, 400, 100_000)]
    assert radii[0] == radii[1] == pytest.approx(0.5)
    assert radii[1] > radii[2] >= radii[3] > 0.1


SCRIPT = """
from paraview import servermanager
from paraview.simple import *
from separatrix_vtk.paraview.colors import (
    color_arrows, color_critical_points, color_outputs, color_segmentation
)
found = {}
for name in sys.argv[2:]:
    image = XMLImageDataReader(FileName=[f"{sys.argv[1]}/{name}.vti"])
    image.UpdatePipeline()
    output = SeparatrixMorseSmaleComplex(image)
    view = CreateView("RenderView", ViewSize=[60, 60])
    output.UpdatePipeline()
    for port in range(3):
        Show(OutputPort(output, port), view)
    SetActiveSource(output)
    points, lines, surfaces = color_outputs()
    regions = Show(OutputPort(output, 3), view)
    color_segmentation(regions, "DescendingManifold")
    Render(view)
    bars = [
        r for r in view.Representations if r.SMProxy.GetXMLName() == "ScalarBarWidgetRepresentation"
    ]
    found[name] = dict(
        points=list(points.LookupTable.Annotations), lines=list(lines.LookupTable.Annotations),
        colors=list(points.LookupTable.IndexedColors), radius=points.GaussianRadius,
        tubes=lines.RenderLinesAsTubes, regions=len(regions.LookupTable.Annotations) // 2,
        bars=sum(b.Visibility for b in bars),
        apart=points.LookupTable.SMProxy != GetColorTransferFunction("CellDimension").SMProxy,
    )
    data = servermanager.Fetch(output, idx=0).GetPointData().GetArray("CriticalType")
    found[name]["values"] = [int(data.GetTuple1(i)) for i in range(data.GetNumberOfTuples())]
    found[name]["array"] = list(points.ColorArrayName)
    gradient = SeparatrixDiscreteGradient(image, Stride=9)
    gradient.UpdatePipeline()
    arrows = Show(OutputPort(gradient, "Gradient Arrows"), view)
    color_arrows(arrows)
    found[name]["arrows"] = list(arrows.LookupTable.Annotations)
    Hide(OutputPort(gradient, "Gradient Arrows"), view)
    # After another filter the image is still found.
    half = Threshold(Input=output, Scalars=["POINTS", "CellDimension"], UpperThreshold=1)
    display = Show(half, view)
    color_critical_points(display)
    found[name]["after"] = list(display.LookupTable.Annotations)
sphere = Sphere()
refused = ""
try:
    color_outputs(sphere)
except ValueError as error:
    refused = str(error)
report(found=found, refused=refused)
"""


@pytest.mark.paraview
def test_displays_are_colored_for_the_dimension_of_their_image(pvpython, sample_data):
    run = pvpython(SCRIPT, sample_data, "two_centers", "terrain")
    for name, dimension in (("two_centers", 3), ("terrain", 2)):
        found = run.report["found"][name]
        points = palette.critical_type_categories(dimension)
        lines = palette.separatrix_categories(dimension)
        assert found["points"] == [text for c in points for text in (str(c.value), c.name)]
        assert found["after"] == found["points"]
        assert found["lines"] == [text for c in lines for text in (str(c.value), c.name)]
        assert found["colors"] == pytest.approx([x for c in points for x in c.color])
        assert found["array"] == ["POINTS", "CriticalType"]
        assert set(found["values"]) <= {c.value for c in points}
        assert (
            found["arrows"]
            == [
                ["0", "vertex to edge", "1", "edge to face"],
                ["0", "vertex to edge", "1", "edge to face", "2", "face to voxel"],
            ][dimension - 2]
        )
        assert found["tubes"] == 1
        assert found["regions"] > 2
        assert found["bars"] == 2  # a legend each for points and lines
        assert found["apart"]
        assert found["radius"] > 0
    assert "Separatrix filter" in run.report["refused"]
    assert "Traceback" not in run.text


VIEWS = """
from paraview.simple import *
from separatrix_vtk.paraview.colors import color_outputs
image = XMLImageDataReader(FileName=[sys.argv[1]])
image.UpdatePipeline()
output = SeparatrixPersistenceDiagram(image, ZeroPersistencePairs=int(sys.argv[3]))
output.UpdatePipeline()
volume = CreateView("RenderView")
Show(image, volume)
Show(OutputPort(output, 0), volume)
chart = CreateView("XYChartView", ViewSize=[600, 400])
Show(OutputPort(output, 1), chart)
SetActiveSource(output)
SetActiveView(chart)  # as Apply leaves it
displays = color_outputs()
color_outputs()  # another click makes no other view
(own,) = [view for view in GetViews() if view not in (volume, chart)]
SaveScreenshot(sys.argv[2], chart)
report(
    n=len(displays), n_views=len(GetViews()), names=list(displays[-1].LookupTable.Annotations),
    hidden=not GetDisplayProperties(output, volume).Visibility,
    image_shown=GetDisplayProperties(image, volume).Visibility,
    titles=[own.AxesGrid.XTitle, own.AxesGrid.YTitle], mode=str(own.InteractionMode),
    logarithmic=[chart.BottomAxisLogScale, chart.LeftAxisLogScale],
)
"""


@pytest.mark.paraview
@pytest.mark.parametrize(("name", "zero_pairs"), [("noisy_field", 0), ("terrain", 1)])
def test_a_click_shows_the_diagram_in_a_plane_and_the_curves_without_a_warning(
    pvpython, sample_data, tmp_path, name, zero_pairs
):
    picture = tmp_path / "chart.png"
    run = pvpython(VIEWS, sample_data / f"{name}.vti", picture, zero_pairs)
    found = run.report
    assert (found["n"], found["n_views"]) == (2, 3)
    assert "saddle and maximum" in found["names"]
    assert found["hidden"]
    assert found["image_shown"]
    assert (found["titles"], found["mode"].strip("'")) == (["Birth", "Death"], "2D")
    assert found["logarithmic"] == [1, 1]
    # VTK covers a logarithmic chart that reaches 0 with a box of this brown.
    pixels = np.rint(pixels_of(picture) * 255)
    assert (pixels == [165, 42, 42]).all(axis=2).sum() == 0
    black = (pixels < 60).all(axis=2)
    assert black.any(axis=0).sum() > 0.7 * pixels.shape[1]  # the curve runs through the chart


FLAT = """
from paraview.simple import *
from separatrix_vtk.paraview.colors import color_outputs
image = XMLImageDataReader(FileName=[sys.argv[1]])
image.UpdatePipeline()
output = SeparatrixMorseSmaleComplex(image, PersistenceThreshold=5)
view = CreateView("RenderView")
displays = [Show(OutputPort(output, port), view) for port in (0, 2, 3, 4)]
SetActiveSource(output)
color_outputs()
points, surfaces, regions, graph = displays
for display in (points, surfaces, graph):
    display.Visibility = 0
for table in (points.LookupTable, graph.LookupTable):
    GetScalarBar(table, view).Visibility = 0
view.OrientationAxesVisibility = 0
ResetCamera(view)
GetActiveCamera().Zoom(3)
SaveScreenshot(sys.argv[2], view)
report(labels=len(regions.LookupTable.Annotations) // 2,
       kind=str(regions.Representation), z=regions.Position[2], radius=points.GaussianRadius,
       bar=GetScalarBar(graph.LookupTable, view).Title, surfaces=str(surfaces.ColorArrayName[1]))
"""


@pytest.mark.paraview
def test_a_segmented_2d_image_lies_behind_its_points_and_is_not_blurred(
    pvpython, sample_data, tmp_path
):
    picture = tmp_path / "regions.png"
    run = pvpython(FLAT, sample_data / "terrain.vti", picture)
    found = run.report
    assert found["kind"].strip("'") == "Slice"  # on a surface its colors run into each other
    pixels, colors = pixels_of(picture).reshape(-1, 3), palette.label_colors(found["labels"])
    near = [np.abs(pixels - color).max(axis=1) < 0.01 for color in colors]
    assert np.any(near, axis=0).mean() > 0.9  # the rest are edges
    assert found["z"] < -found["radius"] < 0
    assert found["bar"] == "Graph"
    assert "LookupTable" not in run.text
    assert "array range" not in run.text


def test_the_handbook_names_the_colors_of_the_palette():
    page = (REPOSITORY / "docs" / "paraview.md").read_text(encoding="utf-8")
    for category in (*palette.critical_categories(3), *palette.separatrix_categories(3)):
        text = "#" + "".join(f"{round(255 * channel):02X}" for channel in category.color)
        assert text in page, category.name
