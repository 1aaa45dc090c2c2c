"""Separatrices and the graph of the complex as VTK datasets, with TTK's names and types.

Lines are polylines, surfaces are sets of polygons; each cell has the number of its separatrix. All
arguments are in host memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from vtkmodules.vtkCommonDataModel import vtkDataSetAttributes, vtkPolyData

from separatrix_vtk.base.arrays import (
    NONE,
    add,
    add_rows,
    cells_of,
    difference,
    fill_polydata,
    ids_to_vtk,
    line_cells,
    to_vtk,
    vtk_points,
)
from separatrix_vtk.filters.scalar_field.field import Field
from separatrix_vtk.filters.scalar_field.outputs import MAXIMUM, of_field, on_host

POINT_COLUMNS = ("points", "cell_id", "cell_dimension")


def lines_between(lines: Any, paths: np.ndarray, shown: np.ndarray) -> tuple[Any, np.ndarray]:
    """The lines whose ends are shown, renumbered, and their V-paths per separatrix.

    shown: (k,) bool by critical cell. If all are shown, the lines stay where they are.
    """
    if shown.all():
        return lines, paths
    lines = on_host(lines)
    to = lines.destination
    kept = shown[lines.source] & (shown[to] | (to == NONE))
    lengths = np.diff(lines.offsets)
    of_points = np.repeat(kept, lengths)
    numbers, separatrix = np.unique(lines.separatrix[kept], return_inverse=True)
    points = {name: getattr(lines, name)[of_points] for name in POINT_COLUMNS}
    found = replace(
        lines,
        **points,
        offsets=np.concatenate([[0], np.cumsum(lengths[kept])]),
        source=lines.source[kept],
        destination=to[kept],
        separatrix=separatrix,
    )
    return found, paths[numbers]


def arcs_between(arcs: Any, shown: np.ndarray) -> Any:
    """The arcs whose ends are shown, with their rows among the critical cells that are."""
    if shown.all():
        return arcs
    row = np.cumsum(shown) - 1
    kept = shown[arcs.upper] & shown[arcs.lower]
    upper, lower = row[arcs.upper[kept]], row[arcs.lower[kept]]
    return replace(arcs, upper=upper, lower=lower, multiplicity=arcs.multiplicity[kept])


def write_lines(
    output: vtkPolyData,
    families: list[tuple[int, Any, np.ndarray]],
    critical: Any,
    field: Field,
    first_ids: Sequence[int] | None = None,
) -> None:
    """1-separatrices as polylines. Several of them may make one separatrix (connectors).

    families: (SeparatrixType, the engine's lines, V-paths per separatrix (s,) uint64).
    first_ids: SeparatrixId of the first separatrix of each family; by default consecutive
    """
    lengths = _joined(np.diff(lines.offsets) for _, lines, _ in families)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    points, cell_id, dimension, source, destination = (
        _joined(getattr(lines, name) for _, lines, _ in families)
        for name in ("points", "cell_id", "cell_dimension", "source", "destination")
    )
    kind = _joined(np.full(len(lines.source), kind) for kind, lines, _ in families)
    starts = np.cumsum([0] + [len(paths) for *_, paths in families])
    separatrix = _joined(
        lines.separatrix + start for (_, lines, _), start in zip(families, starts[:-1], strict=True)
    )
    multiplicity = _joined(paths for *_, paths in families)
    shifts = starts[:-1] * 0 if first_ids is None else np.array(first_ids) - starts[:-1]
    ids = separatrix + np.repeat(shifts, [len(lines.source) for _, lines, _ in families])
    reaches = destination != NONE
    destination_id = np.full(len(destination), NONE, dtype=np.int64)
    destination_id[reaches] = critical.cell_id[destination[reaches]]

    fill_polydata(output, points)
    drawn = np.flatnonzero(lengths > 1)  # a line that leaves the domain immediately is one point
    items = np.flatnonzero(np.repeat(lengths > 1, lengths))
    output.SetLines(cells_of(np.concatenate([[0], np.cumsum(lengths[drawn])]), items))
    of_point = np.repeat(np.arange(len(source)), lengths)
    ends = (
        (critical.cell_id[source], critical.index[source]),
        (destination_id, critical.index[destination]),
    )
    inner = np.ones(len(cell_id), dtype=bool)
    for end, end_dimension in ends:  # on a mesh cells of different dimensions share their ids
        inner &= (cell_id != end[of_point]) | (dimension != end_dimension[of_point])
    inner[offsets[1:][~reaches] - 1] = False
    add(
        output.GetPointData(),
        to_vtk(inner.astype(np.int8), "ttkMaskScalarField"),
        to_vtk(dimension.astype(np.int8), "CellDimension"),
        ids_to_vtk(cell_id, "CellId"),
    )
    # A V-path is monotone, so its ends have its extreme values. If it leaves the domain (its
    # destination is NONE), its end is its last cell.
    near, far = critical.value[source], critical.value[destination]
    last = offsets[1:][~reaches] - 1
    far[~reaches] = field.values_of(cell_id[last], dimension[last])
    on_boundary = critical.on_boundary[source].astype(np.int8)
    on_boundary[reaches] += critical.on_boundary[destination[reaches]].astype(np.int8)
    add(
        output.GetCellData(),
        ids_to_vtk(critical.cell_id[source[drawn]], "SourceId"),
        ids_to_vtk(destination_id[drawn], "DestinationId"),
        to_vtk(destination_types(kind, field)[drawn], "DestinationType"),
        ids_to_vtk(ids[drawn], "SeparatrixId"),
        *_separatrix_arrays(
            field, drawn, kind, np.maximum(near, far), np.minimum(near, far), on_boundary
        ),
        to_vtk(multiplicity[separatrix[drawn]], "Multiplicity"),
        active="DestinationType",
    )


def write_surfaces(
    output: vtkPolyData,
    families: list[tuple[int, Any]],
    critical: Any,
    field: Field,
) -> None:
    """2-separatrices as polygons. families: (SeparatrixType, the engine's surfaces)."""
    starts = np.cumsum([0] + [len(surface.points) for _, surface in families])
    corners = _joined(
        surface.corners + start for start, (_, surface) in zip(starts[:-1], families, strict=True)
    )
    sizes = _joined(np.diff(surface.offsets) for _, surface in families)
    points, cell_id, dimension, source = (
        _joined(getattr(surface, name) for _, surface in families)
        for name in ("points", "cell_id", "cell_dimension", "source")
    )
    kind = _joined(np.full(len(surface.source), kind) for kind, surface in families)

    whole = sizes >= 3  # two corners at the boundary are not a polygon
    items = corners[np.repeat(whole, sizes)]
    offsets = np.concatenate([[0], np.cumsum(sizes[whole])])
    source, kind = source[whole], kind[whole]
    fill_polydata(output, points, polygons=(offsets, items))

    # A saddle has one surface, so its row among the critical cells identifies the surface.
    has_surface = np.zeros(len(critical), dtype=bool)
    has_surface[source] = True
    rows = np.flatnonzero(has_surface)
    of_polygon = (np.cumsum(has_surface) - 1)[source]
    kind_of_row = np.zeros(len(critical), dtype=np.int8)
    kind_of_row[source] = kind
    highest, lowest = _extreme_values(
        critical.value, source, offsets[:-1], field.values_of(cell_id, dimension)[items]
    )
    add(
        output.GetCellData(),
        ids_to_vtk(critical.cell_id[source], "SourceId"),
        ids_to_vtk(of_polygon, "SeparatrixId"),
        *_separatrix_arrays(
            field,
            of_polygon,
            kind_of_row[rows],
            highest[rows],
            lowest[rows],
            critical.on_boundary[rows].astype(np.int8),
        ),
        active="SeparatrixType",
    )


def write_graph(
    output: vtkPolyData, points: vtkPolyData, arcs: Any, critical: Any, field: Field
) -> None:
    """The arcs as straight lines between critical points. points: the output Critical Points.

    An arc across the seam of a periodic image leads to a copy of its destination, a further point.
    """
    upper, lower = arcs.upper, arcs.lower
    index = critical.index[upper].astype(np.int64)
    descends = index == 1  # from its saddle to a minimum; all others lead up from a saddle
    source, destination = np.where(descends, upper, lower), np.where(descends, lower, upper)
    wide = np.float64 if critical.value.dtype.kind == "f" else critical.value.dtype
    value = critical.value.astype(wide, copy=False)
    persistence = difference(value[upper], value[lower])
    lines, places = np.column_stack([source, destination]), critical.position
    ends = field.nearest_copies(places[destination], places[source])
    crosses = np.flatnonzero((ends != places[destination]).any(axis=1))
    if crosses.size:
        n = len(critical)
        lines[crosses, 1] = n + np.arange(crosses.size)
        rows = np.concatenate([np.arange(n), destination[crosses]])
        add_rows(output.GetPointData(), points.GetPointData(), rows)
        output.SetPoints(vtk_points(np.concatenate([places, ends[crosses]])))
    else:
        output.GetPointData().ShallowCopy(points.GetPointData())
        output.SetPoints(points.GetPoints())
    output.GetPointData().SetActiveAttribute(-1, vtkDataSetAttributes.SCALARS)  # color by cells
    output.SetLines(line_cells(lines))
    add(
        output.GetCellData(),
        ids_to_vtk(critical.cell_id[source], "SourceId"),
        ids_to_vtk(critical.cell_id[destination], "DestinationId"),
        to_vtk(destination_types(index - 1, field), "DestinationType"),
        to_vtk((index - 1).astype(np.int8), "SeparatrixType"),
        to_vtk(arcs.multiplicity, "Multiplicity"),
        to_vtk(arcs.is_saturated.astype(np.int8), "IsSaturated"),
        to_vtk(persistence.astype(np.float64), "Persistence"),
        active="DestinationType",
    )


def destination_types(kind: np.ndarray, field: Field) -> np.ndarray:
    """The CriticalType to which lines of a SeparatrixType lead, also where they leave the domain.

    Unlike a SeparatrixType, it means the same in 2D and in 3D.
    """
    types = ((), (0,), (0, MAXIMUM), (0, 2, MAXIMUM))[field.dimension]
    return np.array(types, dtype=np.int8)[kind]


def _extreme_values(
    own: np.ndarray, row: np.ndarray, first_corner: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Highest and lowest value of each row, its own (k,) and those of its polygons' corners."""
    highest, lowest = own.copy(), own.copy()
    if len(row):
        # Polygons come in runs of one row; so the slow scatter has few entries.
        begins = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
        np.maximum.at(highest, row[begins], np.maximum.reduceat(values, first_corner[begins]))
        np.minimum.at(lowest, row[begins], np.minimum.reduceat(values, first_corner[begins]))
    return highest, lowest


def _separatrix_arrays(
    field: Field,
    of_cell: np.ndarray,
    kind: np.ndarray,
    highest: np.ndarray,
    lowest: np.ndarray,
    on_boundary: np.ndarray,
) -> list[Any]:
    """The cell arrays of both lines and surfaces, from one value per line or surface."""
    return [
        to_vtk(kind.astype(np.int8)[of_cell], "SeparatrixType"),
        of_field(field, "SeparatrixFunctionMaximum", highest[of_cell]),
        of_field(field, "SeparatrixFunctionMinimum", lowest[of_cell]),
        to_vtk(difference(highest, lowest)[of_cell], "SeparatrixFunctionDifference"),
        to_vtk(on_boundary[of_cell], "NumberOfCriticalPointsOnBoundary"),
    ]


def _joined(parts: Iterable[np.ndarray]) -> np.ndarray:
    return np.concatenate(list(parts))
