"""ParaView's window, on a virtual screen: menu, properties panel, Apply, and the picture.

ParaView's own test player moves the mouse. The results are read from a script that runs in
the same window after every rendering, and from the pixels of the screen.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paraview_app.window import (
    APPLY,
    MENU,
    PANEL,
    Window,
    flat,
    from_menu,
    paraview_window,
    shaded,
    version,
)
from separatrix.plotting import palette
from separatrix_vtk.paraview.translucent import OPACITY

pytestmark = pytest.mark.paraview

START = """
import json, os
from paraview.simple import *
image = XMLImageDataReader(registrationName="volume", FileName=["{image}"])
image.UpdatePipeline()
view = GetActiveViewOrCreate("RenderView")
view.OrientationAxesVisibility = 0
Show(image, view)
ResetCamera(view)
GetActiveCamera().Elevation(-35)
GetActiveCamera().Azimuth(20)
ResetCamera(view)
SetActiveSource(image)

def describe(*_):
    found = {{}}
    for (name, _), source in GetSources().items():
        shown = []
        for port in range(source.SMProxy.GetNumberOfOutputPorts()):
            display = view.SMProxy.FindRepresentation(source.SMProxy, port)
            if display is None or not display.GetProperty("Visibility").GetElement(0):
                shown.append(None)
            else:
                table = display.GetProperty("LookupTable").GetProxy(0)
                shown.append([
                    display.GetProperty("Representation").GetElement(0),
                    table is not None
                    and bool(table.GetProperty("IndexedLookup").GetElement(0)),
                ])
        kept = {{}}
        for key in ("Ascending2Separatrices", "ScalarField", "PersistenceThreshold"):
            if key in source.ListProperties():
                kept[key] = str(source.GetPropertyValue(key))
        found[source.SMProxy.GetXMLName()] = [shown, kept]
    found["opacities"] = [display.Opacity for display in GetRepresentations().values()
                          if display.Representation == "Surface"]
    with open("{found}.new", "w") as file:
        json.dump(found, file)
    os.replace("{found}.new", "{found}")

view.SMProxy.GetRenderWindow().AddObserver("EndEvent", describe)
Render(view)
"""

CLICKS = [
    *from_menu("MorseSmaleComplex"),
    (f"{PANEL}/Ascending2Separatrices/CheckBox", "set_boolean", "true"),
    (f"{PANEL}/PersistenceThreshold/DoubleRangeWidget/DoubleLineEdit", "set_string", "0.001"),
    APPLY,
]


def test_a_user_finds_the_filter_applies_it_and_sees_colors(
    environment: dict[str, str], sample_data: Path, tmp_path: Path
) -> None:
    found = tmp_path / "found.json"
    script = START.format(image=sample_data / "two_centers.vti", found=found)
    with paraview_window(environment, tmp_path, script, CLICKS) as window:
        window.wait_until(lambda: is_colored(found))
        window.wait_until(lambda: has_colors(window))
        window.wait_until_played()

    shown, settings = json.loads(found.read_text())["SeparatrixMorseSmaleComplex"]
    kinds = ["Spheres", "Lines", "Translucent", None, None, None]
    assert [kind and kind[0] for kind in shown] == kinds
    assert settings["PersistenceThreshold"] == "0.001"  # and the slider's text to be typed
    assert settings["ScalarField"] == "['POINTS', 'potential']"
    assert settings["Ascending2Separatrices"] == "1"  # our checkbox was there to be clicked
    assert json.loads(found.read_text())["XMLImageDataReader"][0] == [["Outline", False]]


def test_the_search_finds_the_morse_smale_complex_by_its_name_with_a_hyphen(
    environment: dict[str, str], sample_data: Path, tmp_path: Path
) -> None:
    typed = "Morse-Smale"
    keys = [(ord(letter.upper()), letter) for letter in typed] + [(0x01000004, "")]
    by_keys = [
        ("pqClientMainWindow/QuickLaunchDialog", "keyEvent", f"6:{key}:0:{text}:0:1")
        for key, text in keys
    ]
    dialog = "pqClientMainWindow/QuickLaunchDialogExtended"
    by_line = [
        (f"{dialog}/Request", "set_string", typed),
        (f"{dialog}/CreateProxy", "activate", ""),
    ]
    clicks = [
        (f"{MENU}/menuFilters", "activate", "Search...\tCtrl+Space"),
        *(by_keys if version(environment) < (5, 12) else by_line),
        APPLY,
    ]
    found = tmp_path / "found.json"
    script = START.format(image=sample_data / "two_centers.vti", found=found)
    with paraview_window(environment, tmp_path, script, clicks) as window:
        window.wait_until_played()
        assert "SeparatrixMorseSmaleComplex" in json.loads(found.read_text())


def test_the_surface_of_a_mesh_remains_visible_and_becomes_translucent(
    environment: dict[str, str], sample_data: Path, tmp_path: Path
) -> None:
    """ParaView would hide it, because it covers the lines."""
    found = tmp_path / "found.json"
    script = START.format(image=sample_data / "ring.vtu", found=found)
    script = script.replace("XMLImageDataReader", "XMLUnstructuredGridReader")
    clicks = [*from_menu("MorseSmaleComplex"), APPLY]
    with paraview_window(environment, tmp_path, script, clicks) as window:
        window.wait_until_played()
        window.wait_until(lambda: "SeparatrixMorseSmaleComplex" in json.loads(found.read_text()))
    told = json.loads(found.read_text())
    assert told["XMLUnstructuredGridReader"][0] == [["Surface", False]]
    assert told["opacities"] == [OPACITY]


def is_colored(found: Path) -> bool:
    """Whether critical points and separatrices have categorical colors."""
    if not found.exists():
        return False
    shown = json.loads(found.read_text()).get("SeparatrixMorseSmaleComplex", [[None]])[0]
    return len(shown) == 6 and all(kind and kind[1] for kind in shown[:3])


def has_colors(window: Window) -> bool:
    """Whether the screen has a legend and spheres of the three kinds that are there."""
    pixels = window.pixels()
    *colors, of_maxima = [kind.color for kind in palette.critical_categories(3)]
    if any(flat(pixels, color) <= 100 for color in colors) or flat(pixels, of_maxima) > 10:
        return False
    # A sphere is its color in many brightnesses: except for the exact color of the legend.
    return all(shaded(pixels, color, 0.15, 0.9 * max(color)) > 40 for color in colors)
