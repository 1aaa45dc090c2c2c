"""The alpha complex of balls: what a user holds, and how it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import as_real, checked_flag, checked_whole, known_keywords
from ..device.arrays import to_host
from ..device.base import Array
from ..device.session import Progress, Session
from ..errors import InputError
from ..kernels.source import constant
from ..lazy import cached_property
from ..repr_mixin import ReprMixin
from .balls import (
    Balls,
    checked_alpha,
    checked_centers,
    checked_length,
    checked_radii,
    checked_resolution,
    snap_balls,
)
from .stars import STAGES, Options, Search, TooMuchWork, find_simplices
from .tables import SimplexTable, tables_over, thresholded
from .triangulation import triangulated
from .union_measures import UnionMeasures

WORK_LIMIT = 1e11
CALL_STAGES = {"snapping": 1.0, **STAGES}
"""Stages of a call, with shares of the time."""


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
    """Weighted alpha complex of balls: vertices, edges, triangles and tetrahedra.

    Ball i of radius r_i grows to sqrt(r_i^2 + alpha); at alpha 0 the complex has the homotopy type
    of the union of the balls as they are. Every sign is exact on a fixed-point grid to which the
    input is snapped once; ties are broken by position, so that the complex does not depend on the
    order of the balls, but for balls of equal centers.

    Parameters
    ----------
    centers : (n, 3) real
        Centers, in any unit of length; angstrom for molecules.
    radii : (n,) real, or one number
        Radii in the same unit, positive.
    alpha : float, or several
        A squared length, which may be negative; of several the largest is computed, and
        :meth:`AlphaComplex.at` gives the others.
    probe : float
        A length, added to every radius first: 1.4 for water.
    resolution : float
        Step of the fixed-point grid, a length. Coordinates and radii are rounded to its multiples,
        alpha to one of its square. The default keeps coordinates of PDB files as they are; no grown
        radius may have more than 20,000 steps.
    device, threads, memory_limit, progress
        As everywhere; results go where the input was, unless a device is named.
    work_limit : float
        Refuse if the squares of the numbers of neighbors sum to more.
    edge_optimization, alpha_optimization : bool
        Drop dead edges, drop what is larger than alpha, before triangles are looked at. Off, the
        call takes longer; the result is the same.
    fallback : "gudhi", optional
        Beyond `work_limit` have GUDHI make the complete regular triangulation, on the CPU, and
        take the complex from it: the same simplices and values, bit for bit.

    Returns
    -------
    AlphaComplex

    Raises
    ------
    InputError
        Centers or radii that are not finite, radii that are not positive, more steps of the grid
        than exact signs allow, more neighbors than `work_limit`.
    DeviceUnavailable, DeviceMemoryError
        The device asked for can't be used, or has too little memory.

    Notes
    -----
    O(sum of m_i^2) for balls that meet m_i others. H. Edelsbrunner, "The union of balls and its
    dual shape", Discrete and Computational Geometry 13, 1995.

    Examples
    --------
    >>> import separatrix as sx
    >>> triangle = sx.alpha_complex([[0, 0, 0], [2, 0, 0], [0, 2, 0]], 1.2)
    >>> triangle.counts, triangle.euler_characteristic
    ((3, 2, 0, 0), 1)
    """
    fallback = checked_fallback(fallback)
    checked = checked_centers(centers)
    radius = checked_radii(radii, len(checked))
    request = checked_request(
        alpha, probe, resolution, work_limit, edge_optimization, alpha_optimization
    )
    session = Session(checked, device, threads, memory_limit)
    with session.call(progress, CALL_STAGES):
        with session.stage("snapping"):
            balls = snap_balls(session, checked, radius, *request.lengths)
        search = searched(session, balls, request.options, fallback)
    return AlphaComplex(session, balls, request.probe, search.tables, search)


def checked_fallback(fallback: Any) -> str | None:
    """What takes over beyond the work limit."""
    if fallback is not None and (not isinstance(fallback, str) or fallback != "gudhi"):
        raise InputError(f"fallback must be 'gudhi' or None, not {fallback!r}")
    return fallback


def searched(session: Session, balls: Balls, options: Options, fallback: str | None) -> Search:
    """The simplices, found locally, or beyond the work limit by the fallback, if there is one."""
    try:
        return find_simplices(session, balls, options)
    except TooMuchWork as refusal:
        if fallback is None:
            raise
        tables = triangulated(session, balls)
        return Search(tables, None, refusal.workload, None, None, balls.summary)


@dataclass(frozen=True)
class Request:
    """The numbers of a call, checked."""

    alpha: float
    probe: float
    resolution: float
    options: Options

    @property
    def lengths(self) -> tuple[float, float, float]:
        """Alpha (squared), probe and resolution."""
        return self.alpha, self.probe, self.resolution


def checked_request(
    alpha: Any,
    probe: float,
    resolution: float,
    work_limit: float,
    edge_optimization: bool,
    alpha_optimization: bool,
) -> Request:
    """The call's numbers, or what is wrong with them."""
    limit = as_real(work_limit)
    if not limit > 0:
        raise InputError(f"work_limit must be a positive number of tests, not {work_limit!r}")
    return Request(
        checked_alpha(alpha),
        checked_length(probe, "probe", is_positive=False),
        checked_resolution(resolution),
        Options(
            limit,
            checked_flag(edge_optimization, "edge_optimization"),
            checked_flag(alpha_optimization, "alpha_optimization"),
        ),
    )


