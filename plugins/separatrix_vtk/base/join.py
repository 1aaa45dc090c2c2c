"""Join the pieces of a dataset, because topology requires the whole.

Images are joined by their extents and must cover their bounding box. Ghost cells of meshes are
removed, and points that pieces share are merged: by global ids if all pieces have them, otherwise
by equal coordinates. Point sets without cells keep all points except ghosts. Data of a shared point
are those of the first piece that owns it. Arrays that any piece lacks are omitted.

Points and cells are in the order of the pieces; points with global ids are in the order of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkDataArray
from vtkmodules.vtkCommonDataModel import (
    VTK_POLYHEDRON,
    vtkDataObject,
    vtkDataSet,
    vtkDataSetAttributes,
    vtkImageData,
    vtkMolecule,
    vtkPointSet,
    vtkPolyData,
    vtkTable,
    vtkUnstructuredGrid,
)
from vtkmodules.vtkFiltersCore import vtkAppendFilter, vtkAppendPolyData, vtkMoleculeAppend

from separatrix_vtk.base.arrays import (
    add_rows,
    arrays_in,
    cells_of,
    fill_polydata,
    from_vtk,
    vtk_points,
)
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.join_images import GHOSTS, joined_images

DUPLICATE_POINT = vtkDataSetAttributes.DUPLICATEPOINT
HIDDEN_POINT = vtkDataSetAttributes.HIDDENPOINT
DUPLICATE_CELL = vtkDataSetAttributes.DUPLICATECELL
KINDS = (vtkImageData, vtkTable, vtkMolecule, vtkPolyData, vtkDataSet)  # each joins with itself


def joined(pieces: Sequence[Any], is_point_set: bool) -> tuple[Any, int]:
    """The dataset of all pieces, and the number of points that were merged.

    A single piece that is not empty is the dataset itself, unless it is a mesh that repeats global
    ids, as readers of files in pieces return it.

    is_point_set: whether only the points are used, not the cells.
    """
    filled = [piece for piece in pieces if size_of(piece)]
    if not filled or (len(filled) == 1 and (is_point_set or not repeats_points(filled[0]))):
        return next(iter(filled or pieces), None), 0
    kinds = {next((k for k in KINDS if isinstance(piece, k)), vtkDataObject) for piece in filled}
    if len(kinds) > 1 and not kinds <= {vtkPolyData, vtkDataSet}:
        names = sorted({piece.GetClassName() for piece in filled})
        raise FilterError(
            f"The pieces of the input must be of one kind; got {', '.join(names)}. Make them "
            "blocks of a multi-block dataset (Group Datasets)."
        )
    if kinds == {vtkImageData}:
        return joined_images(filled), 0
    if kinds == {vtkTable}:
        return _joined_tables(filled), 0
    if kinds == {vtkMolecule}:
        append = vtkMoleculeAppend()
        append.MergeCoincidentAtomsOff()
        return _appended(append, filled), 0
    if kinds == {vtkDataObject}:
        raise FilterError(f"Pieces of a {filled[0].GetClassName()} cannot be joined.")
    return _joined_cells(filled, is_point_set)


def repeats_points(dataset: Any) -> bool:
    """Whether a mesh has points at one place with equal global ids, and none elsewhere.

    Where they are at different places, the ids are not global, as after *Append Datasets*.
    O(n log n), or O(n) for ascending ids.
    """
    if not isinstance(dataset, (vtkPolyData, vtkUnstructuredGrid)):
        return False
    if (array := dataset.GetPointData().GetGlobalIds()) is None:
        return False
    ids = from_vtk(array)
    if (ids[1:] > ids[:-1]).all():
        return False
    _, first, place = np.unique(ids, return_index=True, return_inverse=True)
    positions = from_vtk(dataset.GetPoints().GetData())
    return len(first) < len(ids) and bool((positions[first][place] == positions).all())


def size_of(dataset: Any) -> int:
    """Number of points, rows, or atoms."""
    kinds = (vtkDataObject.POINT, vtkDataObject.ROW, vtkDataObject.VERTEX)
    return max(dataset.GetNumberOfElements(kind) for kind in kinds)


def _joined_tables(pieces: list[Any]) -> Any:
    table = vtkTable()
    data = [piece.GetRowData() for piece in pieces]
    for first in arrays_in(data[0]):
        columns = [part.GetAbstractArray(first.GetName()) for part in data]
        if any(column is None or not _is_alike(column, first) for column in columns):
            continue
        column = first.NewInstance()
        column.DeepCopy(first)
        for other in columns[1:]:
            n = column.GetNumberOfTuples()
            column.InsertTuples(n, other.GetNumberOfTuples(), 0, other)
        table.AddColumn(column)
    return table


def _is_alike(column: Any, other: Any) -> bool:
    """Whether columns can be concatenated: both numbers or both texts, of as many components."""
    same_kind = isinstance(column, vtkDataArray) == isinstance(other, vtkDataArray)
    return same_kind and column.GetNumberOfComponents() == other.GetNumberOfComponents()


def _appended(append: Any, pieces: list[Any]) -> Any:
    for piece in pieces:
        append.AddInputDataObject(piece)
    append.Update()
    return append.GetOutput()


def as_grid(dataset: Any) -> vtkUnstructuredGrid:
    """A dataset of any class as an unstructured grid."""
    return _appended(vtkAppendFilter(), [dataset])


# === cells and points


def _joined_cells(pieces: list[Any], is_point_set: bool) -> tuple[Any, int]:
    has_cells = any(p.GetMaxCellSize() > 1 and p.GetNumberOfCells() for p in pieces)
    of_points = is_point_set and not has_cells
    parts = [_owned_points(piece) if of_points else _owned_cells(piece) for piece in pieces]
    parts = [part for part in parts if part.GetNumberOfPoints()] or parts[:1]
    are_polygons = all(isinstance(part, vtkPolyData) for part in parts)
    whole = _appended(vtkAppendPolyData() if are_polygons else vtkAppendFilter(), parts)
    whole.GetFieldData().ShallowCopy(parts[0].GetFieldData())
    if of_points:
        return whole, 0
    of_piece = np.repeat(np.arange(len(parts)), [part.GetNumberOfPoints() for part in parts])
    return _with_shared_points(whole, of_piece if is_point_set else None)


def owned_points(dataset: Any) -> Any:
    """A point set without points of other pieces and hidden ones, by its ghost array.

    If it has cells of several points, cells of other pieces are removed, with their own points.
    """
    if not isinstance(dataset, vtkPointSet):
        return dataset
    if dataset.GetNumberOfCells() and dataset.GetMaxCellSize() > 1:
        ghosts = dataset.GetCellGhostArray()
        has_ghosts = ghosts is not None and (from_vtk(ghosts) & DUPLICATE_CELL).any()
        return _owned_cells(dataset) if has_ghosts else dataset
    return _owned_points(dataset)


def _owned_points(piece: Any) -> Any:
    """A point set without its ghost points and hidden ones, as vertices."""
    ghosts = piece.GetPointGhostArray()
    if ghosts is None:
        return piece
    is_owned = (from_vtk(ghosts) & (DUPLICATE_POINT | HIDDEN_POINT)) == 0
    if is_owned.all():
        return piece
    rows, made = np.flatnonzero(is_owned), vtkPolyData()
    fill_polydata(made, from_vtk(piece.GetPoints().GetData())[rows], vertices=True)
    add_rows(made.GetPointData(), piece.GetPointData(), rows)
    made.GetPointData().RemoveArray(GHOSTS)
    made.GetFieldData().ShallowCopy(piece.GetFieldData())
    return made


def _owned_cells(piece: Any) -> Any:
    """A grid without its ghost cells and their own points."""
    if not isinstance(piece, (vtkPolyData, vtkUnstructuredGrid)):
        piece = as_grid(piece)
    can_join_polyhedra = hasattr(vtkUnstructuredGrid, "SetPolyhedralCells")
    if isinstance(piece, vtkUnstructuredGrid) and has_polyhedra(piece) and not can_join_polyhedra:
        raise FilterError(
            "Pieces of the input contain polyhedra, which VTK before 9.4 cannot join. Apply "
            "Tetrahedralize (in VTK vtkDataSetTriangleFilter)."
        )
    ghosts = piece.GetCellGhostArray()
    if ghosts is None or not (from_vtk(ghosts) & DUPLICATE_CELL).any():
        return piece
    owned = piece.NewInstance()
    owned.ShallowCopy(piece)
    owned.RemoveGhostCells()
    return owned


def _with_shared_points(whole: Any, of_piece: np.ndarray | None) -> tuple[Any, int]:
    """The grid with equal points merged. of_piece (n,): points of one piece are not merged."""
    n = whole.GetNumberOfPoints()
    positions = from_vtk(whole.GetPoints().GetData()).reshape(n, 3)
    ids = whole.GetPointData().GetGlobalIds()
    ghosts = whole.GetPointData().GetArray(GHOSTS)
    is_ghost = np.zeros(n, bool) if ghosts is None else from_vtk(ghosts) & DUPLICATE_POINT != 0
    if ids is not None:
        columns = [from_vtk(ids)]
    else:
        columns = [positions[:, axis] + 0.0 for axis in range(3)]  # -0.0 is 0.0
        if of_piece is not None:
            columns.append(_occurrence([*columns, of_piece]))
    first, place = _groups(columns, is_ghost)
    if ids is None:
        order = np.argsort(first, kind="stable")
        renumbered = np.empty_like(order)
        renumbered[order] = np.arange(len(order))
        first, place = first[order], renumbered[place]
    elif (differ := (positions[first][place] != positions).any(axis=1)).any():
        row = int(differ.argmax())
        one, other = (tuple(positions[i].tolist()) for i in (first[place[row]], row))
        raise FilterError(
            f"Points of equal global ids must be at the same place; got id {columns[0][row]} at "
            f"{one} and at {other}. Correct the ids, or remove them (Pass Arrays) to join points "
            "by their coordinates."
        )
    if len(first) == n and ids is None:
        return whole, 0
    return _renumbered(whole, positions, first, place), n - len(first)


def _sorted_runs(columns: list[np.ndarray], *ties: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The order (n,) of rows by columns and then ties, and where rows differ in columns (n,)."""
    order = np.lexsort((*ties, *columns[::-1]))
    is_new = np.zeros(len(order), bool)
    is_new[:1] = True
    for column in columns:
        is_new[1:] |= column[order[1:]] != column[order[:-1]]
    return order, is_new


