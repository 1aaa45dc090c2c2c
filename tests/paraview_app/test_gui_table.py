"""Points and distances in ParaView's window: File > Open, Apply, Rips Barcodes, Apply."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from paraview_app.window import APPLY, MENU, Click, from_menu, paraview_window, run_macro

pytestmark = [pytest.mark.paraview, pytest.mark.long]

READERS = "pqClientMainWindow/pqSelectReaderDialog"
LOOK = """
import json
from paraview.simple import *
shown, filled = {{}}, set()
for source in GetSources().values():
    for port in range(source.SMProxy.GetNumberOfOutputPorts()):
        for view in GetViews():
            display = view.SMProxy.FindRepresentation(source.SMProxy, port)
            if display is not None and display.GetProperty("Visibility").GetElement(0):
                name = source.SMProxy.GetOutputPortName(port)
                shown.setdefault(name, []).append(view.SMProxy.GetXMLName())
                data = source.SMProxy.GetDataInformation(port)
                if data.GetNumberOfPoints() or data.GetNumberOfRows():
                    filled.add(view)
with open("{found}", "w") as file:
    json.dump(dict(shown, empty=len(GetViews()) - len(filled)), file)
"""


def choose(row: int) -> list[Click]:
    """The clicks on a reader in the dialog of those that can read the file."""
    return [
        (f"{READERS}/listWidget", "mousePress", f"1,1,0,66,8,/{row}:0"),
        (f"{READERS}/listWidget", "mouseRelease", f"1,0,0,66,8,/{row}:0"),
        (f"{READERS}/okButton", "activate", ""),
    ]


@pytest.mark.parametrize(
    ("suffix", "reader"),
    [
        (".csv", choose(0)),  # ParaView's own
        (".csv", choose(2)),  # ours
        (".point_cloud", []),
        (".distance_matrix", []),
    ],
)
def test_barcode_and_loops_are_shown_without_empty_views(
    environment: dict[str, str], sample_data: Path, tmp_path: Path, suffix: str, reader: list[Click]
) -> None:
    found, look = tmp_path / "found.json", tmp_path / "look.py"
    look.write_text(LOOK.format(found=found))
    table = sample_data / "linked_circles.csv"
    if suffix != ".csv":
        points = np.loadtxt(table, delimiter=",", skiprows=1)
        is_matrix = suffix == ".distance_matrix"
        table = tmp_path / f"circles{suffix}"
        np.savetxt(table, np.linalg.norm(points[:, None] - points, axis=2) if is_matrix else points)
    clicks: list[Click] = [
        (f"{MENU}/menu_File", "activate", "actionFileOpen"),
        ("pqClientMainWindow/FileOpenDialog", "filesSelected", str(table)),
        *reader,
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
    assert shown["empty"] == 0
    assert shown["Barcode"] == ["SeparatrixBarcodeView"]
    assert shown["Betti Curves"] == ["SeparatrixBettiCurvesView"]
