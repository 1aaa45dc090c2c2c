"""A molecule from atoms to ridges, as docs/block_sparse.md has it; points in ParaView."""

from __future__ import annotations

import re

import pytest

from paraview_app.without_display import REPOSITORY

PAGE = (REPOSITORY / "docs" / "block_sparse.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.paraview
def test_the_script_for_pvpython_runs_as_it_stands(pvpython, tmp_path):
    (script,) = [s for s in PYTHON if "LoadPlugin" in s]
    picture = tmp_path / "molecule.png"
    script = script.replace("molecule.png", str(picture))
    more = """
report(maxima=sorted(set(complex.GetClientSideObject().report["critical_cells"]))[-1],
       mass=density.GetClientSideObject().report["Mass"], default=default,
       arrays=list(near.PointData.keys()), errors=[
    s.GetClientSideObject().last_error for s in (density, complex, near)])
"""
    script = script.replace(
        "density.Weights =", "default = list(density.Weights)\ndensity.Weights ="
    )
    script = f"import os; os.chdir({str(REPOSITORY)!r})\n{script}\n{more}"
    report = pvpython(script, PV_PLUGIN_PATH=None).report
    assert report["default"] == ["POINTS", "No weights"]
    assert report["mass"] == pytest.approx(2205, rel=1e-4)
    assert report["errors"] == ["", "", ""]
    assert {"DistanceToCriticalPoint", "NearestCriticalType"} <= set(report["arrays"])
    assert picture.stat().st_size > 10_000


@pytest.mark.paraview
def test_points_run_in_pvpython_and_bad_ones_are_told_once(pvpython):
    script = """
from paraview.simple import *
source = PointSource(NumberOfPoints=50, Radius=2.0)
made = {}
for make in (SeparatrixPointDensity, SeparatrixNeighborStatistics):
    output = make(Input=source)
    output.UpdatePipeline()
    made[make.__name__] = output.GetDataInformation().GetNumberOfPoints()
density = SeparatrixPointDensity(Input=source, Sigma=0.5, Dimensions=[11, 12, 13])
density.UpdatePipeline()
made["extent"] = list(density.GetDataInformation().GetExtent())
group = GroupDatasets(Input=[source, PointSource(NumberOfPoints=9, Center=[9.0, 0.0, 0.0])])
of_group = SeparatrixPointDensity(Input=group, Sigma=0.5)
of_group.UpdatePipeline()
made["of group"] = of_group.GetClientSideObject().report["NumberOfPoints"]
source.NumberOfPoints = 1
density.Sigma = 0.0
view = CreateView("RenderView", ViewSize=[60, 60])
Show(density, view)
Render(view)
Render(view)
made["error"] = density.GetClientSideObject().last_error
report(**made)
"""
    run = pvpython(script)
    assert run.report["SeparatrixPointDensity"] > 1000
    assert run.report["SeparatrixNeighborStatistics"] == 50
    assert run.report["extent"] == [0, 10, 0, 11, 0, 12]
    assert run.report["of group"] == 59
    assert run.report["error"] == "Sigma cannot be derived from a single point. Set it."
    assert run.text.count(run.report["error"]) == 2  # once as a message, once in the report
