"""The CPU: kernels of the host library, loaded through ctypes, on OpenMP threads.

The number of threads is an argument of every launch: OMP_NUM_THREADS is read when libgomp is
loaded, which in ParaView is not our moment. An OpenMP pool does not survive ``fork()``: what is
launched in a forked process runs on one thread; processes started with the spawn method have all.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..errors import Cancelled, InputError, KernelError
from ..kernels import source
from .base import Device, OnSlice, value_dtype
from .host_memory import free_host_memory
from .side_threads import begun

LIBRARY_NAME = "libseparatrix.so"
SLICE_SECONDS = 0.1
TASK_SECONDS = 0.05  # between two looks at whether the caller wants a task to stop
OUT_OF_MEMORY = -1000  # common/types.h: what a task returns that could not allocate
STOPPED_TASK = -1001  # and one that was told to stop
MAX_THREADS = 1024  # fewer are taken where the system refuses some: common/host_threads.h


_loading = Lock()
_pool_is_lost = False  # forked from a process whose threads of OpenMP this one would wait for


def library_candidates() -> list[Path]:
    """Where the host library is looked for, in order: paths, never a name to search."""
    named = os.environ.get("SEPARATRIX_LIBRARY")
    return [Path(named).absolute()] if named else [source.HEADERS.parent / "_lib" / LIBRARY_NAME]


@cache
def load_library() -> ctypes.CDLL:
    """The host library. Raises KernelError with the places looked at, or the ABI numbers."""
    candidates = library_candidates()
    path = next((path for path in candidates if path.is_file()), None)
    if path is None:
        raise KernelError(
            "the compiled kernels were not found; looked at "
            + ", ".join(map(str, candidates))
            + "; build them with `python3 engine/build_kernels.py` or install the package again"
        )
    try:
        with _loading, _patient_threads():
            library = ctypes.CDLL(str(path))
        abi = library.separatrix_abi()
        library.separatrix_source_hash.restype = ctypes.c_char_p
        compiled_from = library.separatrix_source_hash().decode()
    except (OSError, AttributeError) as error:
        raise KernelError(f"the compiled kernels in {path} can't be loaded: {error}") from error
    if abi != source.ABI:
        raise KernelError(
            f"the compiled kernels in {path} have ABI {abi}, this package needs {source.ABI}; "
            "build them again with `python3 engine/build_kernels.py`"
        )
    if compiled_from not in ("unknown", source.source_hash()):
        raise KernelError(
            f"the compiled kernels in {path} were built from other sources ({compiled_from}, "
            f"expected {source.source_hash()}); build them again with "
            "`python3 engine/build_kernels.py`"
        )
    return library


@contextmanager
def _patient_threads() -> Iterator[None]:
    """Have libgomp's idle threads sleep, if it is loaded now and the user says nothing else.

    It reads the environment when it is loaded. Threads that spin make every other program on
    shared cores slow, and themselves when they wait for one that is not running: stages of a
    millisecond took 24 on a busy machine.
    """
    names = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")
    if any(name in os.environ for name in names):
        yield
        return
    os.environ["OMP_WAIT_POLICY"] = "passive"
    try:
        yield
    finally:
        del os.environ["OMP_WAIT_POLICY"]


@cache
def _struct_type(name: str) -> type[ctypes.Structure]:
    fields = [
        (field, np.ctypeslib.as_ctypes_type(dtype)) for field, dtype in source.structs()[name]
    ]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


def usable_cpus() -> int:
    """CPUs that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_threads() -> int:
    """SEPARATRIX_NUM_THREADS if set, else every CPU that this process may use."""
    text = os.environ.get("SEPARATRIX_NUM_THREADS", "").strip()
    if not text:
        return usable_cpus()
    if not text.isdecimal() or not 1 <= int(text) <= MAX_THREADS:
        raise InputError(f"SEPARATRIX_NUM_THREADS must be 1 to {MAX_THREADS}, not {text!r}")
    return int(text)


