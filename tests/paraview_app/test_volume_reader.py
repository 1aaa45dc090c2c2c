"""Separatrix Volume Reader in ParaView: volumes in their place, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy

import separatrix_vtk
from separatrix_vtk import io
from separatrix_vtk.base.datasets import direction_of
from separatrix_vtk.filters.scalar_field.volume_reader import upright
from separatrix_vtk.io.labeled_images import image_of

FOREIGN = Path(__file__).parents[1] / "files" / "foreign"
GRIDS = [
    "plain.nii.gz",
    "dicom/2.dcm",
    "scaled.nii",
    "turned.nii.gz",
    "plain.nc",
    "uneven.nc",
    "values.npy",
]

SCRIPT = """
from paraview.simple import *
view = CreateView("RenderView", ViewSize=[60, 60])
found = {}
for path in sys.argv[1:]:
    reader = OpenDataFile(path)
    if type(reader).__name__ != "SeparatrixVolumeReader":  # ParaView has others
        Delete(reader)
        reader = SeparatrixVolumeReader(FileName=path)
    Show(reader, view)
    Render(view)
    points = SeparatrixCriticalPoints(reader, Resample=1)
    points.UpdatePipeline()
    data = reader.GetClientSideObject().GetOutput()
    array = data.GetPointData().GetScalars()
    found[path] = dict(
        kind=data.GetClassName(), bounds=data.GetBounds(), name=array.GetName(),
        range=array.GetRange(), is_straight=not hasattr(data, "GetDirectionMatrix")
        or data.GetDirectionMatrix().IsIdentity(), error=points.GetClientSideObject().last_error,
        n=points.GetDataInformation().GetNumberOfPoints())
report(found=found)
"""


@pytest.mark.paraview
def test_volumes_open_in_their_place_and_have_critical_points(pvpython, tmp_path):
    np.save(tmp_path / "values.npy", np.random.default_rng(3).random((5, 6, 7)))
    paths = [(tmp_path if name == "values.npy" else FOREIGN) / name for name in GRIDS]
    run = pvpython(SCRIPT, *paths)
    assert "ERROR" not in run.text
    for path in paths:
        is_slice = path.suffix == ".dcm"
        found = run.report["found"][str(path)]
        expected = io.read(path.parent if is_slice else path)
        assert found["is_straight"]  # ParaView draws outlines without a direction
        array = expected.GetPointData().GetArray(0)
        assert (found["kind"], found["error"]) == (expected.GetClassName(), "")
        assert found["bounds"] == pytest.approx(expected.GetBounds())
        assert (found["name"], tuple(found["range"])) == (array.GetName(), array.GetRange())
        assert found["n"] > 0


BROKEN = """
from paraview.simple import *
view = CreateView("RenderView", ViewSize=[60, 60])
reader = SeparatrixVolumeReader(FileName=sys.argv[1])
for _ in range(3):
    Show(reader, view)
    Render(view)
report(error=reader.GetClientSideObject().last_error)
"""


@pytest.mark.paraview
def test_a_truncated_file_is_reported_once(pvpython, tmp_path):
    path = tmp_path / "half.nii.gz"
    path.write_bytes((FOREIGN / "plain.nii.gz").read_bytes()[:300])
    run = pvpython(BROKEN, path)
    assert run.report["error"].startswith(f"{path}: truncated or damaged")
    assert run.text.count("truncated or damaged") == 2  # with that of the report


def test_the_file_in_a_zarr_folder_and_the_chosen_array_are_read():
    pytest.importorskip("zarr")
    for name in ("labeled.zarr", "microscope.zarr"):
        expected = io.read(FOREIGN / name)
        (file,) = (f for f in (FOREIGN / name).iterdir() if f.name in ("zarr.json", ".zattrs"))
        (image,) = separatrix_vtk.VolumeReader(file_name=file).run()
        assert image.GetBounds() == expected.GetBounds()
        assert image.GetPointData().GetScalars() is not None
    (image,) = separatrix_vtk.VolumeReader(file_name=FOREIGN / "plain.nc", array="other").run()
    assert image.GetPointData().GetScalars().GetName() == "other"


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 0, 2)])
@pytest.mark.parametrize("angle", [0.0, 0.2])
def test_an_image_points_along_the_axes_and_keeps_its_values_in_their_places(order, angle):
    turn = np.array(
        [(np.cos(angle), -np.sin(angle), 0), (np.sin(angle), np.cos(angle), 0), (0, 0, 1)]
    )
    direction = (turn * (-1, 1, -1))[:, order]
    values = np.random.default_rng(7).random((3, 4, 5))
    image = image_of(values, "field", (1.0, 2.0, 3.0), (7.0, 8.0, 9.0), direction)
    made = upright(image)
    assert abs(direction_of(made) - turn).max() < 1e-12
    for one, other in ((image, made), (made, image)):
        found = [other.FindPoint(one.GetPoint(i)) for i in range(one.GetNumberOfPoints())]
        np.testing.assert_array_equal(field_of(one), field_of(other)[found])


def field_of(image: Any) -> np.ndarray:
    return vtk_to_numpy(image.GetPointData().GetArray("field"))
