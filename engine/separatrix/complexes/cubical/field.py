"""The scalar field on an image: arguments are validated, values are put on the device."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...device import Device, Session
from ...device.arrays import as_array, is_on_gpu, may_share_memory
from ...device.base import Array
from ...kernels import source
from ...morse.field import ScalarField, check_finite, checked_order, comparable
from .grid import Grid, ImageOptions, checked_grid
from .slabs import SLAB_GRADIENT_BYTES, require_a_slab


@dataclass(frozen=True)
class ImageField(ScalarField):
    """The scalar field of an image, x fastest."""

    grid: Grid = field(kw_only=True)

    def without_values(self) -> ImageField:
        """The field without its values, which frees them."""
        return replace(self, values=None, plain_values=None, is_shared=False)

    def with_own_values(self) -> ImageField:
        """The field with a copy of values that are in the caller's memory."""
        if not self.is_shared:
            return self
        if self.plain_values is not None:
            return replace(self, plain_values=self.plain_values.copy(), is_shared=False)
        return replace(self, values=self.values.copy(), is_shared=False)


def open_image(
    values: Any, options: ImageOptions, order: Any, bytes_a_voxel: float
) -> tuple[Session, Array, Grid]:
    """Check all arguments except the values. `bytes_a_voxel` are needed besides these and the
    order.
    """
    given = as_array(values, "values")
    grid = checked_grid(given.shape, options)
    peak, kept = order_bytes(checked_order(order), given.dtype)
    bytes_a_voxel = max(peak, kept + bytes_a_voxel)
    session = Session(given, options.device, options.threads, options.memory_limit)
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
    """Return whether kernels of the device can read the caller's array as it is."""
    return (
        is_on_gpu(given)
        and device.name == f"cuda:{given.device.id}"
        and given.dtype.name in source.VALUE_TYPES
        and bool(given.flags.c_contiguous)
    )


def order_bytes(order: str, dtype: Any) -> tuple[int, int]:
    """Bytes per voxel besides the values: while the order is computed, and later."""
    if order == "index":
        return 0, 0
    itemsize = np.dtype(dtype).itemsize
    if itemsize <= 2 and np.dtype(dtype).kind != "f":
        return 10, 4  # sides, and two distances, one of which becomes the levels
    return (18, 8) if itemsize <= 4 else (48, 8)  # longer values may have to be ranked by a sort


def load_field(session: Session, given: Array, grid: Grid) -> ImageField:
    """Put the values on the device and check that all are finite. Raises InputError."""
    with session.stage("upload"):
        native, levels = comparable(given)
        values = session.upload(native).reshape(-1)
        if values.dtype.kind == "f":
            check_finite(session, values, given.shape)
    is_shared = may_share_memory(values, given)
    dtype = np.dtype(given.dtype).newbyteorder("=")
    return ImageField(values, given.shape, dtype, levels, is_shared, grid=grid)
