"""Bars of dimensions 0 and 1 over Z/2 by lunes, without ranks and without columns.

The relative neighborhood graph has all edges that merge components or create loops. One edge after
another, the lune of each tells which triangles may destroy a loop, until all loops are destroyed;
longer edges are never looked at. See the kernels rips/lunes.h, rips/annotations.h, and
rips/loops.h. The pairs are those of the cohomology of :mod:`separatrix.rips.by_dimension`, and
either method is a test of the other.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from ..device import Session, to_host
from ..errors import InputError, LongRunWarning, duration, warn_caller
from .distances import Distances
from .filtration import ABSENT, Filtration, Simplices, ranks_of
from .forecast import LONG, Forecast
from .pairs import Paired, Pairs, merged
from .ranks import components, filtration_of, on_host, ranked
from .reduction import Reduction, drop_chains, taken_chains

COUNTS = ("ended", "visited_edges", "lunes", "divided_lunes", "values", "most_alive", "words")
ENDED, WORDS = 0, 6  # places in COUNTS
LONG_COLUMNS = 2000  # vertices from which columns of dimension 1 are often long
HARD = 4  # loops per point, from which a matrix is far from that of any points
SECONDS_PER_CUBE = (
    1.5e-12  # of the number of loops, for hard matrices: 1e-12 to 2e-12 for 300 to 1,000 points
)
LATEST = 0.05  # of all deaths, by whose time the rest is estimated
TRIANGLES_TO_SPARE = 10_000  # of equal edges, in addition to n^2 / 4, before cohomology is faster


def by_lunes(
    session: Session, found: Distances, threshold: float, max_dimension: int, work_limit: float
) -> Paired | None:
    """Return the pairs of a full matrix, or None if the other method is expected to be faster.

    Runs on the CPU: O(n^2) for the matrix, and then for each edge that is near a loop a few rows of
    n bits. Uses n^2 / 4 bytes of bits and at most 4 n^2 bytes of numbers.
    """
    if found.matrix is None:
        return None
    radius = float(found.matrix.max(axis=1).min())
    if radius == math.inf:
        return None
    limit, n = min(threshold, radius), found.n
    lengths = np.ascontiguousarray(to_host(found.matrix))
    host_session = session.on(session.host)
    with session.stage("neighborhood graph"):
        links, n_edges = links_of(host_session, lengths, limit)
    expected = Forecast(n, max_dimension, n_edges, float(n_edges), 4 * n * n + n * n // 4)
    expected.require(host_session, work_limit)
    pairs = np.empty((0, 5), np.int32)
    counts: dict[str, int] = {}
    if max_dimension > 0:
        with session.stage("loops"):
            loops = loops_of(host_session, lengths, limit, links, work_limit=work_limit)
        if loops is None:
            return None
        pairs, counts = loops
    filtration = Filtration(n, None, _levels(lengths, links, pairs), lengths=lengths)
    ranks = ranks_of(filtration, links[:, 0], links[:, 1])
    components = merged(session, filtration, Simplices(links[::-1].copy(), ranks[::-1].copy()))
    found_pairs = [components]
    counted: list[dict[str, Any]] = [{"simplices": n, "cleared": 0, "columns": n}]
    if max_dimension > 0:
        found_pairs.append(_pairs(filtration, pairs))
        n_cleared = int((components.death_rank != ABSENT).sum())
        sizes = {"simplices": n_edges, "cleared": n_cleared, "columns": n_edges - n_cleared}
        counted.append({**sizes, "links": len(links), **counts})
    about = {
        "n_points": n,
        "threshold": limit,
        "enclosing_radius": radius,
        "statistics": {
            "max_dimension": max_dimension,
            "edges": n_edges,
            "collapsed": 0,
            "forecast": {"simplices": expected.simplices, "bytes": expected.bytes},
            "dimensions": counted,
        },
    }

    def filtration_until(length: float) -> Filtration:
        graph = ranked(host_session, Distances(n, lengths), length)
        return on_host(filtration_of(host_session, graph, None))

    return Paired(filtration, found_pairs, None, about, filtration_until)


def links_of(session: Session, matrix: np.ndarray, limit: float) -> tuple[np.ndarray, int]:
    """Return the relative neighborhood graph (m, 2) int32 in order, and the number of all edges.

    Edges contain descending vertices. `matrix` (n, n) contains lengths or ranks, and edges beyond
    `limit` are missing.
    """
    n_edges = np.zeros(1, np.int64)
    kept = session.host.run(
        f"rips_links_of_{_form(matrix)}",
        *(matrix, len(matrix), limit, session.host.threads, n_edges),
        undo=lambda kept: drop_chains(session, kept),
    )
    return taken_chains(session, kept, 1, 2).vertices, int(n_edges[0])


def loops_of(
    session: Session,
    matrix: np.ndarray,
    limit: float,
    links: np.ndarray,
    *,
    all_equal: bool = False,
    work_limit: float = math.inf,
) -> tuple[np.ndarray, dict[str, int]] | None:
    """Return the pairs (k, 5) int32 of dimension 1, and counts.

    A pair consists of the birth edge and the death triangle, with descending vertices; -1 for
    missing deaths. It includes pairs of zero length if several edges of equal length share a
    vertex: those before the last death or, with `all_equal`, all of them. Returns None if such
    edges have too many triangles.

    Raises InputError beyond `work_limit`, and warns if the computation takes more than one minute.
    """
    n = len(matrix)
    n_loops = len(links) - n + len(np.unique(components(n, links)))
    counts = np.zeros(len(COUNTS), np.int64)
    outlook = Outlook(n, n_loops)

    def look() -> None:
        session.progressed(float(counts[ENDED]) / max(n_loops, 1))
        outlook.look(int(counts[ENDED]))

    kept = session.host.run(
        f"rips_loops_of_{_form(matrix)}",
        *(matrix, n, limit, np.ascontiguousarray(links), len(links), all_equal),
        *(n * n // 4 + TRIANGLES_TO_SPARE, int(min(work_limit, 2**62))),
        *(session.host.threads, counts),
        on_wait=look,
        undo=lambda kept: drop_chains(session, kept),
    )
    if counts[WORDS] > work_limit:
        raise InputError(
            f"The number of steps is {counts[WORDS]:.2g} after {counts[ENDED]:,} of {n_loops:,} "
            f"loops; {{work_limit}} allows {work_limit:.2g}. Lower {{threshold}}, use fewer "
            "points, or raise {work_limit}."
        )
    if kept == 0:
        return None
    statistics = {"loops": n_loops, **dict(zip(COUNTS[1:], map(int, counts[1:]), strict=True))}
    return taken_chains(session, kept, 1, 5).vertices, statistics


class Outlook:
    """Estimates how long the loops will take; warns, and warns again if the estimate doubles.

    Matrices with many loops per point take long, which is known before the start. The time of the
    latest deaths tells more than the part of the loops that are destroyed: the last ones take
    longest.
    """

    def __init__(self, n: int, n_loops: int) -> None:
        self.n, self.n_loops = n, n_loops
        self.warned = LONG / 2
        self.seen = [(time.perf_counter(), 0)]
        if n_loops > HARD * n:
            self._tell(SECONDS_PER_CUBE * n_loops**3)

    def look(self, n_ended: int) -> None:
        """Estimate again after this number of deaths."""
        now = time.perf_counter()
        self.seen.append((now, n_ended))
        while len(self.seen) > 2 and n_ended - self.seen[1][1] >= LATEST * self.n_loops:
            self.seen.pop(0)
        begin, before = self.seen[0]
        if n_ended > before:
            self._tell((self.n_loops - n_ended) * (now - begin) / (n_ended - before))

    def _tell(self, seconds: float) -> None:
        if seconds < 2 * self.warned:
            return
        self.warned = seconds
        warn_caller(
            f"This computation may take about {duration(seconds)}, because {self.n:,} points have "
            f"{self.n_loops:,} loops. To shorten it, lower {{threshold}} or use fewer points.",
            LongRunWarning,
        )


def reduction_by_lunes(
    session: Session, filtration: Filtration, columns: Simplices
) -> Reduction | None:
    """Return the reduction of the columns of dimension 1 over Z/2, as of `reduce_survivors`.

    Returns None without a rank matrix, with births, if too many edges are equal, or if the columns
    are probably short.
    """
    n, n_columns = filtration.n, len(columns)
    if filtration.rank is None or filtration.vertex_rank is not None:
        return None
    if n < LONG_COLUMNS and n_columns < HARD * n:
        return None
    matrix = np.ascontiguousarray(filtration.rank)
    limit = filtration.n_ranks - 1
    links, n_edges = links_of(session, matrix, limit)
    found = loops_of(session, matrix, limit, links, all_equal=limit < n_edges)
    if found is None:
        return None
    pairs, statistics = found
    keys = pairs[:, 0].astype(np.int64) * n + pairs[:, 1]
    order = np.argsort(keys)
    wanted = columns.vertices[:, 0].astype(np.int64) * n + columns.vertices[:, 1]
    death = pairs[order[np.searchsorted(keys, wanted, sorter=order)], 2:]
    return Reduction(death, _diameters(filtration, death), None, statistics)


def _pairs(filtration: Filtration, pairs: np.ndarray) -> Pairs:
    birth, death = pairs[:, :2].copy(), pairs[:, 2:].copy()
    birth_rank = ranks_of(filtration, birth[:, 0], birth[:, 1])
    reduction = Reduction(death, _diameters(filtration, death))
    columns = Simplices(birth, birth_rank)
    return Pairs(1, birth, birth_rank, death, reduction.death_rank, columns, reduction)


def _diameters(filtration: Filtration, triangles: np.ndarray) -> np.ndarray:
    """Return the ranks (m,) uint32 of triangles (m, 3), ABSENT for -1."""
    rank = np.full(len(triangles), ABSENT, np.uint32)
    is_there = triangles[:, 0] >= 0
    a, b, c = triangles[is_there].T
    sides = [ranks_of(filtration, *ends) for ends in ((a, b), (a, c), (b, c))]
    rank[is_there] = np.max(sides, axis=0)
    return rank


def _levels(lengths: np.ndarray, links: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return 0 and the lengths of all links and sides of death triangles, ascending."""
    triangles = pairs[pairs[:, 2] >= 0, 2:]
    edges = np.concatenate([links, triangles[:, :2], triangles[:, ::2], triangles[:, 1:]])
    return np.unique(np.append(0.0, lengths[edges[:, 0], edges[:, 1]] + 0.0))


def _form(matrix: np.ndarray) -> str:
    return "lengths" if matrix.dtype == np.float64 else "ranks"
