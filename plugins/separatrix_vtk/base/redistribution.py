"""Arrays of an image between processes: each gets an extent from those that have parts of it.

Only what a process lacks is sent to it, by those that own it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from vtkmodules.vtkCommonCore import vtkDataArray
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes, vtkImageData

from separatrix.pieces.exchange import Exchange
from separatrix_vtk.base.arrays import NOT_ACTIVE, arrays_in, from_vtk, to_vtk
from separatrix_vtk.base.extents import (
    Extent,
    cells_in,
    contains,
    intersection,
    place_in,
    shape_of,
)

GHOSTS = vtkDataSetAttributes.GhostArrayName()


class Held(NamedTuple):
    """An array of a process, over the points or cells of an extent, some of which it owns."""

    array: vtkDataArray
    of_cells: bool
    extent: Extent
    own: Extent
    active: int = NOT_ACTIVE  # the attribute that it is

    @property
    def about(self) -> tuple[Any, ...]:
        """What all processes must have in common."""
        array = self.array
        n = array.GetNumberOfComponents()
        parts = range(n if array.HasAComponentName() else 0)
        names = tuple((k, array.GetComponentName(k)) for k in parts if array.GetComponentName(k))
        return self.of_cells, array.GetName(), array.GetDataType(), n, self.active, names


def arrays_of(image: vtkImageData, own: Extent, own_cells: Extent) -> list[Held]:
    """The named arrays of numbers of an image, without its ghost arrays.

    own: its points that the process sends; own_cells: the points between which are such cells
    """
    extent = tuple(image.GetExtent())
    points, cells = image.GetPointData(), image.GetCellData()
    places = ((points, False, extent, own), (cells, True, cells_in(extent), cells_in(own_cells)))
    return [
        Held(array, of_cells, at, owned, attributes.IsArrayAnAttribute(i))
        for attributes, of_cells, at, owned in places
        for i, array in enumerate(arrays_in(attributes))
        if isinstance(array, vtkDataArray) and array.GetName() not in (None, GHOSTS)
    ]


def redistribute(exchange: Exchange, made: vtkImageData, holds: list[Held]) -> None:
    """Fill an image with the arrays that the processes hold; all must call this.

    An array that one of them lacks is omitted, unless that one has no arrays.
    """
    held = {one.about: one for one in holds}
    every = exchange.gather((tuple(made.GetExtent()), [*held]))
    known = [abouts for _, abouts in every if abouts]
    for about in known[0] if known else []:
        if all(about in abouts for abouts in known):
            _fill(exchange, made, about, held.get(about), [extent for extent, _ in every])


def _fill(
    exchange: Exchange,
    made: vtkImageData,
    about: tuple[Any, ...],
    held: Held | None,
    asked: list[Extent],
) -> None:
    of_cells, name, kind, n_components, active, names = about
    if of_cells:
        asked = [cells_in(extent) for extent in asked]
    tail = () if n_components == 1 else (n_components,)
    values = np.empty(0) if held is None else from_vtk(held.array)
    every = exchange.gather(held and (held.extent, held.own, values.dtype.str))
    holders = {rank: place for rank, place in enumerate(every) if place is not None}
    dtype = np.dtype(next(iter(holders.values()))[2])
    lacking = {
        rank
        for rank, extent in enumerate(asked)
        if rank not in holders or not contains(holders[rank][0], extent)
    }
    sent = [np.empty(0, dtype) for _ in asked]
    if held is not None:
        values = values.reshape(*shape_of(held.extent), *tail)
        for rank in lacking - {exchange.rank}:
            part = intersection(held.own, asked[rank])
            sent[rank] = values[place_in(held.extent, part)].reshape(-1)
    received, mine = exchange.send(sent), asked[exchange.rank]
    if held is not None and held.extent == mine:
        array = held.array
    else:
        target = np.empty((*shape_of(mine), *tail), dtype)
        for rank, (_, own, _) in holders.items():
            if rank != exchange.rank and exchange.rank in lacking:
                part = intersection(own, mine)
                shape = (*shape_of(part), *tail)
                target[place_in(mine, part)] = received[rank].reshape(shape)
        if held is not None:
            part = intersection(held.extent, mine)
            target[place_in(mine, part)] = values[place_in(held.extent, part)]
        array = to_vtk(target.reshape(-1, *tail), name, kind)
        for component, text in names:
            array.SetComponentName(component, text)
    attributes = made.GetCellData() if of_cells else made.GetPointData()
    place = attributes.AddArray(array)
    if active != NOT_ACTIVE:
        attributes.SetActiveAttribute(place, active)
