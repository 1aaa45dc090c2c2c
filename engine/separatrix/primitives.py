"""Scan, compaction, sort by key: NumPy on the host, CuPy (which uses CUB) on a GPU."""

from __future__ import annotations

from .device.arrays import array_module
from .device.base import Array


def exclusive_scan(counts: Array) -> Array:
    """Sums of all counts before each one, and the total last: (n,) integer -> (n + 1,) int64."""
    xp = array_module(counts)
    offsets = xp.zeros(counts.size + 1, xp.int64)
    xp.cumsum(counts.ravel(), dtype=xp.int64, out=offsets[1:])
    return offsets


def row_of_items(offsets: Array) -> Array:
    """The row that each item of a CSR lies in: offsets (n + 1,) int64 -> (m,) int64."""
    xp = array_module(offsets)
    items = xp.arange(int(offsets[-1]), dtype=xp.int64)
    return xp.searchsorted(offsets, items, side="right") - 1


def compact(flags: Array) -> Array:
    """Indices where `flags` (n,) is nonzero, ascending, int64."""
    return array_module(flags).flatnonzero(flags)


def sort_by_key(keys: Array, *values: Array) -> tuple[Array, ...]:
    """Keys (n,) ascending and each of `values` in the same order; equal keys keep theirs."""
    xp = array_module(keys)
    order = xp.argsort(keys, kind="stable")
    return (keys[order], *(value[order] for value in values))
