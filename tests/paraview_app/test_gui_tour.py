"""A new user's tour of ParaView's window: every filter is found, applied with defaults, and seen.

One window, a fresh HOME, and a click on menu and Apply for each filter. Nothing else is touched:
the representation, the array that colors and the scalar bar are what the filters bring along.
Scripts give the same. `tour_look` tells from inside what is shown.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix_vtk
from oracles.molecule_files import PEPTIDE, write, xyz_text
from paraview_app.pictures import pixels_of
from paraview_app.test_molecule_reader import paths_with_gemmi  # noqa: F401  a fixture
from paraview_app.window import (
    APPLY,
    MENU,
    Click,
    Window,
    from_menu,
    paraview_window,
    read_xwd,
    run_macro,
)
from separatrix_vtk.paraview.color_maps import ARRAYS, LABELS

pytestmark = [pytest.mark.paraview, pytest.mark.long]

PATIENCE = 300  # seconds; alone on two cores the tour takes about thirty
LOOK = Path(__file__).with_name("tour_look.py")
READER = "SeparatrixMoleculeReader"
SPREADSHEET = ["SpreadSheetView"]
CURVES = "SeparatrixPersistenceCurvesView"
DIAGRAM, BARS = "SeparatrixDiagramView", "SeparatrixBarcodeView"


def drawn(kind: str, array: str, view: str = "RenderView") -> list[str]:
    """Report of `tour_look` on a port that is drawn with its scalar bar."""
    titles = {name: title for name, (title, _) in ARRAYS.items()} | LABELS
    return [view, kind, array, titles.get(array, array)]


# filter: (sample, what is shown of each port that is shown at all)
TOUR: dict[str, tuple[str, dict[int, list[str]]]] = {
    "MorseSmaleComplex": (
        "orbital",
        {0: drawn("Spheres", "CriticalType"), 1: drawn("Lines", "DestinationType")},
    ),
    "PersistenceDiagram": (
        "orbital",
        {
            0: drawn("Lines", "PairType", DIAGRAM),
            1: [CURVES, "Persistence"],
        },
    ),
    "TopologicalSimplification": ("orbital", {}),
    "CriticalPoints": ("orbital", {0: drawn("Spheres", "CriticalType")}),
    "DiscreteGradient": (
        "basin",
        {0: drawn("Spheres", "CriticalType"), 2: drawn("Surface", "CellDimension")},
    ),
    "MeshRelations": ("ring", {0: drawn("Surface", "NumberOfNeighbors"), 5: SPREADSHEET}),
    "PointDensity": ("1crn.pdb", {0: drawn("Volume", "Density")}),
    "NeighborStatistics": ("1crn.pdb", {0: drawn("Spheres", "DistanceToMeasure")}),
    "Delaunay": ("1crn.pdb", {0: drawn("Surface With Edges", "atom_type")}),
    "RipsBarcodes": (
        "circles",
        {
            0: drawn("Lines", "Dimension", BARS),
            2: drawn("Cycles", "BarRank"),
            4: ["SeparatrixBettiCurvesView", "Distance"],
        },
    ),
    "AlphaComplex": ("1crn.pdb", {0: drawn("Lines", "Kind")}),
    "AlphaTimeSeries": ("frames", {0: ["SeparatrixAlphaTimeSeriesView", "Time"]}),
}
SOURCES = """
from paraview.simple import *
def sample(reader, name, file, **more):
    source = reader(registrationName=name, FileName=file, **more)
    source.UpdatePipeline()
    return source
sample(XMLImageDataReader, "orbital", ["{data}/atomic_orbital.vti"])
sample(XMLImageDataReader, "basin", ["{data}/two_centers.vti"])
sample(XMLUnstructuredGridReader, "ring", ["{data}/ring.vtu"])
sample(CSVReader, "circles", ["{data}/linked_circles.csv"])
sample(SeparatrixMoleculeReader, "frames", "{frames}")
"""
START = SOURCES + "Render(GetActiveViewOrCreate('RenderView'))\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of the tour: a JSON file and a picture per filter, written by the first test."""
    return tmp_path_factory.mktemp("tour")


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    """A molecule that grows, in five frames."""
    grown = [
        [replace(atom, x=atom.x * (1.0 + 0.1 * step)) for atom in PEPTIDE] for step in range(5)
    ]
    return write(tmp_path / "frames.xyz", xyz_text(*grown))


def clicks(molecule: Path) -> list[Click]:
    """File > Open of the molecule with our reader, then every filter of the menu."""
    readers = "pqClientMainWindow/pqSelectReaderDialog"
    look = run_macro(LOOK)
    found: list[Click] = [
        (f"{MENU}/menu_File", "activate", "actionFileOpen"),
        ("pqClientMainWindow/FileOpenDialog", "filesSelected", str(molecule)),
        (f"{readers}/listWidget", "mousePress", "1,1,0,66,8,/1:0"),  # the second: ours
        (f"{readers}/listWidget", "mouseRelease", "1,0,0,66,8,/1:0"),
        (f"{readers}/okButton", "activate", ""),
        APPLY,
        look,
    ]
    for name in TOUR:
        found += [*from_menu(name), APPLY, look]
    return found


