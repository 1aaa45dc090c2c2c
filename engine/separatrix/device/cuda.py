"""An NVIDIA GPU through CuPy: kernels compiled by NVRTC at their first use, then cached on disk.

A module's text is its header with all includes inlined, so CuPy's cache key sees every edit. Errors
of CuPy and CUDA leave this floor as ours: see :func:`translated_errors`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from traceback import walk_tb
from typing import Any

import numpy as np

from ..errors import DeviceMemoryError, DeviceUnavailable, KernelError
from ..kernels import source
from .base import Array, Device, OnSlice, value_dtype
from .lost import advice_for, broken_context, is_gone, lost_gpus, proven_gpus

THREADS = 256
BLOCKS_PER_PROCESSOR = 64  # grid-stride loops: enough blocks to fill the chip and even out ends


OLDEST_CUPY = 13
INSTALL_CUPY = (
    "install the extra for your driver: pip install 'separatrix[cuda13]' or 'separatrix[cuda12]'"
)

CUPYS_PACKAGES = ("cupy", "cupyx", "cupy_backends")
FULL = ("MemoryAllocation", "OUT_OF_MEMORY", "INSUFFICIENT_RESOURCES", "ALLOC_FAILED")
"""What CUDA, and cuSPARSE, say where there is no room."""

used_gpus: set[int] = set()


@cache
def cupy() -> Any:
    """The CuPy module. Raises DeviceUnavailable with the command that installs it."""
    try:
        import cupy

        version = str(cupy.__version__)
        major = int(version.partition(".")[0])
    except Exception as error:  # libraries that it needs may be missing, old, or torn
        if isinstance(error, ModuleNotFoundError) and error.name == "cupy":
            raise DeviceUnavailable(
                f"CuPy is not installed in this Python; {INSTALL_CUPY}"
            ) from error
        raise DeviceUnavailable(
            f"CuPy is there but can't be imported: {one_line(error)}; {INSTALL_CUPY}"
        ) from error
    if major < OLDEST_CUPY:
        raise DeviceUnavailable(
            f"CuPy {version} is too old, {OLDEST_CUPY} or newer is needed; {INSTALL_CUPY}"
        )
    return cupy


def one_line(error: BaseException) -> str:
    """What an error says, or its name, in one line of at most 400 characters."""
    return " ".join(str(error).split())[:400] or type(error).__name__


@cache
def _module(name: str, written: str | None) -> Any:
    """A compiled module. CuPy keeps it on disk under the hash of its text."""
    text, options = source.module_text(name, written)
    return cupy().RawModule(code=text, options=options, backend="nvrtc")


_functions: dict[tuple[int, str, str | None, str | None], Any] = {}


@cache
def _processors(ordinal: int) -> int:
    """Multiprocessors of a GPU. Kept: CuPy asks CUDA for all of its attributes to tell one."""
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
        """Make this GPU the current one and turn CuPy's errors into ours."""
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
        """Run a kernel whose threads share an item: one block an item.

        `written`: the text in the place of ``sums/written.h``, for a kernel that includes it.
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
        """A stream. Not a non-blocking one: what is made on the default stream is ready for it."""
        stream: AbstractContextManager[Any] = self.xp.cuda.Stream()
        return stream

    def copy_up(self, source: np.ndarray, target: Array) -> None:
        """Copy on the current stream; pageable memory has been read when it returns."""
        place = ctypes.c_void_p(source.ctypes.data)
        target.data.copy_from_host_async(place, source.nbytes, self.xp.cuda.get_current_stream())

    def copy_down(self, source: Array, target: np.ndarray) -> None:
        """Copy on the current stream, beside other streams if the target is pinned."""
        place = ctypes.c_void_p(target.ctypes.data)
        source.data.copy_to_host_async(place, target.nbytes, self.xp.cuda.get_current_stream())

    def host_empty(self, n: int, dtype: Any) -> np.ndarray:
        """In pinned memory of its own, no pool's; pageable where the system pins no more."""
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
        """A pool of its own, which gives kept blocks back before it would pass its limit."""
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
    """CuPy's out-of-memory, compile and runtime errors as ours, with what a user can do."""
    library = device.xp
    try:
        yield
    except (DeviceMemoryError, DeviceUnavailable, KernelError):
        raise  # of a context within this one
    except library.cuda.memory.OutOfMemoryError as error:
        raise _out_of_memory(device, str(error), getattr(error, "_size", None)) from error
    except MemoryError as error:
        if "bad_alloc" not in str(error) or not _is_of_cupy(error):
            raise  # the host's
        # Thrust, which sorts, has no words for an allocation of CuPy's that failed.
        raise _out_of_memory(device, "a sort found no room for its working memory") from error
    except library.cuda.compiler.CompileException as error:
        raise KernelError(f"NVRTC could not compile a kernel for {device.name}: {error}") from error
    except (
        library.cuda.runtime.CUDARuntimeError,
        library.cuda.driver.CUDADriverError,
    ) as error:
        raise _of_cuda(device, error) from error
    except (RuntimeError, ImportError, OSError, AssertionError) as error:
        if "nvrtc" in str(error).lower():
            raise KernelError(
                f"kernels for {device.name} can't be compiled: {one_line(error)}; {INSTALL_CUPY}, "
                "which brings NVRTC, or use device='cpu'"
            ) from error
        if not _is_of_cupy(error):
            raise
        raise _of_cuda(device, error) from error  # of Thrust, of cuSPARSE, or that it is missing


def _is_of_cupy(error: BaseException) -> bool:
    """Whether CuPy's own code raised the error, and not what it called or was called by."""
    module = ""
    for frame, _ in walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__"))
    return module.partition(".")[0] in CUPYS_PACKAGES


def _out_of_memory(device: CudaDevice, said: str, needed: int | None = None) -> DeviceMemoryError:
    free = _free_bytes(device)
    shown = "unknown" if free is None else f"{free:,}"
    return DeviceMemoryError(
        f"{device.name} ran out of memory: {said}; {shown} bytes are free; "
        "use a smaller input, fewer outputs, or device='cpu'",
        needed=needed,
        free=free,
    )


def _of_cuda(device: CudaDevice, error: Exception) -> Exception:
    """Our error for one of CUDA's. After some of them the GPU is not to be had any more."""
    if any(word in str(error) for word in FULL):
        return DeviceMemoryError(
            f"{device.name}, or the host's pinned memory, is full: {error}; "
            "use a smaller input, fewer outputs, or device='cpu'"
        )
    if device.ordinal in proven_gpus and is_gone(error):
        lost_gpus[device.ordinal] = one_line(error)
        return DeviceUnavailable(
            f"{device.name} was lost in the middle of a call ({error}); see what nvidia-smi says "
            "of it, then start this program again, or go on with device='cpu'"
        )
    if broken_context(error):
        lost_gpus[device.ordinal] = one_line(error)
        return KernelError(
            f"{device.name} failed: {error}; CUDA gives it to this program no more: start the "
            "program again, or go on with device='cpu', and please report this"
        )
    return KernelError(f"{device.name} failed: {one_line(error)}{advice_for(error)}")


def _free_bytes(device: CudaDevice) -> int | None:
    try:
        return device.free_memory()
    except RuntimeError:  # the GPU is lost, too
        return None
