"""TopologicalSimplification equals the engine, by a threshold and by chosen points."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkFiltersCore import vtkThreshold

import separatrix as sx
import separatrix_vtk
from filters.images import cell_array, image_with, noise, point_array, updated
from filters.meshes import boxes, grid_of

VOLUME = noise(7, 8, 9)
TIED = noise(7, 8, 9, dtype=np.uint8) // 8
POINTS, TETS, VALUES = boxes(4)
LEVEL = 20.0


def extrema_in(output: Any, **options: Any) -> list[list[int]]:
    """The points of the minima and maxima of the field of an output in its order."""
    points = separatrix_vtk.morse_smale_complex(output, order="array", device="cpu", **options)
    kind, vertex = (
        point_array(points.critical_points, name)
        for name in ("CriticalType", "ttkVertexScalarField")
    )
    return [sorted(vertex[kind == k]) for k in (0, 3)]


@pytest.mark.parametrize("values", [VOLUME, TIED, VOLUME[:1]], ids=["volume", "ties", "picture"])
@pytest.mark.parametrize("cells", [False, True])
@pytest.mark.parametrize("order", ["index", "plateau"])
def test_the_field_and_the_order_are_those_of_the_engine(values, cells, order):
    image = image_with(values, cells=cells)
    found = separatrix_vtk.topological_simplification(
        image, persistence=LEVEL, order=order, device="cpu"
    )
    expected = sx.simplify_field(values, persistence=LEVEL, order=order, device="cpu")
    read = cell_array if cells else point_array
    for name, array in (("field", expected.values), ("field_Order", expected.order)):
        np.testing.assert_array_equal(read(found, name), array.ravel())
    assert read(found, "field").dtype == values.dtype
    assert extrema_in(found) == [expected.minima.tolist(), expected.maxima.tolist()]


def test_simplifying_a_mesh_keeps_the_extrema_of_the_level():
    filter = updated(
        separatrix_vtk.TopologicalSimplification(persistence=0.3, relative=True, device="cpu"),
        grid_of(POINTS, TETS, VALUES),
    )
    mesh = sx.TetMesh(POINTS, TETS, device="cpu")
    expected = mesh.morse_smale(VALUES, persistence=0.3, relative=True)
    vertices = expected.critical.vertex
    ends = [sorted(vertices[expected.critical.rows(index)]) for index in (0, 3)]
    assert extrema_in(filter.GetOutput()) == ends
    assert [filter.report["minima"], filter.report["maxima"]] == [len(end) for end in ends]
    change = np.abs(point_array(filter.GetOutput(), "f") - VALUES).max()
    assert filter.report["largest_change"] == change < 0.3 * np.ptp(VALUES)


def test_chosen_critical_points_and_pairs_remain_and_all_others_are_removed():
    image = image_with(VOLUME)
    points = separatrix_vtk.critical_points(image, device="cpu")
    diagram = separatrix_vtk.persistence_diagram(image, device="cpu").diagram
    for given, association, name in ((points, 0, "field"), (diagram, 1, "Persistence")):
        threshold = vtkThreshold()
        threshold.SetInputData(given)
        threshold.SetInputArrayToProcess(0, 0, 0, association, name)
        threshold.SetLowerThreshold(30.0)
        threshold.SetThresholdFunction(vtkThreshold.THRESHOLD_UPPER)
        threshold.Update()
        kept = threshold.GetOutput()
        kind, vertex = (point_array(kept, n) for n in ("CriticalType", "ttkVertexScalarField"))
        found = separatrix_vtk.topological_simplification(image, critical_points=kept, device="cpu")
        every = sx.morse_smale(VOLUME, device="cpu").critical
        expected = [
            sorted(set(vertex[kind == k]) & set(every.vertex[every.rows(index)]))
            for k, index in ((0, 0), (3, 3))
        ]
        lowest = [int(VOLUME.argmin())] if not expected[0] else expected[0]
        assert extrema_in(found) == [lowest, expected[1]]


def test_a_second_input_without_critical_points_is_rejected():
    with pytest.raises(separatrix_vtk.FilterError, match="with the point arrays CriticalType and"):
        separatrix_vtk.topological_simplification(
            image_with(VOLUME), critical_points=vtkPolyData(), device="cpu"
        )
