"""Separatrix Alpha Complex in ParaView's window: menu, panel, Apply, slider, macro, pixels."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paraview.test_gui import MACRO, MENU, PANEL, has_played, prepare_home, read_xwd, wait_for
from separatrix_vtk.alpha_colors import cell_categories

pytestmark = pytest.mark.paraview

START = """
import json, os
from paraview.simple import *
atoms = PDBReader(registrationName="atoms", FileName="{atoms}")
atoms.UpdatePipeline()
view = GetActiveViewOrCreate("RenderView")
view.OrientationAxesVisibility = 0
Show(atoms, view)
ResetCamera(view)
SetActiveSource(atoms)

def describe(*_):
    found = []
    for (name, _), source in GetSources().items():
        if source.SMProxy.GetXMLName() == "SeparatrixAlphaComplex":
            made = source.GetClientSideObject()
            display = view.SMProxy.FindRepresentation(source.SMProxy, 0)
            shown = display is not None and display.GetProperty("Visibility").GetElement(0)
            found.append([dict(made.report), made.last_error, bool(shown)])
    with open("{found}", "a") as file:
        file.write(json.dumps(found) + chr(10))

view.SMProxy.GetRenderWindow().AddObserver("EndEvent", describe)
Render(view)
"""
APPLY = ("pqClientMainWindow/propertiesDock/propertiesPanel/Accept", "activate", "")
EVENTS = [
    (f"{MENU}/menuFilters", "activate", "Separatrix"),
    (f"{MENU}/menuFilters/Separatrix", "activate", "SeparatrixAlphaComplex"),
    (f"{PANEL}/ProbeRadius/DoubleLineEdit0", "set_string", "1.4"),
    APPLY,
    (f"{PANEL}/Alpha/DoubleRangeWidget/DoubleLineEdit", "set_string", "-1.5"),
    APPLY,
    (f"{MENU}/menu_Macros", "activate", MACRO.stem),
]


def test_a_user_drags_alpha_and_sees_the_complex_in_colour(
    environment: dict[str, str], sample_data: Path, tmp_path: Path, tools: Any
) -> None:
    tools.need("paraview", "openbox", "xwd")
    found, log = tmp_path / "found.jsonl", tmp_path / "log.txt"
    prepare_home(Path(environment["HOME"]), environment)
    start, events = tmp_path / "start.py", tmp_path / "events.xml"
    start.write_text(START.format(atoms=sample_data / "1crn.pdb", found=found))
    lines = "".join(f'<pqevent object="{o}" command="{c}" arguments="{a}"/>' for o, c, a in EVENTS)
    events.write_text(f'<?xml version="1.0"?><pqevents>{lines}</pqevents>')
    quiet: dict[str, Any] = {"stdin": subprocess.DEVNULL, "start_new_session": True}
    with log.open("wb") as file:
        manager = subprocess.Popen(
            ["openbox"], env=environment, stdout=subprocess.DEVNULL, stderr=file, **quiet
        )
        window = subprocess.Popen(
            ["paraview", f"--script={start}", f"--test-script={events}"],
            env=environment, stdout=file, stderr=subprocess.STDOUT, **quiet,
        )  # fmt: skip
        try:
            wait_for(lambda: colors_on(environment, tmp_path), window, log)
            wait_for(lambda: has_played(log), window, log)
        finally:
            tools.end(window)
            tools.end(manager)
    runs = [line[0] for line in map(json.loads, found.read_text().splitlines()) if line]
    reports = [report for report, error, shown in runs if report and not error and shown]
    assert {report["ProbeRadius"] for report in reports} == {1.4}
    alphas = [report["Alpha"] for report in reports]
    assert (alphas[0], alphas[-1]) == (0.0, -1.5)
    assert reports[0]["NumberOfTetrahedra"] == 1426
    assert "clip" in reports[0]["seconds"]
    assert "clip" not in reports[-1]["seconds"]  # a threshold of what was kept
    assert not any(error for _, error, _ in runs)
    text = log.read_text(errors="replace")
    assert "Success =  true" in text
    assert "ERROR: In separatrix" not in text
    assert "Traceback" not in text


def colors_on(environment: dict[str, str], folder: Path) -> bool:
    """Whether the screen has the legend's colours and tetrahedra in many brightnesses."""
    image = folder / "screen.xwd"
    with image.open("wb") as file:
        subprocess.run(
            ["xwd", "-root", "-silent"], env=environment, stdout=file, check=True, timeout=30
        )
    pixels = read_xwd(image)
    kinds = cell_categories()
    flat = [np.abs(pixels - np.array(kind.color)).max(axis=2) < 0.02 for kind in kinds]
    brightness = pixels.max(axis=2)
    color = np.array(kinds[3].color)
    hue = pixels / np.maximum(brightness, 0.01)[:, :, None]
    shaded = (np.abs(hue - color / color.max()).max(axis=2) < 0.06) & (brightness > 0.2)
    return all(part.sum() > 50 for part in flat) and shaded.sum() > 5000
