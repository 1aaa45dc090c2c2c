"""A table of points in ParaView's window: File > Open, Apply, Rips Barcodes, Apply."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paraview_app.window import APPLY, MENU, Click, from_menu, paraview_window, run_macro

pytestmark = [pytest.mark.paraview, pytest.mark.long]

READERS = "pqClientMainWindow/pqSelectReaderDialog"
LOOK = """
import json
from paraview.simple import *
shown = {{}}
for source in GetSources().values():
    for port in range(source.SMProxy.GetNumberOfOutputPorts()):
        for view in GetViews():
            display = view.SMProxy.FindRepresentation(source.SMProxy, port)
            if display is not None and display.GetProperty("Visibility").GetElement(0):
                name = source.SMProxy.GetOutputPortName(port)
                shown.setdefault(name, []).append(view.SMProxy.GetXMLName())
with open("{found}", "w") as file:
    json.dump(shown, file)
"""


def test_loops_of_a_table_are_shown_in_a_3d_view(
    environment: dict[str, str], sample_data: Path, tmp_path: Path
) -> None:
    found, look = tmp_path / "found.json", tmp_path / "look.py"
    look.write_text(LOOK.format(found=found))
    table = sample_data / "linked_circles.csv"
    clicks: list[Click] = [
        (f"{MENU}/menu_File", "activate", "actionFileOpen"),
        ("pqClientMainWindow/FileOpenDialog", "filesSelected", str(table)),
        (f"{READERS}/listWidget", "mousePress", "1,1,0,66,8,/0:0"),
        (f"{READERS}/listWidget", "mouseRelease", "1,0,0,66,8,/0:0"),
        (f"{READERS}/okButton", "activate", ""),
        APPLY,
        *from_menu("RipsBarcodes"),
        APPLY,
        run_macro(look),
    ]
    script = "from paraview.simple import *\nGetActiveViewOrCreate('RenderView')\n"
    with paraview_window(environment, tmp_path, script, clicks, look) as window:
        window.wait_until_played()
    shown = json.loads(found.read_text())
    assert shown["Representatives"] == ["RenderView"]
    assert shown["Barcode"] == ["SeparatrixBarcodeView"]
    assert shown["Betti Curves"] == ["SeparatrixBettiCurvesView"]
