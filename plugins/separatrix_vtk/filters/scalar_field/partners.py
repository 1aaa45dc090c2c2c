"""Which critical point each critical point is paired with by persistence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix_vtk.base.arrays import NONE


@dataclass(frozen=True)
class Partners:
    """One entry a critical cell, in their order; k of them.

    `persistence` (k,) float64 of the pair that the cell belongs to; `cell_id` (k,) int64 of the
    other cell of the pair, -1 for a class that nothing ends, whose persistence is the range of the
    values (TTK closes it so); `is_finite` (k,) bool.
    """

    persistence: np.ndarray
    cell_id: np.ndarray
    is_finite: np.ndarray


def partners_of(pairs: Any, critical: Any, value_range: float) -> Partners:
    """The partners, from a persistence diagram whose rows are those of `critical`."""
    persistence = np.full(len(critical), value_range)
    cell_id = np.full(len(critical), NONE, dtype=np.int64)
    finite = pairs.death_row != NONE
    birth, death = pairs.birth_row[finite], pairs.death_row[finite]
    for row, other in ((birth, death), (death, birth)):
        persistence[row] = pairs.persistence[finite]
        cell_id[row] = critical.cell_id[other]
    return Partners(persistence, cell_id, cell_id != NONE)
