"""Exchanges between the pieces of a computation: ranks of MPI, or threads of one process.

All pieces take part in each exchange. A piece that has raised an error sends it in place of its
data, so that all pieces end with the same error instead of waiting for each other.
"""

from __future__ import annotations

import pickle
import platform
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any, Protocol, TypeVar

import numpy as np

from ..device import Array, completed, to_host
from ..errors import InputError, Words


class Turn(Protocol):
    """The right of a thread to use its device, which it gives up while it waits for others."""

    def begin(self) -> None: ...
    def end(self) -> None: ...


FIRST_PIECE = 0  # computes what cannot be divided
CHUNK = 1 << 30  # bytes of a message: MPI counts with C integers
Result = TypeVar("Result")


class Exchange:
    """Communication of a piece with the others; `rank` counts from 0 to `size` - 1."""

    rank: int
    size: int
    local_rank = 0  # among the pieces on this host
    local_size = 1
    takes_turns = False  # while a piece waits for others, these need the memory of its device

    def __init__(self) -> None:
        self._known_error: BaseException | None = None  # the last error that all pieces know

    def _gathered(self, mine: Any) -> list[Any]:
        """Return a small object of each piece, in the order of the ranks."""
        raise NotImplementedError

    def find_host(self) -> None:
        """Count the pieces on this host."""
        hosts = self._gathered(platform.node())
        self.local_rank = hosts[: self.rank].count(hosts[self.rank])
        self.local_size = hosts.count(hosts[self.rank])

    def gather(self, mine: Any) -> list[Any]:
        """Return a small object of each piece, or raise the error of the first that has failed."""
        found = self._gathered((None, mine))
        for error, _ in found:
            if error is not None:
                self._known_error = error
                raise error
        return [theirs for _, theirs in found]

    def share(self, array: Array) -> list[Array]:
        """Return an array (n,) of each piece, on the device of that piece or on the host."""
        return self.gather(array)

    def send(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Return what each piece sends to this one; `arrays` has one array (n,) for each piece."""
        return [theirs[self.rank] for theirs in self.gather(arrays)]

    def common(self, compute: Callable[[], Result]) -> Result:
        """Return the result of a computation that is the same in all pieces."""
        return compute()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Run a part of the program in which an error of one piece ends it in all of them."""
        try:
            yield
            self.gather(None)
        except BaseException as error:
            if error is not self._known_error:
                self._known_error = error
                self._gathered((_sendable(error), None))
            raise


def _sendable(error: BaseException) -> BaseException:
    try:
        if str(pickle.loads(pickle.dumps(error))) == str(error):  # noqa: S301
            return error
    except Exception:  # of an error that does not survive the transport
        pass
    return RuntimeError(f"{type(error).__name__}: {error}")


class MessageExchange(Exchange):
    """Between processes, by messages."""

    def _broadcast(self, part: np.ndarray, root: int) -> None:
        """Copy a message (n,) of uint8 from one rank to all others."""
        raise NotImplementedError

    def share(self, array: Array) -> list[Array]:
        array = np.ascontiguousarray(to_host(array))
        found = []
        for root, (dtype, n) in enumerate(self.gather((array.dtype.str, array.size))):
            theirs = array if root == self.rank else np.empty(n, dtype)
            for part in chunks_of(theirs):
                self._broadcast(part, root)
            found.append(theirs)
        return found

    def _to_receive(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """Return arrays for what each rank sends to this one, with its own in place."""
        announced = self.gather([(array.dtype.str, array.size) for array in arrays])
        found = [np.empty(theirs[self.rank][1], theirs[self.rank][0]) for theirs in announced]
        found[self.rank] = arrays[self.rank]
        return found


class RankExchange(MessageExchange):
    """Between the ranks of an MPI communicator, as mpi4py provides it."""

    def __init__(self, comm: Any) -> None:
        super().__init__()
        if not all(hasattr(comm, name) for name in ("allgather", "Bcast", "Isend", "Irecv")):
            got = Words(type(comm).__name__)
            raise InputError("comm", "a communicator of mpi4py, such as MPI.COMM_WORLD", got)
        self.comm, self.rank, self.size = comm, comm.Get_rank(), comm.Get_size()
        self.find_host()

    def _gathered(self, mine: Any) -> list[Any]:
        return self.comm.allgather(mine)

    def _broadcast(self, part: np.ndarray, root: int) -> None:
        self.comm.Bcast(part, root=root)

    def send(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        arrays = [np.ascontiguousarray(array) for array in arrays]
        found = self._to_receive(arrays)
        others = [rank for rank in range(self.size) if rank != self.rank]
        waiting = [
            self.comm.Irecv(part, source=rank) for rank in others for part in chunks_of(found[rank])
        ]
        waiting += [
            self.comm.Isend(part, dest=rank) for rank in others for part in chunks_of(arrays[rank])
        ]
        for request in waiting:
            request.Wait()
        return found


def on_first(exchange: Exchange, array: Array) -> np.ndarray:
    """Return the joined arrays (n,) of all pieces on the first one, and an empty one on others."""
    own = to_host(array)
    return np.concatenate(exchange.send([own, *[own[:0]] * (exchange.size - 1)]))


def from_first(exchange: Exchange, array: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Return the piece's part of an array (n,) that the first one has, where `ends` cut it.

    Other pieces pass an empty array.
    """
    parts = [array[:0]] * exchange.size if exchange.rank != FIRST_PIECE else np.split(array, ends)
    return exchange.send(parts)[FIRST_PIECE]


def chunks_of(array: np.ndarray) -> Iterator[np.ndarray]:
    """Split a contiguous array into messages, arrays of uint8 over its memory."""
    flat = array.reshape(-1).view(np.uint8)
    return (flat[begin : begin + CHUNK] for begin in range(0, flat.size, CHUNK))


class ThreadExchange(Exchange):
    """Between threads of this process, which share their arrays and do not change them."""

    def __init__(self, rank: int, slots: list[Any], barrier: Barrier, turn: Turn | None = None):
        super().__init__()
        self.rank, self.size = self.local_rank, self.local_size = rank, len(slots)
        self._slots, self._barrier, self._turn = slots, barrier, turn

    def _gathered(self, mine: Any) -> list[Any]:
        self._slots[self.rank] = mine
        if self._turn is not None:
            try:
                self._turn.end()
            except BaseException as error:  # of earlier work of the device
                self._slots[self.rank] = (_sendable(error), None)
        self._barrier.wait()
        found = list(self._slots)
        self._barrier.wait()  # nobody writes before all have read
        if self._turn is not None:
            self._turn.begin()
        return found

    def share(self, array: Array) -> list[Array]:
        return self.gather(completed(array))

    def common(self, compute: Callable[[], Result]) -> Result:
        found: Result = self.gather(completed(compute()) if self.rank == 0 else None)[0]
        return found


def single_piece() -> Exchange:
    """Return the exchange of a computation in one piece."""
    return ThreadExchange(0, [None], Barrier(1))


def in_threads(number: int, program: Callable[[Exchange], Result]) -> list[Result]:
    """Run a program in a thread for each piece and return their results in order.

    Raises the error of the first piece that has failed.
    """
    slots: list[Any] = [None] * number
    barrier = Barrier(number)

    def run(rank: int) -> Result:
        exchange = ThreadExchange(rank, slots, barrier)
        with exchange.together():
            return program(exchange)

    with ThreadPoolExecutor(number, "separatrix") as pool:
        running = [pool.submit(run, rank) for rank in range(number)]
    return [one.result() for one in running]
