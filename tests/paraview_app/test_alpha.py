"""Alpha complexes of molecules in ParaView."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.paraview
REPOSITORY = Path(__file__).resolve().parents[2]


def test_a_molecule_in_pvpython_has_every_port_and_color(pvpython):
    script = """
from paraview.simple import *
atoms = PDBReader(FileName=sys.argv[1])
atoms.UpdatePipeline()
complex = SeparatrixAlphaComplex(atoms, ProbeRadius=1.4)
default = [complex.Alpha, complex.LargestAlpha, list(complex.RadiusArray),
           complex.ElementArray.GetData(), complex.WorkLimit]
complex.Pockets = complex.Diagram = 1
complex.UpdatePipeline()
made = complex.GetClientSideObject()
first = dict(made.report)
names = ["Complex", "Boundary", "Voids", "Pockets", "Atoms", "Diagram"]
cells = {n: OutputPort(complex, n).GetDataInformation().GetNumberOfCells() for n in names}
colored = {}
for name in names:
    view = CreateView("RenderView", ViewSize=[60, 60])
    display = Show(OutputPort(complex, name), view)
    colored[name] = [display.Representation.GetData(), list(display.ColorArrayName)]
complex.Alpha = -2.0
complex.UpdatePipeline()
slid = dict(made.report)
prop = complex.SMProxy.GetProperty("Alpha")
complex.UpdatePropertyInformation()
domain = prop.FindDomain("vtkSMDoubleRangeDomain")
series = SeparatrixAlphaTimeSeries(atoms)
series.UpdatePipeline()
report(default=default, first=first, cells=cells, colored=colored, slid=slid,
       slider=[domain.GetMinimum(0), domain.GetMaximum(0)], error=made.last_error,
       rows=series.GetDataInformation().GetNumberOfRows(),
       series=series.GetClientSideObject().last_error)
"""
    told = pvpython(script, REPOSITORY / "sample_data" / "1crn.pdb").report
    assert told["default"] == [0.0, 0.0, ["POINTS", "Automatic"], "Automatic", 1e11]
    assert told["first"]["NumberOfTetrahedra"] == 1426
    assert told["first"]["TotalArea"] == pytest.approx(2971.323, abs=1e-3)
    assert told["cells"]["Complex"] == 327 + 1991 + 3092 + 1426
    assert told["cells"]["Atoms"] == 327
    assert min(told["cells"].values()) > 0
    assert told["colored"] == {
        "Complex": ["Tubes", ["CELLS", "CellDimension"]],
        "Boundary": ["Translucent", ["CELLS", "VoidId"]],
        "Voids": ["Surface", ["CELLS", "VoidId"]],
        "Pockets": ["Surface", ["CELLS", "PocketId"]],
        "Atoms": ["GrownBalls", ["POINTS", "Area"]],
        "Diagram": ["Tubes", ["CELLS", "PairType"]],
    }
    assert "clip" in told["first"]["seconds"]
    assert "clip" not in told["slid"]["seconds"]  # a threshold alone
    assert told["slid"]["NumberOfTetrahedra"] < 1426
    low, high = told["slider"]
    assert low == pytest.approx(-(3.2**2))
    assert high == pytest.approx(3 * 3.2**2)
    assert (told["error"], told["series"], told["rows"]) == ("", "", 1)


def test_a_users_mistake_is_told_once_and_the_pipeline_goes_on(pvpython):
    script = """
from paraview.simple import *
points = PointSource(NumberOfPoints=30, Radius=3.0)
points.UpdatePipeline()
complex = SeparatrixAlphaComplex(points)
made = complex.GetClientSideObject()
runs = []
made.AddObserver("StartEvent", lambda *_: runs.append(1))
complex.UpdatePipeline()
view = CreateView("RenderView", ViewSize=[60, 60])
for port in range(5):
    Show(OutputPort(complex, port), view)
Render(view)
error, n_runs = made.last_error, len(runs)
complex.RadiusSource = "Constant"
complex.UpdatePipeline()
Render(view)
report(error=error, runs=n_runs, after=made.last_error, atoms=made.report["NumberOfAtoms"])
"""
    done = pvpython(script)
    told = done.report
    assert told["error"].startswith("An array of radii (")
    assert (told["runs"], told["after"], told["atoms"]) == (1, "", 30)
    assert done.text.count(told["error"]) == 2  # once as a message, once in the report


def test_a_state_brings_the_filter_back_with_its_settings(pvpython, tmp_path):
    script = """
from paraview.simple import *
atoms = PDBReader(registrationName="atoms", FileName=sys.argv[1])
atoms.UpdatePipeline()
complex = SeparatrixAlphaComplex(atoms, registrationName="complex")
complex.Alpha, complex.ProbeRadius, complex.RadiusOverrides = -0.5, 0.25, "C=1.8"
complex.RadiusSource = "Elements"
complex.UpdatePipeline()
before = complex.GetClientSideObject().report["NumberOfEdges"]
SaveState(sys.argv[2])
ResetSession()
LoadState(sys.argv[2])
complex = FindSource("complex")
complex.UpdatePipeline()
report(before=before, after=complex.GetClientSideObject().report["NumberOfEdges"],
       settings=[complex.Alpha, complex.ProbeRadius, str(complex.RadiusOverrides),
                 complex.RadiusSource.GetData()])
"""
    atoms = REPOSITORY / "sample_data" / "1crn.pdb"
    told = pvpython(script, atoms, tmp_path / "s.pvsm").report
    assert told["before"] == told["after"] > 0
    assert told["settings"] == [-0.5, 0.25, "C=1.8", "Elements"]
