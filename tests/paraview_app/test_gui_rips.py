"""RipsBarcodes in ParaView's window: columns of a table are there to be ticked, loops appear."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paraview_app.window import APPLY, PANEL, from_menu, paraview_window

pytestmark = pytest.mark.paraview

START = """
import json, os
from paraview.simple import *
table = CSVReader(registrationName="torus", FileName=["{table}"])
table.UpdatePipeline()
view = GetActiveViewOrCreate("RenderView")
SetActiveSource(table)

def describe(*_):
    found = {{}}
    for (name, _), source in GetSources().items():
        if source.SMProxy.GetXMLName() != "SeparatrixRipsBarcodes":
            continue
        shown = []
        for port in range(6):
            views = [v for v in GetViews() if v.SMProxy.FindRepresentation(source.SMProxy, port)]
            kinds = [v.SMProxy.GetXMLName() for v in views
                     if v.SMProxy.FindRepresentation(source.SMProxy, port)
                     .GetProperty("Visibility").GetElement(0)]
            shown.append(kinds)
        cycles = source["Representatives"].GetDataInformation().GetNumberOfCells()
        found = dict(shown=shown, columns=list(source.Columns), cycles=cycles,
                     dimension=int(source.MaxDimension))
    with open("{found}.new", "w") as file:
        json.dump(found, file)
    os.replace("{found}.new", "{found}")

view.SMProxy.GetRenderWindow().AddObserver("EndEvent", describe)
Render(view)
"""
CLICKS = [
    *from_menu("RipsBarcodes"),
    (f"{PANEL}/MaxDimension/IntRangeWidget/LineEdit", "set_string", "2"),
    APPLY,
]


def test_a_user_of_a_table_applies_the_filter_and_sees_loops(
    environment: dict[str, str], sample_data: Path, tmp_path: Path
) -> None:
    found = tmp_path / "found.json"
    script = START.format(table=sample_data / "torus.csv", found=found)
    with paraview_window(environment, tmp_path, script, CLICKS) as window:
        window.wait_until(lambda: has_loops(found))
        window.wait_until_played()

    told = json.loads(found.read_text())
    assert told["columns"] == ["x", "y", "z"]
    assert told["dimension"] == 2
    assert told["shown"][2] == ["RenderView"]
    assert told["shown"][0] == ["SeparatrixBarcodeView"]
    assert told["shown"][1] == told["shown"][3] == told["shown"][5] == []


def has_loops(found: Path) -> bool:
    """Whether the filter has run and its cycles are drawn."""
    if not found.exists():
        return False
    told = json.loads(found.read_text())
    return bool(told.get("cycles")) and told["shown"][2] == ["RenderView"]
