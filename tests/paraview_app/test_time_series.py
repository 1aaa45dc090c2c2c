"""A series of images, played as ParaView does; blocks and pieces in ParaView's own VTK."""

from __future__ import annotations

import pytest
from vtkmodules.vtkIOXML import vtkXMLImageDataWriter

import separatrix as sx
from filters.images import image_with, noise

pytestmark = pytest.mark.paraview

SCRIPT = """
from paraview import servermanager, simple
from vtkmodules.vtkCommonDataModel import (
    vtkDataObject, vtkImageData, vtkMultiBlockDataSet, vtkPartitionedDataSet
)
import separatrix_vtk

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

whole = series.GetClientSideObject().GetOutputDataObject(0)
pieces, blocks = vtkPartitionedDataSet(), vtkMultiBlockDataSet()
for i, extent in enumerate([(0, 4, 0, 7, 0, 6), (4, 8, 0, 7, 0, 6)]):
    piece = vtkImageData()
    piece.DeepCopy(whole)
    piece.Crop(extent)
    pieces.SetPartition(i, piece)
blocks.SetBlock(0, whole)
blocks.SetBlock(2, pieces.GetPartition(0))
blocks.GetMetaData(2).Set(blocks.NAME(), "half")
in_pieces = separatrix_vtk.MorseSmaleComplex(device="cpu").run(pieces)
in_blocks = separatrix_vtk.MorseSmaleComplex(device="cpu").run(blocks)
report(
    counts=counts, times=times,
    in_pieces=in_pieces[0].GetPartition(0).GetNumberOfPoints(),
    extent=in_pieces[3].GetPartition(0).GetExtent(),
    in_blocks=[b and b.GetNumberOfPoints() for b in map(in_blocks[0].GetBlock, range(3))],
    name=in_blocks[0].GetMetaData(2).Get(blocks.NAME()),
)
"""


def test_each_time_step_of_a_series_is_worked_by_itself_and_pieces_are_one(pvpython, tmp_path):
    fields = [noise(7, 8, 9, seed=i) for i in range(3)]
    paths = [tmp_path / f"series_{i}.vti" for i in range(3)]
    for field, path in zip(fields, paths, strict=True):
        writer = vtkXMLImageDataWriter()
        writer.SetFileName(str(path))
        writer.SetInputData(image_with(field))
        writer.Write()
    report = pvpython(SCRIPT, *paths).report
    expected = [len(sx.discrete_gradient(field, device="cpu").critical) for field in fields]
    assert report["counts"] == expected
    assert report["times"] == [0.0, 1.0, 2.0]
    half = len(sx.discrete_gradient(fields[-1][:, :, :5], device="cpu").critical)
    assert report["in_pieces"] == expected[-1]
    assert report["extent"] == [0, 8, 0, 7, 0, 6]
    assert report["in_blocks"] == [expected[-1], None, half]
    assert report["name"] == "half"