def test_the_tour_visits_every_filter():
    ours = {path.stem.replace("_", "") for path in separatrix_vtk.xml_files()}
    readers = {"distancereader", "moleculereader", "volumereader"}
    assert {name.lower() for name in TOUR} | readers == ours


def test_a_new_user_can_apply_every_filter(
    environment: dict[str, str],
    sample_data: Path,
    frames: Path,
    folder: Path,
    paths_with_gemmi: str,  # noqa: F811
    tmp_path: Path,
) -> None:
    (folder / "steps.json").write_text(json.dumps([sample for sample, _ in TOUR.values()]))
    visible = {**environment, "TOUR": str(folder), "PYTHONPATH": paths_with_gemmi}
    script = START.format(data=sample_data, frames=frames)
    told = clicks(sample_data / "1crn.pdb")
    with paraview_window(visible, tmp_path, script, told, LOOK) as window:
        window.wait_until(lambda: is_without_gemmi(window) or "Success = " in window.text, PATIENCE)
        if is_without_gemmi(window):
            pytest.skip(f"gemmi is there for Python {sys.version_info[:2]} and not for ParaView's")
        window.wait_until_played()
    assert "Could not find icon" not in window.text


def is_without_gemmi(window: Window) -> bool:
    return "No module named 'gemmi'" in window.text or "needs gemmi" in window.text


def told_of(folder: Path, name: str) -> dict[str, Any]:
    path = folder / f"Separatrix{name}.json"
    if not path.exists():
        pytest.skip("there was no tour")
    told: dict[str, Any] = json.loads(path.read_text())
    return told


@pytest.mark.parametrize("name", TOUR)
def test_what_is_shown_after_apply_needs_no_further_click(folder: Path, name: str) -> None:
    told, (_, expected) = told_of(folder, name), TOUR[name]
    assert told["error"] == ""
    shown = {port: views for port, views in enumerate(told["shown"]) if views}
    assert shown == {port: [display] for port, display in expected.items()}
    for view in {display[0] for display in expected.values() if len(display) == 4}:
        pixels = pixels_of(folder / f"Separatrix{name}_{view}.png")
        is_colored = pixels.max(axis=2) - pixels.min(axis=2) > 0.2  # the background has 0.11
        assert is_colored.sum() > 0.001 * is_colored.size, view


def test_a_molecule_is_opened_as_balls_in_the_colors_of_its_elements(folder: Path) -> None:
    told = told_of(folder, "MoleculeReader")
    assert told["shown"] == [[drawn("Balls", "atom_type")]]
    assert told["counts"] == [[327, 327, 0]]
    pixels = pixels_of(folder / f"{READER}_RenderView.png")
    is_colored = pixels.max(axis=2) - pixels.min(axis=2) > 0.2
    # Balls of their radii, not pixels: the molecule is filled. Carbon is gray.
    assert is_colored.mean() > 0.03


def test_the_window_itself_was_there(folder: Path) -> None:
    told_of(folder, "MoleculeReader")
    screens = [read_xwd(path) for path in sorted(folder.glob("*.xwd"))]
    assert len(screens) == len(TOUR) + 1
    assert all(len(np.unique(screen[::9, ::9].sum(axis=2))) > 20 for screen in screens)


SCRIPT = """
crambin = sample(SeparatrixMoleculeReader, "1crn.pdb", "{data}/1crn.pdb")
found = {{}}
for name, source in json.loads(sys.argv[1]).items():
    made = globals()["Separatrix" + name](FindSource(source))
    made.UpdatePipeline()
    ports = range(made.SMProxy.GetNumberOfOutputPorts())
    data = [made.SMProxy.GetDataInformation(port) for port in ports]
    found[name] = [[d.GetNumberOfPoints(), d.GetNumberOfCells(), d.GetNumberOfRows()] for d in data]
report(found=found)
"""


def test_a_script_gives_the_same_counts_as_the_window(
    pvpython: Any,
    sample_data: Path,
    frames: Path,
    folder: Path,
    paths_with_gemmi: str,  # noqa: F811
) -> None:
    counts = {name: told_of(folder, name)["counts"] for name in TOUR}
    script = (SOURCES + SCRIPT).format(data=sample_data, frames=frames)
    samples = json.dumps({name: sample for name, (sample, _) in TOUR.items()})
    assert pvpython(script, samples, PYTHONPATH=paths_with_gemmi).report["found"] == counts
