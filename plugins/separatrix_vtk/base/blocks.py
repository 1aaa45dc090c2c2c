"""A dataset as its blocks: what a filter looks at one after the other.

A multi-block dataset and a collection of partitioned datasets are several datasets: a block each.
A partitioned dataset (or VTK's older multi-piece dataset) is one dataset in pieces: one block. So
is a plain dataset, of one piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from vtkmodules.vtkCommonDataModel import (
    vtkCompositeDataSet,
    vtkMultiBlockDataSet,
    vtkPartitionedDataSet,
    vtkPartitionedDataSetCollection,
)

from separatrix_vtk.base.errors import FilterError

SEVERAL = (vtkMultiBlockDataSet, vtkPartitionedDataSetCollection)
LEVELS = "vtkUniformGridAMR"


@dataclass(frozen=True)
class Block:
    """One dataset in pieces, none of which is None; path: its numbers from the root down, () for
    the root; names: of these nodes, "" where they have none.
    """

    path: tuple[int, ...]
    names: tuple[str, ...]
    pieces: tuple[Any, ...]

    @property
    def label(self) -> str:
        """What a message calls it, "" where there is but one."""
        if not self.path:
            return ""
        if self.names[-1]:
            return f"block '{'/'.join(name for name in self.names if name)}'"
        return f"block {'.'.join(map(str, self.path))}"


def blocks_of(dataset: Any) -> list[Block]:
    """All blocks of a dataset, empty ones too; a FilterError for what is neither blocks nor pieces.

    In a dataset of blocks that is empty there are none.
    """
    if is_several(dataset):
        return list(_below(dataset, (), ()))
    return [Block((), (), tuple(_pieces_of(dataset)))]


def is_several(dataset: Any) -> bool:
    """Whether a dataset is several, so that each block is looked at by itself."""
    # VTK 9.6 made grids of several levels a kind of collection.
    return isinstance(dataset, SEVERAL) and not dataset.IsA(LEVELS)


def _below(parent: Any, path: tuple[int, ...], names: tuple[str, ...]) -> Iterator[Block]:
    for i, child in enumerate(_children(parent)):
        here = (*path, i), (*names, _name_of(parent, i))
        if is_several(child) and _children(child):
            yield from _below(child, *here)
        else:
            yield Block(*here, () if is_several(child) else tuple(_pieces_of(child)))


def _children(parent: Any) -> list[Any]:
    if isinstance(parent, vtkMultiBlockDataSet):
        return [parent.GetBlock(i) for i in range(parent.GetNumberOfBlocks())]
    n = parent.GetNumberOfPartitionedDataSets()
    return [parent.GetPartitionedDataSet(i) for i in range(n)]


def _pieces_of(dataset: Any) -> list[Any]:
    if dataset is None:
        return []
    if not isinstance(dataset, vtkCompositeDataSet):
        return [dataset]
    if not isinstance(dataset, vtkPartitionedDataSet):
        raise FilterError(
            f"the input is a {dataset.GetClassName()}, whose levels of grids lie upon each other: "
            "apply Resample To Image (in VTK vtkResampleToImage) first"
        )
    parts = (dataset.GetPartitionAsDataObject(i) for i in range(dataset.GetNumberOfPartitions()))
    return [part for part in parts if part is not None]


def _name_of(parent: Any, i: int) -> str:
    if not parent.HasMetaData(i):
        return ""
    information = parent.GetMetaData(i)
    return information.Get(vtkCompositeDataSet.NAME()) or ""


# === outputs


def leaves_of(dataset: Any) -> list[Any]:
    """The datasets of which blocks and pieces are made; a plain one is its own."""
    if not isinstance(dataset, vtkCompositeDataSet):
        return [dataset]
    iterator = dataset.NewIterator()
    iterator.InitTraversal()
    leaves = []
    while not iterator.IsDoneWithTraversal():
        leaves.append(iterator.GetCurrentDataObject())
        iterator.GoToNextItem()
    return leaves


def container_of(dataset: Any) -> type | None:
    """What holds the outputs for an input: of its kind, None where the output is a plain one."""
    kinds = SEVERAL if is_several(dataset) else (vtkPartitionedDataSet,)
    for kind in kinds:
        if isinstance(dataset, kind):
            return kind
    return None


def fill(container: Any, blocks: Sequence[Block], leaves: Sequence[Any]) -> None:
    """Put a result (or None) in the place of each block, under its name."""
    container.Initialize()
    for block, leaf in zip(blocks, leaves, strict=True):
        if not block.path:
            container.SetPartition(0, leaf)
            continue
        node = container
        for i, name in zip(block.path[:-1], block.names[:-1], strict=True):
            inner = node.GetBlock(i) if i < node.GetNumberOfBlocks() else None
            if inner is None:
                inner = vtkMultiBlockDataSet()
                node.SetBlock(i, inner)
                _call(node, i, name)
            node = inner
        i = block.path[-1]
        if isinstance(node, vtkMultiBlockDataSet):
            node.SetNumberOfBlocks(max(node.GetNumberOfBlocks(), i + 1))
            node.SetBlock(i, leaf)
        else:
            n_sets = max(node.GetNumberOfPartitionedDataSets(), i + 1)
            node.SetNumberOfPartitionedDataSets(n_sets)
            if leaf is not None:
                node.SetPartition(i, 0, leaf)
        _call(node, i, block.names[-1])


def _call(parent: Any, i: int, name: str) -> None:
    if name:
        parent.GetMetaData(i).Set(vtkCompositeDataSet.NAME(), name)
