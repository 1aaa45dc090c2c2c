"""Which worker a mesh needs, and the numbers that a caller may choose."""

from __future__ import annotations

import operator
from typing import Any

from ..device import Session
from ..device.host import HostDevice
from ..errors import InputError
from .layout import Layout
from .packets import PacketWorker
from .workers import ResidentWorker, Worker


def worker_for(layout: Layout, threads: int) -> Worker:
    """A worker of a mesh that its device holds, or of one that passes through a device."""
    if layout.incidence.session.pieces is not None:
        return PacketWorker(layout, threads)
    return ResidentWorker(layout, threads)


def n_threads_of(session: Session) -> int:
    """Threads of the CPU that the mesh was made with; 1 if a GPU has it."""
    return session.device.threads if isinstance(session.device, HostDevice) else 1


def checked_count(value: Any, name: str, default: int, least: int = 0) -> int:
    """A whole number of at least `least`; None is the default. Raises InputError."""
    if value is None:
        return default
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if number < least:
        raise InputError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return number
