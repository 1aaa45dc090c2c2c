"""The scalar field on an image: arguments checked, values brought to the device."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...device import Device, Session
from ...device.arrays import as_array, is_on_gpu, may_share_memory
from ...device.base import Array
from ...kernels import source
from ...morse.field import ScalarField, check_finite, checked_order, comparable
from .grid import NOT_PERIODIC, Grid, checked_grid
from .memory import SLAB_GRADIENT_BYTES
from .slabs import require_a_slab


@dataclass(frozen=True)
class ImageField(ScalarField):
    """The scalar field of an image, x fastest."""

    grid: Grid = field(kw_only=True)

    def without_values(self) -> ImageField:
        """The field when nobody needs its values any more, to free them."""
        return replace(self, values=None, plain_values=None, is_shared=False)

    def with_own_values(self) -> ImageField:
        """The field with a copy of values that were the caller's."""
        if not self.is_shared:
            return self
        if self.plain_values is not None:
            return replace(self, plain_values=self.plain_values.copy(), is_shared=False)
        return replace(self, values=self.values.copy(), is_shared=False)


def open_image(
    values: Any,
    spacing: Sequence[float],
    origin: Sequence[float],
    direction: Any,
    device: str | None,
    threads: int | None,
    memory_limit: int | None,
    bytes_a_voxel: float,
    periodic: Any = NOT_PERIODIC,
    order: Any = "index",
) -> tuple[Session, Array, Grid]:
    """Check all arguments but the values themselves.

    Beside them `bytes_a_voxel` will be needed, and what the order takes.

    Raises InputError, DeviceUnavailable, DeviceMemoryError.
    """
    given = as_array(values, "values")
    grid = checked_grid(given.shape, spacing, origin, direction, periodic)
    peak, kept = order_bytes(checked_order(order), given.dtype)
    bytes_a_voxel = max(peak, kept + bytes_a_voxel)
    session = Session(given, device, threads, memory_limit)
    is_there = is_usable_on(session.device, given)
    itemsize = 4 if given.dtype == np.float16 else min(given.dtype.itemsize, 8)
    needed = math.ceil((itemsize * (not is_there) + bytes_a_voxel) * grid.n_vertices)
    if session.memory.overflows(needed):
        session.stream_from_host()
        slab_bytes = itemsize + SLAB_GRADIENT_BYTES
        require_a_slab(session, grid, slab_bytes, f"an image of {given.shape}")
    else:
        session.memory.held = needed
    return session, given, grid


def is_usable_on(device: Device, given: Array) -> bool:
    """Whether kernels of the device can read the caller's own array as it is."""
    return (
        is_on_gpu(given)
        and device.name == f"cuda:{given.device.id}"
        and given.dtype.name in source.VALUE_TYPES
        and bool(given.flags.c_contiguous)
    )


def order_bytes(order: str, dtype: Any) -> tuple[int, int]:
    """Bytes a voxel beside the values: while the order is made, and as long as it is used."""
    if order == "index":
        return 0, 0
    itemsize = np.dtype(dtype).itemsize
    if itemsize <= 2 and np.dtype(dtype).kind != "f":
        return 10, 4  # sides, and two distances, one of which becomes the levels
    return (18, 8) if itemsize <= 4 else (48, 8)  # longer ones may have to be ranked by a sort


def load_field(session: Session, given: Array, grid: Grid) -> ImageField:
    """Put the values on the device and see that all are finite. Raises InputError."""
    with session.stage("upload"):
        native, levels = comparable(given)
        values = session.upload(native).reshape(-1)
        if values.dtype.kind == "f":
            check_finite(session, values, given.shape)
    is_shared = may_share_memory(values, given)
    dtype = np.dtype(given.dtype).newbyteorder("=")
    return ImageField(values, given.shape, dtype, levels, is_shared, grid=grid)
