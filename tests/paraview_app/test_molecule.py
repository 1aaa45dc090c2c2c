"""A molecule from atoms to ridges, as docs/block_sparse.md has it; points in ParaView."""

from __future__ import annotations

import pytest

from paraview_app.without_display import script_for_pvpython


@pytest.mark.paraview
def test_the_script_for_pvpython_runs_as_it_stands(pvpython, tmp_path):
    picture = tmp_path / "molecule.png"
    script = script_for_pvpython("block_sparse.md", picture)
    more = """
report(maxima=sorted(set(complex.GetClientSideObject().report["critical_cells"]))[-1],
       mass=density.GetClientSideObject().report["Mass"], default=default,
       arrays=list(near.PointData.keys()), errors=[
    s.GetClientSideObject().last_error for s in (density, complex, near)])
"""
    script = script.replace(
        "density.Weights =", "default = list(density.Weights)\ndensity.Weights ="
    )
    report = pvpython(script + more).report
    assert report["default"] == ["POINTS", "No weights"]
    assert report["mass"] == pytest.approx(2205, rel=1e-4)
    assert report["errors"] == ["", "", ""]
    assert {"DistanceToCriticalPoint", "NearestCriticalType"} <= set(report["arrays"])
    assert picture.stat().st_size > 10_000
