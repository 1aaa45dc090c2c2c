"""1-separatrices with a limited number of points, of which only the lines within it are traced.

Saddles have lines in the order of their persistence. A connector belongs to its less persistent
saddle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import separatrix as sx
from separatrix_vtk.filters.scalar_field.separatrix_outputs import lines_between

FEWEST_POINTS = 3  # of a connector: two saddles, and a square between them


def lines_omitted(n: int, limit: int | None) -> str:
    """The warning about saddles without lines."""
    return (
        f"The lines of the {n:,} least persistent saddles were omitted, because 1-separatrices "
        f"have more than {limit:,} points. Raise {{persistence}} or {{most_line_points}}, or use "
        "the output Graph, which has no limit."
    )


class LineBudget:
    """Traces lines of the saddles `drawn` (k,) bool, in which those beyond the limit are cleared.

    Measure lines to extrema first, then trace or skip connectors, then trace lines to extrema.
    `persistence` returns that of each critical cell (k,). A limit of None draws all lines.
    """

    def __init__(
        self,
        complex: Any,
        critical: Any,
        drawn: np.ndarray,
        limit: int | None,
        persistence: Callable[[], np.ndarray],
    ) -> None:
        self.complex, self.critical, self.drawn = complex, critical, drawn
        self.limit, self.persistence = limit, persistence
        self.n_points = np.zeros(len(drawn), np.int64)  # of measured lines, by saddle

    def rows_of(self, kind: str) -> slice:
        """The rows of the saddles at which lines to extrema of a kind begin."""
        rows: slice = self.critical.rows(
            1 if kind == "descending" else self.complex.gradient.dimension - 1
        )
        return rows

    def measure(self, kind: str, progress: Any) -> None:
        """Count the points of lines to extrema."""
        arcs = self.complex.extremum_arcs(kind, progress=progress)
        n_points = sx.to_host(arcs.n_points).reshape(-1, 2)
        self.n_points[self.rows_of(kind)] += n_points.sum(axis=1)

    def apply(self, ends: Any = ((), ()), lengths: Any = ()) -> None:
        """Clear `drawn` beyond the limit; `lengths` (m,) belong to connectors between `ends`."""
        n_points = np.where(self.drawn, self.n_points, 0)
        if self.limit is None or n_points.sum() + np.sum(lengths) <= self.limit:
            return
        order = np.argsort(-self.persistence(), kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        latest = np.maximum(*(rank[np.asarray(rows, np.int64)] for rows in ends))
        counts = n_points[order] + np.bincount(latest, lengths, len(order)).astype(np.int64)
        is_within = (np.cumsum(counts) <= self.limit) | (counts == 0)
        self.drawn = self.drawn & is_within[rank]

    def connectors(self, arcs: Any, progress: Any) -> tuple[Any, np.ndarray]:
        """Lines between saddles and their V-paths. arcs: all arcs of the complex."""
        of_connectors = self.critical.index[arcs.upper] == 2
        joins = of_connectors & self.drawn[arcs.upper] & self.drawn[arcs.lower]
        ends = arcs.upper[joins], arcs.lower[joins]
        self.apply(ends, np.full(len(ends[0]), FEWEST_POINTS))
        traced = of_connectors & self.drawn[arcs.upper]
        sources = None if self.drawn.all() else np.unique(arcs.upper[traced])
        lines = self.complex.separatrices(1, "saddle", sources=sources, progress=progress)
        lines, paths = lines_between(lines, arcs.multiplicity[traced], self.drawn)
        ends = sx.to_host(lines.source), sx.to_host(lines.destination)
        self.apply(ends, np.diff(sx.to_host(lines.offsets)))
        return lines_between(lines, paths, self.drawn)

    def lines(self, kind: str, progress: Any) -> tuple[Any, np.ndarray]:
        """Lines to extrema, each of which is a single V-path."""
        rows, sources = self.rows_of(kind), None
        if not self.drawn.all():
            sources = rows.start + np.flatnonzero(self.drawn[rows])
        lines = self.complex.separatrices(1, kind, sources=sources, progress=progress)
        return lines, np.ones(lines.source.shape, np.uint64)
