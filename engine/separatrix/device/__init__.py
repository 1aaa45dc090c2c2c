"""Which device computes, and how kernels are launched on it.

``select`` returns a :class:`Device`; algorithms use its array module ``xp`` and ``launch`` and do
not ask which device it is: ``launch_form`` chooses between a form for the host and one for a GPU.
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
