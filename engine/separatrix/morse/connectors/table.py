"""Connections of 2-saddles and 1-saddles of a volume, with the number of V-paths between them.

1. The squares on V-paths between saddles are contracted to a minor of junctions; see
   :mod:`.minor`.
2. From each 2-saddle the paths to every 1-saddle are counted on the minor. Two methods:
   "frontier" (:mod:`.paths`) walks what one 2-saddle reaches, junction by junction once
   all that lead to it have come; "matrix" (:mod:`.matrix`) multiplies sparse matrices as
   Subhash, Pandey, Natarajan 2020, section 3.3, do.

Expected time O(n + marked squares + summed reach in the minor). The result depends on neither
method, device nor threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...device.base import Array
from ...errors import InputError
from ...primitives import row_of_items
from ..model import MorseGradient
from .matrix import multiply_paths
from .paths import count_paths

METHODS = ("frontier", "matrix")


@dataclass(frozen=True)
class Connectors:
    """Which 1-saddles V-paths from each 2-saddle lead to, on the device; m pairs.

    Row k, of the k-th 2-saddle, is ``offsets[k]`` to ``offsets[k + 1]``, ``offsets`` (c2 + 1,)
    int64; ``lower`` (m,) int32, k of the k-th 1-saddle, ascending in each row; ``multiplicity``
    (m,) uint64, number of V-paths, which from 2^62 on is exact in its lowest bit only.
    """

    offsets: Array
    lower: Array
    multiplicity: Array

    def upper(self) -> Array:
        """The 2-saddle of each pair, counted from 0: (m,) int64, on the device."""
        return row_of_items(self.offsets)


def trace_connectors(gradient: MorseGradient, method: str = "frontier") -> Connectors:
    """All connections of a volume's saddles. Of anything else there are none: offsets (1,)."""
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    if gradient.dimension < 3:
        return no_connectors(gradient)
    minor = gradient.path_minor()
    if method == "matrix":
        return Connectors(*multiply_paths(gradient.session, minor))
    return Connectors(*count_paths(gradient.session, minor))


def no_connectors(gradient: MorseGradient) -> Connectors:
    """A table without rows, for graphs of which only extremum pairs are asked."""
    device = gradient.session.device
    return Connectors(
        device.zeros(1, np.int64), device.empty(0, np.int32), device.empty(0, np.uint64)
    )
