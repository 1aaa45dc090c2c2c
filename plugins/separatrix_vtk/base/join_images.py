"""Join pieces of an image by their extents."""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes, vtkImageData

from separatrix_vtk.base.arrays import NOT_ACTIVE, from_vtk, to_vtk
from separatrix_vtk.base.datasets import direction_of
from separatrix_vtk.base.errors import FilterError

GHOSTS = vtkDataSetAttributes.GhostArrayName()
RESAMPLE = "Apply Resample To Image (in VTK vtkResampleToImage)."
MAX_ROUNDING = 1e-3  # of a voxel, to which origins may be rounded
Extent = tuple[int, ...]


def joined_images(pieces: list[Any]) -> vtkImageData:
    """The image of all pieces, with the indices and the origin of the first.

    Raises FilterError if they are not of one grid or leave points of their box uncovered.
    """
    extents = _extents(pieces)
    whole = vtkImageData()
    whole.CopyStructure(pieces[0])
    box = np.array(extents).reshape(-1, 3, 2)
    ends = np.stack([box[:, :, 0].min(axis=0), box[:, :, 1].max(axis=0)], axis=1).reshape(-1)
    whole.SetExtent(*ends.tolist())
    whole.GetPointData().Initialize()  # the structure includes ghost arrays
    whole.GetCellData().Initialize()
    for of_cells in (False, True):
        _paste(whole, pieces, extents, of_cells)
    whole.GetFieldData().ShallowCopy(pieces[0].GetFieldData())
    return whole


def _extents(pieces: list[Any]) -> list[Extent]:
    """Extents (6,) of the pieces in the indices of the first."""
    first, extents = pieces[0], []
    spacing, origin = np.array(first.GetSpacing()), np.array(first.GetOrigin())
    turn = direction_of(first)
    for i, piece in enumerate(pieces):
        same = np.allclose(spacing, piece.GetSpacing(), rtol=1e-6, atol=0.0)
        if not same or not np.allclose(turn, direction_of(piece), atol=1e-9):
            raise FilterError(
                "The pieces of the image must be of one grid; got spacing "
                f"{tuple(first.GetSpacing())} for the first piece, {tuple(piece.GetSpacing())} for "
                f"piece {i}. {RESAMPLE}"
            )
        steps = np.linalg.solve(turn, np.array(piece.GetOrigin()) - origin)
        steps = np.divide(steps, spacing, out=np.zeros(3), where=spacing != 0)
        shift = np.rint(steps)
        if (np.abs(steps - shift) > MAX_ROUNDING).any():
            raise FilterError(
                f"The pieces of the image must be of one grid; that of piece {i} is shifted by "
                f"{np.abs(steps - shift).max():.3g} of a voxel. {RESAMPLE}"
            )
        extents.append(tuple((np.array(piece.GetExtent()) + np.repeat(shift, 2)).astype(int)))
    return extents


def _paste(whole: Any, pieces: list[Any], extents: list[Extent], of_cells: bool) -> None:
    """Fill point or cell data of the whole, with owned values instead of ghosts."""
    data = [piece.GetCellData() if of_cells else piece.GetPointData() for piece in pieces]
    taken = whole.GetCellData() if of_cells else whole.GetPointData()
    shape = _shape(whole.GetExtent(), of_cells)
    places = [_place(extent, whole.GetExtent(), of_cells) for extent in extents]
    flags = []
    for part, extent in zip(data, extents, strict=True):
        ghosts, own_shape = part.GetArray(GHOSTS), _shape(extent, of_cells)
        no_flags = np.zeros(own_shape, np.uint8)
        flags.append(no_flags if ghosts is None else from_vtk(ghosts).reshape(own_shape))
    covered = np.zeros(shape, bool)
    for place in places:
        covered[place] = True
    if not covered.all():
        if of_cells:
            return  # pieces that share no points have no cell data for the gaps
        raise FilterError(
            f"The {len(pieces)} pieces of the image leave {np.count_nonzero(~covered):,} points of "
            f"their box {tuple(whole.GetExtent())} uncovered. {RESAMPLE}"
        )
    bit = vtkDataSetAttributes.DUPLICATECELL if of_cells else vtkDataSetAttributes.DUPLICATEPOINT
    owned = [(flag & bit) == 0 for flag in flags]

    def paste(target: np.ndarray, sources: list[np.ndarray]) -> None:
        for place, source in zip(places, sources, strict=True):
            target[place] = source
        for place, source, mine in reversed([*zip(places, sources, owned, strict=True)]):
            target[place][mine] = source[mine]

    for i in range(data[0].GetNumberOfArrays()):
        first = data[0].GetArray(i)  # None if text
        name = "" if first is None else first.GetName() or ""
        if first is None or name == GHOSTS or not name:
            continue
        arrays = [part.GetArray(name) for part in data]
        n_components = first.GetNumberOfComponents()
        if any(a is None or a.GetNumberOfComponents() != n_components for a in arrays):
            continue
        values = [from_vtk(array) for array in arrays]
        tail = () if n_components == 1 else (n_components,)
        target = np.empty((*shape, *tail), np.result_type(*values))
        paste(
            target,
            [v.reshape(*f.shape, *tail) for v, f in zip(values, flags, strict=True)],
        )
        same = all(array.GetDataType() == first.GetDataType() for array in arrays)
        kind = first.GetDataType() if same else None
        made = to_vtk(target.reshape(-1, *tail), name, kind)
        made.CopyComponentNames(first)
        place = taken.AddArray(made)
        if (active := data[0].IsArrayAnAttribute(i)) != NOT_ACTIVE:
            taken.SetActiveAttribute(place, active)
    hidden = np.zeros(shape, np.uint8)
    paste(hidden, [flag & ~np.uint8(bit) for flag in flags])
    if hidden.any():
        taken.AddArray(to_vtk(hidden.reshape(-1), GHOSTS))


def _shape(extent: Extent, of_cells: bool) -> tuple[int, ...]:
    """Number of points or cells along z, y, x; an axis of one point has one cell."""
    counts = [extent[2 * axis + 1] - extent[2 * axis] + 1 for axis in (2, 1, 0)]
    return tuple(max(n - 1, 1) for n in counts) if of_cells else tuple(counts)


def _place(extent: Extent, whole: Extent, of_cells: bool) -> tuple[slice, ...]:
    """Slices of an extent in the array of the whole."""
    begins = [extent[2 * axis] - whole[2 * axis] for axis in (2, 1, 0)]
    shape = _shape(extent, of_cells)
    return tuple(slice(begin, begin + n) for begin, n in zip(begins, shape, strict=True))
