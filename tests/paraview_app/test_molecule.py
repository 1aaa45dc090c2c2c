"""A molecule from atoms to ridges, as docs/block_sparse.md has it; points in ParaView."""

from __future__ import annotations

import re

import pytest

from paraview_app.without_display import REPOSITORY

PAGE = (REPOSITORY / "docs" / "block_sparse.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.paraview
def test_the_script_for_pvpython_runs_as_it_stands(pvpython, tmp_path):
    (script,) = [s for s in PYTHON if "pvpython" in s]
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
    report = pvpython(script).report
    assert report["default"] == ["POINTS", "No weights"]
    assert report["mass"] == pytest.approx(2205, rel=1e-4)
    assert report["errors"] == ["", "", ""]
    assert {"DistanceToCriticalPoint", "NearestCriticalType"} <= set(report["arrays"])
    assert picture.stat().st_size > 10_000
