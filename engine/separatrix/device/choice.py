"""Which device computes: what the caller asked for, the environment, and what really works.

A GPU counts as usable only after one tiny kernel has been compiled, loaded and run on it: drivers
that are too old, a missing NVRTC or a missing CUDA runtime show no earlier. The outcome is kept.
"""

from __future__ import annotations

import logging
import operator
import os
import platform
from dataclasses import dataclass
from functools import cache

from ..arguments import checked_flag
from ..errors import DeviceUnavailable, InputError
from .base import Device
from .cuda import CudaDevice, cupy, one_line, used_gpus
from .host import MAX_THREADS, HostDevice, usable_cpus
from .lost import advice_for, lost_gpus, proven_gpus

log = logging.getLogger("separatrix")
_reported: set[str] = set()
_cuda_is_lost = False  # what a process does with CUDA is of no use to those forked from it


@dataclass(frozen=True)
class DeviceReport:
    """A device by `name`, whether it is `usable`, the `reason` if not, and what it is.

    ``description`` has its model; ``memory`` its bytes (0: unknown).
    """

    name: str
    usable: bool
    reason: str
    description: str
    memory: int


def select(request: str | None = None, threads: int | None = None) -> Device:
    """The device for `request`: None or "auto", "cpu", "cuda", "cuda:N".

    "auto" is what SEPARATRIX_DEVICE says, else the first usable GPU, else the CPU with one log
    line that says why. Raises InputError for another text, DeviceUnavailable for a GPU that can't
    be used.
    """
    if threads is not None:
        threads = _checked_threads(threads)
    kind, ordinal = _parse(request, "device")
    if kind == "auto":
        kind, ordinal = _parse(os.environ.get("SEPARATRIX_DEVICE") or "auto", "SEPARATRIX_DEVICE")
    if kind == "cpu":
        return HostDevice(threads)
    reason = reason_against(ordinal)
    if not reason:
        return CudaDevice(ordinal)
    if kind == "cuda":
        raise DeviceUnavailable(f"cuda:{ordinal} can't be used: {reason}")
    if reason not in _reported:
        _reported.add(reason)
        log.log(logging.WARNING if lost_gpus else _level(), "computing on the CPU: %s", reason)
    return HostDevice(threads)


def _level() -> int:
    """A GPU that is there and can't be used is a warning; none, or no CuPy, is how things are."""
    return logging.WARNING if _n_gpus() else logging.INFO


def _n_gpus() -> int:
    """GPUs that CuPy sees; none if it can't look, for which reason_against finds the words."""
    try:
        return int(cupy().cuda.runtime.getDeviceCount())
    except Exception:
        return 0


def _checked_threads(threads: int) -> int:
    try:
        count = 0 if isinstance(threads, bool) else operator.index(threads)
    except TypeError:
        count = 0
    if not 1 <= count <= MAX_THREADS:
        raise InputError(f"threads must be None or 1 to {MAX_THREADS}, not {threads!r}")
    return count


def _parse(request: str | None, where: str) -> tuple[str, int]:
    text = "auto" if request is None else str(request).strip().lower()
    kind, _, ordinal = text.partition(":")
    if text in ("auto", "cpu", "cuda") or (kind == "cuda" and ordinal.isdecimal()):
        return kind, int(ordinal or 0)
    raise InputError(f"{where} must be 'auto', 'cpu', 'cuda' or 'cuda:N', not {request!r}")


def reason_against(ordinal: int) -> str:
    """Why GPU `ordinal` can't be used; empty if a tiny kernel ran on it. Never raises."""
    if _cuda_is_lost:
        return "this process was forked from one that uses CUDA; start it with the spawn method"
    if ordinal in lost_gpus:
        return (
            f"it was lost by an earlier call of this program ({lost_gpus[ordinal]}); "
            "start the program again"
        )
    return _reason_at_first(ordinal)


@cache
def _reason_at_first(ordinal: int) -> str:
    try:
        n_gpus = cupy().cuda.runtime.getDeviceCount()
        if ordinal >= n_gpus:
            return f"there {'is' if n_gpus == 1 else 'are'} only {n_gpus} GPU{'s' * (n_gpus != 1)}"
        device = CudaDevice(ordinal)
        with device.current():
            answer = device.zeros(2, "int32")
            device.launch("probe_device", 2, answer)
            if answer.get().tolist() != [42, 43]:
                return "a test kernel gave a wrong answer"
    except DeviceUnavailable as error:
        return str(error)
    except Exception as error:  # whatever a driver, a loader or NVRTC may raise is the reason
        text = one_line(error)
        advice = advice_for(error)
        return text if advice in text else text + advice
    proven_gpus.add(ordinal)
    return ""


def _after_fork() -> None:
    global _cuda_is_lost
    _cuda_is_lost = _cuda_is_lost or bool(used_gpus)
    _reason_at_first.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def devices(probe: bool = True) -> list[DeviceReport]:
    """The CPU and every GPU, each with the reason why it can't be used.

    With `probe` false no kernel is run and a GPU counts as usable when CuPy sees it. A machine
    without a visible GPU still gets one "cuda:0" line that says why.
    """
    probe = checked_flag(probe, "probe")
    reports = [_cpu_report()]
    n_gpus = _n_gpus()
    for ordinal in range(max(n_gpus, 1)):
        reason = reason_against(ordinal) if probe or not n_gpus else ""
        description, memory = "", 0
        if ordinal < n_gpus:
            properties = cupy().cuda.runtime.getDeviceProperties(ordinal)
            description, memory = properties["name"].decode(), int(properties["totalGlobalMem"])
        reports.append(DeviceReport(f"cuda:{ordinal}", not reason, reason, description, memory))
    return reports


def _cpu_report() -> DeviceReport:
    try:
        HostDevice()
        reason = ""
    except Exception as error:
        reason = str(error)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    n_cpus = usable_cpus()
    description = f"{platform.machine()}, {n_cpus} thread{'s' * (n_cpus != 1)}"
    return DeviceReport("cpu", not reason, reason, description, memory)
