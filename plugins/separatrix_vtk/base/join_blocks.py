"""Blocks that are parts of one mesh, as readers of simulations return element blocks.

Two blocks are parts of one mesh if both have global ids of points, cells of the same dimension,
points of equal ids, and active scalars of the same name and type. They stay separate if points of
equal ids are at different places, because the ids are then not global, or if they have a cell in
common, as two copies of a mesh have. Then blocks that share points with both stay separate, too.

An array that the filter uses must exist in all blocks of a mesh, with equal values at equal ids. Of
other arrays, a shared point has the values of the first block.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import (
    vtkDataSetAttributes,
    vtkGenericCell,
    vtkPolyData,
    vtkUnstructuredGrid,
)

from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.base.datasets import Block, cell_arrays_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.input_array import KIND, POINTS, find_input_array

DUPLICATE_CELL = vtkDataSetAttributes.DUPLICATECELL
DUPLICATE_POINT = vtkDataSetAttributes.DUPLICATEPOINT
SEPARATELY = "remove the global ids (Pass Arrays) to process the blocks separately."
Pairs = set[tuple[int, int]]
Choices = Sequence[tuple[str, int | None]]  # of arrays, as `find_input_array` has them


class OneMesh:
    """The blocks of an input, of which those of one mesh are pieces of the first of them."""

    def __init__(self) -> None:
        self._stamps: Hashable = None
        self._groups: list[list[int]] = []
        self._agreed: set[Hashable] = set()  # arrays of meshes that were checked

    def joined(
        self, blocks: Sequence[Block], stamps: Hashable, used: Choices
    ) -> tuple[list[Block], str]:
        """The blocks, and a sentence about those that were joined if `stamps` differ from before.

        The first block of a mesh has the pieces of all of its blocks, and the others have none.
        Raises FilterError unless the blocks of a mesh agree in the arrays `used`.
        """
        text = ""
        if stamps != self._stamps:
            self._stamps, self._groups, self._agreed = stamps, groups_of(blocks), set()
            text = " ".join(_sentence([blocks[i] for i in group]) for group in self._groups)
        found = list(blocks)
        for first, *others in self._groups:
            self._check([blocks[i] for i in (first, *others)], used)
            pieces = tuple(p for i in (first, *others) for p in blocks[i].pieces)
            found[first] = replace(blocks[first], pieces=pieces)
            for other in others:
                found[other] = replace(blocks[other], pieces=())
        return found, text

    def _check(self, blocks: list[Block], used: Choices) -> None:
        parts = [(b.label, p) for b in blocks for p in b.pieces if p.GetNumberOfPoints()]
        arrays = _arrays_in_all(parts, used)
        key = (blocks[0].path, *arrays)
        if key not in self._agreed:
            _check_shared_points(parts, [name for name, place in arrays if place == POINTS])
            self._agreed.add(key)


def _arrays_in_all(parts: list[tuple[str, Any]], used: Choices) -> list[tuple[str, int]]:
    """Name and association of each array; one that no block has is an error of the filter."""
    found = []
    for name, association in used:
        for has, mesh in parts:
            try:
                array = find_input_array(mesh, name, association)
            except FilterError:
                continue
            found.append((array.name, array.association))
            for lacks, other in parts:
                data = other.GetPointData() if array.association == POINTS else other.GetCellData()
                if not data.HasArray(array.name):
                    raise FilterError(
                        f"{lacks} does not contain the {KIND[array.association]} array "
                        f"'{array.name}', but {has} of the same mesh does. Add it to all blocks of "
                        f"the mesh, or {SEPARATELY}"
                    )
            break
    return found


def _check_shared_points(parts: list[tuple[str, Any]], names: list[str]) -> None:
    """Raise FilterError if points of equal ids differ in an array."""
    data = [mesh.GetPointData() for _, mesh in parts]
    if any(one.GetGlobalIds() is None for one in data):
        return
    ids = np.concatenate([from_vtk(one.GetGlobalIds()) for one in data])
    of_part = np.repeat(np.arange(len(parts)), [mesh.GetNumberOfPoints() for _, mesh in parts])
    ghosts = [mesh.GetPointGhostArray() for _, mesh in parts]
    is_ghost = np.concatenate(
        [
            np.zeros(mesh.GetNumberOfPoints(), bool)
            if array is None
            else from_vtk(array) & DUPLICATE_POINT != 0
            for array, (_, mesh) in zip(ghosts, parts, strict=True)
        ]
    )
    order = np.lexsort((is_ghost, ids))
    is_pair = ids[order[1:]] == ids[order[:-1]]
    one, next = order[:-1][is_pair], order[1:][is_pair]
    is_owned = ~is_ghost[next]

    for name in names:
        values = np.concatenate([from_vtk(each.GetArray(name)) for each in data])
        a, b = values[one], values[next]
        differ = (a != b) & ~((a != a) & (b != b)) & is_owned  # NaN agrees with NaN
        if differ.any():
            pair = int(differ.argmax())
            ends = sorted((int(one[pair]), int(next[pair])))
            got = " and ".join(f"{values[i].tolist()!r} in {parts[of_part[i]][0]}" for i in ends)
            raise FilterError(
                f"The point array '{name}' must have equal values at points of equal global ids; "
                f"got {got} at the global id {ids[ends[0]]}. Correct the values, or {SEPARATELY}"
            )


def _sentence(blocks: list[Block]) -> str:
    first, *others = (block.label for block in blocks)
    names = ", ".join(others)
    return (
        f"{first[0].upper()}{first[1:]} contains the results of {names}, too, because they have "
        "points of equal global ids and are therefore parts of one mesh. To process them "
        "separately, remove the global ids (Pass Arrays)."
    )


@dataclass(frozen=True)
class _Part:
    """A piece of a mesh. block: the number of its block; kind: what all parts of a mesh have."""

    block: int
    kind: Hashable
    ids: np.ndarray  # (n,) int64, of its points
    mesh: Any


def groups_of(blocks: Sequence[Block]) -> list[list[int]]:
    """The numbers of the blocks of each mesh that has several, ascending. O(n log n)."""
    parts = [part for i, block in enumerate(blocks) for part in _parts_of(block, i)]
    if len({part.block for part in parts}) < 2:
        return []
    near: Pairs = set()
    apart: Pairs = set()
    others: Pairs = set()  # that number their points independently
    for kind in {part.kind for part in parts}:
        same = [part for part in parts if part.kind == kind]
        shared, conflicts, is_shared = _shared_points(same)
        near |= shared
        apart |= conflicts | (_shared_cells(same, is_shared) if shared else set())
        others |= conflicts
    return _components(near - others, apart)


def _parts_of(block: Block, number: int) -> list[_Part]:
    found = []
    for piece in block.pieces:
        if isinstance(piece, (vtkPolyData, vtkUnstructuredGrid)) and piece.GetNumberOfPoints():
            ids = piece.GetPointData().GetGlobalIds()
            if ids is not None:
                kind = dimension_of(piece), _scalars_of(piece)
                found.append(_Part(number, kind, from_vtk(ids), piece))
    return found


def _scalars_of(mesh: Any) -> Hashable:
    """What active scalars have in common that can be joined."""
    array = mesh.GetPointData().GetScalars()
    return array and (array.GetName(), array.GetDataType(), array.GetNumberOfComponents())


def dimension_of(mesh: Any) -> int:
    """The highest dimension of the cells of a mesh; -1 for none."""
    if isinstance(mesh, vtkPolyData):
        kinds = ((2, mesh.GetPolys()), (2, mesh.GetStrips()), (1, mesh.GetLines()))
        numbers = [dimension for dimension, cells in kinds if cells.GetNumberOfCells()]
        return max(numbers, default=0 if mesh.GetNumberOfVerts() else -1)
    cell, found = vtkGenericCell(), -1
    for kind in from_vtk(mesh.GetDistinctCellTypesArray()).tolist():
        cell.SetCellType(kind)
        found = max(found, cell.GetCellDimension())
    return found


def _shared_points(parts: list[_Part]) -> tuple[Pairs, Pairs, list[np.ndarray]]:
    """Blocks with points of equal ids at one place, as pairs that connect them, and at different
    places, also of one block; and which points of each part other blocks have.
    """
    ids = np.concatenate([part.ids for part in parts])
    block = np.repeat([part.block for part in parts], [part.ids.size for part in parts])
    places = np.concatenate([from_vtk(part.mesh.GetPoints().GetData()) for part in parts])

    def repeats(order: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points before others of equal ids, the blocks of both, and whether places are equal."""
        one, next = order[:-1], order[1:]
        is_pair = ids[one] == ids[next]
        one, next = one[is_pair], next[is_pair]
        pairs = np.sort(np.stack([block[one], block[next]], axis=1), axis=1)
        return one, pairs, (places[one] == places[next]).all(axis=1)

    _, by_block, is_same = repeats(np.lexsort((block, ids)))
    conflicts = _as_set(by_block[~is_same])
    one, pairs, is_same = repeats(np.lexsort((block, *places.T, ids)))
    conflicts |= _as_set(pairs[~is_same])
    is_near = is_same & (pairs[:, 0] != pairs[:, 1])
    flags = np.isin(ids, ids[one[is_near]])
    ends = np.cumsum([part.ids.size for part in parts])[:-1]
    return _as_set(pairs[is_near]), conflicts, np.split(flags, ends)


