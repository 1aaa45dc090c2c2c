"""ParaView's window, on a virtual screen: menu, properties panel, Apply, macro, and the picture.

The mouse is ParaView's own test player. What came of it is read from a script of ours that runs in
the same window after every rendering, and from the pixels of the screen.
"""

from __future__ import annotations

import json
import re
import shutil
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import separatrix_vtk
from separatrix_vtk import palette

pytestmark = pytest.mark.paraview

PATIENCE = 80  # seconds; on two cores it takes about ten
MACRO = Path(separatrix_vtk.__file__).parent / "macros" / "color_separatrix.py"

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
    with open("{found}.new", "w") as file:
        json.dump(found, file)
    os.replace("{found}.new", "{found}")

view.SMProxy.GetRenderWindow().AddObserver("EndEvent", describe)
Render(view)
"""

PANEL = (
    "pqClientMainWindow/propertiesDock/propertiesPanel/scrollArea/qt_scrollarea_viewport/"
    "scrollAreaWidgetContents/PropertiesFrame/ProxyPanel"
)
MENU = "pqClientMainWindow/menubar"
EVENTS = [
    (f"{MENU}/menuFilters", "activate", "Separatrix"),
    (f"{MENU}/menuFilters/Separatrix", "activate", "SeparatrixMorseSmaleComplex"),
    (f"{PANEL}/Ascending2Separatrices/CheckBox", "set_boolean", "true"),
    (f"{PANEL}/PersistenceThreshold/DoubleRangeWidget/DoubleLineEdit", "set_string", "0.001"),
    ("pqClientMainWindow/propertiesDock/propertiesPanel/Accept", "activate", ""),
    (f"{MENU}/menu_Macros", "activate", MACRO.stem),
]


def test_a_user_finds_the_filter_applies_it_and_colours_it(
    environment: dict[str, str], sample_data: Path, tmp_path: Path, tools: Any
) -> None:
    tools.need("paraview", "openbox", "xwd")
    found, log = tmp_path / "found.json", tmp_path / "log.txt"
    prepare_home(Path(environment["HOME"]), environment)
    start, events = tmp_path / "start.py", tmp_path / "events.xml"
    start.write_text(START.format(image=sample_data / "two_centres.vti", found=found))
    lines = "".join(f'<pqevent object="{o}" command="{c}" arguments="{a}"/>' for o, c, a in EVENTS)
    events.write_text(f'<?xml version="1.0"?><pqevents>{lines}</pqevents>')
    command = ["paraview", f"--script={start}", f"--test-script={events}"]
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "start_new_session": True}
    with log.open("wb") as file:
        manager = subprocess.Popen(
            ["openbox"], env=environment, stdout=subprocess.DEVNULL, stderr=file, **quiet
        )
        window = subprocess.Popen(
            command, env=environment, stdout=file, stderr=subprocess.STDOUT, **quiet
        )
        try:
            wait_for(lambda: is_coloured(found), window, log)
            wait_for(lambda: colors_on(environment, tmp_path), window, log)
            wait_for(lambda: has_played(log), window, log)
        finally:
            tools.end(window)
            tools.end(manager)

    shown, settings = json.loads(found.read_text())["SeparatrixMorseSmaleComplex"]
    kinds = ["Point Gaussian", "Surface", "Surface", None, None, None]
    assert [kind and kind[0] for kind in shown] == kinds
    assert settings["PersistenceThreshold"] == "0.001"  # and the slider's text to be typed
    assert settings["ScalarField"] == "['POINTS', 'potential']"
    assert settings["Ascending2Separatrices"] == "1"  # our checkbox was there to be clicked
    assert json.loads(found.read_text())["XMLImageDataReader"][0] == [["Outline", False]]
    text = log.read_text(errors="replace")
    assert "Success =  true" in text
    assert "ERROR: In separatrix" not in text
    assert "Traceback" not in text


def prepare_home(home: Path, environment: dict[str, str]) -> None:
    """Without the Welcome dialog, which nothing could click away, and with our macro imported."""
    printed = subprocess.run(
        ["paraview", "--version"], env=environment, capture_output=True, text=True, timeout=60
    )
    found = re.search(r"version (\S+)", printed.stdout + printed.stderr)
    assert found, printed
    version = found[1]
    settings = home / ".config" / "ParaView"
    (settings / "Macros").mkdir(parents=True)
    for name in (version, f"{version}+dfsg"):
        path = settings / f"ParaView{name}.ini"
        path.write_text("[General]\nGeneralSettings.ShowWelcomeDialog=0\n")
    shutil.copy(MACRO, settings / "Macros")


def wait_for(is_so: Callable[[], bool], window: subprocess.Popen[bytes], log: Path) -> None:
    """Until it is so; fails when the window is gone or patience is at its end."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert window.poll() is None, f"ParaView ended:\n{log.read_text(errors='replace')}"
        assert time.monotonic() < end, f"waited in vain:\n{log.read_text(errors='replace')}"
        time.sleep(0.5)


