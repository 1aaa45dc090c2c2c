"""A persistence diagram as VTK datasets: lines, in the plane or in the domain, and curves.

Names and codes are TTK's. A class that nothing ends is drawn up to the highest value there is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import VTK_LINE, vtkTable, vtkUnstructuredGrid

from separatrix_vtk.base.arrays import NONE, add, ids_to_vtk, line_cells, to_vtk, vtk_points
from separatrix_vtk.filters.scalar_field.field import Field
from separatrix_vtk.filters.scalar_field.outputs import MAXIMUM

DIAGONAL = -1  # PairIdentifier and PairType of the diagonal
CURVE = "Number Of Pairs ({})"
PAIRS = {  # dimension of the image -> names of the pairs of each dimension
    0: (),
    1: ("minimum-maximum pairs",),
    2: ("minimum-saddle pairs", "saddle-maximum pairs", "closed surfaces"),
    3: ("minimum-saddle pairs", "saddle-saddle pairs", "saddle-maximum pairs"),
}


def write_diagram(
    output: vtkUnstructuredGrid, pairs: Any, field: Field, inside_domain: bool
) -> None:
    """A line a pair; in the plane of births (x) and deaths (y) the diagonal too. O(n + pairs)."""
    low, high = map(float, field.values.reshape(-1)[field.extreme_points])
    value_range = field.value_range
    bottom, top = field.cells_of_points(field.extreme_points)

    finite = pairs.death_cell != NONE
    cells = np.stack([pairs.birth_cell, np.where(finite, pairs.death_cell, top)], axis=1)
    index = np.stack([pairs.dimension, pairs.dimension + 1], axis=1).astype(np.int8)
    cell_dimension = np.where(finite[:, None] | [True, False], index, np.int8(0))
    index[(index == field.dimension) | (~finite[:, None] & [False, True])] = MAXIMUM
    birth, death = pairs.birth, np.where(finite, pairs.death, high)
    persistence = np.where(finite, pairs.persistence, value_range)
    number, kind = np.arange(len(birth)), pairs.dimension.astype(np.int8)
    if not inside_domain:  # the diagonal comes last, from the lowest value to the highest
        cells = np.concatenate([cells, [[bottom, top]]])
        index = np.concatenate([index, np.array([[0, MAXIMUM]], dtype=np.int8)])
        cell_dimension = np.concatenate([cell_dimension, np.zeros((1, 2), dtype=np.int8)])
        birth, death = np.append(birth, low), np.append(death, high)
        persistence, finite = np.append(persistence, value_range), np.append(finite, True)
        number, kind = np.append(number, DIAGONAL), np.append(kind, np.int8(DIAGONAL))

    named = (cells.reshape(-1), cell_dimension.reshape(-1))
    positions = points = field.positions_of(*named)
    if not inside_domain:
        points = np.zeros((len(birth), 2, 3))
        points[:, 0, 0] = points[:, 1, 0] = points[:, 0, 1] = birth
        points[:, 1, 1] = death
        points[-1, 1, 0] = high
    output.SetPoints(vtk_points(points))
    output.SetCells(VTK_LINE, line_cells(np.arange(2 * len(birth)).reshape(-1, 2)))
    add(
        output.GetPointData(),
        ids_to_vtk(field.highest_points(*named), "ttkVertexScalarField"),
        to_vtk(index.reshape(-1), "CriticalType"),
        to_vtk(positions, "Coordinates"),
        ids_to_vtk(cells.reshape(-1), "CellId"),
    )
    add(
        output.GetCellData(),
        ids_to_vtk(number, "PairIdentifier"),
        to_vtk(kind, "PairType"),
        to_vtk(persistence, "Persistence"),
        to_vtk(birth, "Birth"),
        to_vtk(death, "Death"),
        to_vtk(finite.astype(np.int8), "IsFinite"),
        active="PairType",
    )


def write_curves(output: vtkTable, pairs: Any, image_dimension: int, value_range: float) -> None:
    """How many pairs are left when those of less persistence are canceled, by threshold.

    A row each persistence that occurs; that of a class that nothing ends is the range.
    """
    persistence = np.where(pairs.death_cell != NONE, pairs.persistence, value_range)
    levels = np.unique(persistence)
    columns = {"Persistence": levels, CURVE.format("all pairs"): left_at(levels, persistence)}
    for dimension, name in enumerate(PAIRS[image_dimension]):
        of_dimension = persistence[pairs.dimension == dimension]
        if of_dimension.size:
            columns[CURVE.format(name)] = left_at(levels, of_dimension)
    for name, column in columns.items():
        output.AddColumn(to_vtk(column, name))


def left_at(levels: np.ndarray, persistence: np.ndarray) -> np.ndarray:
    """How many are at or above each level: (m,) int64."""
    below = np.searchsorted(np.sort(persistence), levels, side="left")
    return (len(persistence) - below).astype(np.int64)
