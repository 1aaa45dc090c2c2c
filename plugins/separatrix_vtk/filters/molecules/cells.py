"""Simplices of atoms as VTK cells, and the arrays of atoms that all outputs contain.

Cells use 32-bit point ids where these suffice, which halves their memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import (
    VTK_LINE,
    VTK_TETRA,
    VTK_TRIANGLE,
    VTK_VERTEX,
    vtkCellArray,
    vtkPolyData,
    vtkUnstructuredGrid,
)

from separatrix_vtk.base.arrays import for_cells, ids_to_vtk, to_vtk, vtk_points
from separatrix_vtk.base.rows import rows_of
from separatrix_vtk.filters.molecules.balls import Balls

CELL_TYPES = np.array([VTK_VERTEX, VTK_LINE, VTK_TRIANGLE, VTK_TETRA], np.uint8)
LARGEST_32 = (1 << 31) - 1


def set_simplices(output: vtkUnstructuredGrid, simplices: list[np.ndarray]) -> None:
    """Set the cells of a grid from simplices (m, d + 1) int32 of the dimensions 0 to 3."""
    counts = [len(part) for part in simplices]
    types = np.repeat(CELL_TYPES, counts)
    n_items = sum(part.size for part in simplices)
    offsets = np.empty(len(types) + 1, np.int32 if n_items <= LARGEST_32 else np.int64)
    cell = item = 0
    for width, count in enumerate(counts, start=1):
        ends = np.arange(item, item + width * count, width, dtype=offsets.dtype)
        offsets[cell : cell + count] = ends
        cell, item = cell + count, item + width * count
    offsets[-1] = item
    items = np.concatenate([part.reshape(-1) for part in simplices])
    output.SetCells(to_vtk(types, "CellTypes"), cells_of(offsets, items))


def set_triangles(
    output: vtkPolyData, atoms: Balls, triangles: np.ndarray, columns: dict[str, np.ndarray]
) -> None:
    """Set triangles (m, 3) of atoms as polygons, with only the atoms that they use as points."""
    used, items = np.unique(triangles, return_inverse=True)
    output.SetPoints(vtk_points(np.ascontiguousarray(atoms.positions[used])))
    output.SetPolys(cells_of(3 * np.arange(len(triangles) + 1), items.ravel()))
    for array in atom_arrays(atoms, used):
        output.GetPointData().AddArray(array)
    for name, values in columns.items():
        output.GetCellData().AddArray(to_vtk(values, name))


def cells_of(offsets: np.ndarray, items: np.ndarray) -> vtkCellArray:
    """Return cells from `offsets` (m + 1,) into `items`, the ids of their points."""
    dtype = np.int32 if len(items) <= LARGEST_32 else np.int64
    cells = vtkCellArray()
    cells.SetData(*(for_cells(array.astype(dtype, copy=False)) for array in (offsets, items)))
    return cells


def atom_arrays(atoms: Balls, which: np.ndarray | None = None) -> list[Any]:
    """Return the input's arrays of some atoms (by default, all), AtomId, and BallRadius.

    Arrays of the input with one of these two names are omitted.
    """
    rows = atoms.rows if which is None else atoms.rows[which]
    is_whole = which is None and atoms.is_whole
    radii = atoms.radii if which is None else atoms.radii[which]
    own = [ids_to_vtk(rows, "AtomId"), to_vtk(radii, "BallRadius")]
    names = {array.GetName() for array in own}
    given = [atoms.attributes.GetAbstractArray(i) for i in range(_n_arrays(atoms))]
    given = [array for array in given if array.GetName() and array.GetName() not in names]
    return [*(array if is_whole else rows_of(array, rows) for array in given), *own]


def _n_arrays(atoms: Balls) -> int:
    return int(atoms.attributes.GetNumberOfArrays())
