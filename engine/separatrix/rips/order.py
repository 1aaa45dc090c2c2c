"""The order of the vertices: bars do not hang on it, the time that they take does.

With the most central vertex last most simplices of a cloud meet their apparent cofacet at the first
trial, and few survive. Points that are all alike, as on a sphere, gain nothing: there the order
as given may be met sooner, and which it is is tried on a sample of simplices. The order breaks the
ties between simplices, so the graph alone decides on it, never the device.
"""

from __future__ import annotations

import numpy as np

from ..device import Session, to_host
from ..device.arrays import array_module
from .filtration import ABSENT, Filtration
from .forecast import Forecast
from .ranks import RankedGraph, filtration_of, most_central_last

SAMPLES = 256  # simplices that are tried
DRAWN = 4096  # sets of vertices at most, to find so many that are simplices
WORSE = 2  # as many trials: what fewer survivors make good
WORTH_A_TRIAL = 1e6  # simplices: fewer are done before it is known


def ordered(
    session: Session,
    graph: RankedGraph,
    vertex_rank: np.ndarray | None,
    relabel: bool,
    expected: Forecast,
) -> tuple[Filtration, np.ndarray | None]:
    """The filtration of a graph by a good order of its vertices, and that order; None: as given."""
    if not relabel:
        return filtration_of(session, graph, None, vertex_rank), None
    order = most_central_last(graph)
    filtration = filtration_of(session, graph, order, vertex_rank)
    d = expected.max_dimension
    if d < 2 or expected.simplices < WORTH_A_TRIAL:
        return filtration, order
    central, given = trials(filtration, order, d)
    if central <= WORSE * given:
        return filtration, order
    del filtration  # its matrix goes before the next one comes
    return filtration_of(session, graph, None, vertex_rank), None


def trials(filtration: Filtration, order: np.ndarray, d: int) -> tuple[int, int]:
    """Cofacets that a sample of simplices of dimension d tries until one is as old as itself.

    In the filtration's order of vertices, v being the caller's order[v], and in the caller's; (0,
    0) where there is no matrix of ranks, or too few sets of vertices are simplices.
    """
    if filtration.rank is None:
        return 0, 0
    rank, n, xp = filtration.rank, filtration.n, array_module(filtration.rank)
    sets = np.random.default_rng(0).integers(0, n, (DRAWN, d + 1))
    at = xp.asarray(sets)
    diameter = np.zeros(DRAWN, np.uint32)
    is_set = np.ones(DRAWN, bool)
    for i in range(d + 1):
        for j in range(i):
            is_set &= sets[:, i] != sets[:, j]
            np.maximum(diameter, to_host(rank[at[:, i], at[:, j]]), out=diameter)
    chosen = np.flatnonzero(is_set & (diameter != ABSENT))[:SAMPLES]
    if 8 * chosen.size < SAMPLES:
        return 0, 0
    sets, diameter = sets[chosen], diameter[chosen]
    at = xp.asarray(sets)
    reach = rank[at[:, 0]]
    for i in range(1, d + 1):
        xp.maximum(reach, rank[at[:, i]], out=reach)
    reach = to_host(reach)
    np.put_along_axis(reach, sets, ABSENT, axis=1)
    is_met = reach <= diameter[:, None]
    place = np.argsort(order)
    return _tries(is_met), _tries(is_met[:, place])


def _tries(is_met: np.ndarray) -> int:
    """Columns of a mask looked at from the last on, until the first that is set, over all rows."""
    first = is_met[:, ::-1].argmax(axis=1) + 1
    return int(np.where(is_met.any(axis=1), first, is_met.shape[1]).sum())
