"""A scalar field in the form that kernels compare, and the validation of its values.

Values are compared through order-preserving integer images and never cast to a dtype that would
merge some of them. Vertices are ordered by (value, index), or by levels that refine ties. The
plateau-aware order is that of (value, 2 low - high, index). On a plateau, `low` is the distance
from the vertices with a lower neighbor, or from the smallest index if there are none, and `high` is
the distance from those with a higher neighbor, or 0 (Garbrecht, Martz 1997; Barnes, Lehman, Mulla
2014). Pairs of nonzero persistence do not change.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import is_one_of
from ..device import Array, Session, as_array, current_for, to_host
from ..errors import InputError, Words
from ..kernels import source
from ..primitives import at, converted, total

FINITE_MAX, LEAST = np.finfo(np.float64).max, np.finfo(np.float64).smallest_subnormal
"""Bounds of positive finite differences, which are rounded neither to inf nor to 0."""
ORDERS = ("index", "plateau")
Remedies = tuple[str, str]
"""Remedies for NaN and for infinite values."""
FAR = 2**31 - 1
"""Distance of vertices that are not connected to any source (kernels/morse/plateau.h)."""


@dataclass(frozen=True)
class ScalarField:
    """Values on the device, one per vertex, in a dtype that kernels support."""

    values: Array  # (n,)
    shape: tuple[int, ...]  # of the caller's array
    dtype: np.dtype  # the caller's, in native byte order
    levels: np.ndarray | None  # the caller's value of each rank, if the values are ranks
    is_shared: bool  # whether the (plain) values are in the caller's memory, which may change
    plain_values: Array | None = None  # if the values are the levels or ranks of another order

    def values_at(self, vertices: Array) -> Array:
        """Return the values at vertices (k,), in the caller's dtype."""
        return self.in_callers_dtype(at(self.plain, vertices))

    @property
    def plain(self) -> Array:
        """The values as kernels compare them, without refinement of plateaus."""
        return self.values if self.plain_values is None else self.plain_values

    def in_callers_dtype(self, values: Array) -> Array:
        """Convert entries of `plain` to the caller's values."""
        if self.levels is not None:
            return self.levels[to_host(values)]
        return values.astype(self.dtype, copy=False)


def comparable(
    given: Array, remedies: Remedies, valid: Array | None
) -> tuple[Array, np.ndarray | None]:
    """Return values that kernels support, in the same order, and levels. Raises InputError."""
    dtype = np.dtype(given.dtype).newbyteorder("=")
    if dtype.kind == "b":
        return given.view(np.uint8), None
    if dtype == np.float16:
        with current_for(given):
            return given.astype(np.float32), None  # exact
    if dtype.name in source.VALUE_TYPES:
        return given, None
    if dtype.kind != "f":
        way = "abs(values)" if dtype.kind == "c" else "values.astype('float64')"
        remedy = f"Convert them, for example with {way}."
        if dtype.names is not None:
            remedy = f"Use one of their fields, for example values[{dtype.names[0]!r}]."
        raise InputError("values", "real numbers", Words(f"dtype {dtype}"), remedy)
    bad = ~np.isfinite(given)  # kernels do not support longer floats, so ranks are compared
    if valid is not None:
        bad &= to_host(valid).reshape(given.shape)
    if bad.any():
        raise _nonfinite_error(given.shape, int(np.argmax(bad)), int(bad.sum()), given, remedies)
    levels, ranks = np.unique(given, return_inverse=True)
    return ranks.reshape(given.shape).astype(np.int64), levels


