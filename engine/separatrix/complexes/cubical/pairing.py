"""The pairing of an image's cells: the packed gradient, and its critical cells."""

from __future__ import annotations

import numpy as np

from ...device import Session, to_host
from ...device.base import Array
from ...morse.critical import Counts, rows_of_index
from ...morse.field import ScalarField
from .field import ImageField
from .grid import Grid


class CubicalPairing:
    """The data on which V-paths of an image are traced, on the device that computed.

    ``words`` (n,) uint32: nibble t is the direction of the partner of the cell of type t anchored
    at the vertex, in three bits (cubical/grid.h); ``extremum_words`` are right for vertices and top
    cells only, and cheaper at a level; ``critical_ids`` (k,) int64: cells by (index, id).
    """

    session: Session
    grid: Grid
    field: ImageField
    counts: Counts
    critical_ids: Array
    _words: Array

    @property
    def words(self) -> Array:
        return self._words

    @property
    def extremum_words(self) -> Array:
        return self.words

    def critical_of(self, index: int) -> Array:
        return self.critical_ids[rows_of_index(self.counts, index)]


def vertex_keys(
    session: Session, field: ScalarField, used: Array | None
) -> tuple[np.ndarray, bool]:
    """Numbers (n,) uint32 on the host that never fall where values rise, of 64 bits the highest in
    which those of `used` vertices, or all, differ; whether they tell equal values from others. All
    0 without values.
    """
    values = field.values
    if values is None:
        return np.zeros(int(np.prod(field.shape)), np.uint32), False
    low, shift = 0, 0
    if values.dtype.itemsize > 4:
        valid = values if used is None else values[used]
        low, high = (_order_image(to_host(end)) for end in (valid.min(), valid.max()))
        shift = max((high - low).bit_length() - 32, 0)
    keys = session.device.empty(values.size, np.uint32)
    session.launch("vertex_keys", values.size, values, np.uint64(low), shift, keys)
    return to_host(keys), shift == 0


def _order_image(value: np.ndarray) -> int:
    """common/order.h, of a number of 64 bits."""
    bits = int((value + value.dtype.type(0)).view(np.uint64))
    if value.dtype.kind == "f":
        return (1 << 64) - 1 - bits if bits >> 63 else bits | 1 << 63
    return bits ^ 1 << 63 if value.dtype.kind == "i" else bits
