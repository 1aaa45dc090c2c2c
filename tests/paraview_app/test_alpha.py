"""Alpha complexes of molecules in ParaView."""

from __future__ import annotations

import re
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
whole = Show(OutputPort(complex, "Complex"), CreateView("RenderView", ViewSize=[60, 60]))
ColorBy(whole, ("POINTS", "PocketId"))
pockets = [list(whole.ColorArrayName), whole.LookupTable.ColorSpace.GetData(),
           list(complex.PointData["PocketId"].GetRange())]
surface = Show(OutputPort(complex, "Pockets"), CreateView("RenderView", ViewSize=[60, 60]))
ColorBy(surface, ("CELLS", "MouthId"))
mouths = surface.LookupTable.ColorSpace.GetData()
complex.ProtrusionRadius = 6.0
complex.UpdatePipeline()
atoms_in = list(complex.PointData["ProtrusionId"].GetRange())
complex.ProtrusionRadius = 0.0
complex.Alpha = -2.0
complex.UpdatePipeline()
slid = dict(made.report)
prop = complex.SMProxy.GetProperty("Alpha")
complex.UpdatePropertyInformation()
domain = prop.FindDomain("vtkSMDoubleRangeDomain")
panel = complex.Result
series = SeparatrixAlphaTimeSeries(atoms)
series.UpdatePipeline()
report(default=default, first=first, cells=cells, colored=colored, slid=slid,
       slider=[domain.GetMinimum(0), domain.GetMaximum(0)], error=made.last_error,
       panel=panel, pockets=pockets, mouths=mouths, atoms_in=atoms_in,
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
        "Complex": ["Lines", ["CELLS", "Kind"]],
        "Boundary": ["Translucent", ["CELLS", "VoidId"]],
        "Voids": ["Surface", ["CELLS", "VoidId"]],
        "Pockets": ["Surface", ["CELLS", "PocketId"]],
        "Atoms": ["GrownBalls", ["POINTS", "Area"]],
        "Diagram": ["Lines", ["CELLS", "PairType"]],
    }
    n_pockets = told["first"]["NumberOfPockets"]
    assert told["pockets"] == [["POINTS", "PocketId"], "Step", [-1, n_pockets - 1]]
    assert told["mouths"] == "Step"
    assert told["atoms_in"][0] == -1 <= told["atoms_in"][1]
    assert "agreement" in told["first"]["seconds"]
    assert "agreement" not in told["slid"]["seconds"]  # a threshold alone
    assert told["slid"]["NumberOfTetrahedra"] < 1426
    assert re.search(r"\nBetti numbers 1, \d+, \d+\n", told["panel"])
    assert f"Volume {told['slid']['TotalVolume']:.6g}, area " in told["panel"]
    low, high = told["slider"]
    assert low == pytest.approx(-(3.2**2))
    assert high == pytest.approx(3 * 3.2**2)
    assert (told["error"], told["series"], told["rows"]) == ("", "", 1)
