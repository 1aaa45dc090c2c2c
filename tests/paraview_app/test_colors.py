"""The palette, and the colors of a first Apply."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from examples.demo.palette import point_radius
from paraview_app.pictures import pixels_of, shows
from paraview_app.without_display import REPOSITORY
from separatrix.plotting import palette
from separatrix_vtk.paraview import color_maps
from separatrix_vtk.paraview.palette import label_lookup_table, lookup_table

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
def test_kinds_of_critical_points_are_distinguishable_for_color_blind_users(eyes, dimension):
    seen = []
    for category in palette.critical_categories(dimension):
        linear = (np.array(category.color) + 0.055) ** 2.4 / 1.055**2.4
        seen.append(cielab(np.array(COLOR_BLINDNESS[eyes]) @ linear))
    distances = [np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)]
    assert min(distances) > 6 * JUST_NOTICEABLE


@pytest.mark.parametrize(
    ("dimension", "names"),
    [
        (1, {0: "minimum", 3: "maximum"}),
        (2, {0: "minimum", 1: "saddle", 3: "maximum"}),
        (3, {0: "minimum", 1: "1-saddle", 2: "2-saddle", 3: "maximum"}),
    ],
)
def test_critical_types_are_those_that_occur_in_the_dimension(dimension, names):
    types = palette.critical_type_categories(dimension)
    assert {c.value: c.name for c in types} == names
    indices = palette.critical_categories(dimension)
    assert [(c.value, c.name) for c in indices] == list(enumerate(names.values()))
    assert [c.color for c in indices] == [c.color for c in types]
    assert types[-1].color == palette.VERMILION


def test_a_lookup_table_gives_the_color_and_the_name_of_each_value():
    categories = palette.line_categories()
    table = lookup_table(categories)
    for category in categories:
        color = [0.0] * 3
        table.GetColor(category.value, color)
        assert color == pytest.approx(category.color, abs=1 / 255)
        assert table.GetAnnotation(table.GetAnnotatedValueIndex(category.value)) == category.name


def test_a_label_table_gives_each_region_a_color_and_the_outside_gray():
    table, colors = label_lookup_table(7), palette.label_colors(7)
    for label, expected in zip(range(-1, 7), [palette.GRAY, *colors], strict=True):
        color = [0.0] * 3
        table.GetColor(label, color)
        assert color == pytest.approx(expected, abs=1 / 255)
    assert len({tuple(color) for color in palette.label_colors(500)}) == 500


def test_points_are_sized_by_the_image_and_never_vanish():
    assert point_radius((0, 3, 0, 4, 0, 0)) == pytest.approx(0.06)
    assert point_radius((1, 1, 1, 1, 1, 1)) > 0
    assert point_radius((1, -1, 1, -1, 1, -1)) > 0  # VTK's bounds of nothing


KINDS = """
from paraview.simple import *
found = {}
for name in sys.argv[2:]:
    image = XMLImageDataReader(FileName=[f"{sys.argv[1]}/{name}.vti"])
    image.UpdatePipeline()
    for made, ports in (
        (SeparatrixMorseSmaleComplex(image, PersistenceThreshold=0.05), (0, 1, 3, 4)),
        (SeparatrixPersistenceDiagram(image), (0,)),
        (SeparatrixDiscreteGradient(image, Stride=9), (2,)),
    ):
        made.UpdatePipeline()
        for port in ports:
            view = CreateView("RenderView", ViewSize=[400, 300])
            display = Show(OutputPort(made, port), view)
            table = display.LookupTable
            display.SetScalarBarVisibility(view, True)
            array, title = display.ColorArrayName[1], GetScalarBar(table, view).Title
            found[f"{name} {made.SMProxy.GetOutputPortName(port)}"] = [
                array, title, int(table.InterpretValuesAsCategories), list(table.Annotations),
                list(table.IndexedColors), str(display.Representation.GetData()),
            ]
