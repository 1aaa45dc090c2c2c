"""The processes of a parallel ParaView server or batch run.

ParaView gives each process a piece of the data. If a filter can compute a result in pieces, all
processes compute it (`slabs`). Otherwise the pieces are sent to process 0, which uses all of its
threads (or its GPU); images are then distributed again, and other outputs stay on process 0. All of
this uses VTK's controller. It is not used without MPI or with one process.

All processes must take part in each run, even if a piece is invalid: a process sends an error
instead of its data, and process 0 sends the outcome to all. So no process waits forever.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

from separatrix.pieces.exchange import Exchange
from separatrix_vtk.base.arrays import to_vtk
from separatrix_vtk.base.communication import exchange_of
from separatrix_vtk.base.datasets import Block
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.join import size_of
from separatrix_vtk.base.packing import packed, unpacked

TAG = 73_114  # of the messages


class Processes:
    """The processes that run a filter of this name."""

    def __init__(self, controller: Any, name: str) -> None:
        self._controller, self._name = controller, name
        self.rank = int(controller.GetLocalProcessId())
        self.n = int(controller.GetNumberOfProcesses())

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def pieces(self) -> Exchange:
        """The exchange of a computation in pieces; all must call this."""
        return exchange_of(self._controller)

    def exchange(self, stage: str, message: Any) -> list[Any]:
        """The messages of all processes, of texts, numbers, and lists; all must call this.

        Raises FilterError on all of them if one is at another stage.
        """
        here = f"{self._name}, {stage}"
        text = json.dumps([here, message]).encode() + b"\n"  # JSON contains no line breaks
        everything = vtkUnsignedCharArray()
        mine = to_vtk(np.frombuffer(text, np.uint8), "")
        self._controller.AllGatherV(mine, everything)
        values = memoryview(everything).tobytes()[: everything.GetNumberOfTuples()]
        messages = [json.loads(line) for line in values.decode().splitlines()]
        if others := [place for place, _ in messages if place != here]:
            raise FilterError(
                f"The processes run different steps ({here} and {others[0]}), so nothing can be "
                "gathered. Update the same filters in the same order on all processes."
            )
        return [message for _, message in messages]

    def gathered(self, blocks: Sequence[Block]) -> list[Block]:
        """The blocks with the pieces of all processes on process 0; [] on the others.

        Raises FilterError on process 0 if another process could not send its pieces.
        """
        if not self.is_first:
            with suppress(Exception):  # process 0 reports it
                self.send(lambda: [_packed_block(block) for block in blocks], 0)
            return []
        pieces = {block.path: [*block.pieces] for block in blocks}
        names = {block.path: block.names for block in blocks}
        wrong: list[FilterError] = []
        for source in range(1, self.n):
            try:
                for path, own_names, found in self.receive(source, _unpacked_blocks):
                    names.setdefault(path, own_names)
                    pieces.setdefault(path, []).extend(found)
            except FilterError as error:  # the other processes are waiting
                wrong.append(error)
        if wrong:
            raise wrong[0]
        return [Block(path, names[path], tuple(pieces[path])) for path in sorted(pieces)]

    # === one to one

    def send(self, make: Callable[[], Any], target: int) -> None:
        """Send what `make` returns, or the text of its error, which is raised again."""
        failure: Exception | None = None
        content: Any = None
        try:
            content = make()
        except Exception as error:  # the other process is waiting
            failure = error
        text = "" if failure is None else _text_of(failure)
        buffers: list[pickle.PickleBuffer] = []
        message = pickle.dumps((text, content), protocol=5, buffer_callback=buffers.append)
        arrays = [np.frombuffer(buffer.raw(), np.uint8) for buffer in buffers]
        header = pickle.dumps((message, [array.size for array in arrays]))
        for array in (np.frombuffer(header, np.uint8), *arrays):
            self._controller.Send(to_vtk(array, ""), target, TAG)
        if failure is not None:
            raise failure

    def receive(self, source: int, made: Callable[[Any], Any]) -> Any:
        """The object that a process sent, restored from its content. Raises FilterError."""
        header = vtkUnsignedCharArray()
        self._controller.Receive(header, source, TAG)
        message, sizes = pickle.loads(memoryview(header))  # noqa: S301, of this program
        arrays = [np.empty(size, np.uint8) for size in sizes]
        for array in arrays:
            self._controller.Receive(to_vtk(array, ""), source, TAG)
        try:
            text, content = pickle.loads(message, buffers=arrays)  # noqa: S301
            if text:
                raise FilterError(text)
            return made(content)
        except Exception as error:  # after it, nothing is left to be received
            raise FilterError(f"process {source}: {_text_of(error)}") from None


def _packed_block(block: Block) -> tuple[Any, ...]:
    return block.path, block.names, [packed(piece) for piece in block.pieces if size_of(piece)]


def _unpacked_blocks(blocks: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(path, names, [*map(unpacked, pieces)]) for path, names, pieces in blocks]


def _text_of(error: Exception) -> str:
    return str(error) or type(error).__name__


def all_processes(name: str) -> Processes | None:
    """The processes that run a filter of this name, None if there is only one."""
    from vtkmodules.vtkParallelCore import vtkMultiProcessController

    controller = vtkMultiProcessController.GetGlobalController()
    if controller is None or controller.GetNumberOfProcesses() < 2:
        return None
    return Processes(controller, name)
