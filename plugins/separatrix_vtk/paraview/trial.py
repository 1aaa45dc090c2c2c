"""Run by a ParaView's own pvpython: are the filters there, and does one compute?

`pvpython trial.py FILE.xml...`, in the environment that the user should set. Prints one line of
JSON: {"problem": "", "filters": number, "points": number}.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any
from xml.etree import ElementTree


def main(files: list[str]) -> None:
    """Print the outcome; a problem is one sentence."""
    sys.path[:] = [path for path in sys.path if path != os.path.dirname(os.path.abspath(__file__))]
    outcome: dict[str, Any] = {"problem": "", "filters": 0, "points": 0}
    try:
        try_filters(files, outcome)
    except BaseException as error:
        text = " ".join(str(error).split())
        outcome["problem"] = outcome["problem"] or type(error).__name__ + ": " + text
    print("\nSEPARATRIX " + json.dumps(outcome), flush=True)


def try_filters(files: list[str], outcome: dict[str, Any]) -> None:
    """Load what PV_PLUGIN_PATH did not, and run one filter on an image of 6 x 6 x 6 points."""
    from paraview import servermanager, simple

    missing = [path for path in files if not all(hasattr(simple, name) for name in proxies(path))]
    for path in missing:
        simple.LoadPlugin(path, remote=False, ns=vars(simple))
    names = [name for path in files for name in proxies(path)]
    absent = [name for name in names if not hasattr(simple, name)]
    outcome["filters"] = len(names) - len(absent)
    if absent:
        outcome["problem"] = "ParaView does not know " + ", ".join(absent)
        return
    if missing:
        outcome["problem"] = "PV_PLUGIN_PATH was not read, scripts need LoadPlugin: " + missing[0]
    image = simple.Wavelet(WholeExtent=[0, 5, 0, 5, 0, 5])
    image.UpdatePipeline()
    points = simple.SeparatrixCriticalPoints(Input=image)
    points.UpdatePipeline()
    data = servermanager.Fetch(points)
    outcome["points"] = data.GetNumberOfPoints() if data else 0
    if not outcome["points"]:
        filter = points.GetClientSideObject()
        error = getattr(filter, "last_error", "") or "its message is above"
        outcome["problem"] = "a filter was loaded but produced no output: " + error


def proxies(path: str) -> list[str]:
    """Names of the sources and filters that a file of XML defines, in paraview.simple."""
    found = ElementTree.parse(path).getroot().iter("SourceProxy")
    return [element.attrib["name"] for element in found if "class" in element.attrib]


if __name__ == "__main__":
    main(sys.argv[1:])