class HostDevice(Device):
    """The CPU with a number of OpenMP threads."""

    name = "cpu"
    xp = np
    is_cuda = False

    def __init__(
        self, threads: int | None = None, listener: Callable[[], OnSlice | None] | None = None
    ):
        """`listener` says who hears of work that lasts, and may stop it: None for nobody."""
        self._threads = default_threads() if threads is None else threads
        self.library = load_library()
        self._listener = listener or _nobody

    @property
    def threads(self) -> int:
        """How many OpenMP threads a launch has."""
        return 1 if _pool_is_lost else self._threads

    def with_threads(self, threads: int) -> HostDevice:
        return HostDevice(threads)

    def launch(
        self, kernel: str, n_items: int, *arguments: Any, on_slice: OnSlice | None = None
    ) -> None:
        declared = source.kernels().get(kernel) or source.host_loops()[kernel]
        bound = self.bind(declared, arguments)
        dtype = value_dtype(declared, bound)
        function = getattr(self.library, f"{kernel}_{dtype}" if dtype else kernel)
        function.restype = None
        passed = [
            _as_ctypes(parameter, value)
            for parameter, value in zip(declared.parameters, bound, strict=True)
        ]
        on_slice = on_slice or self._listener()
        # Slices grow or shrink towards SLICE_SECONDS each, so that a caller can cancel in time.
        first, size = 0, n_items if on_slice is None else max(1, n_items // 256)
        while first < n_items:
            count = min(size, n_items - first)
            begin = time.perf_counter()
            function(
                ctypes.c_int(self.threads), ctypes.c_int64(first), ctypes.c_int64(count), *passed
            )
            first += count
            if on_slice is not None:
                on_slice(first / n_items)
                pace = SLICE_SECONDS / max(time.perf_counter() - begin, 1e-6)
                size = max(1, int(size * min(2.0, max(0.1, pace))))

    def run(
        self,
        task: str,
        *arguments: Any,
        on_wait: Callable[[], None] | None = None,
        undo: Callable[[int], object] | None = None,
    ) -> int:
        """Run a HOST_TASK on NumPy arrays and return its number. Raises MemoryError.

        Tasks are serial and hold no lock of Python's: several may run in threads. Where someone
        listens the task runs in a thread of its own, and this one asks several times a second, by
        `on_wait` or else the listener, whether to go on. What that raises leaves when the task has
        stopped, some milliseconds later; what it has written by then means nothing. `undo` gets
        the number of a task that was done before it could be stopped: for what it has kept.
        """
        declared = source.host_tasks()[task]
        bound = self.bind(declared, arguments)
        function = getattr(self.library, task)
        function.restype = ctypes.c_int64
        stop = np.zeros(1, np.uint8)  # of this call alone: see common/host_stop.h
        passed = [
            _as_ctypes(parameter, value)
            for parameter, value in zip(declared.parameters, bound, strict=True)
        ]

        def call() -> int:
            return int(function(ctypes.c_void_p(stop.ctypes.data), *passed))

        listener = self._listener()
        if listener is None:
            number = call()
        else:
            number = _listening(call, stop, on_wait or (lambda: listener(0.0)), undo)
        if number == STOPPED_TASK:
            raise Cancelled(f"{task.replace('_', ' ')} was stopped")
        if number == OUT_OF_MEMORY:
            raise MemoryError(f"{task.replace('_', ' ')} found no room for its working memory")
        return number

    def synchronize(self) -> None:
        pass

    def mark(self) -> float:
        return time.perf_counter()

    def seconds_between(self, begin: float, end: float) -> float:
        return end - begin

    def free_memory(self) -> int:
        """Memory that could be had without swapping, within the limits of this process."""
        return free_host_memory()


def _after_fork() -> None:
    global _pool_is_lost, _loading
    _pool_is_lost, _loading = _pool_is_lost or load_library.cache_info().currsize > 0, Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _nobody() -> None:
    return None


def _listening(
    call: Callable[[], int],
    stop: np.ndarray,
    on_wait: Callable[[], None],
    undo: Callable[[int], object] | None,
) -> int:
    """What a call in a thread of its own gives. Whatever ends the waiting sets `stop` first."""
    with ThreadPoolExecutor(1, "separatrix") as pool:
        running = begun(pool, call)
        try:
            while not wait([running], TASK_SECONDS).done:
                on_wait()
        except BaseException:
            stop[0] = 1
            number = running.result()
            if undo is not None and number != STOPPED_TASK:
                undo(number)
            raise
        return running.result()


@cache
def _scalar_type(dtype: np.dtype) -> Any:
    return np.ctypeslib.as_ctypes_type(dtype)


def _as_ctypes(parameter: source.Parameter, value: Any) -> Any:
    if parameter.is_array:
        return ctypes.c_void_p(value.ctypes.data)
    if parameter.type in source.SCALAR_TYPES:
        return _scalar_type(value.dtype)(value.item())
    return _struct_type(parameter.type)(*value.item())
