"""The pairing of an image's cells: the packed gradient, and its critical cells."""

from __future__ import annotations

from ...device import Session
from ...device.base import Array
from ...morse.critical import Counts, rows_of_index
from .grid import Grid


class CubicalPairing:
    """The data on which V-paths of an image are traced.

    Attributes
    ----------
    words : (n,) uint32, the packed gradient, on the device that computed; nibble t is the partner's
        direction of the cell of type t anchored at the vertex, in three bits (cubical/grid.h; the
        fourth bits are set when labels of maxima are computed).
    extremum_words : the words as far as vertices and top cells go; cheaper at a level.
    critical_ids : (k,) int64, on the same device; the critical cells by (index, id).
    counts : critical cells of index 0, 1, 2, 3.
    """

    session: Session
    grid: Grid
    counts: Counts
    critical_ids: Array

    @property
    def words(self) -> Array:
        raise NotImplementedError

    @property
    def extremum_words(self) -> Array:
        return self.words

    def critical_of(self, index: int) -> Array:
        """Ids (c,) int64 of the critical cells of one index."""
        return self.critical_ids[rows_of_index(self.counts, index)]
