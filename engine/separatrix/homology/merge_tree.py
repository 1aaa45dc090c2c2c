"""Pairs of dimension 0, and of the highest by duality: pieces that merge by the elder rule.

Edelsbrunner, Letscher, Zomorodian, "Topological persistence and simplification", .
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device.host import HostDevice
from ..kernels import NONE


@dataclass(frozen=True)
class Merges:
    """What each of m edges merges: ``victim`` (m,) int32, the piece whose set ends there, or -1.

    ``side`` (m,) uint8: which of the edge's two ends lies in the set that ends.
    """

    victim: np.ndarray
    side: np.ndarray


def merge_pairs(
    host: HostDevice, age: np.ndarray, ends: np.ndarray, order: np.ndarray | None = None
) -> Merges:
    """Join pieces by edges; where two sets meet, the one whose eldest piece is younger ends.

    Parameters
    ----------
    age : (n,) int32, all different
        When each piece appears: lower is older.
    ends : (m, 2) int32
        The two pieces that an edge joins; -1 is OUTSIDE, a virtual piece older than all.
    order : (k,) int32, optional
        The edges in the order in which they appear; edges left out join nothing.

    O(m log n) at worst, nearly linear in practice.
    """
    ends = np.ascontiguousarray(ends, np.int32).reshape(-1)
    m = ends.size // 2
    order = np.arange(m, dtype=np.int32) if order is None else order
    victim, side = np.full(m, NONE, np.int32), np.zeros(m, np.uint8)
    host.run("merge_pieces", age, age.size, ends, order, order.size, victim, side)
    return Merges(victim, side)