def _groups(columns: list[np.ndarray], is_late: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Groups of rows that are equal in all columns, ascending by their columns.

    Returns the first row of each group (k,), a late one only if all are, and the group of each row
    (n,).
    """
    order, is_new = _sorted_runs(columns, is_late)
    place = np.empty(len(order), np.int64)
    place[order] = np.cumsum(is_new) - 1
    return order[is_new], place


def _occurrence(columns: list[np.ndarray]) -> np.ndarray:
    """Number of equal rows before each row: (n,)."""
    order, is_new = _sorted_runs(columns)
    found = np.empty(len(order), np.int64)
    found[order] = np.arange(len(order)) - np.flatnonzero(is_new)[np.cumsum(is_new) - 1]
    return found


def _renumbered(whole: Any, positions: np.ndarray, rows: np.ndarray, place: np.ndarray) -> Any:
    """The grid over some of its points (rows); point i becomes point place[i]."""
    made = whole.NewInstance()
    made.SetPoints(vtk_points(np.ascontiguousarray(positions[rows])))
    if isinstance(whole, vtkPolyData):
        for kind in ("Verts", "Lines", "Polys", "Strips"):
            cells = getattr(whole, f"Get{kind}")()
            if cells.GetNumberOfCells():
                getattr(made, f"Set{kind}")(_over(cells, place))
    elif whole.GetNumberOfCells():
        types, cells = cell_types(whole), _over(whole.GetCells(), place)
        if has_polyhedra(whole):
            faces = _over(whole.GetPolyhedronFaces(), place)
            made.SetPolyhedralCells(types, cells, whole.GetPolyhedronFaceLocations(), faces)
        else:
            made.SetCells(types, cells)
    add_rows(made.GetPointData(), whole.GetPointData(), rows)
    made.GetPointData().RemoveArray(GHOSTS)
    made.GetCellData().ShallowCopy(whole.GetCellData())
    made.GetFieldData().ShallowCopy(whole.GetFieldData())
    return made


def cell_types(grid: vtkUnstructuredGrid) -> vtkDataArray:
    """VTK's types of all cells, as the array of a grid."""
    try:
        return grid.GetCellTypes()
    except TypeError:  # before VTK 9.6
        return grid.GetCellTypesArray()


def has_polyhedra(grid: vtkUnstructuredGrid) -> bool:
    """Whether some cells are polyhedra, whose faces are stored separately."""
    if not grid.GetNumberOfCells():
        return False
    return bool((from_vtk(cell_types(grid)) == VTK_POLYHEDRON).any())


def _over(cells: Any, place: np.ndarray) -> Any:
    items = from_vtk(cells.GetConnectivityArray())
    return cells_of(from_vtk(cells.GetOffsetsArray()), place[items])
