"""A scalar field as kernels compare it: the public edge where values are checked.

Values are compared natively through order-preserving integer images, so that no dtype is cast to
one that would merge values. Vertices are ordered by (value, index), or by levels that refine the
values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Session, to_host
from ..device.arrays import current_for
from ..device.base import Array
from ..errors import InputError
from ..kernels import source
from ..options import MorseSmaleOptions, options_of


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


def checked_order(order: Any) -> str:
    """The order's name. Raises InputError."""
    return str(options_of(MorseSmaleOptions)["order"].check(order))


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
