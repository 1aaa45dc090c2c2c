"""Cells that are not linear are cut into tetrahedra without gaps, or rejected."""

from typing import Any

import numpy as np
import pytest
from vtkmodules.util.vtkConstants import VTK_LINE, VTK_TETRA, VTK_WEDGE
from vtkmodules.vtkCommonDataModel import vtkUnstructuredGrid
from vtkmodules.vtkFiltersGeometry import vtkLinearToQuadraticCellsFilter

import separatrix_vtk
from filters.meshes import add_cell, boxes, grid_of, named, values_in

POINTS, TETS, VALUES = boxes(3)


def run(mesh: Any, **settings: Any) -> Any:
    return separatrix_vtk.mesh_relations(mesh, device="cpu", **settings)


def quadratic(grid: vtkUnstructuredGrid) -> vtkUnstructuredGrid:
    """The grid with a point on each edge of its cells."""
    made = vtkLinearToQuadraticCellsFilter()
    made.SetInputData(grid)
    made.Update()
    return made.GetOutput()


def wedges() -> vtkUnstructuredGrid:
    """27 boxes, each of two wedges."""
    grid = vtkUnstructuredGrid()
    grid.SetPoints(grid_of(POINTS, TETS[:0]).GetPoints())
    for low in TETS[: len(TETS) // 6, 0].tolist():
        a, b, c, d = low, low + 16, low + 20, low + 4
        add_cell(grid, VTK_WEDGE, [a, b, c, a + 1, b + 1, c + 1])
        add_cell(grid, VTK_WEDGE, [a, c, d, a + 1, c + 1, d + 1])
    return grid


def numbers_of(mesh: vtkUnstructuredGrid, **settings: Any) -> dict[str, float]:
    table = run(mesh, **settings).statistics
    return {table.GetValue(i, 0).ToString(): table.GetValue(i, 1).ToDouble()
            for i in range(table.GetNumberOfRows())}  # fmt: skip


def test_quadratic_tetrahedra_are_cut_into_eight_without_gaps():
    linear = numbers_of(grid_of(POINTS, TETS))
    with pytest.raises(separatrix_vtk.FilterError, match=r"Tetra\)\. Set tetrahedralize=True\.$"):
        run(quadratic(grid_of(POINTS, TETS)))
    curved = quadratic(grid_of(POINTS, TETS, VALUES))
    curved.GetCellData().AddArray(named(np.arange(len(TETS)), "number"))
    cut = numbers_of(curved, tetrahedralize=True)
    assert cut["Tetrahedra"] == 8 * linear["Tetrahedra"]
    assert cut["Boundary triangles"] == 4 * linear["Boundary triangles"]
    assert cut["Vertices"] == linear["Vertices"] + linear["Edges"]
    for name in ("Euler characteristic", "Components", "Flat tetrahedra"):
        assert cut[name] == linear[name]
    made = run(curved, tetrahedralize=True).mesh
    expected = np.repeat(np.arange(len(TETS)), 8)
    for name in ("number", "vtkOriginalCellIds"):
        np.testing.assert_array_equal(values_in(made.GetCellData(), name), expected)
    assert not made.GetCellData().HasArray("separatrix_row")


def test_cells_that_are_not_quadratic_are_cut_by_vtk_in_the_same_order():
    grid = quadratic(grid_of(POINTS, TETS[[0, -1]]))  # which have no point in common
    add_cell(grid, VTK_TETRA, [grid.GetCell(i).GetPointId(k) for i in (0, 1) for k in (0, 1)])
    add_cell(grid, VTK_LINE, [0, 1])
    made = run(grid, tetrahedralize=True).mesh
    expected = [0] * 8 + [1] * 8 + [2]
    assert values_in(made.GetCellData(), "vtkOriginalCellIds").tolist() == expected


def test_cells_between_which_vtk_leaves_gaps_are_rejected():
    assert numbers_of(wedges(), tetrahedralize=True)["Euler characteristic"] == 1
    with pytest.raises(separatrix_vtk.FilterError, match=r"VTK cuts a face of the cells \d+ and"):
        run(quadratic(wedges()), tetrahedralize=True)
