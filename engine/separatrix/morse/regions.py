"""Regions of a segmentation: how many vertices each has, its range of values, its extrema.

Sizes and ranges of the raw regions are measured once, O(n). Those of a level are sums, least and
greatest ones of the raw regions that it joins, so they cost O(regions).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device import Session
from ..device.arrays import beside
from ..device.base import Array
from ..kernels import source
from ..repr_mixin import ReprMixin
from .field import ScalarField

LOWEST, HIGHEST = np.uint64(2**64 - 1), np.uint64(0)  # of no value at all


@dataclass(frozen=True, eq=False, repr=False)
class Regions(ReprMixin):
    """What each region of a segmentation holds, by label; r of them.

    ``size`` (r,) int64, vertices; ``minimum`` and ``maximum`` (r,) in the field's dtype, the range
    of its values over them (for a region without a vertex, as no value has it, both are that of its
    extremum); ``minimum_row`` and ``maximum_row`` (r,) int64, the critical cells that name the
    region: -1 where the segmentation asks for no such extremum, or where the region flows out of
    the box.
    """

    size: Array
    minimum: Array
    maximum: Array
    minimum_row: Array
    maximum_row: Array

    def __len__(self) -> int:
        return int(self.size.size)

    def _summary(self) -> str:
        return f"{len(self):,} labels"


@dataclass(frozen=True)
class Ranges:
    """Sizes (r,) int64 and ranges of values (r,) uint64, as order images, on the device."""

    size: Array
    low: Array
    high: Array


def measure_ranges(session: Session, labels: Array, field: ScalarField, size: Array) -> Ranges:
    """Ranges of the field over the vertices of each label 0 .. r - 1; `size` has r entries."""
    low, high = _no_ranges(session, size.size)
    n_runs = -(-labels.size // source.constant("REGION_RUN"))
    session.launch("measure_ranges", n_runs, labels, field.plain, labels.size, low, high)
    return Ranges(size, low, high)


def merge_sizes(session: Session, sizes: Array, table: Array, n_regions: int) -> Array:
    """Sizes of the regions that a table (r,) int32 of the raw ones makes of them."""
    merged = session.device.zeros(n_regions, np.int64)
    session.launch("merge_sizes", table.size, table, sizes, merged)
    return merged


def merge_ranges(session: Session, raw: Ranges, table: Array, n_regions: int) -> Ranges:
    """The same of sizes and ranges."""
    low, high = _no_ranges(session, n_regions)
    session.launch("merge_ranges", table.size, table, raw.low, raw.high, low, high)
    return Ranges(merge_sizes(session, raw.size, table, n_regions), low, high)


def describe_regions(
    session: Session,
    field: ScalarField,
    ranges: Ranges,
    minimum_row: Array,
    maximum_row: Array,
    values: Array,
) -> Regions:
    """The regions where the caller wants results. `values` (k,) are those of the critical cells."""
    xp = session.device.xp
    minimum, maximum = (_values_of(session, field, images) for images in (ranges.low, ranges.high))
    is_empty = ranges.size == 0
    if bool(is_empty.any()):
        # Ascending labels of a vertex are those of one of its cells: a maximum may get no vertex.
        rows = xp.where(maximum_row >= 0, maximum_row, minimum_row)[is_empty]
        for column in (minimum, maximum):
            column[beside(is_empty, column)] = beside(values[beside(rows, values)], column)
    result = session.result
    return Regions(
        result(ranges.size),
        result(minimum),
        result(maximum),
        result(minimum_row),
        result(maximum_row),
    )


def _no_ranges(session: Session, n_regions: int) -> tuple[Array, Array]:
    xp = session.device.xp
    return xp.full(n_regions, LOWEST, np.uint64), xp.full(n_regions, HIGHEST, np.uint64)


def _values_of(session: Session, field: ScalarField, images: Array) -> Array:
    values = session.device.empty(images.size, field.plain.dtype)
    session.launch("values_of_images", images.size, images, values)
    return field.in_callers_dtype(values)
