"""The pairing of an image's cells: the packed gradient, and its critical cells."""

from __future__ import annotations

import numpy as np

from ...device import Array, Session, to_host
from ...device.divided import DividedArray
from ...morse.critical import Counts, rows_of_index
from ...morse.field import ScalarField
from .field import ImageField
from .grid import Grid


class CubicalPairing:
    """The data on which V-paths of an image are traced, on the device of the computation."""

    session: Session
    grid: Grid
    field: ImageField
    counts: Counts
    critical_ids: Array  # (k,) int64, sorted by (index, id)
    _words: Array | DividedArray
    kept_labels: dict[str, list[Array]]  # of vertices, on each of several GPUs
    _ends: dict[str, Array]  # see :meth:`extremum_ends`
    marks: Array | None = None
    """Squares on V-paths between saddles, once they are known on the CPU.

    Those of the raw complex include its 2-saddles, because these are on V-paths at levels.
    """

    @property
    def marks_before(self) -> Array | None:
        """The marks of the raw complex at a level, which contain its own."""
        return None

    @property
    def words(self) -> Array:
        """Directions (n,) uint32 of partners; nibble t is for the cell of type t (grid.h)."""
        self.grid.check_traceable("Lines, surfaces, levels, and codes")
        if isinstance(self._words, DividedArray):
            self.session.memory.require(4 * self._words.size, "the gradient on one GPU")
            with self.session.call(None, {}):
                self._words = self.session.device.joined(self._words.parts)
        return self._words

    def words_in_pieces(self, for_extrema: bool) -> Array:
        """Return :attr:`words`, or :attr:`extremum_words`, of which only pieces are used."""
        return self._words

    @property
    def extremum_words(self) -> Array:
        """The same, valid only for vertices and top cells, in less time at a level."""
        return self.words

    def critical_of(self, index: int) -> Array:
        return self.critical_ids[rows_of_index(self.counts, index)]


def vertex_keys(session: Session, field: ScalarField, used: Array | None) -> tuple[Array, bool]:
    """Return keys (n,) uint32 in the order of the values, and whether they are exact.

    Keys are order images. Those of 64 bits are taken relative to the lowest of the `used` vertices
    (by default all) and shifted to 32 bits; if bits are lost, distinct values may have equal keys.
    All keys are 0 if the values are not stored.
    """
    values = field.values
    if values is None:
        return session.device.zeros(int(np.prod(field.shape)), np.uint32), False
    low, shift = 0, 0
    if values.dtype.itemsize > 4:
        valid = values if used is None else values[used]
        low, high = (_order_image(to_host(end)) for end in (valid.min(), valid.max()))
        shift = max((high - low).bit_length() - 32, 0)
    keys = session.device.empty(values.size, np.uint32)
    session.launch("vertex_keys", values.size, values, np.uint64(low), shift, keys)
    return keys, shift == 0


def _order_image(value: np.ndarray) -> int:
    """Return the order image (common/order.h) of a value of 64 bits."""
    bits = int((value + value.dtype.type(0)).view(np.uint64))
    if value.dtype.kind == "f":
        return (1 << 64) - 1 - bits if bits >> 63 else bits | 1 << 63
    return bits ^ 1 << 63 if value.dtype.kind == "i" else bits
