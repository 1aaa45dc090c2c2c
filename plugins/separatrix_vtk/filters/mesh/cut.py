"""Other cells cut into tetrahedra or triangles, so that neighbors cut their common faces alike.

vtkDataSetTriangleFilter cuts linear cells in this way, but triangulates each cell of another kind
by itself. In quadratic tetrahedra, these triangulations of a common face differ, which leaves gaps.
Quadratic tetrahedra are therefore cut into eight by a fixed table, and meshes of other such cells
are rejected if there are gaps.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from vtkmodules.util.vtkConstants import VTK_UNSIGNED_CHAR
from vtkmodules.vtkCommonDataModel import (
    VTK_BEZIER_TETRAHEDRON,
    VTK_LAGRANGE_TETRAHEDRON,
    VTK_QUADRATIC_TETRA,
    VTK_TETRA,
    vtkUnstructuredGrid,
)

from separatrix_vtk.base.arrays import add_rows, cells_of, from_vtk, ids_to_vtk, to_vtk
from separatrix_vtk.base.errors import FilterError

QUADRATIC = (VTK_QUADRATIC_TETRA, VTK_LAGRANGE_TETRAHEDRON, VTK_BEZIER_TETRAHEDRON)
LAST_LINEAR = 20  # of VTK's numbers of cell types
EIGHT = [
    [0, 4, 6, 7], [4, 1, 5, 8], [6, 5, 2, 9], [7, 8, 9, 3],
    [6, 4, 5, 8], [6, 5, 9, 8], [6, 9, 7, 8], [6, 7, 4, 8],
]  # fmt: skip
"""Tetrahedra of one with ten points; each of its faces is cut into four triangles."""
ROW = "separatrix_row"


class Cells(NamedTuple):
    """Types (n,) uint8 of cells, and their points items[offsets[i]:offsets[i + 1]]."""

    types: np.ndarray
    offsets: np.ndarray
    items: np.ndarray

    def points_of(self, rows: np.ndarray, n_corners: int) -> np.ndarray:
        """The first points (k, n_corners) of some cells."""
        return np.asarray(self.items[self.offsets[:-1][rows][:, None] + np.arange(n_corners)])


def cut_cells(dataset: Any, cells: Cells, cells_in: Any) -> Any:
    """A dataset with its cells cut into tetrahedra, triangles, lines, and vertices.

    cells_in: a function that returns the :class:`Cells` of a dataset. Raises FilterError.
    """
    if (cells.types <= LAST_LINEAR).all():
        return _cut_by_vtk(dataset)
    is_quadratic = np.isin(cells.types, QUADRATIC) & (np.diff(cells.offsets) == 10)
    rows = np.flatnonzero(is_quadratic)
    corners = cells.points_of(rows, 10)[:, EIGHT].reshape(-1, 4)
    types, rows = np.full(len(corners), VTK_TETRA, np.uint8), np.repeat(rows, len(EIGHT))
    sizes, items = np.full(len(corners), 4), corners.reshape(-1)
    if not is_quadratic.all():
        cut = _cut_by_vtk(_with_rows(dataset))
        pieces, row = cells_in(cut), from_vtk(cut.GetCellData().GetArray(ROW))
        taken = np.flatnonzero(~is_quadratic[row])
        n_points = np.diff(pieces.offsets)
        types, rows = np.append(types, pieces.types[taken]), np.append(rows, row[taken])
        sizes = np.append(sizes, n_points[taken])
        items = np.append(items, pieces.items[np.repeat(~is_quadratic[row], n_points)])
        _reject_gaps(cells, types, rows, sizes, items)
    order = rows.argsort(kind="stable")
    starts = np.append(0, np.cumsum(sizes))
    made, offsets = vtkUnstructuredGrid(), np.append(0, np.cumsum(sizes[order]))
    places = np.repeat(starts[order] - offsets[:-1], sizes[order]) + np.arange(len(items))
    made.SetPoints(dataset.GetPoints())
    of_types = to_vtk(types[order], None, VTK_UNSIGNED_CHAR)
    made.SetCells(of_types, cells_of(offsets, items[places].astype(np.int64, copy=False)))
    made.GetPointData().ShallowCopy(dataset.GetPointData())
    made.GetFieldData().ShallowCopy(dataset.GetFieldData())
    add_rows(made.GetCellData(), dataset.GetCellData(), rows[order])
    return made


def _cut_by_vtk(dataset: Any) -> Any:
    from vtkmodules.vtkFiltersGeneral import vtkDataSetTriangleFilter

    cut = vtkDataSetTriangleFilter()
    cut.SetInputData(dataset)
    cut.Update()
    return cut.GetOutput()


def _with_rows(dataset: Any) -> Any:
    """The dataset with the number of each cell."""
    made = dataset.NewInstance()
    made.ShallowCopy(dataset)
    made.GetCellData().AddArray(ids_to_vtk(np.arange(dataset.GetNumberOfCells()), ROW))
    return made


def _reject_gaps(
    cells: Cells, types: np.ndarray, rows: np.ndarray, sizes: np.ndarray, items: np.ndarray
) -> None:
    """Raise FilterError if a face of a single tetrahedron is in two of the cells that were cut.

    types, rows (k,): of the pieces, and the cells that these are part of; items: their points, of
    which `sizes` belong to each.
    """
    is_tet = types == VTK_TETRA
    tets, rows = items[np.repeat(is_tet, sizes)].reshape(-1, 4), rows[is_tet]
    if not len(tets):
        return
    faces = np.sort(np.concatenate([np.delete(tets, k, axis=1) for k in range(4)]), axis=1)
    order = np.lexsort(faces.T)
    differs = (faces[order[1:]] != faces[order[:-1]]).any(axis=1)
    is_single = np.append(True, differs) & np.append(differs, True)
    chosen = order[is_single]
    faces, owner = faces[chosen], np.tile(rows, 4)[chosen]
    # Other cells at the first point of each face, and whether its other points are theirs, too.
    used = np.unique(rows)
    n, sizes = np.int64(items.max(initial=0)) + 1, np.diff(cells.offsets)
    keys = np.repeat(np.arange(len(sizes)), sizes) * n + cells.items
    keys = np.sort(keys[np.repeat(np.isin(np.arange(len(sizes)), used), sizes)])
    by_point = keys[np.argsort(keys % n, kind="stable")]
    ends = [np.searchsorted(by_point % n, faces[:, 0], side=side) for side in ("left", "right")]
    counts = ends[1] - ends[0]
    face = np.repeat(np.arange(len(faces)), counts)
    nth = np.arange(len(face)) - np.repeat(np.cumsum(counts) - counts, counts)
    cell = by_point[ends[0][face] + nth] // n
    is_gap = cell != owner[face]
    for k in (1, 2):
        wanted = cell * n + faces[face, k]
        found = np.searchsorted(keys, wanted).clip(0, len(keys) - 1)
        is_gap &= keys[found] == wanted
    if is_gap.any():
        i = int(is_gap.argmax())
        raise FilterError(
            f"VTK cuts a face of the cells {owner[face[i]]} and {cell[i]} in two ways, which "
            "leaves a gap. Convert curved cells to linear ones, or cut the cells into tetrahedra "
            "by another program."
        )
