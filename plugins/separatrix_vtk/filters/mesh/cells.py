"""The tetrahedra or the triangles of a VTK dataset as arrays, sharing its memory where they can.

Cells of the highest dimension there is make the mesh. Where others stand beside them (vertices,
lines, the triangles of a surface, ghosts) the mesh is a dataset of its own, so that the number of a
cell is its number in the outputs; the array vtkOriginalCellIds tells which one of the input it was.
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

from separatrix_vtk.base.arrays import add_rows, cells_of_one_size, from_vtk, ids_to_vtk, to_vtk
from separatrix_vtk.base.errors import FilterError

FILTER_FIRST = "apply the filter Tetrahedralize (in VTK vtkDataSetTriangleFilter) first"
TETRAHEDRALIZE = "set {tetrahedralize=True}, or " + FILTER_FIRST
DUPLICATE, HIDDEN = vtkDataSetAttributes.DUPLICATECELL, vtkDataSetAttributes.HIDDENCELL
LEFT_OUT = {
    DUPLICATE: "{n:,} ghost cells were left out, which another piece owns (array 'vtkGhostType'); "
    "if there is no other piece, drop that array (Pass Arrays) to have them count",
    HIDDEN: "{n:,} hidden cells were left out (blanking, array 'vtkGhostType')",
}
ORIGINAL_CELLS = "vtkOriginalCellIds"
NAMES = {2: "triangles", 3: "tetrahedra"}


@dataclass(frozen=True)
class MeshCells:
    """points (V, 3), as VTK has them, and corners (n, dimension + 1) of the cells of `dataset`.

    `dataset` is the input, or one made of some of its cells; `identity` tells the mesh from every
    other; `warnings` say what was left out.
    """

    dataset: Any
    points: np.ndarray
    corners: np.ndarray
    identity: Hashable
    warnings: tuple[str, ...] = field(default=())

    @property
    def dimension(self) -> int:
        """3 of tetrahedra, 2 of triangles."""
        return int(self.corners.shape[1]) - 1


def is_mesh(dataset: Any) -> bool:
    """Whether a dataset has cells of its own, which may be tetrahedra or triangles."""
    return isinstance(dataset, (vtkUnstructuredGrid, vtkPolyData))


def mesh_cells(dataset: vtkDataSet, tetrahedralize: bool = False) -> MeshCells:
    """The mesh of a dataset. tetrahedralize: cells of other kinds are cut up by VTK.

    Raises FilterError for a dataset without points, or without such cells, and for other cells.
    """
    if not dataset.GetNumberOfPoints():
        raise FilterError("the input mesh is empty: it has no points")
    identity = (*_times_of(dataset), tetrahedralize)
    types, warnings = _types_of(dataset), []
    marks = _marks_of(dataset)
    dimension = max((_dimension_of(kind) for kind in np.unique(types).tolist()), default=0)
    if dimension < 2:
        raise FilterError(
            f"the input mesh has no tetrahedra and no triangles; its cells: {_told(types)}"
        )
    wanted = VTK_TETRA if dimension == 3 else VTK_TRIANGLE
    kinds = np.unique(types).tolist()
    if marks is not None:
        # A cell that a structured grid hides is of no kind.
        tops = [kind for kind in kinds if kind == 0 or _dimension_of(kind) == dimension]
        is_top = np.isin(types, tops)
        for mark, text in LEFT_OUT.items():
            if n := np.count_nonzero(is_top & (marks == mark)):
                warnings.append(text.format(n=n))
    others = [kind for kind in kinds if _dimension_of(kind) == dimension and kind != wanted]
    chosen = None
    if others:
        is_other = np.isin(types, others)
        if not tetrahedralize:
            raise FilterError(
                f"{is_other.sum():,} cells of the mesh are no {NAMES[dimension]} "
                f"({_told(types[is_other])}): {TETRAHEDRALIZE}"
            )
        dataset = _cut_up(dataset, marks)
        types, marks = _types_of(dataset), None if marks is None else _marks_of(dataset)
    is_lower = types != wanted
    if is_lower.any():
        warnings.append(
            f"{is_lower.sum():,} cells were left out, the mesh is made of {NAMES[dimension]} alone "
            f"({_told(types[is_lower])})"
        )
        chosen = ~is_lower
    if marks is not None:
        chosen = marks == 0 if chosen is None else chosen & (marks == 0)
    corners = _corners_of(dataset, types, wanted, dimension + 1, chosen)
    if chosen is not None:
        dataset = _with_cells(dataset, corners, np.flatnonzero(chosen), wanted)
    points = from_vtk(dataset.GetPoints().GetData()).reshape(-1, 3)
    if points.dtype.kind != "f":
        points = points.astype(np.float64)
    return MeshCells(dataset, points, corners, identity, tuple(warnings))


def _times_of(dataset: Any) -> tuple[int, ...]:
    """When what makes the mesh was last changed: VTK gives no time twice."""
    if isinstance(dataset, vtkUnstructuredGrid):
        parts = [dataset.GetCells()]
    elif isinstance(dataset, vtkPolyData):
        parts = [dataset.GetPolys(), dataset.GetStrips(), dataset.GetLines(), dataset.GetVerts()]
    else:
        return (dataset.GetMTime(),)
    parts += [dataset.GetPoints(), dataset.GetCellGhostArray(), dataset.GetPointGhostArray()]
    return tuple(part.GetMTime() for part in parts if part is not None)  # a mesh without cells


def _types_of(dataset: Any) -> np.ndarray:
    """VTK's number of the kind of each cell."""
    if isinstance(dataset, vtkUnstructuredGrid):
        try:
            array = dataset.GetCellTypes()
        except TypeError:  # before VTK 9.6
            array = dataset.GetCellTypesArray()
        return np.empty(0, np.uint8) if array is None else from_vtk(array)
    n = dataset.GetNumberOfCells()
    if isinstance(dataset, vtkPolyData):
        polygons, before = dataset.GetPolys(), _n_before_polygons(dataset)
        if polygons.GetNumberOfCells() == n and polygons.GetMaxCellSize() == 3:
            sizes = np.diff(from_vtk(polygons.GetOffsetsArray()))
            if (sizes == 3).all():
                return np.full(n, VTK_TRIANGLE, np.uint8)
        assert before <= n
    return np.fromiter((dataset.GetCellType(i) for i in range(n)), np.uint8, n)


