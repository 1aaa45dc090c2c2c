"""Vietoris-Rips barcodes: public entry point.

1. The edges up to the threshold and the enclosing radius form a graph and are ranked by length.
2. If worthwhile, an edge collapse removes edges without changing the bars.
3. For each dimension, simplices are enumerated in a stream; only those without an apparent pair are
   stored and reduced.
4. Ranks are converted back to distances and vertices to the caller's points, and representatives of
   the selected bars are computed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..arguments import checked_flag
from ..device import Array, Progress, Session, as_array
from ..errors import InputError
from ..options import RipsBarcodesOptions, known_keywords
from .bars import Barcodes
from .by_dimension import by_dimension, stage_names
from .by_lunes import by_lunes
from .chosen import Chosen, chosen_rows, drawn
from .distances import Distances, of_matrix, of_points, of_sparse, warn_of_matrix
from .forecast import near_edges
from .pairs import bars_of
from .reduction import check_prime, key_bits
from .sparse_approximation import checked_epsilon, sparse_edges_of_matrix, sparse_edges_of_points
from .weights import checked_power, checked_weights, distance_to_measure, weighted

MOST_DTM_NEIGHBORS = 50  # by default


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
    method: str = "auto",
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    work_limit: float = 1e13,
    progress: Progress | None = None,
) -> Barcodes:
    """Compute the persistent homology of a Vietoris-Rips filtration.

    A simplex enters the filtration at its diameter, the length of its longest edge. Bars are
    half-open intervals [birth, death) of diameters. Unless `weights` or `epsilon` is given, every
    finite endpoint is 0 or bit-for-bit equal to one of the distances.

    Exactly one of `points`, `distances`, and `sparse` is required.

    Parameters
    ----------
    points : (n, k) array_like, optional
        Points in any dimension.
    distances : (n, n) or (n (n - 1) / 2,) array_like, optional
        Symmetric distance matrix, or a condensed matrix as returned by
        ``scipy.spatial.distance.pdist``. Entries must be non-negative; infinite entries denote
        missing edges. The triangle inequality is not required unless `epsilon` is set. If both
        triangles differ only by rounding, the lower one is used.
    sparse : SciPy sparse matrix, (i, j, d), or (i, j, d, n), optional
        Distances of selected pairs of points; all other pairs have no edge. `n` is the number of
        points.
    metric : str, default "euclidean"
        Metric of `points`. Other metrics are computed by SciPy and must have one of its names.
    max_dimension : int, default 1
        Highest dimension of the bars, from 0 to 16.
    threshold : float, optional
        Ignore edges longer than this. By default all edges up to the enclosing radius are used;
        longer ones cannot change the bars.
    field : int, default 2
        Prime p of the coefficient field Z/p, at most 65521.
    weights : (n,) array_like or "dtm", optional
        Birth values of the points, on the scale of diameters, for a weighted filtration. "dtm"
        uses twice the distance to the measure defined by the `dtm_neighbors` nearest points.
        Cannot be combined with `epsilon` or ``collapse=True``.
    weight_power : {1, 2, inf}, default 1
        Exponent of the weighted filtration, which determines how balls grow after their birth.
    dtm_neighbors : int, optional
        Number of nearest points for ``weights="dtm"``, including the point itself. By default one
        fifth of the points, but at most 50.
    epsilon : float, default 0.0
        Relative error permitted in the bars. Positive values build a sparse Rips filtration, which
        has fewer edges. Requires a metric and the distances of all pairs.
    representatives : None, "longest", int, sequence of int, mask, or callable, optional
        Bars for which to compute a representative cycle: none by default; the 10 longest bars of
        positive length in each dimension ("longest"), or another number of them (int); the given
        rows of the barcode; or the rows or mask returned by ``representatives(barcodes)``.
    cocycles : bool, default False
        Also compute a cocycle for each selected bar (for the longest bars if `representatives` is
        None). Disables the edge collapse.
    collapse : {"auto", True, False}, default "auto"
        Whether to collapse edges first. The bars do not change, but their simplices may. "auto"
        decides by the estimated cost.
    keep_zero : bool, default False
        Keep bars of zero length, which nearly every simplex creates. Disables the edge collapse.
    reduced : bool, default False
        Compute reduced homology, which omits one of the bars that are born first and never die.
    relabel : bool, default True
        From dimension 2, move the most central points to the end of the vertex order, which reduces
        the number of stored columns, unless a sample of simplices indicates that the given order is
        faster. Affects the number of apparent pairs but not the bars.
    method : {"auto", "cohomology"}, default "auto"
        "auto" finds loops from lunes of edges, which takes much less time, unless another
        option or many edges of equal length require cohomology. Voids are found in this way on the
        CPU if nearly all lunes have an apex. Both methods return the same bars, simplices, and
        cycles; only cohomology counts all apparent pairs.
    device, threads, memory_limit, progress
        See :func:`separatrix.discrete_gradient`.
    work_limit : float, default 1e13
        Maximum estimated number of simplices in all dimensions, and of steps of each reduction.

    Returns
    -------
    Barcodes
        Bars, sorted by dimension, birth, and death.

    Raises
    ------
    InputError
        If the input is invalid (fewer than two points, NaN, negative or asymmetric distances), an
        option is out of range, the estimate or the work exceeds `work_limit`, or a simplex does not
        fit into 128 bits.
    DeviceUnavailable
        If the requested device cannot be used.
    DeviceMemoryError
        If the computation does not fit in memory.

    Warns
    -----
    LongRunWarning
        If the computation is estimated to take more than one minute on the CPU, and again if the
        estimate doubles.
    UserWarning
        If four or more `points` look like a distance matrix.
    RuntimeWarning
        If the triangles of `distances` differ by rounding: by at most 1e-8 + 1e-5 of an entry.

    Notes
    -----
    The algorithm follows Ripser [1] and its GPU version Ripser++ [2]. Dimension 1 uses the relative
    neighborhood graph and active edges [3, 4] with shared annotations [5].

    References
    ----------
    .. [1] U. Bauer, "Ripser: efficient computation of Vietoris-Rips persistence barcodes", 2021.
    .. [2] S. Zhang, M. Xiao, H. Wang, "GPU-accelerated computation of Vietoris-Rips persistence
       barcodes", 2020.
    .. [3] H. B. Koyama, F. Memoli, V. Robins, K. Turner, "Faster computation of degree-1 persistent
       homology using the reduced Vietoris-Rips filtration", 2023.
    .. [4] C. Kapulkin, N. Kershaw, "RedZeD", 2026.
    .. [5] J.-D. Boissonnat, T. K. Dey, C. Maria, "The compressed annotation matrix", 2013.

    Examples
    --------
    >>> import numpy as np
    >>> import separatrix as sx
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> bars = sx.rips_barcodes(np.stack([np.cos(angle), np.sin(angle)], axis=1))
    >>> bars.of_dimension(1)
    array([[0.06282152, 1.75261336]])
    """
    given = [data for data in (points, distances, sparse) if data is not None]
    if len(given) != 1:
        raise InputError(
            "Exactly one of {points}, {distances}, and {sparse} must be given; got "
            f"{len(given)}."
        )
    cocycles, keep_zero = checked_flag(cocycles, "cocycles"), checked_flag(keep_zero, "keep_zero")
    reduced, relabel = checked_flag(reduced, "reduced"), checked_flag(relabel, "relabel")
    declared: dict[str, Any] = {"max_dimension": max_dimension, "work_limit": work_limit}
    declared |= {"threshold": threshold, "field": field, "collapse": collapse, "method": method}
    options = RipsBarcodesOptions(**declared)
    max_dimension, field = options.max_dimension, options.field
    check_prime(field)
    limit = math.inf if options.threshold is None else options.threshold
    epsilon, power = checked_epsilon(epsilon), checked_power(weight_power)
    if not isinstance(metric, str):
        raise InputError("metric", "the name of a SciPy metric", metric)
    if metric != "euclidean" and points is None:
        raise InputError("metric", "omitted unless {points} are given", metric)
    if dtm_neighbors is not None and not (isinstance(weights, str) and weights == "dtm"):
        raise InputError("dtm_neighbors", "omitted unless {weights='dtm'}", dtm_neighbors)
    if weight_power != 1 and weights is None:
        raise InputError("weight_power", "1 unless {weights} are given", weight_power)
    _check_together(options.collapse, cocycles, keep_zero, weights is not None, bool(epsilon))
    points = None if points is None else as_array(points, "points", "an array of shape (n, d)")
    distances = None if distances is None else as_array(distances, "distances")
    if points is not None:
        warn_of_matrix(points)
    anchor = next((data for data in (points, distances) if data is not None), np.empty(0))
    session = Session(anchor, device, threads, memory_limit)
    is_plain = weights is None and not (cocycles or keep_zero)
    may_use_lunes = is_plain and options.method == "auto" and options.collapse is not True
    stages = (
        {"neighborhood graph": 1.0, "loops": 8.0} if may_use_lunes and max_dimension < 2 else {}
    )
    stages |= {"ranks": 0.5, "collapse": 2.0, **stage_names(max_dimension)}
    with session.call(progress, {"distances": 0.5, **stages, "bars": 0.1, "representatives": 2.0}):
        near = near_edges(session, _count(points, distances))
        with session.stage("distances"):
            given_as = (near, points, distances, sparse, metric, limit, epsilon)
            found = _edges(*given_as, may_stay=may_use_lunes and max_dimension < 2)
            key_bits(found.n, max_dimension + 2)
        result = None
        if may_use_lunes and max_dimension < 2:
            result = by_lunes(near, found, limit, options)
        if result is None:
            if found.points is not None:
                found = _edges(*given_as)
            births = None
            if weights is not None:
                euclidean = points if metric == "euclidean" else None
                births = _births(near, weights, dtm_neighbors, euclidean, found)
                found = weighted(near, found, births, power)
            result = by_dimension(
                *(session, found, births, limit, options),
                relabel=relabel,
                keep_zero=keep_zero,
                cocycles=cocycles,
                has_cycles=representatives is not None,
            )
        with session.stage("bars"):
            bars, places = bars_of(result, field, keep_zero, reduced, limit)
        if representatives is not None or cocycles:
            with session.stage("representatives"):
                longest = "longest" if representatives is None else representatives
                picked = chosen_rows(bars, longest)
                about = (session, result, places, bars, picked)
                bars = replace(
                    bars,
                    representatives=[] if representatives is None else drawn(*about, "cycle"),
                    cocycles=drawn(*about, "cocycle") if cocycles else [],
                )
    return replace(bars, timings=session.timings)


def _count(points: Any, distances: Any) -> float:
    """Return the number of points; of a condensed matrix, a bound; of sparse distances, inf."""
    given = points if distances is None else distances
    if given is None:
        return math.inf
    return given.shape[0] if given.ndim > 1 else math.isqrt(2 * given.size) + 1


def _edges(
    session: Session,
    points: Any,
    distances: Any,
    sparse: Any,
    metric: str,
    threshold: float,
    epsilon: float,
    *,
    may_stay: bool = False,
) -> Distances:
    if points is not None and metric == "euclidean" and epsilon:
        return sparse_edges_of_points(session, points, epsilon, threshold)
    until = math.inf if epsilon else threshold
    if points is not None:
        found = of_points(session, points, metric, until, may_stay=may_stay and not epsilon)
    elif distances is not None:
        found = of_matrix(session, distances, until)
    else:
        found = of_sparse(session, sparse)
    return sparse_edges_of_matrix(session, found, epsilon, threshold) if epsilon else found


def _births(session: Session, weights: Any, k: int | None, points: Any, found: Distances) -> Array:
    if not isinstance(weights, str):
        return checked_weights(session, weights, found.n)
    if weights != "dtm":
        raise InputError("weights", "'dtm' or an array with one number per point", weights)
    k = min(-(-found.n // 5), MOST_DTM_NEIGHBORS) if k is None else k
    return distance_to_measure(session, k, points, found)


def _check_together(
    collapse: str | bool, cocycles: bool, keep_zero: bool, is_weighted: bool, is_sparse: bool
) -> None:
    if is_weighted and (is_sparse or collapse is True):
        raise InputError(
            "{weights} cannot be combined with {epsilon} or an edge collapse. Remove these options."
        )
    if cocycles and collapse is True:
        raise InputError(
            "{cocycles} cannot be combined with an edge collapse, because cocycles of the "
            "collapsed graph are not cocycles of the given one. Set {collapse=False}."
        )
    if keep_zero and collapse is True:
        raise InputError(
            "{keep_zero} cannot be combined with an edge collapse, because the collapsed graph has "
            "other bars of zero length. Set {collapse=False}."
        )
