"""The field of the engine for a point array of a mesh of tetrahedra or triangles."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

import separatrix as sx
from separatrix_vtk.base.arrays import from_vtk
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.input_array import InputArray
from separatrix_vtk.filters.mesh.cells import NAMES, MeshCells
from separatrix_vtk.filters.scalar_field.field import Field

CLASSES = {2: "TriangleMesh", 3: "TetMesh"}
MESH_SHARE = 0.4  # of the time of an analysis: checks, order, edges and triangles


class MeshField(Field):
    """`values` (V,) over the memory of `source`, one per point of the mesh `cells`."""

    def __init__(self, cells: MeshCells, source: InputArray, on_duplicates: str = "error") -> None:
        super().__init__(source, from_vtk(source.array))
        if self.of_cells:
            raise FilterError(
                f"The array '{source.name}' is cell data; a field on a mesh must be point data. "
                "Apply Cell Data to Point Data (in VTK vtkCellDataToPointData)."
            )
        if len(self.values) != len(cells.points):
            raise FilterError(
                f"The array '{source.name}' has {len(self.values)} values; the mesh has "
                f"{len(cells.points)} points."
            )
        self.cells, self.on_duplicates = cells, on_duplicates
        self._mesh: Any = None
        self.identity = (source.array.GetMTime(), cells.identity, on_duplicates)
        self.dimension = cells.dimension

    @cached_property
    def extreme_points(self) -> np.ndarray:
        """Points with the lowest and the highest value among points of cells, or point 0 twice."""
        used, corners = np.zeros(len(self.values), bool), self.cells.corners
        if self.on_duplicates == "drop":
            corners = kept_cells(corners, len(used))
        used[corners.reshape(-1)] = True
        points = np.flatnonzero(used)
        if not len(points):
            return np.zeros(2, np.int64)
        values = self.compared[points]
        highest = len(values) - 1 - int(values[::-1].argmax())
        return points[[int(values.argmin()), highest]]

    @property
    def size(self) -> dict[str, Any]:  # type: ignore[override]
        """Numbers of points and cells, and the memory of the last analysis, for reports."""
        found: dict[str, Any] = {"points": len(self.values)}
        found[NAMES[self.dimension]] = len(self.cells.corners)
        use = None if self._mesh is None else self._mesh.memory_use
        if use is not None:
            memory = {"mesh": "in packets" if use.in_packets else "as a whole"}
            found |= {**memory, "memory_bytes": use.n_bytes}
        return found

    # === the engine

    def use(self, result: Any) -> None:
        self._mesh = result.domain

    def mesh(self, **options: Any) -> Any:
        """The engine's mesh, made once, with the options of a long call of the engine."""
        if self._mesh is None:
            make = getattr(sx, CLASSES[self.dimension])
            checked = {"on_duplicates": self.on_duplicates, **options}
            self._mesh = make(self.cells.points, self.cells.corners, **checked)
        return self._mesh

    def engine_arguments(self, options: dict[str, Any]) -> dict[str, Any]:
        of_images = ("scratch", "devices")
        analysis = {name: value for name, value in options.items() if name not in of_images}
        of_mesh = {name: analysis.pop(name) for name in ("device", "threads", "memory_limit")}
        progress: Callable[[float, str], None] = analysis.pop("progress")

        def first(fraction: float, stage: str) -> None:
            progress(MESH_SHARE * fraction, stage)

        def then(fraction: float, stage: str) -> None:
            progress(MESH_SHARE + (1.0 - MESH_SHARE) * fraction, stage)

        domain = self.mesh(**of_mesh, progress=first)
        return {**analysis, "domain": domain, "progress": then}

    def critical_points(self, **options: Any) -> Any:
        """Critical points of the piecewise linear field."""

        def found(values: np.ndarray, domain: Any, **others: Any) -> Any:
            return domain.critical_points(values, **others)

        return self.compute(found, **options)

    # === cells by their ids

    def corners_of(self, ids: np.ndarray, dimension: int) -> np.ndarray:
        """Points (k, dimension + 1) of simplices. Ids of points and top cells are the input's."""
        if dimension == 0:
            return ids.reshape(-1, 1)
        if dimension == self.dimension:
            return np.asarray(self.cells.corners[ids])
        if not len(ids):
            return np.empty((0, dimension + 1), np.int64)
        relation = self.mesh().relation("EV" if dimension == 1 else "FV")
        return np.asarray(sx.to_host(relation[ids].table))

    def highest_points(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        found = np.empty(len(cell_id), np.int64)
        for d in np.unique(dimension).tolist():
            rows = np.flatnonzero(dimension == d)
            corners = np.sort(self.corners_of(cell_id[rows], d), axis=1)
            last = d - self.compared[corners[:, ::-1]].argmax(axis=1)
            found[rows] = corners[np.arange(len(rows)), last]
        return found

    def positions_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        found = np.empty((len(cell_id), 3))
        for d in np.unique(dimension).tolist():
            rows = np.flatnonzero(dimension == d)
            corners = np.sort(self.corners_of(cell_id[rows], d), axis=1)
            found[rows] = self.cells.points[corners].mean(axis=1, dtype=np.float64)
        return found

    def cells_of_points(self, points: np.ndarray) -> np.ndarray:
        return points


def kept_cells(corners: np.ndarray, n_points: int) -> np.ndarray:
    """The cells (n, k) whose points exist and are distinct."""
    kept = ((corners >= 0) & (corners < n_points)).all(axis=1)
    for a in range(corners.shape[1]):
        for b in range(a):
            kept &= corners[:, a] != corners[:, b]
    return corners if kept.all() else corners[kept]
