"""One long call: its device, its clock, and its progress, which may stop it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from threading import RLock
from typing import Any
from weakref import WeakMethod

import numpy as np

from ..errors import InputError
from .arrays import as_device_array, is_on_gpu
from .base import Array, Device
from .choice import select
from .host import HostDevice
from .memory import MemoryBudget, checked_limit
from .results import ResultPlacement

Progress = Callable[[float, str], None]


def check_progress(progress: Any) -> None:
    """Refuse what can't be called. Raises InputError."""
    if progress is not None and not callable(progress):
        raise InputError("progress must be callable as progress(fraction, stage)")


def _nothing(part: float) -> None:
    pass


def at_the_beginning(progress: Progress | None) -> Progress | None:
    """A `progress` for what comes before the work itself: its part is 0 throughout."""
    check_progress(progress)
    return None if progress is None else lambda part, stage: progress(0.0, stage)


@dataclass(frozen=True)
class Pieces:
    """Work too large for `device`: arrays stay on the host and pass through it piece by piece.

    `number` of pieces, if it was given; by default each stage chooses its own.
    """

    device: Device
    number: int | None = None


@dataclass
class _Call:
    """The call that is going on: who listens, its stages, and what tells of the present one."""

    progress: Progress | None = None
    shares: dict[str, float] = field(default_factory=dict)
    done: Callable[[float], None] = _nothing


class Session:
    """What every stage of a call shares. Stages are timed on the device's own clock.

    Results go where the input was: a NumPy input gives NumPy results, unless the caller named a
    GPU, and a CuPy input gives CuPy results, unless the caller named the CPU.
    """

    def __init__(
        self,
        data: Array,
        device: str | None = None,
        threads: int | None = None,
        memory_limit: Any = None,
    ):
        from_gpu, limit = is_on_gpu(data), checked_limit(memory_limit)
        by_choice = device is not None and str(device).strip().lower() != "auto"
        if from_gpu and not by_choice:
            device = f"cuda:{data.device.id}"
        self._threads = threads
        self.device: Device = select(device, threads)
        if not self.device.is_cuda:
            self.device = self.host
        self.memory = MemoryBudget(self.device, self.host, limit)
        self.pieces: Pieces | None = None
        self.result = ResultPlacement(not self.device.is_cuda or not (from_gpu or by_choice))
        self._marks: dict[str, tuple[Device, Any, Any]] = {}
        self._lock = RLock()
        self._call = _Call()

    @contextmanager
    def call(self, progress: Progress | None, shares: dict[str, float]) -> Iterator[None]:
        """One call of the user's: its device is current, its errors are ours, `progress` listens.

        `shares` weighs the stages that the call may run, in their order; a fraction is what the
        finished ones weigh together. `progress` is not called after the call is over. Calls of
        several threads on one result wait for each other; one inside another is its own, but one
        without stages is part of what is around it: who listens there may stop it.
        """
        check_progress(progress)
        with self._lock, self.device.current():
            call, outer = self._call, vars(self._call).copy()
            if shares or progress is not None:
                call.progress, call.shares, call.done = progress, shares, _nothing
            try:
                yield
            finally:
                vars(call).update(outer)

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[float], None]]:
        """A timed stage of the current call.

        Yields a function that takes the part of this stage done so far, for ``on_slice``. Either
        may raise what the user's callback raises: Cancelled, above all.
        """
        names = list(self._call.shares)
        before = sum(self._call.shares[other] for other in names[: names.index(name)])
        total = sum(self._call.shares.values())

        reached = 0.0

        def done(part: float) -> None:
            nonlocal reached
            reached = max(reached, part)
            if self._call.progress is not None:
                self._call.progress((before + reached * self._call.shares[name]) / total, name)

        done(0.0)
        self._call.done = done
        started = self.device.mark()
        yield done
        self._marks[name] = (self.device, started, self.device.mark())
        done(1.0)

    def has_stage(self, name: str) -> bool:
        """Whether a stage of the current call has this name."""
        return name in self._call.shares

    def launch(self, kernel: str, n_items: int, *arguments: Any) -> None:
        """Launch on the device as part of the current stage; the user may stop it in between."""
        self.device.launch(kernel, n_items, *arguments, on_slice=self._listener())

    @property
    def host(self) -> HostDevice:
        """The CPU, for the serial parts of work on any device, with the caller's threads.

        Whoever listens to the call may stop what runs there.
        """
        listener = WeakMethod(self._listener)  # arrays of the device go as soon as the work goes

        def listening() -> Callable[[float], None] | None:
            ask = listener()
            return None if ask is None else ask()

        return HostDevice(self._threads, listening)

    def _listener(self) -> Callable[[float], None] | None:
        return None if self._call.progress is None else self._pulse

    def check_cancelled(self) -> None:
        """Let the user stop the call here; what he raises comes out."""
        self._call.done(0.0)

    def _pulse(self, part: float) -> None:
        self._call.done(0.0)  # a stage may launch several kernels: say only that it goes on

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage, in the order of their first run."""
        marked = list(self._marks.items())  # a call in another thread may add some
        return {name: at.seconds_between(*marks) for name, (at, *marks) in marked}

    def progressed(self, part: float) -> None:
        """Tell the user that this part of the current stage is done."""
        self._call.done(part)

    def on(self, device: Device) -> Session:
        """The same call on another device, to be used inside the call only."""
        other = copy(self)
        other.device, other.memory = device, self.memory.on(device)
        other.result = copy(self.result)
        return other

    def fork(self, device: Device) -> Session:
        """The same choices for a thread of its own: no call, no progress, no limit."""
        other = self.on(device)
        other.memory.limit = other.pieces = None
        other._lock, other._marks = RLock(), {}
        other._call = _Call()
        return other

    def stream_from_host(self, n_pieces: int | None = None) -> None:
        """From now on arrays live on the host, and what is worth it passes through the device."""
        self.pieces = Pieces(self.device, n_pieces)
        self.device = self.host
        self.memory = MemoryBudget(self.device, self.host, self.memory.limit)
        self.result.on_host = True

    @property
    def place(self) -> str:
        """Where the work is done: "cpu", "cuda:N", or "cuda:N in slabs, cpu"."""
        if self.pieces is None:
            return self.device.name
        return f"{self.pieces.device.name} in slabs, {self.device.name}"

    def host_empty(self, n: int, dtype: Any, what: str) -> np.ndarray:
        """New array (n,) of the host that the streaming device reaches fast. DeviceMemoryError."""
        self.memory.require_host(n * np.dtype(dtype).itemsize, what)
        device = self.device if self.pieces is None else self.pieces.device
        with device.current():
            return device.host_empty(n, dtype)

    def upload(self, array: Array) -> Array:
        """The array on the device, C-contiguous, in native byte order; itself if it is so."""
        return as_device_array(array, self.device)
