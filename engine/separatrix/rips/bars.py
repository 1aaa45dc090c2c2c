"""Barcodes: the bars of a filtration with their simplices and representatives."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import comb
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device.arrays import as_array, checked_rows, to_host
from ..errors import InputError, Words
from ..homology import PersistenceDiagram
from ..kernels import NONE
from .bar_table import BarTable
from .short_loops import (
    bars_needed,
    checked_cycle,
    checked_distances,
    checked_part,
    distance_of_loop,
    require_few,
    short_loop,
)
from .tight_loops import LATE, checked_walk, distance_within, lengths_of, tight_loop

LONGEST = 10  # bars per dimension that get a representative by default


@dataclass(frozen=True, eq=False, repr=False)
class Barcodes(BarTable):
    """Bars [birth, death) of a Vietoris-Rips filtration, sorted by (dimension, birth, death).

    Attributes
    ----------
    dimension : (k,) int8 ndarray
    birth, death : (k,) float64 ndarray
        Diameters, in the unit of the distances. The death is inf if the class is alive at the
        threshold.
    birth_edge, death_edge : (k, 2) int32 ndarray
        Longest edges of the simplices that create and destroy the class; -1 for vertices and
        missing deaths.
    n_points : int
        Number of points.
    prime : int
        Prime p of the coefficient field Z/p.
    threshold : float
        The caller's threshold or the enclosing radius, whichever is smaller. Longer edges were
        ignored.
    enclosing_radius : float
        Smallest diameter at which one point is connected to all others; the complex is a cone from
        there on.
    statistics : dict
        Counts per dimension, and the ``forecast`` of simplices and of bytes for ranks.
    timings : dict of str to float
        Seconds per stage.
    representatives, cocycles : list of Representative
        Cycles and cocycles of the selected bars.

    Notes
    -----
    After an edge collapse, simplices belong to the collapsed graph, where some edges have a larger
    length than their distance.

    Examples
    --------
    >>> import separatrix as sx
    >>> bars = sx.rips_barcodes([[0, 0], [2, 0], [2, 2], [0, 2]])
    >>> bars.of_dimension(1).round(3).tolist(), bars.longest(1).tolist()
    ([[2.0, 2.828]], [3, 4])
    >>> bars.is_essential.tolist()
    [False, False, False, True, False]
    """

    _simplices: dict[tuple[str, int], np.ndarray] = field(default_factory=dict, repr=False)

    def simplices(self, end: str, dimension: int) -> np.ndarray:
        """Return the simplices that create or destroy the bars of a dimension.

        Parameters
        ----------
        end : {"birth", "death"}
        dimension : int

        Returns
        -------
        (m, d + 1) or (m, d + 2) int32 ndarray
            Points of each simplex, ascending; -1 for essential bars.
        """
        if not isinstance(end, str) or end not in ("birth", "death"):
            raise InputError("end", "'birth' or 'death'", end)
        dimension = self._checked_dimension(dimension)
        width = dimension + (1 if end == "birth" else 2)
        return self._simplices.get((end, dimension), np.empty((0, width), np.int32))

    @property
    def birth_simplex(self) -> list[np.ndarray]:
        """Simplices that create the bars, one array per dimension."""
        return [self.simplices("birth", d) for d in range(self.statistics["max_dimension"] + 1)]

    @property
    def death_simplex(self) -> list[np.ndarray]:
        """Simplices that destroy the bars, one array per dimension; -1 for essential bars."""
        return [self.simplices("death", d) for d in range(self.statistics["max_dimension"] + 1)]

    def diagram(self) -> PersistenceDiagram:
        """Return the bars as a persistence diagram.

        Its cells are combinatorial indices of simplices: the sum of (v_i choose i + 1) for points
        v_0 < v_1 < ...; -1 for missing deaths, and -2 if an index exceeds 63 bits. Its rows are
        those of the barcodes.
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
        """Return the rows, int64, of this number of longest bars per dimension, longest first."""
        number = checked_whole(number, "number", 0, 2**63 - 1)
        chosen = []
        for d in np.unique(self.dimension):
            rows = np.flatnonzero(self.dimension == d)
            chosen.append(rows[np.argsort(-self.persistence[rows], kind="stable")][:number])
        return np.concatenate(chosen) if chosen else np.empty(0, np.int64)

    def for_short_loops(self, rows: Any, part: float = 0.3) -> np.ndarray:
        """Return the rows (k,) int64 that need cocycles for short loops of the given rows.

        The result includes the given rows. Use it in a function passed as ``representatives=``.
        See :meth:`short_loop`.
        """
        require_few(self.n_points)
        given = to_host(as_array(rows, "rows")).reshape(-1)
        chosen = checked_rows(given, "rows", len(self))
        return bars_needed(self, chosen, checked_part(part))

    def short_loop(self, bar: int, distances: Any, part: float = 0.3) -> np.ndarray:
        """Return a short loop in the class of the representative of a 1-dimensional bar.

        The loop is homologous to the representative, over Z/2, at a distance that lies `part` of
        the way from birth to death, or later if more than six loops are alive there. Among the
        loops that are searched, it has the smallest sum of squared edge lengths.

        Parameters
        ----------
        bar : int
            Row of a bar with a representative. All bars alive at that distance must have cocycles.
        distances : (n, n) array_like
            Distances of the barcode, which must be computed over Z/2 without weights, `epsilon`, or
            an edge collapse.
        part : float, default 0.3
            Fraction of the bar, between 0 and 1, as in :meth:`for_short_loops`.

        Returns
        -------
        (m,) int64 ndarray
            Points along the loop, the first one repeated at the end; empty if none was found.

        Raises
        ------
        InputError
            If an argument is invalid or a representative or cocycle is missing.

        References
        ----------
        .. [1] O. Busaryev et al., "Annotating simplices with a homology basis and its
           applications", 2012.

        Examples
        --------
        >>> import numpy as np
        >>> import separatrix as sx
        >>> corners = np.array([[0, 0], [2, 0], [2, 2], [0, 2], [1, 0]])
        >>> distances = np.linalg.norm(corners[:, None] - corners, axis=2)
        >>> needed = lambda bars: bars.for_short_loops(bars.longest(1))
        >>> bars = sx.rips_barcodes(distances=distances, representatives=needed, cocycles=True)
        >>> bars.short_loop(bars.longest(1)[1], distances).tolist()
        [1, 2, 3, 0, 4, 1]
        """
        bar = checked_whole(bar, "bar", 0, len(self) - 1)
        cycle, matrix = checked_cycle(self, bar), checked_distances(self, distances)
        until = distance_of_loop(self, bar, checked_part(part))
        return np.array(short_loop(self, bar, cycle.simplices, matrix, until), np.int64)

    def tight_loop(
        self, bar: int, walk: Any, *, points: Any = None, distances: Any = None, part: float = 0.3
    ) -> np.ndarray:
        """Return a closed walk of a 1-dimensional bar, pulled taut around its hole.

        The walk is changed point by point while this shortens it, through triangles that exist
        before the death of the bar, so its class stays the same there. Its edges are at most as
        long as the distance that lies `part` of the way from birth to death. Other loops of the
        class may be shorter; see :meth:`short_loop`.

        Parameters
        ----------
        bar : int
            Row of a bar of dimension 1.
        walk : (m,) array_like of int
            Points along a closed walk of the representative; the last is equal to the first.
        points : (n, d) array_like, optional
            The points, if the barcode is that of their Euclidean distances.
        distances : (n, n) array_like, optional
            Otherwise the distances of the barcode, without weights or `epsilon`.
        part : float, default 0.3
            Fraction of the bar, between 0 and 1.

        Returns
        -------
        (k,) int64 ndarray
            Points along the loop, the first one repeated at the end; empty if it contracts to a
            point. Takes O(n) time for each change.

        Raises
        ------
        InputError
            If an argument is invalid.

        Examples
        --------
        >>> import numpy as np
        >>> import separatrix as sx
        >>> corners = np.array([[0, 0], [2, 0], [2, 2], [0, 2], [1, 0]])
        >>> bars = sx.rips_barcodes(corners)
        >>> bars.tight_loop(bars.longest(1)[1], [0, 4, 1, 2, 3, 0], points=corners, part=0.5)
        array([0, 1, 2, 3, 0])
        """
        bar = checked_whole(bar, "bar", 0, len(self) - 1)
        if self.dimension[bar] != 1:
            got = Words(f"dimension {self.dimension[bar]}")
            raise InputError("bar", "a bar of dimension 1", got)
        lengths, loop = lengths_of(self, points, distances), checked_walk(self, walk)
        part = checked_part(part)
        until, late = (distance_within(self, bar, p) for p in (part, max(part, LATE)))
        return np.array(tight_loop(loop, lengths, until, late), np.int64)


def _index(simplex: list[int]) -> int:
    if simplex[0] == NONE:
        return NONE
    index = sum(comb(v, i + 1) for i, v in enumerate(simplex))
    return index if index < 2**63 else -2
