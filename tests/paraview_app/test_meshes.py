"""Meshes in pvpython: each filter on a field, MeshRelations, colors, and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.paraview

REPOSITORY = Path(__file__).resolve().parents[2]


def test_every_filter_accepts_the_sample_mesh(pvpython, sample_data):
    script = """
from paraview.simple import *
from paraview import servermanager
from vtkmodules.util.numpy_support import vtk_to_numpy
mesh = XMLUnstructuredGridReader(FileName=[sys.argv[1]])
mesh.UpdatePipeline()
view = CreateView("RenderView", ViewSize=[60, 60])
complex = SeparatrixMorseSmaleComplex(mesh, AutomaticThreshold=0)
complex.UpdatePipeline()
found = {"array": list(complex.ScalarField)}
points = servermanager.Fetch(complex["Critical Points"])
index = vtk_to_numpy(points.GetPointData().GetArray("CellDimension"))
found["counts"] = [int((index == k).sum()) for k in range(4)]
instance = complex.GetClientSideObject()
found["kind"] = instance.GetOutput(3).GetClassName()
found["slider"] = list(instance.GetThresholdRange())
complex.PersistenceThreshold = 5.0
complex.UpdatePipeline()
found["simplified"] = complex["Critical Points"].GetDataInformation().GetNumberOfPoints()
found["colored"] = [Show(OutputPort(complex, port), view).ColorArrayName[1] for port in range(5)]
Render(view)
alone = SeparatrixCriticalPoints(mesh)
alone.UpdatePipeline()
found["alone"] = alone.GetDataInformation().GetNumberOfPoints()
diagram = SeparatrixPersistenceDiagram(mesh)
diagram.UpdatePipeline()
found["lines"] = diagram.GetDataInformation().GetNumberOfCells()
gradient = SeparatrixDiscreteGradient(mesh)
gradient.UpdatePipeline()
found["arrows"] = gradient["Gradient Arrows"].GetDataInformation().GetNumberOfCells()
report(**found)
"""
    run = pvpython(script, sample_data / "ring.vtu")
    found = run.report
    assert found["array"] == ["POINTS", "temperature"]
    assert found["counts"] == [28, 63, 42, 7]
    assert found["kind"] == "vtkUnstructuredGrid"
    assert found["slider"][1] == pytest.approx(64.31323 + 28.082031)
    assert found["simplified"] < 100
    kinds = ["CriticalType", "DestinationType", "", "MorseSmaleManifold", "DestinationType"]
    assert found["colored"] == kinds
    assert found["alone"] == sum(found["counts"])  # the same definition by default
    assert found["lines"] > 70
    assert found["arrows"] == (3888 + 23856 + 38400 + 18432 - 140) // 2
    assert "ERROR" not in run.text
    assert "Traceback" not in run.text


def test_the_relations_of_the_sample_mesh(pvpython, sample_data):
    script = """
from paraview.simple import *
LoadPlugin(sys.argv[2], ns=globals())
mesh = XMLUnstructuredGridReader(FileName=[sys.argv[1]])
mesh.UpdatePipeline()
output = SeparatrixMeshRelations(mesh, Edges=1, Triangles=1, Neighbors=1, Relations="VV,FT")
output.UpdatePipeline()
sizes = {name: output[name].GetDataInformation().GetNumberOfCells()
         for name in ("Mesh", "Edges", "Triangles", "Boundary")}
instance = output.GetClientSideObject()
table = instance.GetOutput(4)
items = table.GetFieldData().GetArray("VV_Items").GetNumberOfTuples()
statistics = instance.GetOutput(5)
numbers = {statistics.GetValue(i, 0).ToString(): statistics.GetValue(i, 1).ToDouble()
           for i in range(statistics.GetNumberOfRows())}
arrays = [output["Mesh"].PointData.GetArray(i).Name
          for i in range(output["Mesh"].PointData.GetNumberOfArrays())]
report(sizes=sizes, items=items, numbers=numbers, arrays=arrays)
"""
    path = REPOSITORY / "xml" / "mesh_relations.xml"
    report = pvpython(script, sample_data / "ring.vtu", path, PV_PLUGIN_PATH=None).report
    assert report["sizes"] == {"Mesh": 18432, "Edges": 23856, "Triangles": 38400, "Boundary": 3072}
    assert report["items"] == 2 * 23856
    assert report["numbers"]["Euler characteristic"] == 0
    assert {"NumberOfNeighbors", "SegmentId", "IsOnBoundary", "temperature"} <= set(
        report["arrays"]
    )
