"""The points of a dataset as arrays: point sets, molecules, tables, and blocks of these.

Coordinates of a table are columns named x, y, and z in either case, or as in ParaView's spreadsheet
and in .csv files of this package; without z, points are in the plane z = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from vtkmodules.vtkCommonCore import vtkDataArray
from vtkmodules.vtkCommonDataModel import (
    vtkDataSet,
    vtkMolecule,
    vtkPointSet,
    vtkTable,
)

from separatrix.errors import Words
from separatrix_vtk.base.arrays import from_vtk, names_of
from separatrix_vtk.base.datasets import leaves_of
from separatrix_vtk.base.errors import NO_INPUT, FilterError

COORDINATES = ("{}", "Points:{number}", "Points_{number}", "position{}", "coords_{}")
WHAT_HAS_POINTS = "polygonal data, a grid with its own points, a molecule, or a table"
TAKE_POINTS = (
    "Extract some of its points with Threshold (in VTK vtkThreshold), or all of them with Image "
    "Data To Point Set (in VTK vtkImageDataToPointSet)."
)


@dataclass(frozen=True)
class PointSet:
    """positions (n, 3) float32 or float64; `attributes` and `counts` of each part."""

    positions: np.ndarray
    attributes: tuple[Any, ...]
    counts: tuple[int, ...]

    @property
    def n_points(self) -> int:
        return len(self.positions)

    def numbers(self, name: str, what: str) -> np.ndarray:
        """An array (n,) of one number per point; `what` names its use in errors."""
        parts = zip(self.attributes, self.counts, strict=True)
        return np.concatenate([_numbers(a, name, what) for a, count in parts if count])


def point_set_of(dataset: Any) -> PointSet:
    """The points of a dataset. Raises FilterError if there are none."""
    if dataset is None:
        raise FilterError(NO_INPUT)
    parts = [_points_of(leaf) for leaf in leaves_of(dataset)]
    if not sum(len(positions) for positions, _ in parts):
        raise FilterError(f"The input has no points ({dataset.GetClassName()}).")
    filled = [part for part in parts if len(part[0])]
    same = all(positions.dtype == filled[0][0].dtype for positions, _ in filled)
    arrays = [positions if same else positions.astype(float) for positions, _ in filled]
    return PointSet(
        arrays[0] if len(arrays) == 1 else np.concatenate(arrays),
        tuple(attributes for _, attributes in filled),
        tuple(len(array) for array in arrays),
    )


def what_to_do_with(dataset: Any) -> str:
    """The remedy for a dataset without its own points, such as an image."""
    has_places = isinstance(dataset, vtkDataSet) and not isinstance(dataset, vtkPointSet)
    return TAKE_POINTS if has_places else ""


def attributes_of(dataset: Any) -> Any:
    """The attributes with the point arrays of a dataset."""
    if isinstance(dataset, vtkMolecule):
        return dataset.GetVertexData()
    return dataset.GetRowData() if isinstance(dataset, vtkTable) else dataset.GetPointData()


def _points_of(dataset: Any) -> tuple[np.ndarray, Any]:
    if isinstance(dataset, vtkTable):
        return _columns(dataset), dataset.GetRowData()
    if isinstance(dataset, vtkMolecule):
        points = dataset.GetAtomicPositionArray() if dataset.GetNumberOfAtoms() else None
    elif isinstance(dataset, vtkPointSet):
        points = dataset.GetPoints()
    else:
        got = Words(dataset.GetClassName())
        raise FilterError("input", WHAT_HAS_POINTS, got, what_to_do_with(dataset))
    if points is None or not points.GetNumberOfPoints():
        return np.empty((0, 3)), attributes_of(dataset)
    positions = from_vtk(points.GetData())
    if positions.dtype.kind != "f":
        positions = positions.astype(np.float64)
    return positions.reshape(-1, 3), attributes_of(dataset)


def coordinate_columns(names: list[str]) -> list[str]:
    """The columns of a table for x, y, and possibly z; [] if it has no x and y."""
    known = {name.lower(): name for name in names}
    for pattern in COORDINATES:
        wanted = [pattern.format(axis, number=i).lower() for i, axis in enumerate("xyz")]
        if wanted[0] in known and wanted[1] in known:
            return [known[name] for name in wanted if name in known]
    return []


def table_columns(table: vtkTable, names: Sequence[str], what: str) -> np.ndarray:
    """Columns of numbers as (rows, columns) float64; `what` names their use in errors."""
    columns = [_numbers(table.GetRowData(), name, what).astype(np.float64) for name in names]
    return np.stack(columns, axis=1)


def _columns(table: vtkTable) -> np.ndarray:
    names = names_of(table.GetRowData())
    found = [
        _numbers(table.GetRowData(), name, "a coordinate").astype(np.float64)
        for name in coordinate_columns(names)
    ]
    if found:
        return np.stack([*found, *[np.zeros_like(found[0])] * (3 - len(found))], axis=1)
    raise FilterError(
        f"The table has no columns x, y, and z; available: {', '.join(names) or 'none'}. Rename "
        "columns, or apply Table To Points (in VTK vtkTableToPolyData)."
    )


def _numbers(attributes: Any, name: str, what: str) -> np.ndarray:
    array = attributes.GetAbstractArray(name)
    available = f"available: {', '.join(names_of(attributes)) or 'none'}."
    if array is None:
        raise FilterError(f"The point array '{name}' was not found, for {what}; {available}")
    if not isinstance(array, vtkDataArray):
        raise FilterError(
            f"The point array '{name}' contains text, but {what} is a number; {available}"
        )
    if array.GetNumberOfComponents() != 1:
        raise FilterError(
            f"The point array '{name}' must have one component, for {what}; got "
            f"{array.GetNumberOfComponents()}. Reduce it with the Calculator filter."
        )
    return from_vtk(array)
