"""NVIDIA GPUs through CuPy; NVRTC compiles kernels on first use, and CuPy caches them on disk.

The text of a module is its header with all includes inlined, so the key of CuPy's cache changes
with every edit. :func:`translated_errors` converts errors of CuPy and CUDA to those of Separatrix.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from traceback import walk_tb
from typing import Any

import numpy as np

from ..errors import DeviceMemoryError, DeviceUnavailable, KernelError, one_line
from ..kernels import source
from .base import Array, Device, OnSlice, value_dtype
from .lost import BROKEN, GONE, advice_for, lost_gpus, name_of, proven_gpus

THREADS = 256
BLOCKS_PER_PROCESSOR = 64  # of grid-stride loops, so that all processors are busy

OLDEST_CUPY = 13
INSTALL_CUPY = (
    "Install the extra for your driver: pip install 'separatrix[cuda13]' or 'separatrix[cuda12]'"
)
LESS_MEMORY = "Use a smaller input, fewer outputs, or device='cpu'."
CUPYS_PACKAGES = ("cupy", "cupyx", "cupy_backends")
FULL = ("MemoryAllocation", "OUT_OF_MEMORY", "INSUFFICIENT_RESOURCES", "ALLOC_FAILED")
"""Parts of the messages of CUDA and cuSPARSE if memory is exhausted."""

used_gpus: set[int] = set()


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


def reason_of(error: BaseException) -> str:
    """Return the message of an error, or else its name, in one line without a final period."""
    return one_line(error).removesuffix(".") or type(error).__name__


@cache
def _module(name: str, written: str | None) -> Any:
    """Return a compiled module, which CuPy caches on disk by the hash of its text."""
    text, options = source.module_text(name, written)
    return cupy().RawModule(code=text, options=options, backend="nvrtc")


_functions: dict[tuple[int, str, str | None, str | None], Any] = {}


@cache
def _processors(ordinal: int) -> int:
    """Number of multiprocessors; cached, because CuPy queries all attributes at once."""
    return int(cupy().cuda.Device(ordinal).attributes["MultiProcessorCount"])


class CudaDevice(Device):
    """One GPU, by its CUDA ordinal."""

    is_cuda = True

    def __init__(self, ordinal: int):
        self.xp = cupy()
        self.ordinal = ordinal
        self.name = f"cuda:{ordinal}"
        used_gpus.add(ordinal)
        self.processors = _processors(ordinal)

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
        span = (self.xp.int64(0), self.xp.int64(n_items))
        self._function(declared, bound)((blocks,), (THREADS,), (*span, *bound))

    def launch_blocks(
        self, kernel: str, n_blocks: int, *arguments: Any, written: str | None = None
    ) -> None:
        """Run a kernel with one block per item.

        `written` is the text that replaces ``sums/written.h`` in a kernel that includes it.
        """
        if n_blocks == 0:
            return
        declared = source.block_kernels()[kernel]
        bound = self.bind(declared, arguments)
        function = self._function(declared, bound, written)
        function((n_blocks,), (function.max_threads_per_block,), tuple(bound))  # its launch bounds

    def _function(self, kernel: source.Kernel, bound: list[Any], written: str | None = None) -> Any:
        key = (self.ordinal, kernel.name, value_dtype(kernel, bound), written)
        function = _functions.get(key)
        if function is None:
            module = _module(source.module_name(kernel, key[2]), written)
            function = _functions[key] = module.get_function(kernel.name)
        return function

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

    def host_empty(self, n: int, dtype: Any) -> np.ndarray:
        """Allocate in pinned memory outside of pools; pageable if the system cannot pin more."""
        cuda, n_bytes = self.xp.cuda, max(n, 1) * np.dtype(dtype).itemsize
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

    def seconds_between(self, begin: Any, end: Any) -> float:
        end.synchronize()
        return float(self.xp.cuda.get_elapsed_time(begin, end)) / 1e3

    def free_cached(self) -> None:
        self.xp.get_default_memory_pool().free_all_blocks()

    @contextmanager
    def within(self, n_bytes: int) -> Iterator[None]:
        """Allocate in a separate pool, which frees cached blocks before it exceeds its limit."""
        pool = self.xp.cuda.MemoryPool()
        pool.set_limit(size=n_bytes)
        try:
            with self.xp.cuda.using_allocator(pool.malloc):
                yield
        finally:
            pool.free_all_blocks()

    def free_memory(self) -> int:
        with self.current():
            free, _ = self.xp.cuda.runtime.memGetInfo()
            pool = self.xp.get_default_memory_pool()
            available = free + pool.free_bytes()
            limit = pool.get_limit()
            return int(min(available, limit - pool.used_bytes()) if limit else available)


@contextmanager
def translated_errors(device: CudaDevice) -> Iterator[None]:
    """Translate CuPy's memory, compiler, and runtime errors, with remedies."""
    library = device.xp
    try:
        yield
    except (DeviceMemoryError, DeviceUnavailable, KernelError):
        raise  # of a nested context
    except library.cuda.memory.OutOfMemoryError as error:
        raise _out_of_memory(device, str(error), getattr(error, "_size", None)) from error
    except MemoryError as error:
        if "bad_alloc" not in str(error) or not _is_of_cupy(error):
            raise  # of the host
        # Thrust, which sorts, does not report a failed allocation of CuPy otherwise.
        raise _out_of_memory(device, "working memory of a sort") from error
    except library.cuda.compiler.CompileException as error:
        raise KernelError(f"NVRTC cannot compile a kernel for {device.name}: {error}") from error
    except (
        library.cuda.runtime.CUDARuntimeError,
        library.cuda.driver.CUDADriverError,
    ) as error:
        raise _of_cuda(device, error) from error
    except (RuntimeError, ImportError, OSError, AssertionError) as error:
        if "nvrtc" in str(error).lower():
            raise KernelError(
                f"Kernels for {device.name} cannot be compiled: {reason_of(error)}. {INSTALL_CUPY}"
                ", which contains NVRTC, or use device='cpu'."
            ) from error
        if not _is_of_cupy(error):
            raise
        raise _of_cuda(device, error) from error  # of Thrust or cuSPARSE


