"""A run of a filter by several processes: the first works on the whole, the others wait.

See `processes`. The first process sends the others the outcome of the run: whether it succeeded,
its error, the blocks, and the extents of image outputs. Each then receives its part of the images.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkCommonExecutionModel import vtkExtentTranslator, vtkStreamingDemandDrivenPipeline

from separatrix.pieces.exchange import Exchange
from separatrix_vtk.base.datasets import Block, container_of, fill
from separatrix_vtk.base.extents import NOTHING, Extent, n_points
from separatrix_vtk.base.packing import packed, unpacked
from separatrix_vtk.base.processes import Processes
from separatrix_vtk.base.redistribution import Held, redistribute
from separatrix_vtk.base.slabs import Part, Slab, hide_points

FEWEST_POINTS = 4096  # per process
PIECE = vtkStreamingDemandDrivenPipeline.UPDATE_PIECE_NUMBER
N_PIECES = vtkStreamingDemandDrivenPipeline.UPDATE_NUMBER_OF_PIECES
GHOST_LEVELS = vtkStreamingDemandDrivenPipeline.UPDATE_NUMBER_OF_GHOST_LEVELS
UPDATE_EXTENT = vtkStreamingDemandDrivenPipeline.UPDATE_EXTENT
WHOLE_EXTENT = vtkStreamingDemandDrivenPipeline.WHOLE_EXTENT


@dataclass(frozen=True)
class Requested:
    """The extent of a process, and the part of it that the process owns; the rest is ghosts."""

    extent: Extent
    own: Extent


def part_of(whole: Extent, piece: int, n_pieces: int, ghosts: int) -> Requested:
    """The part of a piece, with layers of ghosts.

    All processes get the whole of a small image. Otherwise a piece could be empty or without room
    for ghosts; if more ghosts are requested, only some processes would run again, and wait for the
    others forever.
    """
    if n_pieces < 2:
        return Requested(whole, whole)
    own = piece_extent(whole, piece, n_pieces, 0)
    if n_points(whole) < FEWEST_POINTS * n_pieces:
        return Requested(whole, own)
    return Requested(piece_extent(whole, piece, n_pieces, ghosts), own)


def piece_extent(whole: Extent, piece: int, n_pieces: int, ghosts: int) -> Extent:
    """The extent of a piece according to VTK; the empty one if there are too few cells."""
    translator = vtkExtentTranslator()
    translator.SetWholeExtent(whole)
    translator.SetPiece(piece)
    translator.SetNumberOfPieces(n_pieces)
    translator.SetGhostLevel(ghosts)
    if not translator.PieceToExtent():
        return NOTHING
    return tuple(translator.GetExtent())


def cut(image: vtkImageData, part: Requested) -> vtkImageData:
    """The part of an image, with a ghost array."""
    made = vtkImageData()
    made.ShallowCopy(image)
    if part.extent != tuple(image.GetExtent()):
        made.Crop(part.extent)
    if part.extent != part.own:
        made.GenerateGhostArray([*part.own])
    return made


def as_extent(values: Any) -> Extent:
    """Six numbers as an extent; the empty one for None."""
    return NOTHING if values is None else tuple(int(v) for v in values)


def request_piece(info: Any, piece: int, n_pieces: int) -> None:
    """Request a piece of an input, of images that of the whole extent.

    Several processes request the pieces that ParaView gives them. If each requested the whole, a
    filter upstream that distributes data would get all of it once per process.
    """
    for key, number in ((PIECE(), piece), (N_PIECES(), n_pieces), (GHOST_LEVELS(), 0)):
        info.Set(key, number)
    if info.Has(WHOLE_EXTENT()):
        info.Set(UPDATE_EXTENT(), info.Get(WHOLE_EXTENT()), 6)  # of which VTK takes the piece


def request_slab(info: Any, slab: Slab) -> None:
    """Request a slab of an image, with the layers of its neighbors that it reads."""
    for key, number in ((PIECE(), 0), (N_PIECES(), 1), (GHOST_LEVELS(), 0)):
        info.Set(key, number)
    info.Set(UPDATE_EXTENT(), slab.read, 6)


def request_same_piece(asked: Any, infos: Sequence[Any]) -> None:
    """Request the same piece of all ports, because one run fills all of them."""
    for info in infos:
        if info is asked:
            continue
        for key in (PIECE(), N_PIECES(), GHOST_LEVELS()):
            if asked.Has(key):
                info.Set(key, asked.Get(key))
        if info.Has(WHOLE_EXTENT()):
            info.Set(UPDATE_EXTENT(), info.Get(WHOLE_EXTENT()), 6)


def share(
    outcome: dict[str, Any], processes: Processes, infos: Sequence[Any], outputs: Sequence[Any]
) -> Any:
    """Send the outcome of the first process, which is returned, and its outputs to all.

    Without extents of images, each process has its part of the outputs.
    """
    outcomes = processes.exchange("outcome", outcome)
    result = outcomes[0]
    for key in ("aborted", "flag"):
        result[key] = max(one[key] for one in outcomes)
    if not result["ok"] or result["extents"] is None:
        return result
    for port, (output, extent) in enumerate(zip(outputs, result["extents"], strict=True)):
        if extent is not None:
            _share_image(output, as_extent(extent), infos[port], processes)
        elif not processes.is_first:
            output.Initialize()
            if container_of(output) is not None:
                blocks = [Block(tuple(p), tuple(n), ()) for p, n in result["blocks"]]
                fill(output, blocks, [None] * len(blocks))
    return result


def _share_image(output: Any, whole: Extent, info: Any, processes: Processes) -> None:
    mine = _part_requested(info, whole)
    parts = [
        Requested(*map(as_extent, part))
        for part in processes.exchange("image parts", [mine.extent, mine.own])
    ]
    if not processes.is_first:
        output.ShallowCopy(processes.receive(0, unpacked))
        return
    failures = []
    for rank, part in enumerate(parts):
        try:
            if rank:
                processes.send(partial(_packed_part, output, part), rank)
        except Exception as error:  # the following ranks are waiting
            failures.append(error)
    if failures:
        raise failures[0]
    output.ShallowCopy(cut(output, mine))


def give_part(
    exchange: Exchange, part: Part, info: Any, held: list[Held], output: vtkImageData
) -> None:
    """Fill an image output with the part that is requested from its port."""
    mine = _part_requested(info, part.slab.whole)
    made = vtkImageData()
    made.CopyStructure(part.image)
    made.SetExtent(mine.extent)
    made.GetFieldData().ShallowCopy(part.image.GetFieldData())
    redistribute(exchange, made, held)
    output.ShallowCopy(cut(made, mine))
    hide_points(output)


def _part_requested(info: Any, whole: Extent) -> Requested:
    is_announced = info.Has(WHOLE_EXTENT()) and as_extent(info.Get(WHOLE_EXTENT())) == whole
    return _asked(info) if is_announced else part_of(whole, *_piece_of(info))


def _packed_part(image: vtkImageData, part: Requested) -> Any:
    return packed(cut(image, part))


def _asked(info: Any) -> Requested:
    """The part that is requested from an image port."""
    return part_of(as_extent(info.Get(UPDATE_EXTENT())), *_piece_of(info))


def extents_of(datasets: Sequence[Any]) -> list[list[int] | None]:
    """The extents of images; None for other datasets."""
    return [list(one.GetExtent()) if isinstance(one, vtkImageData) else None for one in datasets]


def clear_images(outputs: Sequence[Any], infos: Sequence[Any]) -> None:
    """Clear the image outputs of a failed run, with the requested extents.

    VTK considers smaller images as out of date. If only some processes ran again, they would wait
    for the others.
    """
    for output, info in zip(outputs, infos, strict=True):
        if isinstance(output, vtkImageData) and info.Has(UPDATE_EXTENT()):
            output.Initialize()
            output.SetExtent(_asked(info).extent)


def leave_to_piece_0(infos: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Clear the outputs of a process that is not collective, if its piece is not the first."""
    for info, output in zip(infos, outputs, strict=True):
        if (info.Get(PIECE()) or 0) > 0 and not isinstance(output, vtkImageData):
            output.Initialize()


def _piece_of(info: Any) -> tuple[int, int, int]:
    piece, n, ghosts = (
        info.Get(key) if info.Has(key) else default
        for key, default in ((PIECE(), 0), (N_PIECES(), 1), (GHOST_LEVELS(), 0))
    )
    return piece, n, ghosts
