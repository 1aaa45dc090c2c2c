"""Run in a process of its own with refuse_memory.cpp preloaded: each request for memory fails once.

python sweep_memory.py LIBRARY CALL STEP SECONDS    # prints a JSON object: tried, refused, ...

A family of workloads.py is computed repeatedly. The k-th request for memory by NumPy or C++ fails;
the call must raise a MemoryError or return the correct result, and the same call immediately after
it must return the correct result.
"""

import ctypes
import gc
import json
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from oracles.everything import assert_same_bits  # noqa: E402
from reliability.workloads import FAMILIES  # noqa: E402

try:
    from numpy._core._multiarray_umath import _ARRAY_API
except ImportError:  # NumPy 1
    from numpy.core._multiarray_umath import _ARRAY_API

SET_HANDLER = 304  # its place in the table of NumPy's C interface


class Handler(ctypes.Structure):
    """NumPy's PyDataMem_Handler: the allocator of arrays."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("context", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


def take_over_arrays(library: ctypes.CDLL) -> Handler:
    """Let the library allocate NumPy's arrays; the result must live as long as they do."""
    names = ("malloc", "calloc", "realloc", "free")
    places = [ctypes.cast(getattr(library, f"array_{name}"), ctypes.c_void_p) for name in names]
    handler = Handler(b"refusing", 1, None, *places)
    pointer_of, capsule_of = ctypes.pythonapi.PyCapsule_GetPointer, ctypes.pythonapi.PyCapsule_New
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    capsule_of.restype = ctypes.py_object
    capsule_of.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    table = ctypes.cast(pointer_of(_ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[SET_HANDLER])
    set_handler(capsule_of(ctypes.addressof(handler), b"mem_handler", None))
    return handler


def sweep(library: ctypes.CDLL, name: str, step: int, seconds: float) -> dict[str, Any]:
    """Count the failed requests, and the errors with which the calls ended."""
    call, begun = partial(FAMILIES[name], 1, {"device": "cpu"}), time.perf_counter()
    expected = call()
    call()  # so that everything used is imported and compiled
    ended: dict[str, int] = {}
    refused, k = 0, 0
    while time.perf_counter() - begun < seconds:
        found = None
        library.arm(ctypes.c_long(k))
        try:
            found = call()
            error = "none"
        except MemoryError as stop:
            error = type(stop).__name__
        if not library.disarm():
            return {"refused": refused, "ended": ended, "whole": True}
        refused += 1
        ended[error] = ended.get(error, 0) + 1
        if found is not None:
            assert_same_bits(expected, found)
        assert_same_bits(expected, call())
        k += step
        if refused % 50 == 0:
            gc.collect()
    return {"refused": refused, "ended": ended, "whole": False}


if __name__ == "__main__":
    path, call_name, step_text, seconds_text = sys.argv[1:]
    preloaded = ctypes.CDLL(path)
    kept = take_over_arrays(preloaded)
    answer = sweep(preloaded, call_name, int(step_text), float(seconds_text))
    print(json.dumps(answer))
