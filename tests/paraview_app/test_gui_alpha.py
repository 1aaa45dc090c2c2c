"""Separatrix Alpha Complex in ParaView's window: menu, panel, Apply, slider, pixels."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from paraview_app.window import (
    APPLY,
    PANEL,
    Window,
    flat,
    from_menu,
    paraview_window,
    shaded,
)
from separatrix_vtk.paraview.color_maps import ARRAYS

pytestmark = [pytest.mark.paraview, pytest.mark.long]

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
CLICKS = [
    *from_menu("AlphaComplex"),
    (f"{PANEL}/ProbeRadius/DoubleLineEdit0", "set_string", "1.4"),
    APPLY,
    (f"{PANEL}/Alpha/DoubleRangeWidget/DoubleLineEdit", "set_string", "-1.5"),
    APPLY,
]


def test_a_user_drags_alpha_and_sees_the_complex_in_color(
    environment: dict[str, str], sample_data: Path, tmp_path: Path
) -> None:
    found = tmp_path / "found.jsonl"
    script = START.format(atoms=sample_data / "1crn.pdb", found=found)
    with paraview_window(environment, tmp_path, script, CLICKS) as window:
        window.wait_until(lambda: has_colors(window))
        window.wait_until_played()
    runs = [line[0] for line in map(json.loads, found.read_text().splitlines()) if line]
    reports = [report for report, error, shown in runs if report and not error and shown]
    assert {report["ProbeRadius"] for report in reports} == {1.4}
    alphas = [report["Alpha"] for report in reports]
    assert (alphas[0], alphas[-1]) == (0.0, -1.5)
    assert reports[0]["NumberOfTetrahedra"] == 1426
    assert "clip" in reports[0]["seconds"]
    assert "clip" not in reports[-1]["seconds"]  # a threshold of what was kept
    assert not any(error for _, error, _ in runs)


def has_colors(window: Window) -> bool:
    """Whether the screen has the legend's colors and tetrahedra in many brightnesses."""
    pixels, colors = window.pixels(), [kind.color for kind in ARRAYS["CellDimension"][1]]
    return (
        all(flat(pixels, color) > 50 for color in colors)
        and shaded(pixels, colors[3], 0.2, np.inf) > 5000
    )
