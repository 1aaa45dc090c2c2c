"""The input of barcodes: points of a dataset, columns of a table, or a distance matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkTable

from separatrix.errors import Words
from separatrix_vtk.base.arrays import names_of
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.filters.points.point_set import finite_bounds, point_set_of, table_columns

DISTANCE_MATRIX = "DistanceMatrix"
MOST_PLACED = 2000  # points, in about two seconds


@dataclass(frozen=True)
class RipsInput:
    """Points (n, k), or distances (n, n), float64, or sparse distances (i, j, distance).

    positions (n, 3) of the points for drawing, or None; needs_cycles: whether cycles are computed
    without positions, as lists of simplices.
    """

    points: np.ndarray | None
    distances: np.ndarray | None
    positions: np.ndarray | None
    weights: np.ndarray | None = None
    sparse: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
    needs_cycles: bool = False

    @property
    def n_points(self) -> int:
        if self.sparse is not None:
            i, j, _ = self.sparse
            return 1 + int(max(i.max(initial=-1), j.max(initial=-1)))
        given = self.points if self.points is not None else self.distances
        assert given is not None
        return len(given)

    def engine_arguments(self) -> dict[str, Any]:
        return {"points": self.points, "distances": self.distances, "sparse": self.sparse}


def rips_input_of(
    dataset: Any,
    columns: Sequence[str],
    is_matrix: bool,
    places: Any = None,
    weights: str = "",
    *,
    has_points: bool = False,
) -> RipsInput:
    """The points or distances in a dataset; `places`: a dataset of their positions.

    has_points: whether a table contains coordinates even if it looks like a distance matrix.
    """
    if is_matrix and not isinstance(dataset, vtkTable):
        got = Words("nothing" if dataset is None else dataset.GetClassName())
        raise FilterError("input", "a table of distances, with one column per point", got)
    points: np.ndarray | None = None
    distances: np.ndarray | None = None
    positions: np.ndarray | None = None
    births: np.ndarray | None = None
    if is_matrix:
        distances = _matrix_of(dataset, columns)
    elif not has_points and (evident := evident_distances(dataset, columns)) is not None:
        distances = evident
    elif isinstance(dataset, vtkTable) and columns:
        points = table_columns(dataset, in_order(dataset, columns))
        positions = in_space(points)
    else:
        found = point_set_of(dataset)
        finite_bounds(found.positions)
        points = positions = found.positions.astype(np.float64)
        births = found.numbers(weights) if weights else None
    if weights and births is None:
        births = table_columns(dataset, [weights])[:, 0]
    result = RipsInput(points, distances, positions, births)
    if places is not None:
        found = point_set_of(places)
        if found.n_points != result.n_points:
            raise FilterError(
                "The second input must have one position per point, in the same order; got "
                f"{found.n_points:,} positions for {result.n_points:,} points."
            )
        finite_bounds(found.positions)
        result = RipsInput(points, distances, found.positions.astype(np.float64), births)
    return result


def evident_distances(dataset: Any, columns: Sequence[str]) -> np.ndarray | None:
    """The distance matrix in a table that can hardly be one of coordinates, or None.

    A table with the field array DISTANCE_MATRIX is one, as `DistanceReader` makes it.
    """
    n = len(columns)
    if not isinstance(dataset, vtkTable):
        return None
    if dataset.GetFieldData().HasArray(DISTANCE_MATRIX):
        return _matrix_of(dataset, columns)
    if n <= 3 or n != dataset.GetNumberOfRows():
        return None
    matrix = _matrix_of(dataset, columns)
    is_one = not matrix.diagonal().any() and (matrix >= 0.0).all() and np.allclose(matrix, matrix.T)
    return matrix if is_one else None


def in_order(table: vtkTable, columns: Sequence[str]) -> list[str]:
    """The chosen columns in the order of the table; ParaView lists p10 before p2."""
    known = {name: i for i, name in enumerate(names_of(table.GetRowData()))}
    return sorted(columns, key=lambda name: known.get(name, len(known)))


def in_space(points: np.ndarray) -> np.ndarray:
    """Positions (n, 3) of points (n, k): the first three coordinates, padded with 0."""
    positions = np.zeros((len(points), 3))
    positions[:, : points.shape[1]] = points[:, :3]
    return positions


def layout_of(distances: np.ndarray) -> np.ndarray | None:
    """Positions (n, 3) whose distances approximate those given; None for too many or infinite ones.

    Classical scaling, exact for distances of points in space. Torgerson 1952. O(n^3)
    """
    n = len(distances)
    if n > MOST_PLACED or not np.isfinite(distances).all():
        return None
    squares = distances**2
    means = squares.mean(axis=0)
    lengths, axes = np.linalg.eigh((means[:, None] + means - means.mean() - squares) / 2.0)
    longest = np.argsort(-lengths)[:3]
    axes = axes[:, longest]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(len(longest))])
    return in_space(axes * np.sqrt(np.maximum(lengths[longest], 0.0)))


def _matrix_of(table: vtkTable, columns: Sequence[str]) -> np.ndarray:
    names = in_order(table, columns) or names_of(table.GetRowData())
    n_rows = table.GetNumberOfRows()
    if len(names) != n_rows or not names:
        raise FilterError(
            f"A distance matrix must have as many columns as rows; got {len(names):,} columns and "
            f"{n_rows:,} rows. Choose the columns that belong to the rows."
        )
    return table_columns(table, names)
