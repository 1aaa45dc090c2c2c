"""Errors of a GPU's libraries are translated, and those of the host are not, with a fake CuPy."""

import contextlib
import types
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

import separatrix as sx
from reliability.fake_cupy import SOURCE
from separatrix.device.cuda import CudaDevice

RAISES = """
def fail(error):
    raise error

def get(n):
    return np.empty(n)

class CuSparseError(RuntimeError):
    pass
"""


@pytest.fixture
def library(monkeypatch):
    """A module `cupy` that computes nothing."""
    monkeypatch.delenv("FAKE_CUPY", raising=False)
    module = types.ModuleType("cupy")
    exec(SOURCE + RAISES, module.__dict__)
    return module


@pytest.fixture
def gpu(library):
    """A GPU of that module."""
    device = object.__new__(CudaDevice)
    device.xp, device.ordinal, device.name = library, 0, "cuda:0"
    return device


def raised(gpu: CudaDevice, work: Callable[[], object]) -> BaseException:
    """The error that leaves a context of the GPU, and one around it, if the work fails."""
    with pytest.raises(BaseException) as caught, gpu.current(), gpu.current():
        work()
    return caught.value


def fail(error: BaseException) -> None:
    raise error


def test_a_sort_without_memory_reports_the_free_memory_and_a_remedy(gpu, library):
    """Thrust turns the failure of CuPy's allocator into std::bad_alloc."""
    error = raised(gpu, lambda: library.fail(MemoryError("std::bad_alloc")))
    assert type(error) is sx.DeviceMemoryError
    assert str(error) == (
        "cuda:0 ran out of memory (working memory of a sort); 8,589,934,592 bytes are free. "
        "Use a smaller input, fewer outputs, or device='cpu'."
    )
    assert (error.needed, error.free) == (None, 1 << 33)


def test_a_failed_allocation_reports_the_required_and_the_free_memory(gpu, library):
    full = library.OutOfMemoryError("Out of memory allocating 4,096 bytes")
    full._size = 4096
    error = raised(gpu, lambda: library.fail(full))
    assert type(error) is sx.DeviceMemoryError
    assert "allocating 4,096 bytes); 8,589,934,592 bytes are free" in str(error)
    assert (error.needed, error.free) == (4096, 1 << 33)


@pytest.mark.parametrize(
    "said",
    [
        "radix_sort: failed on 1st step: cudaErrorMemoryAllocation: out of memory",
        "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES: insufficient resources",
        "CUSPARSE_STATUS_ALLOC_FAILED: resource allocation failed",
    ],
)
def test_libraries_without_room_are_memory_errors(gpu, library, said):
    error = raised(gpu, lambda: library.fail(library.CuSparseError(said)))
    assert type(error) is sx.DeviceMemoryError
    assert said in str(error)
    assert "Use a smaller input, fewer outputs, or device='cpu'" in str(error)


def test_other_errors_of_libraries_are_kernel_errors(gpu, library):
    unsupported = AssertionError("\n*** The requested function is not supported\n***")
    for given in (library.CuSparseError("CUSPARSE_STATUS_NOT_SUPPORTED: no"), unsupported):
        error = raised(gpu, partial(library.fail, given))
        assert type(error) is sx.KernelError
        assert " ".join(str(given).split()).removesuffix(".") in str(error)


