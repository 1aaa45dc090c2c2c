"""One long call: its device, its clock, its progress, its memory limit, and where results go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import DeviceMemoryError, InputError
from .arrays import as_device_array, is_on_gpu, to_host
from .base import Array, Device
from .choice import select

Progress = Callable[[float, str], None]


class Work:
    """What every stage of a call shares. Stages are timed on the device's own clock.

    Results go where the input was: a NumPy input gives NumPy results, unless the caller named a
    GPU, and a CuPy input gives CuPy results, unless the caller named the CPU.
    """

    def __init__(
        self,
        data: Array,
        device: str | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
    ):
        from_gpu = is_on_gpu(data)
        by_choice = device is not None and str(device).strip().lower() != "auto"
        if memory_limit is not None and not memory_limit > 0:
            raise InputError(f"memory_limit must be positive (bytes) or None, not {memory_limit!r}")
        if from_gpu and not by_choice:
            device = f"cuda:{data.device.id}"
        self.device: Device = select(device, threads)
        self.memory_limit = memory_limit
        self.results_on_host = not self.device.is_cuda or not (from_gpu or by_choice)
        self._marks: dict[str, tuple[Any, Any]] = {}
        self._progress: Progress | None = None
        self._shares: dict[str, float] = {}

    @contextmanager
    def call(self, progress: Progress | None, shares: dict[str, float]) -> Iterator[None]:
        """One call of the user's: its device is current, its errors are ours, `progress` listens.

        `shares` weighs the stages that the call may run, in their order; a fraction is what the
        finished ones weigh together. `progress` is not called after the call is over.
        """
        if progress is not None and not callable(progress):
            raise InputError("progress must be callable as progress(fraction, stage)")
        self._progress, self._shares = progress, shares
        try:
            with self.device.current():
                yield
        finally:
            self._progress = None

    @contextmanager
    def stage(self, name: str) -> Iterator[Callable[[float], None]]:
        """A timed stage of the current call.

        Yields a function that takes the part of this stage done so far, for ``on_slice``. Either
        may raise what the user's callback raises: Cancelled, above all.
        """
        names = list(self._shares)
        before = sum(self._shares[other] for other in names[: names.index(name)])
        total = sum(self._shares.values())

        def done(part: float) -> None:
            if self._progress is not None:
                self._progress((before + part * self._shares[name]) / total, name)

        done(0.0)
        started = self.device.mark()
        yield done
        self._marks[name] = (started, self.device.mark())
        done(1.0)

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage, in the order of their first run."""
        return {name: self.device.seconds_between(*marks) for name, marks in self._marks.items()}

    def require(self, needed: int, what: str) -> None:
        """Refuse work that needs more device memory than there is or than the caller allows."""
        if self.device.is_cuda:
            free = self.device.free_memory()
            if needed > free:
                raise DeviceMemoryError(
                    f"{what} needs {needed:,} bytes on {self.device.name}, where {free:,} are "
                    "free; use a smaller image, fewer outputs, or device='cpu'"
                )
        if self.device.is_cuda and self.memory_limit is not None and needed > self.memory_limit:
            raise DeviceMemoryError(
                f"{what} needs {needed:,} bytes of device memory, memory_limit allows "
                f"{self.memory_limit:,}; raise it, use a smaller image, or device='cpu'"
            )

    def upload(self, array: Array) -> Array:
        """The array on the device, C-contiguous, in native byte order; itself if it is so."""
        return as_device_array(array, self.device)

    def result(self, array: Array) -> Array:
        """The array where the caller wants results."""
        return to_host(array) if self.results_on_host else array