def has_played(log: Path) -> bool:
    """Whether ParaView's player has done all clicks, or given up."""
    return "Success = " in log.read_text(errors="replace")


def is_coloured(found: Path) -> bool:
    """Whether the macro has been at work on critical points and separatrices."""
    if not found.exists():
        return False
    shown = json.loads(found.read_text()).get("SeparatrixMorseSmaleComplex", [[None]])[0]
    return len(shown) == 6 and all(kind and kind[1] for kind in shown[:3])


def colors_on(environment: dict[str, str], folder: Path) -> bool:
    """Whether the screen has the colours of the legend, and spheres of the three kinds."""
    image = folder / "screen.xwd"
    with image.open("wb") as file:
        subprocess.run(
            ["xwd", "-root", "-silent"], env=environment, stdout=file, check=True, timeout=30
        )
    pixels = read_xwd(image)
    kinds = palette.critical_categories(3)
    flat = [np.abs(pixels - np.array(k.color)).max(axis=2) < 0.02 for k in kinds]
    # A sphere is its colour in many brightnesses: the legend's exact one left out.
    brightness = pixels.max(axis=2)
    hue = pixels / np.maximum(brightness, 0.01)[:, :, None]
    shaded = [
        (np.abs(hue - np.array(k.color) / max(k.color)).max(axis=2) < 0.06)
        & (brightness > 0.15)
        & (brightness < 0.9 * max(k.color))
        for k in kinds[:3]
    ]
    return all(part.sum() > 100 for part in flat) and all(part.sum() > 40 for part in shaded)


def read_xwd(path: Path) -> np.ndarray:
    """A window dump in true colour as (rows, columns, 3) in 0..1; its layout is XWDFile.h's."""
    content = path.read_bytes()
    header = struct.unpack(">25I", content[:100])
    size, width, height, lowest_first = header[0], header[4], header[5], header[7] == 0
    n_bytes, line, masks, n_colors = header[11] // 8, header[12], header[14:17], header[19]
    rows = np.frombuffer(content, np.uint8, height * line, offset=size + 12 * n_colors)
    parts = rows.reshape(height, line)[:, : width * n_bytes].reshape(height, width, n_bytes)
    places = range(n_bytes) if lowest_first else reversed(range(n_bytes))
    pixels = sum(parts[:, :, k].astype(np.uint32) << (8 * i) for i, k in enumerate(places))
    shifts = [(mask & -mask).bit_length() - 1 for mask in masks]
    return np.stack([(pixels & m) >> s for m, s in zip(masks, shifts, strict=True)], axis=2) / 255


def test_a_user_takes_a_mesh_apart(
    environment: dict[str, str], sample_data: Path, tmp_path: Path, tools: Any
) -> None:
    tools.need("paraview", "openbox")
    found, log = tmp_path / "found.json", tmp_path / "log.txt"
    prepare_home(Path(environment["HOME"]), environment)
    start, events = tmp_path / "start.py", tmp_path / "events.xml"
    script = START.format(image=sample_data / "ring.vtu", found=found)
    start.write_text(script.replace("XMLImageDataReader", "XMLUnstructuredGridReader"))
    clicks = [
        (f"{MENU}/menuFilters", "activate", "Separatrix"),
        (f"{MENU}/menuFilters/Separatrix", "activate", "SeparatrixMeshRelations"),
        (f"{PANEL}/Edges/CheckBox", "set_boolean", "true"),
        ("pqClientMainWindow/propertiesDock/propertiesPanel/Accept", "activate", ""),
    ]
    lines = "".join(f'<pqevent object="{o}" command="{c}" arguments="{a}"/>' for o, c, a in clicks)
    events.write_text(f'<?xml version="1.0"?><pqevents>{lines}</pqevents>')
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "start_new_session": True}
    command = ["paraview", f"--script={start}", f"--test-script={events}"]
    with log.open("wb") as file:
        manager = subprocess.Popen(
            ["openbox"], env=environment, stdout=subprocess.DEVNULL, stderr=file, **quiet
        )
        window = subprocess.Popen(
            command, env=environment, stdout=file, stderr=subprocess.STDOUT, **quiet
        )
        try:
            wait_for(lambda: shows_edges(found), window, log)
            wait_for(lambda: has_played(log), window, log)
        finally:
            tools.end(window)
            tools.end(manager)
    text = log.read_text(errors="replace")
    assert "ERROR: In separatrix" not in text
    assert "Traceback" not in text


def shows_edges(found: Path) -> bool:
    """Whether the mesh and its edges are in the view."""
    if not found.exists():
        return False
    shown = json.loads(found.read_text()).get("SeparatrixMeshRelations", [[None]])[0]
    return len(shown) >= 2 and all(shown[:2])
