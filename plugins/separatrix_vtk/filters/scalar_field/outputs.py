"""Results of the engine on a field as VTK datasets, with TTK's names and types.

All arrays are in host memory; `on_host` copies them from a GPU.

The value of a cell is the value of its highest vertex. `CellId` is the engine's: the index of the
cell in the doubled grid, x fastest, one number for cells of all dimensions; on a mesh each
dimension is counted from 0, as in TTK. `SourceId` and `DestinationId` are CellIds, too.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from vtkmodules.util.vtkConstants import VTK_BIT
from vtkmodules.vtkCommonDataModel import vtkPolyData, vtkTable

import separatrix as sx
from separatrix_vtk.base.arrays import NONE, add, fill_polydata, ids_to_vtk, to_vtk
from separatrix_vtk.filters.scalar_field.field import Field

POINT_ARRAYS = ("CellDimension", "CellId", "IsOnBoundary", "ttkVertexScalarField", "CriticalType")
COMPLEX_ARRAYS = (
    *(*POINT_ARRAYS, "IsPersistent", "ManifoldSize"),
    *("Persistence", "PairedId", "IsFinite"),
)
SIMPLIFIED_ARRAYS = ("SimplifiedField", "SimplifiedField_Order")
REASONS = {"absent": "Absent", "several": "Several", "parted": "Parted"}  # of skipped pairs
MAXIMUM = 3  # CriticalType: 0 minimum, 1 and 2 saddles, 3 maximum, whatever the dimension


def on_host(result: Any) -> Any:
    """A dataclass of arrays of the engine, with its arrays in NumPy."""
    fields = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    arrays = {name: sx.to_host(value) for name, value in fields.items() if hasattr(value, "dtype")}
    return dataclasses.replace(result, **arrays)


def cells_of(critical: Any, shown: np.ndarray) -> Any:
    """The critical cells that are shown; shown: (k,) bool."""
    if shown.all():
        return critical
    names = ("cell_id", "index", "value", "vertex", "position", "on_boundary")
    columns = {name: getattr(critical, name)[shown] for name in names}
    counts = tuple(np.bincount(columns["index"], minlength=4).tolist())
    return dataclasses.replace(critical, **columns, counts=counts)


def write_critical_points(output: vtkPolyData, critical: Any, field: Field) -> None:
    """One vertex per critical cell of a field."""
    dimension = field.dimension
    kind = np.where((critical.index == dimension) & (dimension > 0), MAXIMUM, critical.index)
    fill_polydata(output, critical.position, vertices=True)
    add(
        output.GetPointData(),
        of_field(field, field.source.name, critical.value),
        to_vtk(critical.index, "CellDimension"),
        ids_to_vtk(critical.cell_id, "CellId"),
        to_vtk(critical.on_boundary.astype(np.int8), "IsOnBoundary"),
        ids_to_vtk(critical.vertex, "ttkVertexScalarField"),
        to_vtk(kind.astype(np.int8), "CriticalType"),
        active="CriticalType",
    )


def add_partners(output: vtkPolyData, persistence: np.ndarray, cell_id: np.ndarray) -> None:
    """Add the persistence partner of each critical point, by its CellId, to an output.

    The persistence of an essential class is the range of the values, as in TTK, and its partner is
    NONE.
    """
    add(
        output.GetPointData(),
        to_vtk(persistence, "Persistence"),
        ids_to_vtk(cell_id, "PairedId"),
        to_vtk((cell_id != NONE).astype(np.int8), "IsFinite"),
    )


def partners_of(pairs: Any, critical: Any) -> np.ndarray:
    """CellId (k,) of the partner of each critical cell; NONE without one."""
    cell_id = np.full(len(critical), NONE, dtype=np.int64)
    finite = pairs.death_row != NONE
    birth, death = pairs.birth_row[finite], pairs.death_row[finite]
    for row, other in ((birth, death), (death, birth)):
        cell_id[row] = critical.cell_id[other]
    return cell_id


def persistence_of(pairs: Any, critical: Any, value_range: float) -> np.ndarray:
    """The persistence of each critical cell (k,); of an essential class the range of the values."""
    persistence = np.full(len(critical), value_range)
    finite = pairs.death_row != NONE
    for rows in (pairs.birth_row, pairs.death_row):
        persistence[rows[finite]] = pairs.persistence[finite]
    return persistence


def write_regions(
    output: vtkTable,
    label: str,
    regions: Any,
    cell_ids: Callable[[np.ndarray], np.ndarray],
    field: Field,
) -> None:
    """One row per region; `label` is the array of their segmentation.

    cell_ids: returns the ids of rows of critical cells
    """
    labels = getattr(regions, "label", np.arange(len(regions.size)))
    output.AddColumn(to_vtk(labels.astype(np.int32), label))
    output.AddColumn(ids_to_vtk(regions.size, "RegionSize"))
    output.AddColumn(of_field(field, "RegionMinimum", regions.minimum))
    output.AddColumn(of_field(field, "RegionMaximum", regions.maximum))
    for name, row in (("MinimumId", regions.minimum_row), ("MaximumId", regions.maximum_row)):
        ids = np.full(row.shape, NONE, np.int64)
        ids[row != NONE] = cell_ids(row[row != NONE])
        output.AddColumn(ids_to_vtk(ids, name))


def labels_in_file(folder: str, field: Field) -> np.ndarray | None:
    """An array for labels of the points of an image, in a file without a name."""
    if field.values.ndim != 3:  # the labels of a mesh are in memory
        return None
    with tempfile.TemporaryFile(dir=folder) as file:
        return np.memmap(file, np.int32, "w+", shape=field.values.shape)


def level_numbers(level: Mapping[str, Any]) -> dict[str, float]:
    """The field data of a level, from its entries of the report."""
    skipped = level["skipped_pairs"]
    return {
        "PersistenceThreshold": level["persistence"],
        "CanceledPairs": level["canceled_pairs"],
        "SkippedPairs": sum(skipped.values()),
        **{f"SkippedPairs{name}": skipped.get(key, 0) for key, name in REASONS.items()},
        "OmittedSaddles": level["omitted_saddles"],
    }


def simplified_arrays(field: Field, name: str, simple: Any) -> tuple[Any, Any]:
    """The values and the order of a simplified field, with TTK's name of the latter."""
    return simplified_arrays_of(field, name, sx.to_host(simple.values), sx.to_host(simple.order))


