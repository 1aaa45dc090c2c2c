"""A session saved and loaded again is the same session."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.paraview

MAKE = """
from paraview.simple import *
def make(path):
    image = XMLImageDataReader(registrationName="image", FileName=[path])
    image.UpdatePipeline()
    complex = SeparatrixMorseSmaleComplex(image, registrationName="complex")
    complex.Device = "CPU"
    complex.NumberOfThreads = 1
    complex.Ascending1Separatrices = 0
    complex.TopCellLabels = 1
    complex.PersistenceThreshold = 0.125
    complex.ThresholdMode = "Fraction Of Range"
    complex.RegionTable = "Ascending"
    diagram = SeparatrixPersistenceDiagram(image, registrationName="diagram", Dimension1Pairs=0)
    gradient = SeparatrixDiscreteGradient(image, registrationName="gradient", Stride=9)
    points = SeparatrixCriticalPoints(image, registrationName="points")
    view = CreateView("RenderView", ViewSize=[60, 60])
    for source, port in ((complex, 0), (complex, 1), (gradient, 2), (points, 0), (diagram, 0)):
        Show(OutputPort(source, port), view)
    Render(view)

def describe():
    found = {}
    for name in ("complex", "gradient", "points", "diagram"):
        source = FindSource(name)
        source.UpdatePipeline()
        settings = {
            key: str(source.GetPropertyValue(key))
            for key in source.ListProperties() if key not in ("Input", "ThresholdRange", "Result")
        }
        n = source.SMProxy.GetNumberOfOutputPorts()
        cells = [OutputPort(source, i).GetDataInformation().GetNumberOfCells() for i in range(n)]
        found[name] = [source.SMProxy.GetXMLName(), settings, cells]
    view = GetViews()[0]
    shown = [
        [r.SMProxy.GetProperty("Representation").GetElement(0), list(r.ColorArrayName)]
        for r in view.Representations if hasattr(r, "Representation")
    ]
    return [found, shown]
"""


@pytest.fixture
def saved(pvpython, sample_data, tmp_path):
    """State of a session, which is saved as session.pvsm and session.py."""
    save = """
from paraview import smstate
make(sys.argv[1])
before = describe()
SaveState(sys.argv[2] + ".pvsm")
with open(sys.argv[2] + ".py", "w") as file:
    file.write(smstate.get_state())
report(found=before)
"""
    path = sample_data / "two_centers.vti"
    return pvpython(MAKE + save, path, tmp_path / "session").report["found"]


def test_a_state_file_and_a_python_state_bring_everything_back(pvpython, saved, tmp_path):
    loads = {
        ".pvsm": "LoadState(sys.argv[1])",
        ".py": 'exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), globals())',
    }
    for suffix, load in loads.items():
        script = f"{MAKE}\n{load}\nreport(found=describe())"
        assert pvpython(script, tmp_path / f"session{suffix}").report["found"] == saved, suffix
    settings = saved[0]["complex"][1]
    assert settings["NumberOfThreads"] == "1"
    assert settings["PersistenceThreshold"] == "0.125"
    assert settings["ThresholdMode"] == "'Fraction Of Range'"
    assert "SeparatrixMorseSmaleComplex(" in (tmp_path / "session.py").read_text(encoding="utf-8")
