"""Persistence pairs: merging by the elder rule, and reduction of boundary matrices over Z/2.

Edelsbrunner, Letscher, Zomorodian, "Topological persistence and simplification", 2002; clearing and
compression: Bauer, Kerber, Reininghaus, "Clear and compress", 2014; columns as bit trees: Bauer,
Kerber, Reininghaus, Wagner, "PHAT", 2017; several threads: Morozov, Nigmetov, 2020.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.host import HostDevice
from ..kernels import NONE


@dataclass(frozen=True)
class Merges:
    """Merges at each of m edges."""

    victim: np.ndarray  # (m,) int32, the oldest piece of the set that ends, or -1
    side: np.ndarray  # (m,) uint8, the end of the edge, 0 or 1, in that set


def merge_pairs(host: HostDevice, age: np.ndarray, ends: np.ndarray, order: np.ndarray) -> Merges:
    """Merge sets of pieces along edges; of two sets, the one with the younger oldest piece ends.

    `age` (n,) int32 are distinct births; `ends` (m, 2) int32 the pieces of each edge, -1 one older
    than all others; `order` (k,) int32 the edges in their order. O(m log n).
    """
    ends = np.ascontiguousarray(ends, np.int32).reshape(-1)
    m = ends.size // 2
    victim, side = np.full(m, NONE, np.int32), np.zeros(m, np.uint8)
    host.run("merge_pieces", age, age.size, ends, order, order.size, victim, side)
    return Merges(victim, side)


def reduce_columns(
    host: HostDevice,
    offsets: np.ndarray,
    rows: np.ndarray,
    coefficients: np.ndarray | None = None,
    *,
    order: np.ndarray,
    place: np.ndarray,
) -> np.ndarray:
    """Return the pivot (m,) int32 of each reduced column: a row, or -1 if the column vanishes.

    Column j consists of the entries `offsets[j]` to `offsets[j + 1] - 1`, int64. Each entry has a
    row, int32, distinct within a column, and a coefficient, int64, 1 by default, of which even ones
    vanish. `order` (k,) int32 lists columns in the order of the filtration; for clearing, omit
    those that are known to vanish. `place` (n,) int32 is the place of each row in the
    filtration; for compression, -1 marks rows that cannot be pivots.

    Cubic in the worst case, nearly linear for images. Pairs are unique, so they do not depend on
    the order of additions.
    """
    m = offsets.size - 1
    if coefficients is None:
        coefficients = np.ones(rows.size, np.int64)
    n_places = int(place.max(initial=NONE)) + 1
    pivot = np.full(m, NONE, np.int32)
    host.run(
        "reduce_matrix",
        *(offsets, rows, coefficients, m, order, order.size),
        *(place, place.size, n_places, host.threads, pivot),
    )
    return pivot
