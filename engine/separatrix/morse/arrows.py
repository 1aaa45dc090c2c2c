"""Arrows of a discrete gradient: its pairs, to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.base import Array
from ..errors import InputError
from ..repr_mixin import ReprMixin


@dataclass(frozen=True, eq=False, repr=False)
class Arrows(ReprMixin):
    """Pairs of the gradient, m of them: from the center of the lower cell to that of its cofacet.

    ``tail`` and ``vector`` (m, 3) float64, ``tail_cell_id`` and ``head_cell_id`` (m,) int64,
    ``tail_dimension`` (m,) int8.
    """

    tail: Array
    vector: Array
    tail_cell_id: Array
    head_cell_id: Array
    tail_dimension: Array

    def _summary(self) -> str:
        return f"{len(self.tail):,} pairs"


def checked_stride(stride: int) -> int:
    """A whole number of at least 1. Raises InputError."""
    if not isinstance(stride, (int, np.integer)) or stride < 1:
        raise InputError(f"stride must be a whole number from 1 on, got {stride!r}")
    return int(stride)
