"""Cancellation of a complex's pairs, smallest persistence first: what is canceled when.

The order is that of (persistence, dimension, place in the filtration). Connectors change only when
saddle pairs go; kernels/morse/cancellation.h does that and keeps every version of every connector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device.host import HostDevice
from ..errors import KernelError
from ..kernels import NONE
from .critical import rows_of_index
from .graph import ComplexGraph
from .model import MorseGradient
from .pairing import NO_BIRTH, CriticalPairs, exact_difference, in_order

NEVER = np.uint32(2**32 - 1)
# New connectors of one cancellation; with more, a pair is too dense. Real volumes and white noise
# stay below; where noise has few values, four times as many take longer and skip fewer.
MAX_FILL = 4096
NO_PATHS: tuple[Any, ...] = (
    *((1, 1, 1, 0, 0, 0), 0, np.empty(0, np.uint32)),
    *(np.empty(0, np.int64), np.empty(0, np.int64)),
)  # of a grid: what the task reads where no gradient is given
MIN_VERSIONS, VERSIONS_AN_ARC = 1 << 20, 16  # of connectors that may be kept

Connectors = tuple[np.ndarray, np.ndarray, np.ndarray]
"""k-th 2-saddles and k-th 1-saddles (m,) int32, sorted, and multiplicities (m,) uint64."""


@dataclass(frozen=True)
class CancellationLog:
    """What happens to a list of n pairs, and all connectors that there ever are, m of them.

    ``event`` (n,) uint32 that cancels each pair, or NEVER; ``turn`` (n,) uint32: events before its
    own turn. A connector is there while ``born`` <= event < ``gone``, (m,) uint32,
    for the last event of each level.
    """

    event: np.ndarray
    turn: np.ndarray
    connectors: Connectors
    born: np.ndarray
    gone: np.ndarray


def pairs_in_order(pairs: CriticalPairs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Births, deaths (rows) and persistence of all finite pairs, in the order of cancellation.

    Ties go by dimension, then inner pairs first: deaths ascending, but for the highest dimension,
    which is paired from above, births descending.
    """
    graph, d = pairs.graph, pairs.graph.dimension
    birth_of = np.full(graph.rank.size, NO_BIRTH, np.int64)
    births = np.flatnonzero(pairs.death >= 0)
    birth_of[pairs.death[births]] = births
    parts = []
    for dimension in range(d):
        if 0 < dimension == d - 1:
            rows = in_order(graph, pairs.row_at, dimension)[::-1]
            parts.append(rows[pairs.death[rows] >= 0].astype(np.int64))
        else:
            ends = birth_of[in_order(graph, pairs.row_at, dimension + 1)]
            parts.append(ends[ends >= 0])
    births = np.concatenate([*parts, np.empty(0, np.int64)])
    deaths = pairs.death[births]
    persistence = exact_difference(graph.value[births], graph.value[deaths])
    order = np.argsort(persistence, kind="stable")
    return births[order], deaths[order], persistence[order]


def saddles_of(
    graph: ComplexGraph, births: np.ndarray, deaths: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The k-th 2-saddle and 1-saddle that each pair takes away, -1 for none; of volumes."""
    upper, lower = np.full(births.size, NONE, np.int32), np.full(births.size, NONE, np.int32)
    if graph.dimension == 3:
        for saddles, index in ((lower, 1), (upper, 2)):
            rows = rows_of_index(graph.counts, index)
            for cells in (births, deaths):
                there = (cells >= rows.start) & (cells < rows.stop)
                saddles[there] = cells[there] - rows.start
    return upper, lower


def cancel(
    host: HostDevice,
    graph: ComplexGraph,
    upper: np.ndarray,
    lower: np.ndarray,
    persistence: np.ndarray,
    max_fill: int,
    gradient: MorseGradient | None = None,
) -> CancellationLog:
    """Cancel a list of n pairs, each the saddles that it takes away; see the kernel's header.

    With the graph's gradient, pairs are traced on it where sums leave open whether one V-path
    joins them.
    """
    n = upper.size
    if graph.dimension < 3:
        turn = np.arange(n, dtype=np.uint32)
        none = np.empty(0, np.int32)
        return CancellationLog(
            turn + np.uint32(1), turn, (none, none, np.empty(0, np.uint64)), turn[:0], turn[:0]
        )
    event, turn = np.empty(n, np.uint32), np.empty(n, np.uint32)
    _, c1, c2, _ = graph.counts
    # Memory is taken where it is written to.
    most = max(MIN_VERSIONS, VERSIONS_AN_ARC * graph.connector_lower.size)
    above, below = np.empty(most, np.int32), np.empty(most, np.int32)
    multiplicity = np.empty(most, np.uint64)
    born, gone = np.empty(most, np.uint32), np.empty(most, np.uint32)
    task, paths = ("cancel_pairs", NO_PATHS) if gradient is None else gradient.saddle_paths()
    m = host.run(
        task,
        *(c2, c1, graph.connector_offsets, graph.connector_lower, graph.connector_multiplicity),
        *(n, upper, lower, persistence, max_fill, most, *paths, event, turn),
        *(np.empty(c2, np.uint32), np.empty(c1, np.uint32)),
        *(above, below, multiplicity, born, gone),
    )
    if m < 0:
        raise KernelError("a pair of saddles to be canceled is joined by no V-path")
    connectors = (above[:m].copy(), below[:m].copy(), multiplicity[:m].copy())
    return CancellationLog(event, turn, connectors, born[:m].copy(), gone[:m].copy())
