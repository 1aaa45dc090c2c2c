"""MeshRelations: its ports compared to sets of points, and errors."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.util.vtkConstants import (
    VTK_HEXAHEDRON,
    VTK_LINE,
    VTK_TETRA,
    VTK_TRIANGLE,
    VTK_WEDGE,
)
from vtkmodules.vtkCommonCore import vtkStringArray
from vtkmodules.vtkCommonDataModel import (
    vtkCellArray,
    vtkDataSetAttributes,
    vtkRectilinearGrid,
    vtkUnstructuredGrid,
)

import separatrix_vtk
from filters.images import failed, image_with, noise
from filters.meshes import add_cell, boxes, grid_of, named, surface_of, values_in

POINTS, TETS, VALUES = boxes(3)
EDGES = sorted({pair for tet in TETS.tolist() for pair in combinations(sorted(tet), 2)})
FACES = [tuple(face) for tet in TETS.tolist() for face in combinations(sorted(tet), 3)]


def corners_of(cells: Any, size: int) -> np.ndarray:
    return vtk_to_numpy(cells.GetConnectivityArray()).reshape(-1, size)


def run(mesh: Any, **settings: Any) -> Any:
    return separatrix_vtk.mesh_relations(mesh, device="cpu", **settings)


def lists(table: Any, name: str) -> list[list[int]]:
    offsets = values_in(table.GetFieldData(), f"{name}_Offsets")
    items = values_in(table.GetFieldData(), f"{name}_Items")
    return [items[a:b].tolist() for a, b in pairwise(offsets)]


def test_counts_flags_and_neighbors_are_those_of_sets():
    found = run(grid_of(POINTS, TETS, VALUES), compute_neighbors=True)
    data, cells = found.mesh.GetPointData(), found.mesh.GetCellData()
    degree = np.bincount(np.array(EDGES).reshape(-1), minlength=len(POINTS))
    np.testing.assert_array_equal(values_in(data, "NumberOfNeighbors"), degree)
    distinct = np.array(sorted(set(FACES)))
    np.testing.assert_array_equal(
        values_in(data, "NumberOfTriangles"), np.bincount(distinct.reshape(-1))
    )
    np.testing.assert_array_equal(
        values_in(data, "NumberOfTetrahedra"), np.bincount(TETS.reshape(-1))
    )
    rim = ((POINTS == 0) | (POINTS == 3)).any(axis=1)
    np.testing.assert_array_equal(values_in(data, "IsOnBoundary"), rim)
    across = [set() for _ in TETS]
    for face in set(FACES):
        owners = [i // 4 for i, other in enumerate(FACES) if other == face]
        if len(owners) == 2:
            across[owners[0]].add(owners[1])
            across[owners[1]].add(owners[0])
    neighbors = values_in(cells, "Neighbors")
    assert [set(row[row >= 0].tolist()) for row in neighbors] == across
    np.testing.assert_array_equal(
        values_in(cells, "NumberOfFaceNeighbors"), [len(some) for some in across]
    )
    assert values_in(data, "SegmentId").max() == values_in(cells, "SegmentId").max() == 0
    np.testing.assert_array_equal(values_in(data, "f"), VALUES)


def test_edges_and_triangles_are_all_there_with_their_counts():
    found = run(grid_of(POINTS, TETS), compute_edges=True, compute_triangles=True)
    lines = corners_of(found.edges.GetLines(), 2)
    assert sorted(map(tuple, np.sort(lines, axis=1).tolist())) == EDGES
    by_edge = {edge: sum(set(edge) <= set(tet) for tet in TETS.tolist()) for edge in EDGES}
    expected = [by_edge[tuple(edge)] for edge in np.sort(lines, axis=1).tolist()]
    assert values_in(found.edges.GetCellData(), "NumberOfTetrahedra").tolist() == expected
    assert values_in(found.edges.GetCellData(), "EdgeId").tolist() == list(range(len(EDGES)))
    triangles = [tuple(t) for t in np.sort(corners_of(found.triangles.GetPolys(), 3)).tolist()]
    assert sorted(triangles) == sorted(set(FACES))
    counts = values_in(found.triangles.GetCellData(), "NumberOfTetrahedra")
    assert counts.tolist() == [FACES.count(face) for face in triangles]
    flags = values_in(found.triangles.GetCellData(), "IsOnBoundary")
    np.testing.assert_array_equal(flags, counts == 1)


def test_the_boundary_is_closed_and_oriented_outward():
    found = run(grid_of(POINTS, TETS, VALUES))
    surface = found.boundary
    points = vtk_to_numpy(surface.GetPoints().GetData())
    corners = corners_of(surface.GetPolys(), 3)
    assert len(corners) == 6 * 3 * 3 * 2
    a, b, c = (points[corners[:, k]] for k in range(3))
    volume = np.einsum("ij,ij->i", np.cross(a, b), c).sum() / 6  # Gauss
    assert volume == pytest.approx(27.0)
    original = values_in(surface.GetPointData(), "vtkOriginalPointIds")
    np.testing.assert_array_equal(points, POINTS[original])
    np.testing.assert_array_equal(values_in(surface.GetPointData(), "f"), VALUES[original])
    owner = values_in(surface.GetCellData(), "vtkOriginalCellIds")
    for face, cell in zip(original[corners].tolist(), owner.tolist(), strict=True):
        assert set(face) <= set(TETS[cell].tolist())


def test_relations_are_lists_in_the_field_data_and_one_row_each():
    found = run(grid_of(POINTS, TETS), relations="vv, VT,TT VV")
    table = found.relations
    assert [table.GetValue(row, 0).ToString() for row in range(3)] == ["VV", "VT", "TT"]
    neighbors = [sorted({*sum((e for e in EDGES if v in e), ())} - {v}) for v in range(64)]
    assert lists(table, "VV") == neighbors
    around = [np.flatnonzero((v == TETS).any(axis=1)).tolist() for v in range(64)]
    assert lists(table, "VT") == around
    assert table.GetValueByName(0, "Items").ToInt() == 2 * len(EDGES)
    assert table.GetValueByName(0, "LongestRow").ToInt() == max(map(len, neighbors))
    assert table.GetValueByName(0, "Bytes").ToInt() == 8 * 65 + 4 * 2 * len(EDGES)


def test_statistics_list_unusual_but_valid_input():
    points = np.concatenate([POINTS, POINTS[:1], [[9.0, 9.0, 9.0]]])
    table = run(grid_of(points, [*TETS.tolist(), [0, 1, 64, 65]])).statistics
    numbers = {table.GetValue(i, 0).ToString(): table.GetValue(i, 1).ToDouble()
               for i in range(table.GetNumberOfRows())}  # fmt: skip
    assert numbers["Tetrahedra"] == len(TETS) + 1
    assert numbers["Coincident points"] == 1
    assert numbers["Flat tetrahedra"] == 1
    assert numbers["Euler characteristic"] == 1
    assert numbers["Components"] == 1
    assert numbers["Segments"] == 1
    assert numbers["Mean segments of a cell"] == 1
    many = run(grid_of(POINTS, TETS), segment_size=5)
    segment = values_in(many.mesh.GetPointData(), "SegmentId")
    touched = np.mean([len(set(of)) for of in segment[TETS].tolist()])
    table = many.statistics
    assert table.GetValue(table.GetNumberOfRows() - 5, 1).ToDouble() == pytest.approx(touched)


def test_a_surface_has_relations():
    mesh = surface_of(POINTS[:4], [[0, 1, 2], [1, 2, 3]])
    found = run(mesh, relations="FF", compute_edges=True)
    assert found.mesh.IsA("vtkPolyData")
    assert lists(found.relations, "FF") == [[1], [0]]
    assert values_in(found.mesh.GetCellData(), "NumberOfEdgeNeighbors").tolist() == [1, 1]
    assert found.boundary.GetNumberOfLines() == 4
    assert found.edges.GetNumberOfCells() == 5


def test_segments_follow_an_array_of_points():
    mesh = grid_of(POINTS, TETS)
    labels = (np.arange(64) % 3).astype(np.int32)
    mesh.GetPointData().AddArray(named(labels, "part"))
    found = separatrix_vtk.mesh_relations(mesh, "part", device="cpu", relations="VV")
    np.testing.assert_array_equal(values_in(found.mesh.GetPointData(), "SegmentId"), labels)
    assert lists(found.relations, "VV") == lists(run(mesh, relations="VV").relations, "VV")


# === other cells


def mixed() -> vtkUnstructuredGrid:
    grid = vtkUnstructuredGrid()
    whole = grid_of(POINTS, TETS[:0])
    grid.SetPoints(whole.GetPoints())
    add_cell(grid, VTK_HEXAHEDRON, [0, 16, 20, 4, 1, 17, 21, 5])
    add_cell(grid, VTK_WEDGE, [21, 37, 22, 25, 41, 26])
    add_cell(grid, VTK_TETRA, TETS[100].tolist())
    return grid


def test_other_cells_are_counted_or_cut_up():
    with pytest.raises(separatrix_vtk.FilterError) as reported:
        run(mixed())
    assert str(reported.value) == (
        "All cells must be tetrahedra; got 2 other cells (1 vtkHexahedron, 1 vtkWedge). Set "
        "tetrahedralize=True, or apply the filter Tetrahedralize (in VTK "
        "vtkDataSetTriangleFilter)."
    )
    cut = run(mixed(), tetrahedralize=True).mesh
    assert cut.GetNumberOfCells() in (9, 10)  # 5 or 6, 3, 1
    assert set(values_in(cut.GetCellData(), "vtkOriginalCellIds").tolist()) == {0, 1, 2}


def test_cells_of_lower_dimension_and_ghosts_are_ignored_with_a_warning():
    grid = vtkUnstructuredGrid()
    grid.SetPoints(grid_of(POINTS, TETS[:0]).GetPoints())
    for tet in TETS.tolist():
        add_cell(grid, VTK_TETRA, tet)
    add_cell(grid, VTK_TRIANGLE, [0, 1, 4])
    add_cell(grid, VTK_LINE, [0, 1])
    flags = np.zeros(grid.GetNumberOfCells(), np.uint8)
    flags[5] = vtkDataSetAttributes.DUPLICATECELL
    grid.GetCellData().AddArray(named(flags, vtkDataSetAttributes.GhostArrayName()))
    filter = separatrix_vtk.MeshRelations(device="cpu")
    said = failed(filter, grid)
    assert "2 cells were ignored, because the mesh consists of tetrahedra only (1 vtkLine" in said
    assert "1 ghost cells were ignored" in said
    assert filter.last_error == ""
    assert filter.GetOutput(0).GetNumberOfCells() == len(TETS) - 1


# === bad input

BAD: dict[str, tuple[Any, dict[str, Any], str]] = {
    "empty": (vtkUnstructuredGrid(), {}, "The input mesh has no points."),
    "no cells": (
        grid_of(POINTS, TETS[:0]),
        {},
        "The input mesh has neither tetrahedra nor triangles; its cells: none.",
    ),
    "twice": (
        grid_of(POINTS, [*TETS.tolist(), TETS[7].tolist()]),
        {},
        "cells must be distinct; got cells[162] =",
    ),
    "relation": (
        grid_of(POINTS, TETS),
        {"relations": "VV,VX"},
        "relations must be some of VV VE VF VT EV",
    ),
    "relation of a surface": (
        surface_of(POINTS[:3], [[0, 1, 2]]),
        {"relations": "VT"},
        "relations must be some of VV VE VF EV EE EF FV FE FF for triangles; got 'VT'.",
    ),
    "segments": (
        grid_of(POINTS, TETS, VALUES),
        {"segmentation": "array"},
        "segments must be an integer for each of the 64 points; got float64 of 64 values ('f').",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_invalid_input_is_reported_in_one_sentence(case):
    mesh, settings, sentence = BAD[case]
    filter = separatrix_vtk.MeshRelations(device="cpu", **settings)
    failed(filter, mesh)
    assert filter.last_error.startswith(sentence)
    assert filter.GetOutput(0).GetNumberOfPoints() == 0


def test_duplicate_cells_can_be_dropped():
    mesh = grid_of(POINTS, [*TETS.tolist(), TETS[7].tolist()], VALUES)
    found = run(mesh, on_duplicates="drop")
    assert values_in(found.mesh.GetCellData(), "SegmentId").tolist() == [0] * len(TETS) + [-1]
    outputs = separatrix_vtk.morse_smale_complex(mesh, device="cpu", on_duplicates="drop")
    expected = separatrix_vtk.morse_smale_complex(grid_of(POINTS, TETS, VALUES), device="cpu")
    counts = [o.critical_points.GetNumberOfPoints() for o in (outputs, expected)]
    assert counts[0] == counts[1]


@pytest.mark.parametrize("tetrahedralize", [False, True])
def test_an_image_is_sent_to_the_filter_that_helps(tetrahedralize):
    sentence = r"mesh must be a mesh of tetra.*PolyData\); .*\. Apply the filter Tetrahedralize"
    with pytest.raises(separatrix_vtk.FilterError, match=sentence):
        run(image_with(noise(3, 3, 3)), tetrahedralize=tetrahedralize)


def test_a_rectilinear_grid_is_tetrahedralized_on_request():
    grid = vtkRectilinearGrid()
    grid.SetDimensions(3, 3, 3)
    grid.SetXCoordinates(named(np.array([0.0, 1.0, 4.0]), "x"))
    grid.SetYCoordinates(named(np.array([0.0, 2.0, 3.0]), "y"))
    grid.SetZCoordinates(named(np.array([0.0, 1.0, 2.0]), "z"))
    grid.GetPointData().SetScalars(named(np.arange(27.0), "f"))
    with pytest.raises(separatrix_vtk.FilterError, match="Set tetrahedralize=True"):
        run(grid)
    found = run(grid, tetrahedralize=True)
    assert found.mesh.GetNumberOfPoints() == 27
    assert found.boundary.GetNumberOfCells() == 6 * 4 * 2
    points = separatrix_vtk.critical_points(grid, device="cpu", tetrahedralize=True)
    assert points.GetNumberOfPoints() == 1
    for name in ("MorseSmaleComplex", "DiscreteGradient", "PersistenceDiagram"):
        filter = getattr(separatrix_vtk, name)(device="cpu", tetrahedralize=True)
        filter.run(grid)
        assert filter.report["tetrahedra"] >= 5 * 8
    grid.GetPointData().Initialize()
    with pytest.raises(separatrix_vtk.FilterError, match="and no other array"):
        separatrix_vtk.critical_points(grid, device="cpu", tetrahedralize=True)


def test_a_degenerate_tetrahedron_is_rejected_with_its_index():
    cells = vtkCellArray()
    for corners in ([0, 1, 4, 20], [0, 1]):
        cells.InsertNextCell(len(corners), corners)
    mesh = grid_of(POINTS, TETS[:0])
    mesh.SetCells(VTK_TETRA, cells)
    sentence = r"must have 4 points; got 2 points of cell 1 \(1 invalid cells\)"
    with pytest.raises(separatrix_vtk.FilterError, match=sentence):
        run(mesh)


def test_relations_may_be_a_list_and_be_divided_as_one_likes():
    mesh = grid_of(POINTS, TETS)
    for names in (["VV", "ft"], ("VV", "FT"), "vv;FT", "VV FT"):
        table = run(mesh, relations=names).relations
        assert [table.GetValue(row, 0).ToString() for row in range(2)] == ["VV", "FT"]


def test_cell_and_boundary_data_keep_text_and_active_arrays():
    mesh, given = vtkUnstructuredGrid(), grid_of(POINTS, TETS, VALUES)
    mesh.SetPoints(given.GetPoints())
    mesh.GetPointData().ShallowCopy(given.GetPointData())
    for tet in TETS.tolist():
        add_cell(mesh, VTK_TETRA, tet)
    add_cell(mesh, VTK_LINE, [0, 1])
    n = len(TETS) + 1
    texts = vtkStringArray()
    texts.SetName("text")
    for k in range(n):
        texts.InsertNextValue(str(k))
    mesh.GetCellData().AddArray(texts)
    mesh.GetCellData().SetScalars(named(np.arange(float(n)), "c"))
    found = run(mesh)
    cells = found.mesh.GetCellData()
    assert cells.GetScalars().GetName() == "c"
    assert [cells.GetAbstractArray("text").GetValue(k) for k in (0, 5)] == ["0", "5"]
    scalars = found.boundary.GetPointData().GetScalars()
    assert scalars.GetName() == "f"
    ids = values_in(found.boundary.GetPointData(), "vtkOriginalPointIds")
    np.testing.assert_array_equal(values_in(found.boundary.GetPointData(), "f"), VALUES[ids])
