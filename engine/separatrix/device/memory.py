"""How much memory a call may take: of its device, within the caller's limit, and of the host."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from ..arguments import as_real
from ..errors import DeviceMemoryError, InputError
from .base import Device
from .host import HostDevice

LESS = "use a smaller image or fewer outputs"
LOOK_FROM = 32 << 20  # bytes: below, to ask how much is free takes longer than the work


def checked_limit(memory_limit: Any) -> int | None:
    """Bytes of device memory, None for no limit. Raises InputError."""
    if memory_limit is None:
        return None
    if not as_real(memory_limit) > 0:
        raise InputError(
            f"memory_limit must be a positive number of bytes or None, not {memory_limit!r}"
        )
    return None if memory_limit == math.inf else int(memory_limit)


@dataclass
class MemoryBudget:
    """Memory that a call may take on its device; `held` bytes of the limit are spoken for.

    On the CPU `limit` says nothing.
    """

    device: Device
    host: HostDevice
    limit: int | None = None
    held: int = 0

    def on(self, device: Device) -> MemoryBudget:
        """The same limit for work on another device."""
        return replace(self, device=device)

    def room(self) -> int:
        """Bytes of device memory that the call may still take: free ones, within its limit."""
        free = self.device.free_memory()
        return free if self.limit is None else min(free, self.limit - self.held)

    def overflows(self, needed: int) -> bool:
        """Whether the device is a GPU without room for so many bytes."""
        return self.device.is_cuda and needed > self.room()

    def require(
        self,
        needed: int,
        what: str,
        advice: str = LESS,
        *,
        look_from: int = LOOK_FROM,
        limits_host: bool = False,
    ) -> None:
        """Refuse work that needs more memory than there is or than the caller allows.

        On the CPU less than `look_from` is just tried, and the limit counts if `limits_host`.
        `advice` is a way out. Raises DeviceMemoryError.
        """
        on_gpu = self.device.is_cuda
        if not on_gpu and needed >= look_from:
            self.require_host(needed, what, advice)
        if on_gpu and needed > (free := self.device.free_memory()):
            raise DeviceMemoryError(
                f"{what} needs {needed:,} bytes on {self.device.name}, where {free:,} are "
                f"free; {advice}, or set {{device='cpu'}}"
            )
        limit = self.limit if on_gpu or limits_host else None
        if limit is None or self.held + needed <= limit:
            return
        if not on_gpu:
            raise DeviceMemoryError(
                f"{what} needs {needed:,} bytes, {{memory_limit}} allows {limit:,}; "
                f"raise it, or {advice}"
            )
        beside = f" beside {self.held:,} for the image" if self.held else ""
        raise DeviceMemoryError(
            f"{what} needs {needed:,} bytes of device memory{beside}, "
            f"{{memory_limit}} allows {limit:,}; raise it, {advice}, or set {{device='cpu'}}"
        )

    def require_host(self, needed: int, what: str, advice: str = LESS) -> None:
        """Refuse work that needs more memory of the host than there is; `advice`: a way out."""
        free = self.host.free_memory()
        if needed > free:
            raise DeviceMemoryError(
                f"{what} needs {needed:,} bytes of the host's memory, where {free:,} are free; "
                f"{advice}"
            )
