"""The tetrahedra or the triangles of a VTK dataset as arrays, in its memory if possible.

The mesh consists of the cells of the highest dimension. If the dataset has others (vertices, lines,
the triangles of a surface, ghosts), the mesh is a dataset of its own, so cell ids are those of the
outputs; the array vtkOriginalCellIds maps them to those of the input.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from vtkmodules.util.vtkConstants import VTK_TETRA, VTK_TRIANGLE
from vtkmodules.vtkCommonCore import vtkIdList
from vtkmodules.vtkCommonDataModel import (
    vtkCellArray,
    vtkDataSet,
    vtkDataSetAttributes,
    vtkGenericCell,
    vtkImageData,
    vtkPolyData,
    vtkUnstructuredGrid,
)

from separatrix.errors import Words
from separatrix_vtk.base.arrays import add_rows, cells_of_one_size, from_vtk, ids_to_vtk, to_vtk
from separatrix_vtk.base.datasets import cell_arrays_of
from separatrix_vtk.base.errors import NO_INPUT, FilterError
from separatrix_vtk.base.join import cell_types

FILTER = "the filter Tetrahedralize (in VTK vtkDataSetTriangleFilter)."
TETRAHEDRALIZE = "Set {tetrahedralize=True}, or apply " + FILTER
DUPLICATE, HIDDEN = vtkDataSetAttributes.DUPLICATECELL, vtkDataSetAttributes.HIDDENCELL
LEFT_OUT = {
    DUPLICATE: "{n:,} ghost cells were left out, because another piece owns them (array "
    "'vtkGhostType'). If there is no other piece, remove that array (Pass Arrays) to include them.",
    HIDDEN: "{n:,} hidden cells were left out (blanking, array 'vtkGhostType', or NaN at a point).",
}
ORIGINAL_CELLS = "vtkOriginalCellIds"
NAMES = {2: "triangles", 3: "tetrahedra"}


@dataclass(frozen=True)
class MeshCells:
    """points (V, 3) in VTK's type, and corners (n, dimension + 1) of the cells of `dataset`.

    `dataset` is the input, or made of some of its cells; `identity` is unique to the mesh;
    `warnings` describe the cells that were left out.
    """

    dataset: Any
    points: np.ndarray
    corners: np.ndarray
    identity: Hashable
    warnings: tuple[str, ...] = field(default=())

    @property
    def dimension(self) -> int:
        return int(self.corners.shape[1]) - 1


def is_mesh(dataset: Any) -> bool:
    """Whether a dataset can contain tetrahedra or triangles."""
    return isinstance(dataset, (vtkUnstructuredGrid, vtkPolyData))


def mesh_cells(
    dataset: vtkDataSet, tetrahedralize: bool = False, lost: np.ndarray | None = None
) -> MeshCells:
    """The mesh of a dataset. tetrahedralize: whether VTK cuts other cells into tetrahedra; lost:
    points (p,) that are treated as hidden, bool.

    Raises FilterError if the dataset has no points, no such cells, or other cells.
    """
    if not dataset.GetNumberOfPoints():
        raise FilterError("The input mesh has no points.")
    identity = (*_times_of(dataset), tetrahedralize, lost is None)
    types, warnings = _types_of(dataset), []
    marks = _marks_of(dataset, lost)
    dimension = max((_kind(kind)[0] for kind in np.unique(types).tolist()), default=0)
    if dimension < 2:
        raise FilterError(
            f"The input mesh has neither tetrahedra nor triangles; its cells: {_counts_of(types)}."
        )
    top_type = VTK_TETRA if dimension == 3 else VTK_TRIANGLE
    kinds = np.unique(types).tolist()
    if marks is not None:
        # A hidden cell of a structured grid has no type.
        tops = [kind for kind in kinds if kind == 0 or _kind(kind)[0] == dimension]
        is_top = np.isin(types, tops)
        for mark, text in LEFT_OUT.items():
            if n := np.count_nonzero(is_top & (marks == mark)):
                warnings.append(text.format(n=n))
    others = [kind for kind in kinds if _kind(kind)[0] == dimension and kind != top_type]
    chosen = None
    if others:
        is_other = np.isin(types, others)
        if not tetrahedralize:
            raise FilterError(
                f"All cells must be {NAMES[dimension]}; got {is_other.sum():,} other cells "
                f"({_counts_of(types[is_other])}). {TETRAHEDRALIZE}"
            )
        dataset = _cut_up(dataset, marks)
        types, marks = _types_of(dataset), None if marks is None else _marks_of(dataset)
    is_lower = types != top_type
    if is_lower.any():
        warnings.append(
            f"{is_lower.sum():,} cells were left out, because the mesh consists of "
            f"{NAMES[dimension]} only ({_counts_of(types[is_lower])})."
        )
        chosen = ~is_lower
    if marks is not None:
        chosen = marks == 0 if chosen is None else chosen & (marks == 0)
    corners = _corners_of(dataset, types, top_type, dimension + 1, chosen)
    if chosen is not None:
        dataset = _with_cells(dataset, corners, np.flatnonzero(chosen), top_type)
    points = from_vtk(dataset.GetPoints().GetData()).reshape(-1, 3)
    if points.dtype.kind != "f":
        points = points.astype(np.float64)
    return MeshCells(dataset, points, corners, identity, tuple(warnings))


def _times_of(dataset: Any) -> tuple[int, ...]:
    """Modification times of the parts that define the mesh, which are unique in VTK."""
    if not is_mesh(dataset):
        return (dataset.GetMTime(),)
    parts = [*cell_arrays_of(dataset), dataset.GetPoints()]
    parts += [dataset.GetCellGhostArray(), dataset.GetPointGhostArray()]
    return tuple(part.GetMTime() for part in parts if part is not None)


def _types_of(dataset: Any) -> np.ndarray:
    if isinstance(dataset, vtkUnstructuredGrid):
        array = cell_types(dataset)
        return np.empty(0, np.uint8) if array is None else from_vtk(array)
    n = dataset.GetNumberOfCells()
    if isinstance(dataset, vtkPolyData):
        polygons = dataset.GetPolys()
        if polygons.GetNumberOfCells() == n and polygons.GetMaxCellSize() == 3:
            sizes = np.diff(from_vtk(polygons.GetOffsetsArray()))
            if (sizes == 3).all():
                return np.full(n, VTK_TRIANGLE, np.uint8)
    return np.fromiter((dataset.GetCellType(i) for i in range(n)), np.uint8, n)


def _marks_of(dataset: Any, lost: np.ndarray | None = None) -> np.ndarray | None:
    """DUPLICATE for cells of other pieces, HIDDEN for cells that are hidden or have a hidden or
    lost point, otherwise 0: (n,). None if all are 0.
    """
    marks = np.zeros(dataset.GetNumberOfCells(), np.uint8)
    is_hidden = np.zeros(dataset.GetNumberOfPoints(), bool) if lost is None else lost
    if (of_points := dataset.GetPointGhostArray()) is not None:
        is_hidden = is_hidden | ((from_vtk(of_points) & vtkDataSetAttributes.HIDDENPOINT) != 0)
    if is_hidden.any():
        marks[_cells_at(dataset, is_hidden)] = HIDDEN
    if (of_cells := dataset.GetCellGhostArray()) is not None:
        flags = from_vtk(of_cells)
        marks[(flags & HIDDEN) != 0] = HIDDEN
        marks[(flags & DUPLICATE) != 0] = DUPLICATE
    return marks if marks.any() else None


def _cells_at(dataset: Any, is_chosen: np.ndarray) -> np.ndarray:
    """Mask (n,) of the cells that have one of the chosen points (p,)."""
    if not is_mesh(dataset):
        ids, found = vtkIdList(), []
        for i in range(dataset.GetNumberOfCells()):
            dataset.GetCellPoints(i, ids)
            found.append(any(is_chosen[ids.GetId(k)] for k in range(ids.GetNumberOfIds())))
        return np.array(found, bool)
    is_at = [np.zeros(0, bool)]
    for cells in cell_arrays_of(dataset):
        if cells.GetNumberOfCells():
            chosen = is_chosen[from_vtk(cells.GetConnectivityArray())]
            n_before = np.concatenate([[0], np.cumsum(chosen)])
            is_at.append(np.diff(n_before[from_vtk(cells.GetOffsetsArray())]) > 0)
    return np.concatenate(is_at)


def _corners_of(
    dataset: Any, types: np.ndarray, top_type: int, n_corners: int, chosen: np.ndarray | None
) -> np.ndarray:
    """Points (n, n_corners) of the chosen cells."""
    cells = dataset.GetPolys() if isinstance(dataset, vtkPolyData) else dataset.GetCells()
    items = from_vtk(cells.GetConnectivityArray())
    if len(items) == n_corners * len(types) and (types == top_type).all():
        corners = items.reshape(-1, n_corners)
        return corners if chosen is None else corners[chosen]
    rows = np.flatnonzero(types == top_type if chosen is None else chosen)
    if isinstance(dataset, vtkPolyData):
        n_verts, n_lines = (
            dataset.GetVerts().GetNumberOfCells(),
            dataset.GetLines().GetNumberOfCells(),
        )
        rows = rows - (n_verts + n_lines)
    offsets = from_vtk(cells.GetOffsetsArray())
    begins = offsets[rows]
    wrong = np.flatnonzero(offsets[rows + 1] - begins != n_corners)
    if len(wrong):
        row = rows[wrong[0]]
        raise FilterError(
            f"Cells with the type of {NAMES[n_corners - 1]} must have {n_corners} points; got "
            f"{offsets[row + 1] - offsets[row]} points of cell {row} ({len(wrong):,} invalid "
            "cells). Recreate the types and the cells."
        )
    return np.asarray(items[begins[:, None] + np.arange(n_corners)])


def _cut_up(dataset: Any, marks: np.ndarray | None) -> Any:
    """All cells cut into tetrahedra, triangles, lines, and vertices, with their data and marks."""
    from vtkmodules.vtkFiltersGeneral import vtkDataSetTriangleFilter

    named = dataset.NewInstance()
    named.ShallowCopy(dataset)
    if not named.GetCellData().HasArray(ORIGINAL_CELLS):
        ids = ids_to_vtk(np.arange(dataset.GetNumberOfCells()), ORIGINAL_CELLS)
        named.GetCellData().AddArray(ids)
    if marks is not None:
        named.GetCellData().AddArray(to_vtk(marks, vtkDataSetAttributes.GhostArrayName()))
    cut = vtkDataSetTriangleFilter()
    cut.SetInputData(named)
    cut.Update()
    made = cut.GetOutput()
    if not isinstance(dataset, vtkPolyData):
        return made
    types = _types_of(made)
    chosen = types == VTK_TRIANGLE
    if marks is not None:  # which VTK loses here
        left = _marks_of(made)
        chosen = chosen if left is None else chosen & (left == 0)
    corners = _corners_of(made, types, VTK_TRIANGLE, 3, chosen)
    return _with_cells(made, corners, np.flatnonzero(chosen), VTK_TRIANGLE, dataset)


def _with_cells(
    dataset: Any, corners: np.ndarray, rows: np.ndarray, kind: int, like: Any = None
) -> Any:
    """Some cells (rows) of a dataset with all its points, as a dataset of the class of `like`."""
    like = dataset if like is None else like
    made = vtkPolyData() if isinstance(like, vtkPolyData) else vtkUnstructuredGrid()
    made.SetPoints(dataset.GetPoints())
    cells: vtkCellArray = cells_of_one_size(corners)
    if isinstance(made, vtkPolyData):
        made.SetPolys(cells)
    else:
        made.SetCells(kind, cells)
    made.GetPointData().ShallowCopy(dataset.GetPointData())
    made.GetFieldData().ShallowCopy(dataset.GetFieldData())
    taken = made.GetCellData()
    add_rows(taken, dataset.GetCellData(), rows)
    taken.RemoveArray(vtkDataSetAttributes.GhostArrayName())
    if not taken.HasArray(ORIGINAL_CELLS):
        taken.AddArray(ids_to_vtk(rows, ORIGINAL_CELLS))
    return made


@cache
def _kind(number: int) -> tuple[int, str]:
    """Dimension and class of a cell type; (0, "unknown") if there is none.

    Cached, because VTK never frees the cell that is made for it.
    """
    cell = vtkGenericCell.InstantiateCell(number)
    return (0, "unknown") if cell is None else (int(cell.GetCellDimension()), cell.GetClassName())


def _counts_of(types: np.ndarray) -> str:
    """The number of cells of each type, by VTK's classes."""
    kinds, counts = np.unique(types, return_counts=True)
    pairs = zip(kinds.tolist(), counts.tolist(), strict=True)
    return ", ".join(f"{count:,} {_kind(kind)[1]}" for kind, count in pairs) or "none"


def require_cells(dataset: Any, tetrahedralize: bool) -> None:
    """Raise FilterError unless a dataset is a mesh, or can be cut with `tetrahedralize`."""
    if dataset is None:
        raise FilterError(NO_INPUT)
    if not is_mesh(dataset) and not (tetrahedralize and can_be_cut(dataset)):
        expected = "a mesh of tetrahedra or triangles (vtkUnstructuredGrid, vtkPolyData)"
        remedy = TETRAHEDRALIZE if can_be_cut(dataset) else f"Apply {FILTER}"
        raise FilterError("input", expected, Words(dataset.GetClassName()), remedy)


def can_be_cut(dataset: Any) -> bool:
    """Whether a dataset can be cut into a mesh; images are not, so their outputs are images."""
    return isinstance(dataset, vtkDataSet) and not isinstance(dataset, vtkImageData)
