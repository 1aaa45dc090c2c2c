"""Resources of a process, and their growth over many equal runs.

Inputs repeat with a period, and one sample is taken per period, so that two samples differ only by
resources that were not released.
"""

import ctypes
import gc
import os
import resource
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

TOLERATED = {"malloc bytes": 24e3, "python blocks": 200.0, "resident bytes": 8e6}
"""Largest growth over all sampled runs, 30 bytes for each of 800; other resources must not grow.
NumPy keeps small blocks of each size, the interpreter warms up for some hundred runs, and resident
memory is allocated in pages and arenas."""
PAGE = os.sysconf("SC_PAGE_SIZE")


class _MallInfo(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks")
    ] + [(name, ctypes.c_size_t) for name in ("uordblks", "fordblks", "keepcost")]


def malloc_counter() -> Callable[[], int]:
    """A function that returns the bytes allocated by malloc and not freed.

    It returns 0 if glibc has no such function.
    """
    try:
        mallinfo = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        return lambda: 0
    mallinfo.restype = _MallInfo

    def count() -> int:
        info = mallinfo()
        return int(info.uordblks) + int(info.hblkhd)

    return count


malloc_bytes = malloc_counter()


def resident_bytes() -> int:
    """Resident memory of this process."""
    file = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        return int(os.read(file, 200).split()[1]) * PAGE
    finally:
        os.close(file)


def held(device: str = "cpu") -> dict[str, float]:
    """Memory, threads, files, and objects of this process, after a garbage collection."""
    gc.collect()
    found: dict[str, float] = {
        "malloc bytes": malloc_bytes(),
        "python blocks": sys.getallocatedblocks(),
        "resident bytes": resident_bytes(),
        "threads of Python": threading.active_count(),
        "threads": len(os.listdir("/proc/self/task")),
        "open files": len(os.listdir("/proc/self/fd")),
        "temporary files": len(os.listdir(tempfile.gettempdir())),
    }
    if "vtkmodules.vtkCommonCore" in sys.modules:
        base = sys.modules["vtkmodules.vtkCommonCore"].vtkObjectBase
        found["VTK objects"] = sum(isinstance(item, base) for item in gc.get_objects())
    if device != "cpu":
        import cupy

        found["device bytes"] = cupy.get_default_memory_pool().used_bytes()
    return found


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Limit the size of files of this process: the disk is full while they are written."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@dataclass(frozen=True)
class Growth:
    """Per resource: the median slope per run between two samples; the first and last sample."""

    slopes: dict[str, float]
    n_runs: int  # that were sampled
    first: dict[str, float]
    last: dict[str, float]

    @property
    def too_much(self) -> dict[str, float]:
        """Resources that grow more than is tolerated."""
        grown = {name: slope * self.n_runs for name, slope in self.slopes.items()}
        return {name: n for name, n in grown.items() if n > TOLERATED.get(name, 0.0)}


def growth(run: Callable[[int], Any], n: int, period: int, device: str = "cpu") -> Growth:
    """Run `n` times with 0 .. period - 1 in turn; a fifth of the runs, at least 30, warm up.

    Growth is measured a second time: a leak continues, while memory that is retained once, such as
    the stack of an ended thread, is a single step.
    """
    n_warm = -(-max(n // 5, 30) // period) * period
    n_sampled = n - n % period - n_warm
    for k in range(n_warm):
        run(k % period)
    found = _measured(run, n_sampled, period, device)
    return _measured(run, n_sampled, period, device) if found.too_much else found


def _measured(run: Callable[[int], Any], n: int, period: int, device: str) -> Growth:
    names = list(held(device))
    samples = np.zeros((n // period, len(names)))  # made before, else they are what grows
    for sample in range(len(samples)):
        for k in range(period):
            run(k)
        samples[sample] = list(held(device).values())
    low, high = np.triu_indices(len(samples), 1)
    n_runs = period * (high - low)
    slopes = np.median((samples[high] - samples[low]).T / n_runs, axis=1)
    rows = (slopes, samples[0], samples[-1])
    reported, first, last = (dict(zip(names, row.tolist(), strict=True)) for row in rows)
    return Growth(reported, n - period, first, last)
