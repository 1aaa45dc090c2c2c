"""Order of the vertices, which affects the computation time but not the bars.

With the most central vertex last, most simplices of a point cloud find their apparent cofacet at
the first trial, and few survive. Points that are equally central, as on a sphere, do not benefit,
and the given order may be faster: a sample of simplices decides. The order breaks ties between
simplices, so it depends only on the graph, not on the device.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..device import Session, in_memory_of, to_host
from ..primitives import at
from .filtration import ABSENT, Filtration
from .forecast import Forecast
from .ranks import RankedGraph, filtration_of, most_central_last

SAMPLES = 256  # simplices to try
DRAWN = 4096  # random sets of vertices from which they are taken
WORSE = 2  # increase in the number of trials that the smaller number of survivors outweighs
MIN_TRIAL_SIMPLICES = 1e6  # simplices; fewer take less time than the trials


def ordered(
    session: Session,
    graph: RankedGraph,
    vertex_rank: np.ndarray | None,
    relabel: bool,
    expected: Forecast,
) -> tuple[Filtration, np.ndarray | None]:
    """Return the filtration with a fast vertex order, and that order (None: as given)."""
    d = expected.max_dimension
    if not relabel or d < 2:
        return filtration_of(session, graph, None, vertex_rank), None
    order = to_host(most_central_last(session, graph.n, graph.ends, graph.rank, graph.levels.size))
    filtration = filtration_of(session, graph, order, vertex_rank)
    if expected.simplices < MIN_TRIAL_SIMPLICES:
        return filtration, order
    central, given = trials(filtration, order, d)
    if central <= WORSE * given:
        return filtration, order
    if isinstance(filtration.rank, np.ndarray) and vertex_rank is None:
        place = np.argsort(order)
        return replace(filtration, rank=filtration.rank[np.ix_(place, place)]), None
    del filtration  # release its matrix before the next one is allocated
    return filtration_of(session, graph, None, vertex_rank), None


def trials(filtration: Filtration, order: np.ndarray, d: int) -> tuple[int, int]:
    """Count the cofacets that a sample of d-simplices tries until one has their own diameter.

    Returns the counts for the order of the filtration, where vertex v is the caller's order[v], and
    for the caller's order; (0, 0) if there is no rank matrix or too few sets are simplices.
    """
    if filtration.rank is None:
        return 0, 0
    rank, n = filtration.rank, filtration.n
    sets = np.random.default_rng(0).integers(0, n, (DRAWN, d + 1))
    diameter = np.zeros(DRAWN, np.uint32)
    is_set = np.ones(DRAWN, bool)
    for i in range(d + 1):
        for j in range(i):
            is_set &= sets[:, i] != sets[:, j]
            entries = in_memory_of(sets[:, i] * n + sets[:, j], rank)
            np.maximum(diameter, to_host(at(rank.reshape(-1), entries)), out=diameter)
    chosen = np.flatnonzero(is_set & (diameter != ABSENT))[:SAMPLES]
    if 8 * chosen.size < SAMPLES:
        return 0, 0
    sets, diameter = sets[chosen], diameter[chosen]
    reach = np.zeros((len(sets), n), np.uint32)
    for corner in sets.T:
        np.maximum(reach, to_host(at(rank, in_memory_of(corner, rank))), out=reach)
    np.put_along_axis(reach, sets, ABSENT, axis=1)
    is_met = reach <= diameter[:, None]
    place = np.argsort(order)
    return _tries(is_met), _tries(is_met[:, place])


def _tries(is_met: np.ndarray) -> int:
    """Return the number of columns, from the last to the first True, summed over all rows."""
    first = is_met[:, ::-1].argmax(axis=1) + 1
    return int(np.where(is_met.any(axis=1), first, is_met.shape[1]).sum())
