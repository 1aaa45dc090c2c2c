"""Devices, and how kernels are launched on them.

``select`` returns a :class:`Device`. Algorithms use its array module ``xp`` and ``launch`` for any
device; ``launch_form`` chooses between forms for the host and a GPU.
"""

from .arrays import array_module, as_device_array, pinned_empty, release_memory, to_host
from .base import Device
from .choice import DeviceReport, devices, select
from .session import Session

__all__ = [
    "Device",
    "DeviceReport",
    "Session",
    "array_module",
    "as_device_array",
    "devices",
    "pinned_empty",
    "release_memory",
    "select",
    "to_host",
]
