"""Pinned host memory, whose pages several threads touch first."""

from __future__ import annotations

import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np

from .host import default_threads
from .side_threads import submit

PAGE_BYTES = 4096  # or a divisor of the size of pages
PORTABLE = 1  # a flag of cudaHostRegister: pinned for all GPUs


def pinned(runtime: Any, array: np.ndarray) -> np.ndarray:
    """Pin the memory of a new array (n,), which threads touch first.

    CUDA allocates pinned memory in several times as many seconds, because one thread touches it.
    """
    pages, n = array.view(np.uint8)[::PAGE_BYTES], default_threads()
    with ThreadPoolExecutor(n, "separatrix") as pool:
        for touching in [submit(pool, part.fill, 0) for part in np.array_split(pages, n)]:
            touching.result()
    try:
        runtime.hostRegister(array.ctypes.data, array.nbytes, PORTABLE)
    except runtime.CUDARuntimeError:
        return array
    weakref.finalize(array, _unpin, runtime, array.ctypes.data).atexit = False
    return array


def _unpin(runtime: Any, pointer: int) -> None:
    with suppress(runtime.CUDARuntimeError):  # of a lost GPU
        runtime.hostUnregister(pointer)
