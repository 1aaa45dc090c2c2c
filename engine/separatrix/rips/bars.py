"""Barcodes: what was born and died at which distance, by which simplices, along which cycles."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device.arrays import as_array, checked_rows, to_host
from ..errors import InputError
from ..homology import PersistenceDiagram
from ..kernels import NONE
from .bar_table import MOST_DIMENSION, BarTable
from .short_loops import (
    bars_needed,
    checked_cycle,
    checked_distances,
    checked_part,
    distance_of_loop,
    require_few,
    short_loop,
)

LONGEST = 10  # bars a dimension that get a representative by default


@dataclass(frozen=True, eq=False, repr=False)
class Barcodes(BarTable):
    """Bars [birth, death) of a Vietoris-Rips filtration, sorted by (dimension, birth, death).

    ``dimension`` (k,) int8; ``birth`` and ``death`` (k,) float64 on the scale of the distances
    (diameters, not radii), death inf where a class lives at the threshold; ``birth_edge`` and
    ``death_edge`` (k, 2) int32, the longest edge of the simplex that begins and ends the class,
    -1 for a vertex and where nothing ends it. ``threshold``: distances beyond it were left out,
    the caller's or ``enclosing_radius``, whichever is less. ``statistics`` counts what was done,
    by dimension, and has the ``forecast`` of simplices and of bytes for ranks; ``timings`` are
    seconds by stage; ``n_points``, and ``prime`` p of the coefficients Z/p, are the caller's.
    ``representatives`` and ``cocycles``: those asked for, see :class:`Representative`. After an
    edge collapse the simplices are those of the collapsed graph, some of whose edges count as
    longer than they are.
    """

    _simplices: dict[tuple[str, int], np.ndarray] = field(default_factory=dict, repr=False)

    def simplices(self, end: str, dimension: int) -> np.ndarray:
        """The simplices that begin ("birth", (m, d + 1)) or end ("death", (m, d + 2)) the bars of
        a dimension, in their order: int32, points ascending in a row, -1 where nothing ends one.
        """
        if not isinstance(end, str) or end not in ("birth", "death"):
            raise InputError(f"end must be 'birth' or 'death', not {end!r}")
        dimension = checked_whole(dimension, "dimension", 0, MOST_DIMENSION)
        width = dimension + (1 if end == "birth" else 2)
        return self._simplices.get((end, dimension), np.empty((0, width), np.int32))

    @property
    def birth_simplex(self) -> list[np.ndarray]:
        """The simplices that begin the bars, an array a dimension."""
        return [self.simplices("birth", d) for d in range(self.statistics["max_dimension"] + 1)]

    @property
    def death_simplex(self) -> list[np.ndarray]:
        """The simplices that end the bars, an array a dimension, -1 where nothing does."""
        return [self.simplices("death", d) for d in range(self.statistics["max_dimension"] + 1)]

    def diagram(self) -> PersistenceDiagram:
        """The bars as a persistence diagram; cells are combinatorial indices of the simplices.

        The index of points v_0 < v_1 < ... is the sum of (v_i choose i + 1); -1 where nothing ends
        a class, -2 where the index has more than 63 bits. Rows are those of the barcodes.
        """
        births, deaths = (
            [_index(s) for table in tables for s in table.tolist()]
            for tables in (self.birth_simplex, self.death_simplex)
        )
        rows = np.arange(len(self), dtype=np.int64)
        death_cell = np.array(deaths, np.int64).reshape(-1)
        return PersistenceDiagram(
            dimension=self.dimension,
            birth=self.birth,
            death=self.death,
            persistence=self.persistence,
            birth_cell=np.array(births, np.int64).reshape(-1),
            death_cell=death_cell,
            birth_row=rows,
            death_row=np.where(death_cell == NONE, NONE, rows),
        )

    def longest(self, number: int) -> np.ndarray:
        """Rows of the longest bars, so many of each dimension, by persistence falling: int64."""
        number = checked_whole(number, "number", 0, 2**63 - 1)
        chosen = []
        for d in np.unique(self.dimension):
            rows = np.flatnonzero(self.dimension == d)
            chosen.append(rows[np.argsort(-self.persistence[rows], kind="stable")][:number])
        return np.concatenate(chosen) if chosen else np.empty(0, np.int64)

    def for_short_loops(self, rows: Any, part: float = 0.3) -> np.ndarray:
        """Rows of the bars that must have cocycles to find :meth:`short_loop` for those given.

        (k,) int64, those given among them: what ``representatives=`` takes of a function.
        """
        require_few(self.n_points)
        given = to_host(as_array(rows, "rows")).reshape(-1)
        chosen = checked_rows(given, "rows", len(self))
        return bars_needed(self, chosen, checked_part(part))

    def short_loop(self, bar: int, distances: Any, part: float = 0.3) -> np.ndarray:
        """A loop in the class of a 1-dimensional bar's representative, over Z/2: one, and short.

        Homologous to it at a distance that is `part` of the way from birth to death, or later,
        where more than six loops are alive there. Of the loops looked at its edges have the least
        sum of squares. Busaryev et al., "Annotating simplices with a homology basis", 2012.

        Parameters
        ----------
        bar : row of the bar; it has a representative and, with all bars alive then, a cocycle
        distances : (n, n) real, those of the barcode; no weights, no epsilon, no edge collapse
        part : between 0 and 1, as in :meth:`for_short_loops`

        Returns
        -------
        (m,) int64 : points along it, the first again last; (0,) where none was found

        Examples
        --------
        >>> needed = lambda bars: bars.for_short_loops(bars.longest(1))
        >>> bars = sx.rips_barcodes(points, representatives=needed, cocycles=True)
        >>> bars.short_loop(bars.longest(1)[1], distances)
        """
        bar = checked_whole(bar, "bar", 0, len(self) - 1)
        cycle, matrix = checked_cycle(self, bar), checked_distances(self, distances)
        until = distance_of_loop(self, bar, checked_part(part))
        return np.array(short_loop(self, bar, cycle.simplices, matrix, until), np.int64)


def _index(simplex: list[int]) -> int:
    if simplex[0] == NONE:
        return NONE
    index = sum(comb(v, i + 1) for i, v in enumerate(simplex))
    return index if index < 2**63 else -2
