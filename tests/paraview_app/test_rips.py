"""RipsBarcodes in pvpython, and the script of docs/rips.md as it stands."""

from __future__ import annotations

import numpy as np
import pytest

from paraview_app.pictures import pixels_of
from paraview_app.without_display import script_for_pvpython


@pytest.mark.paraview
def test_the_script_for_pvpython_shows_two_loops_around_the_hole_and_the_tube(pvpython, tmp_path):
    picture = tmp_path / "torus.png"
    script = script_for_pvpython("rips.md", picture)
    more = """
cycles = barcodes.GetClientSideObject().GetOutput(2)
walks = {}
first = cycles.GetNumberOfVerts()
for i in range(first, first + cycles.GetNumberOfLines()):
    ids = cycles.GetCell(i).GetPointIds()
    points = [list(cycles.GetPoint(ids.GetId(k))) for k in range(ids.GetNumberOfIds())]
    walks.setdefault(int(cycles.GetCellData().GetArray("BarId").GetTuple1(i)), []).append(points)
report(walks=list(walks.values()), columns=list(barcodes.Columns),
       error=barcodes.GetClientSideObject().last_error)
"""
    found = pvpython(script + more)
    assert found.report["error"] == ""
    assert found.report["columns"] == ["x", "y", "z"]
    assert "Traceback" not in found.text
    ways = set()
    for (walk,) in found.report["walks"]:
        x, y, z = np.array(walk).T
        angles = np.arctan2(y, x), np.arctan2(z, np.hypot(x, y) - 2.0)
        turns = [((np.diff(a) + np.pi) % (2 * np.pi) - np.pi).sum() / (2 * np.pi) for a in angles]
        ways.add(tuple(abs(round(t)) for t in turns))
    assert ways == {(1, 0), (0, 1)}
    pixels = pixels_of(picture)
    assert pixels.shape == (800, 1200, 3)
    # Two loops in two colors, long enough to be seen, on a background that is neither.
    hues = (pixels.max(axis=2) - pixels.min(axis=2)) > 0.25
    colors = np.unique((pixels[hues] * 7).astype(int), axis=0)
    assert hues.sum() > 4000
    assert len(colors) >= 2


POINTS = """
import os, time
import numpy as np
from paraview.simple import *
from vtkmodules.util.numpy_support import numpy_to_vtk
rng = np.random.default_rng(3)
points = rng.random((int(sys.argv[2]), 3)) * [1, 1, 0.1]
points = points[np.hypot(points[:, 0] - 0.4, points[:, 1] - 0.5) > 0.2]
np.savetxt(sys.argv[1] + ".csv", points, delimiter=",", header="x,y,z", comments="")
table = CSVReader(FileName=[sys.argv[1] + ".csv"])
source = TableToPoints(table, XColumn="x", YColumn="y", ZColumn="z")
source.UpdatePipeline()
begin = time.process_time()
barcodes = SeparatrixRipsBarcodes(source, NumberOfRepresentatives=3)
view = CreateView("RenderView")
view.ViewSize = [900, 700]
Show(source, view).Opacity = 0.3
Show(OutputPort(barcodes, "Representatives"), view)
ResetCamera(view)
Render(view)
seconds = time.process_time() - begin
SaveScreenshot(sys.argv[1], view)
cycles = barcodes.GetClientSideObject().GetOutput(2)
lengths = {}
for i in range(cycles.GetNumberOfVerts(), cycles.GetNumberOfVerts() + cycles.GetNumberOfLines()):
    ids = cycles.GetCell(i).GetPointIds()
    walk = np.array([cycles.GetPoint(ids.GetId(k)) for k in range(ids.GetNumberOfIds())])
    rank = int(cycles.GetCellData().GetArray("BarRank").GetTuple1(i))
    lengths.setdefault(rank, []).append(float(np.linalg.norm(np.diff(walk, axis=0), axis=1).sum()))
report(lengths=lengths, seconds=seconds, n=len(points))
"""


@pytest.mark.paraview
def test_the_longest_loop_of_many_points_is_drawn_taut_by_default(pvpython, tmp_path):
    picture = tmp_path / "loops.png"
    found = pvpython(POINTS, picture, 7500).report
    assert found["n"] > 6000
    ((longest,), *_) = (found["lengths"][rank] for rank in ("0", "1"))
    assert longest == pytest.approx(2 * np.pi * 0.2, rel=0.05)
    pixels = pixels_of(picture)
    hues = (pixels.max(axis=2) - pixels.min(axis=2)) > 0.25
    assert hues.sum() > 500
