"""Selection of the device: by the caller, the environment, and which devices work.

A GPU is usable if a tiny kernel was compiled, loaded, and run on it, because old drivers and a
missing NVRTC or CUDA runtime are not detected earlier. The outcome is cached.
"""

from __future__ import annotations

import logging
import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..arguments import checked_flag, is_one_of
from ..errors import DeviceUnavailable, InputError
from ..options import ExecutionOptions, options_of
from .base import Device
from .cuda import CudaDevice, cupy, used_gpus
from .cuda_errors import advice_for, lost_gpus, proven_gpus, reason_of
from .host import HostDevice, usable_cpus
from .host_memory import physical_memory

log = logging.getLogger("separatrix")
_reported: set[str] = set()
_cuda_is_lost = False  # in a process that was forked from one that uses CUDA


@dataclass(frozen=True)
class DeviceReport:
    """A device.

    Attributes
    ----------
    name : str
        "cpu" or "cuda:N".
    usable : bool
    reason : str
        Why the device cannot be used; "" if it can.
    description : str
        Model.
    memory : int
        Bytes; 0 if unknown.
    """

    name: str
    usable: bool
    reason: str
    description: str
    memory: int


def select(request: str | None, threads: int | None = None, parameter: str = "device") -> Device:
    """Return the device for a request: None or "auto", "cpu", "cuda", or "cuda:N".

    "auto" is the value of SEPARATRIX_DEVICE, otherwise the first usable GPU, otherwise the CPU,
    with the reason in the log. Raises InputError, or DeviceUnavailable if a requested GPU cannot be
    used.
    """
    kind, ordinal = _parse(request, parameter)
    if kind == "auto":
        kind, ordinal = _parse(os.environ.get("SEPARATRIX_DEVICE") or "auto", "SEPARATRIX_DEVICE")
    if kind == "cpu":
        return HostDevice(threads)
    reason = reason_against(ordinal)
    if not reason:
        return CudaDevice(ordinal)
    if kind == "cuda":
        raise DeviceUnavailable(f"cuda:{ordinal} cannot be used: {reason}")
    if reason not in _reported:
        _reported.add(reason)
        # An unusable GPU is worth a warning; a machine without one, or without CuPy, is not.
        level = logging.WARNING if lost_gpus or _n_gpus() else logging.INFO
        log.log(level, "computing on the CPU: %s", reason)
    return HostDevice(threads)


def select_several(requests: Any, threads: int | None) -> tuple[Device, ...]:
    """Return the devices of a sequence of requests, or for "all" the usable GPUs, if there are any.

    Those that are the CPU share its threads. Raises InputError or DeviceUnavailable.
    """
    if is_one_of(requests, ("all",)):
        usable = [f"cuda:{ordinal}" for ordinal in range(_n_gpus()) if not reason_against(ordinal)]
        requests = usable or [None]
    is_sequence = isinstance(requests, Sequence) and not isinstance(requests, str)
    if not is_sequence or not len(requests):
        raise InputError(
            "devices", 'device names, such as ["cuda:0", "cuda:1"], or "all"', requests
        )
    found = [select(request, threads, "devices") for request in requests]
    hosts = [device for device in found if isinstance(device, HostDevice)]
    return tuple(
        device.with_threads(max(1, device.threads // len(hosts)))
        if isinstance(device, HostDevice)
        else device
        for device in found
    )


def _n_gpus() -> int:
    """Number of GPUs that CuPy finds; 0 if it fails, for which reason_against gives the reason."""
    try:
        return int(cupy().cuda.runtime.getDeviceCount())
    except Exception:
        return 0


def _parse(request: str | None, where: str) -> tuple[str, int]:
    text = "auto" if request is None else str(request).strip().lower()
    kind, _, ordinal = text.partition(":")
    if text in ("auto", "cpu", "cuda") or (kind == "cuda" and ordinal.isdecimal()):
        return kind, int(ordinal or 0)
    raise InputError(where, options_of(ExecutionOptions)["device"].described(), request)


def reason_against(ordinal: int) -> str:
    """Return why a GPU cannot be used; "" if a tiny kernel ran on it. Never raises."""
    if _cuda_is_lost:
        return "This process was forked from one that uses CUDA. Start it with the spawn method."
    if ordinal in lost_gpus:
        return (
            f"It was lost in an earlier call of this program ({lost_gpus[ordinal]}). Restart the "
            "program."
        )
    return _reason_at_first(ordinal)


@cache
def _reason_at_first(ordinal: int) -> str:
    try:
        n_gpus = cupy().cuda.runtime.getDeviceCount()
        if ordinal >= n_gpus:
            return f"The number of GPUs is {n_gpus}."
        device = CudaDevice(ordinal)
        with device.current():
            answer = device.zeros(2, "int32")
            device.launch("probe_device", 2, answer)
            if answer.get().tolist() != [42, 43]:
                return "A test kernel returned a wrong result."
    except DeviceUnavailable as error:
        return str(error)
    except Exception as error:  # of a driver, a loader, or NVRTC
        text, advice = f"{reason_of(error)}.", advice_for(error)
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
    """Return the CPU and all GPUs, with the reasons why they cannot be used.

    With ``probe=False`` no kernel is run, and all GPUs that CuPy finds count as usable. If there is
    none, a report on "cuda:0" states the reason.

    Examples
    --------
    >>> import separatrix as sx
    >>> sx.devices()[0].name
    'cpu'
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
    n_cpus = usable_cpus()
    description = f"{platform.machine()}, {n_cpus} thread{'s' * (n_cpus != 1)}"
    return DeviceReport("cpu", not reason, reason, description, physical_memory())
