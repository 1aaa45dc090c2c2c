"""Ghost and hidden cells of a single dataset are ignored with a warning."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("vtkmodules")

from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import (
    vtkDataSetAttributes,
    vtkPolyData,
    vtkStructuredGrid,
    vtkUnstructuredGrid,
)
from vtkmodules.vtkFiltersCore import vtkAppendFilter

import separatrix_vtk
from filters.images import failed, message_window
from filters.meshes import boxes, grid_of, named, surface_of, values_in
from filters.point_sets import cloud, polydata_of

GHOSTS = vtkDataSetAttributes.GhostArrayName()
DUPLICATE, HIDDEN = vtkDataSetAttributes.DUPLICATECELL, vtkDataSetAttributes.HIDDENCELL
POINTS, TETS, VALUES = boxes(3)


def marked(attributes: Any, n: int, which: Any, flag: int) -> None:
    flags = np.zeros(n, np.uint8)
    flags[which] = flag
    attributes.AddArray(named(flags, GHOSTS))


def hexahedra(kind: Callable[[], Any]) -> Any:
    """Three boxes in a row."""
    grid = vtkStructuredGrid()
    grid.SetDimensions(4, 2, 2)
    points = vtkPoints()
    for k in range(2):
        for j in range(2):
            for i in range(4):
                points.InsertNextPoint(i, j, k)
    grid.SetPoints(points)
    if kind is vtkStructuredGrid:
        return grid
    append = vtkAppendFilter()
    append.AddInputDataObject(grid)
    append.Update()
    return append.GetOutput()


def squares() -> vtkPolyData:
    """Three squares in a row."""
    grid = hexahedra(vtkUnstructuredGrid)
    made = surface_of(np.array([grid.GetPoint(i) for i in range(8)]), [])
    for i in range(3):
        made.GetPolys().InsertNextCell(4, [i, i + 1, i + 5, i + 4])
    return made


def run(name: str, dataset: Any, **settings: Any) -> tuple[Any, str]:
    filter = getattr(separatrix_vtk, name)(device="cpu", **settings)
    said = failed(filter, dataset)
    assert filter.last_error == ""
    return filter, said


@pytest.mark.parametrize(("flag", "word"), [(DUPLICATE, "ghost"), (HIDDEN, "hidden")])
def test_marked_cells_of_a_mesh_are_ignored_with_one_warning(flag, word):
    grid = grid_of(POINTS, TETS, VALUES)
    marked(grid.GetCellData(), len(TETS), slice(0, 12), flag)
    found, text = run("CriticalPoints", grid)
    alone, silence = run("CriticalPoints", grid_of(POINTS, TETS[12:], VALUES))
    assert text.count("were ignored") == 1
    assert f"12 {word} cells were ignored" in text
    assert silence == ""
    outputs = [f.GetOutput() for f in (found, alone)]
    kinds = [values_in(output.GetPointData(), "CriticalType").tolist() for output in outputs]
    places = [[o.GetPoint(i) for i in range(o.GetNumberOfPoints())] for o in outputs]
    assert kinds[0] == kinds[1]
    assert places[0] == places[1] != []


def test_without_marks_that_are_dropped_the_cells_count():
    grid = grid_of(POINTS, TETS, VALUES)
    marked(grid.GetCellData(), len(TETS), slice(0, 12), DUPLICATE)
    marked(grid.GetPointData(), len(POINTS), slice(0, 9), vtkDataSetAttributes.DUPLICATEPOINT)
    grid.GetCellData().RemoveArray(GHOSTS)
    found, text = run("MeshRelations", grid)  # points that other pieces also have do not matter
    assert found.GetOutput(0).GetNumberOfCells() == len(TETS)
    assert text == ""


def test_cells_at_hidden_points_are_hidden():
    grid = grid_of(POINTS, TETS, VALUES)
    marked(grid.GetPointData(), len(POINTS), 0, vtkDataSetAttributes.HIDDENPOINT)
    found, text = run("MeshRelations", grid)
    n_at = int((TETS == 0).any(axis=1).sum())
    assert f"{n_at} hidden cells were ignored" in text
    assert found.GetOutput(0).GetNumberOfCells() == len(TETS) - n_at


def test_a_point_that_is_hidden_later_makes_another_mesh():
    grid = grid_of(POINTS, TETS, VALUES)
    filter, _ = run("MeshRelations", grid)
    marked(grid.GetPointData(), len(POINTS), 0, vtkDataSetAttributes.HIDDENPOINT)
    grid.Modified()
    with message_window():
        filter.Update()
    assert filter.GetOutput(0).GetNumberOfCells() < len(TETS)


@pytest.mark.parametrize("kind", [vtkStructuredGrid, vtkUnstructuredGrid])
@pytest.mark.parametrize(("flag", "word"), [(DUPLICATE, "ghost"), (HIDDEN, "hidden")])
def test_cells_are_counted_as_they_were_before_they_were_cut_up(kind, flag, word):
    grid = hexahedra(kind)
    marked(grid.GetCellData(), 3, 1, flag)
    found, text = run("MeshRelations", grid, tetrahedralize=True)
    assert f"1 {word} cells were ignored" in text
    cells = found.GetOutput(0).GetCellData()
    assert set(values_in(cells, "vtkOriginalCellIds").tolist()) == {0, 2}


@pytest.mark.parametrize("kind", [vtkStructuredGrid, vtkUnstructuredGrid])
def test_hidden_points_hide_cells_that_are_cut_up(kind):
    grid = hexahedra(kind)
    marked(grid.GetPointData(), 16, 3, vtkDataSetAttributes.HIDDENPOINT)
    found, text = run("MeshRelations", grid, tetrahedralize=True)
    assert "1 hidden cells were ignored" in text
    cells = found.GetOutput(0).GetCellData()
    assert set(values_in(cells, "vtkOriginalCellIds").tolist()) == {0, 1}


@pytest.mark.parametrize("flag", [DUPLICATE, HIDDEN])
def test_marked_polygons_are_ignored_when_they_are_triangulated(flag):
    surface = squares()
    marked(surface.GetCellData(), 3, 1, flag)
    found, text = run("MeshRelations", surface, tetrahedralize=True)
    assert "1 ghost" in text or "1 hidden" in text
    assert found.GetOutput(0).GetNumberOfCells() == 4


def test_marks_of_lines_in_a_mesh_are_ignored():
    surface = surface_of(POINTS[:4], [[0, 1, 2]])
    lines = surface_of(POINTS[:4], []).GetPolys()
    lines.InsertNextCell(2, [0, 1])
    surface.SetLines(lines)
    marked(surface.GetCellData(), 2, 0, DUPLICATE)
    found, text = run("MeshRelations", surface)
    assert "ghost" not in text
    assert found.GetOutput(0).GetNumberOfCells() == 1


@pytest.mark.parametrize(
    "flag", [vtkDataSetAttributes.DUPLICATEPOINT, vtkDataSetAttributes.HIDDENPOINT]
)
def test_marked_points_of_a_set_are_ignored_with_a_warning(flag):
    points = polydata_of(cloud(30))
    marked(points.GetPointData(), 30, slice(20, 30), flag)
    filter, text = run("RipsBarcodes", points, max_dimension=0)
    assert text.count("10 ghost points were ignored") == 1
    assert filter.GetOutput(3).GetNumberOfRows() == 20
    filter.min_persistence = 0.01
    with message_window():
        filter.Update()
    assert filter.last_error == ""
    whole, silence = run("RipsBarcodes", polydata_of(cloud(30)), max_dimension=0)
    assert whole.GetOutput(3).GetNumberOfRows() == 30
    assert silence == ""


def test_points_of_only_ghost_cells_are_not_counted():
    grid = grid_of(POINTS, TETS, VALUES)
    is_at_first = (TETS == 0).any(axis=1)
    marked(grid.GetCellData(), len(TETS), is_at_first, DUPLICATE)
    n_left = len(np.unique(TETS[~is_at_first]))
    filter, text = run("NeighborStatistics", grid, number_of_neighbors=3)
    assert f"{len(POINTS) - n_left} ghost points were ignored" in text
    assert filter.GetOutput().GetNumberOfPoints() == n_left
