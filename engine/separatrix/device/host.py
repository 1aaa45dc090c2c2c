"""The CPU: kernels of the host library, called through ctypes, on the library's own threads.

The number of threads is an argument of each launch. Threads do not survive ``fork()``, so launches
in a forked process use one thread; processes of the spawn method use all.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..errors import Canceled, InputError, KernelError
from ..kernels import source
from ..options import ExecutionOptions, options_of
from .base import Device, LargeExtents, OnSlice, value_dtype
from .host_memory import free_host_memory
from .side_threads import submit

LIBRARY_NAME = "libseparatrix.so"
BUILD = "Build them with `python3 engine/build_kernels.py`"
SLICE_SECONDS = 0.1
COPIED_BY_ONE = 32 << 20  # bytes that one thread copies
TASK_SECONDS = 0.05  # between checks for cancellation during a task
OUT_OF_MEMORY, STOPPED_TASK = -1000, -1001  # return values of tasks; see common/types.h

_loading = Lock()
_crew_is_lost = False  # in a process that was forked from one with threads


def library_path() -> Path:
    """Path of the host library."""
    named = os.environ.get("SEPARATRIX_LIBRARY")
    return Path(named).absolute() if named else source.HEADERS.parent / "_lib" / LIBRARY_NAME


@cache
def load_library() -> ctypes.CDLL:
    """Load the host library. Raises KernelError if it is missing or does not match."""
    path = library_path()
    if not path.is_file():
        raise KernelError(
            f"The compiled kernels were not found in {path}. {BUILD}, or reinstall the package."
        )
    try:
        with _loading:
            library = ctypes.CDLL(str(path))
        library.separatrix_source_hash.restype = ctypes.c_char_p
        compiled_from = library.separatrix_source_hash().decode()
    except (OSError, AttributeError) as error:
        raise KernelError(f"The compiled kernels in {path} cannot be loaded: {error}.") from error
    if compiled_from != source.source_hash():
        raise KernelError(
            f"The compiled kernels in {path} were built from other sources ({compiled_from}); "
            f"expected {source.source_hash()}. {BUILD}."
        )
    return library


@cache
def _struct_type(name: str) -> type[ctypes.Structure]:
    fields = [
        (field, np.ctypeslib.as_ctypes_type(dtype)) for field, dtype in source.structs()[name]
    ]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


def usable_cpus() -> int:
    """Return the number of CPUs that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def default_threads() -> int:
    """Return SEPARATRIX_NUM_THREADS or OMP_NUM_THREADS if set, otherwise the usable CPUs.

    OMP_NUM_THREADS may be a list for nested levels; what OpenMP ignores is ignored here, too.
    """
    text = os.environ.get("SEPARATRIX_NUM_THREADS", "").strip()
    if not text:
        first = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
        return int(first) if first.isdecimal() and 0 < int(first) < 1 << 16 else usable_cpus()
    declared = options_of(ExecutionOptions)["threads"]
    try:
        threads: int = declared.check(int(text))
    except ValueError:  # InputError is one, too
        expected = declared.described().removesuffix(" or None")
        raise InputError("SEPARATRIX_NUM_THREADS", expected, text) from None
    return threads


