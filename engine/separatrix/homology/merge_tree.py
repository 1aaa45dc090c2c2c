"""Pairs of dimension 0 and, by duality, of the highest dimension: merging by the elder rule.

Edelsbrunner, Letscher, Zomorodian, "Topological persistence and simplification", 2002.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.host import HostDevice
from ..kernels import NONE


@dataclass(frozen=True)
class Merges:
    """Merges at each of m edges.

    ``victim`` (m,) int32 is the oldest piece of the set that ends at the edge, or -1; ``side`` (m,)
    uint8 is the end of the edge, 0 or 1, in that set.
    """

    victim: np.ndarray
    side: np.ndarray


def merge_pairs(
    host: HostDevice, age: np.ndarray, ends: np.ndarray, order: np.ndarray | None = None
) -> Merges:
    """Merge sets of pieces along edges; of two sets, the one with the younger oldest piece ends.

    Parameters
    ----------
    age : (n,) int32
        Distinct birth orders of the pieces; lower is older.
    ends : (m, 2) int32
        Pieces that each edge connects; -1 is OUTSIDE, a virtual piece older than all others.
    order : (k,) int32, optional
        Edges in the order of the filtration; omitted edges are ignored.

    Notes
    -----
    O(m log n) in the worst case, nearly linear in practice.
    """
    ends = np.ascontiguousarray(ends, np.int32).reshape(-1)
    m = ends.size // 2
    order = np.arange(m, dtype=np.int32) if order is None else order
    victim, side = np.full(m, NONE, np.int32), np.zeros(m, np.uint8)
    host.run("merge_pieces", age, age.size, ends, order, order.size, victim, side)
    return Merges(victim, side)
