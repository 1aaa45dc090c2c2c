"""RipsBarcodes in ParaView's window: columns of a table are there to be ticked, loops appear."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from paraview.test_gui import MENU, PANEL, has_played, prepare_home, wait_for

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
EVENTS = [
    (f"{MENU}/menuFilters", "activate", "Separatrix"),
    (f"{MENU}/menuFilters/Separatrix", "activate", "SeparatrixRipsBarcodes"),
    (f"{PANEL}/MaxDimension/IntRangeWidget/LineEdit", "set_string", "2"),
    ("pqClientMainWindow/propertiesDock/propertiesPanel/Accept", "activate", ""),
]


def test_a_user_of_a_table_applies_the_filter_and_sees_loops(
    environment: dict[str, str], sample_data: Path, tmp_path: Path, tools: Any
) -> None:
    tools.need("paraview", "openbox")
    found, log = tmp_path / "found.json", tmp_path / "log.txt"
    prepare_home(Path(environment["HOME"]), environment)
    start, events = tmp_path / "start.py", tmp_path / "events.xml"
    start.write_text(START.format(table=sample_data / "torus.csv", found=found))
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
            wait_for(lambda: has_loops(found), window, log)
            wait_for(lambda: has_played(log), window, log)
        finally:
            tools.end(window)
            tools.end(manager)

    told = json.loads(found.read_text())
    assert told["columns"] == ["x", "y", "z"]
    assert told["dimension"] == 2
    assert told["shown"][2] == ["RenderView"]
    assert told["shown"][0] == ["SeparatrixBarcodeView"]
    assert told["shown"][1] == told["shown"][3] == told["shown"][5] == []
    text = log.read_text(errors="replace")
    assert "Success =  true" in text
    assert "ERROR: In separatrix" not in text
    assert "Traceback" not in text


def has_loops(found: Path) -> bool:
    """Whether the filter has run and its cycles are drawn."""
    if not found.exists():
        return False
    told = json.loads(found.read_text())
    return bool(told.get("cycles")) and told["shown"][2] == ["RenderView"]
