"""One call of a public function: its device, clock, memory, and progress, which may cancel it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from threading import RLock
from time import perf_counter
from typing import Any
from weakref import WeakMethod

import numpy as np

from ..errors import check_progress
from ..options import ExecutionOptions, checked
from .arrays import as_device_array, is_on_gpu, read_only, to_host
from .base import Array, Device
from .choice import select
from .host import HostDevice
from .memory import MemoryBudget, checked_limit
from .scratch import ScratchDevice, checked_folder

Progress = Callable[[float, str], None]
PULSE_SECONDS = 0.03  # between reports while kernels run; in ParaView each takes 0.1 ms


def before_first_stage(progress: Progress | None) -> Progress | None:
    """Return a callback for work before the first stage, which reports a fraction of 0."""
    check_progress(progress)
    return None if progress is None else lambda part, stage: progress(0.0, stage)


def _nothing(part: float) -> None:
    pass


@dataclass
class ResultPlacement:
    """Moves arrays to where the caller expects results: the host, or where they were computed.

    NumPy results are read-only, because later parts are computed from some of them.
    """

    on_host: bool

    def moves(self, array: Array) -> bool:
        """Return whether an array would be copied from a GPU."""
        return self.on_host and is_on_gpu(array)

    def __call__(self, array: Array) -> Array:
        return read_only(to_host(array).view()) if self.on_host else array


@dataclass(frozen=True)
class Pieces:
    """Work for several devices, or too large for one: pieces of arrays on the host pass through it.

    By default each stage chooses the `number` of pieces.
    """

    devices: tuple[Device, ...]
    number: int | None = None

    @property
    def device(self) -> Device:
        """The device of stages that use only one."""
        return self.devices[0]


@dataclass
class _Call:
    """The current call: callback, stages, current progress function, and reported fractions."""

    progress: Progress | None = None
    shares: dict[str, float] = field(default_factory=dict)
    done: Callable[[float], None] = _nothing
    reported: dict[str, float] = field(default_factory=dict)
    reported_at: float = 0.0  # on the performance counter


class Session:
    """State that all stages of a call share. Stages are timed on the device's own clock.

    NumPy input gives NumPy results unless a GPU is requested; CuPy input gives CuPy results unless
    the CPU is requested.
    """

    def __init__(
        self,
        data: Array,
        device: str | None = None,
        threads: int | None = None,
        memory_limit: Any = None,
        scratch: Any = None,
    ):
        from_gpu, limit = is_on_gpu(data), checked_limit(memory_limit)
        by_choice = device is not None and str(device).strip().lower() != "auto"
        if from_gpu and not by_choice:
            device = f"cuda:{data.device.id}"
        self._threads = checked(ExecutionOptions, "threads", threads)
        self.scratch = checked_folder(scratch)
        self.device: Device = select(device, self._threads)
        if not self.device.is_cuda:
            self.device = self.host
        self.memory = MemoryBudget(self.device, self.host, limit)
        self.pieces: Pieces | None = None
        self.result = ResultPlacement(not self.device.is_cuda or not (from_gpu or by_choice))
        self._marks: dict[str, tuple[Device, Any, Any]] = {}
        self._lock = RLock()
        self._call = _Call()

    def __getstate__(self) -> dict[str, Any]:
        """Return the state to pickle: no call, and times in seconds instead of marks."""
        host = HostDevice(self._threads)
        marks = {name: (host, 0.0, seconds) for name, seconds in self.timings.items()}
        return {**vars(self), "scratch": None, "_marks": marks, "_lock": None, "_call": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=RLock(), _call=_Call())
        if not self.device.is_cuda:
            self.device = self.host

    @contextmanager
    def call(self, progress: Progress | None, shares: dict[str, float]) -> Iterator[None]:
        """Run a call: its device is current, CUDA errors are translated, `progress` is called.

        `shares` are the weights of the stages that the call may run, in their order. Calls of
        several threads on one result wait for each other. A nested call is independent, except that
        one without stages and progress is part of the surrounding call. The last report is 1, even
        if the last stages are skipped.
        """
        check_progress(progress)
        with self._lock, self.device.current():
            call, outer = self._call, vars(self._call).copy()
            if shares or progress is not None:
                vars(call).update(vars(_Call(progress, shares)))
            try:
                yield
                if progress is not None and call.reported and max(call.reported.values()) < 1:
                    progress(1.0, max(call.reported, key=call.reported.__getitem__))
            finally:
                vars(call).update(outer)

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[float], None]]:
        """Run a timed stage of the current call.

        Yields a function that takes the completed fraction of this stage, for ``on_slice``. It may
        raise whatever the progress callback raises, such as Canceled.
        """
        names = list(self._call.shares)
        before = sum(self._call.shares[other] for other in names[: names.index(name)])
        total = sum(self._call.shares.values())
        reached = 0.0

        def done(part: float) -> None:
            nonlocal reached
            reached = max(reached, part)
            if self._call.progress is not None:
                fraction = (before + reached * self._call.shares[name]) / total
                self._call.reported[name] = fraction
                self._call.reported_at = perf_counter()
                self._call.progress(fraction, name)

        done(0.0)
        self._call.done = done
        started = self.device.mark()
        yield done
        self._marks[name] = (self.device, started, self.device.mark())
        done(1.0)

    def has_stage(self, name: str) -> bool:
        """Return whether the current call has a stage of this name."""
        return name in self._call.shares

    def launch(self, kernel: str, n_items: int, *arguments: Any) -> None:
        """Launch a kernel as part of the current stage; on the CPU it may be canceled midway."""
        self.device.launch(kernel, n_items, *arguments, on_slice=self._listener())

    @property
    def host(self) -> HostDevice:
        """The CPU with the caller's threads, for serial parts; the call's progress can cancel."""
        listener = WeakMethod(self._listener)  # does not keep the arrays of the session alive

        def listening() -> Callable[[float], None] | None:
            ask = listener()
            return None if ask is None else ask()

        if self.scratch is not None:
            return ScratchDevice(self.scratch, self._threads, listening)
        return HostDevice(self._threads, listening)

    def _listener(self) -> Callable[[float], None] | None:
        return None if self._call.progress is None else self._pulse

    def _pulse(self, part: float) -> None:
        if perf_counter() - self._call.reported_at > PULSE_SECONDS:
            self._call.done(0.0)  # a stage may launch several kernels; `part` is not its fraction

    def progress_from(self, begin: float) -> Progress | None:
        """Return a callback for a nested call, which is the rest of this one from a fraction on."""
        outer = self._call.progress
        return outer and (lambda part, stage: outer(begin + (1 - begin) * part, stage))

    def raise_if_canceled(self) -> None:
        """Let the progress callback cancel the call, by any exception."""
        self._call.done(0.0)

    def progressed(self, part: float) -> None:
        """Report the completed fraction of the current stage."""
        self._call.done(part)

    @property
    def timings(self) -> dict[str, float]:
        """Seconds per stage, in the order of their first run."""
        marked = list(self._marks.items())  # a call in another thread may add some
        return {name: at.seconds_between(*marks) for name, (at, *marks) in marked}

    def on(self, device: Device) -> Session:
        """Return the same call on another device, for use within the call only."""
        other = Session.__new__(Session)
        vars(other).update(vars(self))
        other.device, other.memory = device, self.memory.on(device)
        other.result = copy(self.result)
        return other

    def fork(self, device: Device) -> Session:
        """Return a session for another thread: no call, no progress, no limit."""
        other, other.pieces = self.on(device), None
        other.memory = MemoryBudget(device, self.memory.host)
        other._lock, other._marks = RLock(), {}
        other._call = _Call()
        return other

    def stream_from_host(
        self, n_pieces: int | None = None, devices: tuple[Device, ...] = ()
    ) -> None:
        """Keep arrays on the host from now on; costly stages stream them through the devices.

        By default, these are the device of the session.
        """
        is_scratch = isinstance(self.device, ScratchDevice)
        streaming = HostDevice(self._threads) if is_scratch else self.device
        self.pieces = Pieces(devices or (streaming,), n_pieces)
        self.device = self.host
        self.memory = MemoryBudget(self.device, self.host, self.memory.limit)
        self.result.on_host = True

    def stream_in_place(self, devices: tuple[Device, ...] = ()) -> None:
        """Keep arrays on the GPU, but process large ones there piece by piece.

        Several GPUs store and process parts of the gradient; the first one stores all the rest.
        """
        self.pieces = Pieces(devices or (self.device,))

    @property
    def divides(self) -> bool:
        """Whether several GPUs store parts of the gradient."""
        return self.pieces is not None and len(self.pieces.devices) > 1 and self.device.is_cuda

    @property
    def keeps_cached(self) -> bool:
        """Whether stages on several GPUs reuse the memory of earlier ones."""
        return self.divides and self.memory.limit is None

    @property
    def streams_to_gpu(self) -> bool:
        """Whether pieces of arrays on the host pass through a GPU."""
        return self.pieces is not None and self.pieces.device.is_cuda and not self.device.is_cuda

    @property
    def limits_host(self) -> bool:
        """Whether the caller's limit is one of host memory: if the CPU streams pieces of files."""
        streams = self.pieces is not None and not self.pieces.device.is_cuda
        return streams and self.scratch is not None

    def hold(self, n_bytes: int, what: str) -> None:
        """Count what is stored, if the limit is one of host memory. Raises DeviceMemoryError."""
        if self.limits_host:
            self.memory.require(n_bytes, what, limits_host=True)
            self.memory.held += n_bytes

    @contextmanager
    def in_slabs(self) -> Iterator[None]:
        """Process an image that is on the GPU piece by piece, within this context."""
        self.stream_in_place()
        try:
            yield
        finally:
            self.pieces = None

    @property
    def place(self) -> str:
        """Devices of the computation, such as "cpu", "cuda:N in slabs", "cuda:N in slabs, cpu"."""
        if self.pieces is None:
            return self.device.name
        names = " and ".join(dict.fromkeys(device.name for device in self.pieces.devices))
        return f"{names} in slabs" + (f", {self.device.name}" if not self.device.is_cuda else "")

    def store_empty(self, n: int, dtype: Any, what: str) -> Array:
        """Allocate an array (n,) from which pieces are copied fast. Raises DeviceMemoryError."""
        if self.device.is_cuda:
            self.memory.require(n * np.dtype(dtype).itemsize, what)
            return self.device.empty(n, dtype)
        self.memory.require_host(n * np.dtype(dtype).itemsize, what)
        device = self.device
        if self.pieces is not None and self.scratch is None:
            device = self.pieces.device
        with device.current():
            return device.host_empty(n, dtype)

    def upload(self, array: Array) -> Array:
        """Return the array on the device, C-contiguous, in native byte order; itself if it is."""
        return as_device_array(array, self.device)

    def bring(self, array: Array) -> Array:
        """Return the array, which is complete, on the device, while other GPUs work."""
        return self.upload(self.device.brought(array))