def _n_before_polygons(data: vtkPolyData) -> int:
    return data.GetVerts().GetNumberOfCells() + data.GetLines().GetNumberOfCells()


def _marks_of(dataset: Any) -> np.ndarray | None:
    """DUPLICATE of each cell that another piece owns, HIDDEN of one that is hidden or has a hidden
    point, else 0: (n,); None where no cell is so.
    """
    marks = np.zeros(dataset.GetNumberOfCells(), np.uint8)
    if (of_points := dataset.GetPointGhostArray()) is not None:
        is_hidden = (from_vtk(of_points) & vtkDataSetAttributes.HIDDENPOINT) != 0
        if is_hidden.any():
            marks[_cells_at(dataset, is_hidden)] = HIDDEN
    if (of_cells := dataset.GetCellGhostArray()) is not None:
        flags = from_vtk(of_cells)
        marks[(flags & HIDDEN) != 0] = HIDDEN
        marks[(flags & DUPLICATE) != 0] = DUPLICATE
    return marks if marks.any() else None


def _cells_at(dataset: Any, is_chosen: np.ndarray) -> np.ndarray:
    """Which cells (n,) have one of the points that are chosen (p,)."""
    if isinstance(dataset, vtkUnstructuredGrid):
        parts = [dataset.GetCells()]
    elif isinstance(dataset, vtkPolyData):
        parts = [dataset.GetVerts(), dataset.GetLines(), dataset.GetPolys(), dataset.GetStrips()]
    else:
        ids, found = vtkIdList(), []
        for i in range(dataset.GetNumberOfCells()):
            dataset.GetCellPoints(i, ids)
            found.append(any(is_chosen[ids.GetId(k)] for k in range(ids.GetNumberOfIds())))
        return np.array(found, bool)
    is_at = []
    for cells in parts:
        if cells is None or not cells.GetNumberOfCells():
            continue
        chosen = is_chosen[from_vtk(cells.GetConnectivityArray())]
        n_before = np.concatenate([[0], np.cumsum(chosen)])
        is_at.append(np.diff(n_before[from_vtk(cells.GetOffsetsArray())]) > 0)
    return np.concatenate(is_at) if is_at else np.zeros(0, bool)


