"""The whole inputs of a run: pieces are joined, and those of other processes are gathered.

Results are cached until a piece changes, so another option moves no data, and a filter that caches
its complex recognizes the dataset.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

from vtkmodules.vtkCommonDataModel import (
    vtkDataObject,
    vtkImageData,
    vtkMultiBlockDataSet,
    vtkPointSet,
    vtkPolyData,
    vtkUnstructuredGrid,
)

from separatrix_vtk.base.arrays import arrays_in
from separatrix_vtk.base.datasets import Block, blocks_of, cell_arrays_of, direction_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.extents import Extent
from separatrix_vtk.base.join import joined, owned_points, repeats_points, size_of
from separatrix_vtk.base.join_blocks import Choices, OneMesh
from separatrix_vtk.base.pieces import extents_of
from separatrix_vtk.base.processes import Processes

KEBIBYTE = 1 << 10  # unit of VTK's GetActualMemorySize
ATTRIBUTES = (vtkDataObject.POINT, vtkDataObject.CELL, vtkDataObject.VERTEX, vtkDataObject.ROW)
Stamped = dict[tuple[int, ...], tuple[Hashable, Any]]  # path of a block -> its key and its whole


class WholeInput:
    """The last input of a port, and its whole."""

    def __init__(self) -> None:
        self._stamps: Hashable = None
        self._blocks: list[Block] = []
        self._joined: Stamped = {}
        self._one_mesh = OneMesh()
        self.warning = ""  # about data that were gathered or ignored

    def of(
        self, dataset: Any, is_point_set: bool, processes: Processes | None, used: Choices = ()
    ) -> list[Block]:
        """The blocks of a dataset, each joined to one piece, or without pieces.

        used: the arrays in which the blocks of one mesh must agree.
        All processes must call this; only the first gets blocks.
        """
        self.warning = ""
        if processes is None:
            return self._made_whole(blocks_of(dataset), is_point_set, used)
        try:
            blocks, wrong = blocks_of(dataset), ""
        except FilterError as error:
            blocks, wrong = [], str(error)
        stamps = (processes.n, *map(_stamp, blocks))
        states = processes.exchange(
            "input",
            {
                "wrong": wrong,
                "changed": stamps != self._stamps,
                "extents": extents_of([piece for block in blocks for piece in block.pieces]),
                "kibibytes": sum(p.GetActualMemorySize() for b in blocks for p in b.pieces),
                "points": sum(size_of(piece) for block in blocks for piece in block.pieces),
            },
        )
        self._stamps = None
        if wrongs := [one["wrong"] for one in states if one["wrong"]]:
            raise FilterError(wrongs[0])
        if any(one["changed"] for one in states):
            self._blocks, self._joined = [], {}
            if _has_all(states):
                self._blocks = blocks if processes.is_first else []
            else:
                self._blocks = processes.gathered(blocks)
                self.warning = _gathered(states)
        blocks = self._blocks if processes.is_first else []
        whole = self._made_whole(blocks, is_point_set, used)
        self._stamps = stamps
        return whole

    def _made_whole(
        self, blocks: Sequence[Block], is_point_set: bool, used: Choices
    ) -> list[Block]:
        if not is_point_set and len(blocks) > 1:
            blocks, text = self._one_mesh.joined(blocks, tuple(map(_stamp, blocks)), used)
            self.warning += f" {text}" if self.warning and text else text
        before, self._joined = self._joined, {}
        return [self._one_piece(block, is_point_set, before) for block in blocks]

    def _one_piece(self, block: Block, is_point_set: bool, before: Stamped) -> Block:
        """The block joined to one piece; without pieces if it is empty, unless it is the input."""
        filled = [piece for piece in block.pieces if size_of(piece)]
        if not filled:
            return replace(block, pieces=() if block.path else block.pieces[:1])
        is_one_set = len(filled) == 1 and is_point_set
        if len(filled) == 1 and not is_point_set and not repeats_points(filled[0]):
            return replace(block, pieces=(filled[0],))
        stamp = _stamp(block)
        kept, dataset = before.get(block.path, (None, None))
        if kept != stamp:
            dataset = owned_points(filled[0]) if is_one_set else self._join(block, is_point_set)
        elif not is_one_set:  # field data, such as the time, may change without the pieces
            dataset.GetFieldData().ShallowCopy(filled[0].GetFieldData())
        if n_ghosts := size_of(filled[0]) - size_of(dataset) if is_one_set else 0:
            self.warning += " " if self.warning else ""
            self.warning += (
                f"{n_ghosts:,} ghost points were ignored, because another piece owns them or they "
                "are hidden (array 'vtkGhostType'). If there is no other piece, remove that array "
                "(Pass Arrays) to include them."
            )
        if dataset is not filled[0]:
            self._joined[block.path] = stamp, dataset
        return replace(block, pieces=(dataset,))

    def _join(self, block: Block, is_point_set: bool) -> Any:
        try:
            dataset, n_merged = joined(block.pieces, is_point_set)
        except FilterError as error:
            raise FilterError(f"{block.label}: {error}" if block.label else str(error)) from None
        if self.warning and n_merged:
            self.warning += f" {n_merged:,} points that pieces share were merged."
        return dataset


def as_one(blocks: Sequence[Block]) -> Any:
    """All blocks as one dataset, for a filter that uses them together."""
    filled = [piece for block in blocks for piece in block.pieces]
    if len(filled) < 2:
        return filled[0] if filled else None
    together = vtkMultiBlockDataSet()
    for i, dataset in enumerate(filled):
        together.SetBlock(i, dataset)
    return together


def _has_all(states: Sequence[Any]) -> bool:
    """Whether the first process has the whole: an indivisible source gives all the same image."""
    if not any(one["points"] for one in states[1:]):
        return True
    extents: list[Extent | None] = [extent for one in states for extent in one["extents"]]
    first = states[0]["extents"]
    if len(first) != 1 or not all(extents):
        return False
    return all(extent == first[0] for extent in extents)


def _gathered(states: Sequence[Any]) -> str:
    moved = [one for one in states[1:] if one["points"]]
    mebibytes = sum(one["kibibytes"] for one in moved) / KEBIBYTE
    n_all = sum(one["points"] for one in states)
    return (
        f"The pieces of {len(moved)} other process{'es' if len(moved) > 1 else ''} "
        f"({mebibytes:,.1f} MiB) were gathered on process 0, which alone computes all {n_all:,} "
        "points, because topology requires the whole input."
    )


def _stamp(block: Block) -> Hashable:
    """A unique key of the data of a block, because VTK's modification times are unique."""
    return block.path, block.names, tuple(map(stamp_of_piece, block.pieces))


def stamp_of_piece(piece: Any) -> Hashable:
    """A key of the arrays, not of the dataset, which ParaView recreates around the same arrays."""
    attributes = [piece.GetAttributesAsFieldData(kind) for kind in ATTRIBUTES]
    arrays = [array for data in attributes if data is not None for array in arrays_in(data)]
    return piece.GetClassName(), tuple(array.GetMTime() for array in arrays), _shape(piece)


def _shape(piece: Any) -> Hashable:
    if isinstance(piece, vtkImageData):
        direction = direction_of(piece).tobytes()
        return piece.GetExtent(), piece.GetSpacing(), piece.GetOrigin(), direction
    if isinstance(piece, (vtkPolyData, vtkUnstructuredGrid)):
        parts = [piece.GetPoints(), *cell_arrays_of(piece)]
        return tuple(0 if part is None else part.GetMTime() for part in parts)
    if isinstance(piece, vtkPointSet):
        return piece.GetMTime()
    return piece.GetNumberOfElements(vtkDataObject.ROW), piece.GetMTime()