class HostDevice(Device):
    """The CPU with a number of threads."""

    name = "cpu"
    xp = np
    is_cuda = False

    def __init__(
        self, threads: int | None = None, listener: Callable[[], OnSlice | None] | None = None
    ):
        """`listener` returns the function that may cancel long work, or None."""
        self._threads = default_threads() if threads is None else threads
        self.library = load_library()
        self._listener = listener or (lambda: None)

    def __reduce__(self) -> tuple[Any, ...]:
        return HostDevice, (self._threads,)

    @property
    def threads(self) -> int:
        """Number of threads per launch."""
        return 1 if _crew_is_lost else self._threads

    def with_threads(self, threads: int) -> HostDevice:
        return HostDevice(threads)

    def launch(
        self, kernel: str, n_items: int, *arguments: Any, on_slice: OnSlice | None = None
    ) -> None:
        declared = _of_large_images(kernel, arguments)
        declared = declared or source.kernels().get(kernel) or source.host_loops()[kernel]
        bound = self.bind(declared, arguments)
        dtype = value_dtype(declared, bound)
        name = declared.name
        function = getattr(self.library, f"{name}_{dtype}" if dtype else name)
        function.restype = None
        passed = [
            _as_ctypes(parameter, value)
            for parameter, value in zip(declared.parameters, bound, strict=True)
        ]
        on_slice = on_slice or self._listener()
        # Slices take about SLICE_SECONDS each, so that the caller can cancel.
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
                size = max(1, int(size * min(8.0, max(0.1, pace))))

    def run(
        self,
        task: str,
        *arguments: Any,
        on_wait: Callable[[], None] | None = None,
        undo: Callable[[int], object] | None = None,
        watched: bool = False,
    ) -> int:
        """Run a HOST_TASK on NumPy arrays and return its result. Raises MemoryError.

        Tasks are serial and release Python's lock, so several may run in threads. If there is a
        listener, or if it is `watched`, the task runs in another thread, while this one calls
        `on_wait`, or else the listener, several times per second. An exception of it cancels the
        task, whose output is then undefined, and propagates. If the task ended before it could be
        canceled, `undo` is called with its result.
        """
        declared = _of_large_images(task, arguments) or source.host_tasks()[task]
        bound = self.bind(declared, arguments)
        function = getattr(self.library, declared.name)
        function.restype = ctypes.c_int64
        stop = np.zeros(1, np.uint8)  # see common/host_stop.h
        passed = [
            _as_ctypes(parameter, value)
            for parameter, value in zip(declared.parameters, bound, strict=True)
        ]

        def call() -> int:
            return int(function(ctypes.c_void_p(stop.ctypes.data), *passed))

        listener = self._listener()
        if listener is None and not watched:
            number = call()
        else:
            number = _listening(call, stop, on_wait or (lambda: listener and listener(0.0)), undo)
        if number == STOPPED_TASK:
            raise Canceled(f"{task} was canceled.")
        if number == OUT_OF_MEMORY:
            raise MemoryError(f"The working memory of {task} does not fit in host memory.")
        return number

    def copied(self, array: np.ndarray) -> np.ndarray:
        copy = self.empty(array.shape, array.dtype)
        n = self.threads if array.nbytes >= COPIED_BY_ONE else 1
        self._copy(np.array_split(array, n), np.array_split(copy, n))
        return copy

    def joined(self, arrays: Sequence[np.ndarray]) -> np.ndarray:
        (first, *_), ends = arrays, np.cumsum([len(array) for array in arrays])
        every = self.empty((int(ends[-1]), *first.shape[1:]), first.dtype)
        self._copy(arrays, np.split(every, ends[:-1]))
        return every

    def _copy(self, given: Sequence[np.ndarray], targets: Sequence[np.ndarray]) -> None:
        """Copy arrays, large ones by several threads, because pages of new arrays take long."""
        pairs = list(zip(targets, given, strict=True))
        n = self.threads if sum(target.nbytes for target in targets) >= COPIED_BY_ONE else 1
        if n == 1 or len(pairs) == 1:
            for target, array in pairs:
                np.copyto(target, array)
            return
        with ThreadPoolExecutor(n, "separatrix") as pool:
            for copying in [submit(pool, np.copyto, *pair) for pair in pairs]:
                copying.result()

    def synchronize(self) -> None:
        pass

    def mark(self) -> float:
        return time.perf_counter()

    def seconds_between(self, begin: float, end: float) -> float:
        return end - begin

    def free_memory(self) -> int:
        return free_host_memory()


def _of_large_images(name: str, arguments: tuple[Any, ...]) -> source.Kernel | None:
    """Return the form of a kernel or task for a large image; None if no argument is of one."""
    if any(isinstance(argument, LargeExtents) for argument in arguments):
        return source.of_large_images()[name]
    return None


def _after_fork() -> None:
    global _crew_is_lost, _loading
    _crew_is_lost, _loading = _crew_is_lost or load_library.cache_info().currsize > 0, Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _listening(
    call: Callable[[], int],
    stop: np.ndarray,
    on_wait: Callable[[], None],
    undo: Callable[[int], object] | None,
) -> int:
    """Return the result of a call in another thread; an exception while waiting sets `stop`."""
    with ThreadPoolExecutor(1, "separatrix") as pool:
        running = submit(pool, call)
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
