"""The Morse-Smale complex as a graph: critical cells and arcs, knowing no geometry.

Persistence and simplification read nothing else. The order of the filtration by sublevel sets is
(value, owner, index, cell id): cells of one owner enter together, faces first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..device import to_host
from ..device.base import Array
from ..errors import InputError
from ..primitives import sort_by_key
from ..repr_mixin import ReprMixin
from .connectors.paths import MULTIPLICITY_LIMIT
from .connectors.table import Connectors
from .critical import Counts
from .model import MorseGradient


@dataclass(frozen=True, eq=False, repr=False)
class Arcs(ReprMixin):
    """Arcs of a Morse-Smale complex, sorted by (upper, lower); m of them.

    ``upper`` and ``lower`` (m,) int64, rows of the critical cells, of index k + 1 and k;
    ``multiplicity`` (m,) uint64, number of V-paths: from 2^62 on only its lowest bit is exact.
    Both descending V-paths of a 1-saddle into one minimum are one arc of multiplicity 2, likewise
    ascending ones; V-paths that leave the box are no arcs.
    """

    upper: Array
    lower: Array
    multiplicity: Array

    def __len__(self) -> int:
        return int(self.upper.size)

    def _summary(self) -> str:
        return f"{len(self):,} pairs of critical cells"

    @property
    def is_saturated(self) -> Array:
        """(m,) bool: the number is too large to be told, only its parity is."""
        return self.multiplicity >= np.uint64(MULTIPLICITY_LIMIT)


@dataclass(frozen=True)
class ComplexGraph:
    """The graph in host memory, NumPy arrays; cells of one index are counted from 0.

    ``rank`` (k,) int32, place of each critical cell in the filtration; ``value`` (k,) in the
    caller's dtype; ``descending_ends`` (c1, 2) int32, the minima that each 1-saddle leads to;
    ``ascending_ends`` (s, 2) int32, the maxima that each saddle of the highest index leads to, -1
    out of the box, (0, 2) below two dimensions; ``connector_offsets`` (c2 + 1,) int64, (1,) below
    three, with ``connector_lower`` (m,) int32, the 1-saddles, ascending for each 2-saddle, and
    ``connector_multiplicity`` (m,) uint64.
    """

    dimension: int
    counts: Counts
    rank: np.ndarray
    value: np.ndarray
    descending_ends: np.ndarray
    ascending_ends: np.ndarray
    connector_offsets: np.ndarray
    connector_lower: np.ndarray
    connector_multiplicity: np.ndarray


def graph_of(
    gradient: MorseGradient, connectors: Connectors, *, with_maxima: bool = True
) -> ComplexGraph:
    """The graph of a gradient's complex, brought to the host. O(k log k) on the device.

    Without maxima all ends of ascending V-paths are left -1.
    """
    index = max(gradient.dimension - 1, 0)
    ascending = np.full((gradient.counts[index], 2), -1, np.int32)
    if with_maxima:
        ascending = to_host(gradient.extremum_ends("ascending"))
    return ComplexGraph(
        dimension=gradient.dimension,
        counts=gradient.counts,
        rank=to_host(filtration_rank(gradient)),
        value=to_host(gradient.owner_values),
        descending_ends=to_host(gradient.extremum_ends("descending")),
        ascending_ends=ascending,
        connector_offsets=to_host(connectors.offsets),
        connector_lower=to_host(connectors.lower),
        connector_multiplicity=to_host(connectors.multiplicity),
    )


def filtration_rank(gradient: MorseGradient) -> Array:
    """Place (k,) int32 of each critical cell by (value, owner, index, cell id), on the device.

    Rows are sorted by (index, cell id), so two stable sorts do. Raises InputError from 2^31 rows.
    """
    xp, k = gradient.session.device.xp, gradient.critical_ids.size
    if k >= 2**31:
        raise InputError(f"there are {k:,} critical cells, ranks end at 2^31 - 1; crop the data")
    rows = xp.arange(k, dtype=np.int32)
    _, levels, rows = sort_by_key(gradient.owner_vertices, gradient.owner_levels, rows)
    _, rows = sort_by_key(levels, rows)
    rank = gradient.session.device.empty(k, np.int32)
    rank[rows] = xp.arange(k, dtype=np.int32)
    return rank
