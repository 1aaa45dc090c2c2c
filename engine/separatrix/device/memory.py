"""Memory that a call may use: of its device, within the caller's limit, and of the host."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import DeviceMemoryError, as_sentence
from ..options import ExecutionOptions, checked
from .base import Device
from .host import HostDevice

LESS = "use a smaller image or fewer outputs"
LOOK_FROM = 32 << 20  # bytes; for less, querying the free memory takes longer than the work


def checked_limit(memory_limit: Any) -> int | None:
    """Return bytes of device memory, None for no limit. Raises InputError."""
    if memory_limit is None or (
        isinstance(memory_limit, (float, np.floating)) and memory_limit == math.inf
    ):
        return None
    limit: int = checked(ExecutionOptions, "memory_limit", memory_limit)
    return limit


@dataclass
class MemoryBudget:
    """Memory that a call may use on its device; `held` bytes of the limit are already in use.

    On the CPU, `limit` bounds only `room`, which analyses of meshes query.
    """

    device: Device
    host: HostDevice
    limit: int | None = None
    held: int = 0

    def on(self, device: Device) -> MemoryBudget:
        """Return the same budget for another device."""
        return replace(self, device=device)

    def room(self) -> int:
        """Return the bytes of device memory that the call may still use."""
        free = self.device.free_memory()
        return free if self.limit is None else min(free, self.limit - self.held)

    def overflows(self, needed: int) -> bool:
        """Return whether the device is a GPU with less memory left."""
        return self.device.is_cuda and needed > self.room()

    def exceeds_limit(self, needed: int) -> bool:
        """Return whether the caller's limit of GPU memory is lower, whatever is free."""
        return self.device.is_cuda and self.limit is not None and self.held + needed > self.limit

    def require(
        self,
        needed: int,
        what: str,
        advice: str = LESS,
        *,
        look_from: int = LOOK_FROM,
        limits_host: bool = False,
    ) -> None:
        """Raise DeviceMemoryError if the work requires more memory than is free or allowed.

        On the CPU less than `look_from` is not checked, and the limit applies if `limits_host`.
        `advice` says how to need less.
        """
        on_gpu = self.device.is_cuda
        if not on_gpu and needed >= look_from:
            self.require_host(needed, what, advice)
        if on_gpu:
            advice += ", or set {device='cpu'}"
            if needed > (free := self.device.free_memory()):
                raise _too_little(what, needed, f" on {self.device.name}", free, advice)
        limit = self.limit if on_gpu or limits_host else None
        if limit is None or self.held + needed <= limit:
            return
        beside = f" in addition to {self.held:,} for the image" if self.held else ""
        raise DeviceMemoryError(
            f"{as_sentence(what)[:-1]} requires {needed:,} bytes{beside}; {{memory_limit}} allows "
            f"{limit:,}. Raise it, {'' if on_gpu else 'or '}{advice}.",
            needed=needed,
        )

    def require_host(self, needed: int, what: str, advice: str = LESS) -> None:
        """Raise DeviceMemoryError if the work requires more host memory than is free."""
        if needed > (free := self.host.free_memory()):
            raise _too_little(what, needed, " of host memory", free, advice)


def _too_little(what: str, needed: int, place: str, free: int, advice: str) -> DeviceMemoryError:
    return DeviceMemoryError(
        f"{as_sentence(what)[:-1]} requires {needed:,} bytes{place}; {free:,} are free. "
        f"{as_sentence(advice)}",
        needed=needed,
        free=free,
    )
