"""A fake CuPy, written to a folder as the module `cupy` for a separate process.

It has what Separatrix checks before a GPU computes anything, and fails as FAKE_CUPY says: `torn`,
`half`, `import`, `old`, `no-driver`, `old-driver`, `no-gpu`, `no-nvrtc`, `wrong-answer`, or
`OutOfMemory`, `bad_alloc`, or the `NAME` of a CUDA error in the first copy of the user's data.
"""

import os
import sys
from pathlib import Path

SOURCE = """
import contextlib, os, types
import numpy as np

fault = os.environ.get("FAKE_CUPY", "")
if fault == "torn":
    raise OSError("libcudart.so.12: cannot open shared object file")
if fault == "half":
    raise AttributeError("module 'numpy' has no attribute 'bool8'")
if fault == "import":
    raise ImportError("CuPy is not correctly installed.\\n\\nOriginal error: no _core")
__version__ = "9.6.0" if fault == "old" else "13.6.0"


class CUDARuntimeError(RuntimeError):
    pass


class CUDADriverError(RuntimeError):
    pass


class CompileException(Exception):
    pass


class OutOfMemoryError(MemoryError):
    pass


AT_COUNT = {
    "no-driver": "cudaErrorInsufficientDriver: CUDA driver is a stub library",
    "old-driver": "cudaErrorInsufficientDriver: CUDA driver version is insufficient for CUDA "
    "runtime version",
    "no-gpu": "cudaErrorNoDevice: no CUDA-capable device is detected",
}


def count():
    if fault in AT_COUNT:
        raise CUDARuntimeError(AT_COUNT[fault])
    return 1


class Device:
    attributes = {"MultiProcessorCount": 4}
    compute_capability = "90"
    n_entered = 0

    def __init__(self, ordinal=0):
        self.id = ordinal

    def __enter__(self):
        Device.n_entered += 1
        return self

    def __exit__(self, *error):
        Device.n_entered -= 1


class Array(np.ndarray):
    def get(self):
        return np.asarray(self)


class RawModule:
    def __init__(self, code, options, backend):
        pass

    def get_function(self, name):
        if fault == "no-nvrtc":
            raise RuntimeError("CuPy failed to load libnvrtc.so.12: OSError: no such file")

        def function(blocks, threads, arguments):
            if name == "probe_device" and fault != "wrong-answer":
                arguments[2][:] = [42, 43]

        function.ptr = 0
        return function


def no_image(code):
    raise CUDADriverError("CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available")


def unpinned(*anything):
    raise CUDARuntimeError("cudaErrorMemoryAllocation: out of memory")


class Pool:
    n_freed = 0

    def set_limit(self, size):
        pass

    def malloc(self, n_bytes):
        meet()

    def free_bytes(self):
        return 0

    def used_bytes(self):
        return 0

    def get_limit(self):
        return 0

    def free_all_blocks(self):
        Pool.n_freed += 1
        if lost:
            raise CUDARuntimeError(f"{fault}: still")


lost = []


def meet(*anything, **options):
    if fault == "OutOfMemory":
        raise OutOfMemoryError("Out of memory allocating 4,096 bytes")
    if fault == "bad_alloc":  # what Thrust makes of it
        raise MemoryError("std::bad_alloc")
    lost.append(fault)
    raise CUDARuntimeError(f"{fault}: said the driver")


def memGetInfo():
    if lost:
        meet()
    return 1 << 33, 1 << 34


runtime = types.SimpleNamespace(
    getDeviceCount=count,
    CUDARuntimeError=CUDARuntimeError,
    memGetInfo=memGetInfo,
    getDeviceProperties=lambda n: {"name": b"Fake", "totalGlobalMem": 1 << 34},
)
cuda = types.SimpleNamespace(
    Device=Device,
    MemoryPool=Pool,
    PinnedMemory=unpinned,
    PinnedMemoryPointer=unpinned,
    Stream=contextlib.nullcontext,
    alloc_pinned_memory=unpinned,
    using_allocator=lambda allocator: contextlib.nullcontext(),
    get_current_stream=lambda: types.SimpleNamespace(synchronize=lambda: None),
    Event=lambda: types.SimpleNamespace(record=lambda: None),
    runtime=runtime,
    driver=types.SimpleNamespace(
        CUDADriverError=CUDADriverError, funcGetAttribute=lambda attribute, function: 256
    ),
    Module=lambda: types.SimpleNamespace(load=no_image),
    compiler=types.SimpleNamespace(CompileException=CompileException),
    memory=types.SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
)
pool = Pool()
get_default_memory_pool = get_default_pinned_memory_pool = lambda: pool
ndarray = Array
int64 = np.int64
zeros = lambda shape, dtype: np.zeros(shape, dtype).view(Array)
asarray = ascontiguousarray = array = empty = meet
"""


def environment_with(folder: Path, fault: str) -> dict[str, str]:
    """The environment of a process with the fake CuPy, written to `folder`, and a fault."""
    (folder / "cupy.py").write_text(SOURCE, encoding="utf-8")
    paths = [str(folder), *filter(None, sys.path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "FAKE_CUPY": fault}
    environment.pop("SEPARATRIX_DEVICE", None)
    return environment
