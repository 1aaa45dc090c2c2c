"""Block-sparse patterns: the pairs of rows and columns of a reduction.

Blocks are disjoint runs of rows, and each block has intervals of columns; a tile is a block and one
of its intervals. There is no matrix of clusters. Charlier, Feydy, Glaunes, Collin, Durif, "Kernel
operations on the GPU, with autodiff, without memory overflows", JMLR 22(74), 2021.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field, replace
from typing import Any

import numpy as np

from ..arguments import checked_whole
from ..device import Array, Progress, Session, array_module, current_for, in_memory_of, to_host
from ..errors import InputError, Words
from ..results import ReprMixin
from . import intervals
from .clusters import Clusters
from .pattern_input import (
    MOST_POSITIONS,
    checked_pattern,
    checked_runs,
    integers,
    of_keops,
    of_mask,
)
from .periodic import as_lengths, check_half_box, checked_box
from .points import MOST_POINTS, as_points, checked_radius
from .radius_patterns import STAGES, box_pattern, cell_pattern

TRIANGLE_ROWS = 256  # of each block of the upper triangle


@dataclass(frozen=True, eq=False, repr=False)
class BlockPattern(ReprMixin):
    """A block-sparse set of pairs (row, column), validated and read-only.

    Attributes
    ----------
    blocks : (B, 2) int64
        Half-open runs of rows, ascending and disjoint.
    offsets : (B + 1,) int64
        Block b has the intervals offsets[b] to offsets[b + 1] - 1.
    intervals : (T, 2) int64
        Half-open runs of columns, ascending and disjoint within each block.
    n_rows, n_columns : int
        Numbers of rows and columns.
    row_order, column_order : (n,) int64 or None
        Caller's index of each row or column, which are sorted positions; None if the orders are
        equal.
    radius : float or None
        If given, only pairs with d2 <= radius^2 count; the tiles cover the ball.
    upper : bool
        Whether only pairs with row < column count.
    boxsize : tuple of d floats, or None
        Lengths of the periodic box whose nearest images the tiles cover, 0 for other axes.
    """

    blocks: Array
    offsets: Array
    intervals: Array
    n_rows: int
    n_columns: int
    row_order: Array | None = None
    column_order: Array | None = None
    radius: float | None = None
    upper: bool = False
    boxsize: tuple[float, ...] | None = None
    _is_checked: InitVar[bool] = False
    _transposes: dict[str, BlockPattern] = field(default_factory=dict, init=False, compare=False)

    def __post_init__(self, _is_checked: bool) -> None:
        if not _is_checked:
            for name, value in checked_pattern(vars(self)).items():
                object.__setattr__(self, name, value)
        orders = (self.row_order, self.column_order)
        for array in (self.blocks, self.offsets, self.intervals, *orders):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    # === constructors
    @classmethod
    def from_cells(
        cls,
        x: Any,
        y: Any = None,
        radius: float = np.inf,
        *,
        reach: int = 1,
        boxsize: Any = None,
        device: str | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
    ) -> BlockPattern:
        """Return all pairs of points within a radius, by the cells of a grid.

        Parameters
        ----------
        x, y : (n, d) and (m, d) array_like, d from 1 to 3
            Rows and columns; y is x by default. They are sorted by cell: see ``row_order``.
        radius : float
            Non-negative, in the unit of the points. The tiles cover the closed ball.
        reach : int, from 1 to 16
            Cells per radius: more of them fit the ball better but make smaller blocks.
        boxsize : float or sequence of d floats, optional
            Periodic box as in :func:`separatrix.neighbors`: the tiles also cover pairs across its
            faces, and reductions use the same box by default. A radius must be given.
        device, threads, memory_limit, progress
            See :func:`separatrix.morse_smale`.
        """
        given = as_points(x, "x")
        others = None if y is None or y is x else as_points(y, "y")
        radius, reach = checked_radius(radius), checked_whole(reach, "reach", 1, 16)
        box = checked_box(boxsize, given.shape[1])
        if box is not None:
            check_half_box(radius, box)
        session = Session(given, device, threads, memory_limit)
        with session.call(progress, STAGES):
            fields = cell_pattern(session, given, others, radius, reach, box)
            return cls(*fields, boxsize=as_lengths(box), _is_checked=True).on(session.result)

    @classmethod
    def from_boxes(cls, x_blocks: Any, y_blocks: Any, radius: float) -> BlockPattern:
        """Return all pairs of blocks whose bounding boxes are within a radius of each other.

        `x_blocks` and `y_blocks` are :class:`Clusters`, or pairs of ranges (B, 2) of positions and
        boxes (B, 2, d), the lowest and highest corners. The orders of clusters are kept.
        O(B C / 32 + T) tests of boxes.
        """
        return cls(*box_pattern(x_blocks, y_blocks, checked_radius(radius)), _is_checked=True)

    @classmethod
    def from_mask(cls, rows: Any, columns: Any, keep: Any) -> BlockPattern:
        """Return all pairs of the points of some pairs of groups.

        Parameters
        ----------
        rows, columns : Clusters or (C + 1,) array_like of integers
            The groups: clusters, whose orders are kept, or offsets, where group g consists of the
            positions offsets[g] to offsets[g + 1] - 1.
        keep : (C, D) array_like of bools, SciPy sparse matrix, or (P, 2) array_like of integers
            ``keep[a, b]`` is True if row group a and column group b are paired; nonzero entries of
            a sparse matrix count as True. Integers are pairs (a, b) in any order.
        """
        (rows, row_order), (columns, column_order) = _groups(rows), _groups(columns)
        pattern = cls(*of_mask(rows, columns, keep))
        return replace(pattern, row_order=row_order, column_order=column_order, _is_checked=True)

    @classmethod
    def block_diagonal(cls, rows: Any, columns: Any = None) -> BlockPattern:
        """Return the pairs within batches: row group g with column group g.

        `rows` and `columns` are as in :meth:`from_mask`; the columns are the rows by default.
        """
        columns = rows if columns is None else columns
        given = {"rows": rows, "columns": columns}
        n, n_columns = (integers(_groups(g)[0], name).size - 1 for name, g in given.items())
        if n != n_columns:
            raise InputError("columns", f"{n} groups, as many as {{rows}}", n_columns)
        group = np.arange(max(n, 0))
        return cls.from_mask(rows, columns, np.stack([group] * 2, 1))

    @classmethod
    def from_keops(
        cls, ranges: Any, *, n_rows: int | None = None, n_columns: int | None = None
    ) -> BlockPattern:
        """Return the pattern of KeOps' six arrays: ranges_i, slices_i, redranges_j, and transpose.

        By default, the numbers of rows and columns are the ends of the last ranges.
        """
        own, other = of_keops(ranges, n_rows, n_columns)
        pattern, transposed = cls(*own), cls(*other)
        with current_for(pattern.blocks):
            is_transpose = pattern.n_pairs == transposed.n_pairs and intervals.are_transposes(
                pattern._table, transposed._table
            )
        if not is_transpose:
            got = f"{pattern.n_pairs:,} pairs by rows and {transposed.n_pairs:,} by columns"
            expected = "six arrays of which the last three are the transpose of the first three"
            raise InputError("ranges", expected, Words(f"{got}, which differ"))
        pattern._transposes["default"] = transposed
        transposed._transposes["default"] = pattern
        return pattern

    @classmethod
    def dense(cls, n_rows: int, n_columns: int) -> BlockPattern:
        """Return all pairs."""
        n_rows = checked_whole(n_rows, "n_rows", 0, MOST_POSITIONS)
        n_columns = checked_whole(n_columns, "n_columns", 0, MOST_POSITIONS)
        some = min(n_rows, n_columns, 1)
        runs = [np.array([[0, n]] * some, np.int64).reshape(-1, 2) for n in (n_rows, n_columns)]
        offsets = np.arange(1 + some, dtype=np.int64)
        return cls(runs[0], offsets, runs[1], n_rows, n_columns, _is_checked=True)

    @classmethod
    def band(cls, n: int, width: int) -> BlockPattern:
        """Return the pairs (i, j) of n with abs(i - j) <= width."""
        n = checked_whole(n, "n", 0, MOST_POINTS)
        width = min(checked_whole(width, "width", 0), n)
        row = np.arange(n)
        columns = np.stack([np.maximum(row - width, 0), np.minimum(row + width + 1, n)], axis=1)
        return cls(np.stack([row, row + 1], axis=1), np.arange(n + 1), columns, n, n)

    @classmethod
    def upper_triangle(cls, n: int) -> BlockPattern:
        """Return the pairs (i, j) of n with i < j: tiles on and above the diagonal, `upper`."""
        n = checked_whole(n, "n", 0, MOST_POINTS)
        begin = np.arange(0, n, TRIANGLE_ROWS)
        blocks = np.stack([begin, np.minimum(begin + TRIANGLE_ROWS, n)], axis=1)
        columns = np.stack([begin, np.full_like(begin, n)], axis=1)
        return cls(blocks, np.arange(begin.size + 1), columns, n, n, upper=True)

    # === properties and conversions
    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return int(self.blocks.shape[0])

    @property
    def _table(self) -> tuple[Array, Array, Array]:
        return self.blocks, self.offsets, self.intervals

    @property
    def n_pairs(self) -> int:
        """Number of pairs in all tiles; if ``upper``, above the diagonal."""
        return intervals.n_pairs(*self._table, self.upper)

    @property
    def fill(self) -> float:
        """Fraction of all pairs that is in the tiles."""
        return self.n_pairs / max(self.n_rows * self.n_columns, 1)

    def _summary(self) -> str:
        radius = "" if self.radius is None else f", radius {self.radius:g}"
        radius += "" if self.boxsize is None else f", boxsize {self.boxsize}"
        return (
            f"{self.n_rows:,} x {self.n_columns:,}: {self.n_blocks:,} blocks, "
            f"{self.intervals.shape[0]:,} intervals, {self.n_pairs:,} pairs, "
            f"fill {self.fill:.3g}{radius}"
        )

    def to_dense(self) -> np.ndarray:
        """Return the pairs in tiles as a matrix (n_rows, n_columns) bool, in the pattern's order.

        For small patterns. The radius is ignored.
        """
        dense = np.zeros((self.n_rows, self.n_columns), bool)
        for begin, end, first, last in intervals.tiles(*map(to_host, self._table)).tolist():
            dense[begin:end, first:last] = True
        return np.triu(dense, 1) if self.upper else dense

    def to_keops(self) -> tuple[Array, ...]:
        """Return KeOps' six arrays, int64: ranges_i, slices_i, redranges_j, and the transpose.

        Rows and columns are in the pattern's order, so sort the points by ``row_order`` first.
        """
        if self.upper:
            remedy = "Use BlockPattern.dense and halve the sum."
            raise InputError(f"KeOps does not support patterns of pairs i < j. {remedy}")
        other = self.transpose()
        return tuple(
            part for one in (self, other) for part in (one.blocks, one.offsets[1:], one.intervals)
        )

    def on(self, move: Any) -> BlockPattern:
        """Return the pattern with a function applied to each array."""
        names = ("blocks", "offsets", "intervals", "row_order", "column_order")
        given = {name: getattr(self, name) for name in names}
        moved: Any = {name: move(array) for name, array in given.items() if array is not None}
        return replace(self, **moved, _is_checked=True)

    def transpose(self, column_blocks: Any = None) -> BlockPattern:
        """Return the pairs (column, row), cached.

        Blocks are the given runs of columns (C, 2), cut where intervals end within them; by default
        the segments between all ends of intervals.
        """
        if self.upper:
            why = "A pattern of pairs i < j cannot be transposed."
            raise InputError(f"{why} Exchange x and y instead.")
        kept = self._transposes.get("default") if column_blocks is None else None
        if kept is not None:
            return kept
        cuts = np.zeros((0, 2), np.int64)
        if column_blocks is not None:
            cuts = checked_runs(column_blocks, "column_blocks", self.n_columns, "columns")
        with current_for(self.blocks):
            table = intervals.transposed(*self._table, in_memory_of(cuts.reshape(-1), self.blocks))
        transposed = BlockPattern(
            *table, self.n_columns, self.n_rows, self.column_order, self.row_order, self.radius,
            boxsize=self.boxsize, _is_checked=True,
        )  # fmt: skip
        transposed._transposes["default"] = self
        if column_blocks is None:
            self._transposes["default"] = transposed
        return transposed


def _groups(given: Any) -> tuple[Any, Array | None]:
    """Return offsets of groups, and the order of the points if the groups are clusters."""
    if not isinstance(given, Clusters):
        return given, None
    with current_for(given.ranges):
        ends = given.ranges[:, 1]
        return array_module(ends).concatenate([ends[:1] * 0, ends]), given.order