def _as_set(pairs: np.ndarray) -> Pairs:
    return {(int(a), int(b)) for a, b in np.unique(pairs, axis=0)}


def _shared_cells(parts: list[_Part], is_shared: list[np.ndarray]) -> Pairs:
    """Pairs of blocks that have a cell of the same points in common, except ghosts."""
    cells: dict[int, list[tuple[np.ndarray, int]]] = {}
    for part, flags in zip(parts, is_shared, strict=True):
        for size, rows in _cells_over(part, flags):
            cells.setdefault(size, []).append((rows, part.block))
    found: Pairs = set()
    for lists in cells.values():
        rows = np.concatenate([rows for rows, _ in lists])
        block = np.repeat([number for _, number in lists], [len(rows) for rows, _ in lists])
        order = np.lexsort((block, *rows.T))
        one, next = order[:-1], order[1:]
        is_pair = (rows[one] == rows[next]).all(axis=1) & (block[one] != block[next])
        found |= _as_set(np.stack([block[one], block[next]], axis=1)[is_pair])
    return found


def _cells_over(part: _Part, flags: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Cells of points that all have a flag, by their number of points: sorted ids (m, size)."""
    ghosts, first, found = part.mesh.GetCellGhostArray(), 0, []
    for cells in cell_arrays_of(part.mesh):
        offsets, items = from_vtk(cells.GetOffsetsArray()), from_vtk(cells.GetConnectivityArray())
        sizes = np.diff(offsets)
        n_flagged = np.concatenate([[0], np.cumsum(flags[items])])[offsets]
        is_over = (np.diff(n_flagged) == sizes) & (sizes > 0)
        if ghosts is not None:
            own = from_vtk(ghosts)[first : first + sizes.size]
            is_over &= (own & DUPLICATE_CELL) == 0
        first += sizes.size
        for size in np.unique(sizes[is_over]).tolist():
            begins = offsets[:-1][is_over & (sizes == size)]
            rows = part.ids[items[begins[:, None] + np.arange(size)]]
            found.append((size, np.sort(rows, axis=1)))
    return found


def _components(pairs: Pairs, apart: Pairs) -> list[list[int]]:
    """Connected components of the pairs, ascending, except those with a pair of `apart`."""
    group_of: dict[int, set[int]] = {}
    for one, other in sorted(pairs):
        group = group_of.get(one, {one}) | group_of.get(other, {other})
        group_of.update(dict.fromkeys(group, group))
    groups = {min(group): sorted(group) for group in group_of.values()}
    return [
        group
        for _, group in sorted(groups.items())
        if not any(one in group and other in group for one, other in apart)
    ]
