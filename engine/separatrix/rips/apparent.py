"""Counts of apparent pairs without a reduction, with the bounds of Zhang, Xiao, and Wang."""

from __future__ import annotations

import math
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from ..device import Session, as_array
from ..errors import InputError
from ..options import RipsBarcodesOptions, known_keywords
from .distances import Distances, of_matrix, of_points
from .ranks import RankedGraph, filtration_of, sorted_by_rank
from .reduction import key_bits
from .survivors import RankRows, survivors


@dataclass(frozen=True)
class ApparentPairs:
    """Counts of the simplices of one dimension d, in the order of the points.

    Attributes
    ----------
    dimension, n_points : int
    simplices : int
        Simplices whose diameter is at most the threshold.
    pairs : int
        Those that begin an apparent pair, whose death has dimension d + 1. They have zero length.
    survivors : int
        Those in no apparent pair: columns to reduce, unless they are cleared.
    """

    dimension: int
    n_points: int
    simplices: int
    pairs: int
    survivors: int

    @property
    def beyond(self) -> int:
        """Number of simplices removed by their diameter."""
        return comb(self.n_points, self.dimension + 1) - self.simplices

    @property
    def fraction(self) -> float:
        """Fraction of all simplices that begin an apparent pair."""
        return self.pairs / max(comb(self.n_points, self.dimension + 1), 1)

    @property
    def bound(self) -> float:
        """Upper bound (n - d - 1) / n of the fraction, reached if all distances are equal."""
        return max(self.n_points - self.dimension - 1, 0) / self.n_points

    @property
    def lower_bound(self) -> float:
        """Lower bound 1/3 of the fraction in dimension 1 for distinct distances, or NaN.

        It requires three points. In higher dimensions simplices share their longest edges, so the
        bound holds in dimension 1 alone.
        """
        return 1 / 3 if self.dimension == 1 and self.n_points > 2 else math.nan

    @property
    def expected(self) -> float:
        """Approximate fraction in dimension 1 for distinct distances in random order, or NaN."""
        return 1 - math.sqrt(math.pi / 4 / self.n_points) if self.dimension == 1 else math.nan


@known_keywords
def apparent_pairs(
    points: Any = None,
    *,
    distances: Any = None,
    max_dimension: int = 1,
    threshold: float | None = None,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
) -> list[ApparentPairs]:
    """Count the apparent pairs of a Vietoris-Rips filtration without reducing a matrix.

    Parameters
    ----------
    points : (n, k) array_like, optional
    distances : (n, n) or (n (n - 1) / 2,) array_like, optional
        As in :func:`rips_barcodes`; one of both is required.
    max_dimension : int, default 1
    threshold : float, optional
        Greatest diameter, by default inf. The enclosing radius of a barcode gives the simplices
        that it uses.
    device, threads, memory_limit
        See :func:`separatrix.discrete_gradient`.

    Returns
    -------
    list of ApparentPairs
        One for each dimension from 1. O(simplices) time, and memory for those that survive.

    Raises
    ------
    InputError
        If the input is invalid, or a simplex does not fit into 128 bits.

    References
    ----------
    S. Zhang, M. Xiao, H. Wang, "GPU-accelerated computation of Vietoris-Rips persistence barcodes",
    2020, section 3 and table 1.

    Examples
    --------
    >>> import numpy as np
    >>> import separatrix as sx
    >>> (edges,) = sx.apparent_pairs(distances=1 - np.eye(10))
    >>> edges.simplices, edges.pairs, edges.fraction == edges.bound
    (45, 36, True)
    """
    if (points is None) == (distances is None):
        raise InputError("Exactly one of {points} and {distances} must be given.")
    options = RipsBarcodesOptions(max_dimension=max_dimension, threshold=threshold)
    threshold = math.inf if options.threshold is None else options.threshold
    anchor = as_array(points if distances is None else distances, "points")
    session = Session(anchor, device, threads, memory_limit)
    with session.call(None, {"simplices": 1.0}), session.stage("simplices"):
        if distances is None:
            found = of_points(session, points, "euclidean", threshold)
        else:
            found = of_matrix(session, distances, threshold)
        key_bits(found.n, options.max_dimension + 2)
        filtration = filtration_of(session, _graph(session, found, threshold), None)
        rows, counts = RankRows.of(session, filtration), []
        for d in range(1, options.max_dimension + 1):
            of_dimension = survivors(session, filtration, d, rows)
            counted = (of_dimension.n_simplices, of_dimension.n_births, len(of_dimension.simplices))
            counts.append(ApparentPairs(d, found.n, *counted))
    return counts


def _graph(session: Session, found: Distances, threshold: float) -> RankedGraph:
    """Return all edges up to the threshold, also beyond the enclosing radius."""
    ends, values = found.ends, found.values
    if found.matrix is not None:
        xp = session.device.xp
        above = xp.arange(found.n)[:, None] < xp.arange(found.n)
        i, j = xp.nonzero(above & (found.matrix <= threshold) & (found.matrix < math.inf))
        ends, values = xp.stack([i, j], axis=1).astype(np.int32), found.matrix[i, j]
    return RankedGraph(found.n, *sorted_by_rank(session, ends, values), math.inf, threshold)
