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
from vtkmodules.vtkCommonDataModel import (
    vtkDataSet,
    vtkDataSetAttributes,
    vtkGenericCell,
    vtkImageData,
    vtkPolyData,
    vtkUnstructuredGrid,
)

from separatrix.errors import Words
from separatrix_vtk.base.arrays import add_rows, cells_of_one_size, from_vtk, ids_to_vtk, to_vtk
from separatrix_vtk.base.computing import counted
from separatrix_vtk.base.datasets import cell_arrays_of
from separatrix_vtk.base.errors import NO_INPUT, FilterError
from separatrix_vtk.base.join import as_grid, cell_types
from separatrix_vtk.filters.mesh.cut import LAST_LINEAR, Cells, cut_cells

FILTER = "the filter Tetrahedralize (in VTK vtkDataSetTriangleFilter)."
TETRAHEDRALIZE = "Set {tetrahedralize=True}, or apply " + FILTER
DUPLICATE, HIDDEN = vtkDataSetAttributes.DUPLICATECELL, vtkDataSetAttributes.HIDDENCELL
LEFT_OUT = {
    DUPLICATE: "{n:,} ghost cells were ignored, because another piece owns them (array "
    "'vtkGhostType'). If there is no other piece, remove that array (Pass Arrays) to include them.",
    HIDDEN: "{n:,} hidden cells were ignored (blanking, array 'vtkGhostType', or NaN at a point).",
}
ORIGINAL_CELLS = "vtkOriginalCellIds"
NAMES = {2: "triangles", 3: "tetrahedra"}