def _corners_of(
    dataset: Any, types: np.ndarray, wanted: int, n_corners: int, chosen: np.ndarray | None
) -> np.ndarray:
    """Points (n, n_corners) of the chosen cells."""
    cells = dataset.GetPolys() if isinstance(dataset, vtkPolyData) else dataset.GetCells()
    items = from_vtk(cells.GetConnectivityArray())
    if len(items) == n_corners * len(types) and (types == wanted).all():
        corners = items.reshape(-1, n_corners)
        return corners if chosen is None else corners[chosen]
    rows = np.flatnonzero(types == wanted if chosen is None else chosen)
    if isinstance(dataset, vtkPolyData):
        rows = rows - _n_before_polygons(dataset)
    offsets = from_vtk(cells.GetOffsetsArray())
    begins = offsets[rows]
    wrong = np.flatnonzero(offsets[rows + 1] - begins != n_corners)
    if len(wrong):
        row = rows[wrong[0]]
        raise FilterError(
            f"{len(wrong):,} cells of the mesh are {NAMES[n_corners - 1]} by their type but have "
            f"not {n_corners} points: the first of them is cell {row}, of "
            f"{offsets[row + 1] - offsets[row]} points; make the types and the cells anew"
        )
    return np.asarray(items[begins[:, None] + np.arange(n_corners)])


def _cut_up(dataset: Any, marks: np.ndarray | None) -> Any:
    """All cells cut into tetrahedra, triangles, lines and vertices, their data copied. The parts
    of a marked cell (marks: (n,), or None) are marked.
    """
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
    if marks is not None:  # which are lost here
        left = _marks_of(made)
        chosen = chosen if left is None else chosen & (left == 0)
    corners = _corners_of(made, types, VTK_TRIANGLE, 3, chosen)
    return _with_cells(made, corners, np.flatnonzero(chosen), VTK_TRIANGLE, dataset)


def _with_cells(
    dataset: Any, corners: np.ndarray, rows: np.ndarray, kind: int, like: Any = None
) -> Any:
    """A dataset of some cells (rows) of another, with all its points, of the class of `like`."""
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
    """Dimension and class of a kind of cells by VTK's number; (0, "unknown") if there is none.

    Kept, since Python never lets go of the cell that VTK makes to be asked.
    """
    cell = vtkGenericCell.InstantiateCell(number)
    return (0, "unknown") if cell is None else (int(cell.GetCellDimension()), cell.GetClassName())


def _dimension_of(kind: int) -> int:
    return _kind(kind)[0]


def _told(types: np.ndarray) -> str:
    """How many cells there are of each kind, in VTK's words."""
    kinds, counts = np.unique(types, return_counts=True)
    told = [
        f"{count:,} {_kind(kind)[1]}"
        for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True)
    ]
    return ", ".join(told) or "none"


def require_cells(dataset: Any, tetrahedralize: bool) -> None:
    """Complain about a dataset that is no mesh; with `tetrahedralize` any but an image will do."""
    if dataset is None:
        raise FilterError("there is no input dataset")
    if not is_mesh(dataset) and not (tetrahedralize and can_be_cut(dataset)):
        raise FilterError(
            f"the input is a {dataset.GetClassName()}, this filter works on meshes of tetrahedra "
            "or triangles (vtkUnstructuredGrid, vtkPolyData): "
            + (TETRAHEDRALIZE if can_be_cut(dataset) else FILTER_FIRST)
        )


def can_be_cut(dataset: Any) -> bool:
    """Whether a dataset can be cut into a mesh. An image stays one: its outputs are images."""
    return isinstance(dataset, vtkDataSet) and not isinstance(dataset, vtkImageData)