def check_finite(
    session: Session,
    values: Array,
    shape: tuple[int, ...],
    remedies: Remedies,
    valid: Array | None,
) -> None:
    """Raise InputError unless all valid values (n,), of the caller's `shape`, are finite."""
    device, n = session.device, values.size
    if valid is not None:
        bad = valid & ~device.xp.isfinite(values)
        if n_bad := total(device, bad):
            raise _nonfinite_error(shape, int(bad.argmax()), n_bad, values, remedies)
        return
    n_runs = -(-n // source.constant("FINITE_RUN"))
    count, first = device.empty(n_runs, np.int32), device.empty(n_runs, np.int64)
    device.launch("count_nonfinite", n_runs, values, n, count, first)
    if n_bad := total(device, count):
        raise _nonfinite_error(shape, int(first.min()), n_bad, values, remedies)


def _nonfinite_error(
    shape: tuple[int, ...], first: int, n_bad: int, values: Array, remedies: Remedies
) -> InputError:
    index = ", ".join(str(int(i)) for i in np.unravel_index(first, shape))
    got, where = values.reshape(-1)[first], f"[{index}]"
    remedy = remedies[not np.isnan(float(got))]
    return InputError("values", "finite", Words(got), remedy, where=where, count=n_bad)


def checked_order(order: Any, shape: tuple[int, ...]) -> Any:
    """Return one of ORDERS, or integers in the shape of the values. Raises InputError."""
    if is_one_of(order, ORDERS):
        return order
    expected = f"'index', 'plateau', or an array of ranks of shape {shape}"
    if isinstance(order, str):
        close = difflib.get_close_matches(order, ORDERS, n=1)
        raise InputError("order", expected, order, f"Did you mean {close[0]!r}?" if close else "")
    ranks = as_array(order, "order", expected)
    if ranks.shape != shape:
        got = order if not ranks.ndim else Words(f"shape {ranks.shape}")
        raise InputError("order", expected, got)
    if ranks.dtype.kind not in "iu":
        remedy = "Ranks are integers from 0 for the lowest vertex."
        raise InputError("order", "an array of integers", Words(f"dtype {ranks.dtype}"), remedy)
    return ranks


def given_ranks(session: Session, order: Array, values: Array, valid: Array | None) -> Array:
    """Return given ranks (n,) int64 of `values` (n,), on the device. Raises InputError.

    They must be a permutation in which values do not decrease, so that they only order equal
    values. Values that are not `valid` (n,) bool may have any rank.
    """
    xp, n = session.device.xp, values.size
    ranks = session.upload(order).reshape(-1).astype(np.int64)
    points, ids = xp.full(n, -1, np.int64), xp.arange(n, dtype=np.int64)
    is_rank = (ranks >= 0) & (ranks < n)
    points[ranks[is_rank]] = ids[is_rank]
    missing = points < 0
    if n_missing := total(session.device, missing):
        raise missing_ranks(int(missing.argmax()), n_missing, n)
    if valid is not None:
        points = points[valid[points]]
    fall = first_fall(session, values[points])
    if fall is not None:
        both = points[fall : fall + 2]
        raise falling_ranks(to_host(ranks[both]), to_host(values[both]))
    return ranks


def first_fall(session: Session, values: Array) -> int | None:
    """Return the first place of values (m,) on the device that exceeds the next one; else None."""
    keys = session.device.empty(values.size, np.uint64)
    session.launch("key_point_values", values.size, values, keys)
    if values.dtype.itemsize <= 4:
        keys >>= np.uint64(32)  # without the index
    falls = keys[1:] < keys[:-1]
    return int(falls.argmax()) if total(session.device, falls) else None


def missing_ranks(first: int, n_missing: int, n: int) -> InputError:
    """Return the error about ranks that are not a permutation of 0 to n - 1."""
    others = n_missing - 1
    rest = f" and {others:,} other{'s' * (others > 1)}" if others else ""
    got = Words(f"ranks without {first:,}{rest}")
    remedy = "Ranks of other numbers are numpy.argsort(numpy.argsort(numbers, kind='stable'))."
    return InputError("order", f"a permutation of 0 to {n - 1:,}", got, remedy)


def falling_ranks(ranks: np.ndarray, values: np.ndarray) -> InputError:
    """Return the error about two consecutive ranks (2,) whose values (2,) descend."""
    (rank, above), (low, high) = ranks.tolist(), map(Words, values)
    got = Words(f"rank {rank:,} at value {low} and rank {above:,} at value {high}")
    remedy = "It orders equal values only: compute it again for these values."
    return InputError("order", "ascending with the values", got, remedy)


def plateau_levels(session: Session, values: Array, low: Array, high: Array) -> Array | None:
    """Return levels (n,) uint32 or uint64, or None if all distances are 0. Overwrites `low`."""
    xp, n, highest = session.device.xp, values.size, int(high.max())
    distinct = 2 * int(low.max()) + highest + 1
    if distinct == 1:
        return None
    lowest, span = _range(xp, values)
    if span * distinct > 2**64:
        values = _dense_ranks(xp, values)
        lowest, span = _range(xp, values)
    if span * distinct <= 2**32:
        levels = low.view(np.uint32)  # safe: each item reads its distances before it writes
        kernel = "refine_words"
    else:
        levels = session.device.empty(n, np.uint64)
        kernel = "refine_wides"
    session.launch(kernel, n, values, lowest, low, high, distinct, highest, levels)
    return levels


def _range(xp: Any, values: Array) -> tuple[Array, int]:
    """Return a lower bound (1,) of the values, and the maximum number of distinct values."""
    if values.dtype.kind == "f":
        return xp.full(1, -xp.inf, values.dtype), 2 ** (8 * values.dtype.itemsize)
    lowest = values.min().reshape(1)
    return lowest, int(values.max()) - int(lowest[0]) + 1


def _dense_ranks(xp: Any, values: Array) -> Array:
    """Return ranks (n,) int32 of values; equal values have equal ranks."""
    order = xp.argsort(values)
    ordered = values[order]
    rises = xp.zeros(values.size, np.int32)
    rises[1:] = ordered[1:] != ordered[:-1]
    ranks = xp.empty(values.size, np.int32)
    ranks[order] = xp.cumsum(rises, dtype=np.int32)
    return ranks


# === differences of values
def as_float(session: Session, values: Array) -> Array:
    """Return values as float64 on the device, clipped to its range, with 0.0 for -0.0."""
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        values = np.clip(values, -FINITE_MAX, FINITE_MAX)
    values = _for_differences(session, values)
    found = session.device.empty(values.shape, np.float64)
    session.launch("to_reals", values.size, values, found)
    return found


def _for_differences(session: Session, values: Array) -> Array:
    """Return values on the device as kernels/morse/differences.h takes them."""
    if values.dtype.kind == "f":
        values = converted(session.device, values, np.float64)
    return session.upload(values.view(np.uint8) if values.dtype == bool else values)


def exact_difference(session: Session, low: Array, high: Array) -> Array:
    """Return high - low as float64 on the device: exact in the values' dtype, rounded once.

    Differences above the range of float64 stay finite, because inf denotes essential classes.
    Differences below it stay positive, because 0 denotes equal values.
    """
    if low.dtype.kind == "f" and low.dtype.itemsize > 8:
        with np.errstate(over="ignore"):
            finite = np.minimum(high - low, FINITE_MAX).astype(np.float64) + 0.0
        return session.upload(np.where((high > low) & (finite == 0), LEAST, finite))
    low, high = (_for_differences(session, values) for values in (low, high))
    found = session.device.empty(low.shape, np.float64)
    session.launch("find_differences", low.size, low, high, found)
    return found


def range_of_values(session: Session, field: ScalarField, vertices: Array | None) -> float:
    """Return the highest minus the lowest value of `vertices` (k,), or of all; 0 for none."""
    values = field.plain if vertices is None else field.plain[vertices]
    if not values.size:
        return 0.0
    low, high = (to_host(field.in_callers_dtype(end)) for end in _ends(values))
    return float(exact_difference(session, low, high)[0])


def _ends(values: Array) -> tuple[Array, Array]:
    """Return the lowest and the highest value of an array (n,), each in shape (1,).

    For float32, bit patterns are compared, because CuPy flushes denormals to zero. Those of
    negative values descend as integers.
    """
    if values.dtype != np.float32:
        return values.min().reshape(1), values.max().reshape(1)
    signed, unsigned = values.view(np.int32), values.view(np.uint32)
    low, high = int(unsigned.max()), int(signed.max())
    low = low if low >> 31 else int(unsigned.min())
    high = high if high >= 0 else int(signed.min())
    return np.array([low], np.uint32).view(np.float32), np.array([high], np.int32).view(np.float32)
