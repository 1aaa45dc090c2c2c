"""The scalar field on a grid: the public edge where values are checked and brought to the device.

Values are compared natively through order-preserving integer images, so that no dtype is cast to
one that would merge values. Vertices are ordered by (value, linear index), or by
levels that refine the values (order.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...device import Device, Session, to_host
from ...device.arrays import as_array, current_for, is_on_gpu, may_share_memory
from ...device.base import Array
from ...errors import InputError
from ...kernels import source
from .grid import NOT_PERIODIC, Grid, checked_grid
from .memory import SLAB_GRADIENT_BYTES
from .slabs import require_a_slab

ORDERS = ("index", "plateau")


@dataclass(frozen=True)
class ScalarField:
    """Values (n,) on the device in a dtype that kernels read, one a vertex.

    `shape` and `dtype` (in native byte order) are the caller's. `levels`, if given, are the
    caller's values by rank, and `values` are ranks. `plain_values`, if given, are what `values`
    would be in the order by index; `values` are then levels of another order. `is_shared`: the
    (plain) values are the caller's own memory, who may write to it after the call.
    """

    values: Array
    shape: tuple[int, ...]
    dtype: np.dtype
    levels: np.ndarray | None
    is_shared: bool
    plain_values: Array | None = None

    def values_at(self, vertices: Array) -> Array:
        """The caller's values at vertices (k,), in the caller's dtype."""
        return self.in_callers_dtype(self.plain[vertices])

    @property
    def plain(self) -> Array:
        """The values as kernels compare them without any refinement of plateaus."""
        return self.values if self.plain_values is None else self.plain_values

    def in_callers_dtype(self, values: Array) -> Array:
        """Some of `plain` as the caller has them."""
        if self.levels is not None:
            return self.levels[to_host(values)]
        return values.astype(self.dtype)


@dataclass(frozen=True)
class Field(ScalarField):
    """The scalar field of an image, x fastest."""

    grid: Grid = field(kw_only=True)

    def without_values(self) -> Field:
        """The field when nobody needs its values any more, to free them."""
        return replace(self, values=None, plain_values=None, is_shared=False)

    def with_own_values(self) -> Field:
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


def checked_order(order: Any) -> str:
    """The order's name. Raises InputError."""
    if not isinstance(order, str) or order not in ORDERS:
        raise InputError(f"order must be one of {', '.join(ORDERS)}, not {order!r}")
    return order


def order_bytes(order: str, dtype: Any) -> tuple[int, int]:
    """Bytes a voxel beside the values: while the order is made, and as long as it is used."""
    if order == "index":
        return 0, 0
    itemsize = np.dtype(dtype).itemsize
    if itemsize <= 2 and np.dtype(dtype).kind != "f":
        return 10, 4  # sides, and two distances, one of which becomes the levels
    return (18, 8) if itemsize <= 4 else (48, 8)  # longer ones may have to be ranked by a sort


def load_field(session: Session, given: Array, grid: Grid) -> Field:
    """Put the values on the device and see that all are finite. Raises InputError."""
    with session.stage("upload"):
        native, levels = comparable(given)
        values = session.upload(native).reshape(-1)
        if values.dtype.kind == "f":
            check_finite(session, values, given.shape)
    is_shared = may_share_memory(values, given)
    dtype = np.dtype(given.dtype).newbyteorder("=")
    return Field(values, given.shape, dtype, levels, is_shared, grid=grid)


def comparable(given: Array, item: str = "voxel") -> tuple[Array, np.ndarray | None]:
    """Values in a dtype that kernels read, in the same order and with the same ties."""
    dtype = np.dtype(given.dtype).newbyteorder("=")
    if dtype.kind == "b":
        return given.view(np.uint8), None
    if dtype == np.float16:
        with current_for(given):
            return given.astype(np.float32), None  # exact
    if dtype.name in source.VALUE_TYPES:
        return given, None
    if dtype.kind != "f":
        raise InputError(
            f"values must be real numbers, got dtype {dtype}; convert them, for example with "
            "abs(values) or values.astype('float64')"
        )
    finite = np.isfinite(given)  # longer floats than the kernels know: compare ranks
    if not finite.all():
        raise _nonfinite_error(
            given.shape, int(np.argmin(finite)), int((~finite).sum()), given, item
        )
    levels, ranks = np.unique(given, return_inverse=True)
    return ranks.reshape(given.shape).astype(np.int64), levels


def check_finite(
    session: Session, values: Array, shape: tuple[int, ...], item: str = "voxel"
) -> None:
    """Refuse values (n,) on the device that are not all finite; `shape` is the caller's."""
    device, n = session.device, values.size
    n_runs = -(-n // source.constant("FINITE_RUN"))
    count, first = device.empty(n_runs, np.int32), device.empty(n_runs, np.int64)
    device.launch("count_nonfinite", n_runs, values, n, count, first)
    n_bad = int(count.sum())
    if n_bad:
        raise _nonfinite_error(shape, int(first.min()), n_bad, values, item)


def _nonfinite_error(
    shape: tuple[int, ...], first: int, n_bad: int, values: Array, item: str
) -> InputError:
    index = ", ".join(str(int(i)) for i in np.unravel_index(first, shape))
    return InputError(
        f"values must be finite: values[{index}] is {values.reshape(-1)[first]} "
        f"({n_bad:,} such {item}{'s' * (n_bad != 1)}); replace them, for example with "
        "numpy.nan_to_num"
    )
