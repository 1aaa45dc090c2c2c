"""Persistence pairs: merging by the elder rule, and reduction of boundary matrices over Z/p.

Edelsbrunner, Letscher, Zomorodian, "Topological persistence and simplification", 2002; clearing and
compression: Bauer, Kerber, Reininghaus, "Clear and compress", 2014; columns as bit trees: Bauer,
Kerber, Reininghaus, Wagner, "PHAT", 2017; several threads: Morozov, Nigmetov, 2020.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arguments import is_prime
from ..device.host import HostDevice
from ..errors import InputError
from ..kernels import NONE

MAX_PRIME = 2**31 - 1


@dataclass(frozen=True)
class Merges:
    """Merges at each of m edges."""

    victim: np.ndarray  # (m,) int32, the oldest piece of the set that ends, or -1
    side: np.ndarray  # (m,) uint8, the end of the edge, 0 or 1, in that set


def merge_pairs(
    host: HostDevice, age: np.ndarray, ends: np.ndarray, order: np.ndarray | None = None
) -> Merges:
    """Merge sets of pieces along edges; of two sets, the one with the younger oldest piece ends.

    `age` (n,) int32 are distinct births; `ends` (m, 2) int32 the pieces of each edge, -1 one older
    than all others; `order` (k,) int32 the edges in their order. O(m log n).
    """
    ends = np.ascontiguousarray(ends, np.int32).reshape(-1)
    m = ends.size // 2
    order = np.arange(m, dtype=np.int32) if order is None else order
    victim, side = np.full(m, NONE, np.int32), np.zeros(m, np.uint8)
    host.run("merge_pieces", age, age.size, ends, order, order.size, victim, side)
    return Merges(victim, side)


def reduce_columns(
    host: HostDevice,
    offsets: np.ndarray,
    rows: np.ndarray,
    coefficients: np.ndarray | None = None,
    *,
    n_rows: int,
    prime: int = 2,
    order: np.ndarray | None = None,
    place: np.ndarray | None = None,
) -> np.ndarray:
    """Return the pivot (m,) int32 of each reduced column: a row, or -1 if the column vanishes.

    Column j consists of the entries `offsets[j]` to `offsets[j + 1] - 1`, int64. Each entry has a
    row, int32, distinct within a column, and a coefficient modulo `prime`, int64, 1 by default.
    `order` (k,) int32 lists columns in the order of the filtration; for clearing, omit those that
    are known to vanish. `place` (n_rows,) int32 is the place of each row in the filtration; for
    compression, -1 marks rows that cannot be pivots. Raises InputError if `prime` is not a prime
    number below 2^31.

    Cubic in the worst case, nearly linear for images. Pairs are unique, so they do not depend on
    the order of additions or on the column type.
    """
    if not is_prime(prime, MAX_PRIME):
        raise InputError("prime", "a prime number below 2^31", prime)
    m = offsets.size - 1
    if coefficients is None:
        coefficients = np.ones(rows.size, np.int64)
    order = np.arange(m, dtype=np.int32) if order is None else order
    place = np.arange(n_rows, dtype=np.int32) if place is None else place
    n_places = int(place.max(initial=NONE)) + 1
    pivot = np.full(m, NONE, np.int32)
    host.run(
        "reduce_matrix",
        *(prime, offsets, rows, coefficients, m, order, order.size),
        *(place, n_rows, n_places, host.threads, pivot),
    )
    return pivot
