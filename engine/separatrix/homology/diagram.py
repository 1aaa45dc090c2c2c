"""Persistence diagrams: what was born when, what ended it, and where."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

import numpy as np

from ..arguments import as_real, checked_whole
from ..device.arrays import array_module, current_for
from ..device.base import Array
from ..errors import InputError
from ..kernels import NONE
from ..repr_mixin import ReprMixin


@dataclass(frozen=True, eq=False, repr=False)
class PersistenceDiagram(ReprMixin):
    """Pairs of persistent homology, sorted by (dimension, birth, death) in the filtration's order.

    ``dimension`` (n,) int8 of the class; ``birth`` and ``death`` (n,) float64 in the unit of the
    values, death inf for an essential class; ``persistence`` (n,) float64, their difference taken
    exactly in the caller's dtype and rounded once; ``birth_cell`` and ``death_cell`` (n,) int64
    ids of the cells that begin and end the class, ``birth_row`` and ``death_row`` (n,) int64 their
    rows in the caller's table of cells; -1 where nothing ends it.
    """

    dimension: Array
    birth: Array
    death: Array
    persistence: Array
    birth_cell: Array
    death_cell: Array
    birth_row: Array
    death_row: Array

    def __len__(self) -> int:
        return int(self.dimension.size)

    def _summary(self) -> str:
        with current_for(self.dimension):
            dimensions = range(int(self.dimension.max()) + 1 if len(self) else 0)
            counts = tuple(int((self.dimension == d).sum()) for d in dimensions)
        return f"{len(self):,} pairs: {counts} by dimension"

    @property
    def is_essential(self) -> Array:
        """Classes that nothing ends: (n,) bool."""
        with current_for(self.death_row):
            return self.death_row == NONE

    @property
    def n_artifacts(self) -> int:
        """Cells in pairs of zero persistence: artifacts of how equal values are ordered."""
        with current_for(self.persistence):
            return 2 * int((self.persistence == 0).sum())

    def where(self, chosen: Array) -> PersistenceDiagram:
        """The pairs that `chosen`, a mask (n,) bool or rows, selects; their order is kept."""
        with current_for(self.dimension):
            return PersistenceDiagram(
                **{field.name: getattr(self, field.name)[chosen] for field in fields(self)}
            )

    def of_dimension(self, dimension: int) -> Array:
        """Births and deaths of one dimension: (m, 2) float64, as other packages take them."""
        with current_for(self.dimension):
            rows = self.dimension == checked_whole(dimension, "dimension", 0, 127)
            return array_module(self.birth).stack([self.birth[rows], self.death[rows]], axis=1)

    def above(self, level: float) -> PersistenceDiagram:
        """The pairs that a simplification at this level keeps: persistence `level` or more."""
        least = as_real(level)
        if math.isnan(least):
            raise InputError(f"level must be a number, not {level!r}")
        with current_for(self.persistence):
            return self.where(self.persistence >= least)

    def nonzero(self) -> PersistenceDiagram:
        """The pairs whose two values differ."""
        with current_for(self.persistence):
            return self.where(self.persistence > 0)

    def curve(self, dimension: int | None = None) -> tuple[Array, Array]:
        """Persistence curve: levels (m,) ascending, and the pairs (m,) int64 at or above each.

        The levels are the persistences of finite pairs; essential classes, which end at none,
        count at all of them. `dimension` restricts the pairs to one.
        """
        xp = array_module(self.persistence)
        with current_for(self.persistence):
            counted = xp.ones(self.persistence.size, bool)
            if dimension is not None:
                counted = self.dimension == checked_whole(dimension, "dimension", 0, 127)
            finite = counted & ~self.is_essential
            levels, first = xp.unique(xp.sort(self.persistence[finite]), return_index=True)
            return levels, (int(counted.sum()) - first).astype(np.int64)
