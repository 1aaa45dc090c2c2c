"""Datasets by class, as blocks and pieces, and as PyVista's datasets.

A multi-block dataset and a collection of partitioned datasets are several datasets, one per block.
A partitioned dataset (or VTK's older multi-piece dataset) is one dataset in pieces, and so one
block. A plain dataset is one block of one piece.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from vtkmodules import vtkCommonDataModel
from vtkmodules.vtkCommonDataModel import (
    vtkCompositeDataSet,
    vtkDataObject,
    vtkImageData,
    vtkMultiBlockDataSet,
    vtkPartitionedDataSet,
    vtkPartitionedDataSetCollection,
    vtkPolyData,
    vtkUnstructuredGrid,
)

from separatrix.errors import Words
from separatrix_vtk.base.errors import FilterError

READ_FIRST = "Read the file, for example with pyvista.read(path)."
SEVERAL = (vtkMultiBlockDataSet, vtkPartitionedDataSetCollection)
LEVELS = "vtkUniformGridAMR"
WORDS = {  # in messages, and the equivalent in PyVista
    "in VTK vtkArrayCalculator": "in PyVista NumPy on mesh[name]",
    "in VTK vtkCellDataToPointData": "in PyVista mesh.cell_data_to_point_data()",
    "in VTK vtkDataSetTriangleFilter": "in PyVista mesh.triangulate()",
    "in VTK vtkResampleToImage": "in PyVista pyvista.ImageData(...).sample(mesh)",
    "in VTK vtkImageDataToPointSet": "in PyVista mesh.cast_to_pointset()",
    "in VTK vtkThreshold": "in PyVista mesh.threshold(...)",
    "in VTK vtkTableToPolyData": "in PyVista pyvista.PointSet(...)",
}


def kind_of(dataset: Any) -> type:
    """The class of a dataset: image, polygons, or otherwise unstructured grid."""
    for kind in (vtkImageData, vtkPolyData):
        if isinstance(dataset, kind):
            return kind
    return vtkUnstructuredGrid


def vtk_dataset(given: Any, parameter: str, expected: str, remedy: str = "") -> Any:
    """The dataset of an argument, which may be wrapped by VTK's dataset_adapter as VTKObject.

    Raises FilterError about the parameter for anything else.
    """
    dataset = getattr(given, "VTKObject", given)
    if isinstance(dataset, vtkDataObject):
        return dataset
    got = type(given).__name__
    if isinstance(given, (str, os.PathLike)):
        got, remedy = f"the path {os.fspath(given)!r}", READ_FIRST
    elif hasattr(given, "GetOutputDataObject"):
        remedy = "Pass the output of this algorithm, after Update()."
    raise FilterError(parameter, expected, Words(got), remedy)


def data_object(info: Any) -> Any:
    """The dataset of a port or connection, or None."""
    return None if info is None else info.Get(vtkDataObject.DATA_OBJECT())


def cell_arrays_of(dataset: Any) -> list[Any]:
    """The vtkCellArrays of a dataset, in the order of its cells; [] for grids without any."""
    if isinstance(dataset, vtkUnstructuredGrid):
        parts = [dataset.GetCells()]
    elif isinstance(dataset, vtkPolyData):
        parts = [dataset.GetVerts(), dataset.GetLines(), dataset.GetPolys(), dataset.GetStrips()]
    else:
        parts = []
    return [part for part in parts if part is not None]


def direction_of(image: Any) -> np.ndarray:
    """The direction matrix (3, 3) of an image."""
    matrix = image.GetDirectionMatrix()
    return np.array([[matrix.GetElement(i, j) for j in range(3)] for i in range(3)])


def clear(output: Any, source: Any) -> None:
    """Clear an output. An image keeps the grid of the input `source`.

    VTK considers an image that does not fill its whole extent as out of date, and would run a
    failed filter again and again.
    """
    output.Initialize()
    if not isinstance(output, vtkImageData):
        return
    if isinstance(source, vtkImageData):
        output.CopyStructure(source)
        output.GetPointData().Initialize()  # the structure includes ghost arrays
        output.GetCellData().Initialize()
    elif hasattr(source, "GetExtent"):
        output.SetExtent(source.GetExtent())


def new_dataset(kind: str) -> Any:
    """A new dataset of a class by VTK's name.

    VTK before 9.3 never frees datasets of vtkDataObjectTypes.NewDataObject.
    """
    return getattr(vtkCommonDataModel, kind)()


@dataclass(frozen=True)
class Block:
    """One dataset in pieces. path: its indices from the root; names: of these nodes, or ""."""

    path: tuple[int, ...]
    names: tuple[str, ...]
    pieces: tuple[Any, ...]

    @property
    def label(self) -> str:
        """The name of the block in messages, "" for a single one."""
        if not self.path:
            return ""
        if self.names[-1]:
            return f"block '{'/'.join(name for name in self.names if name)}'"
        return f"block {'.'.join(map(str, self.path))}"


def blocks_of(dataset: Any) -> list[Block]:
    """All blocks of a dataset, including empty ones. Raises FilterError for overlapping grids."""
    if is_several(dataset):
        return list(_below(dataset, (), ()))
    return [Block((), (), tuple(_pieces_of(dataset)))]


def is_several(dataset: Any) -> bool:
    """Whether a dataset consists of blocks, which filters process separately."""
    # In VTK 9.6, grids of several levels are collections, too.
    return isinstance(dataset, SEVERAL) and not dataset.IsA(LEVELS)


def _below(parent: Any, path: tuple[int, ...], names: tuple[str, ...]) -> Iterator[Block]:
    for i, child in enumerate(_children(parent)):
        information = parent.GetMetaData(i) if parent.HasMetaData(i) else None
        name = information and information.Get(vtkCompositeDataSet.NAME())
        here = (*path, i), (*names, name or "")
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
            f"The input is a {dataset.GetClassName()}, whose grids overlap. Apply Resample To "
            "Image (in VTK vtkResampleToImage)."
        )
    parts = (dataset.GetPartitionAsDataObject(i) for i in range(dataset.GetNumberOfPartitions()))
    return [part for part in parts if part is not None]


# === outputs


def leaves_of(dataset: Any) -> list[Any]:
    """The datasets of all blocks and pieces; of a plain dataset, itself."""
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
    """The class of composite outputs for a composite input, or None."""
    kinds = SEVERAL if is_several(dataset) else (vtkPartitionedDataSet,)
    for kind in kinds:
        if isinstance(dataset, kind):
            return kind
    return None


def fill(container: Any, blocks: Sequence[Block], leaves: Sequence[Any]) -> None:
    """Set the result (or None) of each block, with its name."""
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
                _set_name(node, i, name)
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
        _set_name(node, i, block.names[-1])


def _set_name(parent: Any, i: int, name: str) -> None:
    if name:
        parent.GetMetaData(i).Set(vtkCompositeDataSet.NAME(), name)


def is_from_pyvista(dataset: Any) -> bool:
    """Whether a dataset is an instance of a class of PyVista."""
    pyvista = sys.modules.get("pyvista")
    return pyvista is not None and isinstance(dataset, pyvista.DataObject)


def in_pyvista_terms(text: str) -> str:
    """A message with PyVista's functions in the place of VTK's classes."""
    for vtks, pyvistas in WORDS.items():
        text = text.replace(vtks, pyvistas)
    return text


def wrapper_for(dataset: Any) -> Callable[[Any], Any]:
    """A function that wraps outputs as PyVista's datasets if the input is one of them."""
    if not is_from_pyvista(dataset):
        return lambda output: output
    pyvista = sys.modules["pyvista"]

    def wrap(output: Any) -> Any:
        if not isinstance(output, vtkMultiBlockDataSet):
            return pyvista.wrap(output)
        blocks = pyvista.MultiBlock()  # because PyVista 0.49 fails to wrap blocks that are tables
        for i in range(output.GetNumberOfBlocks()):
            information = output.GetMetaData(i) if output.HasMetaData(i) else None
            name = information and information.Get(vtkCompositeDataSet.NAME())
            blocks.append(wrap(output.GetBlock(i)), name)
        return blocks

    return wrap
