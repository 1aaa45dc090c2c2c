"""Block-sparse patterns: which pairs of rows and columns a reduction runs over.

Rows fall into blocks, disjoint runs of positions; each block has intervals of columns; a tile is a
block and one of its intervals. No matrix of clusters is ever made. Charlier, Feydy, Glaunes,
Collin, Durif, "Kernel operations on the GPU, with autodiff, without memory overflows", JMLR 22(74),
2021.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field
from typing import Any

import numpy as np

from ..device import Session, to_host
from ..device.arrays import beside, current_for
from ..device.base import Array
from ..device.session import Progress
from ..errors import InputError
from ..repr_mixin import ReprMixin
from . import intervals, keops, shapes
from .box_pattern import box_pattern
from .cell_pattern import STAGES, cell_pattern
from .pattern_checks import MOST_POSITIONS, checked_count, checked_pattern, checked_runs
from .points import MOST_POINTS, as_points, checked_radius


@dataclass(frozen=True, eq=False, repr=False)
class BlockPattern(ReprMixin):
    """A block-sparse set of pairs (row, column). Checked once, then never written to.

    Attributes
    ----------
    blocks : (B, 2) int64
        Half-open runs of rows, ascending and disjoint.
    offsets : (B + 1,) int64
        Block b has the intervals offsets[b] .. offsets[b + 1].
    intervals : (T, 2) int64
        Half-open runs of columns, ascending and disjoint in each block.
    n_rows, n_columns : int
        Extent of the whole set.
    row_order, column_order : (n,) int64 or None
        Rows and columns of the pattern are sorted positions, and this is the caller's index of
        each; None where the caller's order is the pattern's.
    radius : float or None
        If given, a pair counts only if its points are at d2 <= radius^2: tiles cover the ball.
    upper : bool
        Whether a pair counts only if its row is before its column.
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
        device: str | None = None,
        threads: int | None = None,
        memory_limit: int | None = None,
        progress: Progress | None = None,
    ) -> BlockPattern:
        """All pairs of points within `radius`, by the cells of a grid of edge radius / reach.

        Parameters
        ----------
        x, y : arrays (n, d) and (m, d), d from 1 to 3
            Rows and columns; y is x by default. They are sorted by cell: see ``row_order``.
        radius : float
            At least 0, in the points' unit. The tiles cover the closed ball.
        reach : int, 1 to 16
            Cells to a radius: more of them fit the ball better and make smaller blocks.
        device, threads, memory_limit, progress
            As in :func:`separatrix.morse_smale`.
        """
        given = as_points(x, "x")
        others = None if y is None or y is x else as_points(y, "y")
        radius = checked_radius(radius)
        if (
            isinstance(reach, bool)
            or not isinstance(reach, (int, np.integer))
            or not 1 <= reach <= 16
        ):
            raise InputError(f"reach must be a whole number from 1 to 16, got {reach!r}")
        session = Session(given, device, threads, memory_limit)
        with session.call(progress, STAGES):
            fields = cell_pattern(session, given, others, radius, int(reach))
            return cls(**fields, _is_checked=True).on(session.result)

    @classmethod
    def from_boxes(cls, x_blocks: Any, y_blocks: Any, radius: float) -> BlockPattern:
        """All pairs of blocks whose bounding boxes are within `radius` of each other.

        `x_blocks` and `y_blocks` are :class:`Clusters`, or pairs (ranges (B, 2), boxes (B, 2, d))
        of runs of positions and lowest and highest corners. The clusters' orders are kept.
        O(B C / 32 + T) tests of boxes.
        """
        fields = box_pattern(x_blocks, y_blocks, checked_radius(radius))
        return cls(**fields, _is_checked=True)

    @classmethod
    def from_mask(cls, row_offsets: Any, column_offsets: Any, keep: Any) -> BlockPattern:
        """Pairs of row group a and column group b where ``keep[a, b]``.

        Group g of n is offsets[g] .. offsets[g + 1] of offsets (n + 1,). `keep` is a dense array of
        bools or a SciPy sparse matrix, whose explicit entries count unless they are zero.
        """
        return cls(**shapes.of_mask(row_offsets, column_offsets, keep))

    @classmethod
    def from_keops(
        cls, ranges: Any, *, n_rows: int | None = None, n_columns: int | None = None
    ) -> BlockPattern:
        """The pattern of KeOps' six arrays (ranges_i, slices_i, redranges_j and the transpose).

        The extents are the ends of the last ranges unless given.
        """
        own, other = keops.imported(ranges, n_rows, n_columns)
        pattern, transposed = cls(**own), cls(**other)
        if pattern.n_pairs != transposed.n_pairs:
            raise InputError(
                f"the six arrays disagree: by rows they have {pattern.n_pairs:,} pairs, by columns "
                f"{transposed.n_pairs:,}; the last three must be the transpose of the first three"
            )
        with current_for(pattern.blocks):
            is_transpose = intervals.are_transposes(pattern._table, transposed._table)
        if not is_transpose:
            raise InputError(
                "the six arrays disagree: by rows they have other pairs than by columns; the last "
                "three must be the transpose of the first three"
            )
        pattern._transposes["default"] = transposed
        transposed._transposes["default"] = pattern
        return pattern

    @classmethod
    def dense(cls, n_rows: int, n_columns: int) -> BlockPattern:
        """All pairs."""
        return cls(
            **shapes.of_all(
                checked_count(n_rows, "n_rows", MOST_POSITIONS),
                checked_count(n_columns, "n_columns", MOST_POSITIONS),
            )
        )

    @classmethod
    def band(cls, n: int, width: int) -> BlockPattern:
        """Pairs (i, j) of n with abs(i - j) <= width."""
        return cls(
            **shapes.of_band(checked_count(n, "n", MOST_POINTS), checked_count(width, "width"))
        )

    @classmethod
    def upper_triangle(cls, n: int) -> BlockPattern:
        """Pairs (i, j) of n with i < j: tiles on and above the diagonal, see ``upper``."""
        return cls(**shapes.of_upper_triangle(checked_count(n, "n", MOST_POINTS)))

    # === what it is
    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return int(self.blocks.shape[0])

    @property
    def _table(self) -> tuple[Array, Array, Array]:
        return self.blocks, self.offsets, self.intervals

    @property
    def n_pairs(self) -> int:
        """Pairs in all tiles; below the diagonal they don't count if ``upper``."""
        return intervals.n_pairs(self.blocks, self.offsets, self.intervals, self.upper)

    @property
    def fill(self) -> float:
        """Part of all pairs that is in the tiles."""
        every = self.n_rows * self.n_columns
        return self.n_pairs / every if every else 0.0

    def _summary(self) -> str:
        radius = "" if self.radius is None else f", radius {self.radius:g}"
        return (
            f"{self.n_rows:,} x {self.n_columns:,}: {self.n_blocks:,} blocks, "
            f"{self.intervals.shape[0]:,} intervals, {self.n_pairs:,} pairs, "
            f"fill {self.fill:.3g}{radius}"
        )

    def to_dense(self) -> np.ndarray:
        """The pairs in tiles as a matrix (n_rows, n_columns) bool, in the pattern's order.

        For small patterns and tests. Of pairs within a radius it says nothing.
        """
        dense = np.zeros((self.n_rows, self.n_columns), bool)
        offsets, runs = to_host(self.offsets).tolist(), to_host(self.intervals).tolist()
        for b, (begin, end) in enumerate(to_host(self.blocks).tolist()):
            for first, last in runs[offsets[b] : offsets[b + 1]]:
                dense[begin:end, first:last] = True
        return np.triu(dense, 1) if self.upper else dense

    def to_keops(self) -> tuple[Array, ...]:
        """KeOps' six arrays, int64: ranges_i, slices_i, redranges_j, and the transpose's.

        Rows and columns are in the pattern's order, so sort the points by ``row_order`` first.
        """
        if self.upper:
            raise InputError(
                "KeOps has no i < j within a tile; use BlockPattern.dense and halve the sum"
            )
        other = self.transpose()
        return tuple(
            part for one in (self, other) for part in (one.blocks, one.offsets[1:], one.intervals)
        )

    def on(self, move: Any) -> BlockPattern:
        """The pattern with `move` applied to each of its arrays."""
        moved = {
            name: None if (array := getattr(self, name)) is None else move(array)
            for name in ("blocks", "offsets", "intervals", "row_order", "column_order")
        }
        rest = (self.radius, self.upper)
        return BlockPattern(
            moved["blocks"], moved["offsets"], moved["intervals"], self.n_rows, self.n_columns,
            moved["row_order"], moved["column_order"], *rest, _is_checked=True,
        )  # fmt: skip

    def transpose(self, column_blocks: Any = None) -> BlockPattern:
        """The pairs (column, row). Made once.

        Its blocks are the given runs of columns (C, 2), cut further where intervals end within
        them; by default the segments between all ends of intervals.
        """
        if self.upper:
            raise InputError(
                "the transpose of i < j has no form here; swap x and y, not the pattern"
            )
        kept = self._transposes.get("default") if column_blocks is None else None
        if kept is not None:
            return kept
        cuts = np.zeros(0, np.int64)
        if column_blocks is not None:
            given = checked_runs(column_blocks, "column_blocks", self.n_columns, "columns")
            cuts = given.reshape(-1)
        with current_for(self.blocks):
            table = intervals.transposed(*self._table, beside(cuts, self.blocks))
        transposed = BlockPattern(
            *table, self.n_columns, self.n_rows, self.column_order, self.row_order, self.radius,
            _is_checked=True,
        )  # fmt: skip
        transposed._transposes["default"] = self
        if column_blocks is None:
            self._transposes["default"] = transposed
        return transposed