def _is_of_cupy(error: BaseException) -> bool:
    """Return whether code of CuPy raised the error, not its caller or a callback."""
    module = ""
    for frame, _ in walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__"))
    return module.partition(".")[0] in CUPYS_PACKAGES


def _out_of_memory(device: CudaDevice, said: str, needed: int | None = None) -> DeviceMemoryError:
    free = _free_bytes(device)
    shown = "unknown" if free is None else f"{free:,}"
    return DeviceMemoryError(
        f"{device.name} ran out of memory ({said}); {shown} bytes are free. {LESS_MEMORY}",
        needed=needed,
        free=free,
    )


def _of_cuda(device: CudaDevice, error: Exception) -> Exception:
    """Translate an error of CUDA; after some of them, the GPU is lost."""
    if any(word in str(error) for word in FULL):
        return DeviceMemoryError(
            f"The memory of {device.name}, or pinned host memory, is exhausted: "
            f"{reason_of(error)}. {LESS_MEMORY}"
        )
    if device.ordinal in proven_gpus and name_of(error) in GONE:
        lost_gpus[device.ordinal] = reason_of(error)
        return DeviceUnavailable(
            f"{device.name} was lost during a call ({reason_of(error)}). Check it with nvidia-smi, "
            "then restart this program, or use device='cpu'."
        )
    if name_of(error) in BROKEN:
        lost_gpus[device.ordinal] = reason_of(error)
        return KernelError(
            f"{device.name} failed: {reason_of(error)}. This program can no longer use it. Restart "
            "the program, or use device='cpu', and please report this."
        )
    return KernelError(f"{device.name} failed: {reason_of(error)}.{advice_for(error)}")


def _free_bytes(device: CudaDevice) -> int | None:
    try:
        return device.free_memory()
    except RuntimeError:  # the GPU is lost as well
        return None