report(found=found)
"""


@pytest.mark.paraview
def test_the_first_apply_shows_the_present_kinds_in_colors_with_names(pvpython, sample_data):
    found = pvpython(KINDS, sample_data, "two_centers", "terrain").report["found"]
    expected = {
        "Critical Points": ("CriticalType", "Spheres"),
        "1-Separatrices": ("DestinationType", "Lines"),
        "Graph": ("DestinationType", "Lines"),
        "Persistence Diagram": ("PairType", "Lines"),
        "Gradient Arrows": ("CellDimension", "Surface"),
    }
    present = {  # in this session so far: two_centers has no maximum left
        ("two_centers", "CriticalType"): {0, 1, 2},
        ("terrain", "CriticalType"): {0, 1, 2, 3},
        ("two_centers", "DestinationType"): {0, 2, 3},
        ("terrain", "DestinationType"): {0, 2, 3},
        ("two_centers", "PairType"): {-1, 0, 1},  # and its arrows 2
        ("terrain", "PairType"): {-1, 0, 1, 2},
        ("two_centers", "CellDimension"): {0, 1, 2, 3},
        ("terrain", "CellDimension"): {0, 1, 2, 3},
    }
    for name, (array, representation) in expected.items():
        title, categories = color_maps.ARRAYS[array]
        for sample in ("two_centers", "terrain"):
            told, values = found[f"{sample} {name}"], present[sample, array]
            listed = [c for c in categories if c.value in values]
            assert told[:3] == [array, title, 1]
            assert told[3] == [text for c in listed for text in (str(c.value), c.name)]
            assert told[4] == pytest.approx([channel for c in listed for channel in c.color])
            assert told[5] == representation
    for sample in ("two_centers", "terrain"):
        array, _, is_categories, *_, representation = found[f"{sample} Segmentation"]
        assert (array in color_maps.LABELS, is_categories, representation) == (True, 0, "Slice")


OWN = """
from paraview.modules.vtkRemotingServerManager import vtkSMSettings
from paraview.simple import *
settings = vtkSMSettings.GetInstance()
own = {"array_lookup_tables": {"CriticalType": {"PVLookupTable": {"NanColor": [0.25, 0.5, 0.75]}}}}
settings.AddCollectionFromString(json.dumps(own), 10.0)
SeparatrixCriticalPoints(Wavelet())
table = GetColorTransferFunction("CriticalType")
settings.SaveSettingsToFile(sys.argv[1])
report(nan=list(table.NanColor), names=list(table.Annotations))
"""


@pytest.mark.paraview
def test_color_maps_and_files_of_the_user_are_not_changed(pvpython, tmp_path):
    saved = tmp_path / "saved.json"
    told = pvpython(OWN, saved).report
    assert told["nan"] == [0.25, 0.5, 0.75]
    assert "minimum" in told["names"]  # what the user did not set
    assert not saved.exists() or "minimum" not in saved.read_text()


FLAT = """
from paraview.simple import *
image = XMLImageDataReader(FileName=[sys.argv[1]])
image.UpdatePipeline()
output = SeparatrixMorseSmaleComplex(image, PersistenceThreshold=5)
output.UpdatePipeline()
view = CreateView("RenderView", ViewSize=[900, 700])
view.OrientationAxesVisibility = 0
regions = Show(OutputPort(output, 3), view)
ResetCamera(view)
GetActiveCamera().Zoom(3)
SaveScreenshot(sys.argv[2], view)
GetActiveCamera().Zoom(1 / 3)
for port in (0, 1):
    Show(OutputPort(output, port), view)
SaveScreenshot(sys.argv[3], view)
from paraview import servermanager
data = servermanager.Fetch(output, idx=0).GetPointData().GetArray("CriticalType")
report(kinds=[int(data.GetTuple1(i)) for i in range(data.GetNumberOfTuples())])
"""


@pytest.mark.paraview
def test_regions_of_a_2d_image_are_sharp_and_points_lie_over_lines(pvpython, sample_data, tmp_path):
    pictures = tmp_path / "regions.png", tmp_path / "all.png"
    kinds = pvpython(FLAT, sample_data / "terrain.vti", *pictures).report["kinds"]
    pixels = pixels_of(pictures[0]).reshape(-1, 3)
    drawn, n_pixels = np.unique(pixels, axis=0, return_counts=True)
    differences = np.abs(drawn[:, None] - np.asarray(palette.label_colors(400))).max(axis=2)
    is_label = differences.min(axis=1) < 0.01
    assert n_pixels[is_label].sum() > 0.9 * len(pixels)  # the rest are edges
    pixels = pixels_of(pictures[1])
    for kind in palette.critical_type_categories(3):
        if count := kinds.count(kind.value):
            assert shows(pixels, kind.color, 25 * count), kind.name


def test_the_handbook_names_the_colors_of_the_palette():
    page = (REPOSITORY / "docs" / "paraview.md").read_text(encoding="utf-8")
    for category in (*palette.critical_categories(3), *palette.line_categories()):
        text = "#" + "".join(f"{round(255 * channel):02X}" for channel in category.color)
        assert text in page, category.name
