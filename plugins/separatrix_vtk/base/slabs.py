"""Slabs of an image, one for each process, with the layers that the engine reads of its neighbors.

Where the pipeline can, each process requests its slab. Otherwise it requests the piece that
ParaView gives it, a block, and processes send each other what their slabs lack.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes, vtkImageData
from vtkmodules.vtkCommonExecutionModel import vtkAlgorithm

from separatrix.pieces.exchange import Exchange
from separatrix_vtk.base.arrays import from_vtk, to_vtk
from separatrix_vtk.base.datasets import direction_of
from separatrix_vtk.base.extents import (
    NOTHING,
    Extent,
    are_covered,
    intersection,
    layers_of,
    lengths,
    n_points,
    shape_of,
    union,
)
from separatrix_vtk.base.redistribution import GHOSTS, Held, arrays_of, redistribute

HIDDENPOINT = int(vtkDataSetAttributes.HIDDENPOINT)
HIDDEN = "separatrix hidden points"
BEFORE, AFTER = 1, 2  # layers of its neighbors that a process reads
PASSED = ("vtkPVPostFilter", "vtkThreadedImageAlgorithm")  # they produce the extent requested


class Slab(NamedTuple):
    """The layers begin to end - 1 of an image, along its slowest axis longer than one point."""

    whole: Extent
    axis: int  # 2: z
    begin: int
    end: int

    @property
    def n_layers(self) -> int:
        return lengths(self.whole)[self.axis]

    @property
    def own(self) -> Extent:
        return layers_of(self.whole, self.axis, self.begin, self.end)

    @property
    def read(self) -> Extent:
        return layers_of(self.whole, self.axis, self.begin - BEFORE, self.end + AFTER)

    @property
    def own_cells(self) -> Extent:
        """The points of the cells whose first layer is the slab's own."""
        return layers_of(self.whole, self.axis, self.begin, self.end + 1)


def slab_of(whole: Extent, rank: int, size: int) -> Slab | None:
    """The slab of a process; None if there are fewer layers than processes."""
    axis = max((a for a, n in enumerate(lengths(whole)) if n > 1), default=0)
    n = lengths(whole)[axis]
    if n < size:
        return None
    length, n_longer = divmod(n, size)
    begin, end = (r * length + min(r, n_longer) for r in (rank, rank + 1))
    return Slab(whole, axis, begin, end)


def can_request_slabs(filter: Any) -> bool:
    """Whether the pipeline before the first input of a filter produces any extent requested."""
    one = filter
    while one.GetNumberOfInputPorts() and one.GetNumberOfInputConnections(0) == 1:
        port = one.GetInputConnection(0, 0).GetIndex()
        one = one.GetInputAlgorithm(0, 0)
        if not one.GetNumberOfInputPorts():
            info = one.GetOutputInformation(port)
            return bool(info.Has(vtkAlgorithm.CAN_PRODUCE_SUB_EXTENT()))
        if not any(one.IsA(kind) for kind in PASSED):
            return False
    return False


class Part(NamedTuple):
    """The slab of a process, and the image of the layers that it reads.

    If any process has hidden points, the image has an array HIDDEN, which is 1 at those.
    """

    slab: Slab
    image: vtkImageData


def divided(exchange: Exchange, dataset: Any) -> Part | None:
    """The part of a process; None in all of them if the input is not one image without gaps.

    dataset: the piece of this process. An image with hidden cells is not divided.
    """
    with exchange.together():
        is_image = dataset is None or isinstance(dataset, vtkImageData)
        image = dataset if is_image and dataset and dataset.GetNumberOfPoints() else None
        own = NOTHING if image is None else _owned(image)
        frame = None if image is None else _frame(image)
        every = exchange.gather((is_image and own is not None, own or NOTHING, frame))
        extents, frames = [one[1] for one in every], {one[2] for one in every} - {None}
        whole = union(extents)
        slab = slab_of(whole, exchange.rank, exchange.size)
        are_plain = all(one[0] for one in every) and len(frames) == 1
        if not are_plain or slab is None or not are_covered(whole, extents):
            return None
        made = vtkImageData()
        spacing, origin, direction = frames.pop()
        made.SetSpacing(spacing)
        made.SetOrigin(origin)
        made.SetDirectionMatrix(*direction)
        made.SetExtent(slab.read)
        holds = arrays_of(image, own, own) if image and own else []
        if any(exchange.gather(_has_hidden_points(image))) and image is not None:
            holds.append(
                Held(hidden_points(image), False, tuple(image.GetExtent()), own or NOTHING)
            )
        redistribute(exchange, made, holds)
        if image is not None:
            made.GetFieldData().ShallowCopy(image.GetFieldData())
        return Part(slab, made)


def _frame(image: vtkImageData) -> tuple[Any, ...]:
    return image.GetSpacing(), image.GetOrigin(), tuple(direction_of(image).ravel().tolist())


def _has_hidden_points(image: vtkImageData | None) -> bool:
    ghosts = image and image.GetPointGhostArray()
    return bool(ghosts and (from_vtk(ghosts) & HIDDENPOINT).any())


def hidden_points(image: vtkImageData) -> Any:
    """An array HIDDEN of the points of an image: 1 at those that its ghost array hides."""
    ghosts, n = image.GetPointGhostArray(), image.GetNumberOfPoints()
    marks = np.zeros(n, np.uint8) if ghosts is None else from_vtk(ghosts)
    return to_vtk(((marks & HIDDENPOINT) != 0).astype(np.uint8), HIDDEN)


def hide_points(image: vtkImageData) -> None:
    """Move the array HIDDEN of an image, if it has one, to its ghost array."""
    data = image.GetPointData()
    if (hidden := data.GetArray(HIDDEN)) is None:
        return
    marks = from_vtk(hidden) * np.uint8(HIDDENPOINT)
    if (ghosts := image.GetPointGhostArray()) is not None:
        marks = marks | from_vtk(ghosts)
    data.RemoveArray(HIDDEN)
    data.AddArray(to_vtk(marks, GHOSTS))


def _owned(image: vtkImageData) -> Extent | None:
    """The points that no other process owns; None if cells are hidden, or if they are not a box."""
    extent, ghosts = tuple(image.GetExtent()), image.GetCellGhostArray()
    if ghosts is not None and (from_vtk(ghosts) & vtkDataSetAttributes.HIDDENCELL).any():
        return None
    ghosts = image.GetPointGhostArray()
    if ghosts is None:
        return extent
    is_own = (from_vtk(ghosts) & vtkDataSetAttributes.DUPLICATEPOINT) == 0
    is_own = is_own.reshape(shape_of(extent))
    ends = []
    for axis in range(3):
        along = np.flatnonzero(is_own.any(axis=tuple(a for a in range(3) if a != 2 - axis)))
        if not along.size:
            return NOTHING
        ends += [extent[2 * axis] + int(along[0]), extent[2 * axis] + int(along[-1])]
    found = intersection(extent, tuple(ends))
    return found if n_points(found) == np.count_nonzero(is_own) else None
