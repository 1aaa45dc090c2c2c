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

    def numbers(self, name: str) -> np.ndarray:
        """A point array with one number per point (n,)."""
        parts = zip(self.attributes, self.counts, strict=True)
        return np.concatenate([numbers_in(a, name) for a, count in parts if count])


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


def finite_bounds(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest coordinates (3,) of positions (n, 3), which must be finite."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    if np.isfinite(low).all() and np.isfinite(high).all():
        return low.astype(np.float64), high.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(positions).all(axis=1))
    place = tuple(positions[bad[0]].astype(float).tolist())
    remedy = "Remove or correct these points."
    raise FilterError("points", "finite", place, remedy, where=f"[{bad[0]}]", count=len(bad))


def attributes_of(dataset: Any) -> Any:
    """The attributes with the point arrays of a dataset."""
    if isinstance(dataset, vtkMolecule):
        return dataset.GetVertexData()
    return dataset.GetRowData() if isinstance(dataset, vtkTable) else dataset.GetPointData()


def _points_of(dataset: Any) -> tuple[np.ndarray, Any]:
    if isinstance(dataset, vtkTable):
        return _positions_in(dataset), dataset.GetRowData()
    if isinstance(dataset, vtkMolecule):
        points = dataset.GetAtomicPositionArray() if dataset.GetNumberOfAtoms() else None
    elif isinstance(dataset, vtkPointSet):
        points = dataset.GetPoints()
    else:
        remedy = TAKE_POINTS if isinstance(dataset, vtkDataSet) else ""
        raise FilterError("input", WHAT_HAS_POINTS, Words(dataset.GetClassName()), remedy)
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


def table_columns(table: vtkTable, names: Sequence[str]) -> np.ndarray:
    """Columns of numbers as (rows, columns) float64."""
    columns = [numbers_in(table.GetRowData(), name).astype(np.float64) for name in names]
    return np.stack(columns, axis=1)


def _positions_in(table: vtkTable) -> np.ndarray:
    names = names_of(table.GetRowData())
    if columns := coordinate_columns(names):
        found = table_columns(table, columns)
        return np.pad(found, ((0, 0), (0, 3 - len(columns))))
    raise FilterError(
        f"The table has no columns x, y, and z; available: {', '.join(names) or 'none'}. Rename "
        "columns, or apply Table To Points (in VTK vtkTableToPolyData)."
    )


def numbers_in(attributes: Any, name: str, accept_equal: bool = False) -> np.ndarray:
    """The point array of a name with one number per point.

    accept_equal: whether several components are accepted if they are equal.
    """
    array = attributes.GetAbstractArray(name)
    available = f"available: {', '.join(names_of(attributes)) or 'none'}."
    if array is None:
        raise FilterError(f"The point array '{name}' was not found; {available}")
    if not isinstance(array, vtkDataArray):
        raise FilterError(f"The point array '{name}' contains text, not numbers; {available}")
    values = from_vtk(array)
    if values.ndim == 1:
        return values
    if accept_equal and (values == values[:, :1]).all():
        return np.asarray(values[:, 0])
    different = " different components" if accept_equal else ""
    raise FilterError(
        f"The point array '{name}' must have one component{', or equal ones' * accept_equal}; got "
        f"{values.shape[1]}{different}. Reduce it with the Calculator filter."
    )
