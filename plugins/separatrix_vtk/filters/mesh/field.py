"""A mesh of tetrahedra or triangles and one of its point arrays as the field that the engine takes.

The counterpart of :class:`..scalar_field.image.ImageField`, with the same questions and answers:
what writes outputs asks for values, points and positions of cells and knows no mesh.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

import numpy as np

import separatrix as sx
from separatrix_vtk.base.arrays import from_vtk, range_between
from separatrix_vtk.base.errors import FilterError
from separatrix_vtk.base.input_array import CELLS, InputArray
from separatrix_vtk.filters.mesh.cells import NAMES, MeshCells

CLASSES = {2: "TriangleMesh", 3: "TetMesh"}
MESH_SHARE = 0.4  # of the time of an analysis: checks, order, edges and triangles


class MeshField:
    """`values` (V,) over the memory of `source`, one a point of the mesh `cells`."""

    of_cells = False

    def __init__(self, cells: MeshCells, source: InputArray, on_duplicates: str = "error") -> None:
        if source.association == CELLS:
            raise FilterError(
                f"the array '{source.name}' is cell data, a field on a mesh has its values at the "
                "points: apply Cell Data to Point Data (in VTK vtkCellDataToPointData) first"
            )
        self.cells, self.source, self.on_duplicates = cells, source, on_duplicates
        self.values = from_vtk(source.array)
        if len(self.values) != len(cells.points):
            raise FilterError(
                f"the array '{source.name}' has {len(self.values)} values where the mesh has "
                f"{len(cells.points)} points"
            )
        self._mesh: Any = None

    @property
    def identity(self) -> Hashable:
        """What tells this field from every other."""
        return (self.source.array.GetMTime(), self.cells.identity, self.on_duplicates)

    @property
    def dimension(self) -> int:
        """3 of tetrahedra, 2 of triangles."""
        return self.cells.dimension

    @property
    def size(self) -> dict[str, Any]:
        """How large the mesh is, for the report."""
        return {"points": len(self.values), NAMES[self.dimension]: len(self.cells.corners)}

    @property
    def value_range(self) -> float:
        """Highest value less lowest, of the points that belong to a cell."""
        return range_between(self.values, *self.extreme_points.tolist())

    @cached_property
    def extreme_points(self) -> np.ndarray:
        """The lowest and the highest point of the complex, by value and then by number: (2,).

        Where there is no cell the first point stands for both, so that ranges are 0.
        """
        used, corners = np.zeros(len(self.values), bool), self.cells.corners.reshape(-1)
        if self.on_duplicates == "drop":
            corners = kept_cells(self.cells.corners, len(used)).reshape(-1)
        used[corners] = True
        points = np.flatnonzero(used)
        if not len(points):
            return np.zeros(2, np.int64)
        values = self.values[points]
        highest = len(values) - 1 - int(values[::-1].argmax())
        return points[[int(values.argmin()), highest]]

    def attributes_of(self, dataset: Any) -> Any:
        """Where labels of this field have their place."""
        return dataset.GetPointData()

    # === the engine

    def use(self, result: Any) -> None:
        """Take over the mesh of a complex that was kept from another run."""
        self._mesh = result.domain

    def mesh(self, **options: Any) -> Any:
        """The engine's mesh, made once. Options as of every long call of the engine."""
        if self._mesh is None:
            make = getattr(sx, CLASSES[self.dimension])
            checked = {"on_duplicates": self.on_duplicates, **options}
            self._mesh = make(self.cells.points, self.cells.corners, **checked)
        return self._mesh

    def critical_points(self, **options: Any) -> Any:
        """Critical points of the piecewise linear field."""
        mesh, progress = self._mesh_and_progress(options)
        return mesh.critical_points(self.values, progress=progress)

    def discrete_gradient(self, **options: Any) -> Any:
        """The engine's gradient."""
        mesh, progress = self._mesh_and_progress(options)
        return mesh.discrete_gradient(self.values, progress=progress)

    def morse_smale(self, order: str = "index", **options: Any) -> Any:
        """The raw complex."""
        mesh, progress = self._mesh_and_progress(options)
        return mesh.morse_smale(self.values, order=order, progress=progress)

    def persistence_diagram(self, order: str = "index", **options: Any) -> Any:
        """All pairs; `dimensions` that the mesh has none of are left out."""
        wanted = tuple(d for d in options.pop("dimensions") if d <= self.dimension)
        if not wanted:
            raise FilterError("a mesh of triangles has pairs of dimensions 0, 1 and 2 alone")
        zero = options.pop("zero_persistence")
        mesh, progress = self._mesh_and_progress(options)
        return mesh.persistence_diagram(
            self.values,
            dimensions=wanted,
            zero_persistence=zero,
            order=order,
            progress=progress,
        )

    def _mesh_and_progress(self, options: dict[str, Any]) -> tuple[Any, Callable[..., None]]:
        progress = options["progress"]

        def first(fraction: float, stage: str) -> None:
            progress(MESH_SHARE * fraction, stage)

        def then(fraction: float, stage: str) -> None:
            progress(MESH_SHARE + (1.0 - MESH_SHARE) * fraction, stage)

        return self.mesh(**{**options, "progress": first}), then

    # === cells by their ids

    def corners_of(self, ids: np.ndarray, dimension: int) -> np.ndarray:
        """Points (k, dimension + 1) of simplices: a point's or a cell's id is the input's."""
        if dimension == 0:
            return ids.reshape(-1, 1)
        if dimension == self.dimension:
            return np.asarray(self.cells.corners[ids])
        if not len(ids):
            return np.empty((0, dimension + 1), np.int64)
        relation = self.mesh().relation("EV" if dimension == 1 else "FV")
        return np.asarray(sx.to_host(relation[ids].table))

    def highest_points(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Highest point of each simplex, by value and then by number: (n,) int64."""
        found = np.empty(len(cell_id), np.int64)
        for d in np.unique(dimension).tolist():
            rows = np.flatnonzero(dimension == d)
            corners = np.sort(self.corners_of(cell_id[rows], d), axis=1)
            last = d - self.values[corners[:, ::-1]].argmax(axis=1)
            found[rows] = corners[np.arange(len(rows)), last]
        return found

    def values_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Value of the highest point of each simplex: (n,) of the field's type."""
        return np.asarray(self.values[self.highest_points(cell_id, dimension)])

    def positions_of(self, cell_id: np.ndarray, dimension: np.ndarray) -> np.ndarray:
        """Barycenter of each simplex: (n, 3) float64."""
        found = np.empty((len(cell_id), 3))
        for d in np.unique(dimension).tolist():
            rows = np.flatnonzero(dimension == d)
            corners = np.sort(self.corners_of(cell_id[rows], d), axis=1)
            found[rows] = self.cells.points[corners].mean(axis=1, dtype=np.float64)
        return found

    def cells_of_points(self, points: np.ndarray) -> np.ndarray:
        """Ids of points as cells: they are the same."""
        return points


def kept_cells(corners: np.ndarray, n_points: int) -> np.ndarray:
    """The cells (n, k) whose points there are, and no point of which is there twice."""
    kept = ((corners >= 0) & (corners < n_points)).all(axis=1)
    for a in range(corners.shape[1]):
        for b in range(a):
            kept &= corners[:, a] != corners[:, b]
    return corners if kept.all() else corners[kept]
