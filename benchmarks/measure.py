"""Repetition, clocks, memory and names of machines: what every benchmark measures with."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import separatrix as sx

SMALL = 1 << 22  # voxels below which what does not grow with them counts most


def machine_line() -> str:
    """The CPU's model name as the system knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(
            line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


def cpu_name() -> str:
    """The CPU and how many of it there are."""
    return f"{machine_line()}, {os.cpu_count()} CPUs"


def gpu_name(device: int = 0) -> str:
    """The GPU's name as its driver knows it."""
    import cupy

    return str(cupy.cuda.runtime.getDeviceProperties(device)["name"].decode())


def repeat(run: Callable[[], Any], times: int) -> tuple[Any, list[float]]:
    """The last result, and wall seconds of each repetition after one warm-up."""
    run()
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - begin)
    return result, seconds


def least_limit(run: Callable[[], Any], pool: Any, n: int) -> float | None:
    """Fewest bytes a voxel, the input's counted, within which the pool lets the run pass.

    None for small volumes, where what does not grow with them counts most.
    """
    fails, passes = 16.0, 128.0
    if n < SMALL:
        return None
    refused = sx.DeviceMemoryError("in one piece or not at all")
    with mock.patch("separatrix.device.work.Work.stream_from_host", side_effect=refused):
        while passes - fails > 0.25:
            limit = (fails + passes) / 2
            pool.free_all_blocks()
            pool.set_limit(size=int(limit * n))
            try:
                run()
                passes = limit
            except sx.DeviceMemoryError:
                fails = limit
    pool.set_limit(size=0)
    pool.free_all_blocks()
    return passes
