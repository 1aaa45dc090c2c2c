"""Repetition, clocks, memory, and names of machines for all benchmarks."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import separatrix as sx
from separatrix.device import Session

SMALL = 1 << 22  # voxels below which fixed costs dominate


def machine_line() -> str:
    """The model name of the CPU, from the system."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(
            line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")
        )
    except (OSError, IndexError):
        return platform.processor() or platform.machine()


def cpu_name() -> str:
    """The name and number of the CPUs."""
    return f"{machine_line()}, {os.cpu_count()} CPUs"


def gpu_name(device: int = 0) -> str:
    """The name of the GPU, from its driver."""
    import cupy

    return str(cupy.cuda.runtime.getDeviceProperties(device)["name"].decode())


def on_device(
    device: str, threads: int, *arrays: np.ndarray
) -> tuple[tuple[Any, ...], dict[str, Any], Callable[[], object]]:
    """Arrays in the memory of a device, options of a call there, and a wait for its end."""
    if device == "cpu":
        return arrays, {"device": device, "threads": threads}, bool
    import cupy

    return tuple(map(cupy.asarray, arrays)), {}, cupy.cuda.get_current_stream().synchronize


@contextmanager
def watched_pool(device: str, case: dict[str, Any]) -> Iterator[None]:
    """Put the most bytes of the device's memory pool into a case, and empty the pool."""
    if device == "cpu":
        yield
        return
    import cupy

    pool, most = cupy.get_default_memory_pool(), [0]

    class Growth(cupy.cuda.MemoryHook):  # type: ignore[misc]
        name = "growth"

        def alloc_postprocess(self, **_: Any) -> None:
            most[0] = max(most[0], pool.total_bytes())

    pool.free_all_blocks()
    with Growth():
        yield
    case["device_bytes"] = most[0]
    pool.free_all_blocks()


def repeat(run: Callable[[], Any], times: int) -> tuple[Any, list[float]]:
    """The last result, and wall seconds of each repetition after one warm-up."""
    run()
    seconds = []
    for _ in range(times):
        begin = time.perf_counter()
        result = run()
        seconds.append(time.perf_counter() - begin)
    return result, seconds


class Steps:
    """Wall and process seconds of named steps: ``seconds[name]``. `done` waits for the device."""

    def __init__(self, done: Callable[[], None]):
        self.done = done
        self.seconds: dict[str, tuple[float, float]] = {}

    def __call__(self, name: str, run: Callable[[], Any]) -> Any:
        """The result of the step."""
        self.done()
        wall, process = time.perf_counter(), time.process_time()
        result = run()
        self.done()
        self.seconds[name] = (time.perf_counter() - wall, time.process_time() - process)
        return result


def keep(case: dict[str, Any], output: Path | None) -> str:
    """The case as a JSON line, appended to the file if there is one."""
    line = json.dumps(case)
    if output:
        with output.open("a", encoding="utf-8") as lines:
            lines.write(line + "\n")
    return line


@contextmanager
def cut_into(number: int | None) -> Iterator[None]:
    """Stream the image of every call through its device in slabs; None: in as many as fit."""
    begin = Session.__init__

    def begin_streaming(self: Session, *arguments: Any, **options: Any) -> None:
        begin(self, *arguments, **options)
        self.stream_from_host(number)

    with mock.patch.object(Session, "__init__", begin_streaming):
        yield


def least_limit(run: Callable[[], Any], pool: Any, n: int) -> float | None:
    """Lowest limit of the pool, in bytes per voxel including the input, at which the run succeeds.

    None for small volumes, for which fixed costs dominate.
    """
    fails, passes = 16.0, 128.0
    if n < SMALL:
        return None
    refused = sx.DeviceMemoryError("in one piece or not at all")
    with mock.patch.object(Session, "stream_from_host", side_effect=refused):
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
