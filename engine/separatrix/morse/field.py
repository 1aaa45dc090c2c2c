"""The scalar field on a grid: the public edge where values are checked and brought to the device.

Values are compared natively through order-preserving integer images, so that no dtype is cast to
one that would merge values. Vertices are ordered by (value, linear index).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..device import Work, to_host
from ..device.arrays import as_array, is_on_gpu, may_share_memory
from ..device.base import Array
from ..errors import InputError
from ..kernels import source
from .grid import Grid, checked_grid


@dataclass(frozen=True)
class Field:
    """Values (n,) on the device in a dtype that kernels read, x fastest.

    `shape` and `dtype` (in native byte order) are the caller's. `levels`, if given, are the
    caller's values by rank, and `values` are ranks. `is_shared`: the values are the caller's own
    memory, who may write to it after the call.
    """

    grid: Grid
    values: Array
    shape: tuple[int, ...]
    dtype: np.dtype
    levels: np.ndarray | None
    is_shared: bool

    def values_at(self, vertices: Array) -> Array:
        """The caller's values at vertices (k,), in the caller's dtype."""
        return self.in_callers_dtype(self.values[vertices])

    def in_callers_dtype(self, values: Array) -> Array:
        """Some of `values` as the caller has them."""
        if self.levels is not None:
            return self.levels[to_host(values)]
        return values.astype(self.dtype)

    def without_values(self) -> Field:
        """The field when nobody needs its values any more, to free them."""
        return replace(self, values=None, is_shared=False)

    def with_own_values(self) -> Field:
        """The field with a copy of values that were the caller's."""
        return replace(self, values=self.values.copy(), is_shared=False) if self.is_shared else self


def open_image(
    values: Any,
    spacing: Sequence[float],
    origin: Sequence[float],
    direction: Any,
    device: str | None,
    threads: int | None,
    memory_limit: int | None,
    bytes_a_voxel: int,
) -> tuple[Work, Array, Grid]:
    """Check all arguments but the values themselves; `bytes_a_voxel` will be needed beside them.

    Raises InputError, DeviceUnavailable, DeviceMemoryError.
    """
    given = as_array(values, "values")
    grid = checked_grid(given.shape, spacing, origin, direction)
    work = Work(given, device, threads, memory_limit)
    is_there = work.device.is_cuda and is_on_gpu(given) and given.dtype.name in source.VALUE_TYPES
    itemsize = 0 if is_there else min(given.dtype.itemsize, 8)
    work.require((itemsize + bytes_a_voxel) * grid.n_vertices, f"an image of {given.shape}")
    return work, given, grid


def load_field(work: Work, given: Array, grid: Grid) -> Field:
    """Put the values on the device and see that all are finite. Raises InputError."""
    with work.stage("upload"):
        native, levels = _comparable(given)
        values = work.upload(native).reshape(-1)
        if values.dtype.kind == "f":
            _check_finite(work, values, given.shape)
    is_shared = may_share_memory(values, given)
    return Field(
        grid, values, given.shape, np.dtype(given.dtype).newbyteorder("="), levels, is_shared
    )


def _comparable(given: Array) -> tuple[Array, np.ndarray | None]:
    """Values in a dtype that kernels read, in the same order and with the same ties."""
    dtype = np.dtype(given.dtype).newbyteorder("=")
    if dtype.kind == "b":
        return given.view(np.uint8), None
    if dtype == np.float16:
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
        raise _nonfinite_error(given.shape, int(np.argmin(finite)), int((~finite).sum()), given)
    levels, ranks = np.unique(given, return_inverse=True)
    return ranks.reshape(given.shape).astype(np.int64), levels


def _check_finite(work: Work, values: Array, shape: tuple[int, ...]) -> None:
    device, n = work.device, values.size
    n_runs = -(-n // source.constant("FINITE_RUN"))
    count, first = device.empty(n_runs, np.int32), device.empty(n_runs, np.int64)
    device.launch("count_nonfinite", n_runs, values, n, count, first)
    n_bad = int(count.sum())
    if n_bad:
        raise _nonfinite_error(shape, int(first.min()), n_bad, values)


def _nonfinite_error(shape: tuple[int, ...], first: int, n_bad: int, values: Array) -> InputError:
    index = ", ".join(str(int(i)) for i in np.unravel_index(first, shape))
    return InputError(
        f"values must be finite: values[{index}] is {values.reshape(-1)[first]} "
        f"({n_bad:,} such voxel{'s' * (n_bad != 1)}); replace them, for example with "
        "numpy.nan_to_num"
    )
