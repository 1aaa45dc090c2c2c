"""Exchanges between the processes of ParaView, through mpi4py or VTK's controller.

Both use the communicator of ParaView, on the main thread. All processes use the same one.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray

from separatrix.pieces.exchange import Exchange, MessageExchange, RankExchange, chunks_of
from separatrix_vtk.base.arrays import to_vtk

TAG = 73_115  # of the messages


class ControllerExchange(MessageExchange):
    """Between the processes of a vtkMultiProcessController, without mpi4py."""

    def __init__(self, controller: Any) -> None:
        super().__init__()
        self._controller = controller
        self.rank = int(controller.GetLocalProcessId())
        self.size = int(controller.GetNumberOfProcesses())
        self.find_host()

    def _gathered(self, mine: Any) -> list[Any]:
        everything = vtkUnsignedCharArray()
        own = np.frombuffer(pickle.dumps(mine, protocol=5), np.uint8)
        self._controller.AllGatherV(to_vtk(own, ""), everything)
        stream = io.BytesIO(memoryview(everything))
        return [pickle.load(stream) for _ in range(self.size)]  # noqa: S301, of this program

    def _broadcast(self, part: np.ndarray, root: int) -> None:
        self._controller.Broadcast(to_vtk(part, ""), root)

    def send(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        arrays = [np.ascontiguousarray(array) for array in arrays]
        found = self._to_receive(arrays)
        for pair in combinations(range(self.size), 2):  # one order for all, as Send may wait
            if self.rank not in pair:
                continue
            other = sum(pair) - self.rank
            for sender in pair:
                sends = sender == self.rank
                for part in chunks_of(arrays[other] if sends else found[other]):
                    if sends:
                        self._controller.Send(to_vtk(part, ""), other, TAG)
                    else:
                        self._controller.Receive(to_vtk(part, ""), other, TAG)
        return found


_EXCHANGES: dict[Any, Exchange] = {}  # by controller


def exchange_of(controller: Any) -> Exchange:
    """Return the exchange between the controller's processes, which all must call this."""
    if controller not in _EXCHANGES:
        _EXCHANGES[controller] = _new_exchange(controller)
    return _EXCHANGES[controller]


def _new_exchange(controller: Any) -> Exchange:
    """Return one through mpi4py if all processes have it, otherwise through the controller."""
    exchange, comm = ControllerExchange(controller), mpi_communicator(controller)
    has_all = all(exchange.gather(comm is not None))
    # VTK does not receive the messages of a copy of its communicator.
    return RankExchange(comm.Dup()) if has_all else exchange


def mpi_communicator(controller: Any) -> Any:
    """Return the controller's communicator for mpi4py, or None without mpi4py."""
    try:
        from vtkmodules.vtkParallelMPI4Py import vtkMPI4PyCommunicator

        return vtkMPI4PyCommunicator.ConvertToPython(controller.GetCommunicator())
    except Exception:  # of an mpi4py for another MPI, for instance
        return None
