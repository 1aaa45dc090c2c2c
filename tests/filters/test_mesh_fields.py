"""The filters on fields of meshes: outputs of the engine, ports, and errors."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid
from vtkmodules.vtkFiltersSources import vtkSphereSource

import separatrix as sx
import separatrix_vtk
from filters.images import failed, updated
from filters.meshes import boxes, grid_of, named, values_in

POINTS, TETS, VALUES = boxes(4)
FILTERS = ("MorseSmaleComplex", "CriticalPoints", "DiscreteGradient", "PersistenceDiagram")


def mesh() -> vtkUnstructuredGrid:
    return grid_of(POINTS, TETS, VALUES)


def engine() -> Any:
    return sx.TetMesh(POINTS, TETS, device="cpu")


def sphere() -> Any:
    source = vtkSphereSource()
    source.SetThetaResolution(12)
    source.SetPhiResolution(9)
    source.Update()
    surface = source.GetOutput()
    values = np.random.default_rng(5).random(surface.GetNumberOfPoints())
    surface.GetPointData().SetScalars(named(values, "f"))
    return surface


def test_critical_points_by_links_and_by_the_gradient():
    by_link = separatrix_vtk.critical_points(mesh(), device="cpu", method="link")
    found = engine().critical_points(VALUES)
    data = by_link.GetPointData()
    np.testing.assert_array_equal(values_in(data, "ttkVertexScalarField"), found.point)
    np.testing.assert_array_equal(values_in(data, "CriticalType"), found.type)
    np.testing.assert_array_equal(values_in(data, "CriticalSimplices"), found.vector)
    np.testing.assert_array_equal(values_in(data, "NumberOfUpperPieces"), found.pieces[:, 1])
    np.testing.assert_array_equal(values_in(data, "f"), VALUES[found.point])
    by_gradient = separatrix_vtk.critical_points(mesh(), device="cpu")
    index = values_in(by_gradient.GetPointData(), "CellDimension")
    assert tuple(np.bincount(index, minlength=4)) == found.totals
    critical = engine().morse_smale(VALUES).critical
    for name, values in (("CellId", critical.cell_id), ("IsOnBoundary", critical.on_boundary)):
        np.testing.assert_array_equal(values_in(by_gradient.GetPointData(), name), values)
    of_complex = separatrix_vtk.morse_smale_complex(mesh(), device="cpu").critical_points
    for name in ("CellId", "CriticalType"):
        np.testing.assert_array_equal(
            values_in(of_complex.GetPointData(), name), values_in(by_gradient.GetPointData(), name)
        )


def test_arrows_of_the_gradient_and_every_third_of_them():
    every = separatrix_vtk.discrete_gradient(mesh(), device="cpu")
    arrows = engine().discrete_gradient(VALUES).arrows()
    ids = values_in(every.gradient.GetPointData(), "PairedCellId")
    np.testing.assert_array_equal(ids, arrows.head_cell_id)
    third = separatrix_vtk.discrete_gradient(mesh(), device="cpu", stride=3)
    ids = values_in(third.gradient.GetPointData(), "PairedCellId")
    np.testing.assert_array_equal(ids, arrows.head_cell_id[::3])


@pytest.mark.parametrize("inside", [False, True])
def test_the_diagram_has_the_pairs_of_the_engine(inside):
    outputs = separatrix_vtk.persistence_diagram(mesh(), device="cpu", show_inside_domain=inside)
    pairs = engine().persistence_diagram(VALUES)
    cells = outputs.diagram.GetCellData()
    n = len(pairs)
    birth = values_in(cells, "Birth")[:n]
    np.testing.assert_array_equal(birth, pairs.birth)
    finite = ~pairs.is_essential
    np.testing.assert_array_equal(values_in(cells, "Death")[:n][finite], pairs.death[finite])
    np.testing.assert_array_equal(values_in(cells, "IsFinite")[:n], finite)
    highest = values_in(outputs.diagram.GetPointData(), "ttkVertexScalarField")[: 2 * n]
    np.testing.assert_array_equal(VALUES[highest[0::2]], pairs.birth)
    np.testing.assert_array_equal(VALUES[highest[1::2]][finite], pairs.death[finite])
    assert outputs.diagram.GetNumberOfCells() == n + (not inside)


@pytest.mark.parametrize("name", FILTERS)
def test_the_report_says_whether_the_mesh_passed_in_packets(name):
    for limit, mesh_is in (None, "as a whole"), (1000, "in packets"):
        filter = getattr(separatrix_vtk, name)(device="cpu", memory_limit=limit)
        updated(filter, mesh())
        assert filter.report["mesh"] == mesh_is
        assert (filter.report["memory_bytes"] > 1000) == (limit is None)
        assert ("Mesh in packets" in filter.GetResult()) == (limit is not None)


def test_a_surface_has_a_complex_of_dimension_two():
    outputs = separatrix_vtk.morse_smale_complex(sphere(), device="cpu")
    kinds = values_in(outputs.critical_points.GetPointData(), "CriticalType")
    counts = np.bincount(kinds, minlength=4)
    assert counts[0] - counts[1] + counts[3] == 2
    assert counts[2] == 0
    assert outputs.segmentation.IsA("vtkPolyData")
    assert outputs.separatrices_2.GetNumberOfCells() == 0
    assert values_in(outputs.critical_points.GetFieldData(), "MeshDimension").tolist() == [2]
    diagram = separatrix_vtk.persistence_diagram(sphere(), device="cpu")
    kinds = values_in(diagram.diagram.GetCellData(), "PairType")
    assert set(kinds.tolist()) == {-1, 0, 1, 2}  # its own closed surface is a class that stays
    assert diagram.curves.GetColumnByName("Number Of Pairs (closed surfaces)") is not None


def test_another_threshold_touches_no_tetrahedron(monkeypatch):
    filter = updated(separatrix_vtk.MorseSmaleComplex(device="cpu"), mesh())
    monkeypatch.setattr(sx, "TetMesh", lambda *a, **k: pytest.fail("the mesh was made again"))
    before = filter.GetOutput(0).GetNumberOfPoints()
    filter.persistence = 0.3
    filter.Update()
    assert filter.last_error == ""
    assert 0 < filter.GetOutput(0).GetNumberOfPoints() < before
    monkeypatch.undo()
    other = mesh()
    other.GetPointData().SetScalars(named(VALUES[::-1], "f"))
    filter.SetInputDataObject(other)
    filter.Update()
    assert filter.last_error == ""


def test_the_input_may_change_its_kind_from_run_to_run():
    from filters.images import image_with, noise

    filter = separatrix_vtk.MorseSmaleComplex(device="cpu")
    for data, kind in (
        (mesh(), "vtkUnstructuredGrid"), (image_with(noise(4, 4, 4)), "vtkImageData"),
        (sphere(), "vtkPolyData"), (mesh(), "vtkUnstructuredGrid"),
    ):  # fmt: skip
        filter.SetInputDataObject(data)
        filter.Update()
        assert filter.last_error == ""
        assert filter.GetOutput(3).GetClassName() == kind
        assert filter.GetOutput(3).GetPointData().HasArray("MorseSmaleManifold")


# === bad input

CROWDED = grid_of(
    np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, -1], [1, 1, 1]]),
    [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]],
    np.arange(6.0),
)


@pytest.mark.parametrize("name", FILTERS)
def test_cell_data_are_rejected_as_a_field_of_a_mesh(name):
    given = mesh()
    given.GetPointData().Initialize()
    given.GetCellData().SetScalars(named(np.arange(float(len(TETS))), "c"))
    filter = getattr(separatrix_vtk, name)(device="cpu")
    assert failed(filter, given).count("ERROR") == 1
    assert filter.last_error == (
        "The array 'c' is cell data; a field on a mesh must be point data. Apply Cell Data to "
        "Point Data (in VTK vtkCellDataToPointData)."
    )


def test_analyses_that_require_a_manifold_reject_a_face_of_three_tetrahedra():
    with pytest.raises(sx.InputError, match="the triangle of points 0, 1, 2 has three or more"):
        separatrix_vtk.morse_smale_complex(CROWDED, device="cpu")
    assert separatrix_vtk.critical_points(CROWDED, device="cpu").GetNumberOfPoints()
    assert separatrix_vtk.discrete_gradient(CROWDED, device="cpu").gradient.GetNumberOfPoints()


@pytest.mark.parametrize("cell", [[], [[0, len(POINTS), len(POINTS), 1]]], ids=["none", "dropped"])
def test_points_of_no_cell_or_of_a_dropped_one_are_not_in_the_complex(cell):
    points = np.concatenate([POINTS, [[9.0, 9.0, 9.0]]])
    grid = grid_of(points, [*TETS.tolist(), *cell], np.append(VALUES, 50.0))
    outputs = separatrix_vtk.morse_smale_complex(grid, device="cpu", on_duplicates="drop")
    labels = values_in(outputs.segmentation.GetPointData(), "DescendingManifold")
    assert labels[-1] == -1
    whole = values_in(outputs.critical_points.GetPointData(), "Persistence").max()
    assert whole == pytest.approx(np.ptp(VALUES))


@pytest.mark.parametrize("name", FILTERS)
def test_a_mesh_of_only_ghost_cells_is_empty(name):
    grid = mesh()
    ghosts = named(np.full(len(TETS), 1, np.uint8), "vtkGhostType")
    grid.GetCellData().AddArray(ghosts)
    filter = getattr(separatrix_vtk, name)(device="cpu")
    said = failed(filter, grid)
    assert f"{len(TETS)} ghost cells were ignored" in said
    assert filter.last_error == ""
    n_ends_of_the_diagonal = 2 if name == "PersistenceDiagram" else 0
    assert filter.GetOutput(0).GetNumberOfPoints() == n_ends_of_the_diagonal