def test_a_context_that_thrust_finds_broken_is_reported_as_broken(gpu, library, monkeypatch):
    found = {}
    monkeypatch.setattr("separatrix.device.cuda_errors.lost_gpus", found)
    said = "parallel_for failed: cudaErrorIllegalAddress: an illegal memory access"
    error = raised(gpu, lambda: library.fail(RuntimeError(said)))
    assert type(error) is sx.KernelError
    assert "This program can no longer use it" in str(error)
    assert found == {0: said}


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        MemoryError("std::bad_alloc"),  # of GUDHI or SciPy
        MemoryError("a task found no room for its working memory"),
        sx.DeviceMemoryError("a list needs 9 bytes, 8 are free"),
        RuntimeError("the caller's progress"),
        AssertionError("the caller's"),
        sx.KernelError("Kernels for cuda:0 cannot be compiled: NVRTC is missing."),
        sx.Canceled("stop"),
    ],
)
def test_errors_of_the_host_and_of_the_caller_are_not_translated(gpu, error):
    assert raised(gpu, lambda: fail(error)) is error


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (
            "cudaErrorMemoryAllocation: out of memory",
            sx.DeviceMemoryError,
            "cannot pin 4,096 bytes",
        ),
        (
            "cudaErrorInsufficientDriver: it is old",
            sx.DeviceUnavailable,
            "Update the NVIDIA driver",
        ),
    ],
)
def test_memory_that_cannot_be_pinned_raises_a_separatrix_error(
    library, monkeypatch, fault, kind, words
):
    refused = partial(library.fail, library.CUDARuntimeError(fault))
    library.cuda.alloc_pinned_memory = lambda n_bytes: refused()
    monkeypatch.setattr("separatrix.device.arrays.cupy", lambda: library)
    with pytest.raises(kind, match=words):
        sx.pinned_empty((64, 8), np.float64)


class LimitedPool:
    """A pool with a limit that cached blocks exceed, whose arrays outlive it."""

    def __init__(self):
        self.n_cached, self.n_used = 1, 0

    def set_limit(self, size):
        self.limit = size

    def malloc(self, n_bytes):
        if self.n_cached or n_bytes > self.limit:
            raise self.error("Out of memory allocating 8 bytes")
        self.n_used += 1
        return n_bytes

    def used_bytes(self):
        return self.n_used

    def free_all_blocks(self):
        self.n_cached = 0


def test_a_pool_frees_cached_blocks_at_its_limit_and_exists_as_long_as_its_arrays(
    gpu, library, monkeypatch
):
    allocators = []

    def using(malloc):
        allocators.append(malloc)
        return contextlib.nullcontext()

    kept: dict[int, list[LimitedPool]] = {}
    monkeypatch.setattr("separatrix.device.cuda._pools_with_arrays", kept)
    monkeypatch.setattr(LimitedPool, "error", library.cuda.memory.OutOfMemoryError, raising=False)
    library.cuda.MemoryPool, library.cuda.using_allocator = LimitedPool, using
    with gpu.within(100) as allocating, allocating():
        assert [malloc(8) for malloc in allocators] == [8]
        with pytest.raises(library.cuda.memory.OutOfMemoryError):
            allocators[0](200)
    (pool,) = kept[0]
    gpu.free_cached()
    assert kept == {0: [pool]}
    pool.n_used = 0
    gpu.free_cached()
    assert kept == {0: []}


def test_large_host_arrays_are_pinned_while_they_exist(gpu, library, monkeypatch):
    monkeypatch.setattr("separatrix.device.cuda.TOUCHED_FROM", 0)
    pinned: dict[int, int] = {}
    runtime = library.cuda.runtime
    runtime.CUDARuntimeError = library.CUDARuntimeError
    runtime.hostRegister = lambda pointer, n_bytes, flags: pinned.update({pointer: n_bytes})
    runtime.hostUnregister = pinned.pop
    array = gpu.host_empty(10_000, np.int32)
    rows = array.reshape(100, 100)[1:]
    assert pinned == {array.ctypes.data: 40_000}
    del array
    assert pinned
    del rows
    assert not pinned
    refused = library.CUDARuntimeError("cudaErrorNotSupported")
    runtime.hostRegister = lambda *_: library.fail(refused)
    assert gpu.host_empty(100, np.float64).shape == (100,)


def test_a_host_allocation_error_is_not_reported_as_one_of_the_gpu(gpu, library):
    error = raised(gpu, lambda: library.get(1 << 50))
    assert type(error) is not sx.DeviceMemoryError
    assert isinstance(error, MemoryError)
    assert "Unable to allocate" in str(error)