def simplified_arrays_of(
    field: Field, name: str, values: np.ndarray, order: np.ndarray
) -> tuple[Any, Any]:
    """The same arrays of some points of the image."""
    made = of_field(field, name, values.reshape(-1))
    return made, ids_to_vtk(order.reshape(-1), f"{name}_Order")


def write_pairs(tails: vtkPolyData, glyphs: vtkPolyData, arrows: Any) -> None:
    """Pairs of a gradient: vertices with a vector, for the Glyph filter, and lines."""
    dimension = arrows.tail_dimension.astype(np.int8)
    fill_polydata(tails, arrows.tail, vertices=True)
    add(
        tails.GetPointData(),
        to_vtk(arrows.vector, "GradientVector"),
        to_vtk(dimension, "CellDimension"),
        ids_to_vtk(arrows.tail_cell_id, "CellId"),
        ids_to_vtk(arrows.head_cell_id, "PairedCellId"),
        active="CellDimension",
    )
    tails.GetPointData().SetActiveVectors("GradientVector")

    n_pairs = len(dimension)
    ends = np.stack([arrows.tail, arrows.tail + arrows.vector], axis=1)
    cell_id = np.stack([arrows.tail_cell_id, arrows.head_cell_id], axis=1)
    fill_polydata(glyphs, ends, lines=np.arange(2 * n_pairs).reshape(-1, 2))
    add(
        glyphs.GetPointData(),
        to_vtk(np.tile(np.array([0, 1], dtype=np.int8), n_pairs), "PairOrigin"),
        to_vtk(np.stack([dimension, dimension + 1], axis=1).reshape(-1), "CellDimension"),
        ids_to_vtk(cell_id.reshape(-1), "CellId"),
    )
    add(
        glyphs.GetCellData(),
        to_vtk(dimension, "PairType"),
        to_vtk(dimension, "CellDimension"),
        active="CellDimension",
    )


def of_field(field: Field, name: str, values: np.ndarray) -> Any:
    """An array of the same VTK type as the scalar field (vtkCharArray stays vtkCharArray)."""
    data_type = field.source.array.GetDataType()
    values = values.astype(field.values.dtype, copy=False)
    return to_vtk(values, name, None if data_type == VTK_BIT else data_type)
