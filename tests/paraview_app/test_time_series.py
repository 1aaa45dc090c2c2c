"""A series of images, played as ParaView does."""

from __future__ import annotations

import pytest

import separatrix as sx
from filters.images import image_with, noise
from separatrix_vtk import io

pytestmark = pytest.mark.paraview

SCRIPT = """
from paraview import simple
from vtkmodules.vtkCommonDataModel import vtkDataObject

series = simple.XMLImageDataReader(FileName=sys.argv[1:])
series.UpdatePipeline()
points = simple.SeparatrixCriticalPoints(series, Device="CPU")
points.ScalarField = ["POINTS", "field"]
scene = simple.GetAnimationScene()
scene.UpdateAnimationUsingDataTimeSteps()
view = simple.CreateView("RenderView", ViewSize=[200, 150])
simple.Show(points, view)
counts, times = [], []
for time in simple.GetTimeKeeper().TimestepValues:
    scene.AnimationTime = time
    simple.Render(view)
    data = points.GetClientSideObject().GetOutputDataObject(0)
    counts.append(data.GetNumberOfPoints())
    times.append(data.GetInformation().Get(vtkDataObject.DATA_TIME_STEP()))
report(counts=counts, times=times)
"""


def test_each_time_step_of_a_series_has_its_own_result(pvpython, tmp_path):
    fields = [noise(7, 8, 9, seed=i) for i in range(3)]
    paths = [tmp_path / f"series_{i}.vti" for i in range(3)]
    for field, path in zip(fields, paths, strict=True):
        io.write(path, image_with(field))
    report = pvpython(SCRIPT, *paths).report
    expected = [len(sx.discrete_gradient(field, device="cpu").critical) for field in fields]
    assert report["counts"] == expected
    assert report["times"] == [0.0, 1.0, 2.0]
