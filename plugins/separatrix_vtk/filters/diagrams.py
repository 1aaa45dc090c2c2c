"""Persistence diagrams as lines, with TTK's names and codes, for all filters that compute pairs."""

from __future__ import annotations

import numpy as np
from vtkmodules.vtkCommonDataModel import VTK_LINE, vtkUnstructuredGrid

from separatrix_vtk.base.arrays import add, ids_to_vtk, line_cells, to_vtk, vtk_points

DIAGONAL = -1  # PairIdentifier and PairType of the diagonal
HEIGHT = 0.75  # of a barcode, in its widths
GAP = 0.03  # between dimensions, in heights


def write_pair_lines(
    output: vtkUnstructuredGrid,
    kind: np.ndarray,
    birth: np.ndarray,
    death: np.ndarray,
    is_finite: np.ndarray,
    *,
    persistence: np.ndarray | None = None,
    number: np.ndarray | None = None,
    diagonal: tuple[float, float, float] | None = None,
    points: np.ndarray | None = None,
) -> None:
    """Fill an output with one line per pair, and with the cell arrays of pairs.

    kind (n,): dimension of each pair; persistence: by default death - birth; number: by default 0,
    1, ...; diagonal: its lowest and highest value, and its persistence, by default it is omitted;
    points (n, 2, 3): by default (birth, birth, 0) and (birth, death, 0).
    """
    kind = kind.astype(np.int8)
    persistence = death - birth if persistence is None else persistence
    number = np.arange(len(birth)) if number is None else number
    if diagonal is not None:
        low, high, length = diagonal
        birth, death = np.append(birth, low), np.append(death, high)
        persistence, is_finite = np.append(persistence, length), np.append(is_finite, True)
        number, kind = np.append(number, DIAGONAL), np.append(kind, np.int8(DIAGONAL))
    if points is None:
        points = np.zeros((len(birth), 2, 3))
        points[:, 0, 0] = points[:, 1, 0] = points[:, 0, 1] = birth
        points[:, 1, 1] = death
        if diagonal is not None:
            points[-1, 1, 0] = diagonal[1]
    output.SetPoints(vtk_points(points))
    output.SetCells(VTK_LINE, line_cells(np.arange(2 * len(birth)).reshape(-1, 2)))
    add(
        output.GetCellData(),
        ids_to_vtk(number, "PairIdentifier"),
        to_vtk(kind, "PairType"),
        to_vtk(persistence, "Persistence"),
        to_vtk(birth, "Birth"),
        to_vtk(death, "Death"),
        to_vtk(is_finite.astype(np.int8), "IsFinite"),
        active="PairType",
    )


def lines_of_bars(
    kind: np.ndarray, birth: np.ndarray, death: np.ndarray, width: float
) -> np.ndarray:
    """Return bars (n, 2, 3) from birth to death along x, one below the other, by dimension."""
    row = np.arange(len(kind)) + (2.0 + GAP * len(kind)) * kind.astype(np.int64)
    step = HEIGHT * width / max(row.max(initial=0.0), 20.0)
    points = np.zeros((len(kind), 2, 3))
    points[:, 0, 0], points[:, 1, 0] = birth, death
    points[:, :, 1] = -(step * row)[:, None]
    return points
