"""The alpha complex of balls: public entry point and result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device.arrays import to_host
from ..device.base import Array
from ..device.session import Progress, Session
from ..errors import InputError
from ..kernels.source import constant
from ..lazy import cached_property
from ..options import known_keywords
from ..repr_mixin import ReprMixin
from .balls import Balls, checked_centers, checked_radii, snap_balls
from .neighbors import TooMuchWork
from .request import WORK_LIMIT, Request, checked_alpha
from .stars import STAGES, Search, find_simplices
from .tables import SimplexTable, tables_over, thresholded
from .triangulation import triangulated
from .union_measures import UnionMeasures

CALL_STAGES = {"snapping": 1.0, **STAGES}
"""Stages of a call with their estimated shares of the time."""


@known_keywords
def alpha_complex(
    centers: Any,
    radii: Any,
    alpha: Any = 0.0,
    *,
    probe: float = 0.0,
    resolution: float = 1e-3,
    device: str | None = None,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
    work_limit: float = WORK_LIMIT,
    edge_optimization: bool = True,
    alpha_optimization: bool = True,
    fallback: str | None = None,
) -> AlphaComplex:
    """Compute the weighted alpha complex of balls.

    Ball i of radius r_i grows to sqrt(r_i^2 + alpha). At alpha 0, the complex has the homotopy type
    of the union of the given balls. All signs are exact on a fixed-point grid, to which the input
    is rounded once. Ties are broken by position, so the complex depends on the order of the balls
    only if their centers are equal.

    Parameters
    ----------
    centers : (n, 3) array_like
        Centers in any unit of length, such as angstrom.
    radii : (n,) array_like or float
        Positive radii in the same unit.
    alpha : float or sequence of float, default 0.0
        Squared length, which may be negative. Of several values the largest is used;
        :meth:`AlphaComplex.at` returns the others.
    probe : float, default 0.0
        Length that is added to all radii first, such as 1.4 for water.
    resolution : float, default 0.001
        Step of the fixed-point grid, a length. Coordinates and radii are rounded to its multiples,
        and alpha to a multiple of its square. The default preserves the coordinates of PDB files.
        Grown radii may have at most 20,000 steps.
    device, threads, memory_limit, progress
        See :func:`separatrix.morse_smale`. Results are in the memory of the input unless a device
        is given.
    work_limit : float, default 1e11
        Maximum sum of the squared numbers of neighbors.
    edge_optimization, alpha_optimization : bool, default True
        Remove dead edges and simplices larger than alpha before triangles are processed. The result
        is the same without, but takes longer.
    fallback : {"gudhi"}, optional
        Beyond `work_limit`, extract the complex from the complete regular triangulation, which
        GUDHI computes on the CPU. The simplices and values are the same, bit for bit.

    Returns
    -------
    AlphaComplex

    Raises
    ------
    InputError
        If centers or radii are invalid, a radius has too many steps of the grid, or the number of
        neighbors exceeds `work_limit`.
    DeviceUnavailable
        If the requested device or fallback cannot be used.
    DeviceMemoryError
        If the computation does not fit in memory.

    Notes
    -----
    Takes O(sum of m_i^2) time if ball i meets m_i others [1].

    References
    ----------
    .. [1] H. Edelsbrunner, "The union of balls and its dual shape", Discrete and Computational
       Geometry 13, 1995.

    Examples
    --------
    >>> import separatrix as sx
    >>> triangle = sx.alpha_complex([[0, 0, 0], [2, 0, 0], [0, 2, 0]], 1.2)
    >>> triangle.counts, triangle.euler_characteristic
    ((3, 2, 0, 0), 1)
    """
    checked = checked_centers(centers)
    radius = checked_radii(radii, len(checked))
    request = Request(
        alpha, probe, resolution, work_limit, edge_optimization, alpha_optimization, fallback
    )
    session = Session(checked, device, threads, memory_limit)
    with session.call(progress, CALL_STAGES):
        with session.stage("snapping"):
            balls = snap_balls(session, checked, radius, *request.lengths)
        search = searched(session, balls, request)
    return AlphaComplex(session, balls, request.probe, search.tables, search)


def searched(session: Session, balls: Balls, request: Request) -> Search:
    """Find the simplices locally or, beyond the work limit, by the fallback, if any."""
    try:
        return find_simplices(session, balls, request)
    except TooMuchWork as error:
        if request.fallback is None:
            raise
        tables = triangulated(session, balls)
        return Search(tables, None, error.workload, None, None, balls.summary)


class AlphaComplex(ReprMixin, UnionMeasures):
    """Alpha complex, returned by :func:`alpha_complex` and :meth:`at`.

    Arrays are in the memory of the input, or on the device that was given.
    """

    # === simplices
    @property
    def vertices(self) -> SimplexTable:
        """Vertices, each of which is the index of a ball."""
        return self._in_place[0]

    @property
    def edges(self) -> SimplexTable:
        """Edges."""
        return self._in_place[1]

    @property
    def triangles(self) -> SimplexTable:
        """Triangles."""
        return self._in_place[2]

    @property
    def tets(self) -> SimplexTable:
        """Tetrahedra."""
        return self._in_place[3]

    def facets(self, dimension: int) -> Array:
        """Return the facets of all simplices of a dimension, from 1 to 3.

        Returns
        -------
        (m, dimension + 1) int32 array
            Rows in the table of the next lower dimension; facet k is opposite to vertex k.
        """
        dimension = checked_whole(dimension, "dimension", 1, 3)
        with self._session.call(None, {}):
            return self._session.result(self._tables.facets[dimension])

    @cached_property
    def hidden(self) -> Array:
        """Balls (m,) int64, ascending, that are covered by others and thus are not vertices.

        Balls with r^2 + alpha < 0 are excluded. A ball whose power cell is empty is hidden at any
        alpha; other balls may reappear at a larger alpha.
        """
        with self._session.call(None, {}):
            grown = self._balls.items[:, 3] >= self._balls.alpha - self._whole_alpha
            grown[self._tables.simplices[0].simplices[:, 0]] = False
            return self._session.result(self._session.device.xp.flatnonzero(grown))

    def at(self, alpha: float) -> AlphaComplex:
        """Return the complex at a smaller alpha, a squared length. Raises InputError."""
        alpha = checked_alpha(alpha, is_one=True)
        whole = self._balls.scale.snapped(alpha)
        if whole > self._whole_alpha:
            raise InputError(
                *("alpha", f"at most {self.alpha:g}, the alpha of this complex", alpha),
                "Compute the complex for the largest alpha of interest.",
            )
        with self._session.call(None, {}):
            tables = thresholded(self._tables, self._balls.scale.squared_length(whole))
        return AlphaComplex(
            *(self._session, self._balls, self.probe, tables, self._search),
            _alpha=whole,
            _largest=self._largest,
        )

    # === computation
    @property
    def device(self) -> str:
        """Device that computed the complex: "cpu" or "cuda:N"."""
        return self._session.device.name

    @property
    def timings(self) -> dict[str, float]:
        """Seconds per stage."""
        return self._session.timings

    @cached_property
    def statistics(self) -> dict[str, int]:
        """Counts of the computation, by name, at the largest alpha.

        Pairs of grown balls that meet, the maximum per ball, and the edges that remain; candidate
        triangles, those not larger than alpha, and those that floating point could not decide;
        signs that required integers. Only the first of these are available if `fallback` was used.
        """
        search = self._search
        counted = {
            "balls": self._balls.n_left,
            "pairs": search.workload.n_pairs,
            "most_neighbors": search.workload.most_neighbors,
            "tests_estimated": search.workload.n_tests,
        }
        if search.edge_offsets is None or search.candidate_states is None:
            return counted
        with self._session.call(None, {}):
            summary = to_host(search.summary)
            states = search.candidate_states & constant("IS_SMALL_ENOUGH")
            return counted | {
                "alive_pairs": int(search.edge_offsets[-1]) // 2,
                "candidate_triangles": len(search.candidate_states),
                "small_candidate_triangles": int((states != 0).sum()),
                "exact_edge_signs": _sum(summary, "N_EXACT_EDGE_SIGNS"),
                "undecided_triangles": int(summary[constant("N_UNDECIDED")]),
                "exact_clip_signs": _sum(summary, "N_EXACT_SIGNS"),
            }

    def _summary(self) -> str:
        return (
            f"{self.n_balls:,} balls at alpha {self.alpha:g} on {self.device}: counts {self.counts}"
        )

    @cached_property
    def _in_place(self) -> tuple[SimplexTable, ...]:
        """The tables in the memory of the results; those at the largest alpha by one copy."""
        if self._given_in_place is not None:
            return self._given_in_place().simplices
        session, tables = self._session, self._tables
        if not session.result.on_host:
            return tables.simplices
        with session.call(None, {}):
            if tables is self._search.tables and self._search.block is not None:
                return tables_over(session.result(self._search.block), tables.counts)
            return tuple(table.mapped(session.result) for table in tables.simplices)


def _sum(summary: np.ndarray, name: str) -> int:
    """Return the sum of the partial sums of a counter; see alpha/snapping.h."""
    return int(summary[constant(name) :][: constant("N_PARTIAL_SUMS")].sum())
