"""One long call: its device, its clock, its progress, its memory limit, and where results go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
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
        progress: Progress | None = None,
    ):
        from_gpu = is_on_gpu(data)
        by_choice = device is not None and str(device).strip().lower() != "auto"
        if memory_limit is not None and not memory_limit > 0:
            raise InputError(f"memory_limit must be positive (bytes) or None, not {memory_limit!r}")
        if progress is not None and not callable(progress):
            raise InputError("progress must be callable as progress(fraction, stage)")
        if from_gpu and not by_choice:
            device = f"cuda:{data.device.id}"
        self.device: Device = select(device, threads)
        self.memory_limit = memory_limit
        self.progress = progress
        self.results_on_host = not self.device.is_cuda or not (from_gpu or by_choice)
        self._marks: dict[str, tuple[Any, Any]] = {}

    def current(self) -> Any:
        """Context in which the device is the current one and its errors are ours."""
        current = getattr(self.device, "current", None)
        return nullcontext() if current is None else current()

    def report(self, fraction: float, stage: str) -> None:
        """Tell the caller how far the work is; the caller may raise Cancelled."""
        if self.progress is not None:
            self.progress(fraction, stage)

    @contextmanager
    def stage(self, name: str, begin: float = 0.0, end: float = 1.0) -> Iterator[Callable[[float], None]]:
        """A timed stage that covers the progress from `begin` to `end`.

        Yields a function that takes the part of this stage done so far, for ``on_slice``.
        """
        self.report(begin, name)
        started = self.device.mark()
        yield lambda part: self.report(begin + part * (end - begin), name)
        self._marks[name] = (started, self.device.mark())
        self.report(end, name)

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage, in the order of their first run."""
        return {
            name: self.device.seconds_between(*marks) for name, marks in self._marks.items()
        }

    def require(self, needed: int, what: str) -> None:
        """Refuse work that needs more device memory than there is or than the caller allows."""
        if self.device.is_cuda:
            free = self.device.free_memory()
            if needed > free:
                raise DeviceMemoryError(
                    f"{what} needs {needed:,} bytes on {self.device.name}, where {free:,} are free; "
                    "use a smaller image, fewer outputs, or device='cpu'"
                )
        if self.device.is_cuda and self.memory_limit is not None and needed > self.memory_limit:
            raise DeviceMemoryError(
                f"{what} needs {needed:,} bytes of device memory, memory_limit allows "
                f"{self.memory_limit:,}; raise it, use a smaller image, or device='cpu'"
            )

    def upload(self, array: Array) -> Array:
        return as_device_array(array, self.device)

    def result(self, array: Array) -> Array:
        """The array where the caller wants results."""
        return to_host(array) if self.results_on_host else array
