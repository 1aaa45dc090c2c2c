"""Devices, and how kernels are launched on them.

``select`` returns a :class:`Device`. Algorithms use its array module ``xp`` and ``launch`` for any
device; ``launch_form`` chooses between forms for the host and a GPU.
"""

from .arrays import (
    array_module,
    as_array,
    as_device_array,
    checked_rows,
    completed,
    current_for,
    in_memory_of,
    is_on_gpu,
    may_share_memory,
    pinned_empty,
    read_only,
    release_memory,
    staged,
    to_host,
)
from .base import MUCH_CACHED, Allocating, Array, Device, Lane, LargeExtents
from .choice import DeviceReport, devices, select, select_several
from .cuda import CudaDevice
from .host import HostDevice
from .lazy_cache import LazyCache
from .session import Progress, Session
