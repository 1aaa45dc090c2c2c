"""Vietoris-Rips barcodes: the public call.

1. Distances become a graph, its edges up to the threshold and the enclosing radius get ranks.
2. An edge collapse, where it pays, leaves fewer edges with the same bars.
3. Dimension by dimension the simplices stream by and only survivors are stored and reduced.
4. Ranks become values, vertices the caller's points; representatives of chosen bars are drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arguments import as_real, checked_flag, known_keywords
from ..device import Session
from ..device.arrays import as_array
from ..device.base import Array
from ..device.session import Progress
from ..errors import InputError
from ..spatial.points import checked_radius
from .apparent import with_apparent_pairs
from .assembly import bars_of
from .bar_table import MOST_DIMENSION
from .bars import Barcodes
from .by_dimension import pairs_by_dimension, stage_names
from .chosen import Chosen, chosen_rows, drawn
from .distances import Distances, of_matrix, of_points, of_sparse
from .edge_collapse import collapse_edges
from .forecast import ON_HOST_UP_TO, Forecast, forecast
from .order import ordered
from .rank_rows import RankRows
from .ranks import compressed, on_host, ranked
from .reduction import check_prime, key_bits
from .sparse_approximation import (
    checked_epsilon,
    sparse_edges_of_matrix,
    sparse_edges_of_points,
)
from .weights import (
    checked_power,
    checked_weights,
    distance_to_measure,
    weighted,
    with_births,
)

MOST_NEIGHBORS = 50  # that weigh a point by default
WORTHWHILE = 0.7  # of the edges left at most: else they came later for nothing


@known_keywords
def rips_barcodes(
    points: Any = None,
    *,
    distances: Any = None,
    sparse: Any = None,
    metric: str = "euclidean",
    max_dimension: int = 1,
    threshold: float | None = None,
    field: int = 2,
    weights: Any = None,
    weight_power: float = 1,
    dtm_neighbors: int | None = None,
    epsilon: float = 0.0,
    representatives: Chosen = None,
    cocycles: bool = False,
    collapse: str | bool = "auto",
    keep_zero: bool = False,
    reduced: bool = False,
    relabel: bool = True,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    work_limit: float = 1e13,
    progress: Progress | None = None,
) -> Barcodes:
    """Persistent homology of the Vietoris-Rips filtration of points or of distances.

    A simplex appears at its diameter, the longest of its edges; bars are half-open intervals
    [birth, death) of diameters. Each end is 0 or bit for bit one of the distances.

    Parameters
    ----------
    points : (n, k) real, optional
        Points in any number of coordinates.
    distances : (n, n) or (n (n - 1) / 2,) real, optional
        Instead of points: a symmetric matrix, or a condensed one as SciPy's ``pdist`` gives it.
        Any numbers from 0 on: only their order counts. inf: no edge.
    sparse : SciPy sparse matrix, or (i, j, d), or (i, j, d, n), optional
        Instead of points: the distances of some pairs; the others are no edges.
    metric : str
        Of points; others than "euclidean" are SciPy's.
    max_dimension : int
        Of the bars, from 0 on.
    threshold : float, optional
        Longer edges are left out; by default none is. Beyond the enclosing radius nothing
        changes, so that they are left out in any case.
    field : int
        Prime p of the coefficients Z/p, up to 65521.
    weights : (n,) real or "dtm", optional
        Births of the points on the scale of diameters: a weighted filtration, without collapse.
        "dtm": twice the distance to the measure of the `dtm_neighbors` nearest points.
    weight_power : 1, 2 or inf
        Exponent of the weighted filtration: how a ball of a point grows after its birth.
    dtm_neighbors : int, optional
        How many points, itself included, weigh a point; by default a fifth of them, at most 50.
    epsilon : float
        Relative error that bars of a metric may have, for fewer edges: sparse Rips filtration.
    representatives : None, "longest", int, rows or function
        Bars that get a cycle: by default none; the longest ten or so many of each dimension, none
        of zero length; rows of the bars; or what a function of the barcodes chooses, as rows or a
        mask.
    cocycles : bool
        Give the chosen bars, by default the longest, a cocycle too. Not after an edge collapse.
    collapse : "auto", True or False
        Edge collapse beforehand. Bars are the same with and without, their simplices are not.
        "auto": where it pays, by the graph alone, on every device the same.
    keep_zero : bool
        Keep the bars of zero length too: one for nearly each simplex that there is. Not after an
        edge collapse.
    reduced : bool
        Reduced homology: without one of the bars that are born first and never die.
    relabel : bool
        Number the points anew, the most central last, which leaves fewer columns to be stored;
        not where a sample of simplices says that it would take longer. Bars do not depend on it,
        the count of apparent pairs does.
    device, threads, memory_limit, progress
        As in :func:`separatrix.morse_smale`.
    work_limit : float
        Simplices that may have to be looked at, at most, of all dimensions. What will take a CPU
        more than about a minute comes with a :class:`separatrix.LongRunWarning`.

    Returns
    -------
    Barcodes

    Raises
    ------
    InputError
        Fewer than two points, NaN, negative or asymmetric distances, a field that is not prime,
        more simplices than `work_limit`, or ones too large for 128 bits.
    DeviceMemoryError
        More than fits.

    Examples
    --------
    >>> turn = numpy.linspace(0, 2 * numpy.pi, 100, endpoint=False)
    >>> bars = sx.rips_barcodes(numpy.stack([numpy.cos(turn), numpy.sin(turn)], axis=1))
    >>> bars.of_dimension(1)
    array([[0.06282152, 1.75261336]])

    Notes
    -----
    Bauer, "Ripser", 2021; Zhang, Xiao, Wang, "GPU-accelerated computation of Vietoris-Rips
    persistence barcodes", 2020.
    """
    given = [data for data in (points, distances, sparse) if data is not None]
    if len(given) != 1:
        raise InputError(f"give one of points, distances and sparse, got {len(given)} of them")
    cocycles, keep_zero = checked_flag(cocycles, "cocycles"), checked_flag(keep_zero, "keep_zero")
    reduced, relabel = checked_flag(reduced, "reduced"), checked_flag(relabel, "relabel")
    options = Options.checked(max_dimension, threshold, field, collapse, cocycles, keep_zero)
    work_limit = checked_limit(work_limit)
    epsilon, power = checked_epsilon(epsilon), checked_power(weight_power)
    if not isinstance(metric, str):
        raise InputError(f"metric must be a name of SciPy's metrics, not {metric!r}")
    if weights is not None and (epsilon or options.collapse is True):
        raise InputError("weights go with neither epsilon nor an edge collapse; leave those out")
    points = None if points is None else as_array(points, "points")
    distances = None if distances is None else as_array(distances, "distances")
    anchor = next((data for data in (points, distances) if data is not None), np.empty(0))
    session = Session(anchor, device, threads, memory_limit)
    stages = {"distances": 0.5, "ranks": 0.5, "collapse": 2.0, **stage_names(max_dimension)}
    with session.call(progress, {**stages, "bars": 0.1, "representatives": 2.0}):
        with session.stage("distances"):
            found = _edges(session, points, distances, sparse, metric, options.threshold, epsilon)
            key_bits(found.n, max_dimension + 2)
            births = None
            if weights is not None:
                euclidean = points if metric == "euclidean" else None
                births = _births(session, weights, dtm_neighbors, euclidean, found)
                found = weighted(session, found, births, power)
        with session.stage("ranks"):
            graph = ranked(session, found, options.threshold)
        vertex_rank = None
        if births is not None:
            graph, vertex_rank = with_births(graph, births)
        n_edges = len(graph.ends)
        expected = forecast(graph, max_dimension)
        if births is None and options.collapses(expected):
            with session.stage("collapse"):
                ends, rank = collapse_edges(
                    *(session, graph.n, graph.ends, graph.rank), may_give_up=collapse == "auto"
                )
            if collapse != "auto" or len(ends) < WORTHWHILE * n_edges:
                graph = compressed(graph, ends, rank)
                expected = forecast(graph, max_dimension)
        expected.require(session, work_limit)
        if expected.simplices <= ON_HOST_UP_TO:
            session, graph = session.on(session.host), graph.on_host()
        filtration, order = ordered(session, graph, vertex_rank, relabel, expected)
        rows = RankRows.of(session, filtration)
        filtration = on_host(filtration)
        pairs, counted = pairs_by_dimension(
            session, filtration, rows, max_dimension, options.field, cocycles
        )
        with session.stage("bars"):
            if keep_zero:
                pairs = with_apparent_pairs(session, filtration, rows, pairs)
            bars, places = bars_of(
                *(filtration, pairs, order, keep_zero, reduced, options.threshold),
                n_points=graph.n,
                prime=options.field,
                threshold=graph.threshold,
                enclosing_radius=graph.enclosing_radius,
                statistics={
                    "max_dimension": max_dimension,
                    "edges": n_edges,
                    "collapsed": n_edges - len(graph.ends),
                    "forecast": {"simplices": expected.simplices, "bytes": expected.bytes},
                    "dimensions": counted,
                },
                timings={},
            )
        if representatives is not None or cocycles:
            with session.stage("representatives"):
                picked = chosen_rows(
                    bars, "longest" if representatives is None else representatives
                )
                about = (session, filtration, pairs, places, bars, picked, order)
                bars = replace(
                    bars,
                    representatives=[] if representatives is None else drawn(*about, "cycle"),
                    cocycles=drawn(*about, "cocycle") if cocycles else [],
                )
    return replace(bars, timings=session.timings)


def _edges(
    session: Session,
    points: Any,
    distances: Any,
    sparse: Any,
    metric: str,
    threshold: float,
    epsilon: float,
) -> Distances:
    if points is not None and metric == "euclidean" and epsilon:
        return sparse_edges_of_points(session, points, epsilon, threshold)
    if points is not None:
        found = of_points(session, points, metric, math.inf if epsilon else threshold)
    else:
        found = of_sparse(session, sparse) if distances is None else of_matrix(session, distances)
    return sparse_edges_of_matrix(session, found, epsilon, threshold) if epsilon else found


def _births(session: Session, weights: Any, k: int | None, points: Any, found: Distances) -> Array:
    if not isinstance(weights, str):
        return checked_weights(session, weights, found.n)
    if weights != "dtm":
        raise InputError(f"weights must be real numbers, one a point, or 'dtm', got {weights!r}")
    k = min(-(-found.n // 5), MOST_NEIGHBORS) if k is None else k
    return distance_to_measure(session, k, points, found)


def checked_limit(work_limit: Any) -> float:
    """A number of simplices, which may be infinite. InputError."""
    limit = as_real(work_limit)
    if not limit > 0:
        raise InputError(f"work_limit must be a positive number of simplices, got {work_limit!r}")
    return limit


@dataclass(frozen=True)
class Options:
    """What was asked for, checked."""

    max_dimension: int
    threshold: float
    field: int
    collapse: str | bool

    @classmethod
    def checked(
        cls,
        max_dimension: Any,
        threshold: Any,
        field: Any,
        collapse: Any,
        cocycles: bool,
        keep_zero: bool,
    ) -> Options:
        """InputError for what is no dimension, no threshold, no prime or no way to collapse."""
        if isinstance(max_dimension, bool) or not isinstance(max_dimension, (int, np.integer)):
            raise InputError(f"max_dimension must be a whole number, got {max_dimension!r}")
        if not 0 <= max_dimension <= MOST_DIMENSION:
            raise InputError(f"max_dimension must be 0 to {MOST_DIMENSION}, got {max_dimension}")
        limit = math.inf if threshold is None else checked_radius(threshold, "threshold")
        if isinstance(field, bool) or not isinstance(field, (int, np.integer)):
            raise InputError(f"field must be a prime number, got {field!r}")
        check_prime(int(field))
        if not isinstance(collapse, bool) and (not isinstance(collapse, str) or collapse != "auto"):
            raise InputError(f"collapse must be 'auto', True or False, got {collapse!r}")
        if cocycles and collapse is True:
            raise InputError(
                "cocycles of a collapsed graph are none of the given one; leave collapse out"
            )
        if keep_zero and collapse is True:
            raise InputError(
                "a collapsed graph has other bars of zero length; leave collapse or keep_zero out"
            )
        may = not (cocycles or keep_zero)
        return cls(int(max_dimension), limit, int(field), collapse if may else False)

    def collapses(self, expected: Forecast) -> bool:
        """Whether to collapse edges first: as asked for, or by what the simplices would cost."""
        return self.collapse if isinstance(self.collapse, bool) else expected.collapse_pays
