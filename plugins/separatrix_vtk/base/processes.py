"""The processes of a parallel ParaView server or batch run, of which the first computes.

ParaView gives each process a piece of the data. Topology requires the whole, so the pieces are sent
to process 0, which uses all of its threads (or its GPU). Images are then distributed again; other
outputs stay on process 0. All of this uses VTK's controller. It is not used without MPI or with one
process.

All processes must take part in each run, even if a piece is invalid: a process sends an error
instead of its data, and process 0 sends the outcome to all. So no process waits forever.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

from separatrix_vtk.base.arrays import to_vtk
from separatrix_vtk.base.datasets import Block
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.join import size_of
from separatrix_vtk.base.packing import empty_array, packed, unpacked

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
            self._send_blocks(blocks)
            return []
        pieces = {block.path: [*block.pieces] for block in blocks}
        names = {block.path: block.names for block in blocks}
        wrong: list[str] = []
        for source in range(1, self.n):
            for message in self._receive(source):
                if "error" in message:
                    wrong.append(f"process {source}: {message['error']}")
                    continue
                path = tuple(message["path"])
                names.setdefault(path, tuple(message["names"]))
                found = pieces.setdefault(path, [])
                for _ in range(message["pieces"]):
                    try:
                        found.append(self.receive_dataset(source))
                    except Exception as error:  # the rest must be received nevertheless
                        wrong.append(f"process {source}: {_text_of(error)}")
        if wrong:
            raise FilterError(wrong[0])
        return [Block(path, names[path], tuple(pieces[path])) for path in sorted(pieces)]

    def _send_blocks(self, blocks: Sequence[Block]) -> None:
        try:
            all_packed = [
                [packed(piece) for piece in block.pieces if size_of(piece)] for block in blocks
            ]
        except Exception as error:  # process 0 is waiting
            self._send([{"error": _text_of(error)}], 0)
            return
        self._send(
            [
                {"path": block.path, "names": block.names, "pieces": len(found)}
                for block, found in zip(blocks, all_packed, strict=True)
            ],
            0,
        )
        for found in all_packed:
            for header, arrays in found:
                self._send_packed(header, arrays, 0)

    # === one to one

    def send_dataset(self, make: Callable[[], Any], target: int) -> None:
        """Make a dataset and send it to a process, which must receive it."""
        try:
            header, arrays = packed(make())
        except Exception as error:  # the other process is waiting
            self._send({"error": _text_of(error)}, target)
            raise
        self._send_packed(header, arrays, target)

    def receive_dataset(self, source: int) -> Any:
        """The dataset that a process sends. Raises FilterError if it could not."""
        header = self._receive(source)
        if "error" in header:
            raise FilterError(f"process {source}: {header['error']}")
        arrays = []
        for message in header["arrays"]:
            array = empty_array(message)
            self._controller.Receive(array, source, TAG)
            arrays.append(array)
        return unpacked(header, arrays)

    def _send_packed(self, header: Any, arrays: list[Any], target: int) -> None:
        self._send(header, target)
        for array in arrays:
            self._controller.Send(array, target, TAG)

    def _send(self, message: Any, target: int) -> None:
        text = np.frombuffer(json.dumps(message).encode(), np.uint8)
        self._controller.Send(to_vtk(text, ""), target, TAG)

    def _receive(self, source: int) -> Any:
        text = vtkUnsignedCharArray()
        self._controller.Receive(text, source, TAG)
        return json.loads(memoryview(text).tobytes()[: text.GetNumberOfTuples()].decode())


def _text_of(error: Exception) -> str:
    return str(error) or type(error).__name__


def all_processes(name: str) -> Processes | None:
    """The processes that run a filter of this name, None if there is only one."""
    from vtkmodules.vtkParallelCore import vtkMultiProcessController

    controller = vtkMultiProcessController.GetGlobalController()
    if controller is None or controller.GetNumberOfProcesses() < 2:
        return None
    return Processes(controller, name)
