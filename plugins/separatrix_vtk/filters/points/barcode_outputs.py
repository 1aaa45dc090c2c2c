"""A barcode as VTK datasets: bars as lines, a diagram, tables of bars, curves, and statistics.

Names and codes are TTK's if it has them. Essential classes are drawn up to `end_of`; in tables,
their death is inf.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkPolyData, vtkTable, vtkUnstructuredGrid

import separatrix as sx
from separatrix_vtk.base.arrays import (
    NONE,
    add,
    add_numbers,
    fill_polydata,
    ids_to_vtk,
    to_vtk,
)
from separatrix_vtk.filters.diagrams import lines_of_bars, write_pair_lines

ROOM = 0.05  # beyond the last end, for essential bars
CURVE = "Betti{}"
COUNTS = {  # statistics of the engine -> columns
    "simplices": "Simplices",
    "cleared": "Cleared",
    "columns": "Columns",
    "apparent_pairs": "ApparentPairs",
    "survivors": "Survivors",
    "reduced": "Reduced",
    "emergent": "EmergentPairs",
    "shortcut_pairs": "ShortcutPairs",
    "additions": "Additions",
    "cofacets": "Cofacets",
}
FRACTIONS = {  # attributes of sx.ApparentPairs -> columns
    "beyond": "SimplicesBeyond",
    "fraction": "ApparentFraction",
    "bound": "ApparentBound",
    "lower_bound": "ApparentLowerBound",
    "expected": "ApparentExpected",
}


def end_of(bars: Any) -> float:
    """The end of essential bars in drawings: the threshold, or slightly beyond all ends."""
    ends = np.concatenate([bars.birth, bars.death[np.isfinite(bars.death)]])
    last = float(ends.max(initial=0.0)) * (1.0 + ROOM)
    return max(last, bars.threshold) if np.isfinite(bars.threshold) else last or 1.0


def write_barcode(output: vtkPolyData, bars: Any, chosen: np.ndarray) -> None:
    """One horizontal line per bar, from birth to death along x, by dimension and birth along -y."""
    birth, death, end = bars.birth[chosen], bars.death[chosen], end_of(bars)
    points = lines_of_bars(
        bars.dimension[chosen], birth, np.where(np.isfinite(death), death, end), end
    )
    fill_polydata(output, points, lines=np.arange(2 * len(chosen)).reshape(-1, 2))
    columns = bar_columns(bars, chosen, end)
    add(output.GetCellData(), *column_arrays(columns), active="Dimension")


def write_diagram(
    output: vtkUnstructuredGrid, bars: Any, chosen: np.ndarray, positions: np.ndarray | None
) -> None:
    """One vertical line per bar over its birth, and the diagonal, as in PersistenceDiagram."""
    end = end_of(bars)
    drawn = bar_columns(bars, chosen, end)
    kind, finite = drawn["Dimension"], drawn["IsFinite"]
    place = (kind, drawn["Birth"], drawn["Death"], finite)
    write_pair_lines(output, *place, number=drawn["BarId"], diagonal=(0.0, end, end))
    ends = np.stack([np.minimum(kind, 3), np.minimum(kind + 1, 3)], axis=1).astype(np.int8)
    vertices = np.stack([born_at(bars)[chosen], bars.death_edge[chosen, 1]], axis=1)
    add(
        output.GetPointData(),
        ids_to_vtk(np.append(vertices.reshape(-1), [NONE, NONE]), "ttkVertexScalarField"),
        to_vtk(np.append(ends.reshape(-1), np.array([0, 3], np.int8)), "CriticalType"),
    )
    if positions is not None:
        places = np.zeros((len(chosen) + 1, 2, 3))
        places[:-1, 0] = _middles(bars.birth_edge[chosen], vertices[:, 0], positions)
        places[:-1, 1] = _middles(bars.death_edge[chosen], vertices[:, 1], positions)
        add(output.GetPointData(), to_vtk(places.reshape(-1, 3), "Coordinates"))


def write_bars(output: vtkTable, bars: Any, chosen: np.ndarray) -> None:
    """One row per bar, with the longest edges of its birth and death simplices."""
    columns = {
        **bar_columns(bars, chosen, np.inf),
        "BirthPoint0": born_at(bars)[chosen],
        "BirthPoint1": bars.birth_edge[chosen, 1].astype(np.int64),
        "DeathPoint0": bars.death_edge[chosen, 0].astype(np.int64),
        "DeathPoint1": bars.death_edge[chosen, 1].astype(np.int64),
    }
    for array in column_arrays(columns):
        output.AddColumn(array)


def list_simplices(output: vtkTable, bars: Any, chosen: np.ndarray) -> None:
    """Add the points of the birth and death simplices, by dimension, as field data."""
    for d in range(bars.statistics["max_dimension"] + 1):
        row_of = np.flatnonzero(bars.dimension == d)
        rows = np.searchsorted(row_of, chosen[bars.dimension[chosen] == d])
        for end in ("birth", "death"):
            simplices = bars.simplices(end, d)[rows].astype(np.int64)
            output.GetFieldData().AddArray(ids_to_vtk(simplices, f"{end.title()}Simplices{d}"))


def list_cycles(output: vtkPolyData, bars: Any) -> None:
    """Add the simplices of each representative and their coefficients as field data."""
    for cycle in bars.representatives:
        for name, values in (("Cycle", cycle.simplices), ("Coefficients", cycle.coefficients)):
            array = ids_to_vtk(values.astype(np.int64), f"{name}{cycle.bar}")
            output.GetFieldData().AddArray(array)


def write_betti_curves(output: vtkTable, bars: Any, chosen: np.ndarray) -> None:
    """Number of bars at each distance, one column per dimension; two rows per step, for charts."""
    ends = np.concatenate([[0.0, end_of(bars)], bars.birth[chosen], bars.death[chosen]])
    level = np.unique(ends[np.isfinite(ends)])
    output.AddColumn(to_vtk(np.repeat(level, 2)[1:], "Distance"))
    for d in range(bars.statistics["max_dimension"] + 1):
        rows = chosen[bars.dimension[chosen] == d]
        born = np.searchsorted(np.sort(bars.birth[rows]), level, side="right")
        died = np.searchsorted(np.sort(bars.death[rows]), level, side="right")
        alive = np.repeat((born - died).astype(np.int64), 2)[:-1]
        output.AddColumn(to_vtk(alive, CURVE.format(d)))


def write_statistics(output: vtkTable, bars: Any) -> None:
    """Counts with one row per dimension; totals are field data."""
    dimensions = bars.statistics["dimensions"]
    of_each = np.arange(len(dimensions))
    columns: dict[str, np.ndarray] = {
        "Dimension": of_each.astype(np.int8),
        "Bars": np.array([(bars.dimension == d).sum() for d in of_each], np.int64),
        "EssentialBars": np.array(
            [((bars.dimension == d) & bars.is_essential).sum() for d in of_each], np.int64
        ),
    }
    for key, name in COUNTS.items():
        columns[name] = np.array([counted.get(key, 0) for counted in dimensions], np.int64)
    for key, name in FRACTIONS.items():
        columns[name] = np.full(len(dimensions), np.nan)
        for d, counted in enumerate(dimensions):
            if "apparent_pairs" in counted:
                numbers = (counted[key] for key in ("simplices", "apparent_pairs", "survivors"))
                columns[name][d] = getattr(sx.ApparentPairs(d, bars.n_points, *numbers), key)
    for name, column in columns.items():
        output.AddColumn(to_vtk(column, name))
    add_numbers(output, numbers_of(bars))


def numbers_of(bars: Any) -> dict[str, float]:
    """Single numbers of a barcode by name, for field data."""
    return {
        "NumberOfPoints": bars.n_points,
        "Edges": int(bars.statistics["edges"]),
        "CollapsedEdges": int(bars.statistics["collapsed"]),
        "ForecastSimplices": float(bars.statistics["forecast"]["simplices"]),
        "ForecastBytes": int(bars.statistics["forecast"]["bytes"]),
        "EnclosingRadius": float(bars.enclosing_radius),
        "Threshold": float(bars.threshold),
    }


def born_at(bars: Any) -> np.ndarray:
    """A point of the birth simplex of each bar: an end of its longest edge, or the vertex."""
    first = bars.birth_edge[:, 0].astype(np.int64)
    is_vertex = bars.dimension == 0
    first[is_vertex] = bars.simplices("birth", 0)[:, 0]
    return first


def bar_columns(bars: Any, chosen: np.ndarray, end: float) -> dict[str, np.ndarray]:
    """Columns of bars, in which essential bars die at `end`."""
    finite = np.isfinite(bars.death[chosen])
    death = np.where(finite, bars.death[chosen], end)
    return {
        "BarId": chosen.astype(np.int64),
        "Dimension": bars.dimension[chosen],
        "Birth": bars.birth[chosen],
        "Death": death,
        "Persistence": death - bars.birth[chosen],
        "IsFinite": finite.astype(np.int8),
    }


def column_arrays(columns: dict[str, np.ndarray]) -> list[Any]:
    """Columns as arrays of VTK, in which int64 is ids."""
    return [
        ids_to_vtk(values, name) if values.dtype == np.int64 else to_vtk(values, name)
        for name, values in columns.items()
    ]


def _middles(edges: np.ndarray, vertices: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """The midpoint of each edge, the vertex if there is no edge, or 0."""
    places = np.zeros((len(edges), 3))
    is_edge, is_vertex = edges[:, 0] >= 0, (edges[:, 0] < 0) & (vertices >= 0)
    places[is_edge] = positions[edges[is_edge]].mean(axis=1)
    places[is_vertex] = positions[vertices[is_vertex]]
    return places
