"""Kernels that find loops by lunes, and the estimate of their time.

Edges are processed in ascending order until all loops are destroyed; the lune of each determines
which triangles may destroy a loop. Longer edges are not inspected. See rips/matrix_lunes.h,
rips/graph_lunes.h, rips/point_lunes.h, rips/annotations.h, rips/sparse_annotations.h, and
rips/loops.h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..device import Session
from ..homology import merge_pairs
from ..kernels import NONE
from .forecast import Outlook
from .reduction import drop_chains, most_steps, taken_chains, too_many_steps

COUNTS = ("ended", "visited_edges", "lunes", "divided_lunes", "values", "most_alive", "words")
ENDED, WORDS = 0, 6  # places in COUNTS
HARD = 4  # loops per point; more occur only in matrices unlike those of points
SECONDS_PER_CUBE = 3.5e-12  # of the number of loops: 2.5e-12 to 4e-12 for hard matrices
MANY_POINTS = 5000  # from which the time is estimated while loops end
TRIANGLES_TO_SPARE = 10_000  # of equal edges; with more than these, cohomology is faster
MANY_LOOPS = 20_000  # from which a value takes less memory as a list of classes than as bits


@dataclass(frozen=True)
class Weighted:
    """A weighted graph on n vertices, in host memory, as the kernels read it."""

    n: int
    form: str  # "lengths" or "ranks" of a matrix and a limit, "edges", or "points" and a limit
    parts: tuple[Any, ...]  # first arguments of the kernels

    @classmethod
    def by_matrix(cls, matrix: np.ndarray, limit: float) -> Weighted:
        """Return the graph of a matrix (n, n) of float64 lengths or uint32 ranks."""
        form = "lengths" if matrix.dtype == np.float64 else "ranks"
        return cls(len(matrix), form, (matrix, len(matrix), limit))

    @classmethod
    def by_edges(cls, n: int, ends: np.ndarray, values: np.ndarray) -> Weighted:
        """Return the graph of edges (m, 2) int32 with lengths (m,) float64."""
        return cls(n, "edges", (ends, values, len(values), n))

    @classmethod
    def by_points(cls, points: np.ndarray, limit: float) -> Weighted:
        """Return the graph of points (n, d) float64 with all edges up to a length."""
        return cls(len(points), "points", (points, *points.shape, limit))


@dataclass(frozen=True)
class Links:
    """The relative neighborhood graph, whose edges alone merge components or create loops."""

    ends: np.ndarray  # (m, 2) int32, in order of length, with descending vertices
    n_edges: int  # of the whole graph; of points, only these are counted
    victims: np.ndarray  # (m,) int32, vertex of the component that each merges into an older one
    enclosing_radius: float = math.inf  # of points
    lengths: np.ndarray | None = None  # (m,) float64, if they are known

    @classmethod
    def of(cls, session: Session, n: int, ends: np.ndarray, n_edges: int, **known: Any) -> Links:
        """Return the graph of these edges."""
        age, order = np.arange(n - 1, -1, -1, dtype=np.int32), np.arange(len(ends), dtype=np.int32)
        return cls(ends, n_edges, merge_pairs(session.host, age, ends, order).victim, **known)

    @property
    def begin_loops(self) -> np.ndarray:
        """Whether each edge (m,) begins a loop, since it merges no components."""
        return self.victims == NONE

    @property
    def n_loops(self) -> int:
        """Number of loops."""
        return int(np.count_nonzero(self.begin_loops))


def links_of(session: Session, graph: Weighted) -> Links:
    """Return the relative neighborhood graph; of points up to their enclosing radius."""
    n_edges, radius = np.zeros(1, np.int64), np.full(1, math.inf)
    kept = session.host.run(
        f"rips_links_of_{graph.form}",
        *(*graph.parts, session.host.threads, n_edges),
        *((radius,) if graph.form == "points" else ()),
        undo=lambda kept: drop_chains(session, kept),
    )
    links = taken_chains(session, kept, 1, 2).vertices
    number = len(links) if graph.form == "points" else int(n_edges[0])
    return Links.of(session, graph.n, links, number, enclosing_radius=float(radius[0]))


class LoopRun:
    """One search for loops: its arguments, its counts, and the estimate of its time."""

    def __init__(
        self, session: Session, n: int, links: Links, prime: int, work_limit: float, warned: float
    ) -> None:
        self.session, self.n_loops, self.work_limit = session, links.n_loops, work_limit
        self.counts = np.zeros(len(COUNTS), np.int64)
        self.links = np.ascontiguousarray(links.ends)
        self.begin_loops = links.begin_loops.view(np.uint8)
        is_hard = self.n_loops > HARD * n
        self.is_sparse = prime != 2 or (self.n_loops > MANY_LOOPS and not is_hard)
        self.limits = (links.n_edges // 8 + TRIANGLES_TO_SPARE, most_steps(work_limit))
        reason = f"{n:,} points have {self.n_loops:,} loops"
        about = SECONDS_PER_CUBE * self.n_loops**3 if is_hard else 0.0
        outlook = Outlook(session, self.n_loops, reason, about, warned)
        self.watching: dict[str, Any] = {
            "on_wait": lambda: outlook.look(int(self.counts[ENDED])),
            "watched": is_hard or n >= MANY_POINTS,
        }

    def result(self, kept: int) -> tuple[np.ndarray, dict[str, int]] | None:
        """Return the pairs that a task has kept, and counts; None if it gave up."""
        n_steps = int(self.counts[WORDS])
        if n_steps > self.work_limit:
            drop_chains(self.session, kept)
            done = f"{self.counts[ENDED]:,} of {self.n_loops:,} loops"
            raise too_many_steps(n_steps, done, self.work_limit)
        if kept == 0:
            return None
        return taken_chains(self.session, kept, 1, 5).vertices, self.counted

    @property
    def counted(self) -> dict[str, int]:
        """The counts of the search, for the statistics."""
        counted = dict(zip(COUNTS[1:], map(int, self.counts[1:]), strict=True))
        return {"loops": self.n_loops, **counted}


def loops_of(
    session: Session,
    graph: Weighted,
    links: Links,
    *,
    prime: int = 2,
    all_equal: bool = False,
    work_limit: float = math.inf,
    warned: float = 0.0,
) -> tuple[np.ndarray, dict[str, int]] | None:
    """Return the pairs (k, 5) int32 of dimension 1 over Z/prime, and counts.

    A pair is a birth edge and a death triangle, with descending vertices; -1 for missing deaths.
    Pairs of zero length are included if edges of equal length share a vertex: those before the last
    death or, with `all_equal`, all of them. Returns None if such edges have too many triangles.
    Raises InputError beyond `work_limit`, and warns if the computation takes more than one minute,
    and twice as long as the caller has `warned` of.
    """
    run = LoopRun(session, graph.n, links, prime, work_limit, warned)
    kept = session.host.run(
        f"rips_loops_of_{graph.form}",
        *(*graph.parts, session.host.threads),
        *(run.links, run.begin_loops, len(run.links), prime, run.is_sparse, all_equal),
        *(*run.limits, run.counts),
        undo=lambda kept: drop_chains(session, kept),
        **run.watching,
    )
    return run.result(kept)
