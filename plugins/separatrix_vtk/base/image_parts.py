"""Which part of an image output each process has, of the whole that process 0 has made."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkCommonExecutionModel import vtkExtentTranslator

Extent = tuple[int, ...]
FEWEST_POINTS = 4096  # a process
NOTHING: Extent = (0, -1, 0, -1, 0, -1)


@dataclass(frozen=True)
class Part:
    """The extent that a process gets, and the part of it that is its own; the rest is ghosts."""

    extent: Extent
    own: Extent


def part_of(whole: Extent, piece: int, n_pieces: int, ghosts: int) -> Part:
    """The part for a piece of so many, with layers of ghosts round it.

    Of small images every process has the whole. Otherwise a piece might be empty or have no room
    for ghosts, and when more of them are asked for only some processes would run again and wait for
    the others for ever.
    """
    if n_pieces < 2:
        return Part(whole, whole)
    own = piece_extent(whole, piece, n_pieces, 0)
    if n_points(whole) < FEWEST_POINTS * n_pieces:
        return Part(whole, own)
    return Part(piece_extent(whole, piece, n_pieces, ghosts), own)


def n_points(extent: Extent) -> int:
    """How many points lie in an extent."""
    return math.prod(extent[2 * axis + 1] - extent[2 * axis] + 1 for axis in range(3))


def piece_extent(whole: Extent, piece: int, n_pieces: int, ghosts: int) -> Extent:
    """The extent of a piece, as VTK cuts; the empty one where there are too few cells."""
    translator = vtkExtentTranslator()
    translator.SetWholeExtent(whole)
    translator.SetPiece(piece)
    translator.SetNumberOfPieces(n_pieces)
    translator.SetGhostLevel(ghosts)
    if not translator.PieceToExtent():
        return NOTHING
    return tuple(translator.GetExtent())


def cut(image: vtkImageData, part: Part) -> vtkImageData:
    """The part of an image, with ghosts marked."""
    made = vtkImageData()
    made.ShallowCopy(image)
    if part.extent != tuple(image.GetExtent()):
        made.Crop(part.extent)
    if part.extent != part.own:
        made.GenerateGhostArray([*part.own])
    return made


def as_extent(values: Any) -> Extent:
    """Six numbers as an extent, the empty one for None."""
    return NOTHING if values is None else tuple(int(v) for v in values)