@dataclass(frozen=True)
class MeshCells:
    """points (V, 3) in VTK's type, and corners (n, dimension + 1) of the cells of `dataset`.

    `dataset` is the input or a subset of its cells; `identity` is unique to the mesh; `warnings`
    describe the cells that were ignored.
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
    given, warnings = dataset, []
    cells = _cells_of(dataset)
    kinds = np.unique(cells.types).tolist()
    dimension = max((kind_of_cell_type(kind)[0] for kind in kinds), default=0)
    if dimension < 2:
        raise FilterError(
            "The input mesh has neither tetrahedra nor triangles; its cells: "
            f"{_counts_of(cells.types)}."
        )
    top_type = VTK_TETRA if dimension == 3 else VTK_TRIANGLE
    marks = _marks_of(dataset, cells, lost)
    # A hidden cell of a structured grid has no type.
    tops = [kind for kind in kinds if kind == 0 or kind_of_cell_type(kind)[0] == dimension]
    of_top = marks[np.isin(cells.types, tops)] if marks.any() else marks
    for mark, text in LEFT_OUT.items():
        if n := np.count_nonzero(of_top == mark):
            warnings.append(text.format(n=n))
    if others := [kind for kind in tops if kind not in (0, top_type)]:
        is_other = np.isin(cells.types, others)
        if not tetrahedralize:
            n_others = int(is_other.sum())
            # Between others, the filter of VTK may leave gaps.
            are_linear = dimension == 2 or max(others) <= LAST_LINEAR
            remedy = TETRAHEDRALIZE if are_linear else "Set {tetrahedralize=True}."
            raise FilterError(
                f"All cells must be {NAMES[dimension]}; got {counted(n_others, 'other cells')} "
                f"({_counts_of(cells.types[is_other])}). {remedy}"
            )
        dataset = _cut_up(dataset, cells, marks)
        cells = _cells_of(dataset)
        marks = _marks_of(dataset, cells)
    is_lower = cells.types != top_type
    if is_lower.any():
        warnings.append(
            f"{is_lower.sum():,} cells were ignored, because the mesh consists of "
            f"{NAMES[dimension]} only ({_counts_of(cells.types[is_lower])})."
        )
    is_chosen = ~is_lower & (marks == 0)
    are_polygons = isinstance(given, vtkPolyData)
    if is_chosen.all() and isinstance(dataset, vtkPolyData) == are_polygons:
        corners = _corners_of(cells, slice(None), dimension + 1)
    else:
        rows = np.flatnonzero(is_chosen)
        corners = _corners_of(cells, rows, dimension + 1)
        dataset = _with_cells(dataset, corners, rows, top_type, are_polygons)
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


def _cells_of(dataset: Any) -> Cells:
    if isinstance(dataset, vtkPolyData):
        cells, n = dataset.GetPolys(), dataset.GetNumberOfCells()
        if n and cells.GetNumberOfCells() == n and cells.GetMaxCellSize() == 3:
            offsets = from_vtk(cells.GetOffsetsArray())
            if (np.diff(offsets) == 3).all():
                types = np.full(n, VTK_TRIANGLE, np.uint8)
                return Cells(types, offsets, from_vtk(cells.GetConnectivityArray()))
    if not isinstance(dataset, vtkUnstructuredGrid):
        dataset = as_grid(dataset)
    if not dataset.GetNumberOfCells():
        return Cells(np.empty(0, np.uint8), np.zeros(1, np.int64), np.empty(0, np.int64))
    both = (dataset.GetCells().GetOffsetsArray(), dataset.GetCells().GetConnectivityArray())
    return Cells(from_vtk(cell_types(dataset)), *map(from_vtk, both))


def _marks_of(dataset: Any, cells: Cells, lost: np.ndarray | None = None) -> np.ndarray:
    """DUPLICATE for cells of other pieces, HIDDEN for cells that are hidden or have a hidden or
    lost point, otherwise 0: (n,).
    """
    marks = np.zeros(len(cells.types), np.uint8)
    is_hidden = np.zeros(dataset.GetNumberOfPoints(), bool) if lost is None else lost
    if (of_points := dataset.GetPointGhostArray()) is not None:
        is_hidden = is_hidden | ((from_vtk(of_points) & vtkDataSetAttributes.HIDDENPOINT) != 0)
    if is_hidden.any():
        n_before = np.concatenate([[0], np.cumsum(is_hidden[cells.items])])
        marks[np.diff(n_before[cells.offsets]) > 0] = HIDDEN
    if (of_cells := dataset.GetCellGhostArray()) is not None:
        flags = from_vtk(of_cells)
        marks[(flags & HIDDEN) != 0] = HIDDEN
        marks[(flags & DUPLICATE) != 0] = DUPLICATE
    return marks


def _corners_of(cells: Cells, rows: Any, n_corners: int) -> np.ndarray:
    """Points (k, n_corners) of some cells: their numbers (k,), or a slice."""
    sizes = np.diff(cells.offsets)
    wrong = sizes != n_corners
    if not wrong.any():
        return cells.items.reshape(-1, n_corners)[rows]
    if len(bad := np.arange(len(sizes))[rows][wrong[rows]]):
        raise FilterError(
            f"Cells with the type of {NAMES[n_corners - 1]} must have {n_corners} points; got "
            f"{sizes[bad[0]]} points of cell {bad[0]} ({len(bad):,} invalid cells). Recreate the "
            "types and the cells."
        )
    return cells.points_of(rows, n_corners)


def _cut_up(dataset: Any, cells: Cells, marks: np.ndarray) -> Any:
    """All cells cut into tetrahedra, triangles, lines, and vertices, with their data and marks."""
    named = dataset.NewInstance()
    named.ShallowCopy(dataset)
    if not named.GetCellData().HasArray(ORIGINAL_CELLS):
        ids = ids_to_vtk(np.arange(dataset.GetNumberOfCells()), ORIGINAL_CELLS)
        named.GetCellData().AddArray(ids)
    if marks.any():
        named.GetCellData().AddArray(to_vtk(marks, vtkDataSetAttributes.GhostArrayName()))
    return cut_cells(named, cells, _cells_of)


def _with_cells(
    dataset: Any, corners: np.ndarray, rows: np.ndarray, kind: int, are_polygons: bool
) -> Any:
    """Some cells (rows) of a dataset with all its points, as polygons or a grid."""
    made = vtkPolyData() if are_polygons else vtkUnstructuredGrid()
    made.SetPoints(dataset.GetPoints())
    if are_polygons:
        made.SetPolys(cells_of_one_size(corners))
    else:
        made.SetCells(kind, cells_of_one_size(corners))
    made.GetPointData().ShallowCopy(dataset.GetPointData())
    made.GetFieldData().ShallowCopy(dataset.GetFieldData())
    taken = made.GetCellData()
    add_rows(taken, dataset.GetCellData(), rows)
    taken.RemoveArray(vtkDataSetAttributes.GhostArrayName())
    if not taken.HasArray(ORIGINAL_CELLS):
        taken.AddArray(ids_to_vtk(rows, ORIGINAL_CELLS))
    return made


@cache
def kind_of_cell_type(number: int) -> tuple[int, str]:
    """Dimension and class of a cell type; (0, "unknown") if there is none.

    Cached, because VTK never frees the cell that is made for it.
    """
    cell = vtkGenericCell.InstantiateCell(number)
    return (0, "unknown") if cell is None else (int(cell.GetCellDimension()), cell.GetClassName())


def _counts_of(types: np.ndarray) -> str:
    """The number of cells of each type, by VTK's classes."""
    kinds, counts = np.unique(types, return_counts=True)
    pairs = zip(kinds.tolist(), counts.tolist(), strict=True)
    return ", ".join(f"{count:,} {kind_of_cell_type(kind)[1]}" for kind, count in pairs) or "none"


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
