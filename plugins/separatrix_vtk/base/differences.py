"""Differences of values, exact in their type and rounded once."""

from __future__ import annotations

import numpy as np


def difference(highest: np.ndarray, lowest: np.ndarray) -> np.ndarray:
    """Difference of both (n,), the first nowhere the smaller: in their type, or for signed integers
    in one where it fits. Beyond the range of floating-point numbers it is the largest of them.
    """
    kind, size = highest.dtype.kind, highest.dtype.itemsize
    if kind == "i" and size == 8:  # it may pass 2^63; modulo 2^64 it is right
        return (highest.view(np.uint64) - lowest.view(np.uint64)).astype(np.float64)
    if kind == "i":
        return np.subtract(highest, lowest, dtype=np.int64)
    if kind == "f":
        with np.errstate(over="ignore"):
            return np.minimum(highest - lowest, np.finfo(highest.dtype).max)
    return highest - lowest


def range_between(values: np.ndarray, lowest: int, highest: int) -> float:
    """What lies between two of the values (n,), the lowest and the highest."""
    return float(difference(values[[highest]], values[[lowest]])[0])
