"""Connections of the 2-saddles and 1-saddles of a volume, with the number of V-paths of each.

Neither the method ("frontier", paths.py, or "matrix", matrix.py) nor the device changes them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...csr import CSR
from ...device.base import Array
from ...errors import InputError
from ...primitives import row_of_items
from ..model import MorseGradient
from .matrix import multiply_paths
from .paths import count_paths

METHODS = ("frontier", "matrix")


@dataclass(frozen=True, eq=False, repr=False)
class Connectors(CSR):
    """The 1-saddles that V-paths from each 2-saddle lead to, on the device; m pairs.

    Row k, of the k-th 2-saddle, has ``items`` (m,) int32, k of the k-th 1-saddle, ascending, and
    ``multiplicity`` (m,) uint64, numbers of V-paths; from 2^62 only the lowest bit is exact.
    """

    multiplicity: Array

    def upper(self) -> Array:
        """The 2-saddle of each pair, counted from 0: (m,) int64, on the device."""
        return row_of_items(self.offsets)


def trace_connectors(gradient: MorseGradient, method: str = "frontier") -> Connectors:
    """Return all connections of saddles; offsets are (1,) below three dimensions."""
    if method not in METHODS:
        raise InputError("method", " or ".join(map(repr, METHODS)), method)
    if gradient.dimension < 3:
        return no_connectors(gradient)
    minor = gradient.path_minor()
    if method == "matrix":
        return Connectors(*multiply_paths(gradient.session, minor))
    return Connectors(*count_paths(gradient.session, minor))


def no_connectors(gradient: MorseGradient) -> Connectors:
    """Return a table without rows, for graphs of which only extremum pairs are needed."""
    device = gradient.session.device
    return Connectors(
        device.zeros(1, np.int64), device.empty(0, np.int32), device.empty(0, np.uint64)
    )
