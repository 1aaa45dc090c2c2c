"""NVIDIA GPUs through CuPy: kernels are prebuilt in wheels; otherwise, NVRTC compiles them.

CuPy caches what NVRTC compiles on disk. The text of a module is its header with all includes
inlined, so its keys change with every edit.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache, partial
from operator import attrgetter
from typing import Any

import numpy as np

from ..errors import DeviceUnavailable
from ..kernels import prebuilt, source
from .base import Allocating, Array, Device, OnSlice, value_dtype
from .cuda_errors import INSTALL_CUPY, reason_of, translated_errors
from .pinned import pinned

THREADS = 256
BLOCKS_PER_PROCESSOR = 64  # of grid-stride loops, so that all processors are busy

MAX_THREADS_PER_BLOCK = 0  # attributes of functions in the CUDA Driver API
MAX_DYNAMIC_SHARED_BYTES = 8
MEMORY_TYPE_HOST = 1  # of pointers in the CUDA Runtime API
OLDEST_CUPY = 13
TOUCHED_FROM = 64 << 20  # bytes of a host array
used_gpus: set[int] = set()
_pools_with_arrays: dict[int, list[Any]] = {}  # of each GPU; their contexts have ended


@cache
def cupy() -> Any:
    """Return the CuPy module. Raises DeviceUnavailable with the command that installs it."""
    try:
        import cupy

        version = str(cupy.__version__)
        major = int(version.partition(".")[0])
    except Exception as error:  # its libraries may be missing, old, or damaged
        if isinstance(error, ModuleNotFoundError) and error.name == "cupy":
            raise DeviceUnavailable(
                f"CuPy is not installed in this Python. {INSTALL_CUPY}."
            ) from error
        raise DeviceUnavailable(
            f"CuPy is installed but cannot be imported: {reason_of(error)}. {INSTALL_CUPY}."
        ) from error
    if major < OLDEST_CUPY:
        raise DeviceUnavailable(
            f"CuPy {version} is too old; version {OLDEST_CUPY} or newer is required. "
            f"{INSTALL_CUPY}."
        )
    return cupy


@cache
def _module(ordinal: int, name: str, written: str | None) -> Any:
    """Return a module for the current GPU, `ordinal`."""
    library = cupy()
    text, options = source.module_text(name, written)
    capability = int(library.cuda.Device(ordinal).compute_capability)
    family, key = name.partition("/")[0], prebuilt.key_of(text, options)
    code = prebuilt.find(family, key, divmod(capability, 10))
    if code is not None:
        module = library.cuda.Module()
        try:
            module.load(code)
        except library.cuda.driver.CUDADriverError:  # a driver older than the code
            pass
        else:
            return module
    return library.RawModule(code=text, options=options, backend="nvrtc")


_functions: dict[tuple[int, str, str | None, str | None], tuple[Any, int]] = {}
_resident: dict[tuple[int, str, int, int], int] = {}


@cache
def _processors(ordinal: int) -> int:
    """Number of multiprocessors; cached, because CuPy queries all attributes at once."""
    return int(cupy().cuda.Device(ordinal).attributes["MultiProcessorCount"])


@cache
def _contiguity() -> Any:
    """How to test arrays of CuPy, whose `flags` are built for each access."""
    known = hasattr(cupy().ndarray, "_c_contiguous")
    return attrgetter("_c_contiguous" if known else "flags.c_contiguous")


@cache
def _copying(ordinal: int) -> Any:
    """Return a stream of the current GPU, `ordinal`, for copies from and to other GPUs.

    A copy between two GPUs on the default stream would wait for all earlier work on both of them,
    and all later work would wait for it.
    """
    return cupy().cuda.Stream(non_blocking=True)


class CudaDevice(Device):
    """One GPU, by its CUDA ordinal."""

    is_cuda = True

    def __init__(self, ordinal: int):
        self.xp = cupy()
        self.ordinal = ordinal
        self.name = f"cuda:{ordinal}"
        used_gpus.add(ordinal)
        self.is_contiguous = _contiguity()
        self.processors = _processors(ordinal)

    def __reduce__(self) -> tuple[Any, ...]:
        return CudaDevice, (self.ordinal,)

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this GPU the current one and translate errors of CuPy."""
        with translated_errors(self), self.xp.cuda.Device(self.ordinal):
            yield

    def launch(
        self, kernel: str, n_items: int, *arguments: Any, on_slice: OnSlice | None = None
    ) -> None:
        if n_items == 0:
            return
        declared = source.kernels()[kernel]
        bound = self.bind(declared, arguments)
        blocks = min((n_items + THREADS - 1) // THREADS, self.processors * BLOCKS_PER_PROCESSOR)
        span = (np.int64(0), np.int64(n_items))
        function, _ = self._function(declared, bound)
        function((blocks,), (THREADS,), (*span, *bound))

    def launch_blocks(
        self,
        kernel: str,
        n_blocks: int,
        *arguments: Any,
        written: str | None = None,
        cooperative: bool = False,
        threads: int = 0,
        shared_bytes: int = 0,
    ) -> None:
        """Run a kernel with one block per item, of its largest number of threads by default.

        `written` is the text that replaces ``sums/written.h`` in a kernel that includes it. All
        blocks of a `cooperative` launch are resident, so that they can wait for each other.
        """
        if n_blocks == 0:
            return
        declared = source.block_kernels()[kernel]
        bound = self.bind(declared, arguments)
        function, most = self._function(declared, bound, written)
        grid, block = (n_blocks,), (threads or most,)
        function(grid, block, tuple(bound), shared_bytes, enable_cooperative_groups=cooperative)

    def resident_blocks(self, kernel: str, threads: int = 0, shared_bytes: int = 0) -> int:
        """Return how many blocks of a kernel are resident at once, and prepare such launches.

        It is 0 if a block needs more shared memory than there is.
        """
        key = (self.ordinal, kernel, threads, shared_bytes)
        if key not in _resident:
            _resident[key] = self._prepared_blocks(kernel, threads, shared_bytes)
        return _resident[key]

    def _prepared_blocks(self, kernel: str, threads: int, shared_bytes: int) -> int:
        function, most = self._function(source.block_kernels()[kernel], [])
        driver = self.xp.cuda.driver
        if shared_bytes:
            try:
                driver.funcSetAttribute(function.ptr, MAX_DYNAMIC_SHARED_BYTES, shared_bytes)
            except driver.CUDADriverError:
                return 0
        of = driver.occupancyMaxActiveBlocksPerMultiprocessor
        return int(of(function.ptr, threads or most, shared_bytes)) * self.processors

    def _function(
        self, kernel: source.Kernel, bound: list[Any], written: str | None = None
    ) -> tuple[Any, int]:
        """Return a kernel and its largest number of threads per block, by its launch bounds."""
        key = (self.ordinal, kernel.name, value_dtype(kernel, bound), written)
        found = _functions.get(key)
        if found is None:
            module = _module(self.ordinal, source.module_name(kernel, key[2]), written)
            function = module.get_function(kernel.name)
            function = getattr(function, "kernel", function)  # of a RawModule
            threads = self.xp.cuda.driver.funcGetAttribute(MAX_THREADS_PER_BLOCK, function.ptr)
            found = _functions[key] = (function, threads)
        return found

    # Copies, fills, and prebuilt kernels, while CuPy would compile a kernel for each dtype.
    def unset(self, shape: Any, dtype: Any) -> Array:
        made = self.empty(shape, dtype)
        if made.size:
            made.data.memset_async(255, made.nbytes)
        return made

    def numbers(self, n: int, dtype: Any, first: int = 0, step: int = 1) -> Array:
        made = self.empty(n, dtype)
        self.launch("count_up", n, first, step, made)
        return made

    def joined(self, arrays: Sequence[Array]) -> Array:
        n, (first, *_) = sum(len(array) for array in arrays), arrays
        made, end = self.empty((n, *first.shape[1:]), first.dtype), 0
        others = {array.device.id for array in arrays} - {self.ordinal}
        for ordinal in others:
            with self.xp.cuda.Device(ordinal):
                self.synchronize()
        for array in arrays:
            self.copy_across(array, made[end : (end := end + len(array))])
        if others:
            self.synchronize()  # they may reuse the memory
        return made

    def queue(self) -> AbstractContextManager[Any]:
        """Return a stream, not a non-blocking one, so that the default stream is synchronized."""
        stream: AbstractContextManager[Any] = self.xp.cuda.Stream()
        return stream

    def copy_up(self, source: np.ndarray, target: Array) -> None:
        """Copy on the current stream; pageable memory was read when this returns."""
        place = ctypes.c_void_p(source.ctypes.data)
        target.data.copy_from_host_async(place, source.nbytes, self.xp.cuda.get_current_stream())

    def copy_down(self, source: Array, target: np.ndarray) -> None:
        """Copy on the current stream, concurrently with others if the target is pinned."""
        place = ctypes.c_void_p(target.ctypes.data)
        source.data.copy_to_host_async(place, target.nbytes, self.xp.cuda.get_current_stream())

    def copy_across(self, source: Array, target: Array) -> None:
        """Copy contiguous arrays in the order of the current stream, while other GPUs work."""
        if source.device.id == target.device.id:
            target[...] = source
        elif source.size:
            current, copying = self.xp.cuda.get_current_stream(), _copying(self.ordinal)
            copying.wait_event(current.record())
            target.data.copy_from_device_async(source.data, source.nbytes, copying)
            current.wait_event(copying.record())

    def brought(self, array: Array) -> Array:
        if not isinstance(array, self.xp.ndarray) or array.device.id == self.ordinal:
            return array
        made = self.empty(array.shape, array.dtype)
        self.copy_across(array, made)
        self.synchronize()  # the other GPU may reuse the memory
        return made

    def is_pinned(self, array: Array) -> bool:
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous:
            return False
        attributes = self.xp.cuda.runtime.pointerGetAttributes(array.ctypes.data)
        return int(attributes.type) == MEMORY_TYPE_HOST

    def mapped(self, array: np.ndarray) -> Array:
        memory = self.xp.cuda.UnownedMemory(array.ctypes.data, array.nbytes, array, self.ordinal)
        place = self.xp.cuda.MemoryPointer(memory, 0)
        return self.xp.ndarray(array.shape, array.dtype, place)

    def host_empty(self, n: int, dtype: Any) -> np.ndarray:
        """Allocate in pinned memory outside of pools; pageable if the system cannot pin more."""
        cuda, n_bytes = self.xp.cuda, max(n, 1) * np.dtype(dtype).itemsize
        if n_bytes >= TOUCHED_FROM:
            return pinned(cuda.runtime, np.empty(n, dtype))
        try:
            memory = cuda.PinnedMemoryPointer(cuda.PinnedMemory(n_bytes), 0)
        except cuda.runtime.CUDARuntimeError:
            return np.empty(n, dtype)
        return np.frombuffer(memory, dtype, n)

    def synchronize(self) -> None:
        self.xp.cuda.get_current_stream().synchronize()

    def mark(self) -> Any:
        event = self.xp.cuda.Event()
        event.record()
        return event

    def wait_for(self, mark: Any) -> None:
        mark.synchronize()

    def seconds_between(self, begin: Any, end: Any) -> float:
        end.synchronize()
        return float(self.xp.cuda.get_elapsed_time(begin, end)) / 1e3

    def free_cached(self, at_least: int = 0) -> None:
        cached = self.xp.get_default_memory_pool()
        if cached.free_bytes() < at_least:
            return
        cached.free_all_blocks()
        pools = _pools_with_arrays.pop(self.ordinal, [])
        for pool in pools:
            pool.free_all_blocks()
        self._keep(pools)

    def _keep(self, pools: list[Any]) -> None:
        """Keep pools while arrays use their memory, which CuPy frees together with a pool."""
        used = [pool for pool in pools if pool.used_bytes()]
        _pools_with_arrays.setdefault(self.ordinal, []).extend(used)

    @contextmanager
    def within(self, n_bytes: int) -> Iterator[Allocating]:
        pool = self.xp.cuda.MemoryPool()

        def malloc(n: int) -> Any:
            try:
                return pool.malloc(n)
            except self.xp.cuda.memory.OutOfMemoryError:  # cached blocks count in the limit
                pool.free_all_blocks()
                return pool.malloc(n)

        with self.current():
            pool.set_limit(size=n_bytes)
        try:
            yield partial(self.xp.cuda.using_allocator, malloc)
        finally:
            with self.current():
                pool.free_all_blocks()
                self._keep([pool])

    def apart(self) -> AbstractContextManager[None]:
        raw: AbstractContextManager[None] = self.xp.cuda.using_allocator(None)
        return raw

    def free_memory(self) -> int:
        with self.current():
            free, _ = self.xp.cuda.runtime.memGetInfo()
            pool = self.xp.get_default_memory_pool()
            available = free + pool.free_bytes()
            limit = pool.get_limit()
            return int(min(available, limit - pool.used_bytes()) if limit else available)