class AlphaComplex(ReprMixin, UnionMeasures):
    """An alpha complex; made by :func:`alpha_complex`, and by :meth:`at` from another.

    ``alpha`` is a squared length and ``probe`` a length, both as snapped to the grid of
    ``resolution``. Arrays lie in the caller's place.
    """

    # === simplices
    @property
    def vertices(self) -> SimplexTable:
        """The vertices, one index of a ball each."""
        return self._in_place[0]

    @property
    def edges(self) -> SimplexTable:
        """The edges."""
        return self._in_place[1]

    @property
    def triangles(self) -> SimplexTable:
        """The triangles."""
        return self._in_place[2]

    @property
    def tets(self) -> SimplexTable:
        """The tetrahedra."""
        return self._in_place[3]

    def facets(self, dimension: int) -> Array:
        """Rows of the facets of each simplex in the table of one dimension less.

        int32 (m, dimension + 1); facet k is opposite to vertex k.
        """
        dimension = checked_whole(dimension, "dimension", 1, 3)
        with self._session.call(None, {}):
            return self._session.result(self._tables.facets[dimension])

    @cached_property
    def hidden(self) -> Array:
        """Balls (m,) int64, ascending, that are covered by others: no vertices at this alpha.

        Balls with r^2 + alpha < 0 are not counted. A ball whose power cell is empty is hidden at
        every alpha; another may come back at a larger one.
        """
        with self._session.call(None, {}):
            grown = self._balls.items[:, 3] >= self._balls.alpha - self._whole_alpha
            grown[self._tables.simplices[0].simplices[:, 0]] = False
            return self._session.result(self._session.device.xp.flatnonzero(grown))

    def at(self, alpha: float) -> AlphaComplex:
        """The complex at a smaller alpha, a squared length: this one's simplices up to it."""
        alpha = checked_alpha(alpha)
        whole = self._balls.scale.snapped(alpha)
        if whole > self._whole_alpha:
            raise InputError(
                f"at(alpha) needs an alpha up to {self.alpha:g}, for which this complex was "
                f"computed, not {alpha:g}; compute it for the largest alpha of interest"
            )
        with self._session.call(None, {}):
            tables = thresholded(self._tables, self._balls.scale.squared_length(whole))
        return AlphaComplex(
            *(self._session, self._balls, self.probe, tables, self._search),
            _alpha=whole,
            _largest=self._largest,
        )

    # === how it was found
    @property
    def device(self) -> str:
        """Where it was computed: "cpu" or "cuda:N"."""
        return self._session.device.name

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage."""
        return self._session.timings

    @cached_property
    def statistics(self) -> dict[str, int]:
        """Numbers that tell the work done, by stage, at the alpha that was computed.

        Pairs of grown balls that meet, the most of one ball, edges left of them; candidate
        triangles, those not larger than alpha, those that doubles left undecided; signs that
        integers had to decide. Only the former where `fallback` took over.
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
        """The tables in the caller's place; the computed one's come in one copy."""
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
    """Of the partial sums of a counter; see alpha/snapping.h."""
    return int(summary[constant(name) :][: constant("N_PARTIAL_SUMS")].sum())
