"""What the engine found on a grid, written into VTK datasets with TTK's names and types.

Everything given here is in host memory: `on_host` brings it there if the engine left it on a GPU.

The value of a cell is the value of its highest vertex, as everywhere in Separatrix. `CellId` is
the engine's: the index of the cell in the doubled grid, x fastest, one number for cells of every
dimension (TTK counts each dimension from 0 anew). `SourceId` and `DestinationId` are CellIds too,
as in TTK.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from vtkmodules.util.vtkConstants import VTK_BIT
from vtkmodules.vtkCommonDataModel import vtkPolyData

import separatrix as sx
from separatrix_vtk.base.arrays import add, fill_polydata, ids_to_vtk, to_vtk
from separatrix_vtk.grid.image import ImageField

NONE = -1
MAXIMUM = 3  # CriticalType: 0 minimum, 1 and 2 saddles, 3 maximum, whatever the dimension
DESCENDING, ASCENDING_2D, ASCENDING = 0, 1, 2  # SeparatrixType of lines; 1 in 3D: connectors
ASCENDING_SURFACE, DESCENDING_SURFACE = 1, 2  # SeparatrixType of surfaces


def on_host(result: Any) -> Any:
    """A dataclass of arrays of the engine, all of them in NumPy."""
    fields = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    arrays = {name: sx.to_host(value) for name, value in fields.items() if hasattr(value, "dtype")}
    return dataclasses.replace(result, **arrays)


def write_critical_points(
    output: vtkPolyData,
    critical: Any,
    field: ImageField,
    dimension: int,
    sizes: np.ndarray | None = None,
) -> None:
    """A vertex cell a critical cell of an image of `dimension` long axes.

    sizes (k,) int64: the array ManifoldSize, if given.
    """
    kind = np.where((critical.index == dimension) & (dimension > 0), MAXIMUM, critical.index)
    fill_polydata(output, critical.position, vertices=True)
    add(
        output.GetPointData(),
        _of_field(field, field.source.name, critical.value),
        to_vtk(critical.index, "CellDimension"),
        ids_to_vtk(critical.cell_id, "CellId"),
        to_vtk(critical.on_boundary.astype(np.int8), "IsOnBoundary"),
        ids_to_vtk(critical.vertex, "ttkVertexScalarField"),
        to_vtk(kind.astype(np.int8), "CriticalType"),
        active="CellDimension",
    )
    if sizes is not None:
        add(output.GetPointData(), ids_to_vtk(sizes, "ManifoldSize"))


def write_lines(
    output: vtkPolyData,
    families: list[tuple[int, Any]],
    critical: Any,
    field: ImageField,
    grid: Any,
) -> None:
    """1-separatrices as cells of two points. families: (SeparatrixType, the engine's lines)."""
    lengths = np.concatenate([np.diff(lines.offsets) for _, lines in families])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    cell_id = np.concatenate([lines.cell_id for _, lines in families])
    source = np.concatenate([lines.source for _, lines in families])
    destination = np.concatenate([lines.destination for _, lines in families])
    kind = np.concatenate([np.full(len(lines.source), kind) for kind, lines in families])

    inner = np.ones(len(cell_id), dtype=np.int8)  # every point but the two ends of its line
    inner[offsets[:-1]] = inner[offsets[1:] - 1] = 0
    begins = np.ones(len(cell_id), dtype=bool)  # a piece begins at every point but the last
    begins[offsets[1:] - 1] = False
    tail = np.flatnonzero(begins)
    fill_polydata(
        output,
        np.concatenate([lines.points for _, lines in families]),
        lines=np.column_stack([tail, tail + 1]),
    )
    add(
        output.GetPointData(),
        to_vtk(inner, "ttkMaskScalarField"),
        to_vtk(
            np.concatenate([lines.cell_dimension for _, lines in families]).astype(np.int8),
            "CellDimension",
        ),
        ids_to_vtk(cell_id, "CellId"),
    )
    # A V-path is monotone, so its ends have its extreme values; one that leaves the domain (its
    # destination is NONE) has its last cell as its end.
    ends = np.stack(
        [
            cell_values(field, grid, cell_id[offsets[:-1]]),
            cell_values(field, grid, cell_id[offsets[1:] - 1]),
        ]
    )
    reaches = destination != NONE
    on_boundary = critical.on_boundary[source].astype(np.int8)
    on_boundary[reaches] += critical.on_boundary[destination[reaches]].astype(np.int8)
    destination_id = np.full(len(destination), NONE, dtype=np.int64)
    destination_id[reaches] = critical.cell_id[destination[reaches]]
    of_piece = np.repeat(np.arange(len(source)), lengths - 1)
    add(
        output.GetCellData(),
        ids_to_vtk(critical.cell_id[source][of_piece], "SourceId"),
        ids_to_vtk(destination_id[of_piece], "DestinationId"),
        *_separatrix_arrays(field, of_piece, kind, ends.max(0), ends.min(0), on_boundary),
        active="SeparatrixType",
    )


def write_surfaces(
    output: vtkPolyData,
    families: list[tuple[int, Any]],
    critical: Any,
    field: ImageField,
    grid: Any,
) -> None:
    """2-separatrices as polygons. families: (SeparatrixType, the engine's surfaces)."""
    starts = np.cumsum([0] + [len(surface.points) for _, surface in families])
    corners = np.concatenate(
        [
            np.where(surface.polygons == NONE, NONE, surface.polygons + start)
            for start, (_, surface) in zip(starts[:-1], families, strict=True)
        ]
    )
    source = np.concatenate([surface.source for _, surface in families])
    kind = np.concatenate([np.full(len(surface.source), kind) for kind, surface in families])
    cell_id = np.concatenate([surface.cell_id for _, surface in families])

    is_corner = corners != NONE
    sizes = is_corner.sum(axis=1)
    whole = sizes >= 3  # two corners at the boundary make no polygon
    items = corners[is_corner & whole[:, None]]
    offsets = np.concatenate([[0], np.cumsum(sizes[whole])])
    source, kind = source[whole], kind[whole]
    points = np.concatenate([surface.points for _, surface in families])
    fill_polydata(output, points, polygons=(offsets, items))

    # A saddle has one surface: its row among the critical cells tells it and its kind.
    has_surface = np.zeros(len(critical), dtype=bool)
    has_surface[source] = True
    rows = np.flatnonzero(has_surface)
    of_polygon = (np.cumsum(has_surface) - 1)[source]
    kind_of_row = np.zeros(len(critical), dtype=np.int8)
    kind_of_row[source] = kind
    highest, lowest = _extreme_values(
        critical.value, source, offsets[:-1], cell_values(field, grid, cell_id)[items]
    )
    add(
        output.GetCellData(),
        ids_to_vtk(critical.cell_id[source], "SourceId"),
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


def _extreme_values(
    own: np.ndarray, row: np.ndarray, first_corner: np.ndarray, values: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Highest and lowest value of each row, its own (k,) and those of its polygons' corners."""
    highest, lowest = own.copy(), own.copy()
    if len(row):
        # Polygons come in runs of one row; few runs are left for the slow scatter.
        begins = np.flatnonzero(np.concatenate([[True], row[1:] != row[:-1]]))
        np.maximum.at(highest, row[begins], np.maximum.reduceat(values, first_corner[begins]))
        np.minimum.at(lowest, row[begins], np.minimum.reduceat(values, first_corner[begins]))
    return highest, lowest


def write_pairs(tails: vtkPolyData, glyphs: vtkPolyData, arrows: Any) -> None:
    """Pairs of a gradient: vertices with a vector, for the Glyph filter, and lines as they are."""
    dimension = arrows.tail_dimension.astype(np.int8)
    fill_polydata(tails, arrows.tail, vertices=True)
    vectors = to_vtk(arrows.vector, "GradientVector")
    add(
        tails.GetPointData(),
        vectors,
        to_vtk(dimension, "CellDimension"),
        ids_to_vtk(arrows.tail_cell_id, "CellId"),
        ids_to_vtk(arrows.head_cell_id, "PairedCellId"),
        active="CellDimension",
    )
    tails.GetPointData().SetActiveVectors("GradientVector")

    n_pairs = len(dimension)
    ends = np.stack([arrows.tail, arrows.tail + arrows.vector], axis=1)
    fill_polydata(glyphs, ends, lines=np.arange(2 * n_pairs).reshape(-1, 2))
    add(
        glyphs.GetPointData(),
        to_vtk(np.tile(np.array([0, 1], dtype=np.int8), n_pairs), "PairOrigin"),
        to_vtk(np.stack([dimension, dimension + 1], axis=1).reshape(-1), "CellDimension"),
        ids_to_vtk(
            np.stack([arrows.tail_cell_id, arrows.head_cell_id], axis=1).reshape(-1), "CellId"
        ),
    )
    add(glyphs.GetCellData(), to_vtk(dimension, "PairType"), active="PairType")


def cell_values(field: ImageField, grid: Any, cell_id: np.ndarray) -> np.ndarray:
    """Value of the highest vertex of each cell: (n,) of the field's type."""
    doubled = np.unravel_index(cell_id, grid.doubled_shape)
    values: np.ndarray | None = None
    for corner in range(8):
        # An even coordinate is a vertex's own; an odd one lies between two.
        at = tuple((c + (corner >> axis & 1) * (c & 1)) // 2 for axis, c in enumerate(doubled))
        found = field.values[at]
        values = found if values is None else np.maximum(values, found)
    assert values is not None
    return values


def _separatrix_arrays(
    field: ImageField,
    of_cell: np.ndarray,
    kind: np.ndarray,
    highest: np.ndarray,
    lowest: np.ndarray,
    on_boundary: np.ndarray,
) -> list[Any]:
    """The cell arrays that lines and surfaces share, from one value a separatrix."""
    return [
        ids_to_vtk(of_cell, "SeparatrixId"),
        to_vtk(kind.astype(np.int8)[of_cell], "SeparatrixType"),
        _of_field(field, "SeparatrixFunctionMaximum", highest[of_cell]),
        _of_field(field, "SeparatrixFunctionMinimum", lowest[of_cell]),
        to_vtk(_difference(highest, lowest)[of_cell], "SeparatrixFunctionDifference"),
        to_vtk(on_boundary[of_cell], "NumberOfCriticalPointsOnBoundary"),
    ]


def _difference(highest: np.ndarray, lowest: np.ndarray) -> np.ndarray:
    """Difference of both, in the field's type or, for signed integers, in one where it fits."""
    if highest.dtype.kind == "i":
        kind = np.float64 if highest.dtype.itemsize == 8 else np.int64
        return np.subtract(highest, lowest, dtype=kind)
    return highest - lowest


def _of_field(field: ImageField, name: str, values: np.ndarray) -> Any:
    """An array of the same VTK type as the scalar field (vtkCharArray stays vtkCharArray)."""
    data_type = field.source.array.GetDataType()
    values = values.astype(field.values.dtype, copy=False)
    return to_vtk(values, name, None if data_type == VTK_BIT else data_type)
