"""Pairs of any dimension, by reduction of a boundary matrix over Z/p.

Edelsbrunner, Letscher, Zomorodian 2002; clearing and compression: Bauer, Kerber,
Reininghaus, "Clear and compress", 2014; columns as bit trees: Bauer, Kerber, Reininghaus, Wagner,
"PHAT", 2017; several threads: Morozov, Nigmetov, "Towards lockfree persistent homology", 2020.
"""

from __future__ import annotations

import numpy as np

from ..arguments import is_prime
from ..device.host import HostDevice
from ..errors import InputError
from ..kernels import NONE

MAX_PRIME = 2**31 - 1


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

    Parameters
    ----------
    offsets : (m + 1,) int64
        Column j consists of the entries offsets[j] to offsets[j + 1] - 1.
    rows : (entries,) int32
        Row of each entry, distinct within a column, in any order.
    coefficients : (entries,) int64, optional
        Coefficients modulo `prime`; 1 by default.
    order : (k,) int32, optional
        Columns in the order of the filtration. Clearing: omit columns that are known to vanish.
    place : (n_rows,) int32, optional
        Place of each row in the filtration. Compression: -1 for rows that cannot be pivots.

    Raises
    ------
    InputError
        If `prime` is not a prime number below 2^31.

    Notes
    -----
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
